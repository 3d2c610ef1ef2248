"""HTML as a tree of blocks: what a reader sees of a page, with its lists, tables and quotes as they
are nested. What is hidden or struck out is left out and counted."""

from __future__ import annotations

import re
from collections import Counter

from justhtml import stream

from tideline_cli.exchange.ingest.blocks import SIZE, tree_blocks
from tideline_cli.exchange.markdown_tree import (
    HIDDEN,
    STRUCK,
    BlockTree,
    TextNode,
    indented,
    read_text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tideline_cli.exchange.ingest.blocks import Block

_UNSEEN = frozenset(
    ("script", "style", "template", "noscript", "head", "nav", "svg", "iframe", "object", "select",
     "button", "textarea", "canvas", "audio", "video", "math")
)  # fmt: skip
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
     "wbr")
)  # fmt: skip
_INLINE = frozenset(
    ("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
     "font", "i", "ins", "kbd", "label", "mark", "output", "q", "ruby", "rb", "s", "samp", "small",
     "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "img")
)  # fmt: skip
_UNREAD = ("rt", "rp")  # how a word is spoken, beside the word
_STRUCK = frozenset(("s", "strike", "del"))
_KINDS = {
    "ul": "list", "ol": "list", "menu": "list", "dir": "list", "dl": "list", "li": "item",
    "dt": "item", "table": "table", "tr": "row", "td": "cell", "th": "cell", "blockquote": "quote",
    "details": "quote",
}  # fmt: skip
_OUTER = {"item": "list", "row": "table", "cell": "row"}  # what each of these stands in
_CELL_ENDS = frozenset(("td", "th", "tr", "/tr", "/tbody", "/thead", "/tfoot", "/table"))
_ENDED_BY: Mapping[str, frozenset[str]] = {
    "li": frozenset(("li", "/ul", "/ol", "/menu", "/dir")), "dt": frozenset(("dt", "dd", "/dl")),
    "dd": frozenset(("dt", "dd", "/dl")), "td": _CELL_ENDS, "th": _CELL_ENDS,
    "tr": _CELL_ENDS - {"td", "th", "/tr"},
}  # fmt: skip
"""By which beginnings and ends an element ends that nobody has ended."""
_NESTING = ("ul", "ol", "menu", "dir", "dl", "table")
_CAPTION = "caption"
_DEEPEST = 40
_MOST_COLUMNS = 1000
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_EDGES = " ¶"  # of a line; the sign is a link to its own place
_ADDRESS = re.compile(r"(?:https?://|mailto:)\S{1,1000}$")
_SPACES = re.compile(r"[ \t\n\f\r]+")
_EMPTY_DRAWINGS = re.compile(r"<(?:svg|math)\b[^<>]*/>", re.IGNORECASE)
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_DECLARED = re.compile(rb"""<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{1,40})""")
_LOOKED_AT = 2048


def said_encoding(raw: bytes) -> str | None:
    """Return the encoding that a page states at its beginning, None where it states none."""
    beginning = raw[:_LOOKED_AT]
    found = _DECLARED.search(beginning) or _CHARSET.search(beginning)
    return found[1].decode("ascii", "replace") if found else None


def blocks(
    text: str, *, size: int = SIZE, left: Counter[str] | None = None
) -> Iterator[Block]:
    """Yield the blocks of a page, for chunks of a size. What is left out is counted in `left`."""
    page = _Page(len(text))
    for event, value in stream(_EMPTY_DRAWINGS.sub("", text)):
        match event, value:
            case "start", (str(tag), attributes):
                page.start(tag, attributes or {})
            case "end", str(tag):
                page.end(tag)
            case "text", str(data):
                page.text(data)
    yield from tree_blocks(page.finished(), size=size, left=left)


class _Page:
    """Gathers what a page shows, block by block. `room` bounds what cells that span rows and
    columns repeat, in characters and columns."""

    def __init__(self, room: int) -> None:
        self.left = Counter[str]()
        self._room = room
        self._root = TextNode("root", 0, 0)
        self._open = [self._root]  # the blocks that hold others, the outermost first
        self._places: list[list[TextNode]] = [[]]  # and among which others each of them stands
        self._kinds = Counter[str]()  # how many of each kind are open
        self._tags = Counter[str]()  # how many elements of each name are open that are seen
        self._beyond = 0  # blocks that are open too deep to be nested
        self._said: list[str] = []
        self._name: list[str] = []  # the title of the page
        self._unseen: list[str] = []  # open elements, from the outermost unseen one on
        self._among = Counter[str]()  # how many of each are among them
        self._why = ""  # they are left out, if that is to be told
        self._level = 0  # of the heading that is open
        self._pre = 0
        self._in_title = False
        self._link: tuple[str, int] | None = None  # the address of a link, and where it begins

    def finished(self) -> BlockTree:
        """Return the blocks; a page without text has its title."""
        self._see()
        self._flush()
        self._end_heading()
        while len(self._open) > 1:
            self._close()
        if not self._root.children:
            self._said = self._name
            self._flush()
        lines: list[str] = []
        _lay(self._root.children, lines)
        return BlockTree(lines, self._root, self.left)

    def start(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        """Begin an element."""
        if tag == "title":
            self._in_title = not self._name
        if self._unseen and self._is_ended_by(tag):
            self._see()
        if self._unseen:
            if tag == "body":  # a head that nobody closed
                self._see()
            elif tag not in _VOID:
                self._hide(tag)
            return
        self._tags[tag] += tag not in _INLINE and tag != "p"
        why = STRUCK if tag in _STRUCK else HIDDEN if _is_hidden(attributes) else ""
        if tag not in _VOID and (why or tag in _UNSEEN or tag in _UNREAD):
            if tag not in _INLINE and tag not in _UNREAD:
                self._flush()
            self._tags[tag] -= tag not in _INLINE and tag != "p"
            self._why = why
            self._hide(tag)
        elif tag == "a":
            address = (attributes.get("href") or "").strip()
            self._link = (address, len(self._said)) if _ADDRESS.match(address) else None
        elif tag == "br":
            self._said.append("\n")
        elif tag in _KINDS:
            self._begin(tag, attributes)
        elif tag not in _INLINE:
            self._flush()
            if tag == "summary" and self._open[-1].kind == "quote":
                self._open[-1].mark = tag
            elif tag == "hr" and not self._level:
                self._add(TextNode("ruler", 0, 0))
            elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
                self._level = int(tag[1])
            self._pre += tag == "pre"

    def end(self, tag: str) -> None:
        """End an element; one that was never begun is passed over."""
        if tag == "title":
            self._in_title = False
        if self._unseen:
            if tag in self._among:
                while self._unseen and self._drop() != tag:
                    pass
                if not self._unseen:
                    self._see()
                return
            if not self._is_ended_by(f"/{tag}"):
                return
            self._see()
        self._tags[tag] -= self._tags[tag] > 0
        if tag == "a" and self._link is not None:
            self._end_link(*self._link)
        elif self._level and tag == f"h{self._level}":
            self._end_heading()
        elif tag in _KINDS:
            self._end(_KINDS[tag])
        elif tag not in _INLINE and tag != "br":
            self._flush()
            self._pre = max(0, self._pre - (tag == "pre"))

    def text(self, data: str) -> None:
        """Take a text."""
        if self._in_title:
            self._name.append(data)
        if not self._unseen:
            self._said.append(data if self._pre else _SPACES.sub(" ", data))
        elif self._why and any(map(str.isalnum, data)):
            self.left[self._why] += 1
            self._why = ""

    def _begin(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        """Begin a block that holds others; what it stands in is begun where nobody has."""
        kind = _KINDS[tag]
        self._flush()
        self._end_heading()
        outer = _OUTER.get(kind)
        if outer is not None and not self._kinds[outer]:
            self._begin({"list": "ul", "table": "table", "row": "tr"}[outer], {})
        while outer is not None and self._kinds[outer] and self._open[-1].kind != outer:
            self._close()
        if len(self._open) > _DEEPEST:
            self._beyond += outer is None
            return
        node = TextNode(kind, 0, 0, _mark_of(tag, attributes, self._open[-1]))
        if kind == "cell":
            wide, high = (_number(attributes.get(one)) for one in ("colspan", "rowspan"))
            node.begin, node.end = wide, high
        self._places.append(self._add(node))
        self._open.append(node)
        self._kinds[kind] += 1

    def _end(self, kind: str) -> None:
        """End the innermost open block of a kind."""
        self._flush()
        if self._beyond:
            self._beyond -= kind not in _OUTER
        elif self._kinds[kind]:
            self._end_heading()
            while self._close() != kind:
                pass

    def _close(self) -> str:
        """End the innermost open block, and return its kind; one without text is none."""
        node, siblings = self._open.pop(), self._places.pop()
        self._kinds[node.kind] -= 1
        if node.kind == "table":
            siblings[-1:] = self._of_table(node)
        elif node.is_empty and node.kind != "cell":
            siblings.pop()
        return node.kind

    def _of_table(self, table: TextNode) -> list[TextNode]:
        """Return the blocks that a table is: what stands in it beside its rows, and the rows; of
        one that only lays out a page what its cells hold."""
        rows = [one.children for one in table.children if one.kind == "row"]
        found = [one for one in table.children if one.kind != "row"]
        for one in found:
            one.mark = one.mark or _CAPTION
        cells = [cell for row in rows for cell in row]
        if any(cell.holds("heading", "table", "ruler") for cell in cells):
            return found + [one for cell in cells for one in cell.children]
        if cells and any(cell.children for cell in cells):
            made = TextNode("table", 0, 0)
            made.cells = self._filled(rows)
            found.append(made)
        return found

    def _filled(self, rows: Sequence[Sequence[TextNode]]) -> list[list[str]]:
        """Return the texts of cells in their columns, the head first: of one that spans several
        rows or columns in each row, and once."""
        found: list[list[str]] = []
        below: dict[int, tuple[str, int]] = {}  # by column: what goes on there, in how many rows
        is_head = all(cell.mark == "th" for cell in rows[0])
        is_head = is_head or not any(cell.mark == "th" for row in rows for cell in row)
        if not is_head:
            found.append([])
        for row in rows:
            texts: list[str] = []
            for cell in row:
                while len(texts) in below:
                    texts.append(self._from_above(below, len(texts)))
                text = _cell_text(cell)
                if cell.end > 1 and text:
                    below[len(texts)] = (text, cell.end - 1)
                wide = min(cell.begin - 1, _MOST_COLUMNS, self._room)
                self._room -= max(0, wide)
                texts += [text, *[""] * wide]
            if not is_head and len(row) > 1 and row[0].mark == "th" and row[1].mark == "td":
                texts[:2] = [": ".join(filter(None, texts[:2]))]
            found.append(texts)
        return found

    def _from_above(self, below: dict[int, tuple[str, int]], column: int) -> str:
        text, rows = below.pop(column)
        self._room -= len(text)
        if rows > 1:
            below[column] = (text, rows - 1)
        return text if self._room > 0 else ""

    def _add(self, node: TextNode) -> list[TextNode]:
        """Put a block where it belongs, of a list into an item; return what it stands among."""
        outer = self._open[-1]
        if outer.kind == "list" and node.kind != "item":
            if not outer.children:
                outer.children.append(TextNode("item", 0, 0, "-"))
            outer = outer.children[-1]
        elif outer.kind == "row" and node.kind != "cell":
            outer = self._open[-2]
        outer.children.append(node)
        return outer.children

    def _end_link(self, address: str, start: int) -> None:
        """Say the address of a link behind its words, where these do not say it."""
        self._link = None
        words = "".join(self._said[start:]).strip()
        bare = address.removeprefix("mailto:").partition("://")[2] or address
        if words and not self._level and bare.rstrip("/") not in words and address not in words:
            self._said.append(f" ({address.removeprefix('mailto:')})")

    def _is_ended_by(self, tag: str) -> bool:
        """Say whether what is not seen ends where this element begins, or (`/tag`) ends: it goes
        beside or around it."""
        outermost, bare = self._unseen[0], tag.lstrip("/")
        if bare in _INLINE or bare == "br" or not self._among.keys().isdisjoint(_NESTING):
            return False
        if outermost in ("p", "s", "strike"):
            return True
        return tag in _ENDED_BY.get(outermost, ()) or (tag != bare and self._tags[bare] > 0)

    def _hide(self, tag: str) -> None:
        self._unseen.append(tag)
        self._among[tag] += 1

    def _drop(self) -> str:
        tag = self._unseen.pop()
        self._among[tag] -= 1
        if not self._among[tag]:
            del self._among[tag]
        return tag

    def _see(self) -> None:
        """End what is not seen."""
        self._unseen.clear()
        self._among.clear()
        self._why = ""

    def _end_heading(self) -> None:
        """End the heading that is open."""
        if self._level:
            text = " ".join("".join(self._said).split()).strip(_EDGES)
            self._said.clear()
            if text:
                self._add(TextNode("heading", 0, 0, "#" * self._level, text))
            self._level = 0

    def _flush(self) -> None:
        """End the block; the text of a heading that holds other elements goes on."""
        if self._level:
            self._said.append(" ")
            return
        text = "".join(self._said)
        self._said.clear()
        if not self._pre:
            lines = (_SPACES.sub(" ", line).strip(_EDGES) for line in text.split("\n"))
            text = "\n".join(filter(None, lines))
        text = text.strip("\n").rstrip()
        if text.strip():
            self._add(TextNode("code" if self._pre else "paragraph", 0, 0, text=text))


def _is_hidden(stated: Mapping[str, str | None]) -> bool:
    return (
        "hidden" in stated
        or (stated.get("aria-hidden") or "").lower() == "true"
        or _HIDDEN.search(stated.get("style") or "") is not None
    )


def _mark_of(tag: str, attributes: Mapping[str, str | None], outer: TextNode) -> str:
    """Return what tells a block from others of its kind, as `TextNode` says; of a cell its tag."""
    if tag == "ol":
        return str(_number(attributes.get("start")))
    if tag == "li" and outer.mark:
        return f"{int(outer.mark) + len(outer.children)}."
    return {"li": "-", "th": tag, "td": tag}.get(tag, "")


def _number(stated: str | None) -> int:
    """Return the number that an attribute says, 1 for none."""
    text = (stated or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 1


def _cell_text(cell: TextNode) -> str:
    """Return the text of a cell on one line; items are parted by semicolons."""
    parts = [
        "; ".join(read_text(item.children) for item in one.children) if one.kind == "list"
        else read_text([one]) for one in cell.children
    ]  # fmt: skip
    return " ".join(" ".join(parts).split())


def _lay(nodes: Sequence[TextNode], lines: list[str], holder: str = "") -> None:
    """Add the lines of blocks that stand in a block of a kind, and tell each which are its own."""
    before = TextNode("", 0, 0)
    for node in nodes:
        is_nested = holder == "item" and node.kind == "list"
        if before.kind and not (is_nested or holder in ("list", "term") or before.mark == _CAPTION):
            lines.append("")
        start = len(lines)
        if node.kind == "table":
            lines += filter(None, (" | ".join(filter(None, row)) for row in node.cells))
        elif node.children:
            is_term = node.kind == "item" and not node.mark
            _lay(node.children, lines, "term" if is_term else node.kind)
            if node.mark and node.kind == "item":
                own = indented("\n".join(lines[start:]), f"{node.mark} ", "  ")
                lines[start:] = own.split("\n")
        else:
            lines += node.text.split("\n") if node.kind != "ruler" else ["---"]
        node.begin, node.end = start, len(lines)
        before = node
