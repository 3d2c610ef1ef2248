"""tideline list."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, Option, check_order
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.model import codec
from tideline_cli.model.fact import KINDS, LIFECYCLES, SEGMENTS
from tideline_cli.model.record import record
from tideline_cli.store import facts
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.archived import Archived
    from tideline_cli.model.fact import Fact, Segment

HELP = """List facts, newest first.

Active facts, unless --lifecycle, --archived or --as-of says otherwise; where the list has room,
stderr names an archived one that has faded or was merged (`archived_matches` in JSON). With
--lifecycle and --as-of, those that held at TIME and have that lifecycle now. Exits with 1 when a
filter leaves nothing. Where --limit leaves facts out, a note says so, and `truncated` in JSON."""
EXAMPLES = (("", "--segment preference"), ("", "--as-of 2026-01-01"))
ARGUMENTS: tuple[Argument, ...] = ()
OPTIONS = (
    Option("segment", ("--segment", "-s"), "Only this segment.", "choice",
           choices=tuple(SEGMENTS), many=True),
    Option("tag", ("--tag", "-t"), "Only facts with this tag.", many=True, metavar="TAG"),
    Option("kind", ("--kind",), "Only this kind.", "choice", choices=tuple(KINDS), many=True,
           metavar="KIND"),
    Option("lifecycle", ("--lifecycle",), "active, archived, pruned or all [default: active; with "
           "--as-of all].", "choice", choices=(*LIFECYCLES, "all")),
    Option("archived", ("--archived",), "Also facts that have faded or were merged, marked.",
           "flag", False, excludes=("lifecycle", "as_of")),
    Option("since", ("--since",), "Only facts made at or after TIME.", "start"),
    Option("until", ("--until",), "Only facts made at or before TIME; of a day, all of it.",
           "last"),
    Option("as_of", ("--as-of",), "What held at TIME, archived facts included; of a day, its "
           "end.", "last"),
    Option("limit", ("--limit", "-n"), "At most so many [default: 50; 0 is all].", "count", 50),
    *output.SHORT_FORMS,
    output.ROWS,
)  # fmt: skip


@record
class Options:
    """The options of a call."""

    segment: tuple[Segment, ...]
    tag: tuple[str, ...]
    kind: tuple[str, ...]
    lifecycle: str | None
    archived: bool
    since: int | None
    until: int | None
    as_of: int | None
    limit: int
    jsonl: bool
    nl: bool
    csv: bool
    tsv: bool
    table: bool
    fmt: str | None
    format: str | None


def run(session: Session, words: list[str], options: Options) -> int:
    """List the facts."""
    if words:
        raise UsageError("list takes no words", hint="`tideline recall` searches")
    wanted = _wanted(options)
    db = session.reading()
    found: list[Fact] = []
    most = options.limit + 1 if options.limit else None
    if db is not None:
        found = list(facts.each(db, viewer=session.viewer, wanted=wanted, limit=most))
    beside = _beside(session, db, options, wanted, found)
    if options.archived and beside:
        found = sorted(
            [*found, *(one.fact for one in beside)], key=lambda fact: (-fact.created_at, fact.id)
        )
    is_cut = bool(options.limit) and len(found) > options.limit
    found = found[: options.limit] if is_cut else found
    usual = output.usual_of_rows(session)
    chosen = output.chosen(session, output.named(options), usual=usual)
    if found:
        session.keep_hits([fact.id for fact in found])
    _print(session, chosen, found, beside, is_cut=is_cut)
    if is_cut:
        session.note(f"there are more than the newest {options.limit:,}: --limit 0 lists all")
    if beside and not (options.archived or output.is_json(session, chosen)):
        _announce(session, beside)
    session.detail(f"listed {len(found):,} facts")
    if found:
        return 0
    if not output.is_json(session, chosen):
        where = "" if session.viewer.is_owner else f" for {output.shown_origin(session.viewer.key)}"
        session.note(f"nothing to list{where}")
    return 0 if wanted == Filter() else 1


def _wanted(options: Options) -> Filter:
    """Return the filter that the options mean."""
    as_of, lifecycle = options.as_of, options.lifecycle
    check_order(options.since, options.until)
    if as_of is not None and lifecycle == "pruned":
        raise UsageError(
            "no pruned fact is in an answer about the past", hint="leave out --as-of or --lifecycle"
        )
    chosen = None if lifecycle == "all" else lifecycle
    return Filter(
        lifecycle=chosen if lifecycle else "active", state=None if as_of is None else chosen,
        as_of=as_of, segments=options.segment, kinds=options.kind, tags=options.tag,
        since=options.since, until=options.until,
    )  # fmt: skip


def _beside(
    session: Session, db: Connection | None, options: Options, wanted: Filter, found: list[Fact]
) -> list[Archived] | None:
    """Return the archived facts that the filter asks for: all with --archived, else a few where the
    list has room; None where nobody looked."""
    if options.lifecycle is not None or options.as_of is not None:
        return None
    if not options.archived and options.limit and len(found) >= options.limit:
        return None
    if db is None:
        return []
    from tideline_cli.memory import archived  # noqa: PLC0415  where the list has room
    from tideline_cli.memory.archived_matches import ANNOUNCED  # noqa: PLC0415  as above

    most = (options.limit + 1 if options.limit else None) if options.archived else ANNOUNCED
    return archived.listed(db, wanted, viewer=session.viewer, limit=most)


def _announce(session: Session, beside: list[Archived]) -> None:
    from tideline_cli.cli import archived_notes  # noqa: PLC0415  an archived fact matches
    from tideline_cli.memory.archived_matches import ANNOUNCED  # noqa: PLC0415  as above

    archived_notes.announce(session, beside, most=ANNOUNCED)


def _forms(found: list[Fact], *, marks: bool) -> Iterator[dict[str, Any]]:
    """Yield facts as JSON has them; with `marks` an archived one says so."""
    for fact in found:
        form = codec.fact_form(fact)
        if marks and fact.lifecycle != "active":
            form["archived"] = True
        yield form


def _archived(beside: list[Archived] | None) -> list[dict[str, Any]] | None:
    if not beside:
        return None if beside is None else []
    from tideline_cli.cli import archived_notes  # noqa: PLC0415  an archived fact matches

    return archived_notes.forms(beside)


def _print(
    session: Session, format: str, found: list[Fact], beside: list[Archived] | None, *,
    is_cut: bool,
) -> None:  # fmt: skip
    def table() -> None:
        from tideline_cli.cli import tables  # noqa: PLC0415  rich, 20 ms

        tables.facts(session, found)

    output.emit_rows(
        format if found or format != "table" else "lines",
        _forms(found, marks=beside is not None),
        whole=lambda forms: {
            "facts": forms, "truncated": is_cut, "archived_matches": _archived(beside)
        },
        lines=lambda: [_line(fact) for fact in found],
        table=table,
    )


def _line(fact: Fact) -> str:
    """Return the line of a fact in a pipe."""
    shown = f"{fact.id}\t[{fact.segment}] {' '.join(fact.content.split())}"
    return shown if fact.lifecycle == "active" else f"{shown}\t({fact.lifecycle})"
