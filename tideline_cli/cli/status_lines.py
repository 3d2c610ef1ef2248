"""What `status` says as lines, and what it and other commands say of doors and of synced places."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.cli import output
from tideline_cli.config.settings import shown
from tideline_cli.errors import CannotWriteError
from tideline_cli.model import time_words
from tideline_cli.model.instant import DAY_MS, iso
from tideline_cli.store import stats
from tideline_cli.store.connection import OLDER_TERMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.serve.setup_files import SetUpRow
    from tideline_cli.store.stats import Counts
    Days = list[tuple[int, int]]  # facts added and archived, a day each

_BARS = "▁▂▃▄▅▆▇█"  # the first stands for 0
_OLDER = f"words      {OLDER_TERMS}"
_PASSES = 5  # that archived anything
_LABEL = 11  # columns of a label, with the blank behind it


def of_status(
    form: dict[str, Any], counts: Counts, session: Session, *, due: int | None,
    more: list[str], days: Days | None,
) -> list[str]:  # fmt: skip
    """Return the lines of a status that has this form, with some `more`. `due` is when the next
    dream is, None for now; `days` are what bars show, None for no bars."""
    warned = _fading_lines(session, form["fading_next_14d"])
    warned += [_OLDER] if form["older_terms"] else []
    lines = [*_lines(form), *_passes(session, counts, due), *warned, *more]
    lines += _bars(days) if days is not None else []
    turns, taken = form["sessions"].values()
    if turns:
        keep = shown("sessions_keep", session.config.get("sessions_keep"))
        lines.append(f"sessions   {turns:,} turns, {taken / 1e6:,.1f} MB; kept for {keep}")
    models = form["models"]
    if models["requests"]:
        money = "" if models["money"] is None else f", {models['money']:,.2f} by your prices"
        lines.append(
            f"models     {models['requests']:,} requests in 30 days: {models['tokens_in']:,} "
            f"tokens in, {models['tokens_out']:,} out{money}"
        )
    return output.labelled(lines, _LABEL)


def _lines(form: dict[str, Any]) -> list[str]:
    facts, vectors = form["facts"], form["vectors"]
    ended = f"{facts['ended']:,} ended, " if facts["ended"] else ""
    lines = [
        f"database   {form['database']}",
        f"origin     {output.shown_origin(form['origin'])}",
        *([f"scope      {form['scope'] or 'none'}; --all-scopes counts every fact"]
          if form["scope"] is not None else []),
        f"facts      {facts['active']:,} active, {ended}{facts['archived']:,} archived, "
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
    for label in stats.COUNTED_LABELS:
        found = form.get(f"by_{label}") or {}
        if any(found):
            some = ", ".join(f"{n:,} {name or 'without'}" for name, n in found.items())
            lines.append(f"{label + 's':<10} {some}")
    if any(form["by_scope"]):
        some = ", ".join(f"{n:,} {name or 'without'}" for name, n in form["by_scope"].items())
        lines.append(f"scopes     {some}")
    waiting = f", {vectors['missing']:,} waiting" if vectors["missing"] else ""
    lines += [
        f"vectors    {vectors['present']:,} by {vectors['embedder']}{waiting}",
        f"text       {_size(form['size_bytes'])}",
        f"health     {form['health']}",
        *(["purge      pending: somebody reads, or no room"] if form["pending_purge"] else []),
    ]
    if "file_bytes" in form:
        lines.append(f"file       {_size(form['file_bytes'])}")
    if "origins" in form:
        lines += [
            f"origin     {row['origin']}: {row['active']:,}"
            + (f", {row['ended']:,} ended" if row["ended"] else "")
            for row in form["origins"]
        ]
    return lines


def _passes(session: Session, counts: Counts, due: int | None) -> list[str]:
    """Return what the last dream and consolidation were, and when the next dream is due."""
    lines = [] if "dream" in counts.last else ["last dream never"]
    for verb, (at, summary) in sorted(counts.last.items(), reverse=True):
        when = iso(at)[:16].replace("T", " ")
        line = f"last {verb} {when} ({_span(session.now - at)} ago)"
        lines.append(f"{line}: {summary}" if summary else line)
    for batch, verb, at, archived in counts.archiving[:_PASSES]:
        facts = "1 fact" if archived == 1 else f"{archived:,} facts"
        undo = session.call("undo", str(batch))
        lines.append(f"archived   {iso(at)[:10]} {verb}: {facts} · {undo}")
    if len(counts.archiving) > _PASSES:
        lines.append(f"archived   before that: {session.call('history')}")
    waits = 0 if due is None else due - session.now
    return [*lines, f"next dream due in {_span(waits)}" if waits > 0 else "next dream due now"]


def _fading_lines(session: Session, fading: int | None) -> list[str]:
    """Return the line that names what fades soon, if anything does."""
    if not fading:
        return []
    facts = "1 fact fades" if fading == 1 else f"{fading:,} facts fade"
    return [f"fading     {facts} within 14 days: {session.call('fading')}"]


def _span(ms: int) -> str:
    """Return a span of time, rounded, in one unit: 40 s, 19 h, 3 d."""
    for unit, size, most in (("s", 1000, 90), ("min", 60_000, 90), ("h", 3_600_000, 48)):
        if ms < most * size:
            return f"{(max(ms, 0) + size // 2) // size} {unit}"
    return f"{(ms + DAY_MS // 2) // DAY_MS:,} d"


def _bars(days: Days) -> list[str]:
    """Return one line for the facts that arrived, one for those that were archived."""
    lines = []
    for label, counts in zip(("added", "archived"), zip(*days, strict=True), strict=True):
        most = max(counts)
        bars = "".join(_BARS[-(-n * (len(_BARS) - 1) // max(most, 1))] for n in counts)
        lines.append(f"{label:<10} {bars} {sum(counts):,} in {len(days)} days")
    return lines


def _size(octets: int) -> str:
    size = float(octets)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


_OF_LATE = 7 * DAY_MS  # a failure that is older is no news


def doors_status(session: Session) -> tuple[dict[str, Any], list[str]]:
    """Return the doors as JSON has them, and as lines."""
    from shutil import which  # noqa: PLC0415  re; where a client was set up

    from tideline_cli.serve import hook_state, queue  # noqa: PLC0415  as above

    state = config.state_folder(os.environ)
    rows, unread = _setup_rows()
    failure = hook_state.last_failure(hook_state.log_path(state, session.viewer.key))
    form: dict[str, Any] = {
        "set_up": sorted(rows),
        "gone": sorted(name for name, row in rows.items() if which(row.program) is None),
        "pending": queue.length(state, queue.Whose(session.real_database, session.viewer.key)),
        "last_failure": None if failure is None else {
            "at": iso(failure.at), "client": failure.client, "message": failure.message,
        },
    }  # fmt: skip
    lines = [f"doors      {', '.join(form['set_up'])}"] if rows else []
    lines += [f"doors      {unread}"] if unread else []
    lines += [f"doors      {name}: its program is gone; tideline setup {name.split()[0]}"
              for name in form["gone"]]  # fmt: skip
    if form["pending"]:
        count = form["pending"]
        what = "1 conversation waits" if count == 1 else f"{count:,} conversations wait"
        lines.append(f"pending    {what}: tideline extract --pending")
    if failure is not None and session.now - failure.at < _OF_LATE:
        when = iso(failure.at)[:16].replace("T", " ")
        lines.append(f"hook       {when} {failure.client}: {failure.message}")
    return form, lines


def _setup_rows() -> tuple[dict[str, SetUpRow], str]:
    """Return what the record of setup has, and what is wrong with it, empty for nothing."""
    from tideline_cli.serve import setup_files  # noqa: PLC0415  json; where a client was set up

    try:
        return setup_files.setup_rows(config.data_folder(os.environ)), ""
    except CannotWriteError as error:
        return {}, error.message


_SHOWN = 5


def places_status(db: Connection, *, now: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Return each place with the time of the last sync that came to its end, as objects of JSON
    and as lines."""
    from tideline_cli.store import sync_state  # noqa: PLC0415  few memories sync

    forms: list[dict[str, Any]] = []
    lines: list[str] = []
    for place in sync_state.all_places(db):
        at = place.synced_at
        forms.append({"address": place.address, "synced_at": iso(at) if at else None})
        when = f"synced {time_words.ago(at, now)}" if at else "never synced"
        lines.append(f"place      {place.address}: {when}")
    return forms, lines


def rewording_forms(rows: Iterable[tuple[str | None, str]]) -> list[dict[str, str | None]]:
    """Return wordings that wait for an answer as objects of JSON."""
    return [{"id": fact_id, "forgotten": gone} for gone, fact_id in rows]


def rewording_questions(
    session: Session, forms: Sequence[dict[str, str | None]]
) -> list[tuple[str, str]]:
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
