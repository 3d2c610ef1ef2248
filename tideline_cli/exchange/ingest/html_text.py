"""Blocks of HTML: what a reader sees of it, under its headings."""

from __future__ import annotations

import re
from collections import Counter

from justhtml import stream

from tideline_cli.exchange.ingest.blocks import Outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
_IN_CELL = ("p", "div")
_ROWS = ("li", "dt", "dd", "tr")
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


def blocks(text: str) -> Iterator[Block]:
    """Yield the paragraphs, lists, tables and code of a page. What is not seen by who reads the
    page is left out: scripts, styles, menus, and what is hidden."""
    page = _Page()
    for event, value in stream(_EMPTY_DRAWINGS.sub("", text)):
        match event, value:
            case "start", (str(tag), attributes):
                page.start(tag, attributes or {})
            case "end", str(tag):
                page.end(tag)
            case "text", str(data):
                page.text(data)
    yield from page.finished()


class _Page:
    """Gathers the text of a page, block by block."""

    def __init__(self) -> None:
        self._outline = Outline()
        self._found: list[Block] = []
        self._said: list[str] = []
        self._name: list[str] = []  # the title of the page
        self._unseen: list[str] = []  # open elements, from the outermost unseen one on
        self._open = Counter[str]()  # how many of each are among them
        self._level = 0  # of the heading that is open
        self._pre = 0
        self._in_title = False
        self._in_cell = False
        self._link: tuple[str, int] | None = None  # the address of a link, and where it begins

    def finished(self) -> list[Block]:
        """Return the blocks; a page without text has its title."""
        if self._level:
            self._end_heading()
        self._flush()
        self._found += self._outline.end()
        if not self._found:
            self._found += self._outline.block(_SPACES.sub(" ", "".join(self._name)))
        return self._found

    def start(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        """Begin an element."""
        if tag == "title":
            self._in_title = not self._name
        if self._unseen:
            if tag == "body":  # a head that nobody closed
                self._unseen.clear()
                self._open.clear()
            elif tag not in _VOID:
                self._hide(tag)
            return
        if tag not in _VOID and (tag in _UNSEEN or tag in _UNREAD or _is_hidden(attributes)):
            self._hide(tag)
            self._part(tag)
        elif tag == "a":
            address = (attributes.get("href") or "").strip()
            self._link = (address, len(self._said)) if _ADDRESS.match(address) else None
        elif tag == "br":
            self._said.append("\n")
        elif tag in ("td", "th"):
            self._cell()
            self._in_cell = True
        elif self._in_cell and tag in _IN_CELL:
            self._said.append(" ")
        elif tag in _ROWS:
            self._in_cell = False
            self._row(tag)
        elif tag not in _INLINE:
            self._begin(tag)

    def end(self, tag: str) -> None:
        """End an element; one that was never begun is passed over."""
        if tag == "title":
            self._in_title = False
        if self._unseen:
            if tag in self._open:
                while self._drop() != tag:
                    pass
            return
        if tag == "a" and self._link is not None:
            self._end_link(*self._link)
        elif self._level and tag == f"h{self._level}":
            self._end_heading()
        elif tag == "pre":
            self._flush()
            self._pre = max(0, self._pre - 1)
        elif tag in ("td", "th"):
            self._in_cell = False
        elif self._in_cell and tag in _IN_CELL:
            self._said.append(" ")
        elif tag in _ROWS:
            self._in_cell = False
            self._said.append("\n")
        elif tag not in _INLINE and tag != "br":
            self._in_cell = self._in_cell and tag != "table"
            self._flush()

    def text(self, data: str) -> None:
        """Take a text."""
        if self._in_title:
            self._name.append(data)
        if not self._unseen:
            self._said.append(data if self._pre else _SPACES.sub(" ", data))

    def _end_link(self, address: str, start: int) -> None:
        """Say the address of a link behind its words, where these do not say it."""
        self._link = None
        words = "".join(self._said[start:]).strip()
        bare = address.removeprefix("mailto:").partition("://")[2] or address
        if words and not self._level and bare.rstrip("/") not in words and address not in words:
            self._said.append(f" ({address.removeprefix('mailto:')})")

    def _hide(self, tag: str) -> None:
        self._unseen.append(tag)
        self._open[tag] += 1

    def _drop(self) -> str:
        tag = self._unseen.pop()
        self._open[tag] -= 1
        if not self._open[tag]:
            del self._open[tag]
        return tag

    def _begin(self, tag: str) -> None:
        self._flush()
        if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self._level = int(tag[1])
        elif tag == "pre":
            self._pre += 1

    def _cell(self) -> None:
        """Part a cell of a table from the one before."""
        if self._said and not self._said[-1].endswith("\n"):
            self._said.append(" | ")

    def _row(self, tag: str) -> None:
        self._said.append("\n- " if tag == "li" else "\n")

    def _part(self, tag: str) -> None:
        if tag not in _INLINE and tag not in _UNREAD:
            self._flush()

    def _end_heading(self) -> None:
        text = " ".join("".join(self._said).split())
        self._said.clear()
        self._found += self._outline.enter(self._level, text.strip(_EDGES))
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
            text = "\n".join(line for line in lines if line not in ("", "-"))
        self._found += self._outline.block(text)


def _is_hidden(stated: Mapping[str, str | None]) -> bool:
    return (
        "hidden" in stated
        or (stated.get("aria-hidden") or "").lower() == "true"
        or _HIDDEN.search(stated.get("style") or "") is not None
    )
