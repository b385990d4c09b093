"""Writing files so that none is ever seen half-written."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

__all__ = ["WriteError", "Written", "write_file", "write_files"]


class WriteError(Exception):
    """A file that was not written and is as it was; the text names it and says why."""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a set of files: those written, those left as they were, and why."""

    written: tuple[Path, ...] = ()
    refused: tuple[Path, ...] = ()
    messages: tuple[str, ...] = ()


def write_file(path: Path, data: bytes, *, tree: Path, before: bytes | None = None) -> None:
    """Replace the content of an existing file at once, keeping its mode and owner.

    A link is followed, but not from inside the folder `tree` to a file outside of it, nor out of
    its own folder where it does not lie in `tree`. With `before` the file must still have that
    content. Raises `WriteError`, also for a file that is read-only or whose owner cannot be kept.
    """
    _commit(_stage(path, data, tree, before))


def write_files(
    contents: Mapping[Path, bytes],
    *,
    tree: Path,
    linked: Iterable[frozenset[Path]] = (),
    read: Callable[[Path], bytes | None] = lambda path: None,
) -> Written:
    """Write all files that can be written, each as `write_file` does; `read` gives its `before`.

    Of a set in `linked` all files are written or none.
    """
    written: list[Path] = []
    refused: list[Path] = []
    messages: list[str] = []
    for group in _groups(contents, linked):
        left = list(group)
        with contextlib.ExitStack() as stack:
            staged = []
            try:
                for path in group:
                    entry = _stage(path, contents[path], tree, read(path))
                    stack.callback(entry.discard)
                    staged.append(entry)
                for entry in staged:
                    _commit(entry)
                    written.append(left.pop(0))
            except WriteError as error:
                messages.append(str(error))
                refused += left
    return Written(tuple(written), tuple(refused), tuple(messages))


@dataclass(frozen=True, slots=True)
class _Staged:
    """New content that lies ready beside the file which it will replace."""

    path: Path
    target: Path
    content: Path

    def discard(self) -> None:
        """Remove the new content, where it has not replaced the old one."""
        with contextlib.suppress(OSError):
            self.content.unlink()


def _groups(
    contents: Mapping[Path, bytes], linked: Iterable[frozenset[Path]]
) -> Iterator[list[Path]]:
    """The files to write, in order; those that are linked together."""
    sets = [sorted(paths & contents.keys()) for paths in linked]
    joined = {path for paths in sets for path in paths}
    yield from sorted([*filter(None, sets), *([path] for path in contents if path not in joined)])


def _stage(path: Path, data: bytes, tree: Path, before: bytes | None) -> _Staged:
    try:
        target = _target(path, tree)
        status = target.stat()
        _refuse_unwritable(path, target, status)
        if before is not None and target.read_bytes() not in (before, data):
            raise WriteError(f"{path} was not written: it has changed since it was checked")
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    except OSError as error:
        raise _failed(path, error) from None
    staged = _Staged(path, target, Path(name))
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        _copy_rights(staged, status)
    except OSError as error:
        staged.discard()
        raise _failed(path, error) from None
    except WriteError:
        staged.discard()
        raise
    return staged


def _commit(staged: _Staged) -> None:
    try:
        staged.content.replace(staged.target)
    except OSError as error:
        staged.discard()
        raise _failed(staged.path, error) from None


def _target(path: Path, tree: Path) -> Path:
    """The file that `path` names, behind all links."""
    given, bound = path.absolute(), tree.absolute()
    if not given.is_relative_to(bound):
        bound = given.parent
    target = given.resolve(strict=True)
    if not target.is_relative_to(bound.resolve()):
        raise WriteError(f"{path} was not written: it is a link to {target}, outside of {bound}")
    return target


def _refuse_unwritable(path: Path, target: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise WriteError(f"{path} was not written: it is not a regular file")
    # as for Ruff, the superuser may write where the mode says otherwise
    if not os.access(target, os.W_OK):
        raise WriteError(f"{path} was not written: it is read-only")


def _copy_rights(staged: _Staged, status: os.stat_result) -> None:
    """Give the new content the owner and the mode of the file, in this order: one clears bits."""
    own = staged.content.stat()
    if hasattr(os, "chown") and (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
        try:
            os.chown(staged.content, status.st_uid, status.st_gid)
        except OSError:
            reason = "it belongs to someone else, and its owner could not be kept"
            raise WriteError(f"{staged.path} was not written: {reason}") from None
    staged.content.chmod(stat.S_IMODE(status.st_mode))


def _failed(path: Path, error: OSError) -> WriteError:
    return WriteError(f"{path} was not written: {error.strerror or error}")
