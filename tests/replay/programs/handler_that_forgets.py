"""A handler that remembers in memory which events it has seen."""

import os
import sys

import requests

URL = os.environ["API_URL"]
seen: set[str] = set()  #! IDM302


def handle(event_id: str) -> None:
    """Tell of an event; the queue delivers it again when the worker was restarted."""
    if event_id in seen:
        return
    seen.add(event_id)
    requests.post(f"{URL}/messages", json={"event": event_id}, timeout=10)


if __name__ == "__main__":
    handle(sys.argv[1])
