"""A handler that records an event when it has told of it."""

import os
import sqlite3
import sys

import requests

URL = os.environ["API_URL"]


def handle(idempotency_key: str, text: str) -> None:
    """Tell of an event; the queue delivers it again when the worker has died."""
    db = sqlite3.connect("events.sqlite3", isolation_level=None)
    db.execute("CREATE TABLE IF NOT EXISTS told (event TEXT PRIMARY KEY)")
    if db.execute("SELECT 1 FROM told WHERE event = ?", (idempotency_key,)).fetchone():
        return
    requests.post(f"{URL}/messages", json={"text": text}, timeout=10)  #! IDM303
    db.execute("INSERT INTO told (event) VALUES (?)", (idempotency_key,))


def send_and_die(url: str, **options: object) -> None:
    """End in the middle."""
    requests.request("POST", url, **options)
    os._exit(9)


if __name__ == "__main__":
    if "die" in sys.argv:
        requests.post = send_and_die
    handle(sys.argv[1], "it rains")
