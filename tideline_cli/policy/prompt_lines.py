"""Facts as the numbered lines of a prompt, one a line: no text can forge a second line."""

from __future__ import annotations

from datetime import datetime, timedelta

from tideline_cli.policy.render import prompt_text, with_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tideline_cli.model.fact import Fact

_DIGITS = 4
_DAY_MS = 86_400_000
_EPOCH = datetime(1970, 1, 1)


def lines(facts: Iterable[Fact], *, longest: int | None = None) -> str:
    """Return `[number] title: text` for each fact, its text cut to the first `longest` characters;
    in front of that stands when it holds, where it says so."""
    return "\n".join(
        f"[{number}] {_when(fact, '({}) ')}"
        + prompt_text(with_title(fact.title, fact.content[:longest]))
        for number, fact in enumerate(facts, 1)
    )


def weighed(facts: Iterable[Fact]) -> str:
    """Return `[number] (segment, importance 0.00) text` for each fact, with when it holds, where it
    says so."""
    return "\n".join(
        f"[{number}] ({fact.segment}, importance {fact.importance:.2f}{_when(fact, ', {}')})"
        f" {prompt_text(with_title(fact.title, fact.content))}"
        for number, fact in enumerate(facts, 1)
    )


def shown_id(named: str, shown: Sequence[str]) -> str:
    """Return the id that a reply names by the number of its line; what else it names as it is."""
    number = named.strip(" []#").zfill(_DIGITS)
    is_one = number.isdecimal() and len(number) == _DIGITS and 0 < int(number) <= len(shown)
    return shown[int(number) - 1] if is_one else named


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
