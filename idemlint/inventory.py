"""What is known of each entry of a project: its effects, its key, its guards, what replays it."""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from idemlint.diagnostic import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from idemlint.diagnostic import Diagnostic, Range

__all__ = [
    "CodePlace",
    "EffectRecord",
    "EffectState",
    "EntryRecord",
    "GuardRecord",
    "Inventory",
    "KeyRecord",
    "ReplayRecord",
    "Standing",
    "Step",
    "UnknownRecord",
]

_WEIGHTS = (
    "charge", "transfer", "send", "publish", "create", "upload", "update", "delete",
)  # fmt: skip
"""The classes of effects, the one that hurts most when it is repeated first."""
_MISSING_KEY = "IDM401"


class Standing(enum.Enum):
    """What a repeat of an entry does, the worst first."""

    UNGUARDED = "unguarded"
    WEAK = "weak"
    OPAQUE = "opaque"
    ACCEPTED = "accepted"
    GUARDED = "guarded"
    HARMLESS = "harmless"
    ONCE = "once"
    NO_EFFECT = "no-effect"

    @property
    def rank(self) -> int:
        """Its place in the order of risk, from 0."""
        return list(Standing).index(self)

    @property
    def summary(self) -> str:
        """What it says of an entry, as a phrase after its name."""
        return _SUMMARIES[self]


_SUMMARIES = {
    Standing.UNGUARDED: "a repeat does it a second time",
    Standing.WEAK: "has a guard that can fail, or that covers a part",
    Standing.OPAQUE: "what it does could not be resolved",
    Standing.ACCEPTED: "has findings, all of them silenced where they stand",
    Standing.GUARDED: "a repeat is recognised",
    Standing.HARMLESS: "a repeat changes nothing more",
    Standing.ONCE: "nothing runs it again as it is configured",
    Standing.NO_EFFECT: "reads or computes only",
}


class EffectState(enum.Enum):
    """What a second run of one effect does."""

    REPEATS = "repeats"
    GUARDED = "guarded"
    HARMLESS = "harmless"


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A place in a file, rows and columns from 1; in a notebook the rows are those of `cell`."""

    path: Path
    row: int
    column: int
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A call on the way from an entry to what it does; `function` is the one it stands in."""

    call: str
    function: str
    place: CodePlace


@dataclass(frozen=True, slots=True)
class GuardRecord:
    """What makes a repeat of an effect harmless; `holds` is false where it can fail."""

    kind: str
    text: str
    place: CodePlace
    holds: bool = True


@dataclass(frozen=True, slots=True)
class EffectRecord:
    """An effect that an entry can have; the last of `steps` is the call that does it.

    `does` is its class (charge, send, create, …), `target` the provider or store, `own` says that
    the store is the project's own, `takes` is the name of the provider's native key.
    """

    does: str
    phrase: str
    target: str
    own: bool
    takes: str
    state: EffectState
    steps: tuple[Step, ...]
    guard: GuardRecord | None = None

    @property
    def place(self) -> CodePlace:
        """Where the call stands."""
        return self.steps[-1].place

    @staticmethod
    def weight(does: str) -> int:
        """The place of a class of effects, 0 for the one that hurts most when it is repeated."""
        return _WEIGHTS.index(does) if does in _WEIGHTS else len(_WEIGHTS)


@dataclass(frozen=True, slots=True)
class UnknownRecord:
    """A call that could be an effect and could not be resolved: the last of `steps`, and why."""

    reason: str
    steps: tuple[Step, ...]

    @property
    def call(self) -> str:
        """The call, as it is written."""
        return self.steps[-1].call

    @property
    def place(self) -> CodePlace:
        """Where the call stands."""
        return self.steps[-1].place


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """The key among the parameters of a tool.

    `need` is required, optional or none; unknown where the parameters are, and n/a for what is no
    tool. `name` is empty where there is no key.
    """

    need: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ReplayRecord:
    """Something that runs an entry again; `place` is where the project says so, if it does.

    `causes` are its occasions in a word each: call, pause, resume, retry, redelivery, ….
    """

    text: str
    causes: tuple[str, ...]
    place: CodePlace | None = None


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """One entry. `kind` is tool, node, task, workflow, handler or retried function.

    `body` is the range of its function in the file of `place`, if it has one there. `reads` says
    that it looks into a store or sends a request that changes nothing. `operation` and `reason` are
    the pattern that applies and why. `findings` are what `check` reports on it, `silenced` what
    comments keep it from reporting.
    """

    name: str
    kind: str
    framework: str
    place: CodePlace
    key: KeyRecord
    effects: tuple[EffectRecord, ...] = ()
    unknown: tuple[UnknownRecord, ...] = ()
    replays: tuple[ReplayRecord, ...] = ()
    reads: bool = False
    body: Range | None = None
    operation: str = ""
    reason: str = ""
    findings: tuple[Diagnostic, ...] = ()
    silenced: tuple[Diagnostic, ...] = ()

    @property
    def effect_class(self) -> str:
        """Its worst effect, by class; else opaque, read or none."""
        does = {effect.does for effect in self.effects}
        worst = next((name for name in _WEIGHTS if name in does), "")
        if worst or does:
            return worst or "other"
        if self.unknown:
            return "opaque"
        return "read" if self.reads else "none"

    @property
    def is_resolved(self) -> bool:
        """Whether no call on the way could be an effect that is not known."""
        return not self.unknown

    @property
    def targets(self) -> tuple[str, ...]:
        """The providers and stores that its effects go to, once each."""
        return tuple(dict.fromkeys(effect.target for effect in self.effects))

    @property
    def guards(self) -> tuple[GuardRecord, ...]:
        """The guards of its effects, once each."""
        return tuple(dict.fromkeys(e.guard for e in self.effects if e.guard is not None))

    @property
    def main_effect(self) -> EffectRecord | None:
        """The effect to show first: the worst one of those that repeat, if any does."""
        return min(self.effects, key=self._effect_rank, default=None)

    def _effect_rank(self, effect: EffectRecord) -> tuple[bool, int]:
        return effect.state is not EffectState.REPEATS, EffectRecord.weight(effect.does)

    @property
    def causes(self) -> tuple[str, ...]:
        """The occasions on which it runs again, once each; what the project says itself first."""
        ordered = sorted(self.replays, key=lambda replay: replay.place is None)
        return tuple(dict.fromkeys(cause for replay in ordered for cause in replay.causes))

    @property
    def standing(self) -> Standing:
        """What a repeat of it does, as far as that is known."""
        states = {effect.state for effect in self.effects}
        is_missing = any(found.code == _MISSING_KEY for found in self.findings) or (
            not self.effects and bool(self.unknown) and self._has_errors
        )
        if self.silenced and not self.findings:
            return Standing.ACCEPTED
        if is_missing or EffectState.REPEATS in states:
            return self._repeating(states, is_missing=is_missing)
        if not self.effects:
            return Standing.OPAQUE if self.unknown else Standing.NO_EFFECT
        if self._can_fail():
            return Standing.WEAK
        return Standing.GUARDED if EffectState.GUARDED in states else Standing.HARMLESS

    def _repeating(self, states: set[EffectState], *, is_missing: bool) -> Standing:
        if is_missing:
            return Standing.UNGUARDED
        if not self.replays and not self.findings:
            return Standing.ONCE
        # a key that reaches one effect and not the next
        return Standing.WEAK if EffectState.GUARDED in states else Standing.UNGUARDED

    def _can_fail(self) -> bool:
        if any(not guard.holds for guard in self.guards):
            return True
        is_keyed = any(effect.state is EffectState.GUARDED for effect in self.effects)
        if self.key.need == "optional" and is_keyed:
            return True
        return self._has_errors

    @property
    def _has_errors(self) -> bool:
        return any(found.severity is Severity.ERROR for found in self.findings)

    @property
    def sort_key(self) -> tuple[int, str, int, int, int, str]:
        """By risk, then by place."""
        place = self.place
        return (
            self.standing.rank, str(place.path), place.cell or 0, place.row, place.column, self.name,
        )  # fmt: skip

    def with_findings(
        self, findings: Iterable[Diagnostic], silenced: Iterable[Diagnostic]
    ) -> EntryRecord:
        """The entry with what is reported on it, whose operation then counts."""
        kept = tuple(sorted(findings, key=lambda found: found.sort_key))
        hidden = tuple(sorted(silenced, key=lambda found: found.sort_key))
        told = [found for found in (*kept, *hidden) if found.operation]
        first = next((found for found in told if found.code == _MISSING_KEY), None)
        first = first or next(iter(told), None)
        if first is None:
            return replace(self, findings=kept, silenced=hidden)
        return replace(
            self,
            findings=kept,
            silenced=hidden,
            operation=first.operation,
            reason=first.reason,
        )


@dataclass(frozen=True, slots=True)
class Inventory:
    """The entries of a run, the riskiest first; `problems` say which files could not be read."""

    entries: tuple[EntryRecord, ...]
    problems: tuple[Diagnostic, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[Standing, int]:
        """How many entries stand where, each standing that occurs."""
        found = Counter(entry.standing for entry in self.entries)
        return {standing: found[standing] for standing in Standing if found[standing]}

    @property
    def resolved(self) -> int:
        """How many entries have effects that are fully resolved."""
        return sum(entry.is_resolved for entry in self.entries)

    @property
    def resolved_share(self) -> float:
        """The share of entries whose effects are fully resolved; 1 where there is none."""
        return self.resolved / len(self.entries) if self.entries else 1.0

    def with_problems(self, more: Iterable[Diagnostic]) -> Inventory:
        """The same with more files that could not be read."""
        return replace(self, problems=(*more, *self.problems))

    def groups(self) -> list[tuple[Standing, list[EntryRecord]]]:
        """The entries by their standing, the worst first."""
        return [
            (standing, [entry for entry in self.entries if entry.standing is standing])
            for standing in self.counts
        ]
