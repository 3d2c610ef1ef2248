"""Judgements of documents: which answers which question, and how well. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def grade(text: str) -> bool:
    """Say whether a text is a grade: a number, which may be negative."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def gold_by_question(judged: Iterable[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    """Return the documents that answer each question, by (question, document, grade). What nobody
    finds relevant is left out; so is a question to which nothing is."""
    gold: dict[str, dict[str, float]] = {}
    for question, document, worth in judged:
        if worth > 0:
            gold.setdefault(question, {})[document] = worth
    return gold
