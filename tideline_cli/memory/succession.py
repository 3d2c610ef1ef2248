"""Facts that end because another fact replaces them: stored with the edges between the two."""

from __future__ import annotations

from tideline_cli.policy.gate import check_work
from tideline_cli.policy.slots import succeeded
from tideline_cli.store import links, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.policy.slots import Ended


def replace_others(
    db: Connection, holder: Fact, new: Fact, *, named: Sequence[Fact], mates: Sequence[Fact]
) -> Sequence[Ended]:
    """Let the fact that says what `new` says end those that it names and its mates of the slot, as
    far as it may; return them."""
    past = succeeded(holder, new, named=named, mates=mates)
    check_work(new.source, new.agent, [one.before for one in past])
    give_way(db, past, now=new.created_at)
    return past


def give_way(db: Connection, ended: Iterable[Ended], *, now: int) -> None:
    """Store what each fact becomes and link its successor to it; part of the caller's batch."""
    for end in ended:
        writes.change(db, end.before, end.after)
        links.add_all(db, end.by.id, end.link_kinds, end.before.id, now=now)
