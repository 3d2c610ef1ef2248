"""Facts that share one word alone with a question of mostly unknown words: hits by chance."""

from __future__ import annotations

from tideline_cli.memory.question import is_one_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Protocol

    from tideline_cli.memory.query import Match
    from tideline_cli.memory.question import Question

    class Look(Protocol):
        """What is known of a fact: what its speaker and its time multiply."""

        @property
        def match(self) -> Match: ...
        @property
        def speaker(self) -> float: ...
        @property
        def time(self) -> float: ...


def taken_out(
    question: Question, candidates: Sequence[Match], looks: Mapping[int, Look],
    alike: Collection[int], beside: Mapping[int, Collection[int]], hidden: set[int],
) -> list[Match]:  # fmt: skip
    """Hide the facts that share one word alone with a question, neither their speaker nor their
    time, are not alike, and are next to none that is more. Return those that would be hits: not
    what a filter hides."""
    sure = {
        match.seq for match in candidates
        if not is_one_word(match.why.matched_terms, question.forms)
        or looks[match.seq].speaker != 1.0 or looks[match.seq].time != 1.0
    }.union(alike)  # fmt: skip
    found = {
        seq: look.match for seq, look in looks.items()
        if seq not in sure and sure.isdisjoint(beside.get(seq, ()))
    }  # fmt: skip
    told = [match for seq, match in found.items() if match.why.matched_terms and seq not in hidden]
    hidden.update(found)
    return told
