"""Which facts may have so many distinct terms, told by the bytes that bound their scores."""

from __future__ import annotations

from tideline_cli.ranking.score_bounds import may_have_distinct
from tideline_cli.store import facts, score_bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection


class Sized:
    """The facts of a file, of all origins, or those of an origin on a server, that may have so many
    distinct terms. Those that have no
    byte yet may."""

    def __init__(self, db: Connection, least: int, most: int, *, origin_number: int) -> None:
        codes = score_bounds.codes(db, origin_number=origin_number)
        self._fitting = codes.translate(may_have_distinct(least, most))
        self._unknown = range(len(self._fitting), facts.last_number(db) + 1)

    def are_few(self, most: int) -> bool:
        """Say whether they are no more than `most`."""
        return self._fitting.count(1) + len(self._unknown) <= most

    def numbers(self) -> list[int]:
        """Return their numbers, ascending."""
        found, place = [], self._fitting.find(1)
        while place >= 0:
            found.append(place)
            place = self._fitting.find(1, place + 1)
        return [*found, *self._unknown]

    def among(self, seqs: list[int]) -> list[int]:
        """Return those of the facts with these numbers that are among them."""
        fitting, end = self._fitting, self._unknown.start
        return [seq for seq in seqs if seq >= end or fitting[seq]]
