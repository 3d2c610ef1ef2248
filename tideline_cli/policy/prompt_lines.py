"""Facts as the lines of a prompt, one a line: no text can forge a second line."""

from __future__ import annotations

from datetime import datetime, timedelta

from tideline_cli.policy.render import prompt_text, with_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tideline_cli.model.fact import Fact

_DAY_MS = 86_400_000
_EPOCH = datetime(1970, 1, 1)


def lines(facts: Iterable[Fact], *, longest: int | None = None) -> str:
    """Return `[id] title: text` for each fact, its text cut to the first `longest` characters; in
    front of that stands when it holds, where it says so."""
    return "\n".join(
        f"[{fact.id}] {_when(fact, '({}) ')}"
        + prompt_text(with_title(fact.title, fact.content[:longest]))
        for fact in facts
    )


def weighed(facts: Iterable[Fact]) -> str:
    """Return `[id] (segment, importance 0.00) text` for each fact, with when it holds, where it
    says so."""
    return "\n".join(
        f"[{fact.id}] ({fact.segment}, importance {fact.importance:.2f}{_when(fact, ', {}')})"
        f" {prompt_text(with_title(fact.title, fact.content))}"
        for fact in facts
    )


def _when(fact: Fact, form: str) -> str:
    """Return since when and until when a fact holds, in a form; nothing where it does not say."""
    said = [
        f"{word} {_day(ms)}"
        for word, ms in (("from", fact.valid_from), ("until", fact.valid_to))
        if ms is not None
    ]
    return form.format(" ".join(said)) if said else ""


def _day(ms: int) -> str:
    """Return a time as its day, with the minute unless it is midnight, UTC."""
    day, clock = (_EPOCH + timedelta(milliseconds=ms)).isoformat(timespec="minutes").split("T")
    return f"{day}T{clock}Z" if ms % _DAY_MS else day
