"""From blocks to chunks: texts of a size that one fact can hold, cut where a reader would pause."""

from __future__ import annotations

import re
from itertools import groupby

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tideline_cli.exchange.ingest.blocks import Block

SIZE = 600
OVERLAP = 100
LEAST_SIZE, MOST_SIZE = 100, 4000
_PARAGRAPH = "\n\n"
_QUOTES = r"[\"'”’»)\]）」』】]*"
_CUTS = (
    re.compile(rf"[.!?…]{_QUOTES}\s+|[。！？｡]{_QUOTES}\s*"),
    re.compile(r"\n\s*"),
    re.compile(r"[,;:]\s+|[，、；：]\s*"),
    re.compile(r"\s+"),
)
"""Where a text may be cut: after a sentence, a line, a clause, a word; the best first."""
_BEYOND_SIGNS = 0x2BFF  # from here on a sign is a word, or a picture of one
_LONGEST_CUT = 8  # characters of what stands between two sentences
_LEAST_TAIL = 12  # characters: a shorter piece repeats nothing of use


@record
class Chunk:
    """A part of a document: its text, the headings above it, and the page it begins on."""

    text: str
    title: str | None = None
    page: int | None = None


def divided(
    blocks: Iterable[Block], *, size: int = SIZE, overlap: int = OVERLAP
) -> Iterator[Chunk]:
    """Yield the chunks of a document in order, of at most `size` characters each.

    A heading begins a new one. Inside of a section blocks are joined while they fit; one that does
    not fit is cut after a sentence, else after a line, a clause or a word. A chunk that goes on
    where another ends repeats up to `overlap` of its last characters.
    """
    for _, section in groupby(blocks, key=lambda block: block.headings):
        packing = _Packing(size, overlap)
        title = None
        for block in section:
            title = block.title
            yield from _telling(packing.put(block), title)
        yield from _telling(packing.rest(), title)


def _telling(found: Iterable[tuple[str, int | None]], title: str | None) -> Iterator[Chunk]:
    """Yield texts as chunks; what says nothing, such as a ruler, is left out."""
    for text, page in found:
        if any(char.isalnum() or ord(char) > _BEYOND_SIGNS for char in text):
            yield Chunk(text, title, page)


class _Packing:
    """The chunk that is being filled. `_said` is how much of it the chunk before has said."""

    def __init__(self, size: int, overlap: int) -> None:
        self._size, self._overlap = size, min(overlap, size // 2)
        self._text = ""
        self._said = 0
        self._page: int | None = None

    def put(self, block: Block) -> Iterator[tuple[str, int | None]]:
        """Add a block; yield the chunks that it fills."""
        between = _PARAGRAPH
        text = block.text.strip()
        is_short = len(self._text) - self._said < self._size // 2
        fits_alone = len(text) <= self._size
        fits = len(self._text) + len(between) + len(text) <= self._size
        units = [text] if fits or (fits_alone and not is_short) else cut_up(text, self._size)
        for unit in units:
            yield from self._add(unit, between, block.page)
            between = ""

    def rest(self) -> Iterator[tuple[str, int | None]]:
        """Yield the last chunk, if it says anything that the one before does not."""
        if len(self._text.rstrip()) > self._said:
            yield self._text.rstrip(), self._page

    def _add(self, unit: str, between: str, page: int | None) -> Iterator[tuple[str, int | None]]:
        if not self._text:
            self._text, self._page = unit, page
            return
        joined = self._text + between + unit
        if len(joined.rstrip()) <= self._size:
            if len(self._text) == self._said:
                self._page = page
            self._text = joined
            return
        yield self._text.rstrip(), self._page
        room = min(self._overlap, self._size - len(unit.rstrip()) - len(between))
        carried = tail(self._text, room)
        self._text = carried + between + unit if carried else unit
        self._said, self._page = len(carried), page


def cut_up(text: str, size: int, level: int = 0) -> list[str]:
    """Return a text in pieces of at most `size` characters, cut at the best places there are; the
    space after a piece is its own, so joined they are the text."""
    if len(text.rstrip()) <= size:
        return [text]
    if level == len(_CUTS):
        return _by_signs(text, size)
    found: list[str] = []
    start = 0
    for cut in _CUTS[level].finditer(text):
        found.append(text[start : cut.end()])
        start = cut.end()
    found.append(text[start:])
    return [one for part in found if part for one in cut_up(part, size, level + 1)]


def _by_signs(text: str, size: int) -> list[str]:
    """Return a text cut after `size` characters, none of them parted from its marks."""
    from unicodedata import combining  # noqa: PLC0415  a word of such a length is rare

    found: list[str] = []
    while len(text) > size:
        end = size
        while end > 1 and (combining(text[end]) or text[end] in "\u200d\ufe0f"):
            end -= 1
        found.append(text[:end])
        text = text[end:]
    return [*found, text]


def tail(text: str, most: int) -> str:
    """Return the end of a text that the next chunk repeats: the last sentences of at most `most`
    characters, else clauses, else words; nothing where that says too little."""
    if most < _LEAST_TAIL:
        return ""
    if len(text) <= most:
        return text
    start = len(text) - most
    for cut in _CUTS:
        ends = (found.end() for found in cut.finditer(text, max(0, start - _LONGEST_CUT)))
        first = next((end for end in ends if end >= start), len(text))
        if len(text) - first >= _LEAST_TAIL:
            return text[first:]
    return "" if text.isascii() else text[start:]
