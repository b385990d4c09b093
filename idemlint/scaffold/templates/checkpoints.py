"""What the block of a checkpoint works with."""

from __future__ import annotations

import json
from typing import Any

from idemlint.scaffold.templates.records import Record, moment


class Checkpoint:
    """A call inside its block: act only if it is no `was_replay`, and assign the `result`."""

    def __init__(self, record: Record, is_ours: bool) -> None:
        self.was_replay = not is_ours
        self.called_at = moment(record.created_at)
        self._result: Any = json.loads(record.result)

    @property
    def result(self) -> Any:
        """What the block assigned, or had assigned when it ran."""
        return self._result

    @result.setter
    def result(self, value: object) -> None:
        if self.was_replay:
            raise RuntimeError("the effect ran again: act only `if not call.was_replay`")
        self._result = value
