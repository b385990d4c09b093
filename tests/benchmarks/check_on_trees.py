"""How long a check of real packages takes beside Ruff, and how much memory.

`python tests/benchmarks/check_on_trees.py` installs the packages of `trees/*.txt` beside the system's
temporary files, checks each tree with both commands in turn, without caches and with them, and prints
a table. `--tree NAME=PATH` measures a tree that is there; `--bounds` makes the exit code tell.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

_LISTS = Path(__file__).parent / "trees"
_GOALS = {"general": 1.0, "agents": 2.0}
"""By tree how many times as long as Ruff a first run may take; a later one may take as long."""
_LARGEST = 400
"""What all processes of a run may hold together, in MB."""
_START = 60
"""How much longer than an empty Python `idemlint --version` may take, in milliseconds."""
_EVERY = 0.1
"""How often memory is looked at, in seconds."""


@dataclass(slots=True)
class Measure:
    """The seconds that runs of both commands took, in pairs, and the most memory of ours, in MB."""

    tree: str
    state: str
    pairs: list[tuple[float, float]] = field(default_factory=list)
    memory: float = 0.0

    @property
    def ratio(self) -> float:
        """The median of ours over Ruff's."""
        return statistics.median(ours / ruffs for ours, ruffs in self.pairs)

    @property
    def goal(self) -> float:
        """What the ratio may be."""
        return _GOALS.get(self.tree, 1.0) if self.state == "first" else 1.0

    @property
    def is_kept(self) -> bool:
        """Whether both goals are reached."""
        return self.ratio <= self.goal and self.memory <= _LARGEST

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        ours, ruffs = (statistics.median(pair[side] for pair in self.pairs) for side in (0, 1))
        ratio = f"{self.ratio:.2f} of {self.goal:.1f}"
        return (
            self.tree,
            self.state,
            f"{ours:.2f} s",
            f"{ruffs:.2f} s",
            ratio,
            f"{self.memory:.0f} MB",
        )


def main() -> int:
    """Measure and print; 1 with `--bounds` where a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tree", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured")
    parser.add_argument("--bounds", action="store_true", help="exit with 1 where a goal is missed")
    arguments = parser.parse_args()
    given = (text.partition("=") for text in arguments.tree)
    trees = {name: Path(path) for name, _, path in given}
    if not trees:
        trees = {path.stem: installed(path) for path in sorted(_LISTS.glob("*.txt"))}
    measures = [
        measure
        for name, tree in trees.items()
        for measure in measured(name, tree, arguments.rounds)
    ]
    head = ("tree", "run", "idemlint", "Ruff", "median ratio", "memory")
    print(table([head, *(measure.cells() for measure in measures)]))
    start = start_of_version()
    print(f"\n`idemlint --version`: {start:.0f} ms over plain Python's start, of {_START} ms")
    is_kept = start <= _START and all(measure.is_kept for measure in measures)
    return 0 if is_kept or not arguments.bounds else 1


def installed(requirements: Path) -> Path:
    """The folder into which the packages of a list are installed, once, without what they need."""
    tree = Path(tempfile.gettempdir(), f"idemlint-tree-{requirements.stem}")
    done = tree / ".done"
    if not done.exists():
        command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(tree)]
        subprocess.run([*command, "-r", str(requirements)], check=True)
        done.touch()
    return tree


def measured(name: str, tree: Path, rounds: int) -> list[Measure]:
    """Both commands in turn: without a cache, then with caches that a run before has filled."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        caches = [f"--cache-dir={folder}/{command}" for command in ("idemlint", "ruff")]
        for state, (ours, ruffs) in (("first", ("-n", "-n")), ("later", caches)):
            commands = (
                ["idemlint", "check", "--isolated", "--exit-zero", "-q", ours, str(tree)],
                [
                    "ruff",
                    "check",
                    "--isolated",
                    "--exit-zero",
                    "-q",
                    "--select=F,B",
                    ruffs,
                    str(tree),
                ],
            )
            measure = Measure(name, state)
            for command in commands:
                run(command)
            for _ in range(rounds):
                (seconds, memory), (of_ruff, _) = map(run, commands)
                measure.pairs.append((seconds, of_ruff))
                measure.memory = max(measure.memory, memory)
            found.append(measure)
    return found


def run(command: list[str]) -> tuple[float, float]:
    """The seconds that a command takes, and the most that its processes hold together, in MB."""
    held = [0.0]
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        watching = threading.Thread(target=watch, args=(process, held))
        watching.start()
        process.wait()
        seconds = time.perf_counter() - began
        watching.join()
    if process.returncode:
        sys.exit(f"`{command[0]}` ended with {process.returncode}")
    return seconds, held[0]


def watch(process: subprocess.Popen[bytes], held: list[float]) -> None:
    """Look at the memory of a process and its children until it ends; only Linux tells."""
    while process.poll() is None:
        held[0] = max(held[0], sum(map(share_of, family_of(process.pid))))
        time.sleep(_EVERY)


def family_of(pid: int) -> list[int]:
    """A process and all below it."""
    family = [pid]
    for parent in family:
        try:
            listed = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
        except OSError:
            continue
        family += map(int, listed.split())
    return family


def share_of(pid: int) -> float:
    """What a process holds, in MB; what several share is divided between them."""
    try:
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024


def start_of_version(rounds: int = 20) -> float:
    """How many milliseconds `idemlint --version` takes longer than an empty Python, median."""
    times: dict[str, list[float]] = {"ours": [], "plain": []}
    for _ in range(rounds):
        for name, command in (
            ("ours", ["idemlint", "--version"]),
            ("plain", [sys.executable, "-c", ""]),
        ):
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ)
            times[name].append(time.perf_counter() - began)
    return 1000 * (statistics.median(times["ours"]) - statistics.median(times["plain"]))


def table(rows: list[tuple[str, ...]]) -> str:
    """Rows of cells, the first one being the head, as a table of Markdown."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
