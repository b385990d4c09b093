"""JUnit's XML, one suite a file and one failed case a finding."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.output.format_grouped import by_file
from idemlint.output.printable import printable
from idemlint.output.report import emit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic
    from idemlint.output.report import OutputReport

__all__ = ["render"]

_ENTITIES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
    | dict.fromkeys("\ufffe\uffff", "\N{REPLACEMENT CHARACTER}")
)
_PACKAGE = "org.idemlint"
_PASSED = """\
    <testsuite name="idemlint" tests="1" skipped="0" errors="0" failures="0" package="org.idemlint">
        <testcase name="No errors found" classname="idemlint"/>
    </testsuite>"""


def render(report: OutputReport, stream: TextIO) -> None:
    """Write the document; where nothing was found it holds one case that passed."""
    if report.show_diagnostics:
        emit(stream, "".join(f"{line}\n" for line in _document(report, report.diagnostics)))


def _document(report: OutputReport, shown: Sequence[Diagnostic]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    failures = len(shown)
    yield (
        f'<testsuites name="idemlint" tests="{failures or 1}" skipped="0"'
        f' failures="{failures}" errors="0">'
    )
    if not shown:
        yield _PASSED
    for path, found in by_file(shown).items():
        yield from _suite(report.full_path(path), found)
    yield "</testsuites>"


def _suite(path: str, found: Sequence[Diagnostic]) -> Iterator[str]:
    count = len(found)
    yield (
        f'    <testsuite name="{_xml(path)}" tests="{count}" skipped="0" errors="0"'
        f' failures="{count}" package="{_PACKAGE}">'
    )
    for diagnostic in found:
        yield from _case(str(Path(path).with_suffix("")), diagnostic)
    yield "    </testsuite>"


def _case(class_name: str, diagnostic: Diagnostic) -> Iterator[str]:
    """A failed case; in a notebook it has no place, as rows count from the top of a cell."""
    message, start = _xml(diagnostic.message), diagnostic.range.start
    place = text = ""
    if diagnostic.cell is None:
        place = f' line="{start.row}" column="{start.column}"'
        text = f"line {start.row}, col {start.column}, "
    name = _xml(f"{_PACKAGE}.{diagnostic.code}")
    yield f'        <testcase name="{name}" classname="{_xml(class_name)}"{place}>'
    yield "            <properties>"
    yield f'                <property name="severity" value="{diagnostic.severity.value}"/>'
    yield "            </properties>"
    yield f'            <failure message="{message}">{text}{message}</failure>'
    yield "        </testcase>"


def _xml(text: str) -> str:
    """`text` as the value of an attribute; XML has no form at all for most control characters."""
    return printable(text).translate(_ENTITIES)
