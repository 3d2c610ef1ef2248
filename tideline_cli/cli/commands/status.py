"""tideline status."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, Scopes, choice, flag
from tideline_cli.cli.session import Session
from tideline_cli.config.settings import DEFAULT_EMBEDDER, TABLE
from tideline_cli.model import lean
from tideline_cli.model.fact import HEATS, LIFECYCLES, SEGMENTS, TIERS
from tideline_cli.model.instant import DAY_MS, LATEST_MS, iso
from tideline_cli.model.source import SOURCES
from tideline_cli.store import SCHEMA_VERSION, stats
from tideline_cli.store.connection import is_analysed_by_older_rules, setting, snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.stats import Counts

    Days = list[tuple[int, int]]  # facts added and archived, a day each

HELP = """Show what is remembered, and whether all is well.

The counts are those of one origin, and so is its size: what its facts take of the file, about, in
bytes (`size_bytes`). --all-origins, for the owner, adds the size of the file (`file_bytes`), which
also holds the index, the history and the other origins, and these, named by a short hash.

`--by kind` also counts the facts by their kind (`by_kind`, an empty name those without one).

In a scope the facts that are seen from it are counted (`scope` in JSON); `by_scope` counts those of
every scope, an empty name those without one.

On a terminal, one bar a day shows the facts that arrived and those that were archived in the last
30 days (UTC), whatever time they carry themselves; with --json, `activity` has the numbers.

The last passes that archived facts stand in a line each, with what takes them back
(`archiving_passes`). After a first dream, a line says how many facts fade within 14 days
(`fading_next_14d`). Others say whether the words of the file are analysed by older rules
(`older_terms`) and what asking models has cost in 30 days (`models`). A memory that syncs names its
places, and when it last did (`places`), and the wordings that wait for an answer since
(`reworded`): of facts that another machine has forgotten (`forgotten`) or purged."""
EXAMPLES = (("", ""), ("", "--json"), ("", "--by kind"))
ARGUMENTS: tuple[Argument, ...] = ()
_ALWAYS = ("segment", "tier", "heat", "source", "scope")  # labels that are counted anyhow
_DAYS = 30
_NOTHING = stats.Counts(
    {name: {} for name in ("lifecycle", "segment", "tier", "heat", "source")},
    {}, 0, 0, 0, 0, DEFAULT_EMBEDDER, 0, {}, False, [],
)  # fmt: skip


class Options(Scopes):
    """The options of a call."""

    all_origins = flag("Add the other origins.")
    by = choice((*stats.COUNTED_LABELS, *_ALWAYS))(
        "Count the facts by this label: kind and agent only then, which reads all facts; the "
        "others always.",
        many=True,
    )


def run(session: Session, _: list[str], options: Options) -> int:
    """Show the status."""
    if options.all_origins:
        session.needs_owner("only the owner may see all origins")
    seen = session.scopes(options.scope, everything=options.all_scopes)
    db = session.reading()
    counts = _NOTHING
    origins: list[dict[str, Any]] = []
    labels: dict[str, dict[str, int]] = {one: {} for one in options.by if one not in _ALWAYS}
    fading: int | None = None
    place_lines, places, reworded = list[str](), None, None
    kept = 0, 0
    is_older = False
    days: Days = [(0, 0)] * _DAYS
    draws = not session.json and output.is_terminal(session) and output.can_show("▁█")
    if db is not None:
        with snapshot(db):
            counts = stats.counts(
                db, viewer=session.viewer, since=session.now - 7 * DAY_MS, now=session.now,
                default_embedder=DEFAULT_EMBEDDER, scopes=seen,
            )  # fmt: skip
            origins = _origins(session, db) if options.all_origins else []
            labels = {
                one: stats.by_label(db, one, viewer=session.viewer, now=session.now, scopes=seen)
                for one in labels
            }
            fading = _fading(session, db, counts)
            is_older = session.viewer.is_owner and is_analysed_by_older_rules(db)
            if session.json or draws:
                since = _first_day(session) * DAY_MS
                days = stats.by_day(db, viewer=session.viewer, since=since, days=_DAYS)
            places, reworded, place_lines = _places(session, db)
            kept = stats.kept_turns(db, viewer=session.viewer)
    own_lines, (doors, door_lines) = _own_databases(session, db), _doors(session)
    form = _form(session, counts, days) | {
        "scope": seen[0] or "" if seen else None, "fading_next_14d": fading,
        "older_terms": is_older, "doors": doors, "places": places, "reworded": reworded,
        "sessions": {"turns": kept[0], "bytes": kept[1]},
        "models": _model_costs(session),
    }  # fmt: skip
    form |= {f"by_{one}": found for one, found in labels.items()}
    if options.all_origins:  # both tell of other origins
        form["file_bytes"] = stats.room_of(db) if db is not None else 0
        form["origins"] = origins
    if session.json:
        output.emit_json(form)
    else:
        from tideline_cli.cli import status_lines  # noqa: PLC0415  JSON needs no lines

        due, shown = _next_dream(session, counts), days if draws else None
        more = [*own_lines, *place_lines, *door_lines]
        output.emit_lines(
            status_lines.of_status(form, counts, session, due=due, more=more, days=shown)
        )
    return 0


def _model_costs(session: Session) -> dict[str, Any]:
    """Return what asking models has cost in the last 30 days."""
    if not any(map(os.path.exists, config.door_files(os.environ))):
        return {"requests": 0, "tokens_in": 0, "tokens_out": 0, "money": None}
    from tideline_cli.cli import model_costs  # noqa: PLC0415  files of the hooks

    return model_costs.form_of(session, model_costs.of_late(session))


def _origins(session: Session, db: Connection) -> list[dict[str, Any]]:
    """Return how many facts each origin has that hold, and that have ended."""
    ended = stats.ended_by_origin(db, now=session.now)
    return [
        {"origin": _shown(key), "active": active - ended.get(key, 0), "ended": ended.get(key, 0)}
        for key, active in stats.origins(db)
    ]


def _own_databases(session: Session, db: Connection | None) -> list[str]:
    """Return the line that says which database this is and why, where origins have their own; to
    the owner also which. Warn of facts that are left in the other one."""
    if not session.config.get(TABLE):
        return []
    from tideline_cli.cli import own_databases  # noqa: PLC0415  few have such a table

    if session.named_by.startswith(TABLE):
        from tideline_cli.cli import other_memories  # noqa: PLC0415  few have such a table

        other_memories.warn_of_left_facts(session, session.viewer, lambda: db)
    return own_databases.status_lines(session)


def _places(
    session: Session, db: Connection
) -> tuple[list[dict[str, Any]] | None, list[dict[str, str | None]] | None, list[str]]:
    """Return the places that a memory syncs with, and the wordings that wait for an answer since;
    None for one that never has."""
    if not session.viewer.is_owner or not setting(db, "replica", ""):
        return None, None, []
    from tideline_cli.cli import status_lines  # noqa: PLC0415  few memories sync
    from tideline_cli.store import sync_registers, visibility  # noqa: PLC0415  as above

    places, lines = status_lines.places_status(db, now=session.now)
    own = visibility.number(db, session.viewer)
    reworded = status_lines.rewording_forms(sync_registers.reworded(db, origin_number=own))
    asked = status_lines.rewording_questions(session, reworded)
    return places, reworded, [*lines, *(f"reworded   {text}: {hint}" for text, hint in asked)]


def _doors(session: Session) -> tuple[dict[str, Any] | None, list[str]]:
    """Return which clients are set up, what waits and what failed last, where any ever was."""
    if not session.viewer.is_owner or not any(map(os.path.exists, config.door_files(os.environ))):
        return None, []
    from tideline_cli.cli import status_lines  # noqa: PLC0415  where a client was set up

    form, lines = status_lines.doors_status(session)
    # The files of other origins' hooks tell nothing.
    return (form if any(form.values()) or lines else None), lines


def _fading(session: Session, db: Connection, counts: Counts) -> int | None:
    """Return how many facts fade within 14 days; None before the first dream, which foresees it."""
    if "dream" not in counts.last:
        return None
    from tideline_cli.memory.fading import soon_count  # noqa: PLC0415  after a first dream
    from tideline_cli.ranking.fading import Eviction  # noqa: PLC0415  as above

    rule = Eviction(after_owner_ms=session.config.get("evict_after_owner"))
    return soon_count(db, rule, viewer=session.viewer, now=session.now)


def _first_day(session: Session) -> int:
    """Return the first day that is shown, counted since 1970."""
    return session.now // DAY_MS - _DAYS + 1


def _next_dream(session: Session, counts: Counts) -> int | None:
    """Return when the next dream is due; None when there was none, so that it is due now."""
    if "dream" not in counts.last:
        return None
    interval: int = session.config.get("dream_interval")
    return min(counts.last["dream"][0] + interval, LATEST_MS)


def _form(session: Session, counts: Counts, days: Days) -> dict[str, Any]:
    groups = counts.groups
    dream, dreamt = counts.last.get("dream", (None, None))
    consolidate, consolidated = counts.last.get("consolidate", (None, None))
    due = _next_dream(session, counts)
    spec, revision, dims = _named(counts.embedder)
    return {
        "database": session.database,
        "database_from": session.named_by,
        "schema_version": SCHEMA_VERSION,
        "size_bytes": counts.size,
        "origin": session.viewer.key,
        "facts": _ordered(groups["lifecycle"], (*LIFECYCLES, "ended")),
        "by_segment": _ordered(groups["segment"], tuple(SEGMENTS)),
        "by_tier": _ordered(groups["tier"], TIERS),
        "by_heat": _ordered(groups["heat"], HEATS),
        "by_source": _ordered(groups["source"], SOURCES),
        "by_scope": counts.scopes,
        "pinned": counts.pinned,
        "added_last_7d": counts.added,
        "vectors": {
            "embedder": spec, "revision": revision or None, "dims": int(dims) if dims else None,
            "present": counts.embedded,
            "missing": counts.waiting,
        },
        "last_dream": None if dream is None else iso(dream),
        "last_dream_summary": dreamt,
        "next_dream_due": iso(session.now if due is None else due),
        "last_consolidate": None if consolidate is None else iso(consolidate),
        "last_consolidate_summary": consolidated,
        "archiving_passes": [
            {"batch": batch, "verb": verb, "at": iso(at), "archived": archived}
            for batch, verb, at, archived in counts.archiving
        ],
        "pending_purge": counts.pending_purge,
        "health": _health(session, counts),
        "activity": [
            {"day": iso(day * DAY_MS)[:10], "added": added, "archived": archived}
            for day, (added, archived) in enumerate(days, _first_day(session))
        ],
    }


def _named(embedder: str) -> tuple[str, str, str]:
    """Return what was chosen, its revision and how many values; the last two of a learned one."""
    if " " not in embedder:
        return embedder, "", ""
    spec, revision, dims = embedder.rsplit(" ", 2)
    return spec, revision, dims


def _health(session: Session, counts: Counts) -> str:
    """Return empty for an owner who has no facts. A channel gets ok then too: nothing that it sees
    may depend on whether there is a store."""
    has_facts = any(counts.groups["lifecycle"].values()) or any(counts.scopes.values())
    return "ok" if has_facts or not session.viewer.is_owner else "empty"


def _ordered(counts: dict[str, int], names: Sequence[str]) -> dict[str, int]:
    return {name: counts.get(name, 0) for name in names}


def _shown(key: str) -> str:
    if key == "owner":
        return key
    return "channel:#" + lean.blake2b(key.encode(), digest_size=4).hexdigest()
