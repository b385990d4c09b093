"""OP-5: an intent is acted on once, undone once, and settled by what the other side holds."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Pages
    from endpoint import Provider

httpx = pytest.importorskip("httpx")


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def store(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if name == "PostgreSQL":
        request.getfixturevalue("postgres")
    return name


@pytest.fixture
def block(store: str, pages: Pages, provider: Provider) -> Any:
    provider.honours_keys = False
    module = pages.load("OP-5", store)
    if hasattr(module, "create_table"):
        module.create_table()
    return module


def test_a_repeat_books_nothing(block: Any, provider: Provider) -> None:
    assert block.book("Lisbon", "key") == {"id": "id-1", "was_replay": False}
    assert block.book("Lisbon", "key") == {"id": "id-1", "was_replay": True}
    with pytest.raises(ValueError, match="other arguments"):
        block.book("Porto", "key")
    assert len(provider.effects) == 1


def test_a_booking_is_undone_once(block: Any, provider: Provider) -> None:
    block.book("Lisbon", "key")
    assert block.cancel("key") is True
    assert block.cancel("key") is False
    assert [effect["undos"] for effect in provider.effects] == [1]
    with pytest.raises(RuntimeError, match="undone"):
        block.book("Lisbon", "key")
    assert len(provider.effects) == 1


def test_a_lost_answer_is_found_again(block: Any, provider: Provider) -> None:
    provider.lost_answers = 1
    with pytest.raises(httpx.TransportError):
        block.book("Lisbon", "key")
    with pytest.raises(RuntimeError, match="pending"):
        block.book("Lisbon", "key")
    block.reconcile(60)
    with pytest.raises(RuntimeError, match="pending"):
        block.book("Lisbon", "key")
    block.reconcile(0)
    assert block.book("Lisbon", "key") == {"id": "id-1", "was_replay": True}
    assert len(provider.effects) == 1


def test_what_was_never_booked_is_free_again(block: Any, provider: Provider) -> None:
    provider.refusals = 1
    with pytest.raises(httpx.HTTPStatusError):
        block.book("Lisbon", "key")
    block.reconcile(0)
    assert block.book("Lisbon", "key")["was_replay"] is False
    assert len(provider.effects) == 1


def test_of_a_duplicate_the_first_stays(block: Any, provider: Provider) -> None:
    provider.lost_answers = 1
    with pytest.raises(httpx.TransportError):
        block.book("Lisbon", "key")
    provider.post({"name": "Lisbon", "reference": "key"}, None)
    block.reconcile(0)
    assert block.book("Lisbon", "key") == {"id": "id-1", "was_replay": True}
    assert [effect["undos"] for effect in provider.effects] == [0, 1]


WINDOWS = {
    "before the intent": ("die()", False, 0),
    "before the effect": ("block.httpx.post = die; block.book('Lisbon', 'key')", False, 0),
    "after the effect": ("block.httpx.Response.json = die; block.book('Lisbon', 'key')", True, 1),
    "after the record": ("block.book('Lisbon', 'key'); die()", True, 1),
}


@pytest.mark.parametrize("window", WINDOWS)
def test_no_crash_leads_to_a_second_booking(
    window: str, block: Any, store: str, pages: Pages, provider: Provider
) -> None:
    script, is_replay, effects = WINDOWS[window]
    pages.crash("OP-5", store, script)
    assert len(provider.effects) == effects
    if window in ("before the effect", "after the effect"):
        with pytest.raises(RuntimeError, match="pending"):
            block.book("Lisbon", "key")
        block.reconcile(0)
    assert block.book("Lisbon", "key")["was_replay"] is is_replay
    assert len(provider.effects) == 1


@pytest.mark.parametrize(
    ("script", "undos"),
    [
        ("block.httpx.delete = die; block.cancel('key')", 0),
        ("block.httpx.Response.raise_for_status = die; block.cancel('key')", 1),
    ],
)
def test_no_crash_leads_to_a_second_undoing(
    script: str, undos: int, block: Any, store: str, pages: Pages, provider: Provider
) -> None:
    block.book("Lisbon", "key")
    pages.crash("OP-5", store, script)
    assert provider.effects[0]["undos"] == undos
    assert block.cancel("key") is False
    with pytest.raises(RuntimeError, match="undoing"):
        block.book("Lisbon", "key")
    block.reconcile(0)
    assert block.cancel("key") is not bool(undos)
    assert provider.effects[0]["undos"] == 1


# The module that `idemlint scaffold` writes.


@pytest.fixture
def trip(pages: Pages, provider: Provider, scaffold: Any) -> Any:
    provider.honours_keys = False
    scaffold("OP-5", "saga")
    return pages.load("OP-5", "The module")


def settle_now(trip: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the job as if fifteen minutes had gone by."""
    with monkeypatch.context() as patched:
        patched.setattr(trip, "timedelta", lambda minutes: timedelta(0))
        assert trip.settle() == []


def test_a_trip_is_booked_once(trip: Any, provider: Provider) -> None:
    booked = trip.book_trip("LH1", "Ritz", "key")
    assert [booking["id"] for booking in booked] == ["id-1", "id-2"]
    assert trip.book_trip("LH1", "Ritz", "key") == booked
    assert len(provider.effects) == 2


def test_a_refused_hotel_undoes_the_flight_once(trip: Any, provider: Provider) -> None:
    provider.sold_out.add("Ritz")
    with pytest.raises(trip.RefusedError):
        trip.book_trip("LH1", "Ritz", "key")
    with pytest.raises(Exception, match="was undone"):
        trip.book_trip("LH1", "Ritz", "key")
    assert [(effect["name"], effect["undos"]) for effect in provider.effects] == [("LH1", 1)]


def test_a_trip_goes_on_after_a_lost_answer(
    trip: Any, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.lost_answers = 1
    with pytest.raises(httpx.TransportError):
        trip.book_trip("LH1", "Ritz", "key")
    assert trip.settle() == []
    with pytest.raises(Exception, match="has not ended"):
        trip.book_trip("LH1", "Ritz", "key")
    settle_now(trip, monkeypatch)
    booked = trip.book_trip("LH1", "Ritz", "key")
    assert [booking["id"] for booking in booked] == ["id-1", "id-2"]
    assert len(provider.effects) == 2
