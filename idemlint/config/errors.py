"""Errors of the configuration, worded as a chain of causes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ConfigError", "TomlError"]


class ConfigError(Exception):
    """A configuration that cannot be used; `causes` lead from the outermost to the innermost."""

    def __init__(self, *causes: str) -> None:
        super().__init__(*causes)
        self.causes = causes

    def within(self, cause: str) -> ConfigError:
        """The same error with `cause` told first."""
        return ConfigError(cause, *self.causes)

    def __str__(self) -> str:
        lines = ["idemlint failed", *(f"  Cause: {cause}" for cause in self.causes)]
        return "\n".join(lines)


@dataclass(frozen=True)
class TomlError(Exception):
    """A mistake at a place of a TOML text; `row` and `column` are 1-based, `width` is at least 1.

    `row` is 0 where there is no text. `context` is the dotted name of what holds the place, empty
    at the top, and `tip` a sentence that names what was probably meant.
    """

    row: int
    column: int
    width: int
    line: str
    reason: str
    context: str = ""
    tip: str = ""

    def __str__(self) -> str:
        if not self.row:
            return self.frameless
        number = str(self.row)
        gutter = " " * len(number)
        frame = [
            f"TOML parse error at line {self.row}, column {self.column}",
            f"{gutter} |",
            f"{number} | {self.line}",
            f"{gutter} | {' ' * (self.column - 1)}{'^' * self.width}",
            self.reason,
        ]
        return "\n".join(frame) + "\n" + (f"\n  tip: {self.tip}\n" if self.tip else "")

    @property
    def frameless(self) -> str:
        """The mistake told without a line of text around it."""
        lines = [self.reason]
        if self.context:
            lines.append(f"in `{self.context}`")
        if self.tip:
            lines += ["", f"  tip: {self.tip}"]
        return "\n".join(lines)
