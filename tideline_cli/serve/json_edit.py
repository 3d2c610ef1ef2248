"""Changing one place of a JSON text: what is added takes the layout of its neighbours, what goes
takes its own white space and comma with it. Pure."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.serve.json_text import Item, JsonText, Node


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
    return any(
        end == place and file.text.startswith("//", start) for start, end in file.comments
    )


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
