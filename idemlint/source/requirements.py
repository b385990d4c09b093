"""Which versions of a package a project can have, by its lock files and requirements."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["is_older"]

_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml")
_REQUIREMENTS = ("pyproject.toml", "requirements.txt", "setup.cfg", "setup.py", "Pipfile")
_MAX_FOLDERS = 6
_BOUND = re.compile(r"(==|===|~=|\^|<=|<)\s*v?(\d+)(?:\.(\d+))?")


def is_older(package: str, version: str, folder: Path) -> bool:
    """Whether the project around a folder is known to have a package from before a version.

    A lock file decides; else a requirement that allows nothing newer. What is not known is false.
    """
    limit = int(version.partition(".")[0])
    for text in _texts(folder, _LOCKS):
        locked = _locked(package, text)
        if locked is not None:
            return locked < limit
    for text in _texts(folder, _REQUIREMENTS):
        found = _required(package, text)
        if found is not None:
            return _is_below(found, limit)
    return False


@functools.lru_cache(maxsize=256)
def _texts(folder: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """The files of these names, those of the nearest folder first."""
    found = []
    for outer in (folder, *folder.parents)[:_MAX_FOLDERS]:
        for name in names:
            try:
                found.append((outer / name).read_text(encoding="utf-8", errors="replace"))
            except OSError:
                continue
        if found:
            break
    return tuple(found)


def _name(package: str) -> str:
    return "[-_.]".join(map(re.escape, re.split(r"[-_.]", package)))


def _locked(package: str, text: str) -> int | None:
    name = _name(package)
    found = re.search(rf'name = "{name}"\s*\nversion = "(\d+)', text, re.IGNORECASE) or re.search(
        rf'"{name}"\s*:\s*\{{[^}}]*?"version"\s*:\s*"==(\d+)', text, re.IGNORECASE | re.DOTALL
    )
    return int(found[1]) if found else None


def _required(package: str, text: str) -> str | None:
    """What is said of a package behind its name."""
    name = _name(package)
    found = re.search(
        rf"^[\s\"']*{name}(?:\[[^\]]*\])?[\"']?\s*((?:=\s*[\"'])?[=~<>!^][^#\n\"';]*)",
        text,
        re.IGNORECASE | re.MULTILINE,
    ) or re.search(rf"[\"']{name}(?:\[[^\]]*\])?\s*([=~<>!][^\"';]*)[\"']", text, re.IGNORECASE)
    return (
        found[1].lstrip("= \"'")
        if found and found[1].startswith("= ")
        else (found[1] if found else None)
    )


def _is_below(requirement: str, limit: int) -> bool:
    """Whether a requirement allows no version from `limit` on."""
    for operator, major, minor in _BOUND.findall(requirement):
        number = int(major)
        if operator in ("==", "===", "^", "<=") and number < limit:
            return True
        if operator == "~=" and number < limit:
            return True
        if operator == "<" and (number < limit or (number == limit and int(minor or 0) == 0)):
            return True
    return False
