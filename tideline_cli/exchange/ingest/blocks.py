"""What a reader makes of a document: blocks of text in order, each under its headings; and the
readers of Markdown, reStructuredText and plain text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from itertools import pairwise
from operator import attrgetter

from tideline_cli.exchange import outlines
from tideline_cli.exchange.markdown_tree import BlockTree, TextNode, block_tree, indented
from tideline_cli.exchange.statements import TreeReading, fronts, governing, leads, sections
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tideline_cli.exchange.statements import Saying

SIZE = 600
"""Characters of a chunk, unless the user says another number."""
_ADORNMENTS = "=-~^\"'#*+`:._"
_COMMENT = re.compile(
    r"\.\.(?:$| (?!\[|\||_[^:]+: \S)(?!(?!(?:auto\w+|toctree|contents|index|include|image|raw|meta"
    r"|highlight|module|currentmodule)::)[\w:.-]+::))"
)  # fmt: skip
_CODE = re.compile(r"\.\. (?:code|sourcecode|parsed-literal|math|doctest)[\w-]*::")
_ITEM = re.compile(r"\s*(?:[-*+•]|#\.|\d{1,9}[.)])\s")
_LEAST = 3  # characters of an adornment


@record
class Block:
    """A paragraph, a list, a table or a piece of code, or an item of a list that is parted.
    `headings` are those it stands under, the outermost first, with what leads it in; `page` is the
    page that it begins on, where the document has pages. What is `is_whole` is not parted where it
    fits into a chunk."""

    text: str
    headings: tuple[str, ...] = ()
    page: int | None = None

    is_item: bool = False
    is_whole: bool = False

    @property
    def title(self) -> str | None:
        """What it stands under on one line, as far as that fits."""
        return governing(self.headings)[0]

    @property
    def before(self) -> str:
        """What of it does not fit, as it stands before the text."""
        return governing(self.headings)[1]


def markdown_blocks(
    text: str, *, size: int = SIZE, left: Counter[str] | None = None
) -> Iterator[Block]:
    """Yield the blocks of a Markdown text; what it says of itself in front is a block too, and so
    is further front matter."""
    lines = [*outlines.markdown_lines(line.rstrip("\r") for line in text.split("\n"))]
    for (start, body), (end, _) in pairwise([*fronts(lines), (len(lines), 0)]):
        if body:
            yield Block("\n".join(lines[start + 1 : body - 1]).rstrip())
        yield from tree_blocks(block_tree(lines[body:end]), size=size, left=left)


def plain_blocks(
    text: str, *, size: int = SIZE, left: Counter[str] | None = None
) -> Iterator[Block]:
    """Yield the blocks of a plain text: paragraphs, which empty lines part, and lists."""
    lines = text.replace("\f", "\n\n").split("\n")
    yield from tree_blocks(block_tree(lines, is_plain=True), size=size, left=left)


def tree_blocks(
    tree: BlockTree, *, size: int = SIZE, left: Counter[str] | None = None
) -> Iterator[Block]:
    """Yield the blocks of a text as they stand in it: paragraphs, lists, tables and code; what no
    empty line parts is one, and so are a lead-in and what it leads in. Of what is longer than
    `size` and holds more than one statement each is a block, under what governs it. What is left
    out is counted in `left`."""
    if left is not None:
        left.update(tree.left)
    reading = TreeReading(tree, whole=size)
    for headings, nodes in sections(tree.root.children):
        above = tuple(said for _, said in headings)
        stated = sorted(reading.stated(nodes, headings), key=_line)
        yield from () if nodes else map(_block, stated)
        for group in _groups(nodes):
            own = tree.source(group)
            first = bisect_right(stated, group[0].begin, key=_line)
            found = stated[first : bisect_right(stated, group[-1].end, key=_line)]
            is_long = len(own) > size
            is_led = group[0].kind in ("list", "code") or is_long
            is_table = is_long and any(one.kind == "table" for one in group)
            if is_table or (is_led and any(one.governors != above for one in found)):
                yield from map(_block, found)
            else:
                yield Block(own, above, is_whole=group[-1].kind != "paragraph")


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


def restructured_blocks(
    text: str, *, size: int = SIZE, left: Counter[str] | None = None
) -> Iterator[Block]:
    """Yield the blocks of reStructuredText under their headings: lines that are underlined, or
    lined above and below. The order in which adornments appear gives their levels; what is indented
    below a paragraph belongs to it. Comments, and what fetches text, are left out and counted."""
    lines = [line.rstrip() for line in text.replace("\f", "\n\n").split("\n")]
    tree = BlockTree(lines, TextNode("root", 0, len(lines)), Counter())
    nodes, levels = tree.root.children, dict[str, int]()
    start = place = 0
    while place < len(lines):
        first = lines[place]
        body = end = _next(lines, place, lambda line: not line)
        heading = _heading(lines[place : place + 3])
        if heading is None and first and not first[0].isspace() and not _ITEM.match(first):
            end = _next(lines, body, lambda line: bool(line) and not line[0].isspace())
        found: list[TextNode] = []
        if _COMMENT.match(first):
            tree.left["comments and directives"] += 1
        elif heading is not None:
            title, style, taken = heading
            mark = "#" * levels.setdefault(style, len(levels) + 1)
            end, words = place + taken, " ".join(title.split())
            found = [TextNode("heading", place, end, mark, words)] if words else []
        elif any(lines[body:end]):
            found = [_with_indented(lines, place, body, end)]
        else:
            place = max(body, place + 1)
            continue
        nodes += [*_plain_nodes(lines, start, place), *found]
        start = place = end
    nodes += _plain_nodes(lines, start, len(lines))
    yield from tree_blocks(tree, size=size, left=left)


def _next(lines: Sequence[str], place: int, is_it: Callable[[str], bool]) -> int:
    """Return the place of the next such line from a place on, that of the end for none."""
    return next((n for n in range(place, len(lines)) if is_it(lines[n])), len(lines))


def _plain_nodes(lines: Sequence[str], start: int, end: int) -> list[TextNode]:
    """Return the blocks of some lines of a plain text."""
    root = block_tree(lines[start:end], is_plain=True).root
    for node in root.everything():
        node.begin, node.end = node.begin + start, node.end + start
    return root.children


def _with_indented(lines: Sequence[str], place: int, body: int, end: int) -> TextNode:
    """Return a paragraph with what is indented below it: code as it stands, or lists."""
    while not lines[end - 1]:
        end -= 1
    whole = TextNode("quote", place, end, "indented")
    whole.children = [TextNode("paragraph", place, body, text="\n".join(lines[place:body]))]
    if any(map(_ITEM.match, lines[body:end])) and not _CODE.match(lines[place]):
        whole.children += _plain_nodes(lines, body, end)
    else:
        text = "\n".join(lines[body:end]).strip("\n")
        whole.children.append(TextNode("code", body, end, text=text))
    return whole


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
