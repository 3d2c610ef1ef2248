"""Blocks of Markdown: paragraphs, lists and code under their headings. The marks stay."""

from __future__ import annotations

import re

from tideline_cli.exchange.ingest.blocks import Outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tideline_cli.exchange.ingest.blocks import Block

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_RULER = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})")
_NO_PARAGRAPH = re.compile(r"[ \t]*(?:[-*+>|]|\d+[.)])[ \t]?|    |\t")
_FRONT = "---"
_BLANKS = " \t"


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a Markdown text. What stands between fences is one block, whatever it
    looks like; so is what a file says of itself between lines of dashes at its beginning."""
    outline = Outline()
    reading = _Reading()
    lines = text.split("\n")
    start = _end_of_front(lines)
    if start:
        yield from outline.block("\n".join(lines[1 : start - 1]))
    for line in lines[start:]:
        heading = reading.heading(line)
        if heading is not None:
            yield from outline.block(reading.taken())
            yield from outline.enter(*heading)
        elif reading.ends_at(line):
            yield from outline.block(reading.taken())
        else:
            reading.add(line)
    yield from outline.block(reading.taken())
    yield from outline.end()


class _Reading:
    """The lines of the block that is being read, and the fence that it stands in."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self.fence = ""

    def taken(self) -> str:
        """Return the block, and begin another."""
        text, self._lines = "\n".join(self._lines), []
        return text

    def add(self, line: str) -> None:
        """Add a line; one may open or close a fence."""
        self._lines.append(line.rstrip())
        found = _FENCE.fullmatch(line)
        if found is None:
            return
        mark, rest = found[1], found[2]
        if not self.fence:
            self.fence = "" if "`" in rest and mark[0] == "`" else mark
        elif mark.startswith(self.fence) and not rest.strip():
            self.fence = ""

    def ends_at(self, line: str) -> bool:
        """Say whether a line is none of a block: it is empty, or a ruler between two."""
        if self.fence:
            return False
        return not line.strip() or not (self._lines or _RULER.fullmatch(line) is None)

    def heading(self, line: str) -> tuple[int, str] | None:
        """Return level and text of the heading that a line is, or that it makes of the line before;
        None where it does neither."""
        if self.fence:
            return None
        found = _HEADING.fullmatch(line.rstrip(_BLANKS))
        if found:
            return len(found[1]), _without_end(found[2] or "")
        under = _UNDERLINE.fullmatch(line)
        if under is None or len(self._lines) != 1 or _NO_PARAGRAPH.match(self._lines[0]):
            return None
        return (1 if under[1][0] == "=" else 2), self._lines.pop()


def _without_end(title: str) -> str:
    """Return the text of a heading without the marks that close it, which a blank parts from it."""
    text = title.rstrip("#")
    return text.rstrip(_BLANKS) if text[-1:] in ("", *_BLANKS) else title


def _end_of_front(lines: list[str]) -> int:
    """Return the number of lines that front matter takes, 0 where there is none."""
    if not lines or lines[0].rstrip() != _FRONT:
        return 0
    for place, line in enumerate(lines[1:], 1):
        if line.rstrip() in (_FRONT, "..."):
            return place + 1
        if ":" not in line and not line.startswith((" ", "-", "#")):
            return 0
    return 0
