"""Facts as the lines of a prompt, one a line: no text can forge a second line."""

from __future__ import annotations

from tideline_cli.policy.render import prompt_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tideline_cli.model.fact import Fact


def lines(facts: Iterable[Fact], *, longest: int | None = None) -> str:
    """Return `[id] text` for each fact, its text cut to the first `longest` characters."""
    return "\n".join(f"[{fact.id}] {prompt_text(fact.content[:longest])}" for fact in facts)


def weighed(facts: Iterable[Fact]) -> str:
    """Return `[id] (segment, importance 0.00) text` for each fact."""
    return "\n".join(
        f"[{fact.id}] ({fact.segment}, importance {fact.importance:.2f})"
        f" {prompt_text(fact.content)}"
        for fact in facts
    )
