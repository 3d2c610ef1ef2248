"""What a write will ask of a memory on a server, so that it takes few round trips.

Everything here is a guess: what was not foreseen is asked when it is needed, and what was foreseen
and is not needed is not looked at.
"""

from __future__ import annotations

from tideline_cli.memory import near_duplicates
from tideline_cli.model.text import index_terms
from tideline_cli.store import (
    common_postings,
    facts,
    fts,
    slots,
    visibility,
    writes,
)
from tideline_cli.store.postgres import term_lists
from tideline_cli.store.postgres.known_answers import standing_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.model.fact import NewFact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.postgres.promising import Promising

_ALIKE = 2  # the list of the server's of facts that may say the same
_MOST_ALIKE = 257


def of_facts(
    db: Connection, ahead: Promising, references: Sequence[str], *, viewer: Origin
) -> None:
    """Foresee what is asked of facts that are named, with the next transaction."""
    ahead.foresee(*[
        lambda one=one: facts.find(db, one, viewer=viewer) for one in references
    ])  # fmt: skip


def of_remember(db: Connection, ahead: Promising, new: NewFact, *, fact_id: str) -> None:
    """Foresee what is asked before a fact is stored, with the next transaction."""
    of_facts(db, ahead, new.supersedes, viewer=new.origin)
    ahead.foresee_fact(writes.INSERT, fact_id)
    ahead.foresee(lambda: _of_twins(db, ahead, new))
    slot = new.slot
    if slot is not None:
        ahead.foresee(
            lambda: slots.values_in(db, slot, scope=new.scope, viewer=new.origin)
        )


def _of_twins(db: Connection, ahead: Promising, new: NewFact) -> None:
    """Foresee what is asked of facts that may say the same."""
    origin = ahead.origins.get(new.origin.key, visibility.NOBODY)
    analyzer: Analyzer = ahead.guess.get("analyzer", "standard")
    distinct = frozenset(index_terms(new.content, analyzer=analyzer).said)
    if not distinct or origin == visibility.NOBODY:
        return
    terms = sorted(near_duplicates.probed(distinct))
    stored = [common_postings.indexed(term, origin_number=origin) for term in terms]
    ahead.fill(
        term_lists.TERMS, (origin, terms, stored),
        lambda rows: term_lists.fillers(rows, origin_number=origin), texts=term_lists.FILLED,
    )  # fmt: skip
    own = [common_postings.indexed(term, origin_number=origin)
           for term in near_duplicates.probed(distinct)]  # fmt: skip
    least = near_duplicates.least_shared(distinct)
    ahead.find_list(_ALIKE, term_lists.MANY_OF, (own, least, _MOST_ALIKE))
    alike = [standing_for(_ALIKE)]
    ahead.foresee(
        lambda: list(fts.terms_of(db, alike, origin_number=origin)),
        lambda: facts.with_terms(db, alike, viewer=new.origin),
    )
