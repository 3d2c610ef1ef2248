"""What makes the score of a hit, on one line."""

from __future__ import annotations

from tideline_cli.cli import output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.hit import Breakdown, Hit


def explanation(hit: Hit) -> str:
    """Return the sums and products that make a hit's score."""
    told = _explained(hit)
    return f"{told} + newer {hit.why.newer:.4f}" if hit.why.newer else told


def _explained(hit: Hit) -> str:
    why = hit.why
    if why.parts is not None:
        from tideline_cli.cli import way_explanation  # noqa: PLC0415  other ways alone

        return way_explanation.of_parts(hit, why.parts)
    shared = f"trust {why.trust:.2f} × modulator {why.modulator:.3f} (strength {why.strength:.3f})"
    if why.role != 1.0:
        shared += f" × role {why.role:.2f} ({hit.fact.role})"
    if why.held != 1.0:
        shared += f" × held {why.held:.4f} (behind what is trusted)"
    if why.likeness:
        liked = f"likeness {why.likeness:.4f} (cosine {why.cosine:.3f})"
        words = f"{_words(why)} × {shared} + " if why.bm25 or why.neighbour or why.session else ""
        return f"{hit.score:.4f} = {words}{liked}"
    if why.lane == "lexical":
        return f"{hit.score:.4f} = {_words(why)} × {shared}"
    if why.lane == "graph" and hit.via is not None:
        link = f"{output.one_line(hit.via.kind)} {'from' if hit.via.leaves else 'to'} {hit.via.id}"
        return (
            f"{hit.score:.4f} = {link}: base {why.base:.4f} × damping {why.damping:.3f} × {shared}"
        )
    near = f"cosine {why.cosine:.3f}"
    if why.base is None:
        return f"{hit.score:.4f} = {near} × {shared}"
    return f"{hit.score:.4f} = {near}: base {why.base:.4f} × damping {why.damping:.3f} × {shared}"


def _words(why: Breakdown) -> str:
    """Return what the words are worth, and what stands around them."""
    named = ", ".join(
        f"{term} in a label" if term in why.label_terms else term for term in why.matched_terms
    )
    own = f"bm25 {why.bm25:.4f} ({named})" if named else f"bm25 {why.bm25:.4f}"
    if why.date:
        own = f"(bm25 {why.bm25:.4f} ({named}) + date {why.date:.4f})"
    for name, factor in (("speaker", why.speaker), ("time", why.time)):
        if factor != 1.0:
            own += f" × {name} {factor:.2f}"
    around = [
        f"{name} {share:.4f}"
        for name, share in (("neighbour", why.neighbour), ("session", why.session)) if share
    ]  # fmt: skip
    parts = [own, *around] if why.bm25 or why.date else around
    return f"({' + '.join(parts)})" if around else own
