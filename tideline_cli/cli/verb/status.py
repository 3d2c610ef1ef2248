"""tideline status."""

from __future__ import annotations

import os

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.model.fact import HEATS, LIFECYCLES, SEGMENTS, TIERS
from tideline_cli.model.instant import DAY_MS, iso
from tideline_cli.model.source import SOURCES
from tideline_cli.store import schema, stats
from tideline_cli.store.connection import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.stats import Counts

HELP = """Show what is remembered, and whether all is well.

The counts are those of one origin. --all-origins, for the owner, adds the size of the file and
the other origins, named by a short hash."""
EXAMPLES = (("", ""), ("", "--json"))
ARGUMENTS: tuple[Argument, ...] = ()
OPTIONS = (
    Option("all_origins", ("--all-origins",), "Add the other origins and the file's size.", "flag",
           False),
)  # fmt: skip
_EMBEDDER = "hrr-256"
_NOTHING = stats.Counts(
    {name: {} for name in ("lifecycle", "segment", "tier", "heat", "source")},
    0, 0, 0, _EMBEDDER, 0, {},
)  # fmt: skip


def run(session: Session, *, words: list[str], all_origins: bool) -> int:
    """Show the status."""
    if words:
        raise UsageError("status takes no words", hint="`tideline show ID` shows a fact")
    if all_origins and not session.viewer.is_owner:
        raise UsageError("only the owner may see all origins", hint="leave out --origin")
    db = session.reading()
    counts = _NOTHING
    others: list[tuple[str, int]] = []
    if db is not None:
        with snapshot(db):
            counts = _counted(session, db)
            others = stats.origins(db) if all_origins else []
    form = _form(session, counts, exists=db is not None)
    if all_origins:
        form["file_bytes"] = os.path.getsize(session.database) if db is not None else 0
        form["origins"] = [{"origin": _shown(key), "active": active} for key, active in others]
    if session.json:
        output.emit_json(form)
    else:
        output.emit_lines(_lines(form))
    return 0


def _counted(session: Session, db: Connection) -> Counts:
    since = session.now - 7 * DAY_MS
    return stats.counts(db, viewer=session.viewer, since=since, default_embedder=_EMBEDDER)


def _form(session: Session, counts: Counts, *, exists: bool) -> dict[str, Any]:
    groups = counts.groups
    active = groups["lifecycle"].get("active", 0)
    dream, consolidate = (counts.last.get(verb) for verb in ("dream", "consolidate"))
    return {
        "database": session.database,
        "schema_version": schema.VERSION,
        "size_bytes": counts.size,
        "origin": session.viewer.key,
        "facts": _ordered(groups["lifecycle"], LIFECYCLES),
        "by_segment": _ordered(groups["segment"], tuple(SEGMENTS)),
        "by_tier": _ordered(groups["tier"], TIERS),
        "by_heat": _ordered(groups["heat"], HEATS),
        "by_source": _ordered(groups["source"], SOURCES),
        "pinned": counts.pinned,
        "added_last_7d": counts.added,
        "vectors": {
            "embedder": counts.embedder,
            "present": counts.embedded,
            "missing": active - counts.embedded,
        },
        "last_dream": None if dream is None else iso(dream),
        "last_consolidate": None if consolidate is None else iso(consolidate),
        "health": "ok" if exists else "empty",
    }


def _ordered(counts: dict[str, int], names: Sequence[str]) -> dict[str, int]:
    return {name: counts.get(name, 0) for name in names}


def _shown(key: str) -> str:
    if key == "owner":
        return key
    from _blake2 import blake2b  # noqa: PLC0415

    return "channel:#" + blake2b(key.encode(), digest_size=4).hexdigest()


def _lines(form: dict[str, Any]) -> list[str]:
    facts, vectors = form["facts"], form["vectors"]
    lines = [
        f"database   {form['database']}",
        f"origin     {form['origin']}",
        f"facts      {facts['active']:,} active, {facts['archived']:,} archived, "
        f"{facts['pruned']:,} pruned; {form['pinned']:,} pinned; "
        f"{form['added_last_7d']:,} new in 7 days",
    ]
    for label, name in (
        ("segments", "by_segment"),
        ("tiers", "by_tier"),
        ("heat", "by_heat"),
        ("sources", "by_source"),
    ):
        some = ", ".join(f"{n:,} {value}" for value, n in form[name].items() if n)
        if some:
            lines.append(f"{label:<10} {some}")
    waiting = f", {vectors['missing']:,} waiting" if vectors["missing"] else ""
    lines += [
        f"vectors    {vectors['present']:,} by {vectors['embedder']}{waiting}",
        f"size       {_size(form['size_bytes'])}",
        f"health     {form['health']}",
    ]
    if "file_bytes" in form:
        lines.append(f"file       {_size(form['file_bytes'])}")
        lines += [f"origin     {row['origin']}: {row['active']:,}" for row in form["origins"]]
    return lines


def _size(octets: int) -> str:
    size = float(octets)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
