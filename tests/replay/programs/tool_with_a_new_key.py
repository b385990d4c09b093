"""A tool of an MCP server that makes a key at each call."""

import os
import uuid

import httpx
from mcp.server.mcpserver import MCPServer

server = MCPServer("payments")
bank = httpx.Client(base_url=os.environ["API_URL"])


@server.tool()
def transfer(account: str, cents: int) -> str:
    """Transfer money."""
    key = str(uuid.uuid4())  #! IDM101
    headers = {"Idempotency-Key": key}
    done = bank.post("/transfers", json={"to": account, "cents": cents}, headers=headers)
    return done.json()["id"]
