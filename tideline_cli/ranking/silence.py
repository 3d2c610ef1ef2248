"""Whether a fact has enough to do with a prompt to be said unasked. Most prompts have nothing to do
with what is remembered, and share some word with it all the same."""

from __future__ import annotations

from math import prod

from tideline_cli.model.lean import once
from tideline_cli.model.record import Record
from tideline_cli.ranking.question_words import common_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tideline_cli.model.hit import Breakdown

_MOST = 8  # facts that may hold the shared words by chance: as many as an answer has
_SHORT_NUMBER = 3  # digits
LIKE = 0.6
"""The cosine of other spellings that says as much as a rare word."""


class Prompt(Record):
    """The words of a prompt that tell something, how many facts there are, how many of them hold
    each term of those words, of each term of the prompt its word, and of other spellings the term
    that they spell."""

    telling: frozenset[str]
    facts: int
    holders: Mapping[str, int]
    words: Mapping[str, str]
    spelled: Mapping[str, str] = {}


def telling_terms(terms: Iterable[str]) -> frozenset[str]:
    """Return the terms that say what a text is about: no function words, none of the commonest, no
    short numbers, and no single characters."""
    found = dict.fromkeys(terms)
    return frozenset(filter(_is_telling, found)).difference(common_terms(found))


def is_worth_saying(why: Breakdown, prompt: Prompt, *, least_cosine: float) -> bool:
    """Say whether a hit shares two telling terms with a prompt, or one that is not everyday, and so
    that by chance no more facts would hold its shared words than an answer has; or whether it
    rests on likeness that counts."""
    if why.cosine is not None and why.cosine >= least_cosine:
        return True
    shared = {prompt.spelled.get(term, term) for term in why.matched_terms if _tells(term, prompt)}
    if not shared or (len(shared) == 1 and is_everyday(*shared)):
        return False
    held: dict[str, int] = {}
    for term in shared:
        word, count = prompt.words.get(term, term), prompt.holders.get(term, 0)
        held[word] = min(held.get(word, count), count)
    facts = max(prompt.facts, 1)
    return facts * prod(count / facts for count in held.values()) <= _MOST


def _tells(term: str, prompt: Prompt) -> bool:
    """Say whether a term that a hit shares is a telling one. One that is none of the prompt is a
    stored word that begins like one: `planets` is not `planes`; the beginning of an id is it."""
    if term not in prompt.words:
        return not term.isalpha()
    return prompt.words[term] in prompt.telling and _is_telling(term)


def _is_telling(term: str) -> bool:
    if len(term) <= (_SHORT_NUMBER if term.isdigit() else 1):
        return False
    return b"\n%b *\n" % term.encode() not in _everyday()


def is_everyday(term: str) -> bool:
    """Say whether a term is one of the commonest words of a language, in whatever form."""
    line, words = b"\n%b" % term.encode(), _everyday()
    return line + b"\n" in words or line + b" *\n" in words


@once
def _everyday() -> bytes:
    with open(__file__.removesuffix("silence.py") + "everyday.txt", "rb") as file:
        return file.read()
