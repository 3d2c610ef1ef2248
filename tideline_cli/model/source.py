"""Who said it: every source with its weight in ranking and what it may do, in one table."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Source = Literal[
        "owner_message",
        "user_instruction",
        "channel_message",
        "dream",
        "tool_output",
        "retrieved_document",
        "compaction",
        "extraction",
    ]


class Standing(Record):
    """How far a source is trusted.

    `weight` is its factor in ranking, above 0 and at most 1. A `trusted` source may replace and
    reinforce any fact, and keep one for ever; an untrusted one carries text that nobody vouches
    for. `protected` says whether it may author protected segments. `confined` says whether an
    import stores as knowledge what it may not author. There are no defaults: a row states all.
    """

    weight: float
    trusted: bool
    protected: bool
    confined: bool


STANDING: Mapping[Source, Standing] = {
    "owner_message": Standing(1.0, trusted=True, protected=True, confined=False),
    "user_instruction": Standing(1.0, trusted=True, protected=True, confined=False),
    "channel_message": Standing(0.8, trusted=True, protected=True, confined=False),
    "dream": Standing(0.85, trusted=True, protected=True, confined=False),
    "tool_output": Standing(0.65, trusted=False, protected=False, confined=True),
    "retrieved_document": Standing(0.6, trusted=False, protected=False, confined=True),
    "compaction": Standing(0.85, trusted=False, protected=False, confined=True),
    "extraction": Standing(0.9, trusted=False, protected=False, confined=True),
}
"""Source: Tideline, trust table and write-gate."""

SOURCES: tuple[Source, ...] = tuple(STANDING)
TRUSTED: tuple[Source, ...] = tuple(name for name in SOURCES if STANDING[name].trusted)
UNTRUSTED: tuple[Source, ...] = tuple(name for name in SOURCES if not STANDING[name].trusted)
LEAST: float = min(one.weight for one in STANDING.values())
"""The weight of a source that this program does not know: of a newer program, or damaged."""


def is_trusted(source: str) -> bool:
    """Say whether a source is trusted like the owner. One that is not in the table is not."""
    return source in TRUSTED


def is_typed(source: str, agent: str | None) -> bool:
    """Say whether a person typed a fact: the owner's own words, which no agent has labelled."""
    return source == "owner_message" and agent is None


def parse_source(text: str) -> Source:
    """Return `text` as a source, or raise UsageError naming the allowed ones."""
    for source in SOURCES:
        if source == text:
            return source
    raise UsageError(f"unknown source: {text!r}", hint="use one of " + ", ".join(SOURCES))
