"""Facts by how their text begins, where people type the first words of one."""

from __future__ import annotations

from tideline_cli.store import bulk_reads, facts

_MOST = 100  # facts that are read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin


def beginning_with(db: Connection, text: str, *, viewer: Origin) -> list[Fact]:
    """Return the active facts whose text begins so, in whatever case and spacing, newest first;
    where one has this text and no more, that one alone."""
    start = _plain(text)
    if not start:
        return []
    numbers = [
        seq
        for seq, content in bulk_reads.active_texts(db, viewer=viewer)
        if content[:1].casefold() == start[:1] and _plain(content).startswith(start)
    ]
    found = list(facts.get(db, numbers[: -_MOST - 1 : -1], viewer=viewer).values())
    whole = [fact for fact in found if _plain(fact.content) == start]
    return whole if len(whole) == 1 else sorted(found, key=lambda fact: -fact.created_at)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
