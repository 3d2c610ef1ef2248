"""tideline list."""

from __future__ import annotations

from tideline_cli.cli import filters, output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.filters import Filters, Formats
from tideline_cli.cli.options import Argument, choice, count, flag, last
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.memory import archived
from tideline_cli.model import codec
from tideline_cli.model.fact import LIFECYCLES, has_ended
from tideline_cli.model.record import replace
from tideline_cli.ranking import decays
from tideline_cli.ranking.decay import DECAYS
from tideline_cli.store import listing
from tideline_cli.store.connection import snapshot
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.archived import Archived
    from tideline_cli.model.fact import Fact

    Strength = Callable[[Fact], float]

HELP = """List facts, the newest first.

Active facts, unless --lifecycle, --archived or --as-of says otherwise; one that has ended is marked
(`ended` in JSON). Where the list has room,
stderr names an archived one that has faded or was merged (`archived_matches` in JSON). With
--lifecycle and --as-of, those that held at TIME and have that lifecycle now. Exits with 1 when a
filter leaves nothing. Where --limit leaves facts out, a note says so, and `truncated` in JSON."""
EXAMPLES = (("", "--segment preference"), ("", "--source tool_output --since 7d"))
STRENGTH = "strength"
ARGUMENTS: tuple[Argument, ...] = ()


class Options(Filters, Formats):
    """The options of a call."""

    lifecycle = choice((*LIFECYCLES, "all"))(
        "active, archived, pruned or all [default: active; with --as-of all]."
    )
    archived = flag(
        "Also facts that have faded or were merged, marked.", excludes=("lifecycle", "as_of")
    )
    as_of = last("What held at TIME, archived facts included; of a day, its end.")
    sort = choice((*listing.ORDERS, STRENGTH))(
        "new, old, importance, used (last used first) or strength (strongest first) [default: "
        "new].",
        default="new",
    )
    decay = choice(DECAYS)(
        "By which forgetting curve --sort strength orders; each fact says how strong it is by it."
    )
    limit = count("At most so many [default: 50; 0 is all].", short="-n", default=50)
    offset = count(
        "Leave out so many at the beginning [default: 0].", default=0, excludes=("archived",)
    )


def run(session: Session, _: list[str], options: Options) -> int:
    """List the facts."""
    db = session.reading()
    wanted = _wanted(session, db, options)
    found, beside = _read(session, db, wanted, options)
    if options.archived and beside:
        found = _together(found, [one.fact for one in beside], options.sort)
    is_cut = bool(options.limit) and len(found) > options.limit
    found = found[: options.limit] if is_cut else found
    chosen = output.of_rows(session, options)
    if found:
        session.keep_hits([fact.id for fact in found])
    strength = options.decay and (lambda fact: _strength(session, fact, options))
    moment = session.now if options.as_of is None else options.as_of
    _print(session, chosen, found, beside, is_cut=is_cut, strength=strength or None, now=moment)
    if is_cut:
        first = "newest" if options.sort == "new" else "first"
        session.note(f"there are more than the {first} {options.limit:,}: --limit 0 lists all")
    if beside and not (options.archived or output.is_json(session, chosen)):
        _announce(session, beside)
    if options.archived and beside is not None and db is not None and not is_cut:
        _say_set_aside(session, db, wanted, len(beside))
    session.detail(f"listed {len(found):,} facts")
    if found:
        return 0
    if not output.is_json(session, chosen):
        where = "" if session.viewer.is_owner else f" for {output.shown_origin(session.viewer.key)}"
        after = f" after the first {options.offset:,}" if options.offset else ""
        session.note(f"nothing to list{where}{after}")
    if options.document or wanted.scopes is not None:
        from tideline_cli.cli import answer_notes  # noqa: PLC0415  a filter that leaves nothing

        if options.document:
            answer_notes.name_unknown_documents(session, db, options.document)
        if db is not None and wanted.scopes is not None:
            answer_notes.note_unlisted_scopes(session, db, wanted)
    return 0 if wanted == Filter() else 1


def _wanted(session: Session, db: Connection | None, options: Options) -> Filter:
    """Return the filter that the options mean."""
    as_of, lifecycle = options.as_of, options.lifecycle
    if as_of is not None and lifecycle == "pruned":
        raise UsageError(
            "no pruned fact is in an answer about the past", hint="leave out --as-of or --lifecycle"
        )
    chosen = None if lifecycle == "all" else lifecycle
    wanted = filters.wanted(session, db, options, lifecycle=chosen if lifecycle else "active")
    return replace(wanted, as_of=as_of, state=None if as_of is None else chosen)


def _read(
    session: Session, db: Connection | None, wanted: Filter, options: Options
) -> tuple[list[Fact], list[Archived] | None]:
    """Return the facts, and the archived ones beside them, of one instant."""
    if db is None:
        return [], _beside(session, db, options, wanted, [])
    with snapshot(db):
        found = _found(session, db, wanted, options)
        return found, _beside(session, db, options, wanted, found)


def _found(session: Session, db: Connection, wanted: Filter, options: Options) -> list[Fact]:
    """Return the facts, one more than the limit where there are more."""
    most = options.limit + 1 if options.limit else None
    if options.sort != STRENGTH:
        ordered = listing.each(
            db, viewer=session.viewer, wanted=wanted, limit=most, order=options.sort,
            offset=options.offset,
        )  # fmt: skip
        return list(ordered)
    every = listing.each(db, viewer=session.viewer, wanted=wanted)
    by_strength = sorted(every, key=lambda fact: -_strength(session, fact, options))
    return by_strength[options.offset :][:most]


def _strength(session: Session, fact: Fact, options: Options) -> float:
    moment = session.now if options.as_of is None else options.as_of
    return decays.strength_by(fact, options.decay or "half-life", now=moment)


def _together(found: list[Fact], gone: list[Fact], order: str) -> list[Fact]:
    """Return the facts and the archived ones by time where that is the order, else these last."""
    both = [*found, *gone]
    if order == "new":
        return sorted(both, key=lambda fact: (-fact.created_at, fact.id))
    return sorted(both, key=lambda fact: (fact.created_at, fact.id)) if order == "old" else both


def _beside(
    session: Session, db: Connection | None, options: Options, wanted: Filter, found: list[Fact]
) -> list[Archived] | None:
    """Return the archived facts that the filter asks for: all with --archived, else a few where the
    list has room; None where nobody looked."""
    if options.lifecycle is not None or options.as_of is not None or options.offset:
        return None
    if not options.archived and options.limit and len(found) >= options.limit:
        return None
    if db is None:
        return []
    most: int | None = archived.ANNOUNCED
    if options.archived:
        most = options.limit + 1 if options.limit else None
    return archived.listed(db, wanted, viewer=session.viewer, limit=most)


def _announce(session: Session, beside: list[Archived]) -> None:
    from tideline_cli.cli import answer_notes  # noqa: PLC0415  an archived fact matches
    answer_notes.announce(session, beside, most=archived.ANNOUNCED)


def _say_set_aside(session: Session, db: Connection, wanted: Filter, listed: int) -> None:
    """Say that archived facts are left out which somebody forgot or replaced."""
    count = archived.others_count(db, wanted, viewer=session.viewer, listed=listed)
    if count:
        facts = "1 archived fact that" if count == 1 else f"{count:,} archived facts that"
        did = "neither faded nor was merged" if count == 1 else "neither faded nor were merged"
        session.note(f"left out: {facts} {did}; --lifecycle archived lists all that are archived")


def _forms(
    found: list[Fact], *, marks: bool, strength: Strength | None, now: int
) -> Iterator[dict[str, Any]]:
    """Yield facts as JSON has them; one that has ended says so, with `marks` an archived one, and
    with `strength` each how strong it is."""
    for fact in found:
        form = codec.fact_form(fact)
        if marks and fact.lifecycle != "active":
            form["archived"] = True
        if has_ended(fact, now=now):
            form["ended"] = True
        if strength is not None:
            form["strength"] = strength(fact)
        yield form


def _archived(beside: list[Archived] | None) -> list[dict[str, Any]] | None:
    if not beside:
        return None if beside is None else []
    return archived.match_forms(beside)


def _print(
    session: Session, format: str, found: list[Fact], beside: list[Archived] | None, *,
    is_cut: bool, strength: Strength | None, now: int,
) -> None:  # fmt: skip
    output.emit_rows(
        format,
        _forms(found, marks=beside is not None, strength=strength, now=now),
        whole=lambda forms: {
            "facts": forms, "truncated": is_cut, "archived_matches": _archived(beside)
        },
        lines=lambda: [_line(fact, strength, now=now) for fact in found],
        table=lambda: drawer(session).facts(found, strength, now=now),
        is_empty=not found,
    )


def _line(fact: Fact, strength: Strength | None, *, now: int) -> str:
    """Return the line of a fact in a pipe."""
    shown = f"{fact.id}\t[{fact.segment}] {output.told(fact)}"
    state = output.state(fact, now=now)
    shown = f"{shown}\t({state})" if state else shown
    return shown if strength is None else f"{shown}\tstrength {strength(fact):.3f}"
