"""How fast the language server answers, as an editor sees it: one command, one table.

    python tests/benchmarks/server_latency.py
    python tests/benchmarks/server_latency.py --tree PATH-TO-A-LARGE-TREE --strokes 200

The first needs about a minute and writes its own tree of 500 files. What each row measures stands in
the README beside this file; `goal` is what it should stay below, median and p95 in milliseconds.
"""

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

from lsp_client import LspClient, ServerError, span

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


def memory_mb(process: int, *, most: bool = False) -> float:
    """The resident memory of a process, now or at `most`; 0 where the system does not tell."""
    name = "VmHWM" if most else "VmRSS"
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) / 1024
    return 0.0


def told(name: str, times: list[float], goal: str = "", cpu: float | None = None) -> None:
    """Print one row of the table."""
    ordered = sorted(times)
    middle = statistics.median(ordered) * 1000
    late = ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)] * 1000
    used = "" if cpu is None else f"{cpu / len(times) * 1000:.1f}"
    row = f"{name:38}{middle:9.1f}{late:9.1f}{ordered[0] * 1000:9.1f}{used:>9}  {goal}"
    print(row.rstrip(), flush=True)


def note(name: str, text: str, goal: str = "") -> None:
    """Print one row that is no time."""
    print(f"{name:38}{text:>36}  {goal}".rstrip(), flush=True)


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


def keystrokes(client: LspClient, name: str, path: Path, text: str, count: int, goal: str) -> None:
    """Type a word into the middle of a file."""
    typing = Typing(client, path, text)
    rows = text.split("\n")
    line = next(n for n, row in enumerate(rows) if n > len(rows) // 2 and "no amount" in row)
    column = rows[line].index("no amount")
    before, times = cpu_seconds(client.process.pid), []
    for _ in range(count):
        times.append(typing.stroke(line, column, "x"))
        time.sleep(0.1)
    told(name, times, goal, cpu_seconds(client.process.pid) - before)
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
    told("half-typed, 1,000 lines", times, cpu=cpu_seconds(client.process.pid) - before)
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
    told("project, helper and tool", times, cpu=cpu_seconds(client.process.pid) - before)
    for address in (caller, typing.address):
        client.notify("textDocument/didClose", {"textDocument": {"uri": address}})


def fix_all(address: str) -> dict[str, object]:
    """The slowest thing that a client can ask for: all fixes of a file."""
    return {
        "title": "",
        "kind": "source.fixAll.idemlint",
        "data": {"do": "rule", "code": "IDM101", "uri": address},
    }


def typing_beside_fixes(client: LspClient, folder: Path, count: int) -> None:
    """Type while all fixes of a large file are made."""
    text = module(100)
    typing = Typing(client, folder / "beside.py", text)
    rows = text.split("\n")
    line = next(n for n, row in enumerate(rows) if n > len(rows) // 2 and "no amount" in row)
    column = rows[line].index("no amount")
    alone = time.perf_counter()
    client.request("codeAction/resolve", fix_all(typing.address))
    alone = time.perf_counter() - alone
    times = []
    for _ in range(count):
        number = client.ask("codeAction/resolve", fix_all(typing.address))
        time.sleep(min(alone / 3, 0.2))
        times.append(typing.stroke(line, column, "x"))
        with contextlib.suppress(ServerError):
            client.answer(number)
        time.sleep(0.2)
    told(f"the same beside fixes ({alone * 1000:.0f} ms)", times)
    client.notify("textDocument/didClose", {"textDocument": {"uri": typing.address}})


def superseded(client: LspClient, folder: Path) -> None:
    """Send many keystrokes, and many requests that are cancelled; what was done for them."""
    text = module(10)
    typing = Typing(client, folder / "burst.py", text)
    client.notes.clear()
    for _ in range(100):
        typing.version += 1
        change = {"range": span(0, 0, 0), "text": "\n"}
        client.change(typing.address, typing.version, change)
    client.published(typing.address, typing.version)
    client.settle(0.5)
    shown = sum(message["method"].endswith("publishDiagnostics") for message in client.notes)
    note("100 keystrokes at once", f"{shown + 1} checks", "few")
    before = cpu_seconds(client.process.pid)
    client.request("codeAction/resolve", fix_all(typing.address))
    one = cpu_seconds(client.process.pid) - before
    numbers = [client.ask("codeAction/resolve", fix_all(typing.address)) for _ in range(50)]
    for number in numbers:
        client.notify("$/cancelRequest", {"id": number})
    before = cpu_seconds(client.process.pid)
    for number in numbers:
        with contextlib.suppress(ServerError):
            client.answer(number)
    client.settle(0.5)
    used = cpu_seconds(client.process.pid) - before
    text = f"{used * 1000:.0f} ms CPU (one that is made: {one * 1000:.0f})"
    note("50 cancelled requests", text, "few")
    client.notify("textDocument/didClose", {"textDocument": {"uri": typing.address}})


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
        told(f"opening, first of {len(first)} projects", first, "400")
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
    process = client.process.pid
    memory = f"{memory_mb(process):.0f} MB, at most {memory_mb(process, most=True):.0f} MB"
    note(f"memory after {len(times)} files", memory, "300 MB")


def made_tree(folder: Path) -> Path:
    """Ten projects with 50 files each, for who gives no tree."""
    for project in range(10):
        base = folder / f"project_{project}" / f"package_{project}"
        base.mkdir(parents=True)
        (base.parent / "pyproject.toml").write_text("")
        (base / "helper.py").write_text(HELPER)
        for number in range(49):
            text = module(number % 5 + 1) if number % 5 else CALLER.replace("helper", ".helper")
            (base / f"tools_{number}.py").write_text(text)
    return folder


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--strokes", type=int, default=60)
    parser.add_argument("--tree", type=Path, help="a folder with packages, for opening and memory")
    parser.add_argument("--projects", type=int, default=12)
    parser.add_argument("--files", type=int, default=500)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve() / "typed"
        folder.mkdir()
        (folder / "pyproject.toml").write_text("")
        tree = given.tree.resolve() if given.tree else made_tree(folder.parent / "tree")
        client = LspClient(folder)
        client.start([folder])
        heads = f"{'median':>9}{'p95':>9}{'least':>9}{'CPU':>9}"
        print(f"{'milliseconds':38}{heads}  goal")
        strokes = given.strokes
        try:
            keystrokes(
                client, "1,000 lines, 10 tools", folder / "a.py", module(10), strokes, "50, 120"
            )
            keystrokes(
                client, "10,000 lines, 100 tools", folder / "b.py", module(100), strokes, "150"
            )
            typing_beside_fixes(client, folder, max(strokes // 6, 3))
            half_typed(client, folder, strokes)
            across_files(client, folder, strokes)
            opening(client, tree, given.projects)
            superseded(client, folder)
            visiting(client, tree, given.files)
        finally:
            client.stop()


if __name__ == "__main__":
    main()
