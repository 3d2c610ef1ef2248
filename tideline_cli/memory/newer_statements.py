"""What a newer statement of the same subject does: a new fact is told what it may contradict, and
among hits it stands before the older one.

Few facts contradict each other, so pairs are screened by their words, and the rules are loaded for
those that pass.
"""

from __future__ import annotations

from itertools import combinations

from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import stem, terms
from tideline_cli.policy import statements
from tideline_cli.ranking.bm25 import condition_for
from tideline_cli.store import facts, fts, visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from apsw import Connection

    from tideline_cli.memory.query import Match
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.policy.contradictions import ComparedFact, Contradiction
    from tideline_cli.policy.statements import Gist
    from tideline_cli.ranking.bm25 import Condition

_ASKED = 12  # words that a new fact is looked for by: the longest, which are rare
_LONGEST = 4  # words of it of which all but one are in a fact that is looked for
_READ = 12  # facts that are read for a new one, by each way to look for them
_MOST_NAMED = 3
COMPARED = 10
"""So many hits are compared, the best ones, however many are asked for."""


def contradicted(db: Connection, fact: Fact, *, viewer: Origin) -> tuple[ComparedFact, ...]:
    """Return the active facts of a viewer, of the scope and speaker of a new fact, that it may
    contradict, the strongest first; a few, and bounded in time."""
    if not _is_compared(fact):
        return ()
    said = statements.gist(fact.content)
    near = _near_new(db, fact, said, viewer=viewer)
    found = [
        pair for other in facts.get(db, near, viewer=viewer).values()
        if other.id != fact.id and other.scope == fact.scope and _is_compared(other)
        and (fact.slot is None or other.slot != fact.slot)  # a slot orders its values
        and statements.may_contradict(said, statements.gist(other.content))
        and (pair := _judged(fact, other)) and _overlap(fact, other)
    ]  # fmt: skip
    if not found:
        return ()
    from tideline_cli.policy.contradictions import order  # noqa: PLC0415  few facts contradict any

    best = sorted(found, key=order)[:_MOST_NAMED]
    return tuple(pair.b if pair.a.id == fact.id else pair.a for pair in best)


def newer_first(matches: list[Match], read: Mapping[int, Fact]) -> list[Match]:
    """Return matches in order, where each that may contradict an older one scores no less than that
    one, and so stands before it. What nobody trusts moves before nothing that is trusted. `read`
    are the facts by number that are compared."""
    compared = [read.get(one.seq) for one in matches[:COMPARED]]
    gists: dict[int, Gist] = {}

    def gist(place: int, fact: Fact) -> Gist:
        if place not in gists:
            gists[place] = statements.gist(fact.content)
        return gists[place]

    moved = [*matches]
    for place, other in combinations(range(len(compared)), 2):
        old, new = compared[place], compared[other]
        if (
            old is None or new is None or new.created_at <= old.created_at
            or old.speaker != new.speaker or not (_is_compared(old) and _is_compared(new))
            or (is_trusted(old.source) and not is_trusted(new.source))
            or not statements.may_contradict(gist(place, old), gist(other, new))
            or _judged(old, new) is None
        ):  # fmt: skip
            continue
        first, then = moved[place], moved[other]
        more = max(first.score - then.score, 0.0)
        why = replace(then.why, newer=then.why.newer + more)
        moved[other] = replace(then, score=then.score + more, why=why)
    return matches if moved == matches else sorted(moved, key=lambda match: match.order())


def _is_compared(fact: Fact) -> bool:
    return not fact.document and len(fact.content) <= statements.MAX_TEXT


def _judged(one: Fact, other: Fact) -> Contradiction | None:
    from tideline_cli.policy import contradictions as policy  # noqa: PLC0415  few pairs may

    def told(fact: Fact) -> tuple[ComparedFact, policy.Statement]:
        return policy.compared_fact(fact), policy.statement(fact.content)

    return policy.judged(*told(one), *told(other))


def _overlap(one: Fact, other: Fact) -> bool:
    from tideline_cli.policy.periods import overlap  # noqa: PLC0415  few facts contradict any

    return overlap(one, other)


def _near_new(db: Connection, fact: Fact, said: Gist, *, viewer: Origin) -> list[int]:
    """Return by number the newest active facts that hold a word of a new one which few hold, those
    that hold all but one of its longest words, and for a move those that say who lives where."""
    number = visibility.number(db, viewer)
    asked = {*terms(fact.content, analyzer="standard")} - statements.NOT_TELLING
    longest = sorted(asked, key=lambda term: (-len(term), term))[:_ASKED]
    rare = tuple(
        term for term in longest
        if fts.rarity(db, term, origin_number=number, enough=_READ) < _READ
    )
    most = dict.fromkeys(longest[:_LONGEST], 1.0)
    nearly_all = condition_for(most, max(len(most) - 1, 1))
    homes = tuple(map(stem, sorted(statements.LIVING))) if statements.tells_of_living(said) else ()
    wanted: list[Condition] = [nearly_all] if nearly_all else []
    wanted += [("OR", words) for words in (rare, homes) if words]
    found: dict[int, None] = {}
    for condition in wanted:
        found |= dict.fromkeys(fts.holding_all(
            db, [condition], origin_number=number, lifecycle="active", limit=_READ
        ))  # fmt: skip
    return [*found]
