"""Rows of a Markdown file: list items and paragraphs, or the facts of an export.

An item is a fact, with what is nested below it, and so is a paragraph, with the code behind it.
The heading above them becomes their tag; the first heading of the first level is the name of the
file, and is none. An export holds a block of fields before each fact (see `markdown_facts`).
"""

from __future__ import annotations

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange import front_matter
from tideline_cli.exchange.markdown_facts import item_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Row = dict[str, Any] | TidelineError

_BULLETS = ("- ", "* ", "+ ")


def rows(lines: Iterable[bytes]) -> Iterator[tuple[int, Row]]:
    """Yield (line number, row or what is wrong with it) of a Markdown file."""
    try:
        texts = [line.decode("utf-8-sig" if not place else "utf-8").rstrip("\r\n")
                 for place, line in enumerate(lines)]  # fmt: skip
    except UnicodeDecodeError as error:
        raise UsageError("not UTF-8", hint="convert it: `iconv -t UTF-8`") from error
    end = front_matter.end_of(texts)
    if end:
        yield from _of_export(texts, end)
    else:
        yield from _of_prose(texts)


def _of_export(texts: list[str], end: int) -> Iterator[tuple[int, Row]]:
    """Yield the fact of a file that begins with its fields."""
    row: dict[str, Any] = {}
    for entry in front_matter.entries(texts[1:end]):
        try:
            row |= {entry.name: entry.value()} if entry.name else {}
        except ValueError as error:
            yield 1, UsageError(f"{entry.name} stands in a form that is not read: {error}")
            return
    row.setdefault("content", "\n".join(texts[end + 1 :]).strip("\n"))
    yield 1, row


def _of_prose(texts: list[str]) -> Iterator[tuple[int, Row]]:
    heading: str | None = None
    start, block = 0, list[str]()
    fenced = False
    for number, line in enumerate([*texts, ""], 1):
        is_fence = line.lstrip().startswith(("```", "~~~"))
        if fenced or is_fence:
            if not fenced and block and not _holds(block, line):
                yield start, _row(block, heading)
                start, block = 0, []
            fenced = fenced != is_fence
            block.append(line)
            start = start or number
            continue
        level = len(line) - len(line.lstrip("#"))
        is_heading = 0 < level < 7 and line[level : level + 1] == " "
        begins = is_heading or not line.strip() or _item(line) is not None
        goes_on = bool(block) and (line[:1] in " \t") and bool(line.strip())
        if block and begins and not goes_on and not _waits(texts, number, block, line):
            yield start, _row(block, heading)
            start, block = 0, []
        if is_heading:
            heading = None if level == 1 else line[level:].strip(" #")
        elif line.strip() or block:
            block.append(line)
            start = start or number
    if [one for one in block if one.strip()]:
        yield start, _row(block, heading)


def _waits(texts: list[str], number: int, block: list[str], line: str) -> bool:
    """Say whether a blank line stands inside an item: what follows it is indented, or is code."""
    if line.strip() or number >= len(texts):
        return False
    after = texts[number]
    if after.lstrip().startswith(("```", "~~~")):
        return _holds(block, after)
    return after[:1] in " \t" and bool(after.strip()) and _item(block[0]) is not None


def _holds(block: list[str], fence: str) -> bool:
    """Say whether code that a fence begins belongs to what stands before it: to a paragraph, or
    indented to a list item."""
    return fence[:1] in " \t" or _item(block[0]) is None


def _item(line: str) -> str | None:
    """Return the text of a list item that begins without indentation, None where none does."""
    if line.startswith(_BULLETS):
        text = line[2:].lstrip()
        return text[4:] if text[:4] in ("[ ] ", "[x] ", "[X] ") else text
    digits = len(line) - len(line.lstrip("0123456789"))
    if digits and line[digits : digits + 2] in (". ", ") "):
        return line[digits + 2 :].lstrip()
    return None


def _row(block: list[str], heading: str | None) -> dict[str, Any]:
    ours = item_row(block) if block[0].startswith("- [") else None
    if ours is not None:
        return ours
    first = _item(block[0])
    rest = block[1:]
    depth = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    lines = [block[0] if first is None else first, *(line[depth:] for line in rest)]
    row: dict[str, Any] = {"content": "\n".join(lines).strip()}
    tag = _tag(heading or "")
    return row | {"tags": [tag]} if tag else row


def _tag(heading: str) -> str:
    """Return a heading as a tag: its words in small letters, joined by hyphens."""
    words = "".join(char if char.isalnum() else " " for char in heading.lower()).split()
    return "-".join(words)[:60]
