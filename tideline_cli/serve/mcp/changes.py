"""The tool timeline: what changed, newest first, of one fact or between times."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.memory import told_changes
from tideline_cli.serve.mcp.arguments import instant_of
from tideline_cli.serve.mcp.safe import NOTICE, SHORT, safe_value
from tideline_cli.store import facts, history, images

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.serve.mcp.service import Door, Service
    from tideline_cli.store.history import Entry

    Told = tuple[Entry, str | None]

_USUAL = 20
_TELLING = ("content", "segment", "slot", "kind", "source", "tags")  # of a fact that came or went


def changes_of(door: Door, given: dict[str, Any], service: Service) -> dict[str, Any]:
    """Return the changes, each with the values that it changed."""
    reference, limit = given["id"], given["limit"] or _USUAL
    since = instant_of(given, "since", now=door.now)
    until = instant_of(given, "until", now=door.now, ends=True)
    if since is not None and until is not None and since > until:
        raise UsageError("since is after until: nothing lies between")
    db = door.reading()
    if db is None:
        if reference is not None:
            raise facts.missing(reference)
        return {"changes": []}
    if reference is None:
        told = _between(door, db, since, until, limit + 1)
    else:
        whole, _ = told_changes.of_fact(db, door.reference(reference), 0, viewer=door.viewer)
        told = [pair for pair in whole[::-1] if _is_within(pair[0].at, since, until)]
    ends = [row for entry, after in told[:limit] if entry.entity == "link"
            for row in (entry.before, after)]  # fmt: skip
    names = told_changes.names_of(db, ends)
    changes = [_form(entry, after, names, service) for entry, after in told[:limit]]
    return {"changes": changes, "more": len(told) > limit} | (
        {"notice": NOTICE} if changes else {})  # fmt: skip


def _is_within(at: int, since: int | None, until: int | None) -> bool:
    return (since is None or at >= since) and (until is None or at <= until)


def _between(
    door: Door, db: Connection, since: int | None, until: int | None, most: int
) -> list[Told]:
    """Return the newest changes between two times; of a batch the first ones."""
    told: list[Told] = []
    for batch in history.batches(db, viewer=door.viewer):
        if len(told) == most:
            break
        if _is_within(batch.at, since, until):
            some = history.entries_in(db, batch, viewer=door.viewer, most=most - len(told))
            entries = list(history.with_whole_images(db, some))
            told += [(entry, _after(db, entry)) for entry in entries]
    return told


def _after(db: Connection, entry: Entry) -> str | None:
    """Return a row as a change left it: as the next change found it, or as it is now."""
    if entry.act in (None, "-") or entry.row is None or entry.change is None:
        return None
    if entry.entity == "fact":
        return images.state_before(db, entry.row, entry.change + 1)
    return images.row_image(db, entry.entity or "fact", entry.row)


def _form(
    entry: Entry, after: str | None, names: dict[int, str], service: Service
) -> dict[str, Any]:
    form = told_changes.form_of(entry, after, names)
    before, later = form["before"], form["after"]
    if entry.act == "~" and before and later:
        changed = [name for name in later if before.get(name) != later[name]]
        before = {name: before.get(name) for name in changed}
        later = {name: later[name] for name in changed}
    elif entry.entity == "fact":
        before, later = _telling(before), _telling(later)
    told = {"at": form["at"], "verb": entry.verb, "batch": entry.batch, "id": entry.fact,
            "did": f"{form['act'] or form['outcome']} {entry.entity or ''}".rstrip(),
            "reason": entry.reason, "before": before, "after": later}  # fmt: skip
    full = {name: value for name, value in told.items() if value not in (None, {})}
    told_safely: dict[str, Any] = safe_value(
        full, SHORT, show_secrets=service.show_secrets
    )
    return told_safely


def _telling(row: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return what tells a fact of the row that came or went."""
    if row is None:
        return None
    return {name: row[name] for name in _TELLING if row.get(name) not in (None, [], "")}
