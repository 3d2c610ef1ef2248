"""Profiles: how an answer is ranked and shown, all of it by one name. A profile is one row."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from tideline_cli.ranking.decay import Decay

    Block = Literal["segment", "points", "labelled", "plain"]


@record
class Profile:
    """A way of ranking and showing. `fusion` None is the usual one of the embedder. `touches` says
    whether a recall counts as use, `block` how a line of `context` looks, and `max_chars` and
    `max_tokens` how much it prints."""

    name: str
    mode: Literal["hybrid", "keyword", "semantic", "points"]
    fusion: Literal["append", "score", "rrf", "additive", "priority"] | None
    decay: Decay
    touches: bool
    limit: int
    block: Block
    max_chars: int
    max_tokens: int | None = None


PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("tideline", "hybrid", None, "half-life", True, 8, "segment", 1200),
        Profile("motherbrain", "hybrid", "additive", "none", False, 10, "points", 1200),
        Profile("vectormemory", "hybrid", "priority", "spaced", True, 12, "labelled", 4800),
        Profile("rsclaw", "hybrid", "rrf", "weibull", True, 5, "plain", 4800, 1200),
    )
}
