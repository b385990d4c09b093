"""The part of PEP 440 that the configuration needs."""

from __future__ import annotations

import re

__all__ = ["VersionError", "check_specifier", "is_allowed", "oldest_python"]

_CLAUSE = re.compile(
    r"\s*(?P<operator>~=|===|==|!=|<=|>=|<|>)\s*"
    r"(?P<version>v?\d+(?:\.\d+)*)(?P<suffix>[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?"
    r"(?P<late>(?:\.?post\d*)?(?:\.?dev\d*)?(?:\+[a-z0-9.]+)?)(?P<star>\.\*)?\s*",
    re.IGNORECASE,
)
_LOWER_BOUNDS = ("~=", "===", "==", ">=", ">")
_WITH_STAR = ("==", "!=")

_Clause = tuple[str, tuple[int, ...], bool, bool]
"""Operator, release, whether it is a pre-release, whether `.*` follows."""


class VersionError(ValueError):
    """A text that is no version specifier."""


def check_specifier(text: str) -> None:
    """Raise `VersionError` unless `text` is a version, or clauses such as `>=0.1,<2`."""
    _clauses(text)


def is_allowed(version: str, specifier: str) -> bool:
    """Whether a release such as `0.1.0` meets a specifier; a bare version is met by itself."""
    release, is_early = _release(version)
    return all(_holds(release, is_early, clause) for clause in _clauses(specifier))


def oldest_python(specifier: str) -> tuple[int, int] | None:
    """The lowest bound that `requires-python` names, as (major, minor); `None` without one.

    `>3.9` yields 3.9, as with Ruff. Raises `VersionError`.
    """
    bounds = [
        (*release, 0)[:2]
        for operator, release, _, _ in _clauses(specifier)
        if operator in _LOWER_BOUNDS
    ]
    major, minor = min(bounds, default=(0, 0))
    return (major, minor) if major else None


def _clauses(text: str) -> list[_Clause]:
    if re.fullmatch(r"\s*v?\d[\w.+-]*\s*", text):
        text = f"=={text.strip()}"
    return [_clause(part) for part in text.split(",") if part.strip()]


def _clause(text: str) -> _Clause:
    matched = _CLAUSE.fullmatch(text)
    if matched is None or (matched["star"] and matched["operator"] not in _WITH_STAR):
        raise VersionError(text.strip())
    release = _numbers(matched["version"])
    if matched["operator"] == "~=" and len(release) < 2:
        raise VersionError(text.strip())
    return matched["operator"], release, bool(matched["suffix"]), bool(matched["star"])


def _holds(release: tuple[int, ...], is_early: bool, clause: _Clause) -> bool:
    operator, wanted, wanted_early, has_star = clause
    size = max(len(release), len(wanted))
    # A pre-release comes before its release.
    mine = (*release, *(0,) * (size - len(release)), -1 if is_early else 0)
    bound = (*wanted, *(0,) * (size - len(wanted)), -1 if wanted_early else 0)
    if operator == "~=":
        return mine >= bound and mine[: len(wanted) - 1] == wanted[:-1]
    if operator in {"==", "===", "!="}:
        is_same = mine[: len(wanted)] == wanted if has_star else mine == bound
        return is_same is not (operator == "!=")
    if operator in {"<=", ">="}:
        return mine <= bound if operator == "<=" else mine >= bound
    return mine < bound if operator == "<" else mine > bound


def _release(version: str) -> tuple[tuple[int, ...], bool]:
    _, release, is_early, _ = _clause(f"=={version}")
    return release, is_early


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.lstrip("vV").split(".")))
