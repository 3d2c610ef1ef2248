"""A question as its words: what the index is asked for, and what counts as one word."""

from __future__ import annotations

from tideline_cli.model.record import record
from tideline_cli.model.text import WITH_FORMS, asked_forms, normalise, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from tideline_cli.model.forms.found import Forms
    from tideline_cli.model.text import Analyzer
    from tideline_cli.ranking.bm25 import Condition

MAX_QUERY_TERMS = 256
_SEVERAL = 3
_LEAST = 5  # letters of a word that is looked up by its beginning; not in ASCII one less


@record
class Question:
    """The terms that a question asks for, further forms of its words among them, and whether
    stored words stand in for unknown ones. `names` are its words where all are stop words."""

    terms: tuple[str, ...]
    forms: Forms | None = None
    by_beginning: bool = False
    names: tuple[str, ...] = ()

    def is_empty(self) -> bool:
        """Say whether there is nothing to look for."""
        return not self.terms and not self.names


def asked(text: str, analyzer: Analyzer) -> Question:
    """Return what a text asks for."""
    text = normalise(text)
    by_beginning = analyzer.startswith(WITH_FORMS)
    listed = terms(text, analyzer=analyzer)
    said = list(dict.fromkeys(listed))[:MAX_QUERY_TERMS]
    found = asked_forms(text, listed, analyzer=analyzer) if len(said) < MAX_QUERY_TERMS else None
    if found is None:
        names = () if said or not by_beginning else _names(text)
        return Question(tuple(said), None, by_beginning, names)
    kept = [term for term in said if term not in found.mute and any(map(str.isalnum, term))]
    return Question((*(kept or said), *found.further()[:MAX_QUERY_TERMS]), found, by_beginning)


def _names(text: str) -> tuple[str, ...]:
    from tideline_cli.memory.stop_names import asked_name  # noqa: PLC0415  few ask for a stop word

    return tuple(asked_name(text))


def conditions(question: Question) -> tuple[Condition, ...]:
    """Return for each word of a question what a fact must hold to have it."""
    forms = question.forms
    if forms is None:
        return question.terms
    left: dict[str, Condition] = {term: term for term in question.terms}
    for term, others in forms.others.items():
        ways = [left.pop(one) for one in (term, *others) if one in left]
        if ways:
            left[term] = ("OR", tuple(ways))
    for parts, wholes in forms.wholes:
        held = tuple([left.pop(one) for one in parts if one in left])
        ways = [left.pop(one) for one in wholes if one in left]
        left[parts[0]] = ("OR", (*ways, ("AND", held))) if held else ("OR", tuple(ways))
    return tuple(left.values())


def least_size(term: str) -> int:
    """Return how many letters a word must have that is looked up by its beginning."""
    return _LEAST if term.isascii() else _LEAST - 1


def unknown_words(
    terms: Sequence[str], held: Mapping[str, int], forms: Forms | None
) -> list[str]:
    """Return the terms that are long enough to be looked up by their beginning, and that no fact
    holds in any form."""
    missing = [term for term in terms if not held[term] and len(term) >= least_size(term)]
    if missing and forms is not None:
        skipped = _skipped(terms, held, forms)
        missing = [term for term in missing if term not in skipped]
    if all(map(str.isascii, missing)):
        return missing
    from tideline_cli.model.letters import is_spaceless  # noqa: PLC0415  ASCII needs none of it

    return [term for term in missing if not is_spaceless(term[0])]


def _skipped(terms: Sequence[str], held: Mapping[str, int], forms: Forms) -> set[str]:
    """Return the terms that are not looked up, as another form of their word is."""
    known = {term for term in terms if held[term]}
    skipped: set[str] = set()
    for term, others in forms.others.items():
        skipped.update(others)
        if not known.isdisjoint(others):
            known.add(term)
    for parts, wholes in forms.wholes:
        skipped.update(parts if len(parts) > 1 else ())
        if not known.isdisjoint(wholes) or known.issuperset(parts):
            skipped.update(wholes)
    return skipped | known


def rests_on_one_word(
    matched: Sequence[str], terms: Sequence[str], known: Container[str], forms: Forms | None
) -> bool:
    """Say whether a hit shares one word alone with a question of several words, of which half or
    more are unknown to the memory. Parts of a word are words here."""
    if len(matched) > 1 and len(_apart(matched)) > 1:
        return False
    if forms is not None and any(matched[0] in wholes for _, wholes in forms.wholes):
        return False
    words = _words(terms, forms)
    found = sum(any(term in known for term in word) for word in words)
    return len(words) >= _SEVERAL and 2 * found <= len(words)


def _apart(matched: Sequence[str]) -> list[str]:
    """Return the terms that matched, without characters that stand in another one of them."""
    return [
        term for term in matched
        if len(term) > 1 or term.isascii() or not any(term in other for other in matched
                                                      if other != term)
    ]  # fmt: skip


def _words(terms: Sequence[str], forms: Forms | None) -> list[tuple[str, ...]]:
    """Return the words of a question, each with its other spellings."""
    if forms is None:
        return [(term,) for term in terms]
    wholes = {whole for _, listed in forms.wholes for whole in listed}
    others = {other for listed in forms.others.values() for other in listed}
    return [
        (term, *forms.others.get(term, ()))
        for term in terms
        if term not in wholes and term not in others
    ]


def word_count(terms: Sequence[str], forms: Forms | None) -> int:
    """Return how many words these terms are."""
    if forms is None:
        return len(terms)
    others = sum(map(len, forms.others.values()))
    joined = sum(len(parts) + len(wholes) - 1 for parts, wholes in forms.wholes)
    return max(1, len(terms) - others - joined)
