"""What rows of an import say of other facts, edges, sources and what they replace, and of times.

What they say of others is kept until all rows are stored, because a row may name a later one.
"""

from __future__ import annotations

from bisect import bisect_left

from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.exchange.importer.cells import STATED, cell_text, past
from tideline_cli.exchange.importer.rows import (
    is_to_come,
    links_of,
    minted_id,
    reason_of,
    replaced_by,
    times_of,
    vouched_id,
)
from tideline_cli.model import ulid
from tideline_cli.model.edge import INVERSE, REPLACING
from tideline_cli.model.origin import EVERYONE, Origin
from tideline_cli.model.record import record, replace
from tideline_cli.model.saying import Times
from tideline_cli.model.short_text import storable
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.gate import may_end, may_touch
from tideline_cli.policy.later_state import is_forgotten
from tideline_cli.policy.periods import ended, holds_from
from tideline_cli.store import facts, links, references, statements, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.model.fact import Fact

STATED_KEYS = frozenset(STATED)
_LEAST = 4  # letters of a beginning


class RowTimes:
    """The times of facts in the store, read once an origin, and those that rows bring."""

    def __init__(self, db: Connection, context: ImportContext) -> None:
        self._db = db
        self._context = context
        self._known: dict[str, dict[str, Times]] = {}
        self._brought: dict[str, Times] = {}
        self._waiting: dict[str, Times] = {}
        self._gone: dict[str, str] = {}

    def stated(self, row: Mapping[str, Any], fact: Fact) -> Times:
        """Return when a row says that its state was stated; `fact` is what it states."""
        return times_of(row, fact, self._context)

    def stated_of(self, row: Mapping[str, Any], fact: Fact, there: Fact) -> Times:
        """Return when a row says that its state of a fact that is there was stated. Its birth is
        that which is known here, if that is earlier. A time to come proves nothing: it brings
        nothing back that was forgotten here."""
        born = min(fact.created_at, there.created_at)
        at = times_of(row, replace(fact, created_at=born), self._context)
        here = self.of(there)
        if is_forgotten(there, here) and is_to_come(row, self._context):
            return Times(min(at.changed_at, here.changed_at), min(at.said_at, here.said_at))
        return at

    def surely(self, row: Mapping[str, Any], fact: Fact) -> Times:
        """Return since when a row was surely stated: not since a time to come."""
        return Times(0, 0) if is_to_come(row, self._context) else self.stated(row, fact)

    def of(self, fact: Fact) -> Times:
        """Return when the state of a fact in the store was stated."""
        at = self._brought.get(fact.id) or self.in_store(fact.origin.key).get(fact.id)
        born = fact.created_at
        if at is None:
            return Times(born, born)
        return Times(max(at.changed_at, born), max(at.said_at, born))

    def in_store(self, key: str) -> Mapping[str, Times]:
        """Return the times of the facts of an origin that changed before this import."""
        if key not in self._known:
            self._known[key] = statements.times(self._db, viewer=Origin(key))
        return self._known[key]

    def bring(self, fact: Fact, at: Times, *, gone: str | None = None) -> None:
        """Note when the state that a fact gets was stated, and why it is archived, if it is;
        `flush` stores it. Times of `at` that are 0 say nothing."""
        known, waiting = self.of(fact), self._waiting.get(fact.id, at)
        self._waiting[fact.id] = Times(at.changed_at, max(at.said_at, waiting.said_at))
        self._brought[fact.id] = Times(at.changed_at, max(at.said_at, known.said_at))
        if gone is not None:
            self._gone[fact.id] = gone

    def bring_new(self, row: Mapping[str, Any], fact: Fact) -> None:
        """Note it of a fact that has just come, where it is not when the fact was made."""
        if fact.lifecycle == "active" and STATED_KEYS.isdisjoint(row):
            return  # most rows; a record takes 4 us, which for each is 1 % of an import
        at, gone = self.stated(row, fact), reason_of(row, self._context)
        if gone or (at.changed_at, at.said_at) != (fact.created_at, fact.created_at):
            self.bring(fact, at, gone=gone)

    def end(self, fact: Fact, *, by: Fact) -> None:
        """Note that a fact has ended because another was said."""
        at, since = self.of(fact), self.of(by).said_at
        self.bring(fact, Times(max(at.changed_at, since), 0), gone="superseded")

    def flush(self) -> None:
        """Store what was noted, in the transaction that has changed the facts."""
        statements.note(self._db, self._waiting, self._gone)
        self._waiting.clear()
        self._gone.clear()


class References:
    """Knows which rows got another id than they state, and finds the fact that a name means."""

    def __init__(self, db: Connection, context: ImportContext) -> None:
        self._db = db
        self._context = context
        self._ids: dict[str, dict[str, str]] = {}
        self._folded: dict[str, list[tuple[str, str]]] = {}

    def note(self, origin: Origin, stated: object, fact_id: str) -> None:
        """Note that the row with this id is the fact with that one."""
        if stated and str(stated) != fact_id:
            self._ids.setdefault(origin.key, {})[str(stated)] = fact_id
            self._folded.pop(origin.key, None)

    def exactly(self, stated: str, origin: Origin) -> str | None:
        """Return the id of the fact that has this name letter by letter: one that this file has
        brought under another id goes before one that was there."""
        known = self._ids.get(origin.key, {}).get(stated)
        if known is not None:
            return known
        made = []
        if not (self._context.trusted and ulid.is_ulid(stated)):
            made.append(minted_id(origin, stated))
        if self._context.trusted:
            made = [vouched_id(origin, one) for one in (*made, stated)] + made
        for one in (*made, stated):
            if references.exists(self._db, one, viewer=origin):
                return one
        return None

    def meant(self, stated: str, origin: Origin) -> str | None:
        """Return the id of the fact that a name means: exactly, in other letters, or as the only
        one that begins so, of this file or of the store; None when it names none, or several."""
        found = self.exactly(stated, origin)
        if found is None:
            found = self._begun(stated, origin)
        if found is not None:
            return found
        try:
            return facts.find(self._db, stated, viewer=origin).id
        except (NotFoundError, UsageError):
            return None

    def _begun(self, stated: str, origin: Origin) -> str | None:
        """Return the only row whose stated id is this one in other letters, or begins so."""
        if origin.key not in self._folded:
            ids = self._ids.get(origin.key, {})
            self._folded[origin.key] = sorted((name.casefold(), it) for name, it in ids.items())
        names, sought = self._folded[origin.key], stated.casefold()
        first = bisect_left(names, (sought, ""))
        same = [it for name, it in names[first : first + 2] if name == sought]
        if not same and len(sought) >= _LEAST:
            same = [it for name, it in names[first : first + 2] if name.startswith(sought)]
        return same[0] if len(same) == 1 else None


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
        """Keep what a row says of other facts; `stored` is what became of its fact. A row that
        nobody vouches for adds nothing to a trusted fact."""
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
