"""OP-3: the same content is the same object, however often and by whomever it is written."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Pages

CONTENT = b"content" * 10_000
NAME = hashlib.sha256(CONTENT).hexdigest()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "store"
    made.mkdir()
    return made


def test_a_file_is_written_once(pages: Pages, folder: Path) -> None:
    block = pages.load("OP-3", "Files")
    first = block.put(folder, CONTENT)
    written_at = first.stat().st_mtime_ns
    assert block.put(folder, CONTENT) == first
    assert first.stat().st_mtime_ns == written_at
    assert first.read_bytes() == CONTENT
    block.put(folder, b"other content")
    assert len(names(folder)) == 2


def test_eight_writers_at_once_write_one_file(pages: Pages, folder: Path) -> None:
    block, together = pages.load("OP-3", "Files"), threading.Barrier(8)

    def put(_: int) -> Path:
        together.wait()
        path = block.put(folder, CONTENT)
        assert isinstance(path, type(folder))
        return path

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(put, range(8))) == {folder / NAME}
    assert names(folder) == [NAME]


@pytest.mark.parametrize("step", ["os.fsync", "os.link"])
def test_a_crash_leaves_no_half_file_under_the_name(step: str, pages: Pages, folder: Path) -> None:
    script = f"from pathlib import Path\n{step} = die\nblock.put(Path({str(folder)!r}), b'content')"
    pages.crash("OP-3", "Files", script)
    (left,) = names(folder)
    assert left.endswith(".tmp")
    path = pages.load("OP-3", "Files").put(folder, b"content")
    assert path.read_bytes() == b"content"


@pytest.fixture
def bucket(aws: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    s3 = aws.client("s3")
    s3.create_bucket(Bucket="artifacts")
    versioning = {"Status": "Enabled"}
    s3.put_bucket_versioning(Bucket="artifacts", VersioningConfiguration=versioning)
    monkeypatch.setenv("BUCKET", "artifacts")
    return s3


def test_an_object_is_written_once(pages: Pages, bucket: Any) -> None:
    block = pages.load("OP-3", "S3")
    assert block.put(CONTENT) == block.put(CONTENT) == NAME
    versions = bucket.list_object_versions(Bucket="artifacts")["Versions"]
    assert [version["Key"] for version in versions] == [NAME]
    assert bucket.get_object(Bucket="artifacts", Key=NAME)["Body"].read() == CONTENT


def test_another_refusal_is_not_taken_for_a_repeat(
    pages: Pages, bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUCKET", "no-such-bucket")
    with pytest.raises(bucket.exceptions.NoSuchBucket):
        pages.load("OP-3", "S3").put(CONTENT)


def test_a_document_is_stored_once_whatever_the_order_of_its_fields(
    pages: Pages, tmp_path: Path
) -> None:
    block = pages.load("OP-3", "SQLite")
    name = block.put({"to": "ada", "body": "hello"})
    assert block.put({"body": "hello", "to": "ada"}) == name
    assert block.put({"body": "bye", "to": "ada"}) != name
    with closing(sqlite3.connect(tmp_path / "database.sqlite3")) as database:
        assert database.execute("SELECT count(*) FROM documents").fetchone() == (2,)
