"""A node that a policy runs again pays under a key of its own each time."""

import os
import uuid

import stripe
from langgraph.graph import END, START, StateGraph
from langgraph.types import RetryPolicy
from typing_extensions import TypedDict

stripe.api_base = os.environ["API_URL"]
stripe.api_key = "sk_test"
stripe.max_network_retries = 0


class State(TypedDict, total=False):
    seller: str
    cents: int
    transfer: str


def pay(state: State) -> State:
    """Pay a seller."""
    done = stripe.Transfer.create(
        destination=state["seller"],
        amount=state["cents"],
        currency="eur",
        idempotency_key=str(uuid.uuid4()),  #! IDM101
    )
    return {"transfer": done.id}


builder = StateGraph(State)
builder.add_node("pay", pay, retry_policy=RetryPolicy(initial_interval=0.01, retry_on=Exception))
builder.add_edge(START, "pay")
builder.add_edge("pay", END)
