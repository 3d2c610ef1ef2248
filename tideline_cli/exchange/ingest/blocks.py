"""What a reader makes of a document: blocks of text in order, each under its headings; and the
readers of Markdown, reStructuredText and plain text."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import groupby, pairwise
from operator import attrgetter

from tideline_cli.exchange import front_matter, outlines
from tideline_cli.exchange.markdown_tree import indented, source_text
from tideline_cli.exchange.statements import MarkdownReading, governing, leads, left_words, sections
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tideline_cli.exchange.markdown_tree import TextNode
    from tideline_cli.exchange.statements import Saying

SIZE = 600
"""Characters of a chunk, unless the user says another number."""
_ADORNMENTS = "=-~^\"'#*+`:._"
_COMMENT = re.compile(
    r"\.\.(?:$| (?!\[|\||_[^:]+: \S)(?!(?!(?:auto\w+|toctree|contents|index|include|image|raw|meta"
    r"|highlight|module|currentmodule)::)[\w:.-]+::))"
)  # fmt: skip
_LEAST = 3  # characters of an adornment


@record
class Block:
    """A paragraph, a list, a table or a piece of code, or an item of a list that is parted.
    `headings` are those it stands under, the outermost first, with what leads it in; `page` is the
    page that it begins on, where the document has pages."""

    text: str
    headings: tuple[str, ...] = ()
    page: int | None = None

    is_item: bool = False

    @property
    def title(self) -> str | None:
        """What it stands under on one line, as far as that fits."""
        return governing(self.headings)[0]

    @property
    def before(self) -> str:
        """What of it does not fit, as it stands before the text."""
        return governing(self.headings)[1]


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


def markdown_blocks(
    text: str, *, size: int = SIZE, warn: Callable[[str], object] = str
) -> Iterator[Block]:
    """Yield the blocks of a Markdown text as they stand in it: paragraphs, lists, tables and code;
    what no empty line parts is one, and so are a lead-in and what it leads in. Of what is longer
    than `size` and holds more than one statement each is a block, under what governs it. What a
    file says of itself in front is a block too. `warn` is told what is left out."""
    lines = [*outlines.markdown_lines(line.rstrip("\r") for line in text.split("\n"))]
    end = front_matter.end_of(lines)
    if end:
        yield Block("\n".join(lines[1:end]).rstrip())
    lines = ["", *lines[end + 1 :]] if end else lines
    reading = MarkdownReading(lines, whole=size)
    for headings, nodes in sections(reading.root.children):
        above = tuple(said for _, said in headings)
        stated = sorted(reading.stated(nodes, headings), key=_line)
        yield from () if nodes else map(_block, stated)
        for group in _groups(nodes):
            own = source_text(lines, group)
            first = bisect_right(stated, group[0].begin, key=_line)
            found = stated[first : bisect_right(stated, group[-1].end, key=_line)]
            is_led = group[0].kind in ("list", "code") or len(own) > size
            if is_led and any(one.governors != above for one in found):
                yield from map(_block, found)
            else:
                yield Block(own, above)
    if reading.left:
        warn(f"left out: {left_words(reading.left)}")


_line = attrgetter("line")


def _block(one: Saying) -> Block:
    is_item = one.kind == "item"
    text = indented(one.text, "- ", "  ") if is_item else one.text
    return Block(text, one.governors, is_item=is_item or one.kind == "row")


def _groups(nodes: Sequence[TextNode]) -> Iterator[list[TextNode]]:
    """Yield the blocks of one section in groups, none of which is parted."""
    group: list[TextNode] = []
    for node, after in pairwise([*nodes, None]):
        if node is None or node.kind == "ruler":
            is_end = True
        else:
            group.append(node)
            is_end = after is None or not (after.begin <= node.end or leads(node, after))
        if is_end and group:
            yield group
            group = []


def plain_blocks(text: str) -> Iterator[Block]:
    """Yield the paragraphs of a plain text, which empty lines part."""
    lines = text.replace("\f", "\n\n").split("\n")
    for is_empty, part in groupby(lines, key=lambda line: not line.strip()):
        if not is_empty:
            yield Block("\n".join(line.rstrip() for line in part))


def restructured_blocks(text: str, *, warn: Callable[[str], object] = str) -> Iterator[Block]:
    """Yield the paragraphs of reStructuredText, each with what is indented below it, under their
    headings: lines that are underlined, or lined above and below. The order in which adornments
    appear gives their levels. `warn` is told what is left out: comments, and what fetches text."""
    outline, levels = Outline(), dict[str, int]()
    left = 0
    for whole in _with_indented(plain_blocks(text)):
        lines = whole.split("\n")
        if _COMMENT.match(lines[0]):
            left += 1
            continue
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
    if left:
        warn(f"left out: {left:,} comments and directives")


def _with_indented(paragraphs: Iterable[Block]) -> Iterator[str]:
    """Yield the texts of paragraphs, each with the indented ones that follow it."""
    own: list[str] = []
    for paragraph in paragraphs:
        if own and not paragraph.text[:1].isspace():
            yield "\n\n".join(own)
            own = []
        own.append(paragraph.text)
    yield from ["\n\n".join(own)] if own else []


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
