"""A tool of an agent that sends a letter to a service that takes no key."""

import os

import httpx
from agents import function_tool

API = os.environ["API_URL"]


@function_tool
def send_letter(recipient: str) -> str:  #! IDM401
    """Send a letter."""
    letter = httpx.post(f"{API}/letters", json={"to": recipient})
    return letter.json()["id"]
