"""The factor of a source and of a stated confidence in a score."""

from __future__ import annotations

from tideline_cli.model.fact import clamped
from tideline_cli.model.source import LEAST, STANDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tideline_cli.model.source import Source

WEIGHTS: Mapping[Source, float] = {name: one.weight for name, one in STANDING.items()}


def trust(source: Source, confidence: float | None) -> float:
    """Return the weight of the source times the confidence (1 when none is stated), 0..1.

    Source: Tideline, trust table.
    """
    weight = WEIGHTS.get(source, LEAST)
    return weight if confidence is None else weight * clamped(confidence, 1.0)
