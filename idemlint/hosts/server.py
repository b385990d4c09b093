"""`idemlint server`: the language server."""

from __future__ import annotations

from typing import Any, NoReturn

from idemlint.config.errors import ConfigError
from idemlint.hosts.command import Command
from idemlint.hosts.usage import Option

__all__ = ["command"]


def _run(preview: bool, **shared: Any) -> NoReturn:
    try:
        from idemlint.server.app import run_server
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"pygls", "lsprotocol"}:
            raise
        install = "run `pip install 'idemlint[server]'`"
        reason = f"`idemlint server` needs the package `{error.name}`: {install}"
        raise ConfigError(reason) from None
    run_server(preview=preview)


command = Command(
    name="server",
    help="Run the language server",
    callback=_run,
    params=[
        Option(["--preview"], is_flag=True, help="Enable preview mode"),
    ],
)
