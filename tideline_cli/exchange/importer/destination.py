"""Storing the rows of an import: as they are, each under its id, one value at a time in a slot."""

from __future__ import annotations

from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.exchange.importer.cells import past
from tideline_cli.exchange.importer.row_links import References, RowLinks, RowTimes
from tideline_cli.exchange.importer.rows import (
    ORIGINAL_ID,
    fact_from,
    minted_id,
    vouched_id,
    was_confined,
    was_limited,
)
from tideline_cli.memory.succession import repaint
from tideline_cli.model.edge import SUPERSEDES
from tideline_cli.model.fields import CHANGEABLE
from tideline_cli.model.origin import EVERYONE, Origin
from tideline_cli.model.record import replace
from tideline_cli.model.saying import Times, as_told
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.gate import may_touch
from tideline_cli.policy.periods import ended, holds_from
from tideline_cli.store import facts, labels, links, references, uses, visibility, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from apsw import Connection

    from tideline_cli.exchange.importer.prepared import Prepared
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.model.fact import Fact

# What is another state of a fact. Use and heat are none: they move by reading and by dreams; what a
# fact cites may wait for facts to come; and the metadata keep the id that a row has stated.
_STATE = tuple(name for name in CHANGEABLE if name not in ("heat", "derived_from", "metadata"))


class Destination:
    """The store as one import sees it; every call but `number` is made in an open batch."""

    def __init__(self, db: Connection, context: ImportContext, summary: ImportSummary) -> None:
        self._db = db
        self._context = context
        self._summary = summary
        self._names = References(db, context)
        self._numbers: dict[str, int] = {}
        self._stated: set[str] = set()  # ids of this run, where a program keeps the list
        self.row_ids = RowIds(db, context)
        self.times = RowTimes(db, context)
        self.row_links = RowLinks(db, context, self._names, summary, self.times)

    def number(self, key: str) -> int:
        """Return the number of the origin of a key; it never changes once it is given."""
        if key not in self._numbers:
            self._numbers[key] = visibility.ensure_number(self._db, Origin(key))
        return self._numbers[key]

    def put(self, ready: Prepared) -> Fact | None:
        """Store the fact of a row as it is, with its use, unless the store has it already. Return
        the fact if it is new."""
        stated = self.row_links.citing(ready.fact)
        earlier = self.row_ids.older(ready, stated)
        if earlier is not None:
            self.present(ready, stated, earlier)
            return None
        fact = stated
        for fact in self.row_ids.attempts(ready, stated):
            if self._insert(ready, fact):
                self._stated.add(fact.id)
                return fact
        try:
            if self._context.are_kept and ready.row.get("id"):
                return self.kept(ready, fact)
            self.present(ready, fact, self.row_ids.there(fact))
        except UsageError as error:
            self._summary.refuse(ready.line, error)
        return None

    def _insert(self, ready: Prepared, fact: Fact) -> bool:
        number = self.number(fact.origin.key)
        if not writes.insert(self._db, fact, origin_number=number, terms=ready.terms):
            return False
        self.put_use(fact)
        self.times.bring_new(ready.row, fact)
        self.added(ready, fact)
        return True

    def kept(self, ready: Prepared, stated: Fact) -> Fact | None:
        """Bring what a program keeps under an id to what its list says now: work that was done
        since is done, and another text than the list had last replaces what stands, which somebody
        may have reworded; return the fact if it is new.

        Raises UsageError where that is another's, or the list says two things under one id.
        """
        versions = self.row_ids.versions(stated)
        known, is_twice = versions[-1], stated.id in self._stated
        ids = (_version_id(stated, place) for place in range(len(versions)))
        listed = [one for one, own in zip(versions, ids, strict=True) if one.id == own][-1]
        self._stated.add(stated.id)
        self._summary.ids.add(known.id)
        is_done = stated.progress == "done"
        if stated.content in (known.content, listed.content) or is_done:
            if is_done and known.progress != "done" and known.lifecycle == "active":
                known = replace(known, progress="done")
                writes.change(self._db, versions[-1], known)
                self._summary.brought["relabelled"] += 1
                self.known(ready, known)
            elif not self._said_later(ready, known):
                self.present(ready, stated, known)
            return None
        if is_twice or not may_touch(stated.source, known.source):
            raise UsageError(f"{stated.id} is there with another text", hint="leave the id out")
        now = self._context.now
        new = replace(
            stated, id=_version_id(stated, len(versions)),
            created_at=stated.created_at if stated.created_at > known.created_at else now,
            metadata={ORIGINAL_ID: stated.id} | dict(stated.metadata or {}),
        )  # fmt: skip
        if not self._insert(ready, replace(new, last_accessed_at=new.created_at)):
            raise UsageError(f"the id {new.id} is taken", hint="leave the id out")
        links.add_all(self._db, new.id, SUPERSEDES, known.id, now=now)
        if known.lifecycle == "active":
            writes.change(self._db, known, ended(known, at=holds_from(new), now=now))
            self.times.end(known, by=new)
            self._summary.superseded += 1
        self._summary.ids.add(new.id)
        return new

    def _said_later(self, ready: Prepared, known: Fact) -> bool:
        """Say whether a row says that its fact was said later than is known, which is stored."""
        at = past(ready.row, "said_at", self._context.now)
        if at is None or known.lifecycle != "active" or at <= known.last_accessed_at:
            return False
        uses.put(self._db, known.id, access_count=known.access_count, last_accessed_at=at)
        self.times.bring(known, Times(self.times.of(known).changed_at, at))
        self._summary.used += 1
        self._summary.present += 1
        self.known(ready, known)
        return True

    def added(self, ready: Prepared, fact: Fact) -> None:
        """Count a row whose fact has just been stored, and keep what it says of other facts."""
        self._summary.added += 1
        self._summary.confined += was_confined(ready.row, fact)
        self.taken(ready, fact)

    def added_plain(self, count: int) -> None:
        """Count rows whose facts have just been stored, and that say nothing of other facts."""
        self._summary.added += count

    def taken(self, ready: Prepared, fact: Fact) -> None:
        """Count a row of which something was not taken as stated, and keep what it says of other
        facts. `fact` is the fact in the store that says what the row says."""
        self._summary.limited += was_limited(
            ready.row, ready.fact, trusted=self._context.trusted, now=self._context.now
        )
        self._summary.renamed += bool(ready.row.get("id")) and fact.id != str(ready.row["id"])
        self.known(ready, fact)

    def present(self, ready: Prepared, stated: Fact, known: Fact) -> None:
        """Count a row whose fact is in the store already. What the row says of other facts may not
        be there yet, so it is kept."""
        self._summary.present += 1
        self._summary.differing += differs(known, stated)
        self.known(ready, known)

    def settle(self, new: Iterable[Fact]) -> None:
        """Paint the slots that have new values."""
        by_slot: dict[tuple[str, str | None, str], dict[str, Fact]] = {}
        for fact in new:
            if fact.slot is not None:
                by_slot.setdefault((fact.origin.key, fact.scope, fact.slot), {})[fact.id] = fact
        for (key, scope, slot), come in by_slot.items():
            values = labels.painted_values(self._db, slot, scope=scope, viewer=Origin(key))
            if not values:
                continue
            said = {value.id: self.times.of(value).said_at for value in values}
            _, gone = repaint(self._db, values[0], now=max(said.values()), by=None, said=said)
            for end in gone:
                changed = self.times.of(end.before).changed_at  # to be painted over is no change
                self.times.bring(end.before, Times(changed, 0), gone="superseded")
                if end.before.lifecycle == "active":
                    self._summary.superseded += end.by.id in come
                    self._summary.older += end.by.id not in come

    def put_use(self, fact: Fact) -> None:
        """Store the use of a fact that has just come, if it has any."""
        if fact.access_count or fact.last_accessed_at != fact.created_at:
            uses.put(
                self._db, fact.id, access_count=fact.access_count,
                last_accessed_at=fact.last_accessed_at,
            )  # fmt: skip

    def known(self, ready: Prepared, fact: Fact) -> None:
        """Keep what a row says of other facts; `fact` is what became of its fact."""
        self._names.note(ready.fact.origin, ready.row.get("id"), fact.id)
        self.row_links.note(ready.line, ready.row, ready.fact, fact)


class RowIds:
    """Chooses the id of each row's fact, and finds the facts that are there under such an id."""

    def __init__(self, db: Connection, context: ImportContext) -> None:
        self._db = db
        self._context = context
        self._repeats: dict[str, int] = {}
        self._last_before = facts.last_number(db)

    def attempts(self, ready: Prepared, fact: Fact) -> Iterator[Fact]:
        """Yield the fact of a row under one id after the other, until one is free: its own; one for
        rows that are vouched for, where an untrusted fact has that; one for equal rows."""
        yield fact
        vouched = self.vouched(fact, ready)
        if vouched is not fact:
            yield vouched
        if not ready.row.get("id"):
            yield self._next_repeat(ready, fact, vouched.id)

    def older(self, ready: Prepared, fact: Fact) -> Fact | None:
        """Return the fact of a row whose id is not taken and which is there under that id all the
        same: earlier programs took it."""
        if not ready.row.get("id") or (fact.metadata or {}).get(ORIGINAL_ID) is None:
            return None
        its = str(ready.row["id"])
        if not references.has_text(self._db, its, fact.content, viewer=fact.origin):
            return None
        return None if self._is_unvouched(fact, its) else self._held(its, fact)

    def known(self, ready: Prepared, fact: Fact) -> Fact | None:
        """Return what is there under the id of a row, or under that of a row that is vouched for;
        raise UsageError where that is something else."""
        earlier = self.older(ready, fact)
        if earlier is not None:
            return earlier
        own = self.vouched(fact, ready)
        return self.there(own) if references.is_taken(self._db, own.id) else None

    def there(self, fact: Fact) -> Fact:
        """Return what has the id of a fact; raise UsageError unless it is that fact."""
        known = self._held(fact.id, fact)
        if known is None:
            raise UsageError(f"the id {fact.id} is taken", hint="leave the id out")
        if known.content != fact.content:
            raise UsageError(f"{fact.id} is there with another text", hint="leave the id out")
        return known

    def versions(self, fact: Fact) -> list[Fact]:
        """Return what a program has kept under the id of a fact, each replaced by the next one;
        raise UsageError where something else has the id."""
        known = self._held(fact.id, fact)
        if known is None:
            raise UsageError(f"the id {fact.id} is taken", hint="leave the id out")
        found = [known]
        while (known := self._successor(found[-1], fact)) is not None and known not in found:
            found.append(known)
        return found

    def _successor(self, known: Fact, fact: Fact) -> Fact | None:
        """Return what has replaced a fact under the id that its program has given it."""
        own = (fact.metadata or {}).get(ORIGINAL_ID, fact.id)
        for link in links.arriving(self._db, known.id, viewer=fact.origin):
            if link.kind == "supersedes":
                other = facts.find(self._db, link.source, viewer=fact.origin)
                if (other.metadata or {}).get(ORIGINAL_ID) == own:
                    return other
        return None

    def vouched(self, fact: Fact, ready: Prepared) -> Fact:
        """Return a trusted row's fact under an id of its own where an untrusted fact has its id,
        with the same words or others: a file that is vouched for now is not there already."""
        if not self._is_unvouched(fact, fact.id):
            return fact
        metadata = fact.metadata
        if ready.row.get("id"):
            metadata = {ORIGINAL_ID: fact.id} | dict(metadata or {})
        return replace(fact, id=vouched_id(fact.origin, fact.id), metadata=metadata)

    def free(self, ready: Prepared, fact: Fact) -> str:
        """Return an id for the fact of a row that is not there under its own id: of equal rows
        without an id each has another."""
        made, repeat = fact, 0
        while references.is_taken(self._db, made.id) and not ready.row.get("id"):
            repeat += 1
            made = self.vouched(fact_from(ready.row, self._context, repeat=repeat), ready)
        return made.id

    def _held(self, fact_id: str, fact: Fact) -> Fact | None:
        """Return what has exactly this id in the origin of a fact."""
        try:
            known = facts.find(self._db, fact_id, viewer=fact.origin)
        except (NotFoundError, UsageError):
            return None
        return known if known.id == fact_id else None

    def _is_unvouched(self, fact: Fact, fact_id: str) -> bool:
        """Say whether this id belongs to an untrusted fact, and the row is trusted."""
        if not is_trusted(fact.source):
            return False
        source = references.source_of(self._db, fact_id, viewer=fact.origin)
        return source is not None and not is_trusted(source)

    def _next_repeat(self, ready: Prepared, fact: Fact, first: str) -> Fact:
        """Return the fact of a row that says the same as an earlier one, of this run or of one
        that was cut short; `first` is the id of that."""
        seen = self._repeats.get(first, 0)
        self._repeats[first] = seen + 1
        is_older = self._is_older(first)
        if seen == 0 and is_older:
            return fact if first == fact.id else self.vouched(fact, ready)
        repeat = seen if is_older else seen + 1
        made = fact_from(ready.row, self._context, repeat=repeat)
        return self.vouched(replace(made, derived_from=fact.derived_from), ready)

    def _is_older(self, fact_id: str) -> bool:
        """Say whether a fact was there before this run."""
        return facts.number_of(self._db, fact_id, viewer=EVERYONE) <= self._last_before


def _version_id(fact: Fact, place: int) -> str:
    """Return the id of the n-th text that a list has had under the id of a fact, from 0 on."""
    return minted_id(fact.origin, f"{fact.id}\x1f{place}") if place else fact.id


def differs(known: Fact, stated: Fact) -> bool:
    """Say whether a fact that is there is in another state than a row states, as both were said."""
    one, other = as_told(known), as_told(stated)
    return any(getattr(one, name) != getattr(other, name) for name in _STATE)
