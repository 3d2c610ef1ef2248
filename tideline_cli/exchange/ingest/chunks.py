"""From blocks to chunks: texts of a size that one fact can hold, cut where a reader would pause;
and what becomes of the chunks of a document whose file has changed. Pure."""

from __future__ import annotations

import re
from itertools import groupby
from unicodedata import combining

from tideline_cli.exchange.ingest.blocks import SIZE as SIZE
from tideline_cli.exchange.statements import PARTED, words_of_name
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tideline_cli.exchange.ingest.blocks import Block
    from tideline_cli.model.fact import Fact, NewFact

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
        packing: _Packing | None = None
        for block in section:
            if packing is None:
                title, before = block.title, block.before
                packing = _Packing(max(LEAST_SIZE, size - len(before)), overlap)
            yield from _telling(packing.put(block), title, before)
        if packing is not None:
            yield from _telling(packing.rest(), title, before)


def _telling(
    found: Iterable[tuple[str, int | None]], title: str | None, before: str
) -> Iterator[Chunk]:
    """Yield texts as chunks; what says nothing, such as a ruler, is left out."""
    for text, page in found:
        if any(char.isalnum() or ord(char) > _BEYOND_SIGNS for char in text):
            yield Chunk(before + text, title, page)


class _Packing:
    """The chunk that is being filled. `_said` is how much of it the chunk before has said."""

    def __init__(self, size: int, overlap: int) -> None:
        self._size, self._overlap = size, min(overlap, size // 2)
        self._text = ""
        self._said = 0
        self._page: int | None = None

    def put(self, block: Block) -> Iterator[tuple[str, int | None]]:
        """Add a block; yield the chunks that it fills."""
        between = "\n" if block.is_item else _PARAGRAPH
        text = block.text.strip()
        is_short = len(self._text) - self._said < self._size // 2
        fits_alone = len(text) <= self._size
        fits = len(self._text) + len(between) + len(text) <= self._size
        is_one = fits or (fits_alone and (block.is_whole or not is_short))
        units = [text] if is_one else cut_up(text, self._size)
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


@record
class Changes:
    """The chunks that a document shall have, in order: `new` ones by their places, and `kept` ones
    with what they are said as now. `gone` are those that it has no more, each with the place of the
    new chunk that stands where it stood, None where none does."""

    new: tuple[int, ...]
    kept: tuple[tuple[Fact, NewFact], ...]
    gone: tuple[tuple[Fact, int | None], ...]


def changes_between(stored: Sequence[Fact], wanted: Sequence[NewFact]) -> Changes:
    """Return how the stored chunks of a document become the wanted ones: both are in order.

    A chunk with the same words under the same headings is the same, wherever it stands. Of what
    lies between two of these the old chunks are replaced by the new ones, those under the same
    headings first; more old ones than new ones are replaced by the last.
    """
    held: dict[tuple[object, ...], list[int]] = {}
    for place, fact in enumerate(stored):
        held.setdefault(_said(fact), []).append(place)
    match: dict[int, int] = {}  # place in `wanted` by that in `stored`
    new: list[int] = []
    for place, said in enumerate(wanted):
        same = held.get(_said(said))
        if same:
            match[same.pop(0)] = place
        else:
            new.append(place)
    kept = tuple((stored[old], wanted[place]) for old, place in sorted(match.items()))
    return Changes(tuple(new), kept, tuple(_gone(stored, wanted, match, new)))


def _gone(
    stored: Sequence[Fact], wanted: Sequence[NewFact], match: dict[int, int], new: Sequence[int]
) -> Iterator[tuple[Fact, int | None]]:
    """Yield the chunks that no wanted one is, each with the place of what replaces it."""
    free = list(new)
    gap: list[Fact] = []
    for old in range(len(stored) + 1):
        if old < len(stored) and old not in match:
            gap.append(stored[old])
            continue
        end = match.get(old, len(wanted))
        between = [place for place in free if place < end]
        free = free[len(between) :]
        yield from _replaced(gap, between, wanted)
        gap = []


def _replaced(
    gap: Sequence[Fact], places: Sequence[int], wanted: Sequence[NewFact]
) -> list[tuple[Fact, int | None]]:
    """Return old chunks of a gap with the new ones that replace them: those under the same headings
    first, then one after the other."""
    left = list(places)
    by: dict[str, int] = {}
    for fact in gap:
        same = next((place for place in left if wanted[place].title == fact.title), None)
        if same is not None:
            by[fact.id] = same
            left.remove(same)
    last = places[-1] if places else None
    return [(fact, by[fact.id] if fact.id in by else left.pop(0) if left else last) for fact in gap]


def _said(chunk: Fact | NewFact) -> tuple[object, ...]:
    """Return what tells a chunk from others: its headings are those below the name of its file."""
    headings = (chunk.title or "").removeprefix(words_of_name(chunk.document or ""))
    return chunk.content, headings.removeprefix(PARTED), chunk.scope
