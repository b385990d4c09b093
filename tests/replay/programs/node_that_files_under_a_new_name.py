"""A node that files a report under a name of its own each time, and fails behind that."""

import os
import uuid

import boto3
import httpx
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

bucket = boto3.client("s3")
reader = httpx.Client(base_url=os.environ["API_URL"])


class State(TypedDict, total=False):
    title: str
    file: str


def file_report(state: State) -> State:
    """File a report, and look up who reads it."""
    file = f"reports/{uuid.uuid4()}.txt"  #! IDM103
    bucket.put_object(Bucket="files", Key=file, Body=state["title"].encode())
    reader.get("/readers", params={"reference": file}).raise_for_status()
    return {"file": file}


builder = StateGraph(State)
builder.add_node("file_report", file_report)
builder.add_edge(START, "file_report")
builder.add_edge("file_report", END)
