"""Whether a fact has enough to do with a prompt to be said unasked. Most prompts have nothing to do
with what is remembered, and share some word with it all the same."""

from __future__ import annotations

from tideline_cli.model.record import Record
from tideline_cli.ranking.everyday_words import EVERYDAY
from tideline_cli.ranking.question_words import common_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tideline_cli.model.hit import Breakdown

_SHARE = 4  # of the telling words of a prompt, one in so many has to match
_FEW, _RARE = 3, 0.02  # facts, and share of all: a word that no more hold is rare
_SHORT_NUMBER = 3  # digits
LIKE = 0.6
"""The cosine of other spellings that says as much as a rare word."""


class Prompt(Record):
    """The words of a prompt that tell something, how many facts there are, how many of them hold
    each term of those words, and of each term of the prompt its word."""

    telling: frozenset[str]
    facts: int
    holders: Mapping[str, int]
    words: Mapping[str, str]


def telling_terms(terms: Iterable[str]) -> frozenset[str]:
    """Return the terms that say what a text is about: no function words, and of scripts without
    spaces no single characters, which are parts of the pairs beside them."""
    found = dict.fromkeys(terms)
    return frozenset(found).difference(common_terms(found)).difference(
        term for term in found if len(term) == 1
    )  # fmt: skip


def is_worth_saying(why: Breakdown, prompt: Prompt, *, least_cosine: float) -> bool:
    """Say whether a hit rests on two telling words, on a rare one, or on likeness that counts."""
    if why.cosine is not None and why.cosine >= least_cosine:
        return True
    # A term that is none of the prompt is a stored word that begins like one.
    shared = {term: prompt.words.get(term, term) for term in why.matched_terms}
    shared = {term: word for term, word in shared.items()
              if word in prompt.telling or term not in prompt.words}  # fmt: skip
    enough = min(len(prompt.telling), max(2, -(-len(prompt.telling) // _SHARE)))
    if len({*shared.values()}) >= max(enough, 1):
        return True
    return any(_is_rare(term, word, prompt) for term, word in shared.items())


def _is_rare(term: str, word: str, prompt: Prompt) -> bool:
    if not EVERYDAY.isdisjoint((term, word)) or (term.isdigit() and len(term) <= _SHORT_NUMBER):
        return False
    if term not in prompt.words and term.isalpha():
        return False  # `planets` is not `planes`; the beginning of an id is that id
    return prompt.holders.get(term, 0) <= max(_FEW, int(_RARE * prompt.facts))
