"""An answer without what has little to do with its prompt: for `context --auto`, which nobody
asked."""

from __future__ import annotations

from tideline_cli.memory.query import question_of, word_keys
from tideline_cli.model.record import replace
from tideline_cli.ranking.silence import LIKE, Prompt, is_worth_saying, telling_terms
from tideline_cli.ranking.worth import LIKENESS
from tideline_cli.store import fts, visibility
from tideline_cli.store.connection import setting, snapshot

NOT_UNASKED = ("note",)
"""Kinds of facts that are said only to who asks."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.memory.query import Query, Recalled
    from tideline_cli.model.origin import Origin


def worth_saying(db: Connection, query: Query, answer: Recalled, *, viewer: Origin) -> Recalled:
    """Return the hits that are said unasked: no notes, and none in channels in which programs talk
    to themselves. One found by its neighbours alone comes with another of its session."""
    if not answer.hits:
        return answer
    if viewer.is_internal:
        return replace(answer, hits=(), seqs=())
    prompt = _prompt(db, query, viewer=viewer)
    least = _least(db, answer)
    both = [*zip(answer.hits, answer.seqs, strict=True)]
    said = {seq for hit, seq in both if is_worth_saying(hit.why, prompt, least_cosine=least)}
    sessions = {hit.fact.session for hit, seq in both if seq in said} - {None}
    kept = [
        (hit, seq) for hit, seq in both
        if (seq in said or (not hit.why.matched_terms and hit.fact.session in sessions))
        and hit.fact.kind not in NOT_UNASKED
    ]  # fmt: skip
    hits, seqs = tuple([hit for hit, _ in kept]), tuple([seq for _, seq in kept])
    return replace(answer, hits=hits, seqs=seqs)


def _least(db: Connection, answer: Recalled) -> float:
    """Return the cosine that says enough by itself."""
    if answer.fusion == "append":
        return LIKE
    from tideline_cli.memory import likeness  # noqa: PLC0415  learned embedders, other fusions

    return likeness.floor(db) + LIKENESS if likeness.is_learned(db) else LIKE


def _prompt(db: Connection, query: Query, *, viewer: Origin) -> Prompt:
    """Return what a prompt tells, word by word: another spelling of a word is that word."""
    question = question_of(query.text, setting(db, "analyzer", "standard"))
    forms = question.forms
    further = () if forms is None else forms.further()
    words = word_keys(question.weights, forms)
    telling = {words[term] for term in telling_terms(question.weights.keys() - {*further})}
    with snapshot(db):
        number = visibility.number(db, viewer)
        facts = fts.active_count(db, origin_number=number)
        holders = fts.holder_counts(
            db, [term for term, word in words.items() if word in telling], origin_number=number
        )
    for head, others in () if forms is None else forms.others.items():
        group = [term for term in (head, *others) if term in holders]
        holders.update(dict.fromkeys(group, sum(map(holders.__getitem__, group))))
    return Prompt(frozenset(telling), facts, holders, words)
