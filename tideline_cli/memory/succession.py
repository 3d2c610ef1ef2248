"""Facts that end because another fact replaces them: stored with the edges between the two."""

from __future__ import annotations

from tideline_cli.store import links, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from apsw import Connection

    from tideline_cli.policy.slots import Ended


def give_way(db: Connection, ended: Iterable[Ended], *, now: int) -> None:
    """Store what each fact becomes and link its successor to it; part of the caller's batch."""
    for end in ended:
        writes.change(db, end.before, end.after)
        links.add_all(db, end.by.id, end.link_kinds, end.before.id, now=now)
