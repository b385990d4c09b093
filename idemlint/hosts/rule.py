"""`idemlint rule`: the page of a rule."""

from __future__ import annotations

import json
from typing import Any

import click

from idemlint import catalogue
from idemlint.hosts import completion
from idemlint.hosts.command import Command
from idemlint.hosts.linter import family_name
from idemlint.hosts.usage import Argument, OneOf, Option, UsageError, similar

__all__ = ["command", "page_text", "rule_data"]

_FENCE = "---\n"


def page_text(rule: catalogue.Rule) -> str:
    """The Markdown of a rule's page, without the data at its top."""
    text = rule.page.read_text(encoding="utf-8")
    return text.split(_FENCE, 2)[2].lstrip("\n")


def rule_data(rule: catalogue.Rule) -> dict[str, Any]:
    """What is known of a rule, in the fields of `ruff rule --output-format json`."""
    has_fix = rule.fix != "none"
    return {
        "name": rule.name,
        "code": rule.code,
        "linter": family_name(rule.code),
        "summary": rule.summary,
        "message_formats": [rule.message],
        "fix": f"Fix is {'sometimes' if has_fix else 'not'} available.",
        "fix_availability": "Sometimes" if has_fix else "None",
        "explanation": page_text(rule),
        "preview": rule.is_preview,
        "status": {rule.status.capitalize(): {"since": rule.since}},
        "category": rule.severity.value,
        "source_location": {"file": f"rules/{rule.page.name}", "line": 1},
    }


def _run(rule: str | None, all_rules: bool, output_format: str | None, **shared: Any) -> None:
    ctx = click.get_current_context()
    if rule is None and not all_rules:
        message = "the following required arguments were not provided:\n  <RULE|--all>"
        raise UsageError(message, ctx, "<RULE|--all>")
    if rule is not None and all_rules:
        raise UsageError("the argument '[RULE]' cannot be used with '--all'", ctx, "<RULE|--all>")
    is_json = output_format == "json"
    if rule is None:
        found = list(catalogue.rules().values())
        data: Any = [rule_data(entry) for entry in found]
    else:
        found = [_named(rule)]
        data = rule_data(found[0])
    if is_json:
        click.echo(json.dumps(data, indent=2), nl=False)
    else:
        click.echo("\n\n".join(page_text(entry).rstrip("\n") for entry in found))


def _named(name: str) -> catalogue.Rule:
    found = catalogue.rule(name)
    if found is None:
        known = [*catalogue.rules(), *(entry.name for entry in catalogue.rules().values())]
        raise UsageError(f"invalid value '{name}' for '[RULE]'{similar('value', name, known)}")
    return found


command = Command(
    name="rule",
    help="Explain a rule (or all rules)",
    usage="[OPTIONS] <RULE|--all>",
    callback=_run,
    params=[
        Argument(
            ["rule"],
            required=False,
            shell_complete=completion.rules,
            help="Rule to explain, by its code or its name",
        ),
        Option(["--all", "all_rules"], is_flag=True, help="Explain all rules"),
        Option(
            ["--output-format"],
            metavar="OUTPUT_FORMAT",
            type=OneOf(("text", "json")),
            help="Output format [default: text]",
        ),
    ],
)
