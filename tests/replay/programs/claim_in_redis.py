"""Two workers look into Redis whether a message was sent, and both send it."""

import os

import httpx
import redis

store = redis.Redis.from_url(os.environ["REDIS_URL"])
API = os.environ["API_URL"]


def send(message: str) -> str:
    """Send a message once."""
    if store.exists(f"sent:{message}"):
        return "sent before"
    store.set(f"sent:{message}", "1")  #! IDM301
    httpx.post(f"{API}/messages", json={"text": message})
    return "sent"
