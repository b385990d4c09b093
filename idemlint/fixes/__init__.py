"""Building edits, applying them, and checking what came out."""
