"""What a reader makes of a document: blocks of text in order, each under its headings; and the
readers of Markdown, reStructuredText and plain text."""

from __future__ import annotations

from itertools import groupby, pairwise

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PARTED = " › "
_LONGEST = 200  # characters of a title
_FRONT = "---"
_ADORNMENTS = "=-~^\"'#*+`:._"
_LEAST = 3  # characters of an adornment


@record
class Block:
    """A paragraph, a list, a table or a piece of code. `headings` are those it stands under, the
    outermost first; `page` is the page that it begins on, where the document has pages."""

    text: str
    headings: tuple[str, ...] = ()
    page: int | None = None

    @property
    def title(self) -> str | None:
        """The headings on one line; of a long one its end, which says more."""
        title = _PARTED.join(self.headings)
        if len(title) > _LONGEST:
            title = "…" + title[1 - _LONGEST :]
        return title or None


class Outline:
    """The headings that hold at a place of a document. A heading under which nothing stands
    becomes a block of its own, so that its words are not lost."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []
        self._is_bare = False

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings that hold here, the outermost first."""
        return tuple(text for _, text in self._open)

    def enter(self, level: int, text: str) -> Iterator[Block]:
        """Begin a heading of a level; yield the one before as a block where it had nothing to head.
        """
        text = " ".join(text.split())
        if text:
            yield from self.end(level)
            self._open = [one for one in self._open if one[0] < level] + [(level, text)]
            self._is_bare = True

    def block(self, text: str) -> Iterator[Block]:
        """Yield a text as a block under the headings that hold here, unless it is empty."""
        text = text.strip("\n").rstrip()
        if text.strip():
            self._is_bare = False
            yield Block(text, self.headings)

    def end(self, level: int = 0) -> Iterator[Block]:
        """Yield the last heading as a block, if nothing stands under it: no text, and no heading
        below its level."""
        if self._is_bare and level <= self._open[-1][0]:
            *above, last = self.headings
            self._is_bare = False
            yield Block(last, tuple(above))


def markdown_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a Markdown text as they stand in it: paragraphs, lists, tables and code;
    those that no empty line parts are one. What a file says of itself between lines of dashes at
    its beginning is a block too."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  30 ms, and Markdown alone

    outline = Outline()
    lines = text.split("\n")
    start = _end_of_front(lines)
    if start:
        yield from outline.block("\n".join(lines[1 : start - 1]))
    body = [line.rstrip() for line in lines[start:]]
    # What stands inside of a line is kept as it is, and a definition of a link is no less a text.
    reader = MarkdownIt("commonmark").disable(["inline", "text_join", "reference"])
    first = end = 0  # the lines of the block that may go on
    for token, after in pairwise([*reader.parse("\n".join(lines[start:])), None]):
        if token is None or token.level or token.map is None:
            continue
        begin, stop = token.map
        is_heading = token.type == "heading_open"
        if is_heading or token.type == "hr" or begin > end:
            yield from outline.block("\n".join(body[first:end]))
            first = begin
        end = stop
        if is_heading and after is not None:
            yield from outline.enter(int(token.tag[1:]), after.content)
        if is_heading or token.type == "hr":
            first = stop
        while end > first and not body[end - 1]:
            end -= 1
    yield from outline.block("\n".join(body[first:end]))
    yield from outline.end()


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


def plain_blocks(text: str) -> Iterator[Block]:
    """Yield the paragraphs of a plain text, which empty lines part."""
    lines = text.replace("\f", "\n\n").split("\n")
    for is_empty, part in groupby(lines, key=lambda line: not line.strip()):
        if not is_empty:
            yield Block("\n".join(line.rstrip() for line in part))


def restructured_blocks(text: str) -> Iterator[Block]:
    """Yield the paragraphs of reStructuredText under their headings: lines that are underlined, or
    lined above and below. The order in which adornments appear gives their levels."""
    outline, levels = Outline(), dict[str, int]()
    for paragraph in plain_blocks(text):
        lines = paragraph.text.split("\n")
        while lines:
            heading = _heading(lines)
            if heading is None:
                yield from outline.block("\n".join(lines))
                break
            title, style, taken = heading
            level = levels.setdefault(style, len(levels) + 1)
            yield from outline.enter(level, title)
            lines = lines[taken:]
    yield from outline.end()


def _heading(lines: Sequence[str]) -> tuple[str, str, int] | None:
    """Return the heading that lines begin with, its style, and how many lines it takes."""
    if len(lines) > 2 and _is_adornment(lines[0], lines[1]) and lines[0] == lines[2]:
        return lines[1], lines[0][0] * 2, 3
    if len(lines) > 1 and _is_adornment(lines[1], lines[0]):
        return lines[0], lines[1][0], 2
    return None


def _is_adornment(line: str, title: str) -> bool:
    mark = line[:1]
    is_line = bool(mark) and mark in _ADORNMENTS and line == mark * len(line)
    return is_line and len(line) >= max(_LEAST, len(title.strip())) and title.strip() != line
