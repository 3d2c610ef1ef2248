"""Which way of ranking a call asks for: its own options, else its profile, else the usual ones."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.memory.query import CURVES
from tideline_cli.model.record import replace
from tideline_cli.ranking.fusions import PROFILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.query import Fusion, Mode, Query
    from tideline_cli.model.hit import Hit
    from tideline_cli.ranking.decay import Decay
    from tideline_cli.ranking.fusions import Block

    class Way(Protocol):
        """The options of a call that say how it is ranked."""

        @property
        def limit(self) -> int | None: ...
        @property
        def mode(self) -> Mode | None: ...
        @property
        def fusion(self) -> Fusion | None: ...
        @property
        def decay(self) -> Decay | None: ...


def along(session: Session, query: Query, profile: str | None, options: Way) -> Query:
    """Return a query with what its profile says, where the call itself says nothing."""
    row = PROFILES[profile or "tideline"]
    mode = options.mode or row.mode
    fusion = options.fusion or (None if mode == "points" else row.fusion)
    if mode == "points" and options.fusion is not None:
        raise UsageError(
            "points are no lane that is joined with another",
            hint="--fusion additive adds likeness to points, without --mode points",
        )
    is_own = profile is not None and (mode, fusion) == (row.mode, row.fusion)
    usual = CURVES.get("points" if mode == "points" else fusion or "", "half-life")
    has_limit = options.limit is not None or session.setting("limit", None) is not None
    return replace(
        query, mode=mode, fusion=fusion,
        decay=options.decay or (row.decay if is_own else usual),
        limit=query.limit if has_limit else row.limit,
        touches=row.touches, profile=row.name,
    )  # fmt: skip


def refuse_archived(query: Query) -> None:
    """Raise UsageError for archived facts among hits whose scores are of another kind."""
    if query.is_other_way:
        raise UsageError(
            "archived facts have a place only where words are ranked as usual",
            hint="--profile tideline, or leave out --archived",
        )


def block_of(
    session: Session, query: Query, hits: Sequence[Hit], *, is_told: bool
) -> tuple[int, Block, Sequence[Hit]]:
    """Return how many characters a block takes, how its lines look, and which hits are in it:
    RsClaw leaves notes out, which is said, to a program with --verbose alone."""
    row = PROFILES[query.profile]
    style: Block = "labelled" if query.fusion == "priority" else row.block
    kept = [hit for hit in hits if style != "plain" or hit.fact.kind != "note"]
    if len(kept) < len(hits):
        tell = session.note if is_told else session.detail
        tell(_without_notes(len(hits) - len(kept), row.name))
    return row.max_chars, style, kept


def _without_notes(count: int, profile: str) -> str:
    notes = "1 note is" if count == 1 else f"{count:,} notes are"
    return f"{notes} left out, as a block of {profile} has none; --profile tideline shows notes too"


def tokens_of(query: Query, given: int | None, max_chars: int | None) -> int | None:
    """Return how many tokens a block takes: as the call says, else its profile."""
    return PROFILES[query.profile].max_tokens if given is None and max_chars is None else given
