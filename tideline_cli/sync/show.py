"""The store as the registers say: rulings made, facts and edges written, in a batch of `sync`."""

from __future__ import annotations

from tideline_cli.model.edge import REPLACING, REWORDS
from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.record import replace
from tideline_cli.model.saying import StatedAt, Times
from tideline_cli.model.text import index_terms
from tideline_cli.policy.periods import ended, holds_from
from tideline_cli.policy.slots import same_place
from tideline_cli.policy.transitions import restored
from tideline_cli.store import statements, sync_registers, uses, writes
from tideline_cli.store.connection import setting
from tideline_cli.store.links import Link
from tideline_cli.store.sync_registers import PURGED
from tideline_cli.sync import registers, rulings
from tideline_cli.sync.registers import BROUGHT, CHANGED, FIXED, FORGOT, SAID
from tideline_cli.sync.rulings import EDGES, Ruling, StatedFact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.sync_registers import EdgeRow
    from tideline_cli.sync.registers import Registers
    from tideline_cli.sync.rulings import Stamp

_GONE = {"slot": "superseded", "same": "merged", "purged": "forgotten"}
_REPLACED = ("merged", "superseded")
"""Why a fact is archived in whose place another stands."""


class Taken:
    """What operations have changed in the registers and is not shown; ids that are to be purged."""

    def __init__(self) -> None:
        self.facts: dict[str, Registers] = {}
        self.changed: set[str] = set()
        self.edges: dict[tuple[str, str, str], EdgeRow] = {}
        self.purges: list[str] = []


class Shower:
    """Shows what registers hold. `ids`: of the replicas, by number; `own`: of this one."""

    def __init__(self, db: Connection, ids: dict[int, str], *, own: int) -> None:
        self._db = db
        self._own = own
        self._ids = ids
        self._known: dict[str, Registers] = {}
        self._analyzer: Analyzer = setting(db, "analyzer", "standard")

    def show(self, taken: Taken, said_here: Iterable[str], waiting: Sequence[EdgeRow]) -> None:
        """Bring the store to what the registers say after `taken` and what was `said_here`, by id,
        with the edges that were `waiting` for that; store the registers."""
        self._known = {one: taken.facts[one] for one in taken.changed}
        ends = {end for row in taken.edges.values() for end in (row.source, row.target)}
        sync_registers.put_edges(self._db, taken.edges.values())
        self._load(ends | set(said_here))
        self._load_neighbours()
        revived = self._revived()
        was = {one.id: (one.ruled, one.by) for one in self._known.values()}
        found = self._rulings(revived)
        shown = {one.id: self._shown(one, found.get(one.id)) for one in self._known.values()}
        came = self._write(shown)
        self._edges([*waiting, *taken.edges.values()], came, was)
        sync_registers.put_facts(
            self._db,
            (one.stored(shown[one.id]) for one in self._known.values() if _is_known(one)),
        )
        self._note(shown)

    def _load(self, ids: Iterable[str]) -> set[str]:
        """Load registers that are not loaded yet; return the ids of those."""
        fresh = self._read(set(ids) - self._known.keys())
        self._known |= fresh
        return set(fresh)

    def _read(self, ids: set[str]) -> dict[str, Registers]:
        rows, stored = sync_registers.facts(self._db, ids), sync_registers.in_table(self._db, ids)
        return {one: registers.read(rows[one], one, stored.get(one)) for one in rows}

    def _load_neighbours(self) -> None:
        """Load what shares a slot or a text with what is loaded, or is shown otherwise by it."""
        fresh = set(self._known)
        while fresh:
            some = [self._known[one] for one in fresh if "content" in self._known[one].values]
            near = sync_registers.ruled_by(self._db, fresh)
            near |= {one.by for one in some if one.by is not None}
            near |= sync_registers.like(self._db, [one.alike() for one in some])
            places = {
                (one.origin, one.values["scope"], one.values["slot"])
                for one in some if one.values["slot"] is not None
            }  # fmt: skip
            near |= sync_registers.slot_mates(self._db, places)
            near |= {one.source for one in sync_registers.edges_to(self._db, fresh, (REWORDS,))}
            near |= {one.target for one in sync_registers.edges_from(self._db, fresh, (REWORDS,))}
            fresh = self._load(near)

    def _rulings(self, revived: set[str]) -> dict[str, Ruling]:
        """Return what is shown otherwise than the registers say, by id."""
        stated: list[StatedFact] = []
        found: dict[str, Ruling] = {}
        reworded_by = self._reworded_by()
        edges = sync_registers.edges_to(self._db, self._known, ("transition",))
        replaced = {edge.target for edge in edges}
        orphans = rulings.orphans(
            {one.id: one.values[PURGED] for one in self._known.values() if PURGED in one.values},
            reworded_by,
        )
        for one in self._known.values():
            if one.is_whole():
                fact = self._as_archived(one, reworded_by.get(one.id, ()))
                if one.id in revived:
                    fact = restored(fact)
                    found[one.id] = Ruling(fact, "circle", one.id)
                if one.id in orphans and fact.lifecycle == "active":
                    fact = ended(fact, at=fact.created_at, now=fact.created_at)
                    found[one.id] = Ruling(fact, "purged", one.id)
                author = self._author(one)
                stated.append(StatedFact(fact, one.at(SAID), author, one.id in replaced))
        found |= rulings.ruled(stated)
        in_the_past = {  # of a slot
            one for one, by in found.items() if by.why in ("slot", "kept") and _is_gone(by.fact)
        }
        active = {one.fact.id for one in stated if one.fact.lifecycle == "active"}
        for told in stated:
            gone = told.fact
            if gone.lifecycle == "archived" and self._known[gone.id].values.get(FORGOT):
                by = rulings.standing(gone.id, reworded_by, active - in_the_past)
                if by is not None:
                    shown = found[gone.id].fact if gone.id in found else gone
                    found[gone.id] = Ruling(shown, "forgotten", by)
        return found

    def _as_archived(self, one: Registers, reworded_by: Iterable[str]) -> Fact:
        """Return a fact as its registers have it. Who forgot or reworded it may not have known that
        another had moved it into a slot: the value ends there all the same, but where it was moved
        after it was forgotten, which says it anew. What was forgotten and reworded holds in its new
        words alone."""
        fact = one.fact()
        words = [self._known[by].fact() for by in reworded_by]
        if fact.lifecycle == "archived" and fact.statement is not None and (
            one.values.get(FORGOT) and any(_corrects(by, fact) for by in words)
        ):
            return replace(fact, statement={**fact.statement, "until": holds_from(fact)})
        is_known = fact.statement is None or "until" in fact.statement
        if fact.lifecycle != "archived" or fact.slot is None or is_known:
            return fact
        is_forgotten = one.gone() == "forgotten" and (
            self._stamp(one, "lifecycle") > self._stamp(one, "statement")
        )
        is_reworded = one.gone() == "superseded" and any(not same_place(by, fact) for by in words)
        if not is_forgotten and not is_reworded:
            return fact
        end = fact.created_at if fact.valid_to is None else fact.valid_to
        return replace(fact, statement=dict(fact.statement or {}) | {"until": end})

    def _reworded_by(self) -> dict[str, list[str]]:
        """Return which facts reword which, of those that are loaded."""
        found: dict[str, list[str]] = {}
        for edge in sync_registers.edges_to(self._db, self._known, (REWORDS,)):
            if edge.source in self._known and self._known[edge.source].is_whole():
                found.setdefault(edge.target, []).append(edge.source)
        return found

    def _revived(self) -> set[str]:
        """Return the facts that come back, since they were merged in a circle; load them, and those
        that come back no more, with their neighbours."""
        while True:
            replaced_by, reached = self._circles()
            went = {
                one.id: self._stamp(one, "lifecycle") for one in reached.values()
                if _is_archived(one) and one.gone() in _REPLACED
            }  # fmt: skip
            back: set[str] = set()
            if any(one in went for sources in replaced_by.values() for one in sources):
                found = (rulings.revived(one, replaced_by, went) for one in went)
                back = {one for one in found if one is not None}
            fresh = {
                one.id: one for one in reached.values()
                if one.id not in self._known and (one.id in back or one.ruled == "circle")
            }  # fmt: skip
            if not fresh:
                return back
            self._known |= fresh
            self._load_neighbours()

    def _circles(self) -> tuple[dict[str, list[str]], dict[str, Registers]]:
        """Return which facts have replaced which: those that are loaded, what they have replaced,
        and from all of them back through archived ones; and all of these facts."""
        replaced_by: dict[str, list[str]] = {}
        reached = self._with_replaced()
        waiting = set(reached)
        while waiting:
            edges = sync_registers.edges_to(self._db, waiting, REPLACING)
            for edge in edges:
                replaced_by.setdefault(edge.target, []).append(edge.source)
            fresh = self._read({edge.source for edge in edges} - reached.keys())
            reached |= fresh
            waiting = {one.id for one in fresh.values() if _is_archived(one)}
        return replaced_by, reached

    def _with_replaced(self) -> dict[str, Registers]:
        """Return what is loaded, and what that has replaced, through archived facts."""
        reached = dict(self._known)
        waiting = set(reached)
        while waiting:
            edges = sync_registers.edges_from(self._db, waiting, REPLACING)
            fresh = self._read({edge.target for edge in edges} - reached.keys())
            reached |= fresh
            waiting = {one.id for one in fresh.values() if _is_archived(one)}
        return reached

    def _shown(self, one: Registers, ruling: Ruling | None) -> Fact | None:
        """Return the fact as it is shown, None for one that is not there; note the ruling."""
        one.ruled = one.by = None
        one.extra = one.extra_last = 0
        if not one.is_whole():
            return None
        if ruling is None:
            return one.fact()
        one.ruled, one.by = ruling.why, ruling.by
        one.extra = ruling.fact.access_count - one.count()
        if ruling.fact.last_accessed_at != one.last():
            one.extra_last = ruling.fact.last_accessed_at
        return ruling.fact

    def _write(self, shown: dict[str, Fact | None]) -> set[str]:
        """Write the facts that are not as they are shown; return the ids of those that came."""
        gone: list[int] = []
        new: list[Fact] = []
        for fact_id, after in shown.items():
            one = self._known[fact_id]
            before = one.row
            if before is not None and one.seq is not None and (
                after is None or _is_other(before, after)
            ):
                gone.append(one.seq)
                before = None
            if after is None:
                continue
            if before is None:
                new.append(after)
                if own := one.uses.get(self._own):  # what this machine said of it came back too
                    own[BROUGHT] = max(own[BROUGHT], own[SAID])
                continue
            writes.change(self._db, before, after, is_synced=True)
            self._use(before, after)
        sync_registers.take_out(self._db, gone)
        for fact in sorted(new, key=lambda fact: (fact.created_at, fact.id)):
            terms = index_terms(fact.content, analyzer=self._analyzer)
            origin = self._known[fact.id].origin
            writes.insert(self._db, fact, origin_number=origin, terms=terms, is_synced=True)
            never = replace(fact, access_count=0, last_accessed_at=fact.created_at)
            self._use(never, fact)
        return {fact.id for fact in new}

    def _use(self, before: Fact, after: Fact) -> None:
        used = (after.access_count, after.last_accessed_at)
        if used != (before.access_count, before.last_accessed_at):
            uses.put_of(self._db, after)

    def _edges(
        self, stated: Iterable[EdgeRow], came: set[str],
        was: dict[str, tuple[str | None, str | None]],
    ) -> None:  # fmt: skip
        """Write the edges that have changed, those of facts that came, and those of rulings."""
        rows: dict[tuple[str, str, str], EdgeRow] = {}
        for row in (*stated, *sync_registers.edges_of(self._db, came)):
            rows[row.source, row.kind, row.target] = row
        ruled = {
            (one.by, kind, one.id): one
            for one in self._known.values() if one.ruled is not None and one.by is not None
            for kind in EDGES[one.ruled]
        }  # fmt: skip
        earlier = {
            (by, kind, fact_id)
            for fact_id, (why, by) in was.items() if why is not None and by is not None
            for kind in EDGES[why]
        }  # fmt: skip
        for key in sorted({*rows, *earlier, *ruled}):
            held = rows.get(key) or sync_registers.edge(self._db, *key)
            if held is not None and held.present:
                made = (held.reason, held.strength, held.created_at)
                sync_registers.put_edge(self._db, Link(*key, *made))
            elif key in ruled:
                at = self._at(ruled[key])
                sync_registers.put_edge(self._db, Link(*key, created_at=at))
            else:
                sync_registers.drop_edge(self._db, *key)

    def _at(self, one: Registers) -> int:
        """Return the time of the edge of a ruling: the same on every replica."""
        by = self._known.get(one.by or "")
        born = [int(each.values["created_at"]) for each in (one, by) if each and each.values]
        return max(born)

    def _note(self, shown: dict[str, Fact | None]) -> None:
        """Note when what is shown was stated, where the journal here does not tell so."""
        told = [one for one in self._known.values() if one.is_whole()]
        native = statements.stated(self._db, viewer=EVERYONE, ids=[one.id for one in told])
        stated: dict[str, Times] = {}
        gone: dict[str, str] = {}
        for one in told:
            born = one.values["created_at"]
            wanted = Times(one.at(CHANGED), one.at(SAID))
            elsewhere = one.said_elsewhere(self._own)
            held = native.get(one.id, StatedAt(0, 0, 0))
            reason = _GONE.get(one.ruled or "") or one.gone()
            if reason is None and one.values["lifecycle"] == "archived":
                reason = "unknown"
            elif reason is None and _is_gone(shown[one.id]):
                reason = "superseded"  # in its slot, by a value that does not hold any more
            has = Times(max(held.changed_at, born), max(held.spoken, held.brought, born))
            if has != wanted or held.brought > elsewhere or reason is not None:
                stated[one.id] = Times(wanted.changed_at, elsewhere)
                if reason is not None:
                    gone[one.id] = reason
        statements.note(self._db, stated, gone, is_all=True)

    def _author(self, one: Registers) -> str:
        return "" if one.birth is None else self._ids[one.birth[1]]

    def _stamp(self, one: Registers, name: str) -> Stamp:
        mark = one.mark(name)
        return (0, "") if mark is None else (mark[0], self._ids[mark[1]])


def _is_archived(one: Registers) -> bool:
    return one.is_whole() and one.values["lifecycle"] != "active"


def _is_gone(fact: Fact | None) -> bool:
    return fact is not None and fact.lifecycle == "archived"


def _corrects(by: Fact, fact: Fact) -> bool:
    """Say whether new words hold wherever the old ones did."""
    return same_place(by, fact) and holds_from(by) <= holds_from(fact)


def _is_known(one: Registers) -> bool:
    return one.birth is not None or bool(one.marks) or bool(one.uses)


def _is_other(before: Fact, after: Fact) -> bool:
    """Say whether a fact under the same id says another thing."""
    return any(getattr(before, name) != getattr(after, name) for name in FIXED)

