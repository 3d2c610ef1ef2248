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
    from tideline_cli.model.fact import Fact, Segment

HELP = """List facts, newest first.

Active facts, unless --lifecycle or --as-of says otherwise; with both, those that held at TIME and
have that lifecycle now. Exits with 1 when a filter leaves nothing. Where --limit leaves facts out,
a note says so, and `truncated` in JSON."""
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
    Option("since", ("--since",), "Only facts made at or after TIME.", "start"),
    Option("until", ("--until",), "Only facts made at or before TIME; of a day, all of it.",
           "last"),
    Option("as_of", ("--as-of",), "What held at TIME, archived facts included; of a day, its "
           "end.", "last"),
    Option("limit", ("--limit", "-n"), "At most so many [default: 50; 0 is all].", "count", 50),
    output.JSONL,
    output.ROWS,
)  # fmt: skip


@record
class Options:
    """The options of a call."""

    segment: tuple[Segment, ...]
    tag: tuple[str, ...]
    kind: tuple[str, ...]
    lifecycle: str | None
    since: int | None
    until: int | None
    as_of: int | None
    limit: int
    jsonl: bool
    format: str | None


def run(session: Session, words: list[str], options: Options) -> int:
    """List the facts."""
    if words:
        raise UsageError("list takes no words", hint="`tideline recall` searches")
    wanted = _wanted(options)
    db = session.reading()
    found: list[Fact] = []
    if db is not None:
        most = options.limit + 1 if options.limit else None
        found = list(facts.each(db, viewer=session.viewer, wanted=wanted, limit=most))
    is_cut = bool(options.limit) and len(found) > options.limit
    found = found[: options.limit] if is_cut else found
    usual = output.usual_of_rows(session)
    chosen = output.chosen(session, options.format, jsonl=options.jsonl, usual=usual)
    _print(session, chosen, found, is_cut=is_cut)
    if is_cut:
        session.note(f"there are more than the newest {options.limit:,}: --limit 0 lists all")
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


def _print(session: Session, format: str, found: list[Fact], *, is_cut: bool) -> None:
    def table() -> None:
        from tideline_cli.cli import tables  # noqa: PLC0415  rich, 20 ms

        tables.facts(session, found)

    output.emit_rows(
        format if found or format != "table" else "lines",
        map(codec.fact_form, found),
        whole=lambda forms: {"facts": forms, "truncated": is_cut},
        lines=lambda: [_line(fact) for fact in found],
        table=table,
    )


def _line(fact: Fact) -> str:
    """Return the line of a fact in a pipe."""
    shown = f"{fact.id}\t[{fact.segment}] {' '.join(fact.content.split())}"
    return shown if fact.lifecycle == "active" else f"{shown}\t({fact.lifecycle})"
