"""A tool that takes the id of its call for a key: the model's next call has another one."""

import os

import stripe
from langchain.tools import ToolRuntime, tool

stripe.api_base = os.environ["API_URL"]
stripe.api_key = "sk_test"
stripe.max_network_retries = 0


@tool
def pay_out(account: str, cents: int, runtime: ToolRuntime) -> str:
    """Pay a seller."""
    done = stripe.Transfer.create(
        destination=account,
        amount=cents,
        currency="eur",
        idempotency_key=runtime.tool_call_id,  #! IDM105
    )
    return done.id
