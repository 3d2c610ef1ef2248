"""The write-gate: what an untrusted source may not author or replace."""

from __future__ import annotations

from tideline_cli.errors import WriteBlockedError
from tideline_cli.model.fact import SEGMENTS
from tideline_cli.model.source import STANDING, is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tideline_cli.model.fact import Fact, Segment, Tier
    from tideline_cli.model.source import Source


def check_permanence(source: Source, tier: Tier, pinned: bool, document: str | None) -> None:
    """Raise WriteBlockedError when an untrusted source wants its fact never to fade: a chunk of a
    document does not, but only `ingest` takes documents in."""
    if document is not None and not is_trusted(source):
        raise WriteBlockedError(
            f"write-gate: {source} may not say that its fact is a chunk of a document",
            hint="leave out document, or take the document in with `tideline ingest`",
            code="write_gate_blocked",
            reason=f"rule 4: {source} may not make a fact permanent as a chunk of a document",
        )
    if not is_trusted(source) and (pinned or tier == "permanent"):
        raise WriteBlockedError(
            f"write-gate: {source} may not pin a fact or make it permanent",
            hint="leave out --pin and --tier permanent, or write it as the owner",
            code="write_gate_blocked",
            reason=f"rule 4: {source} may not make a fact permanent",
        )


def check_descent(source: Source, cited: Iterable[Source]) -> None:
    """Raise WriteBlockedError when a pass would turn the text of untrusted facts into trusted text.

    A person who cites a fact speaks for himself. What a pass derives is worth no more than the
    least of its inputs.
    """
    if source == "dream" and not all(is_trusted(one) for one in cited):
        raise WriteBlockedError(
            "write-gate: dream may not derive a fact from an untrusted one",
            hint="write it as compaction, or as the owner if you vouch for it",
            code="write_gate_blocked",
            reason="rule 5: dream may not derive from an untrusted fact",
        )


def check(segment: Segment, source: Source, targets: Iterable[Source]) -> None:
    """Raise WriteBlockedError when `source` may not write `segment` or replace `targets`. `targets`
    are the sources of the facts that the write would supersede."""
    if SEGMENTS[segment].protected and not STANDING[source].protected:
        raise WriteBlockedError(
            f"write-gate: {source} may not author {segment} facts",
            hint="store it as knowledge (--confine), or as the owner if you vouch for it",
            code="write_gate_blocked",
            reason=f"rule 1: {source} may not author {segment}",
        )
    if not is_trusted(source) and any(is_trusted(target) for target in targets):
        raise WriteBlockedError(
            f"write-gate: {source} may not replace a trusted fact",
            hint="leave out --supersedes, or write it as the owner if you vouch for it",
            code="write_gate_blocked",
            reason=f"rule 2: {source} may not supersede a trusted fact",
        )


def check_work(source: Source, agent: str | None, targets: Iterable[Fact]) -> None:
    """Raise WriteBlockedError when an untrusted source would replace work of another agent: that
    would close it."""
    if not all(may_end(source, agent, target) for target in targets):
        raise WriteBlockedError(
            f"write-gate: {source} may not replace the work of another agent",
            hint="leave out --supersedes or --slot, or write it as the owner if you vouch for it",
            code="write_gate_blocked",
            reason=f"rule 6: {source} may not replace the work of another agent",
        )


def may_move(source: Source, agent: str | None, known: Fact) -> bool:
    """Say whether a write may say how far the work of a fact is: what nobody vouches for says so of
    the facts of its own agent alone."""
    return is_trusted(source) or known.agent == agent


def may_end(source: Source, agent: str | None, known: Fact) -> bool:
    """Say whether a write may end a fact, as far as that is work."""
    return known.progress is None or may_move(source, agent, known)


def confined(segment: Segment, source: Source) -> Segment:
    """Return the segment that `source` may write: a protected one becomes knowledge."""
    return "knowledge" if SEGMENTS[segment].protected and STANDING[source].confined else segment


def may_touch(source: Source, target: Source) -> bool:
    """Say whether a write from `source` may reinforce or archive a fact of source `target`."""
    return is_trusted(source) or not is_trusted(target)
