"""JSON texts of other programs, read with the place of each value, and changed in one place: what
is added takes the layout of its neighbours, what goes takes its own space and comma. Pure."""

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


def replaced(file: JsonText, node: Node, form: object) -> str:
    """Return the text with another value in a place, on one line."""
    return file.text[: node.start] + _dumped(form) + file.text[node.end :]


def added(file: JsonText, holder: Node, name: str | None, form: object) -> str:
    """Return the text with a member or an element behind those that a container has."""
    if not holder.items:
        return _first(file, holder, name, form)
    text, last = file.text, holder.items[-1]
    margin = _margin(text, last.start)
    has_line = _starts_line(text, last.start)
    behind = last.end if last.comma < 0 else last.comma + 1
    if has_line or _ends_remark(file, holder.tail):
        lead, more = _newline(text) + margin, _laid_out(file, name, form, margin)
    else:
        gap = text[last.blank : last.start] if len(holder.items) > 1 else " " * _has_gaps(text)
        lead, more = gap, _named(name, _dumped(form, is_tight=not _has_gaps(text)), text)
    before = text[: last.end] + "," * (last.comma < 0) + text[last.end : behind]
    between = text[behind : holder.tail]
    return before + between + lead + more + "," * (last.comma >= 0) + text[holder.tail :]


def removed(file: JsonText, holder: Node, item: Item, inner: str = "") -> str:
    """Return the text without a member or an element. `inner` is what stands in the container when
    it was the only one."""
    text, place = file.text, holder.items.index(item)
    if len(holder.items) == 1 and not _remarks_within(file, holder, item):
        return text[: holder.start + 1] + inner + text[holder.end - 1 :]
    end = item.end if item.comma < 0 else _after_comma(file, holder, place)
    has_line = text[end:].lstrip(" \t").startswith(("\n", "\r"))
    start = item.start if _ends_remark(file, item.blank) and not has_line else item.blank
    cuts = [(start, item.end)]
    if item.comma >= 0:
        cuts.append((item.comma, end))
    elif place:
        cuts.insert(0, (holder.items[place - 1].comma, holder.items[place - 1].comma + 1))
    for start, end in reversed(cuts):
        text = text[:start] + text[end:]
    return text


def inner(file: JsonText | None, node: Node | None) -> str:
    """Return what stands between the brackets of an empty container, empty for any other."""
    if file is None or node is None or node.items:
        return ""
    return file.text[node.start + 1 : node.end - 1]


def _first(file: JsonText, holder: Node, name: str | None, form: object) -> str:
    text, margin = file.text, _margin(file.text, holder.start) + _unit(file)
    kept = text[holder.tail : holder.end - 1]
    if "\n" in kept or (not kept and ("\n" in text.strip() or len(text.strip()) < 4)):
        lead, more = _newline(text) + margin, _laid_out(file, name, form, margin)
        kept = kept or _newline(text) + _margin(text, holder.start)
    else:
        lead, more = kept, _named(name, _dumped(form, is_tight=not _has_gaps(text)), text)
    return text[: holder.tail] + lead + more + kept + text[holder.end - 1 :]


def _laid_out(file: JsonText, name: str | None, form: object, margin: str) -> str:
    lines = json.dumps(form, indent=_unit(file), ensure_ascii=False).split("\n")
    return _named(name, (_newline(file.text) + margin).join(lines), file.text, has_gap=True)


def _named(name: str | None, value: str, text: str, *, has_gap: bool = False) -> str:
    if name is None:
        return value
    return json.dumps(name) + (": " if has_gap or _has_gaps(text) else ":") + value


def _dumped(form: object, *, is_tight: bool = False) -> str:
    return json.dumps(form, ensure_ascii=False, separators=(",", ":") if is_tight else None)


def _after_comma(file: JsonText, holder: Node, place: int) -> int:
    """Return where the text goes on behind a comma that goes: for the first of a line at the next
    element, so that no blank of its own stays."""
    item = holder.items[place]
    end = item.comma + 1
    if place == 0 and item.blank == item.start and place + 1 < len(holder.items):
        start = holder.items[place + 1].start
        return start if file.text[end:start].strip(" \t") == "" else end
    return end


def _remarks_within(file: JsonText, holder: Node, item: Item) -> bool:
    return any(
        holder.start < start < holder.end and not item.start <= start < item.end
        for start, _ in file.comments
    )


def _ends_remark(file: JsonText, place: int) -> bool:
    """Say whether a comment that goes to the end of its line ends here."""
    return any(end == place and file.text.startswith("//", start) for start, end in file.comments)


def _margin(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _starts_line(text: str, place: int) -> bool:
    start = text.rfind("\n", 0, place) + 1
    return start > 0 and not text[start:place].strip(" \t")


def _unit(file: JsonText) -> str:
    """Return what one step of indentation is."""
    for item in file.root.items:
        if _starts_line(file.text, item.start) and (margin := _margin(file.text, item.start)):
            return margin
    return "  "


def _newline(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _has_gaps(text: str) -> bool:
    """Say whether a text has blanks between its values, or is too short to tell."""
    return '":' not in text or '": ' in text or "\n" in text.strip()
