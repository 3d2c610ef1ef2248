"""The lane of words: facts that share words with a question, in view of what stands around them."""

from __future__ import annotations

from tideline_cli.memory import lexical
from tideline_cli.model.time_vocabulary import may_name_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.memory.query import Match
    from tideline_cli.memory.search import Search, View


def by_words(view: View, search: Search) -> tuple[list[Match], list[Match]]:
    """Return the best facts by their words and, where something is known of that, by what was said
    next to them, by whom and when. Apart stand those that rest on one word of a question that is
    mostly unknown. A question of stop words alone asks for those that hold them as a name."""
    question, dates = search.question, None
    if not question.weights:
        return _named(view, search), []
    if not question.is_of_reference and may_name_time(search.query.text):
        from tideline_cli.memory import named_dates  # noqa: PLC0415  datetime, 2 ms

        dates = named_dates.named_in(view, search.query.text)
    has_more = view.origin.has_sessions or search.by_score
    if not (dates or (has_more and not question.is_of_reference)):
        return lexical.by_terms(view, search)
    from tideline_cli.memory import surroundings  # noqa: PLC0415  most memories have no sessions

    return surroundings.search(view, search, dates)


def _named(view: View, search: Search) -> list[Match]:
    """Return the facts that hold stop words as a name, where a question has nothing else."""
    if search.query.mode == "semantic" or not search.question.names:
        return []
    from tideline_cli.memory import unindexed_words  # noqa: PLC0415  few ask for a stop word alone

    return unindexed_words.as_names(view, search)
