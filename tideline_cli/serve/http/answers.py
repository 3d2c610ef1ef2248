"""What a command says to the HTTP door, and what the door says to a client."""

from __future__ import annotations

from tideline_cli.model.codec import dumps
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Ask = Callable[[str, list[str], Mapping[str, Any]], "Printed"]
    """Runs a command with words and options as they are typed, and returns what it said."""

JSON = "application/json; charset=utf-8"
HTML = "text/html; charset=utf-8"


@record
class Printed:
    """What a command said with `--json`: its exit code, its line on stdout (empty where there is
    none), and the objects on stderr: notes, warnings, an error."""

    code: int
    text: str
    notes: tuple[dict[str, Any], ...] = ()

    @property
    def error(self) -> dict[str, Any] | None:
        """Return the error, None where the command has answered."""
        return next((note["error"] for note in self.notes if "error" in note), None)


@record
class HttpReply:
    """An answer over HTTP. `headers` are beside those that every answer has."""

    status: int
    body: bytes = b""
    type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


_STATUS = {0: 200, 1: 200, 2: 400, 3: 404, 4: 403, 5: 500, 6: 503, 73: 500, 75: 503}
"""The HTTP status of each exit code; 1 is an answer in which nothing was found."""


def status_of(said: Printed) -> int:
    """Return the HTTP status of what a command said."""
    return _STATUS.get(said.code, 500)


def failed_reply(status: int, code: str, message: str, hint: str = "") -> HttpReply:
    """Return an error in the form that commands print."""
    form = {"error": {"code": code, "message": message, "hint": hint}}
    return HttpReply(status, dumps(form).encode() + b"\n")
