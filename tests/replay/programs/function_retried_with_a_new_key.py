"""A function that a decorator repeats makes a key for each attempt."""

import os
import uuid

import httpx
from tenacity import retry, stop_after_attempt

press = httpx.Client(base_url=os.environ["API_URL"])


@retry(stop=stop_after_attempt(3))
def send_order(title: str) -> str:
    """Send an order to the press."""
    headers = {"Idempotency-Key": str(uuid.uuid4())}  #! IDM101
    return press.post("/orders", json={"title": title}, headers=headers).json()["id"]


def print_book(title: str) -> str:
    """Print a book."""
    return send_order(title)
