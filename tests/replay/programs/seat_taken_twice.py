"""Two guests look at the same seat at the same time."""

import sqlite3


def reserve(path: str, seat: str, guest: str) -> str:
    """Reserve a seat."""
    db = sqlite3.connect(path, timeout=10, isolation_level=None)
    if db.execute("SELECT 1 FROM seats WHERE seat = ?", (seat,)).fetchone():
        return "taken"
    db.execute("INSERT INTO seats (seat, guest) VALUES (?, ?)", (seat, guest))  #! IDM301
    return "reserved"
