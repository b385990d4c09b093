"""A loop that sends again, and leaves the key out that it was given."""

import os

import httpx
from tenacity import retry, stop_after_attempt

press = httpx.Client(base_url=os.environ["API_URL"])


@retry(stop=stop_after_attempt(3))
def print_book(title: str, idempotency_key: str) -> str:
    """Print a book."""
    print("order", idempotency_key)
    return press.post("/orders", json={"title": title}).json()["id"]  #! IDM204
