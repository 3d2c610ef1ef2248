"""What a reader makes of a document: blocks of text in order, each under its headings."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PARTED = " › "
_LONGEST = 200  # characters of a title


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
