"""An answer without what has little to do with its prompt: for `context --auto`, which nobody
asked."""

from __future__ import annotations

from tideline_cli.memory.query import Recalled
from tideline_cli.memory.recall import asked_terms
from tideline_cli.ranking.silence import LIKE, Prompt, is_worth_saying, telling_terms
from tideline_cli.ranking.worth import LIKENESS
from tideline_cli.store import fts, visibility
from tideline_cli.store.connection import setting
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.memory.query import Query
    from tideline_cli.model.origin import Origin


def worth_saying(
    db: Connection, query: Query, answer: Recalled, *, viewer: Origin
) -> Recalled:
    """Return the hits that are said unasked. One found by its neighbours alone comes with another
    of its session."""
    if not answer.hits:
        return answer
    prompt = _prompt(db, query, viewer=viewer)
    least = _least(db, answer)
    both = [*zip(answer.hits, answer.seqs, strict=True)]
    said = {
        seq for hit, seq in both if is_worth_saying(hit.why, prompt, least_cosine=least)
    }  # fmt: skip
    sessions = {hit.fact.session for hit, seq in both if seq in said} - {None}
    kept = [
        (hit, seq) for hit, seq in both
        if seq in said or (not hit.why.matched_terms and hit.fact.session in sessions)
    ]  # fmt: skip
    return Recalled(
        tuple([hit for hit, _ in kept]), tuple([seq for _, seq in kept]), answer.backlog,
        answer.unsettled, answer.lacking, answer.fusion,
    )  # fmt: skip


def _least(db: Connection, answer: Recalled) -> float:
    """Return the cosine that says enough by itself."""
    if answer.fusion == "append":
        return LIKE
    from tideline_cli.memory import likeness  # noqa: PLC0415  learned embedders alone

    return likeness.floor(db) + LIKENESS


def _prompt(db: Connection, query: Query, *, viewer: Origin) -> Prompt:
    analyzer = setting(db, "analyzer", "standard")
    telling = telling_terms(asked_terms(query.text, analyzer))  # type: ignore[arg-type]
    with snapshot(db):
        number = visibility.number(db, viewer)
        facts = fts.active_count(db, origin_number=number)
        holders = fts.holder_counts(db, telling, origin_number=number)
    return Prompt(telling, facts, holders)
