"""A tool of a FastMCP server that takes no key at all."""

import os

import stripe
from fastmcp import FastMCP

stripe.api_base = os.environ["API_URL"]
stripe.api_key = "sk_test"
stripe.max_network_retries = 0
mcp = FastMCP("shop")


@mcp.tool
def charge(customer: str, cents: int) -> str:  #! IDM401
    """Charge a customer."""
    done = stripe.Charge.create(amount=cents, currency="eur", customer=customer)
    return done.id
