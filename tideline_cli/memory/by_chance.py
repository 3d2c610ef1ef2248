"""Facts that share one word alone with a question of mostly unknown words: hits by chance."""

from __future__ import annotations

from tideline_cli.memory.question import is_one_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tideline_cli.memory.query import Match
    from tideline_cli.memory.question import Question
    from tideline_cli.memory.surroundings import Look


def chosen(
    question: Question, candidates: Sequence[Match], looks: Mapping[int, Look],
    alike: Collection[int], beside: Mapping[int, Collection[int]],
) -> dict[int, Match]:  # fmt: skip
    """Return the facts that share one word alone with a question, neither their speaker nor their
    time, are not alike, and are next to none that is more."""
    sure = {
        match.seq for match in candidates
        if not is_one_word(match.why.matched_terms, question.forms)
        or looks[match.seq].speaker != 1.0 or looks[match.seq].time != 1.0
    }.union(alike)  # fmt: skip
    return {
        seq: look.match for seq, look in looks.items()
        if seq not in sure and sure.isdisjoint(beside.get(seq, ()))
    }  # fmt: skip


def told(by_chance: Mapping[int, Match], hidden: Collection[int]) -> list[Match]:
    """Return what is left out by chance and would be a hit: not what a filter hides."""
    return [
        match for seq, match in by_chance.items() if match.why.matched_terms and seq not in hidden
    ]
