"""What is said to a prompt that asks for nothing: the facts that have to do with it."""

from __future__ import annotations

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.memory.query import ALL, question_of, word_keys
from tideline_cli.memory.recall import recall
from tideline_cli.model.record import replace
from tideline_cli.model.text import terms
from tideline_cli.policy.private_blocks import without_blocks, without_code
from tideline_cli.ranking.silence import (
    LIKE,
    Prompt,
    is_everyday,
    is_worth_saying,
    telling_terms,
)
from tideline_cli.ranking.worth import LIKENESS
from tideline_cli.store import fts, visibility
from tideline_cli.store.connection import setting, snapshot

NOT_UNASKED = ("note",)
"""Kinds of facts that are said only to who asks."""
_BEYOND = 20  # hits that are looked at beyond those that are said
_SIDE = 4_000  # characters of a long prompt that are asked, from its beginning and from its end
_SHORT = 24  # words of a prompt that is asked whole
_WORDS = 64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

    from tideline_cli.memory.query import Query, Recalled
    from tideline_cli.model.origin import Origin


def asked(prompt: str) -> str:
    """Return what of a prompt is looked for, empty for nothing: no commands to the client, no
    code, no blocks of programs or of a memory; of a long one the words that are not everyday, the
    first and the last of them."""
    text = without_code(without_blocks(prompt.replace("\0", " "))).strip()
    if _is_command(text):
        return ""
    if len(text) > 2 * _SIDE:
        text = f"{text[:_SIDE]} {text[-_SIDE:]}"
    words = [*dict.fromkeys(text.split())]
    if len(words) > _SHORT:
        words = [word for word in words
                 if not all(map(is_everyday, terms(word, analyzer="standard")))]  # fmt: skip
    if len(words) > _WORDS:
        words = words[: _WORDS // 2] + words[-_WORDS // 2 :]
    return " ".join(words)


def _is_command(text: str) -> bool:
    """Say whether a prompt is a command to the client: `/compact`, `!ls`. A path is none."""
    if text.startswith("/"):
        return "/" not in text.split(None, 1)[0][1:]
    return text.startswith("!")


def told(db: Connection, query: Query, *, viewer: Origin, now: int) -> tuple[Recalled, int]:
    """Return the best hits that are said unasked, by their words, and where places are left and the
    file has a learned embedder, by likeness; and how many share too little with the prompt."""
    further = replace(query, limit=min(query.limit + _BEYOND, ALL))
    is_plain = query.mode == "hybrid" and not query.is_other_way
    answer = recall(db, replace(further, mode="keyword") if is_plain else further,
                    viewer=viewer, now=now)  # fmt: skip
    said = _worth_saying(db, query, answer, viewer=viewer)
    count = len(answer.hits)
    is_learned = " " in setting(db, "embedder", DEFAULT_EMBEDDER)
    if is_plain and is_learned and len(said.hits) < query.limit:
        alike = recall(db, replace(query, mode="semantic"), viewer=viewer, now=now)
        near = _worth_saying(db, query, alike, viewer=viewer)
        more = [both for both in zip(near.hits, near.seqs, strict=True) if both[1] not in said.seqs]
        said = replace(alike, hits=(*said.hits, *(hit for hit, _ in more)),
                       seqs=(*said.seqs, *(seq for _, seq in more)))  # fmt: skip
        count += len({*alike.seqs}.difference(answer.seqs))
    few = replace(said, hits=said.hits[: query.limit], seqs=said.seqs[: query.limit])
    return few, count - len(said.hits)


def _worth_saying(db: Connection, query: Query, answer: Recalled, *, viewer: Origin) -> Recalled:
    """Return the hits that are said unasked: no notes, and none in channels in which programs talk
    to themselves. One found by its neighbours alone comes with another of its session."""
    if not answer.hits:
        return answer
    if viewer.is_internal:
        return replace(answer, hits=(), seqs=())
    prompt = _prompt(db, query, viewer=viewer)
    least = _least(db)
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


def _least(db: Connection) -> float:
    """Return the cosine that says enough by itself."""
    if " " not in setting(db, "embedder", ""):
        return LIKE
    from tideline_cli.memory import likeness  # noqa: PLC0415  learned embedders

    return likeness.floor(db) + 2 * LIKENESS


def _prompt(db: Connection, query: Query, *, viewer: Origin) -> Prompt:
    """Return what a prompt tells, as the facts of a viewer know its words."""

    def counted(listed: list[str]) -> tuple[int, dict[str, int]]:
        with snapshot(db):
            number = visibility.number(db, viewer)
            facts = fts.active_count(db, origin_number=number)
            return facts, fts.holder_counts(db, listed, origin_number=number)

    return prompt_of(query.text, setting(db, "analyzer", "standard"), counted)


def prompt_of(
    text: str, analyzer: str, counted: Callable[[list[str]], tuple[int, dict[str, int]]]
) -> Prompt:
    """Return what a prompt tells, word by word: another spelling of a word is that word. `counted`
    gives how many texts there are, and how many hold each of some terms."""
    question = question_of(text, analyzer)
    forms = question.forms
    further = () if forms is None else forms.further()
    words = word_keys(question.weights, forms)
    telling = {words[term] for term in telling_terms(question.weights.keys() - {*further})}
    count, holders = counted([term for term, word in words.items() if word in telling])
    spellings = {} if forms is None else forms.others
    for head, others in spellings.items():
        group = [term for term in (head, *others) if term in holders]
        holders.update(dict.fromkeys(group, sum(map(holders.__getitem__, group))))
    spelled = {other: head for head, others in spellings.items() for other in others}
    return Prompt(frozenset(telling), count, holders, words, spelled)
