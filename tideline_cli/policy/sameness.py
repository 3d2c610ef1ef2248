"""When two facts say the same: they are the same text, said by the same speaker of the same day.

Terms in common and similarity find what is much alike; that is linked, and never merged by words.
"""

from __future__ import annotations

from tideline_cli.model.time_vocabulary import may_name_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from tideline_cli.model.fact import Fact

    Sameness = Literal["strict", "reference"]

SAMENESS: tuple[Sameness, ...] = ("strict", "reference")
SAME_TERMS = 0.85
# Of two facts, one of them in a slot, by the rule `reference`.
SAME_SLOT_TERMS = 0.40
SAME_SLOT_COSINE = 0.45
MOST_SIMILAR = 5  # facts that a new one is linked to, the nearest

APART = (
    "scope", "slot", "kind", "speaker", "session", "turn", "document", "valid_from", "valid_to",
    "title",
)  # fmt: skip
"""By what two statements of one text and origin differ, beside the day on which they were said."""
DISTILLED = ("extraction", "dream")
"""The sources of what a model has worded."""
_STRAIGHT = str.maketrans("‘’‚‛“”„‟", "''''\"\"\"\"")
_MARKS = ".,;:!?…()\"'‘’“”«»„"
_ARTICLES = frozenset(("a", "an", "the"))


def stated_text(text: str) -> str:
    """Return what a text in NFC states: two texts are the same statement where this is equal.

    In a text of one line runs of blanks are one blank, curly quotes are straight, a full stop
    behind a last word of letters is left out, and the case of the first letter of a first word of
    letters does not count. A text of several lines is compared to the letter.
    """
    if len(text.splitlines()) > 1:
        return text
    words = text.translate(_STRAIGHT).split()
    if words and words[-1].endswith(".") and words[-1][:-1].isalpha():
        words[-1] = words[-1][:-1]
    if words and words[0].isalpha():
        words[0] = words[0][0].lower() + words[0][1:]
    return " ".join(words)


def says_same(one: str, other: str, *, rule: Sameness) -> bool:
    """Say whether two texts that are much alike say the same; by the rule `reference` all do."""
    return rule == "reference" or one == other or stated_text(one) == stated_text(other)


def state_the_same(one: Fact, other: Fact, *, rule: Sameness) -> bool:
    """Say whether two facts that are much alike say the same: one statement, of one speaker, kind
    and day; in a slot, to the letter. Where they belong and how long they hold is asked elsewhere.
    """
    if rule == "reference":
        return True
    in_slot = one.slot is not None or other.slot is not None
    said, again = (fact.content if in_slot else stated_text(fact.content) for fact in (one, other))
    return (
        said == again
        and one.speaker == other.speaker
        and _may_be_of_one_kind(one.kind, other.kind)
        and (in_slot or _is_one_utterance(one, other))
        and (one.created_at == other.created_at or _is_of_one_day(one, other))
    )


def _may_be_of_one_kind(one: str | None, other: str | None) -> bool:
    """Say whether two kinds are none of two: what has no kind may get one, but the summary of a
    session is none of its facts, and is replaced by the next."""
    return one == other or (None in (one, other) and "summary" not in (one, other))


def is_reworded(one: Fact, other: Fact) -> bool:
    """Say whether two facts that a model distilled, of one speaker and kind, have the same words in
    the same order, whatever their case, articles and marks."""
    is_distilled = one.source in DISTILLED and other.source in DISTILLED
    is_loose = one.slot is None and other.slot is None
    is_of_one = one.speaker == other.speaker and _may_be_of_one_kind(one.kind, other.kind)
    if not (is_distilled and is_loose and is_of_one and _is_of_one_day(one, other)):
        return False
    return distilled_words(one.content) == distilled_words(other.content)


def distilled_words(text: str) -> list[str]:
    """Return the words of a text in order, in lower case, without articles and without the marks of
    a sentence around them: C and C++ are two words, and so are 5 and -5."""
    words = (word.strip(_MARKS) for word in text.lower().split())
    return [word for word in words if word and word not in _ARTICLES]


def _is_one_utterance(one: Fact, other: Fact) -> bool:
    """Say whether two facts may be one by where they were said. What a model distilled was said
    there among other things; any other row that names a session or a turn is an utterance."""
    places = {(fact.session, fact.turn) for fact in (one, other) if fact.source not in DISTILLED}
    return places <= {(None, None)} or (
        len(places) == 1 and (one.session, one.turn) == (other.session, other.turn)
        and one.turn is not None
    )  # fmt: skip


def _is_of_one_day(one: Fact, other: Fact) -> bool:
    """Say whether the words of two facts that count from the day on which they were said
    (yesterday, next week) mean the same day."""
    if not may_name_time(one.content):
        return True
    from tideline_cli.model.times_in_text import mean_the_same  # noqa: PLC0415  few name a time

    return mean_the_same(one.content, one.created_at, other.created_at)


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return |a∩b| / |a∪b|, and 0 for two empty sets."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def may_share_place(one: Fact, other: Fact) -> bool:
    """Say whether two facts may be the same by where they belong: two slots, or two scopes, are two
    things, and so are two documents."""
    return (
        one.scope == other.scope
        and (one.slot is None or other.slot is None or one.slot == other.slot)
        and may_be_one_chunk(one, other)
    )


def may_be_one_chunk(one: Fact, other: Fact) -> bool:
    """Say whether two facts may be the same by the documents that they are chunks of: neither is
    one, or both have the same words at the same place of the same document."""
    if one.document is None and other.document is None:
        return True
    places = ((fact.document, fact.turn, fact.content) for fact in (one, other))
    return len(set(places)) == 1
