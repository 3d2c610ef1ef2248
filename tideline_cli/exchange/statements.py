"""Texts as statements: each says one thing, and carries what governs it. Pure.

Headings govern what stands under them, a lead-in the list, table or quote behind it, an item what
is nested in it. Where title and text are told together, as they are at every door, no item is told
without the words that forbid it; so no list of such words is needed.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate, chain, pairwise

from tideline_cli.exchange import front_matter, outlines
from tideline_cli.exchange.front_matter import FENCE
from tideline_cli.exchange.markdown_tree import (
    TextNode,
    block_tree,
    definitions,
    indented,
    read_text,
    row_texts,
)
from tideline_cli.model.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Literal

    from tideline_cli.exchange.markdown_tree import BlockTree, TextNode

    Kind = Literal[
        "heading", "paragraph", "list", "item", "row", "quote", "code", "html", "definition", "note"
    ]

    Headings = tuple[tuple[float, str], ...]

WHOLE = 400
"""Characters of a list with its lead-in, or of an item with what is nested, that stay together."""
LONGEST_TITLE = 120
PARTED = " › "
_LONGEST_GOVERNOR = 400  # characters; a longer one is a statement of its own as well
_LONGEST_BEFORE = 2000  # characters of all that governs, where it stands in the text
_BOLD = re.compile(r"(?:\*\*|__)([^*_\n]{1,80}[^*_\n.!?:。！？：])[:：]?(?:\*\*|__)[:：]?")
_BOLD_LEVEL = 7
_COLONS = (":", "：", "﹕")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])")
_MARKUP = " \t*_"  # what may stand around a colon
_CITED = re.compile(r"\[(\^?[^\[\]\n]{1,100})\]")
_DEFINED = re.compile(r"\[(\^?[^\[\]\n]{1,100})\]:[ \t]+\S")
_SLUG = re.compile(r"\w+(?:[-_]\w+)+")
_NOT_IN_DATES = re.compile(r"(?<!\d)[-_]|[-_](?!\d)")
_IN_DATES = re.compile(r"(?<=\d)_(?=\d)")
_FIELD = re.compile(r"[a-z][\w-]*:(?:\s|$)|[ \t#]|- ")


@record
class Saying:
    """`governors` are the headings, lead-ins and items that it stands under, the outermost first;
    `headings` are those among them that are headings of the text, each with its level. `line` is
    the first of it, from 1."""

    text: str
    kind: Kind
    governors: tuple[str, ...]
    headings: Headings
    line: int

    def told(self) -> tuple[str | None, str]:
        """Return title and text: what governs is the title, as far as it fits, and the rest stands
        before the text."""
        title, before = governing(self.governors)
        return title, before + self.text


@record
class Part:
    """A file, or what of it stands behind further front matter: the lines of that, the first line
    from 1, what it states, and what is left out, counted by kind."""

    front: tuple[str, ...]
    line: int
    statements: tuple[Saying, ...]
    left: Counter[str]


def parts(text: str, *, whole: int = WHOLE) -> Iterator[Part]:
    """Yield the parts of a Markdown text: one, and another for each further front matter."""
    lines = [*outlines.markdown_lines(line.rstrip("\r") for line in text.split("\n"))]
    for (start, body), (end, _) in pairwise([*fronts(lines), (len(lines), 0)]):
        own = lines[body:end]
        front = tuple(lines[start + 1 : body - 1]) if body else outlines.taken_properties(own)
        tree = block_tree(own)
        found = tuple(TreeReading(tree, whole=whole, first=body + 1).statements())
        yield Part(front, start + 1, found, tree.left)


def governing(governors: Iterable[str]) -> tuple[str | None, str]:
    """Return the title that the outer ones of what governs a statement make, and what does not fit,
    as it stands before the text. So of what people write nothing is cut."""
    rest = list(governors)
    title: list[str] = []
    while rest and len(PARTED.join([*title, rest[0]])) <= LONGEST_TITLE:
        title.append(rest.pop(0))
    before = _shortened(PARTED.join(rest), _LONGEST_BEFORE)
    return PARTED.join(title) or None, f"{before}: " if before else ""


def under_name(called: str | None, governors: Sequence[str]) -> tuple[str, ...]:
    """Return what governs a statement of a file of that name: the name first, unless the outermost
    of the others says it already."""
    known = _words(governors[0]) if governors else frozenset()
    return (called, *governors) if called and not _words(called) <= known else tuple(governors)


def _words(text: str) -> frozenset[str]:
    return frozenset("".join(char if char.isalnum() else " " for char in text.lower()).split())


def left_words(left: Mapping[str, int]) -> str:
    """Return how much of each kind is left out, in words."""
    return ", ".join(f"{count:,} {kind[:-1] if count == 1 else kind}"
                     for kind, count in sorted(left.items()))  # fmt: skip


def words_of_name(name: str) -> str:
    """Return the name of a file as words: without folders and ending, a slug with blanks."""
    last = name.replace("\\", "/").rpartition("/")[2]
    stem = last.rpartition(".")[0] or last
    if not _SLUG.fullmatch(stem):
        return stem
    return _IN_DATES.sub("-", _NOT_IN_DATES.sub(" ", stem)).strip()


def fronts(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return where front matter begins, and where the text behind it does; the first may be empty.
    Further front matter stands behind a blank line, outside of code, and has a field that the first
    one has too: other lines between rulers are text."""
    end = front_matter.end_of(lines)
    if not end:
        return [(0, 0)]
    found = [(0, end + 1)]
    names = _names(lines[1:end])
    begin, fence = -1, ""
    for place in range(found[0][1], len(lines)):
        line = lines[place]
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        is_ruler = line.rstrip() == FENCE and not fence
        own = lines[begin : place + 1] if is_ruler and begin >= 0 else []
        if front_matter.end_of(own) and not names.isdisjoint(_names(own[1:-1])):
            found.append((begin, place + 1))
            begin = -1
        elif is_ruler:
            begin = place if place and not lines[place - 1].strip() else -1
        elif begin >= 0 and not _FIELD.match(line):
            begin = -1
    return found


def _names(lines: Sequence[str]) -> set[str]:
    """Return the names of the fields of front matter."""
    return {one.name for one in front_matter.entries(lines) if one.name}


class TreeReading:
    """What the blocks of a text state, the first line of which has the number `first`."""

    def __init__(self, tree: BlockTree, *, whole: int = WHOLE, first: int = 1) -> None:
        self.root = tree.root
        self._whole = whole
        self._first = first
        self._sizes = [0, *accumulate(len(line) + 1 for line in tree.lines)]
        self._headings: Headings = ()
        self._notes: dict[str, str] = {}

    def statements(self) -> Iterator[Saying]:
        """Yield what the text states, in order."""
        self._take_notes()
        for headings, nodes in sections(self.root.children):
            yield from self.stated(nodes, headings)
        for text in self._notes.values():
            yield Saying(text, "note", (), (), self._first)

    def stated(self, nodes: Sequence[TextNode], headings: Headings) -> Iterator[Saying]:
        """Yield what the blocks under these headings state; a heading without blocks states
        itself."""
        self._headings = headings
        yield from self._section(nodes, headings, ())

    def _section(
        self, nodes: Sequence[TextNode], headings: Headings, under: tuple[str, ...]
    ) -> Iterator[Saying]:
        texts = (*under, *(text for _, text in headings))
        if nodes:
            yield from self._stated(nodes, texts)
        else:
            *above, last = texts
            yield Saying(last, "heading", tuple(above), headings[:-1], self._first)

    def _stated(self, nodes: Sequence[TextNode], under: tuple[str, ...]) -> Iterator[Saying]:
        lead: list[TextNode] = []
        last: tuple[str, ...] = ()  # what leads in the list before, and its code
        counted: tuple[str, ...] = ()  # the same, for a list that goes on counting behind a text
        place = 0
        while place < len(nodes):
            node = nodes[place]
            place += 1
            if node.kind == "ruler":
                yield from self._alone(lead, under)
                lead, last = [], ()
            elif leads(node, nodes[place] if place < len(nodes) else None):
                lead.append(node)
            elif node.kind in ("list", "table", "quote"):
                outer = _still_leading(node, lead, last, counted)
                own = tuple(_governor(one.text) for one in lead)
                yield from self._governed(node, lead, (*under, *outer), own)
                last = counted = (*outer, *own)
                lead = []
            else:
                start = place - 1
                while place < len(nodes) and _goes_on(nodes[place - 1], nodes[place]):
                    place += 1
                last = last if node.kind == "code" and not lead else ()
                yield from self._prose([*lead, *nodes[start:place]], (*under, *last))
                lead = []
        yield from self._alone(lead, under)

    def _alone(self, lead: Sequence[TextNode], under: tuple[str, ...]) -> Iterator[Saying]:
        """Yield a lead-in that nothing follows."""
        if lead:
            yield self._statement(read_text(lead), "paragraph", under, lead[0])

    def _governed(
        self, node: TextNode, lead: list[TextNode], under: tuple[str, ...], by: tuple[str, ...]
    ) -> Iterator[Saying]:
        """Yield what a list, a table or a quote states that lead-ins govern; the steps of a short
        numbered list, which name one another, are one statement."""
        is_short = self._size(lead[0] if lead else node, node) <= self._whole
        are_steps = node.kind == "list" and node.mark and len(node.children) > 1
        if is_short and node.kind != "table" and (lead or node.kind == "quote" or are_steps):
            kind: Kind = "list" if node.kind == "list" else "quote"
            yield self._statement(read_text([*lead, node]), kind, under, node)
            return
        yield from self._too_long(lead, under)
        if node.kind == "table":
            for text in row_texts(node.cells):
                yield self._statement(text, "row", (*under, *by), node)
        elif node.kind == "list":
            for item in node.children:
                yield from self._item(item, (*under, *by))
        else:
            yield from self._quoted(node, (*under, *by))

    def _too_long(self, lead: Sequence[TextNode], under: tuple[str, ...]) -> Iterator[Saying]:
        """Yield lead-ins of which what they govern has not all."""
        for one in lead:
            if len(one.text) > _LONGEST_GOVERNOR:
                yield self._statement(one.text, "paragraph", under, one)

    def _item(self, node: TextNode, under: tuple[str, ...]) -> Iterator[Saying]:
        is_short = self._size(node, node) <= self._whole
        if is_short or not (node.holds("list", "table") or node.mark == ""):
            yield self._statement(read_text(node.children), "item", under, node)
        else:
            yield from self._below_first(node.children, under)

    def _below_first(self, nodes: Sequence[TextNode], under: tuple[str, ...]) -> Iterator[Saying]:
        """Yield what the blocks of an item state, or of a callout: the first paragraph governs the
        others."""
        first, *rest = nodes
        if first.kind == "paragraph" and rest:
            yield from self._too_long([first], under)
            yield from self._inner(rest, (*under, _governor(first.text)))
        else:
            yield from self._inner(nodes, under)

    def _inner(self, nodes: Sequence[TextNode], under: tuple[str, ...]) -> Iterator[Saying]:
        """Yield what blocks within another state; headings may stand there too."""
        for headings, own in sections(nodes):
            yield from self._section(own, headings, under)

    def _quoted(self, node: TextNode, under: tuple[str, ...]) -> Iterator[Saying]:
        """Yield what a long quote states."""
        if node.mark:
            yield from self._below_first(node.children, under)
        elif node.holds("list", "table", "quote", "heading"):
            for one in self._inner(node.children, under):
                yield replace(one, text=indented(one.text, "> ", "> "), kind="quote")
        else:
            yield self._statement(read_text([node]), "quote", under, node)

    def _prose(self, nodes: Sequence[TextNode], under: tuple[str, ...]) -> Iterator[Saying]:
        """Yield a paragraph with its code as a statement; of definitions each is one."""
        is_text = all(one.kind == "paragraph" for one in nodes)
        defined = definitions("\n".join(one.text for one in nodes)) if is_text else []
        kind: Kind = nodes[0].kind  # type: ignore[assignment]
        if not defined:
            yield self._statement(read_text(nodes), kind, under, nodes[0])
        for text in defined:
            yield self._statement(text, "definition", under, nodes[0])

    def _statement(
        self, text: str, kind: Kind, under: tuple[str, ...], node: TextNode
    ) -> Saying:
        """Return a statement, with the notes that it is the first to cite."""
        for cited in _CITED.findall(text) if self._notes else ():
            note = self._notes.pop(cited, None)
            text += f"\n{note}" if note else ""
        return Saying(text, kind, under, self._headings, self._first + node.begin)

    def _size(self, first: TextNode, last: TextNode) -> int:
        return self._sizes[last.end] - self._sizes[first.begin]

    def _take_notes(self) -> None:
        """Take the footnotes and the definitions of links that are cited out of the blocks."""
        nodes = list(self.root.everything())
        cited = Counter(
            key for node in nodes for text in (node.text, *chain.from_iterable(node.cells))
            for key in _CITED.findall(text)
        )  # fmt: skip
        for node in nodes:
            if node.kind != "paragraph" or not _DEFINED.match(node.text):
                continue
            kept = []
            for key, text in _defined(node.text):
                if cited[key] > 1 and key not in self._notes:
                    self._notes[key] = text
                else:
                    kept.append(text)
            node.text = "\n".join(kept)
        if self._notes:
            for node in reversed(nodes):
                node.children = [one for one in node.children
                                 if one.kind in ("ruler", "left") or not one.is_empty]  # fmt: skip


def sections(nodes: Iterable[TextNode]) -> Iterator[tuple[Headings, list[TextNode]]]:
    """Yield the blocks under each heading, with the headings that they stand under, the outermost
    first; a heading that nothing stands under has none. A few words that stand in bold alone are
    the lowest of headings. A lead-in before a deeper heading governs what stands below that, as a
    heading half a level down."""
    above: list[tuple[float, str]] = []
    own: list[TextNode] = []
    is_bare = False
    for node in nodes:
        bold = _BOLD.fullmatch(node.text.strip()) if node.kind == "paragraph" else None
        if node.kind != "heading" and bold is None:
            is_bare = is_bare and node.kind == "ruler"
            if node.kind != "left" and (own or node.kind != "ruler"):
                own.append(node)
            continue
        level = len(node.mark) if bold is None else _BOLD_LEVEL
        outer = above[-1][0] if above else 0
        governs = own and ends_with_colon(own[-1]) and (level > outer or bold is not None)
        lead = own.pop().text if governs else ""
        if own or (is_bare and level <= outer):
            yield tuple(above), own
        if lead and bold is not None:  # it governs this one and those beside it
            above = [one for one in above if one[0] < level - 1]
            outer = level - 1
        above += [(outer + 0.5, _governor(lead))] if lead else []
        above = [one for one in above if one[0] < level]
        text = _line(node.text if bold is None else bold[1])
        above.append((level, _shortened(text, _LONGEST_GOVERNOR)))
        own, is_bare = [], True
        if len(text) > _LONGEST_GOVERNOR:
            own.append(TextNode("heading", node.begin, node.end, text=text))
    if own or is_bare:
        yield tuple(above), own


def leads(node: TextNode, after: TextNode | None) -> bool:
    """Say whether a paragraph leads in what stands after it: it ends with a colon, touches that, or
    stands before a list."""
    if node.kind != "paragraph" or after is None:
        return False
    if ends_with_colon(node):
        return after.kind not in ("ruler", "code")
    touches = after.begin <= node.end and after.kind in ("table", "quote")
    return touches or after.kind == "list"


def _still_leading(
    node: TextNode, lead: Sequence[TextNode], last: tuple[str, ...], counted: tuple[str, ...]
) -> tuple[str, ...]:
    """Return what leads in a block beside its own lead-in: a list goes on where it stands right
    behind another or its code, or counts on."""
    if node.kind == "list" and node.mark not in ("", "0", "1"):
        return counted
    return last if node.kind == "list" and not lead else ()


def ends_with_colon(node: TextNode) -> bool:
    """Say whether a block is a paragraph that ends with a colon, marked up or not."""
    return node.kind == "paragraph" and node.text.rstrip(_MARKUP).endswith(_COLONS)


def _goes_on(before: TextNode, after: TextNode) -> bool:
    """Say whether a block belongs to the paragraph or the code before it."""
    if after.kind == "code" or (after.kind == "paragraph" and after.text.startswith(": ")):
        return True
    return after.kind in ("paragraph", "html") and after.begin <= before.end


def _governor(text: str) -> str:
    """Return a lead-in as it stands in a title: on one line, without its colon. Of a long paragraph
    without one the last sentence leads in."""
    bare = text.rstrip(_MARKUP)
    if not bare.endswith(_COLONS) and len(text) > _LONGEST_GOVERNOR:
        return _shortened(_line(_SENTENCE.split(bare)[-1]), _LONGEST_GOVERNOR)
    text = bare.rstrip("".join(_COLONS)) + text[len(bare) :]
    return _shortened(_line(text), _LONGEST_GOVERNOR)


def _line(text: str) -> str:
    """Return a heading or a lead-in on one line, without emphasis around all of it."""
    line = " ".join(text.split())
    for mark in ("**", "__", "*", "_"):
        inner = line[len(mark) : -len(mark)].strip()
        if inner and line.startswith(mark) and line.endswith(mark) and mark not in inner:
            return inner
    return line


def _shortened(text: str, most: int) -> str:
    half = most // 2 - 2
    return text if len(text) <= most else f"{text[:half].rstrip()} … {text[-half:].lstrip()}"


def _defined(text: str) -> list[tuple[str, str]]:
    """Return the notes that a paragraph defines, each with its key; what goes on belongs to the one
    before."""
    found: list[tuple[str, str]] = []
    for line in text.split("\n"):
        match = _DEFINED.match(line)
        if match or not found:
            found.append((match[1] if match else "", line))
        else:
            found[-1] = found[-1][0], f"{found[-1][1]}\n{line}"
    return found
