"""How good a ranking is: the measures of `tideline eval`, for the scripts here."""

from __future__ import annotations

from tideline_cli.evaluation.metrics import (
    Interval,
    bootstrap,
    mean,
    mulberry32,
    ndcg,
    percentile,
    reciprocal_rank,
)
from tideline_cli.evaluation.metrics import hit_at as hit
from tideline_cli.evaluation.metrics import recall_at as recall

__all__ = [
    "Interval", "bootstrap", "hit", "mean", "mulberry32", "ndcg", "percentile", "recall",
    "reciprocal_rank",
]  # fmt: skip
