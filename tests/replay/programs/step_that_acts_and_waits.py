"""A step that writes before it waits for an answer is run again when that comes."""

import os

import httpx
from workflows import Context, Workflow, step
from workflows.events import HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent

PRINTER = os.environ["API_URL"]


class Printing(Workflow):
    """Prints a book."""

    @step
    async def print_book(self, ctx: Context, ev: StartEvent) -> StopEvent:
        """Order a book, and ask for its cover."""
        async with httpx.AsyncClient() as http:
            await http.post(f"{PRINTER}/orders", json={"title": ev.title})  #! IDM201
        answer = await ctx.wait_for_event(
            HumanResponseEvent, waiter_event=InputRequiredEvent(prefix="Which cover?")
        )
        return StopEvent(result=answer.response)
