"""What rows of an import say of other facts: edges, sources and what they replace.

It is kept until all rows are stored, because a row may name a later one.
"""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.exchange.importer.cells import cell_text, past
from tideline_cli.exchange.importer.rows import links_of, replaced_by
from tideline_cli.model.edge import INVERSE, REPLACING
from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.record import record, replace
from tideline_cli.model.short_text import storable
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.gate import may_end, may_touch
from tideline_cli.policy.periods import ended, holds_from
from tideline_cli.store import facts, links, references, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.exchange.importer.references import References
    from tideline_cli.exchange.importer.row_times import RowTimes
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin


@record
class StatedLinks:
    """What a row says of other facts: its edges, what it replaces, and what it cites where that is
    not all stored."""

    line: int
    fact: str
    origin: Origin
    edges: list[dict[str, Any]]
    replaces: tuple[str, ...]
    cites: tuple[str, ...]


class RowLinks:
    """Keeps what each row says of other facts, and stores it at the end."""

    def __init__(
        self, db: Connection, context: ImportContext, names: References, summary: ImportSummary,
        times: RowTimes,
    ) -> None:
        self._db = db
        self._context = context
        self._names = names
        self._summary = summary
        self._times = times
        self._stated: list[StatedLinks] = []

    def citing(self, fact: Fact) -> Fact:
        """Return the fact with those of its sources that are there, by their ids in the store."""
        if not fact.derived_from:
            return fact
        found = (self._names.exactly(one, fact.origin) for one in fact.derived_from)
        cited = tuple(dict.fromkeys(one for one in found if one is not None))
        return fact if cited == fact.derived_from else replace(fact, derived_from=cited)

    def note(self, line: int, row: Mapping[str, Any], stated: Fact, stored: Fact) -> None:
        """Keep what a row says of other facts; `stored` is what became of its fact.

        A row that nobody vouches for adds nothing to a trusted fact.
        """
        if not (stated.derived_from or "links" in row or "supersedes" in row):
            return  # nearly every row
        edges, replaces = links_of(row), replaced_by(row)
        is_whole = len(stored.derived_from) >= len(stated.derived_from)
        cites = () if is_whole else stated.derived_from
        may = self._context.trusted or not is_trusted(stored.source)
        if (edges or replaces or cites) and may:
            self._stated.append(StatedLinks(line, stored.id, stored.origin, edges, replaces, cites))

    def parts(self, size: int) -> Iterator[Sequence[StatedLinks]]:
        """Yield what was kept, so many rows at a time."""
        for start in range(0, len(self._stated), size):
            yield self._stated[start : start + size]

    def store(self, part: Sequence[StatedLinks]) -> None:
        """Store what some rows say, in an open batch."""
        for said in part:
            self._cite(said)
            for edge in said.edges:
                self._link(said, edge)
            for reference in said.replaces:
                self._replace(said, reference)
        self._times.flush()

    def _cite(self, said: StatedLinks) -> None:
        """Give a fact the sources that have come since, if those that it has are among them."""
        if not said.cites:
            return
        meant = {one: self._names.meant(one, said.origin) for one in said.cites}
        self._summary.leave_out(said.line, (one for one, it in meant.items() if it is None))
        wanted = tuple(dict.fromkeys(it for it in meant.values() if it not in (None, said.fact)))
        known = facts.find(self._db, said.fact, viewer=said.origin)
        if set(known.derived_from) < set(wanted):
            writes.change(self._db, known, replace(known, derived_from=wanted))

    def _link(self, said: StatedLinks, edge: dict[str, Any]) -> str | None:
        """Store an edge; return where it leads if it is new."""
        target = self._names.meant(edge["target"], said.origin)
        if target is None or target == said.fact:
            self._summary.leave_out(said.line, [edge["target"]])
            return None
        link = edge_of(said.fact, edge | {"target": target}, self._context)
        if not self._context.trusted and _usurps(self._db, link):
            self._summary.usurping += 1
            return None
        is_new = self._is_new(link) and links.add(self._db, link)
        self._summary.links += is_new
        return target if is_new else None

    def _is_new(self, link: links.Link) -> bool:
        """Say whether no edge makes the same statement from the other end, by the inverse kind."""
        return link.kind not in INVERSE or not links.is_stated(
            self._db, link.source, link.kind, link.target
        )

    def _replace(self, said: StatedLinks, reference: str) -> None:
        """Let a fact that a row names as superseded end where that of the row begins; in a second
        run the edge is there, and what has become of the fact since stays."""
        gone = self._link(said, {"kind": "supersedes", "target": reference})
        if gone is None:
            return
        self._link(said, {"kind": "transition", "target": gone})
        by = facts.find(self._db, said.fact, viewer=said.origin)
        for old in self._held_now(gone, by):
            if old.id != gone:
                self._link(said, {"kind": "supersedes", "target": old.id})
                self._link(said, {"kind": "transition", "target": old.id})
            may = may_touch(by.source, old.source) and may_end(by.source, by.agent, old)
            if by.lifecycle == "active" and may:
                now = self._context.now
                writes.change(self._db, old, ended(old, at=holds_from(by), now=now))
                self._times.end(old, by=by)
                self._summary.superseded += 1

    def _held_now(self, gone: str, by: Fact) -> list[Fact]:
        """Return what a fact that is to be replaced stands for now: itself, if it is active, or
        what has replaced it since, unless that was said later than what shall replace it."""
        found: dict[str, Fact] = {}
        waiting = [gone]
        while waiting:
            one = waiting.pop()
            if one in found or one == by.id:
                continue
            found[one] = facts.find(self._db, one, viewer=by.origin)
            if found[one].lifecycle != "active":
                waiting += (
                    link.source for link in links.arriving(self._db, one, viewer=by.origin)
                    if link.kind == "supersedes"
                )  # fmt: skip
        return [
            one for one in found.values()
            if one.lifecycle == "active" and (one.id == gone or one.created_at <= by.created_at)
        ]


def edge_of(source: str, edge: dict[str, Any], context: ImportContext) -> links.Link:
    """Return the edge that a row states; raise UsageError naming what is wrong with it."""
    reason, strength = cell_text(edge, "reason"), edge.get("strength")
    if strength is not None and (isinstance(strength, bool) or strength not in range(1, 6)):
        raise UsageError("a link's strength is not a whole number from 1 to 5")
    stated = past(edge, "created_at", context.now)
    return links.Link(
        source,
        storable(edge["kind"], "a link's kind"),
        storable(edge["target"], "a link's target"),
        reason,
        strength,
        context.now if stated is None else stated,
    )


def _usurps(db: Connection, link: links.Link) -> bool:
    """Say whether the edge would put an imported fact in the place of a trusted one."""
    if link.kind not in REPLACING:
        return False
    source = references.source_of(db, link.target, viewer=EVERYONE)
    return source is not None and is_trusted(source)
