"""Writing files: whole or not at all, with the rights that they had."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from idemlint.fixes.writing import WriteError, Written, write_file, write_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Makes a file one that this process may not write, whoever runs the tests."""
    refused: set[str] = set()
    may = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: str(path) not in refused and may(path, mode)
    )
    return lambda path: refused.add(str(path))


posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "a.py").write_bytes(b"a\n")
    (folder / "b.py").write_bytes(b"b\n")
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_content_is_replaced_byte_for_byte(tree: Path) -> None:
    write_file(tree / "a.py", b"x\r\n\xef", tree=tree)
    assert (tree / "a.py").read_bytes() == b"x\r\n\xef"
    assert names(tree) == ["a.py", "b.py"]


@posix
def test_the_mode_stays(tree: Path) -> None:
    for mode in (0o755, 0o600, 0o640, 0o2755):
        (tree / "a.py").chmod(mode)
        write_file(tree / "a.py", b"x\n", tree=tree)
        assert stat.S_IMODE((tree / "a.py").stat().st_mode) == mode


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
def test_the_owner_stays(tree: Path) -> None:
    os.chown(tree / "a.py", 12345, 23456)
    write_file(tree / "a.py", b"x\n", tree=tree)
    status = (tree / "a.py").stat()
    assert (status.st_uid, status.st_gid) == (12345, 23456)


def test_a_read_only_file_is_left_alone(tree: Path, read_only: Callable[[Path], None]) -> None:
    read_only(tree / "a.py")
    with pytest.raises(WriteError, match=r"a\.py was not written: it is read-only$"):
        write_file(tree / "a.py", b"x\n", tree=tree)
    assert (tree / "a.py").read_bytes() == b"a\n"
    assert names(tree) == ["a.py", "b.py"]


def test_a_file_that_is_gone_is_not_made_anew(tree: Path) -> None:
    with pytest.raises(WriteError, match=r"c\.py was not written: No such file or directory$"):
        write_file(tree / "c.py", b"x\n", tree=tree)
    assert names(tree) == ["a.py", "b.py"]


def test_a_folder_is_refused(tree: Path) -> None:
    (tree / "d.py").mkdir()
    with pytest.raises(WriteError, match=r"d\.py was not written: it is not a regular file$"):
        write_file(tree / "d.py", b"x\n", tree=tree)


def test_a_file_that_has_changed_meanwhile_is_left_alone(tree: Path) -> None:
    with pytest.raises(WriteError, match=r"it has changed since it was checked$"):
        write_file(tree / "a.py", b"x\n", tree=tree, before=b"other\n")
    assert (tree / "a.py").read_bytes() == b"a\n"
    write_file(tree / "a.py", b"x\n", tree=tree, before=b"a\n")
    write_file(tree / "a.py", b"x\n", tree=tree, before=b"a\n")
    assert (tree / "a.py").read_bytes() == b"x\n"


@posix
def test_a_link_inside_the_tree_is_written_through(tree: Path) -> None:
    (tree / "folder").mkdir()
    link = tree / "folder" / "link.py"
    link.symlink_to(tree / "a.py")
    write_file(link, b"x\n", tree=tree)
    assert link.is_symlink()
    assert (tree / "a.py").read_bytes() == b"x\n"


@posix
def test_a_link_out_of_the_tree_is_refused(tree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_bytes(b"o\n")
    (tree / "link.py").symlink_to(outside)
    (tree / "folder").symlink_to(tmp_path)
    for path in (tree / "link.py", tree / "folder" / "outside.py"):
        with pytest.raises(WriteError, match=r"it is a link to .*outside\.py, outside of"):
            write_file(path, b"x\n", tree=tree)
    assert outside.read_bytes() == b"o\n"


@posix
def test_a_file_outside_the_tree_is_written_but_no_link_there(tree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_bytes(b"o\n")
    write_file(outside, b"x\n", tree=tree)
    assert outside.read_bytes() == b"x\n"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "link.py").symlink_to(outside)
    with pytest.raises(WriteError, match="it is a link to"):
        write_file(elsewhere / "link.py", b"y\n", tree=tree)


@posix
def test_a_tree_that_is_reached_by_a_link_is_one_tree(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(tree)
    write_file(tmp_path / "alias" / "a.py", b"x\n", tree=tmp_path / "alias")
    assert (tree / "a.py").read_bytes() == b"x\n"


@posix
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes everywhere"
)
def test_a_folder_that_takes_no_files_is_an_error(tree: Path) -> None:
    tree.chmod(0o555)
    try:
        with pytest.raises(WriteError, match=r"a\.py was not written: Permission denied$"):
            write_file(tree / "a.py", b"x\n", tree=tree)
    finally:
        tree.chmod(0o755)


def test_what_can_be_written_is_written(tree: Path, read_only: Callable[[Path], None]) -> None:
    read_only(tree / "a.py")
    contents = {tree / "b.py": b"x\n", tree / "a.py": b"y\n"}
    done = write_files(contents, tree=tree)
    assert done == Written(
        (tree / "b.py",),
        (tree / "a.py",),
        (f"{tree / 'a.py'} was not written: it is read-only",),
    )
    assert (tree / "b.py").read_bytes() == b"x\n"


def test_linked_files_are_written_all_or_none(
    tree: Path, read_only: Callable[[Path], None]
) -> None:
    (tree / "c.py").write_bytes(b"c\n")
    read_only(tree / "b.py")
    linked = [frozenset({tree / "a.py", tree / "b.py", tree / "unchanged.py"})]
    contents = {tree / name: b"x\n" for name in ("a.py", "b.py", "c.py")}
    done = write_files(contents, tree=tree, linked=linked)
    assert done.written == (tree / "c.py",)
    assert done.refused == (tree / "a.py", tree / "b.py")
    assert (tree / "a.py").read_bytes() == b"a\n"
    assert names(tree) == ["a.py", "b.py", "c.py"]


def test_files_are_compared_with_what_was_read(tree: Path) -> None:
    before = {tree / "a.py": b"a\n", tree / "b.py": b"other\n"}
    done = write_files(dict.fromkeys(before, b"x\n"), tree=tree, read=before.get)
    assert (done.written, done.refused) == ((tree / "a.py",), (tree / "b.py",))
