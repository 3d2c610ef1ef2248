"""Which facts a new one may contradict: found by its words, and screened by theirs before whole
facts are read and the rules of contradictions are loaded."""

from __future__ import annotations

from tideline_cli.model.text import stem
from tideline_cli.policy import statements
from tideline_cli.ranking.bm25 import condition_for
from tideline_cli.store import facts, fts, reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.policy.contradictions import ComparedFact, Statement
    from tideline_cli.policy.statements import Gist
    from tideline_cli.ranking.bm25 import Condition

_LONGEST = 4  # words of it of which all but one are in a fact that is looked for
_READ = 12  # facts that are read for a new one, by each way to look for them
_MOST_NAMED = 3


def contradicted(
    db: Connection, fact: Fact, counts: Mapping[str, int], *, viewer: Origin, origin_number: int
) -> tuple[ComparedFact, ...]:
    """Return the active facts of a viewer, of the scope and speaker of a new fact, that it may
    contradict, the strongest first; a few, and bounded in time. `counts` says in how many others
    its longest words are, longest first."""
    if not _is_compared(fact):
        return ()
    said = statements.gist(fact.content)
    near = [
        seq for seq, text in _near_new(db, said, counts, origin_number).items()
        if text != fact.content and len(text) <= statements.MAX_TEXT
        and statements.may_contradict(said, statements.gist(text))
    ]  # fmt: skip
    if not near:
        return ()
    from tideline_cli.policy import contradictions as policy  # noqa: PLC0415  few may contradict
    from tideline_cli.policy.periods import overlap  # noqa: PLC0415  as above

    def told(one: Fact) -> tuple[ComparedFact, Statement]:
        return policy.compared_fact(one), policy.statement(one.content)

    found = [
        pair for other in facts.get(db, near, viewer=viewer).values()
        if other.id != fact.id and other.scope == fact.scope and _is_compared(other)
        and (fact.slot is None or other.slot != fact.slot)  # a slot orders its values
        and overlap(fact, other)
        and (pair := policy.judged(*told(fact), *told(other)))
    ]  # fmt: skip
    best = sorted(found, key=policy.order)[:_MOST_NAMED]
    return tuple(pair.b if pair.a.id == fact.id else pair.a for pair in best)


def _is_compared(fact: Fact) -> bool:
    return not fact.document and len(fact.content) <= statements.MAX_TEXT


def _near_new(
    db: Connection, said: Gist, counts: Mapping[str, int], origin_number: int
) -> dict[int, str]:
    """Return by number the texts of the newest active facts that hold a word of a new one which few
    hold, of those that hold all but one of its longest words, and for a move of those that say who
    lives where."""
    longest = [term for term in counts if term not in statements.NOT_TELLING]
    rare = tuple(term for term in longest if counts[term] < _READ - 1)  # with the new fact
    most = dict.fromkeys(longest[:_LONGEST], 1.0)
    nearly_all = condition_for(most, max(len(most) - 1, 1))
    homes = tuple(map(stem, sorted(statements.LIVING))) if statements.tells_of_living(said) else ()
    wanted: list[Condition] = [nearly_all] if nearly_all else []
    wanted += [("OR", words) for words in (rare, homes) if words]
    found: dict[int, str] = {}
    for texts in reads.together(db, *[
        fts.texts_holding(condition, origin_number=origin_number, limit=_READ)
        for condition in wanted
    ]):  # fmt: skip
        found |= texts
    return found
