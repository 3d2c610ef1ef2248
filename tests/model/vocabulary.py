"""The texts of random histories, and a table of which of them say the same.

Two texts say the same when they are equal but for a full stop behind a word of letters. All others
say different things, however alike they look: that is what the pairs are there for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tideline_cli.model.text import terms
from tideline_cli.policy.sameness import jaccard

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PAIRS = (
    ("The deadline is 2026-03-04", "The deadline is 2026-04-03"),
    ("Version 1.5 of the server runs", "Version 5.1 of the server runs"),
    ("It is -5 degrees in the cellar", "It is 5 degrees in the cellar"),
    ("The trip takes 7 days and 30 weeks", "The trip takes 30 days and 7 weeks"),
    ("The gate code is 12 34", "The gate code is 34 12"),
    ("Anna owes Ben money", "Ben owes Anna money"),
    ("I deploy on Mondays", "I deploy on Fridays"),
    ("The office is closed", "The office is open"),
)
TOWNS = ("I live in Rome", "I live in Oslo", "I live in Bern")
PLAIN = (*(text for pair in PAIRS for text in pair), *TOWNS)
TEXTS = (*PLAIN, *(f"{text}." for text in PLAIN))
QUERIES = ("deadline", "version", "degrees cellar", "trip", "anna", "deploy", "office", "live")
ALIKE = 0.85
"""The share of terms in common from which on two texts are much alike."""

_TERMS = {text: frozenset(terms(text, analyzer="standard")) for text in (*TEXTS, *QUERIES)}
_SHARES = {(one, other): jaccard(_TERMS[one], _TERMS[other]) for one in TEXTS for other in TEXTS}


def says_the_same(one: str, other: str) -> bool:
    """Say whether two texts of the vocabulary say the same."""
    return _unstopped(one) == _unstopped(other)


def _unstopped(text: str) -> str:
    return text.removesuffix(".") if text.rstrip(".").rpartition(" ")[2].isalpha() else text


def states_the_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Say whether two facts say the same: in a slot by their texts alone; else by what the texts
    say, one speaker and one kind, where neither is a row of a conversation or both are one turn."""
    if one.get("slot") is not None or other.get("slot") is not None:
        return bool(one["content"] == other["content"])
    kinds = {fact.get("kind") for fact in (one, other)} - {None}
    places = {
        (fact.get("session"), fact.get("turn")) for fact in (one, other)
        if fact["source"] not in ("extraction", "dream")
    }  # fmt: skip
    is_one_turn = len({(fact.get("session"), fact.get("turn")) for fact in (one, other)}) == 1
    is_placed = is_one_turn and one.get("turn") is not None
    return (
        says_the_same(one["content"], other["content"])
        and one.get("speaker") == other.get("speaker")
        and len(kinds) < 2
        and (places <= {(None, None)} or is_placed)
    )


def shared(one: str, other: str) -> float:
    """Return the share of terms that two texts have in common."""
    return _SHARES[one, other]


def touches(query: str, text: str, labels: tuple[str, ...] = ()) -> bool:
    """Say whether a query has a word in common with a text or one of its labels."""
    said = (_TERMS[text], *(terms(label, analyzer="standard") for label in labels))
    return any(not _TERMS[query].isdisjoint(words) for words in said)
