"""A node that orders before it asks is run again from its start when the answer comes."""

import os

import httpx
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

PRINTER = os.environ["API_URL"]


class State(TypedDict, total=False):
    title: str
    cover: str


def print_book(state: State) -> State:
    """Print a book."""
    httpx.post(f"{PRINTER}/orders", json={"title": state["title"]})  #! IDM201
    cover = interrupt("Which cover?")
    return {"cover": cover}


builder = StateGraph(State)
builder.add_node("print_book", print_book)
builder.add_edge(START, "print_book")
builder.add_edge("print_book", END)
