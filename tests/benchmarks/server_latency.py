"""How fast the language server answers; see the README beside this file."""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "server"))

from lsp_client import LspClient, span

HEAD = """import uuid

import stripe
from langchain_core.tools import tool
"""
TOOL = '''

@tool
def charge_{number}(order: str, amount: int{parameter}) -> dict:
    """Charge an order."""
    customer = order.partition(":")[0]
    if amount <= 0:
        raise ValueError("no amount")
    key = {key}
    result = stripe.PaymentIntent.create(
        amount=amount, currency="usd", customer=customer, idempotency_key=key
    )
    lines = []
    for part in result["lines"]:
        lines.append(part["id"])
    return {{"id": result["id"], "lines": lines}}
'''
OTHER = '''

def format_{number}_{turn}(values: list[str]) -> str:
    """Format values."""
    out = []
    for value in values:
        if value.startswith("x"):
            out.append(value[1:])
        else:
            out.append(value)
    return ", ".join(out)
'''
KEYS = (
    ('f"{order}-{uuid.uuid4()}"', ""),
    ("order", ""),
    ("idempotency_key", ", idempotency_key: str"),
)
HELPER = '''import uuid


def new_key(order: str) -> str:
    """A key for an order."""
    return f"{order}-{uuid.uuid4()}"
'''
CALLER = '''import stripe
from helper import new_key
from langchain_core.tools import tool


@tool
def charge(order: str, amount: int) -> str:
    """Charge an order."""
    return stripe.PaymentIntent.create(amount=amount, idempotency_key=new_key(order)).id
'''


def module(tools: int) -> str:
    """A file with a tool every hundred lines."""
    parts = [HEAD]
    for number in range(tools):
        key, parameter = KEYS[number % len(KEYS)]
        parts.append(TOOL.format(number=number, key=key, parameter=parameter))
        parts += [OTHER.format(number=number, turn=turn) for turn in range(7)]
    return "".join(parts)


def cpu_seconds(process: int) -> float:
    """What a process has used so far; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(process: int) -> float:
    """The resident memory of a process now."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    return 0.0


def told(name: str, times: list[float], cpu: float | None = None) -> None:
    """Print one row of the table."""
    ordered = sorted(times)
    middle = statistics.median(ordered) * 1000
    late = ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)] * 1000
    used = "" if cpu is None else f"{cpu / len(times) * 1000:8.1f}"
    print(f"{name:34}{middle:10.1f}{late:10.1f}{ordered[0] * 1000:10.1f}{used}", flush=True)


class Typing:
    """A text that is typed into."""

    def __init__(self, client: LspClient, path: Path, text: str) -> None:
        path.write_text(text)
        self.client = client
        self.version = 1
        self.address = client.open(path, text)
        client.published(self.address, 1)
        client.settle(0.5)

    def stroke(self, line: int, column: int, text: str, shown: str = "") -> float:
        """Seconds from one keystroke to its findings, in `shown` or in the text itself."""
        self.version += 1
        started = time.perf_counter()
        change = {"range": span(line, column, column), "text": text}
        self.client.change(self.address, self.version, change)
        if shown:
            self.client.note(
                "textDocument/publishDiagnostics",
                lambda params: params["uri"] == self.address and params["version"] == self.version,
            )
        else:
            self.client.published(self.address, self.version)
        return time.perf_counter() - started


def keystrokes(client: LspClient, name: str, path: Path, text: str, count: int) -> None:
    """Type a word into the middle of a file."""
    typing = Typing(client, path, text)
    rows = text.split("\n")
    line = next(n for n, row in enumerate(rows) if n > len(rows) // 2 and "no amount" in row)
    column = rows[line].index("no amount")
    before, times = cpu_seconds(client.process.pid), []
    for _ in range(count):
        times.append(typing.stroke(line, column, "x"))
        time.sleep(0.1)
    told(name, times, cpu_seconds(client.process.pid) - before)
    client.notify("textDocument/didClose", {"textDocument": {"uri": typing.address}})
    path.unlink()


def half_typed(client: LspClient, folder: Path, count: int) -> None:
    """Open a bracket and close it again."""
    text = module(10)
    typing = Typing(client, folder / "half.py", text)
    rows = text.split("\n")
    line = next(n for n, row in enumerate(rows) if n > len(rows) // 2 and "lines = []" in row)
    before, times = cpu_seconds(client.process.pid), []
    for turn in range(count):
        times.append(typing.stroke(line, len(rows[line]) + turn, "()"[turn % 2]))
        time.sleep(0.1)
    told("half-typed, 1,000 lines", times, cpu_seconds(client.process.pid) - before)
    client.notify("textDocument/didClose", {"textDocument": {"uri": typing.address}})
    (folder / "half.py").unlink()


def across_files(client: LspClient, folder: Path, count: int) -> None:
    """Type in a helper that a tool of another open file reaches."""
    (folder / "caller.py").write_text(CALLER)
    caller = client.open(folder / "caller.py")
    client.published(caller, 1)
    typing = Typing(client, folder / "helper.py", HELPER)
    before, times = cpu_seconds(client.process.pid), []
    for _ in range(count):
        times.append(typing.stroke(4, 7, "x"))
        time.sleep(0.1)
    told("project, helper and tool", times, cpu_seconds(client.process.pid) - before)
    for address in (caller, typing.address):
        client.notify("textDocument/didClose", {"textDocument": {"uri": address}})


def burst(client: LspClient, folder: Path) -> None:
    """Send many keystrokes at once; how many of them were checked."""
    text = module(10)
    typing = Typing(client, folder / "burst.py", text)
    started = time.perf_counter()
    for _ in range(100):
        typing.version += 1
        change = {"range": span(0, 0, 0), "text": "#"}
        client.change(typing.address, typing.version, change)
    client.published(typing.address, typing.version)
    seconds = time.perf_counter() - started
    client.settle(0.5)
    shown = sum(note["method"].endswith("publishDiagnostics") for note in client.notes)
    print(f"burst of 100 keystrokes: {shown + 1} checks, {seconds * 1000:.0f} ms to the last")


def tool_files(tree: Path, most: int) -> list[list[Path]]:
    """Files of a tree that declare a tool or pause, up to two a package, of some packages."""
    found: dict[str, list[Path]] = {}
    for path in sorted(tree.rglob("*.py")):
        package = path.relative_to(tree).parts[0]
        if len(found.get(package, ())) < 2 and path.stat().st_size < 200_000:
            data = path.read_bytes()
            if b"@tool" in data or b"@function_tool" in data or b"interrupt(" in data:
                found.setdefault(package, []).append(path)
        if len(found) > most:
            break
    return list(found.values())[:most]


def opening(client: LspClient, tree: Path, most: int) -> None:
    """Open files: the first of a project, and another one when the project is known."""
    first, second = [], []
    for paths in tool_files(tree, most):
        for path, times in zip(paths, (first, second), strict=False):
            started = time.perf_counter()
            address = client.open(path)
            client.published(address, 1, timeout=120)
            times.append(time.perf_counter() - started)
            client.settle(0.5)
            client.notify("textDocument/didClose", {"textDocument": {"uri": address}})
    if first:
        told(f"opening, first of {len(first)} projects", first)
    if second:
        told(f"opening, {len(second)} in known projects", second)


def visiting(client: LspClient, tree: Path, count: int) -> None:
    """Open and close many files."""
    paths = [path for path in sorted(tree.rglob("*.py")) if path.stat().st_size < 200_000]
    step = max(len(paths) // count, 1)
    times = []
    for path in paths[::step][:count]:
        started = time.perf_counter()
        address = client.open(path, path.read_text(encoding="utf-8", errors="replace"))
        client.published(address, 1, timeout=120)
        times.append(time.perf_counter() - started)
        client.notify("textDocument/didClose", {"textDocument": {"uri": address}})
    if times:
        told(f"opening, {len(times)} files in a row", times)
    print(f"memory after {len(times)} files: {memory_mb(client.process.pid):.0f} MB")


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strokes", type=int, default=60)
    parser.add_argument("--tree", type=Path, help="a folder with packages, for opening and memory")
    parser.add_argument("--projects", type=int, default=12)
    parser.add_argument("--files", type=int, default=500)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "pyproject.toml").write_text("")
        client = LspClient(folder)
        client.start([folder])
        print(f"{'milliseconds':34}{'median':>10}{'p95':>10}{'least':>10}{'CPU':>8}")
        try:
            keystrokes(client, "1,000 lines, 10 tools", folder / "a.py", module(10), given.strokes)
            keystrokes(
                client, "10,000 lines, 100 tools", folder / "b.py", module(100), given.strokes
            )
            half_typed(client, folder, given.strokes)
            across_files(client, folder, given.strokes)
            burst(client, folder)
            print(f"memory: {memory_mb(client.process.pid):.0f} MB")
            if given.tree is not None:
                opening(client, given.tree.resolve(), given.projects)
                visiting(client, given.tree.resolve(), given.files)
        finally:
            client.stop()


if __name__ == "__main__":
    main()
