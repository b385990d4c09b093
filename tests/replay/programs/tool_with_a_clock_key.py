"""A tool of an agent whose key holds the time of the call."""

import os
import time

import stripe
from agents import function_tool

stripe.api_base = os.environ["API_URL"]
stripe.api_key = "sk_test"
stripe.max_network_retries = 0


@function_tool
def refund(charge: str) -> str:
    """Refund a charge.

    Args:
        charge: The charge to refund.
    """
    key = f"refund-{charge}-{time.time_ns()}"  #! IDM102
    return stripe.Refund.create(charge=charge, idempotency_key=key).id
