"""OP-1: with the provider's own key a repeat is answered, and acts on nothing."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Pages
    from endpoint import Provider

HTTP_CLIENTS = ("httpx", "requests")


@pytest.fixture(params=HTTP_CLIENTS)
def client(request: pytest.FixtureRequest, pages: Pages, provider: Provider) -> Any:
    pytest.importorskip(str(request.param))
    return pages.load("OP-1", str(request.param))


def test_a_repeat_is_answered_and_does_nothing(client: Any, provider: Provider) -> None:
    first = client.create_invoice("ada", 500, "key")
    assert client.create_invoice("ada", 500, "key") == first
    assert len(provider.effects) == 1
    client.create_invoice("ada", 500, "other key")
    assert len(provider.effects) == 2


def test_a_retry_after_a_lost_answer_does_nothing(client: Any, provider: Provider) -> None:
    provider.lost_answers = 1
    assert client.create_invoice("ada", 500, "key")["id"] == "id-1"
    assert provider.keys == ["key", "key"]
    assert len(provider.effects) == 1


def test_a_retry_after_a_refusal_acts_once(client: Any, provider: Provider) -> None:
    provider.refusals = 2
    client.create_invoice("ada", 500, "key")
    assert provider.keys == ["key"] * 3
    assert len(provider.effects) == 1


def test_other_arguments_under_the_key_are_a_conflict(client: Any, provider: Provider) -> None:
    client.create_invoice("ada", 500, "key")
    with pytest.raises(Exception, match="409"):
        client.create_invoice("ada", 700, "key")
    assert len(provider.effects) == 1


def test_a_provider_that_ignores_the_key_acts_again(client: Any, provider: Provider) -> None:
    provider.honours_keys = False
    provider.lost_answers = 1
    client.create_invoice("ada", 500, "key")
    assert len(provider.effects) == 2


@pytest.mark.parametrize("name", HTTP_CLIENTS)
def test_a_process_that_dies_before_its_answer_can_be_repeated(
    name: str, pages: Pages, provider: Provider
) -> None:
    pytest.importorskip(name)
    call = "block.create_invoice('ada', 500, 'key')"
    dying = f"import {name}\n{name}.Response.json = die\n{call}"
    pages.crash("OP-1", name, dying)
    assert len(provider.effects) == 1
    again = pages.run("OP-1", name, f"print({call}['id'])")
    assert (again.stdout, again.stderr) == ("id-1\n", "")
    assert len(provider.effects) == 1


# Stripe.


@pytest.fixture
def stripe(pages: Pages, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("stripe")
    provider.conflict_status = 400
    monkeypatch.setenv("STRIPE_API_KEY", "sk_test_123")
    monkeypatch.setenv("STRIPE_API_URL", provider.url)
    return pages.load("OP-1", "Stripe")


def test_stripe_charges_once_for_a_key(stripe: Any, provider: Provider) -> None:
    assert stripe.charge("ada", 500, "key") == stripe.charge("ada", 500, "key") == "id-1"
    assert provider.keys == ["key", "key"]
    assert len(provider.effects) == 1


def test_stripe_refuses_another_amount_under_the_key(stripe: Any, provider: Provider) -> None:
    from stripe import IdempotencyError

    stripe.charge("ada", 500, "key")
    with pytest.raises(IdempotencyError):
        stripe.charge("ada", 700, "key")
    assert len(provider.effects) == 1


def test_stripes_own_key_is_new_at_each_call(stripe: Any, provider: Provider) -> None:
    intent = {"customer": "ada", "amount": 500, "currency": "eur"}
    for _ in range(2):
        stripe.client.v1.payment_intents.create(intent)
    assert len({*provider.keys, None}) == 3
    assert len(provider.effects) == 2


# AWS.


def test_a_queue_keeps_one_message_for_a_key(
    pages: Pages, aws: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sqs = aws.client("sqs")
    queue = sqs.create_queue(QueueName="mails.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
    monkeypatch.setenv("QUEUE_URL", queue)
    block = pages.load("OP-1", "SQS")
    for key in ("key", "key", "other key"):
        block.publish("hello", "group", key)
    wanted = sqs.get_queue_attributes(
        QueueUrl=queue, AttributeNames=["ApproximateNumberOfMessages"]
    )["Attributes"]
    assert wanted["ApproximateNumberOfMessages"] == "2"


# The key.


def test_a_key_is_the_same_for_one_intent_in_every_process(pages: Pages) -> None:
    block = pages.load("OP-1", "A key for one intent")
    key = block.key_for("turn-1", "send_email", to="ada", body="hello")
    assert block.key_for("turn-1", "send_email", body="hello", to="ada") == key
    script = (
        f"import sys; sys.path.insert(0, {str(pages.folder)!r}); import {block.__name__} as block;"
        "print(block.key_for('turn-1', 'send_email', to='ada', body='hello'))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == f"{key}\n"


@pytest.mark.parametrize(
    ("turn", "tool", "args"),
    [
        ("turn-2", "send_email", {"to": "ada", "body": "hello"}),
        ("turn-1", "send_letter", {"to": "ada", "body": "hello"}),
        ("turn-1", "send_email", {"to": "ada", "body": "bye"}),
    ],
)
def test_a_key_is_another_for_another_intent(
    pages: Pages, turn: str, tool: str, args: dict[str, str]
) -> None:
    block = pages.load("OP-1", "A key for one intent")
    key = block.key_for("turn-1", "send_email", to="ada", body="hello")
    assert block.key_for(turn, tool, **args) != key
