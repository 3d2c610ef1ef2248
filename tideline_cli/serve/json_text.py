"""Where the values of a JSON text stand, so that one can be changed and the rest stays as it is.
Pure."""

from __future__ import annotations

import json
import re
from decimal import Decimal, DecimalException

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_SCALAR = re.compile(
    r'(?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")'
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>true|false|null)"
)
_CLOSING = {"{": "}", "[": "]"}
_WORDS = {"true": True, "false": False, "null": None}
_BOM = "\ufeff"


class JsonTextError(ValueError):
    """A text that is no JSON, or none of the kind that is asked for."""


@record
class Node:
    """A value from `start` to `end`: object, array, string, number or word. `tail` is where the
    white space before the closing bracket begins."""

    kind: str
    start: int
    end: int
    items: tuple[Item, ...] = ()
    tail: int = 0

    def item(self, name: str) -> Item | None:
        """Return the member of a name; of several the last, as readers take it."""
        found = [one for one in self.items if one.name == name]
        return found[-1] if self.kind == "object" and found else None


@record
class Item:
    """A member of an object, or an element of an array. `blank` is where the white space before it
    begins, `comma` where the comma behind it stands, -1 for none."""

    name: str
    blank: int
    start: int
    end: int
    comma: int
    value: Node


@record
class JsonText:
    """A text with its root, and from where to where its comments stand."""

    text: str
    root: Node
    comments: tuple[tuple[int, int], ...] = ()

    def at(self, *names: str) -> Node | None:
        """Return the value at a path of names, None where there is none."""
        node: Node | None = self.root
        for name in names:
            item = node.item(name) if node is not None else None
            node = item.value if item is not None else None
        return node

    def form(self, node: Node | None = None) -> Any:
        """Return a value as Python has it; a number is marked as one, and keeps each digit."""
        node = node or self.root
        if node.kind == "object":
            return {one.name: self.form(one.value) for one in node.items}
        if node.kind == "array":
            return [self.form(one.value) for one in node.items]
        raw = self.text[node.start : node.end]
        if node.kind == "number":
            return ("number", _number(raw))
        return json.loads(raw) if node.kind == "string" else _WORDS[raw]

    @property
    def remarks(self) -> list[str]:
        """Return the comments as text."""
        return [self.text[start:end] for start, end in self.comments]


def scanned(text: str, *, with_comments: bool) -> JsonText:
    """Return a text with the places of its values. `with_comments` takes comments, and a comma
    behind the last member, as some clients do. Raise JsonTextError for what is no such text."""
    scanner = _Scanner(text, with_comments=with_comments)
    scanner.skip()
    try:
        root = scanner.value()
    except RecursionError as error:
        raise JsonTextError("it is nested too deeply") from error
    scanner.skip()
    if scanner.at < len(text):
        raise scanner.error()
    return JsonText(text, root, tuple(scanner.comments))


def double_name(node: Node) -> str | None:
    """Return a name that stands twice in an object, None where none does."""
    seen: set[str] = set()
    for item in node.items:
        if node.kind == "object" and item.name in seen:
            return item.name
        seen.add(item.name)
        if (deeper := double_name(item.value)) is not None:
            return deeper
    return None


class _Scanner:
    def __init__(self, text: str, *, with_comments: bool) -> None:
        self.text = text
        self.at = len(_BOM) if text.startswith(_BOM) else 0
        self.blank = self.at
        self.comments: list[tuple[int, int]] = []
        self._with_comments = with_comments

    def error(self) -> JsonTextError:
        """Return an error that says where it is no JSON."""
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        return JsonTextError(f"line {line}, column {column}")

    def skip(self) -> None:
        """Go behind white space and comments; `blank` is where the last white space begins."""
        while True:
            self.blank = self.at
            self.at = self._end(_BLANK)
            end = self._end(_COMMENT) if self._with_comments else self.at
            if end == self.at:
                return
            self.comments.append((self.at, end))
            self.at = end

    def value(self) -> Node:
        start, opening = self.at, self._next()
        if opening in _CLOSING:
            return self._container(opening)
        found = _SCALAR.match(self.text, start)
        if found is None:
            raise self.error()
        self.at = found.end()
        return Node(str(found.lastgroup), start, self.at)

    def _container(self, opening: str) -> Node:
        start, closing = self.at, _CLOSING[opening]
        items: list[Item] = []
        self.at += 1
        self.skip()
        while self._next() != closing:
            if items and items[-1].comma < 0:
                raise self.error()
            items.append(self._item(is_member=opening == "{"))
        if items and items[-1].comma >= 0 and not self._with_comments:
            raise self.error()
        self.at += 1
        kind = "object" if opening == "{" else "array"
        return Node(kind, start, self.at, tuple(items), self.blank)

    def _item(self, *, is_member: bool) -> Item:
        blank, start, name = self.blank, self.at, ""
        if is_member:
            if self._next() != '"':
                raise self.error()
            key = self.value()
            name = json.loads(self.text[key.start : key.end])
            self.skip()
            if self._next() != ":":
                raise self.error()
            self.at += 1
            self.skip()
        value = self.value()
        self.skip()
        comma = self.at if self._next() == "," else -1
        if comma >= 0:
            self.at += 1
            self.skip()
        return Item(name, blank, start, value.end, comma, value)

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _end(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        return self.at if found is None else found.end()


def _number(raw: str) -> object:
    try:
        return Decimal(raw)
    except DecimalException:
        return raw
