"""Weight of a source and of a stated confidence."""

from __future__ import annotations

from tideline_cli.model.fact import clamped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tideline_cli.model.source import Source

WEIGHTS: Mapping[Source, float] = {
    "owner_message": 1.0,
    "user_instruction": 1.0,
    "extraction": 0.9,
    "dream": 0.85,
    "compaction": 0.85,
    "channel_message": 0.8,
    "tool_output": 0.65,
    "retrieved_document": 0.6,
}


def trust(source: Source, confidence: float | None) -> float:
    """Return the weight of the source times the confidence (1 when none is stated), 0..1.

    Source: Tideline, trust table.
    """
    weight = WEIGHTS[source]
    return weight if confidence is None else weight * clamped(confidence, 1.0)
