"""tideline sync status: which machines there are, and how far each place is."""

from __future__ import annotations

import shlex

from tideline_cli.cli import ages, output, synced_places
from tideline_cli.model import instant
from tideline_cli.store import sync_registers, sync_schema, sync_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.store.sync_state import PlaceRow

_MOST = 20  # ids that a terminal shows; --json has all


def show(session: Session) -> None:
    """Print the places, the machines that were met in each, and what waits."""
    db = session.reading()
    if db is None or not sync_schema.exists(db):
        if session.json:
            output.emit_json(
                {"replica": None, "name": None, "places": [], "conflicts": 0, "reworded": []}
            )
        else:
            output.emit_lines(["this memory does not sync: `tideline sync FOLDER` begins"])
        return
    form = _form(db)
    if session.json:
        output.emit_json(form)
    else:
        output.emit_lines(_lines(session, form))


def _form(db: Connection) -> dict[str, Any]:
    own = sync_state.SyncState(db).own_id
    return {
        "replica": own,
        "name": sync_state.name_of(db, own),
        "places": [_place(db, place) for place in sync_state.all_places(db)],
        "conflicts": len(sync_registers.ruled(db, "slot", origin_number=None)),
        "reworded": synced_places.of_rewordings(sync_registers.reworded(db, origin_number=None)),
    }


def _place(db: Connection, place: PlaceRow) -> dict[str, Any]:
    return {
        "address": place.address,
        "place": place.place,
        "encrypted": place.is_sealed,
        "vouched": place.is_vouched,
        "synced_at": instant.iso(place.synced_at) if place.synced_at else None,
        "segment": place.segment,
        "pending": bool(place.pending),
        "strangers": [] if place.is_vouched else sync_state.strangers(db, place.number),
        "refused": [] if place.is_vouched else sync_state.refused(db, place.number),
        "replicas": [
            {
                "replica": one.replica, "name": one.name or one.replica[:8],
                "segment": one.segment, "stopped": one.stopped,
            }
            for one in sync_state.streams_of(db, place.number).values()
        ],
    }  # fmt: skip


def _lines(session: Session, form: dict[str, Any]) -> list[str]:
    lines = [f"this machine\t{form['name']} ({form['replica'][:8]})"]
    for place in form["places"]:
        kind = "encrypted" if place["encrypted"] else "not encrypted"
        trust = "" if place["vouched"] else ", not vouched for"
        at = place["synced_at"]
        when = f"synced {ages.ago(instant.parse(at), session.now)}" if at else "never synced"
        waits = ", a sync was cut short" if place["pending"] else ""
        lines.append(f"{place['address']}\t{kind}{trust}, {when}{waits}")
        for one in place["replicas"]:
            stopped = f", cannot be read further: {one['stopped']}" if one["stopped"] else ""
            lines.append(f"  {one['name']}\tread up to segment {one['segment']}{stopped}")
        for name, told in (("strangers", "taken as a stranger's"), ("refused", "not taken over")):
            if place[name]:
                shown = " ".join(place[name][:_MOST]) + (" …" if len(place[name]) > _MOST else "")
                lines.append(f"  {told}\t{len(place[name]):,}: {shown}")
        if place["strangers"] or place["refused"]:
            lines.append("  if they are yours\ttideline sync "
                         f"{shlex.quote(place['address'])} --trust")  # fmt: skip
    if form["conflicts"]:
        lines.append(f"conflicts\t{form['conflicts']:,}: `tideline contradictions`")
    lines += [f"reworded\t{text}: {hint}" for text, hint in
              synced_places.asked(session, form["reworded"])]  # fmt: skip
    return lines
