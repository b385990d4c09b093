"""`idemlint server`: the language server."""

from __future__ import annotations

import importlib
from typing import Any

from idemlint.config.errors import ConfigError
from idemlint.hosts.command import Command
from idemlint.hosts.usage import Option

__all__ = ["command"]


def _run(preview: bool, **shared: Any) -> int:
    try:
        # by its name: the server stands on the other hosts, whose arguments and pages it takes
        app = importlib.import_module("idemlint.server.app")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"pygls", "lsprotocol"}:
            raise
        install = "run `pip install 'idemlint[server]'`"
        reason = f"`idemlint server` needs the package `{error.name}`: {install}"
        raise ConfigError(reason) from None
    return app.run_server(preview=preview)  # type: ignore[no-any-return]


command = Command(
    name="server",
    help="Run the language server",
    callback=_run,
    params=[
        Option(["--preview"], is_flag=True, help="Enable preview mode"),
    ],
)
