"""Blocks of HTML: what a reader sees of it, under its headings."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from tideline_cli.exchange.ingest.blocks import Outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tideline_cli.exchange.ingest.blocks import Block

    Attributes = Sequence[tuple[str, str | None]]

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
_ROWS = ("li", "dt", "dd", "tr")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_EDGES = " ¶"  # of a line; the sign is a link to its own place
_SPACES = re.compile(r"[ \t\n\f\r]+")
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
    parser = _Parser()
    parser.feed(text)
    parser.close()
    yield from parser.finished()


class _Parser(HTMLParser):
    """Gathers the text of a page, block by block."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._outline = Outline()
        self._found: list[Block] = []
        self._text: list[str] = []
        self._name: list[str] = []  # the title of the page
        self._unseen: list[str] = []  # open elements, from the outermost unseen one on
        self._level = 0  # of the heading that is open
        self._pre = 0
        self._in_title = False

    def finished(self) -> list[Block]:
        """Return the blocks; a page without text has its title."""
        if self._level:
            self._end_heading()
        self._flush()
        self._found += self._outline.end()
        if not self._found:
            self._found += self._outline.block(_SPACES.sub(" ", "".join(self._name)))
        return self._found

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        """Begin an element."""
        if tag == "title":
            self._in_title = not self._name
        if self._unseen:
            if tag == "body":  # a head that nobody closed
                self._unseen.clear()
            elif tag not in _VOID:
                self._unseen.append(tag)
            return
        if tag not in _VOID and (tag in _UNSEEN or tag in _UNREAD or _is_hidden(attrs)):
            self._unseen.append(tag)
            self._part(tag)
        elif tag == "br":
            self._text.append("\n")
        elif tag in ("td", "th"):
            self._cell()
        elif tag in _ROWS:
            self._row(tag)
        elif tag not in _INLINE:
            self._begin(tag)

    def handle_endtag(self, tag: str) -> None:
        """End an element; one that was never begun is passed over."""
        if tag == "title":
            self._in_title = False
        if self._unseen:
            if tag in self._unseen:
                del self._unseen[len(self._unseen) - 1 - self._unseen[::-1].index(tag) :]
            return
        if self._level and tag == f"h{self._level}":
            self._end_heading()
        elif tag == "pre":
            self._flush()
            self._pre = max(0, self._pre - 1)
        elif tag in _ROWS:
            self._text.append("\n")
        elif tag not in _INLINE and tag not in ("td", "th", "br"):
            self._flush()

    def handle_data(self, data: str) -> None:
        """Take a text."""
        if self._in_title:
            self._name.append(data)
        if not self._unseen:
            self._text.append(data if self._pre else _SPACES.sub(" ", data))

    def _begin(self, tag: str) -> None:
        self._flush()
        if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self._level = int(tag[1])
        elif tag == "pre":
            self._pre += 1

    def _cell(self) -> None:
        """Part a cell of a table from the one before."""
        if self._text and not self._text[-1].endswith("\n"):
            self._text.append(" | ")

    def _row(self, tag: str) -> None:
        self._text.append("\n- " if tag == "li" else "\n")

    def _part(self, tag: str) -> None:
        if tag not in _INLINE and tag not in _UNREAD:
            self._flush()

    def _end_heading(self) -> None:
        text = " ".join("".join(self._text).split())
        self._text.clear()
        self._found += self._outline.enter(self._level, text.strip(_EDGES))
        self._level = 0

    def _flush(self) -> None:
        """End the block; the text of a heading that holds other elements goes on."""
        if self._level:
            self._text.append(" ")
            return
        text = "".join(self._text)
        self._text.clear()
        if not self._pre:
            lines = (_SPACES.sub(" ", line).strip(_EDGES) for line in text.split("\n"))
            text = "\n".join(line for line in lines if line not in ("", "-"))
        self._found += self._outline.block(text)


def _is_hidden(attrs: Attributes) -> bool:
    stated = dict(attrs)
    return (
        "hidden" in stated
        or (stated.get("aria-hidden") or "").lower() == "true"
        or _HIDDEN.search(stated.get("style") or "") is not None
    )
