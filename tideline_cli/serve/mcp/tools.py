"""The tools: what each is called, takes and answers, as clients read it; the arguments of a call,
checked, since a model may send anything; and what a server is given by whoever starts it."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.fact import SEGMENTS
from tideline_cli.model.record import record
from tideline_cli.model.time_words import meant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal, Protocol

    from apsw import Connection

    from tideline_cli.errors import TidelineError
    from tideline_cli.model.origin import Origin

    Kind = Literal["text", "ids", "count", "time", "choice", "flag"]

    class Door(Protocol):
        """One call's way to the memory: its origin and its settings are none of the caller's."""

        @property
        def viewer(self) -> Origin: ...

        @property
        def now(self) -> int: ...

        def setting(self, name: str, fallback: Any) -> Any: ...

        def scope(self, given: str | None) -> str | None: ...

        def scopes(
            self, given: str | None, *, everything: bool
        ) -> tuple[str | None, ...] | None: ...

        def agent(self, given: str | None) -> str | None: ...

        def reading(self) -> Connection | None: ...

        def writing(self) -> Connection: ...

        def reference(self, text: str) -> str: ...

        def call(self, *words: str) -> str: ...

        def close(self) -> None: ...

_TEXT = {"type": "string"}
_LIST = {"type": "array"}
_SEGMENTS = tuple(SEGMENTS)


@record
class Given:
    """An argument: what it may be, and for numbers and lists how many at most. The schema says
    less, since it goes with every request, and some clients cut it: the server checks by this. A
    choice with `help` is not listed there."""

    kind: Kind
    most: int = 0
    choices: tuple[str, ...] = ()
    help: str = ""

    def schema(self) -> dict[str, Any]:
        """Return the argument as JSON Schema."""
        told: dict[str, Any]
        match self.kind:
            case "count":
                told = {"type": "integer", "maximum": self.most}
            case "ids":
                told = {"type": "array", "items": _TEXT, "maxItems": self.most}
            case "flag":
                told = {"type": "boolean"}
            case "choice" if not self.help:
                told = {"type": "string", "enum": list(self.choices)}
            case _:
                told = dict(_TEXT)
        return told | ({"description": self.help} if self.help else {})


@record
class Tool:
    """A tool: its arguments by name, which of them are needed, what its result holds, and its four
    hints: it only reads, it destroys; the other two are the same for all."""

    name: str
    title: str
    description: str
    arguments: Mapping[str, Given]
    needed: tuple[str, ...]
    result: Mapping[str, Any]
    reads: bool = True
    destroys: bool = False

    def definition(self, *, as_text: bool) -> dict[str, Any]:
        """Return the tool as `tools/list` tells it; without a schema of its result where results
        are text alone."""
        told: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": {name: one.schema() for name, one in self.arguments.items()},
                **({"required": list(self.needed)} if self.needed else {}),
            },
            "annotations": {
                "readOnlyHint": self.reads,
                "destructiveHint": self.destroys,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }
        return told if as_text else told | {"outputSchema": self.result}


def _result(first: str, value: Mapping[str, Any], **more: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {first: value, **more}, "required": [first]}


_READING = (
    Tool(
        "recall",
        "Recall facts",
        "Find facts, best first, weak marked. show: whole texts.",
        {"query": Given("text"), "limit": Given("count", 25),
         "segment": Given("choice", choices=_SEGMENTS, help="such as project"),
         "since": Given("time", help="2026-11, 7d, yesterday"),
         "as_of": Given("time", help="what held then"),
         "sessions": Given("flag", help="also what was said")},
        ("query",),
        _result("hits", _LIST),
    ),
    Tool(
        "show",
        "Show facts",
        "All of some facts: text, labels, links, why in force.",
        {"ids": Given("ids", 10)},
        ("ids",),
        _result("facts", _LIST, missing=_LIST),
    ),
    Tool(
        "timeline",
        "Show changes",
        "What changed, newest first: of one fact, or between times; before and after.",
        {"id": Given("text"), "since": Given("time"), "until": Given("time"),
         "limit": Given("count", 50)},
        (),
        _result("changes", _LIST, more={"type": "boolean"}),
    ),
)  # fmt: skip
_WRITING = (
    Tool(
        "remember",
        "Remember a fact",
        "Store one lasting fact. A slot holds one value: a new one ends the old.",
        {"text": Given("text"), "segment": Given("choice", choices=_SEGMENTS),
         "slot": Given("text")},
        ("text",),
        _result("action", _TEXT, id=_TEXT),
        reads=False,
    ),
    Tool(
        "forget",
        "Forget facts",
        "Archive facts; a person can undo it, and reads the reason.",
        {"ids": Given("ids", 10), "reason": Given("text")},
        ("ids", "reason"),
        _result("archived", _LIST),
        reads=False,
        destroys=True,
    ),
)  # fmt: skip


def offered(*, writes: bool) -> dict[str, Tool]:
    """Return the tools that a server has, by name."""
    return {tool.name: tool for tool in (*_READING, *(_WRITING if writes else ()))}


WRITING = frozenset(tool.name for tool in _WRITING)
"""The tools that need the right to write."""


_LONGEST_TEXT = 16 * 1024  # characters; the store has a limit of its own for facts
_LONGEST_ID = 64


def checked(tool: Tool, given: Any) -> dict[str, Any]:
    """Return the arguments of a call by name, None for those that are not given; raise UsageError
    for what the tool does not take."""
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise UsageError("arguments must be an object")
    takes = ", ".join(tool.arguments)
    for name in given:
        if name not in tool.arguments:
            raise UsageError(f"unknown argument {name!r:.60}; {tool.name} takes {takes}")
    values = {
        name: None if given.get(name) is None else _checked_value(name, one, given[name])
        for name, one in tool.arguments.items()
    }
    for name in tool.needed:
        if values[name] is None:
            raise UsageError(f"{name} is missing; {tool.name} takes {takes}")
    return values


def instant_of(values: Mapping[str, Any], name: str, *, now: int, ends: bool = False) -> int | None:
    """Return the instant that an argument means: the beginning, or the end, of its day."""
    text = values[name]
    if text is None:
        return None
    try:
        found = meant(text, now=now)
    except UsageError as error:
        raise UsageError(f"{name}: {error.message}", hint=error.hint) from error
    if not ends:
        return found.start
    return found.end - 1 if found.end > found.start else found.end


def _checked_value(name: str, one: Given, value: Any) -> Any:
    match one.kind:
        case "count":
            return _checked_count(name, one, value)
        case "ids":
            return _checked_ids(name, one, value)
        case "choice":
            if value in one.choices:
                return value
            raise UsageError(f"{name}: use one of " + ", ".join(one.choices))
        case "flag":
            if value in (True, False, "true", "false"):
                return value in (True, "true")
            raise UsageError(f"{name}: true or false")
        case "time" if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return _checked_text(name, value, _LONGEST_TEXT)


def _checked_text(name: str, value: Any, longest: int) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{name} must be a text that says something")
    if len(value) > longest:
        raise UsageError(f"{name} has {len(value):,} characters; {longest:,} are taken")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{name} is not valid Unicode") from error
    return value


def _checked_count(name: str, one: Given, value: Any) -> int:
    """Return a number; models send it as a text as well, or as 5.0."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 6:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= one.most:
        raise UsageError(f"{name} must be a whole number from 1 to {one.most}")
    return value


def _checked_ids(name: str, one: Given, value: Any) -> list[str]:
    """Return the ids; one alone may stand without a list."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not 1 <= len(listed) <= one.most:
        raise UsageError(f"{name} must be a list of 1 to {one.most} ids")
    ids = [_checked_text(name, each, _LONGEST_ID).strip() for each in listed]
    if any(each.startswith("@") for each in ids):
        raise UsageError(f"{name}: @N counts for people at a terminal; use ids that recall gave")
    return list(dict.fromkeys(ids))


@record
class Service:
    """How a server works: `opened` makes the door of a call, `meaning` says what an error means,
    `new_id` makes the id of a fact, `tell` hears of errors that nobody foresaw.

    It `writes` if the person who started it says so, and `forgets_any` if it may forget what a
    trusted source said. `as_text` leaves the structured half of results out. `agent` is the name
    that stands on what it writes. `show_secrets` shows the secrets of facts.
    `scope` and `all_scopes` say where it looks; without them that is the repository it works in.
    """

    opened: Callable[[], Door]
    meaning: Callable[[Exception, Door | None], TidelineError]
    new_id: Callable[[int], str]
    tell: Callable[[Exception], None]
    writes: bool = False
    forgets_any: bool = False
    as_text: bool = False
    agent: str | None = None
    show_secrets: bool = False
    scope: str | None = None
    all_scopes: bool = False
