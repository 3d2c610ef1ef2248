"""What a history tells: the changes of the journal that a call asks for, each with the row as it
became, and their JSON form."""

from __future__ import annotations

from itertools import islice

from tideline_cli.model import codec, instant
from tideline_cli.model.fields import FIELDS
from tideline_cli.model.record import replace
from tideline_cli.store import facts, history, images, undo_rows
from tideline_cli.store.images import lives

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.history import Entry

    Told = tuple[Entry, str | None]

ACTS = {"+": "added", "~": "changed", "-": "removed"}
_FORMS = {field.name: field.form for field in FIELDS}


def of_fact(
    db: Connection, reference: str, limit: int, *, viewer: Origin
) -> tuple[list[Told], bool]:
    """Return what the newest `limit` commands did to a fact (0: all), and if there are more."""
    seq = facts.number_of(db, reference, viewer=viewer)
    told = _life(db, seq, viewer)
    newest = list(dict.fromkeys(entry.batch for entry, _ in told[::-1]))
    is_cut = bool(limit) and len(newest) > limit
    kept = frozenset(newest[:limit] if is_cut else newest)
    return [pair for pair in told if pair[0].batch in kept], is_cut


def of_commands(
    db: Connection, limit: int, most: int | None, about: Filter | None, *, viewer: Origin
) -> tuple[list[Told], dict[int | None, int], bool]:
    """Return what the newest `limit` commands did (0: all), of each the first `most` changes; how
    many changes each made; and whether there were more commands. With `about`, what commands did
    to such facts, and that alone."""
    first = -1 if most is None else most
    did = None if about is None else history.changes_of(db, about, viewer=viewer)
    batches = (
        batch for batch in history.batches(db, viewer=viewer) if did is None or batch.number in did
    )
    listed = list(islice(batches, limit or None))
    is_cut = bool(limit) and next(batches, None) is not None
    told: list[Told] = []
    for batch in listed:
        entries = (
            history.entries_in(db, batch, viewer=viewer, most=first) if about is None
            else history.entries_about(db, batch, about, viewer=viewer, most=first)
        )  # fmt: skip
        whole = entries if most else history.with_whole_images(db, entries)
        told += [(entry, None) for entry in whole]
    counts: dict[int | None, int] = {
        batch.ordinal: batch.changes.total() if did is None else did[batch.number]
        for batch in listed
    }
    return told, counts, is_cut


def names_of(db: Connection, edges: list[str | None]) -> dict[int, str]:
    """Return the ids of the facts at the ends of edges, by number."""
    rows = [codec.loads(row) for row in edges if row is not None]
    return undo_rows.known_ids(db, [row[end] for row in rows for end in ("from_fact", "to_fact")])


def form_of(entry: Entry, after: str | None, names: dict[int, str]) -> dict[str, Any]:
    """Return a change as an object: what was done, and the values before and after it."""
    return {
        "batch": entry.batch,
        "at": instant.iso(entry.at),
        "verb": entry.verb,
        "outcome": entry.outcome,
        "reason": entry.reason,
        "entity": entry.entity,
        "act": ACTS[entry.act] if entry.act else None,
        "id": entry.fact,
        "before": values_of(entry.before, names),
        "after": values_of(after, names),
    }


def values_of(row: str | None, names: dict[int, str]) -> dict[str, Any] | None:
    """Return the values of a row by the names that users know; an end that is gone is null."""
    if row is None:
        return None
    values = codec.loads(row)
    ends = {
        name: names.get(values[column])
        for name, column in (("from", "from_fact"), ("to", "to_fact"))
        if column in values
    }
    hidden = ("seq", "origin", "number", "fact", "from_fact", "to_fact")
    return ends | {
        name: _plain(name, value) for name, value in values.items() if name not in hidden
    }


def _plain(name: str, value: Any) -> Any:
    """Return a stored value in the form that JSON output has everywhere."""
    form = _FORMS.get(name)
    if form in ("texts", "object"):
        return codec.loads(value) if value else ([] if form == "texts" else None)
    if form == "flag":
        return bool(value)
    is_time = name.endswith("_at") or name.startswith("valid_")
    return instant.iso(value) if is_time and isinstance(value, int) else value


def _life(db: Connection, seq: int, viewer: Origin) -> list[Told]:
    """Return what happened to a fact, its use and its links, each with the row as it became."""
    kept = history.entries_of(db, seq, viewer=viewer)
    entries = list(history.with_whole_images(db, kept))
    now = {entity: images.row_image(db, entity, seq) for entity in ("fact", "usage")}
    told = list(zip(entries, _afters(entries, now), strict=True))
    linked = {number: states for life in lives(db, [seq]) for number, *states in life}
    for entry in history.entries_at(db, linked, viewer=viewer):
        before, after = (images.of_kind(state, entry.kind) for state in linked[entry.change or 0])
        told.append((replace(entry, before=before), after))
    return sorted(told, key=lambda pair: pair[0].change or 0)


def _afters(entries: list[Entry], now: dict[str, str | None]) -> list[str | None]:
    """Return the row after each change: what the next change found, or what is there now."""
    latest = dict(now)
    afters: list[str | None] = []
    for entry in reversed(entries):
        entity = entry.entity or "fact"
        afters.append(None if entry.act == "-" else latest.get(entity))
        latest[entity] = entry.before
    return afters[::-1]
