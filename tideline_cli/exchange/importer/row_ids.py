"""Under which id the fact of a row is stored, and whether it is there already."""

from __future__ import annotations

from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.exchange.importer.rows import ORIGINAL_ID, fact_from, vouched_id
from tideline_cli.model.fields import CHANGEABLE
from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.record import replace
from tideline_cli.model.saying import as_told
from tideline_cli.model.source import is_trusted
from tideline_cli.store import facts, references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from apsw import Connection

    from tideline_cli.exchange.importer.prepared import Prepared
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.model.fact import Fact

# What is another state of a fact. Use and heat are none: they move by reading and by dreams; what a
# fact cites may wait for facts to come; and the metadata keep the id that a row has stated.
_STATE = tuple(
    name for name in CHANGEABLE if name not in ("heat", "derived_from", "metadata")
)


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


def differs(known: Fact, stated: Fact) -> bool:
    """Say whether a fact that is there is in another state than a row states, as both were said."""
    one, other = as_told(known), as_told(stated)
    return any(getattr(one, name) != getattr(other, name) for name in _STATE)
