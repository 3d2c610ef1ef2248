"""A question as its words: what the index is asked for, and what counts as one word."""

from __future__ import annotations

from tideline_cli.model.record import record
from tideline_cli.model.text import WITH_FORMS, forms, normalise, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.model.forms.found import Forms
    from tideline_cli.model.text import Analyzer
    from tideline_cli.ranking.bm25 import Condition

MAX_QUERY_TERMS = 256


@record
class Question:
    """The terms that a question asks for, further forms of its words among them, and whether
    stored words stand in for unknown ones."""

    terms: tuple[str, ...]
    forms: Forms | None = None
    by_beginning: bool = False


def asked(text: str, analyzer: Analyzer) -> Question:
    """Return what a text asks for."""
    text = normalise(text)
    by_beginning = analyzer.startswith(WITH_FORMS)
    listed = terms(text, analyzer=analyzer)
    said = list(dict.fromkeys(listed))[:MAX_QUERY_TERMS]
    found = forms(text, listed, analyzer=analyzer) if len(said) < MAX_QUERY_TERMS else None
    if found is None:
        return Question(tuple(said), None, by_beginning)
    kept = [term for term in said if term not in found.mute and any(map(str.isalnum, term))]
    return Question((*(kept or said), *found.further()[:MAX_QUERY_TERMS]), found, by_beginning)


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


def word_count(terms: Sequence[str], forms: Forms | None) -> int:
    """Return how many words these terms are."""
    if forms is None:
        return len(terms)
    others = sum(map(len, forms.others.values()))
    joined = sum(len(parts) + len(wholes) - 1 for parts, wholes in forms.wholes)
    return max(1, len(terms) - others - joined)
