"""A tool of a FastMCP server that takes no key at all."""

import os

import stripe
from fastmcp import FastMCP

stripe.api_base = os.environ["API_URL"]
stripe.api_key = "sk_test"
stripe.max_network_retries = 0
mcp = FastMCP("shop")


@mcp.tool
async def charge(customer: str, cents: int) -> str:  #! IDM401
    """Charge a customer."""
    done = await stripe.Charge.create_async(amount=cents, currency="eur", customer=customer)
    return done.id
