"""The tools: what each is called, takes and answers, as clients read it."""

from __future__ import annotations

from tideline_cli.model.fact import SEGMENTS
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    Kind = Literal["text", "ids", "count", "time", "choice"]

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
         "as_of": Given("time", help="what held then")},
        ("query",),
        _result("hits", _LIST, archived_matches=_LIST, ended_matches=_LIST),
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
