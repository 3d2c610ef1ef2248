"""What makes the score of a hit that was ranked in another way, on one line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tideline_cli.model.hit import Hit


def of_parts(hit: Hit, parts: Mapping[str, float]) -> str:
    """Return the sums and products that make the score, each part under its name."""
    if "rrf" in parts:
        return f"{hit.score:.6f} = {_ranked(parts)} × {_shared(hit)}"
    if "behind" in parts:
        return f"{hit.score:.4f} = {_behind(hit, parts)}"
    if "priority" in parts:
        return f"{hit.score:.4f} = {_classed(hit, parts)}"
    said = " + ".join(f"{name} {value:.4g}" for name, value in parts.items() if value)
    return f"{hit.score:.4f} = ({said or 0}) × {_shared(hit)}"


def _ranked(parts: Mapping[str, float]) -> str:
    places = [
        f"{name} {parts[key]:.0f}"
        for name, key in (("words", "words_rank"), ("likeness", "likeness_rank")) if key in parts
    ]  # fmt: skip
    return f"rrf {parts['rrf']:.6f} (ranks: {', '.join(places)}) × quality {parts['quality']:.4f}"


def _classed(hit: Hit, parts: Mapping[str, float]) -> str:
    how = ", found by words" if "by_words" in parts else ""
    return (
        f"overlap {parts['overlap']:.4f} − (priority {parts['priority']:.0f} × 10"
        f" + distance {parts['distance']:.4f} + penalty {parts['penalty']:.4f}"
        f" + distrust {parts['distrust']:.4f}) ({hit.why.group}{how})"
    )


def _behind(hit: Hit, parts: Mapping[str, float]) -> str:
    via = hit.via
    link = f"{via.kind} {'from' if via.leaves else 'to'} {via.id}: " if via else ""
    return f"{link}behind {parts['behind']:.4f} − 1 + share {parts['share']:.4f}"


def _shared(hit: Hit) -> str:
    why = hit.why
    shared = f"trust {why.trust:.2f} × modulator {why.modulator:.3f} (strength {why.strength:.3f})"
    return shared if why.role == 1.0 else f"{shared} × role {why.role:.2f} ({hit.fact.role})"
