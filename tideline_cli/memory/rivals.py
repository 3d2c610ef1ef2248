"""Which stored facts a new one may meet: those that may say the same, found by their terms; and
those that it may contradict, screened by their words before whole facts are read and the rules of
contradictions are loaded."""

from __future__ import annotations

from math import ceil, comb

from tideline_cli.model.text import said_terms, stem
from tideline_cli.policy import statements
from tideline_cli.policy.admit import Rival
from tideline_cli.policy.sameness import MOST_SIMILAR, SAME_TERMS, jaccard, stated_text
from tideline_cli.ranking.bm25 import condition_for
from tideline_cli.store import facts, fts, reads
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.policy.contradictions import ComparedFact, Statement
    from tideline_cli.policy.sameness import Sameness
    from tideline_cli.policy.statements import Gist
    from tideline_cli.ranking.bm25 import Condition
    from tideline_cli.store.reads import Read

_MAX_LEAVES = 300
_RARE = 64
_PROBES = 8  # terms to ask for beyond those that a twin may miss
_ROUNDING = 1e-9
_MANY = 256  # facts that are cheaper to read than to look up in the bytes of all
_READ_SOONER = 1024  # facts that are cheaper to read than to look for among the holders of a term
_FEW = 64  # facts that are looked at for the nearest: all that may be near, or the newest of them
_FIRST = MOST_SIMILAR + 1  # of those near that are read with the statement, which may be one
_MOST_ASKED = 64  # terms that the holders of a statement are asked for


def rule_of(db: Connection) -> Sameness:
    """Return the rule of a store by which two facts say the same."""
    rule: Sameness = setting(db, "sameness", "strict")  # type: ignore[assignment]
    return rule


def term_counts(db: Connection, distinct: frozenset[str], *, origin_number: int) -> dict[str, int]:
    """Return in how many facts each of the longest terms occurs, longest first: long terms are
    rare, and facts like a new one are looked for by them."""
    return counts_beside(db, distinct, (), origin_number=origin_number)[0]


def counts_beside(
    db: Connection, distinct: frozenset[str], others: Sequence[Read[Any]], *, origin_number: int
) -> tuple[dict[str, int], list[Any]]:
    """Return the same, and what other reads say that go along."""
    asked = probed(distinct)
    found = reads.together(
        db, *fts.rarities(asked, origin_number=origin_number, enough=_RARE), *others
    )
    return dict(zip(asked, found, strict=False)), found[len(asked) :]


def twins(
    db: Connection, text: str, distinct: frozenset[str], counts: Mapping[str, int], *,
    viewer: Origin, origin_number: int, rule: Sameness,
) -> Iterator[Rival]:  # fmt: skip
    """Yield the active facts of this origin that may say the same as `text`, then those that are
    much like it. `counts` are what `term_counts` says of its terms.

    Lazy: no more facts are read from the store than the caller needs. First the facts of the very
    statement come, oldest first, then those near it, nearest first. By the rule
    `reference` all whose terms are nearly those of `text` come, oldest first.
    """
    if rule == "reference":
        near = list(_sharing(db, distinct, counts, origin_number))
        yield from _loaded(db, near, viewer)
        return
    holders = _Holders(db, distinct, counts, origin_number, viewer)
    same = holders.stating(text)
    yield from (Rival(fact, distinct) for fact in same)
    seen = {fact.id for fact in same}
    near = holders.nearest()
    for few in (near[:_FIRST], near[_FIRST:]):
        holders.read([seq for seq, _ in few])
        for seq, theirs in few:
            yield from (Rival(one, theirs) for one in holders.read([seq]) if one.id not in seen)


def stating(
    db: Connection, text: str, distinct: frozenset[str], *, viewer: Origin, origin_number: int
) -> list[Fact]:
    """Return the active facts of this origin that are the same statement as `text`, oldest first.
    Where hundreds hold the same terms, it is found among the newest of them."""
    counts = term_counts(db, distinct, origin_number=origin_number)
    return _Holders(db, distinct, counts, origin_number, viewer).stating(text)


class _Holders:
    """The active facts that hold most of some terms: all where they are few, else the newest, so
    that a write costs the same however many facts are alike."""

    def __init__(
        self, db: Connection, distinct: frozenset[str], counts: Mapping[str, int],
        origin_number: int, viewer: Origin,
    ) -> None:  # fmt: skip
        self._db = db
        self._distinct = distinct
        self._origin_number = origin_number
        self._viewer = viewer
        self._facts: dict[int, Fact] = {}  # that were read
        self._condition = _condition(distinct, counts)
        found = {} if self._condition is None else fts.holding_facts(
            db, self._condition, origin_number=origin_number, limit=_FEW + 1
        )  # fmt: skip
        self._are_few = len(found) <= _FEW
        if self._are_few:
            there = {seq: one for seq, one in found.items() if one[0].lifecycle == "active"}
            self._facts = {seq: fact for seq, (fact, _) in there.items()}
            self._near = [(seq, frozenset(said_terms(held))) for seq, (_, held) in there.items()]
        else:
            self._near = self._terms_of(self._newest(self._condition, _FEW))

    def stating(self, text: str) -> list[Fact]:
        """Return the facts that are the same statement as a text of these terms, oldest first. The
        nearest ones are read with them."""
        if not self._distinct:
            found = facts.without_terms(self._db, viewer=self._viewer, limit=_MANY)
        else:
            near = self._near
            if not self._are_few:
                near = self._terms_of(self._of_these_terms())
            seqs = [seq for seq, theirs in near if theirs == self._distinct]
            self.read([*seqs, *(seq for seq, _ in self.nearest()[:_FIRST])])
            found = self.read(seqs)
        wanted = stated_text(text)
        return [fact for fact in found if stated_text(fact.content) == wanted]

    def read(self, seqs: Sequence[int]) -> list[Fact]:
        """Return those of the facts that are there, each read once."""
        if missing := [seq for seq in seqs if seq not in self._facts]:
            self._facts |= facts.get(self._db, missing, viewer=self._viewer)
        return [self._facts[seq] for seq in seqs if seq in self._facts]

    def nearest(self) -> list[tuple[int, frozenset[str]]]:
        """Return (number, terms) of the facts near, those first that share the most terms, then
        the newest."""
        shares = [(jaccard(self._distinct, theirs), seq, theirs) for seq, theirs in self._near]
        near = [one for one in shares if one[0] >= SAME_TERMS]
        near.sort(reverse=True, key=lambda one: one[:2])
        return [(seq, theirs) for _, seq, theirs in near]

    def _of_these_terms(self) -> list[int]:
        """Return the facts that hold all of the terms; of hundreds the newest that hold no more."""
        # What is in few facts comes first: figures, then long words.
        asked = sorted(self._distinct, key=lambda term: (term.isalpha(), -len(term), term))
        condition = ("AND", tuple(asked[:_MOST_ASKED]))
        found = self._newest(condition, _MANY)
        if len(found) < _MANY:
            return found
        size = len(self._distinct)
        return _of_size(self._db, condition, size, size, self._origin_number)[-_MANY:]

    def _newest(self, condition: Condition | None, limit: int) -> list[int]:
        if condition is None:
            return []
        return reads.alone(self._db, fts.holding_all(
            (condition,), origin_number=self._origin_number, lifecycle="active", limit=limit
        ))  # fmt: skip

    def _terms_of(self, seqs: list[int]) -> list[tuple[int, frozenset[str]]]:
        held = fts.terms_of(self._db, seqs, origin_number=self._origin_number) if seqs else ()
        return [(seq, frozenset(said_terms(joined))) for seq, joined in held]


def _loaded(
    db: Connection, found: list[tuple[int, frozenset[str]]], viewer: Origin
) -> Iterator[Rival]:
    for seq, theirs in found:
        for twin, _ in facts.with_terms(db, [seq], viewer=viewer):
            yield Rival(twin, theirs)


def sharing(
    db: Connection, distinct: frozenset[str], *, origin_number: int
) -> Iterator[tuple[int, frozenset[str]]]:
    """Return (number, terms) of the active facts of an origin whose terms and these have a Jaccard
    index of at least 0.85, oldest first.

    Such a fact holds all but a few of the terms; asking for most of the rarest ones finds every
    such fact and little else.
    """
    counts = term_counts(db, distinct, origin_number=origin_number)
    return _sharing(db, distinct, counts, origin_number)


def _sharing(
    db: Connection, distinct: frozenset[str], counts: Mapping[str, int], origin_number: int
) -> Iterator[tuple[int, frozenset[str]]]:
    condition = _condition(distinct, counts)
    if condition is None:
        return
    needed = ceil(SAME_TERMS * len(distinct))
    seqs = fts.holding(db, condition, origin_number=origin_number, limit=_MANY + 1)
    if len(seqs) > _MANY:
        # Terms that only one of the two has count against their share.
        most = int(len(distinct) / SAME_TERMS + _ROUNDING)
        seqs = _of_size(db, condition, needed, most, origin_number)
    for seq, held in list(fts.terms_of(db, seqs, origin_number=origin_number)):
        theirs = frozenset(said_terms(held))
        if jaccard(distinct, theirs) >= SAME_TERMS:
            yield seq, theirs


def _condition(distinct: frozenset[str], counts: Mapping[str, int]) -> Condition | None:
    """Return what every fact fulfils that shares so many of the terms; None where none can."""
    if not distinct:
        return None
    needed = ceil(SAME_TERMS * len(distinct))
    missable = len(distinct) - needed
    probes = _rarest(counts, missable)
    if sum(count == 0 for count, _ in probes) > missable:
        return None
    share = min(_affordable(missable, needed), len(probes) - missable)
    chosen = [term for _, term in probes[: missable + share]]
    return condition_for(dict.fromkeys(chosen, 1.0), len(chosen) - missable)


def _of_size(
    db: Connection, condition: Condition, least: int, most: int, origin_number: int
) -> list[int]:
    """Return the facts, by number, that may fulfil `condition` and have so many distinct terms, as
    the bytes say that bound their scores: none of them is read. Where few facts of the store have
    that size, the long lists of common terms are not read either."""
    from tideline_cli.store.score_bounds import Sized  # noqa: PLC0415  many candidates

    sized = Sized(db, least, most, origin_number=origin_number)
    if sized.are_few(_READ_SOONER):
        return sized.numbers()
    return sized.among(fts.holding(db, condition, origin_number=origin_number))


def _rarest(counts: Mapping[str, int], missable: int) -> list[tuple[int, str]]:
    """Return (facts that hold it, term), rarest first, up to the new terms a twin may miss."""
    counted: list[tuple[int, str]] = []
    unheard = 0
    for term, count in counts.items():
        counted.append((count, term))
        unheard += count == 0
        if unheard > missable:
            break
    return sorted(counted)


def probed(distinct: frozenset[str]) -> list[str]:
    """Return the terms whose holders `sharing` asks for: the longest ones."""
    missable = len(distinct) - ceil(SAME_TERMS * len(distinct))
    return sorted(distinct, key=lambda term: (-len(term), term))[: missable + _PROBES]


def _affordable(missable: int, needed: int) -> int:
    """Return how many terms to ask for, so that the condition stays small."""
    share = 1
    while share < needed and comb(missable + share + 1, missable) * (share + 1) <= _MAX_LEAVES:
        share += 1
    return share


_LONGEST = 4  # words of it of which all but one are in a fact that is looked for
_READ_NEAR = 12  # facts that are read for a new one, by each way to look for them
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
    rare = tuple(term for term in longest if counts[term] < _READ_NEAR - 1)  # with the new fact
    most = dict.fromkeys(longest[:_LONGEST], 1.0)
    nearly_all = condition_for(most, max(len(most) - 1, 1))
    homes = tuple(map(stem, sorted(statements.LIVING))) if statements.tells_of_living(said) else ()
    wanted: list[Condition] = [nearly_all] if nearly_all else []
    wanted += [("OR", words) for words in (rare, homes) if words]
    found: dict[int, str] = {}
    for texts in reads.together(db, *[
        fts.texts_holding(condition, origin_number=origin_number, limit=_READ_NEAR)
        for condition in wanted
    ]):  # fmt: skip
        found |= texts
    return found
