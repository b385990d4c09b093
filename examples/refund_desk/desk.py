"""The refund desk: a customer asks, a person agrees, the money goes back."""

import resend
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from payments import refund


def ask(state: dict) -> dict:
    """Tell the customer, and ask a person."""
    resend.Emails.send(
        {
            "from": "desk@shop.example.com",
            "to": state["customer"],
            "subject": "Your refund",
            "text": "Your refund is on its way.",
        }
    )
    verdict = interrupt({"charge": state["charge"], "cents": state["cents"]})
    return {"approved": verdict == "yes"}


def pay(state: dict) -> dict:
    """Pay the money back."""
    if not state["approved"]:
        return {"status": "refused"}
    return {"status": "paid", "refund": refund(state["charge"], state["cents"])}


builder = StateGraph(dict)
builder.add_node("ask", ask)
builder.add_node("pay", pay)
builder.add_edge(START, "ask")
builder.add_edge("ask", "pay")
builder.add_edge("pay", END)
graph = builder.compile(checkpointer=InMemorySaver())
