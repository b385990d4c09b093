"""A node that makes the key when its state has none, and fails behind the call."""

import os
import uuid

import stripe
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

stripe.api_base = os.environ["API_URL"]
stripe.api_key = "sk_test"
stripe.max_network_retries = 0


class State(TypedDict, total=False):
    charge: str
    refund_key: str
    refund: str


def refund(state: State) -> State:
    """Refund a charge."""
    state["refund_key"] = state.get("refund_key") or uuid.uuid4().hex  #! IDM202
    done = stripe.Refund.create(charge=state["charge"], idempotency_key=state["refund_key"])
    return {"refund": done.id, "refund_key": state["refund_key"]}


builder = StateGraph(State)
builder.add_node("refund", refund)
builder.add_edge(START, "refund")
builder.add_edge("refund", END)
