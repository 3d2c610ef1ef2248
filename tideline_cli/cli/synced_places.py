"""The places that a memory syncs with, and what waits for an answer since: as `status` tells them.
"""

from __future__ import annotations

from tideline_cli.cli import ages
from tideline_cli.model.instant import iso
from tideline_cli.store import sync_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session

_SHOWN = 5


def of_places(db: Connection, *, now: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Return each place with the time of the last sync that came to its end, as objects of JSON
    and as lines."""
    forms: list[dict[str, Any]] = []
    lines: list[str] = []
    for place in sync_state.all_places(db):
        at = place.synced_at
        forms.append({"address": place.address, "synced_at": iso(at) if at else None})
        when = f"synced {ages.ago(at, now)}" if at else "never synced"
        lines.append(f"place      {place.address}: {when}")
    return forms, lines


def of_rewordings(rows: Iterable[tuple[str | None, str]]) -> list[dict[str, str | None]]:
    """Return wordings that wait for an answer as objects of JSON."""
    return [{"id": fact_id, "forgotten": gone} for gone, fact_id in rows]


def asked(session: Session, forms: Sequence[dict[str, str | None]]) -> list[tuple[str, str]]:
    """Return what is asked of wordings, each with the commands that answer it; of many the first.
    """
    told: list[tuple[str, str]] = []
    for form in forms[:_SHOWN]:
        fact_id, gone = form["id"], form["forgotten"]
        if gone is None:
            told.append((
                f"{fact_id} is archived: it rewords a fact that was purged on another machine",
                f"`{session.call('purge', str(fact_id))}` removes it too, "
                f"`{session.call('restore', str(fact_id))}` keeps it",
            ))  # fmt: skip
        else:
            told.append((
                f"{gone} was forgotten on one machine and reworded on another: {fact_id} stands",
                f"`{session.call('forget', str(fact_id))}` lets it go too, "
                f"`{session.call('forget', gone)}` keeps it",
            ))  # fmt: skip
    if len(forms) > _SHOWN:
        rest = f"{len(forms) - _SHOWN:,} more wordings wait for an answer"
        told.append((rest, f"`{session.call('sync status')} --json` names all"))
    return told
