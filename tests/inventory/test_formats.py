"""The formats of the inventory."""

from __future__ import annotations

import html.parser
import re
from typing import TYPE_CHECKING

import pytest

from idemlint.output import inventory_format_names

if TYPE_CHECKING:
    from conftest import Shop

TABLE = """\
  NAME         FRAMEWORK                  EFFECT                             KEY                         GUARD  AGAIN ON   CURE                PLACE

unguarded (3): a repeat does it a second time
  ask          langgraph node             sends a message through resend     -                           none   pause +4   OP-6 IDM201 IDM501  shop/desk.py:8
      → resend.Emails.send :9
      ↻ starts again when the pause `interrupt` is answered :10
  refund_card  langchain                  moves money through stripe         none                        none   call       OP-1 IDM401         shop/tools.py:19
      → send_back :21 → stripe.Refund.create shop/payments.py:7
  push         tenacity retried function  sends a POST to hooks.example.com  -                           none   retry      OP-1 IDM204         shop/worker.py:8
      → requests.post :9
      ↻ `@retry` runs it again :7

weak (1): has a guard that can fail, or that covers a part
  capture      langchain                  moves money through stripe         idempotency_key (optional)  key    call       OP-7 IDM402         shop/tools.py:37
      → stripe.PaymentIntent.create :39
        guard: `idempotency_key` gets `idempotency_key`

opaque (1): what it does could not be resolved
  sync_ledger  langchain                  not resolved                       none                        -      call       OP-8                shop/tools.py:25
      ? acme_ledger.Client().sync :27: a library that no row describes

accepted (1): has findings, all of them silenced where they stand
  ping         langchain                  sends a POST to hooks.example.com  none                        none   call       OP-8 (IDM401)       shop/tools.py:43
      → requests.post :45

guarded (1): a repeat is recognised
  charge_card  langchain                  moves money through stripe         idempotency_key (required)  key    call       -                   shop/tools.py:12
      → stripe.PaymentIntent.create :14
        guard: `idempotency_key` gets `idempotency_key`

no-effect (2): reads or computes only
  note         langgraph node             no effect found                    -                           -      resume +3  -                   shop/desk.py:13
  list_orders  langchain                  reads                              none                        -      call       -                   shop/tools.py:31

9 entries: 3 unguarded, 1 weak, 1 opaque, 1 accepted, 1 guarded, 2 without effect.
Effects fully resolved: 8 of 9 (88.9%).
"""  # noqa: E501


class Outline(html.parser.HTMLParser):
    """The elements of a page, their texts, and whether each that is opened is closed."""

    VOID = ("meta", "input", "link", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.ids: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attrs:
            self.attributes.append((name, value or ""))
            if name == "href":
                self.links.append(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_formats() -> None:
    assert inventory_format_names() == ("html", "json", "markdown", "table")


def test_the_table(shop: Shop) -> None:
    result = shop.tools()
    assert (result.code, result.err) == (0, "")
    assert result.out == TABLE


def test_the_table_in_colours(shop: Shop) -> None:
    result = shop.tools("--color", "always")
    assert "\x1b[" in result.out
    assert re.sub(r"\x1b\[[0-9;]*m", "", result.out) == TABLE


def test_quiet_leaves_the_summary_out(shop: Shop) -> None:
    assert shop.tools("-q").out == TABLE.rpartition("\n9 entries")[0] + "\n"


def test_silent_writes_nothing(shop: Shop) -> None:
    result = shop.tools("-s", "--fail-on", "unguarded")
    assert (result.code, result.out, result.err) == (1, "", "")


def test_markdown_has_a_table_for_each_standing(shop: Shop) -> None:
    text = shop.tools("--output-format", "markdown").out
    heads = re.findall(r"^## (\S+(?: \S+)?) \((\d)\)", text, re.MULTILINE)
    assert heads == [
        ("Unguarded", "3"),
        ("Weak", "1"),
        ("Opaque", "1"),
        ("Accepted", "1"),
        ("Guarded", "1"),
        ("No effect", "2"),
    ]
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) == 9
    assert {row.count(" | ") for row in rows} == {8}
    assert "[IDM401](https://github.com/" in text
    assert "- `refund_card` → `send_back` (shop/tools.py:21) → `stripe.Refund.create`" in text


def test_the_page_stands_alone(shop: Shop) -> None:
    text = shop.tools("--output-format", "html").out
    outline = Outline(text)
    assert not [value for name, value in outline.attributes if name == "src"]
    assert not re.search(r"<(link|img|iframe)\b|@import|url\(|fetch\(|XMLHttpRequest", text)
    assert "default-src 'none'" in text


def test_the_page_groups_entries_and_draws_their_paths(shop: Shop) -> None:
    text = shop.tools("--output-format", "html").out
    outline = Outline(text)
    assert outline.ids == ["unguarded", "weak", "opaque", "accepted", "guarded", "no-effect"]
    assert text.count("<article") == 7
    assert text.count('<ol class="flow">') == 7
    start = text.index("<code>refund_card</code></div>")
    way = text[start : text.index("</ol>", start)]
    assert re.findall(r"<code>([^<]+)\(\)</code>", way) == ["send_back", "stripe.Refund.create"]
    assert "shop/payments.py:7" in way
    assert "a repeat does it again" in way
    assert "not known" in text


def test_the_page_links_to_rules_and_operations(shop: Shop) -> None:
    links = Outline(shop.tools("--output-format", "html").out).links
    pages = {link.rpartition("/")[2] for link in links if link.startswith("https://")}
    assert pages == {
        "IDM201-side-effect-before-interrupt.md",
        "IDM204-retried-side-effect.md",
        "IDM401-missing-key-parameter.md",
        "IDM402-optional-key-parameter.md",
        "IDM501-native-key-not-passed.md",
        "OP-1.md",
        "OP-6.md",
        "OP-7.md",
        "OP-8.md",
    }


@pytest.mark.parametrize("name", inventory_format_names())
def test_what_stands_in_the_code_cannot_break_a_format(shop: Shop, name: str) -> None:
    shop.write(
        "odd/tools.py",
        "import requests\nfrom langchain_core.tools import tool\n\n\n"
        '@tool("<script>|`a` \\x1b[31m*b*")\ndef act(x: str) -> str:\n'
        '    return requests.post("https://x.example.com/<b>", json={"x": x}).text\n',
    )
    result = shop.tools("odd", "--output-format", name)
    assert result.code == 0
    assert "\x1b" not in result.out
    if name == "html":
        Outline(result.out)
        assert "<script>|" not in result.out
    if name == "markdown":
        row = next(line for line in result.out.splitlines() if line.startswith("| `"))
        assert len(re.findall(r"(?<!\\)\|", row)) == 10


@pytest.mark.parametrize("name", inventory_format_names())
def test_a_project_without_entries(shop: Shop, name: str) -> None:
    shop.write("empty/code.py", "x = 1\n")
    result = shop.tools("empty", "--output-format", name)
    assert (result.code, result.err) == (0, "")
    assert ("No tools" in result.out) is (name != "json")


@pytest.mark.parametrize("name", inventory_format_names())
def test_a_format_in_a_file_is_that_on_the_screen(shop: Shop, name: str) -> None:
    shown = shop.tools("--output-format", name)
    result = shop.tools("--output-format", name, "-o", "out/inventory.txt", "--color", "always")
    assert (result.code, result.out) == (0, "")
    assert shop.read("out/inventory.txt") == shown.out


@pytest.mark.parametrize("name", inventory_format_names())
def test_a_second_run_writes_the_same(shop: Shop, name: str) -> None:
    first = shop.tools("--output-format", name)
    assert shop.tools("--output-format", name).out == first.out
