"""The frame of a page that stands alone: its style and its script are in it, nothing is loaded."""

from __future__ import annotations

import html
import re
from pathlib import Path

from idemlint.output.printable import printable

__all__ = ["coded", "escaped", "page"]

_CODE = re.compile(r"`([^`]+)`")


def escaped(text: str) -> str:
    """Text as HTML, safe in attributes too; what a browser would act upon becomes visible."""
    return html.escape(printable(text))


def coded(text: str) -> str:
    """Text as HTML, with what stands in backticks as code."""
    return _CODE.sub(r"<code>\1</code>", escaped(text))


def page(title: str, body: str) -> str:
    """A whole page."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="generator" content="idemlint">
<title>{escaped(title)}</title>
<style>{_part("page.css")}</style>
</head>
<body>
{body}
<script>{_part("page.js")}</script>
</body>
</html>
"""


def _part(name: str) -> str:
    """A file that stands beside this one, as it goes into the page."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8").strip()


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
