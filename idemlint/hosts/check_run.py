"""What `idemlint check` does: look, fix, report, and say by the exit code how it went."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from idemlint import linter
from idemlint.config.errors import ConfigError
from idemlint.config.loading import os_error_text
from idemlint.hosts.cache_folder import prepare_cache
from idemlint.hosts.console import Console, has_color, has_hyperlinks
from idemlint.hosts.inputs import (
    FileBytes,
    FileTexts,
    Inputs,
    find_inputs,
    is_stdin,
    renamed,
    resolver_for,
    stdin_input,
)
from idemlint.hosts.overrides import overrides_of
from idemlint.output.report import FixMode, OutputReport, emit
from idemlint.output.summary import in_baseline, not_shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from idemlint.config.discovery import Resolver
    from idemlint.diagnostic import Diagnostic
    from idemlint.fixes.apply import FixCount, FixResult
    from idemlint.hosts.baseline import Baseline
    from idemlint.hosts.check import CheckArguments
    from idemlint.hosts.progress import ProgressBar
    from idemlint.linter import Report, Target

__all__ = ["NOTHING_FOUND", "Check", "CheckRun", "Outcome", "run_check"]

NOTHING_FOUND = "No Python files found under the given path(s)"


class Check(Protocol):
    """Finds faults in files: `idemlint.linter.check`, or what stands in for it."""

    def __call__(
        self,
        targets: Sequence[Target],
        *,
        cache: bool,
        ignore_noqa: bool,
        searched: Sequence[str],
        progress: Callable[[int, int], None] | None = None,
    ) -> Report:
        """Check files as parts of their projects."""
        ...


def run_check(arguments: CheckArguments, check: Check = linter.check) -> int:
    """Run the command; returns its exit code."""
    run = CheckRun.started(arguments, check)
    if arguments.show_settings or arguments.show_files:
        return run.show()
    if arguments.add_noqa is not None:
        from idemlint.hosts.add_noqa import add_noqa

        return add_noqa(run, arguments.add_noqa)
    if arguments.update_baseline:
        return run.update_baseline()
    if arguments.watch:
        from idemlint.hosts.watch import watch

        return watch(run)
    # the process ends with the run, and frees all at once
    gc.disable()
    return run.once()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is left, what was fixed, and the texts that differ from those on the disk."""

    diagnostics: tuple[Diagnostic, ...]
    fixed: tuple[FixCount, ...]
    contents: Mapping[Path, bytes]


class CheckRun:
    """One call of `idemlint check`; with `--watch` its files are looked at again and again."""

    @classmethod
    def started(cls, arguments: CheckArguments, check: Check) -> CheckRun:
        """Read the configuration; raises `ConfigError`."""
        cwd = Path.cwd()
        resolver = resolver_for(arguments, overrides_of(arguments, cwd), cwd)
        return cls(arguments, resolver, Console(arguments.shared), check)

    def restarted(self) -> CheckRun:
        """The same run after a change of the configuration."""
        return self.started(self.arguments, self._check)

    def __init__(
        self, arguments: CheckArguments, resolver: Resolver, console: Console, check: Check
    ) -> None:
        self.arguments = arguments
        self.resolver = resolver
        self.console = console
        self.settings = resolver.root
        self._check = check
        self._baseline = _baseline(arguments, resolver.cwd)
        self._known_count = 0
        self._is_whole = True

    @property
    def fix_mode(self) -> FixMode:
        """What is done with fixes."""
        if self.arguments.diff:
            return FixMode.DIFF
        return FixMode.APPLY if self.settings.fix else FixMode.OFFER

    def inputs(self) -> Inputs:
        """The files or the text to check; warns where there are none."""
        if is_stdin(self.arguments):
            return stdin_input(self.arguments, self.resolver, self.console)
        inputs = find_inputs(self.arguments.files, self.resolver, self.console)
        if not inputs.files and not inputs.errors:
            self.console.warn(NOTHING_FOUND)
        return inputs

    def once(self) -> int:
        """Check, fix and report; returns the exit code."""
        inputs = self.inputs()
        outcome = self.outcome(inputs)
        self._report(inputs, outcome)
        if self._known_count:
            self.console.note(not_shown(self._known_count))
        return self._exit_code(outcome)

    def show(self) -> int:
        """Write the settings of the first file, or the paths of all files."""
        inputs = self.inputs()
        with self._stream(sys.stdout) as stream:
            if self.arguments.show_settings:
                from idemlint.hosts.show_settings import show_settings

                return show_settings(inputs, stream)
            for file in inputs.files:
                emit(stream, f"{file.path}\n")
        return 0

    def check(
        self, inputs: Inputs, contents: Mapping[Path, bytes] | None = None
    ) -> tuple[Diagnostic, ...]:
        """All findings that are not known, with `contents` in the place of the files on the disk."""
        found = self._all_findings(inputs, contents)
        if self._baseline is None:
            return found
        new = self._baseline.new_of(self._texts_of(inputs, found, contents))
        self._known_count = len(found) - len(new)
        return new

    def update_baseline(self) -> int:
        """Write what is found into the file of `--baseline`; the exit code is 0."""
        assert self._baseline is not None
        inputs = self.inputs()
        report = self._texts_of(inputs, self._all_findings(inputs), None)
        baseline = self._baseline.updated(report, (Path(target.path) for target in inputs.targets))
        baseline.write()
        self.console.note(in_baseline(len(baseline.known)))
        return 0

    def _texts_of(
        self,
        inputs: Inputs,
        found: tuple[Diagnostic, ...],
        contents: Mapping[Path, bytes] | None,
    ) -> OutputReport:
        texts = FileTexts(inputs, contents or {})
        return OutputReport(found, self.resolver.cwd, source=texts, cell_source=texts.cell)

    def _all_findings(
        self, inputs: Inputs, contents: Mapping[Path, bytes] | None = None
    ) -> tuple[Diagnostic, ...]:
        is_cached = self._has_cache(inputs)
        if is_cached:
            _prepare_caches(inputs.targets)
        targets = inputs.targets
        if contents:
            targets = tuple(
                replace(target, contents=contents.get(Path(target.path), target.contents))
                for target in targets
            )
        progress = self._progress()
        try:
            report = self._check(
                targets,
                cache=is_cached,
                ignore_noqa=self.arguments.ignore_noqa,
                searched=inputs.searched,
                **({"progress": progress} if progress is not None else {}),
            )
        except ValueError as error:
            from idemlint.knowledge.loader import KnowledgeError

            if isinstance(error, KnowledgeError):
                raise ConfigError(str(error)) from None
            raise
        finally:
            if progress is not None:
                progress.clear()
        for warning in report.warnings:
            self.console.warn(warning)
        for fault in report.faults:
            self.console.error(fault)
        self._is_whole = self._is_whole and not report.faults
        if not inputs.errors:
            return report.diagnostics
        found = (*report.diagnostics, *inputs.errors)
        return tuple(sorted(found, key=lambda diagnostic: diagnostic.sort_key))

    def output_report(
        self,
        inputs: Inputs,
        outcome: Outcome,
        stream: TextIO,
        *,
        is_quiet: bool = False,
    ) -> OutputReport:
        """What a format is given; with `is_quiet` it writes no summary."""
        color = self.has_color(stream)
        settings = self.settings
        texts = FileTexts(inputs, outcome.contents)
        return OutputReport(
            diagnostics=outcome.diagnostics,
            cwd=self.resolver.cwd,
            source=texts,
            cell_source=texts.cell,
            unsafe_fixes=settings.unsafe_fixes,
            fix_mode=self.fix_mode,
            fixed=outcome.fixed,
            show_fixes=settings.show_fixes,
            show_diagnostics=not (self.arguments.diff or settings.fix_only),
            color=color,
            hyperlinks=color and has_hyperlinks(stream),
            quiet=is_quiet or self.console.is_quiet,
        )

    def has_color(self, stream: TextIO) -> bool:
        """Whether to write colours; never into the file of `--output-file`."""
        return self.arguments.output_file is None and has_color(self.arguments.shared.color, stream)

    def _progress(self) -> ProgressBar | None:
        """A bar where somebody looks on, and nothing else is told there meanwhile."""
        options = self.arguments.shared
        if options.quiet or options.silent or options.verbose or self.arguments.watch:
            return None
        if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            return None
        from idemlint.hosts.progress import ProgressBar

        return ProgressBar(sys.stderr)

    def _has_cache(self, inputs: Inputs) -> bool:
        return not self.arguments.no_cache and inputs.stdin is None

    def outcome(self, inputs: Inputs) -> Outcome:
        """Check, and fix what is to be fixed."""
        diagnostics = self.check(inputs)
        if self.fix_mode is FixMode.OFFER:
            return Outcome(diagnostics, (), {})
        result = self._fixed(inputs, diagnostics)
        for message in result.messages:
            self.console.warn(message)
        if self.fix_mode is FixMode.DIFF or inputs.stdin is not None:
            return Outcome(result.diagnostics, result.fixed, result.contents)
        return self._written(inputs, result)

    def _fixed(self, inputs: Inputs, diagnostics: tuple[Diagnostic, ...]) -> FixResult:
        from idemlint.fixes.apply import apply_all

        return apply_all(
            diagnostics,
            FileBytes(inputs),
            lambda contents: self.check(inputs, contents),
            unsafe=bool(self.settings.unsafe_fixes),
        )

    def _written(self, inputs: Inputs, result: FixResult) -> Outcome:
        from idemlint.fixes.writing import write_files

        done = write_files(
            result.contents, tree=self.settings.root, linked=result.linked, read=FileBytes(inputs)
        )
        for message in done.messages:
            self.console.warn(message)
        if not done.refused:
            return Outcome(result.diagnostics, result.fixed, result.contents)
        fixed = tuple(entry for entry in result.fixed if entry.path not in done.refused)
        return Outcome(self.check(inputs), fixed, {})

    def _report(self, inputs: Inputs, outcome: Outcome) -> None:
        is_text_out = inputs.stdin is not None and self.fix_mode is not FixMode.OFFER
        with self._stream(sys.stdout) as stream:
            # as with Ruff the file is made, and left empty
            stream = sys.stderr if is_text_out else stream
            if self.fix_mode is FixMode.DIFF:
                self._write_diffs(inputs, outcome)
            elif is_text_out:
                self._write_source(inputs, outcome)
            if not self.arguments.shared.silent or self.arguments.statistics:
                self._write_findings(inputs, outcome, stream)

    def _write_findings(self, inputs: Inputs, outcome: Outcome, stream: TextIO) -> None:
        report = self.output_report(inputs, _as_shown(outcome, inputs), stream)
        name = self.settings.output_format
        if self.arguments.statistics:
            from idemlint.output.statistics import STATISTICS_FORMATS, render_statistics

            if name not in STATISTICS_FORMATS and report.diagnostics:
                shown = "".join(part.capitalize() for part in name.split("-"))
                raise ConfigError(f"Unsupported serialization format for statistics: {shown}")
            render_statistics(report, stream, as_json=name == "json")
            return
        from idemlint.output import renderer

        renderer(name)(report, stream)

    def _write_diffs(self, inputs: Inputs, outcome: Outcome) -> None:
        from idemlint.output.unified_diff import notebook_diff, unified_diff

        read = FileBytes(inputs)
        color = self.has_color(sys.stdout)
        notebooks = _notebooks(inputs) if outcome.contents else set()
        for path in sorted(outcome.contents):
            name = _shown(path, inputs, self.resolver.cwd)
            before, after = read(path) or b"", outcome.contents[path]
            if path in notebooks:
                diff = notebook_diff(name, _cells(path, before), _cells(path, after), color=color)
            else:
                texts = (before.decode(errors="replace"), after.decode(errors="replace"))
                diff = unified_diff(name, *texts, color=color)
            emit(sys.stdout, diff)

    def _write_source(self, inputs: Inputs, outcome: Outcome) -> None:
        data = inputs.stdin_bytes
        if inputs.stdin is not None:
            data = outcome.contents.get(inputs.stdin, data)
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    @contextlib.contextmanager
    def _stream(self, default: TextIO) -> Iterator[TextIO]:
        """The stream of the report: the file of `--output-file`, made with its folders."""
        name = self.arguments.output_file
        if name is None:
            yield default
            return
        path = Path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stream = path.open("w", encoding="utf-8", newline="")
        except (OSError, ValueError) as error:
            raise ConfigError(os_error_text(error)) from None
        with stream:
            yield stream

    def _exit_code(self, outcome: Outcome) -> int:
        arguments = self.arguments
        if arguments.exit_zero:
            return 0
        if not self._is_whole:
            return 1
        if arguments.diff:
            return int(bool(outcome.fixed))
        if arguments.exit_non_zero_on_fix and outcome.fixed:
            return 1
        return int(bool(outcome.diagnostics) and not self.settings.fix_only)


def _prepare_caches(targets: Sequence[Target]) -> None:
    # Thousands of files share a few settings, and paths are slow to compare.
    distinct = {id(target.settings): target.settings for target in targets}
    for folder in {settings.cache_dir for settings in distinct.values()}:
        prepare_cache(folder)


def _baseline(arguments: CheckArguments, cwd: Path) -> Baseline | None:
    """What is known; with `--update-baseline` the file need not be there."""
    if arguments.baseline is None:
        return None
    from idemlint.hosts.baseline import Baseline

    path = Path(os.path.normpath(cwd / arguments.baseline))
    if arguments.update_baseline and not path.exists():
        return Baseline(path)
    return Baseline.read(path)


def _notebooks(inputs: Inputs) -> set[Path]:
    paths = {Path(target.path): target.settings for target in inputs.targets}
    return {path for path, settings in paths.items() if settings.language_of(path) == "ipynb"}


def _cells(path: Path, data: bytes) -> dict[int, str]:
    from idemlint.source.notebooks import Notebook

    return {cell.number: cell.text for cell in Notebook.decode(path, data).cells}


def _as_shown(outcome: Outcome, inputs: Inputs) -> Outcome:
    """The outcome with standard input under the name that it was given."""
    old, new = inputs.stdin, inputs.shown
    if old is None or new is None:
        return outcome
    return replace(
        outcome,
        diagnostics=tuple(renamed(entry, old, new) for entry in outcome.diagnostics),
        fixed=tuple(
            replace(entry, path=new if entry.path == old else entry.path) for entry in outcome.fixed
        ),
    )


def _shown(path: Path, inputs: Inputs, cwd: Path) -> str:
    """A path in the header of a diff; empty for standard input without a name."""
    if inputs.stdin is not None and path == inputs.stdin:
        return "" if inputs.shown == Path("-") else str(inputs.shown)
    return os.fspath(path.relative_to(cwd) if path.is_relative_to(cwd) else path)
