"""tideline recall."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.filters import Formats, Narrowing, narrowed
from tideline_cli.cli.options import (
    PROFILE,
    Argument,
    Scopes,
    choice,
    count,
    flag,
    last,
    number,
    share,
    text,
)
from tideline_cli.cli.session import Session, check_batch_line, stdin_text
from tideline_cli.config.settings import TABLE
from tideline_cli.errors import UsageError
from tideline_cli.memory.answer import active_part, answered
from tideline_cli.memory.query import ALL, DEFAULT_LIMIT, FUSIONS, MODES, POINTS, Query
from tideline_cli.memory.recall import write_back
from tideline_cli.model import codec
from tideline_cli.ranking.decay import DECAYS, DEPTH
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.commands.sessions import TurnsFound
    from tideline_cli.memory.answer import Answer
    from tideline_cli.memory.query import Recalled
    from tideline_cli.model.hit import Hit
    from tideline_cli.model.origin import Origin
    LineAnswer = Callable[[str, Origin, int], tuple[dict[str, Any], Recalled]]

GRAPHS = ("auto", "on", "off")
HELP = """Find the facts that answer a query.

Facts that share words with the query come first: BM25 times the trust of their source, times how
well they are remembered. What only resembles it follows below, where places are left.

A hit that rests on little is marked weak (`weak` in JSON): on one common word, on little likeness,
or on one word of a question that is mostly unknown, and such a hit comes last.

Where places are left, facts that have faded, were merged or have ended are looked for too: stderr
says that one matches and how it comes back, `archived_matches` and `ended_matches` in JSON have
them (null where nobody looked).

The hits are counted as used, but for a past (--as-of) or a pretended time (--now).

Exits with 1 when nothing matches, or nothing but archived and ended facts."""
EXAMPLES = (("when do I deploy", ""), ("when do I deploy", "--explain"))
ARGUMENTS = (Argument("words", "QUERY", "What to look for; `-` reads standard input."),)


_JOINED = [row.help for row in FUSIONS.values()]
_FADED = [
    f"with {' and '.join(names)} {curve}"
    for curve in DECAYS[1:]
    if (names := [row.name for row in (*FUSIONS.values(), POINTS) if row.decay == curve])
]


class Options(Narrowing, Scopes, Formats):
    """The options of a call."""

    limit = count(f"Hits at most [default: {DEFAULT_LIMIT}; 0 is all].", short="-n")
    mode = choice(MODES)(
        "Words and likeness, words alone, likeness alone, or points for words, ids and tags "
        "[default: hybrid]."
    )
    fusion = choice((*FUSIONS,))(
        f"How words and likeness are joined: {'; '.join(_JOINED[:-1])}; or {_JOINED[-1]} [default: "
        "score where the embedder is learned, else append]."
    )
    decay = choice(DECAYS)(
        f"How facts fade in this answer [default: half-life; {', '.join(_FADED)}]."
    )
    profile = PROFILE
    min_sim = share("Least cosine of a fact found by likeness [default: 0.3].")
    min_score = number(
        "Only facts with at least this score; --explain shows what scores are made of.",
        default=0.0, least=0,
    )  # fmt: skip
    why_not = text(
        "Say why this fact is not among the hits.",
        metavar="ID", completes="id", excludes=("batch", "archived"),
    )  # fmt: skip
    mmr = share(
        "Weight of score against repetition; 1 keeps the order [default: 1].",
        default=1.0, metavar="LAMBDA",
    )  # fmt: skip
    graph = choice(GRAPHS)(
        "Also facts that are linked with the best hits, marked `via`: on, off, or auto, where the "
        "question asks for times or relations or hits are linked [default: off].",
        default="off",
    )
    as_of = last("What held at TIME, archived facts included; of a day, its end.")
    archived = flag(
        "Also facts that have faded or were merged, marked, in order of score; found by their "
        "words.",
        excludes=("as_of",),
    )
    sessions = flag(
        "Also turns of sessions, below the facts: see `tideline sessions` [setting: "
        "recall_sessions].",
        excludes=("batch", "as_of", "why_not", "csv", "tsv", "fmt"),
    )
    around = count(
        "With --sessions: so many turns before and after each.", short="-C", default=0, most=50
    )
    explain = flag("Show what each score is made of.")
    no_touch = flag("Do not count this as use of the facts.")
    touch = flag(
        "Count this as use of the facts, whatever the profile says, or with --explain or --now "
        "[setting: touch].",
        excludes=("no_touch", "as_of", "batch", "why_not"),
    )
    batch = flag(
        "Read queries, one a line, text or JSON with id, query, origin, now; print one JSON "
        "result a line, for a bad line an error; counts no use.",
        excludes=("words", *Formats.__fields__),
    )


def run(session: Session, words: list[str], options: Options) -> int:
    """Answer one query, or a batch of them."""
    if options.batch:
        return _run_batch(session, options)
    text = session.text(words)
    query = _query(session, text, options)
    db = session.reading()
    if options.why_not is not None:
        from tideline_cli.cli import ways  # noqa: PLC0415  --why-not alone

        chosen = output.chosen(session, output.named(options), usual="lines")
        return ways.explain_absence(
            session, db, query, options.why_not, format=chosen, graph=options.graph
        )
    whole = answered(
        db, query, viewer=session.viewer, now=session.now, archived=options.archived,
        graph=options.graph,
    )  # fmt: skip
    answer = whole.found
    session.caution_of_likeness(answer.lacking)
    chosen = output.of_rows(session, options)
    said = _said(session, db, query, len(answer.hits), options)
    _print(session, chosen, query, whole, said, explain=options.explain)
    has_sure = any(not hit.weak for hit in answer.hits)
    if whole.archived or whole.ended or options.archived or not has_sure:
        from tideline_cli.cli import answer_notes  # noqa: PLC0415  most answers are all there is

        is_json = output.is_json(session, chosen)
        answer_notes.say_beside(
            session, db, query, whole, is_json=is_json, is_among=options.archived
        )
    passive = not _is_use(session, query, options)
    session.detail(f"{len(answer.hits):,} hits; counts {'no' if passive else 'their'} use")
    if db is not None and answer.hits:
        session.keep_hits([hit.fact.id for hit in answer.hits])
    if db is not None:
        output.deliver()
        used = active_part(answer) if options.archived else answer
        write_back(db, used, touch=not passive, now=session.now)
    return 0 if answer.hits or (said and said.forms) else 1


def _said(
    session: Session, db: Connection | None, query: Query, found: int, options: Options
) -> TurnsFound | None:
    """Return the turns of sessions that answer, below so many facts; None where they are not asked
    for: as many as hits with --sessions, else what places are left."""
    room = query.limit if options.sessions else query.limit - found
    is_wanted = options.sessions or (
        session.config.get("recall_sessions") == "on" and not (options.as_of or options.why_not)
    )
    if not is_wanted or room <= 0 or db is None:
        return None
    from tideline_cli.cli.commands import sessions  # noqa: PLC0415  who keeps sessions alone

    return sessions.said(session, db, query.text, min(room, sessions.MOST),
                         query.wanted.scopes, options.around)  # fmt: skip


def _is_use(session: Session, query: Query, options: Options) -> bool:
    """Say whether an answer counts as use of its hits."""
    if options.touch or options.no_touch:
        return options.touch
    if options.explain or options.as_of is not None or session.names_time:
        return False
    chosen = session.setting("touch", None)
    return query.touches if chosen is None else bool(chosen == "on")


def _query(session: Session, text: str, options: Options) -> Query:
    limit, asked = options.limit, narrowed(options)
    if options.archived and options.mode == "semantic":
        raise UsageError(
            "archived facts are found by their words", hint="leave out --mode semantic"
        )
    query = Query(
        text,
        limit=session.setting("limit", DEFAULT_LIMIT) if limit is None else limit or ALL,
        mode=options.mode or "hybrid",
        fusion=options.fusion,
        decay=options.decay or "half-life",
        min_sim=options.min_sim,
        mmr=options.mmr,
        fading=session.setting("fading", DEPTH),
        min_score=options.min_score,
        wanted=Filter(
            as_of=options.as_of, **asked,
            scopes=session.scopes(options.scope, everything=options.all_scopes),
        ),
    )  # fmt: skip
    profile = session.profile(options.profile)
    if profile is None and not query.is_other_way:
        return query
    from tideline_cli.cli import ways  # noqa: PLC0415  most rank as usual

    query = ways.along(session, query, profile, options)
    if options.archived:
        ways.refuse_archived(query)
    return query


def _print(
    session: Session, format: str, query: Query, whole: Answer, said: TurnsFound | None, *,
    explain: bool,
) -> None:  # fmt: skip
    answer = whole.found
    is_past = query.wanted.as_of is not None
    output.emit_rows(
        format,
        _hit_forms(answer, explain=explain, is_past=is_past),
        whole=lambda forms: _form(query, session.viewer.key, forms, whole)
        | ({"turns": said.forms} if said else {}),
        lines=lambda: [_line(hit, explain, is_past) for hit in answer.hits],
        table=lambda: drawer(session).hits(answer.hits, _explained() if explain else None),
        is_empty=not answer.hits,
    )
    if said and format in ("lines", "table"):
        output.emit_lines(said.lines)
    elif said and format == "jsonl":
        for form in said.forms:
            output.emit_json(form)
    if not answer.hits and not (said and said.forms) and not output.is_json(session, format):
        least = f" with a score of {query.min_score:g} or more" if query.min_score else ""
        session.note(f"nothing matched{least}")


def _line(hit: Hit, explain: bool, is_past: bool) -> str:
    text = output.told(hit.fact)
    line = f"{hit.fact.id}\t[{hit.fact.segment}] {text}"
    if hit.via is not None:
        line += f"\t(via {output.one_line(hit.via.kind)} {hit.via.id})"
    if not is_past and hit.fact.lifecycle != "active":
        line += f"\t({hit.fact.lifecycle})"
    if hit.weak:
        line += "\t(weak match)"
    return f"{line}\t{_explained()(hit)}" if explain else line


def _explained() -> Callable[[Hit], str]:
    from tideline_cli.cli import ways  # noqa: PLC0415  --explain alone

    return ways.sums_of


def _hit_forms(answer: Recalled, *, explain: bool, is_past: bool) -> Iterator[dict[str, Any]]:
    """Yield the hits as JSON has them; in an answer about now an archived one says so."""
    for rank, hit in enumerate(answer.hits, 1):
        form = codec.hit_form(hit, rank, explain=explain)
        if not is_past and hit.fact.lifecycle != "active":
            form["archived"] = True
        yield form


def _form(query: Query, origin: str, hits: list[dict[str, Any]], whole: Answer) -> dict[str, Any]:
    answer = whole.found
    return {
        "query": query.text,
        "origin": origin,
        "mode": answer.mode,
        "fusion": answer.fusion,
        "decay": query.decay,
        "profile": query.profile,
        "hits": hits,
        **whole.beside(),
    }


def _run_batch(session: Session, options: Options) -> int:
    db = session.reading()

    def answer(text: str, viewer: Origin, now: int) -> tuple[dict[str, Any], Recalled]:
        query = _query(session, text, options)
        whole = answered(
            db, query, viewer=viewer, now=now, archived=options.archived, graph=options.graph
        )
        found = whole.found
        session.caution_of_likeness(found.lacking)
        is_past = options.as_of is not None
        hits = _hit_forms(found, explain=options.explain, is_past=is_past)
        return _form(query, viewer.key, list(hits), whole), found

    return _answer_batch(session, db, answer)


_BATCH_KEYS = frozenset(("id", "query", "origin", "now"))


def _answer_batch(session: Session, db: Connection | None, answer: LineAnswer) -> int:
    """Answer one query a line, without counting use; vectors that an answer made are stored after
    it. A bad line is answered with its error; the exit code is the highest of theirs."""
    worst = bad = good = 0
    for place, line in enumerate(stdin_text().split("\n"), 1):
        if not line.strip():
            continue
        row: dict[str, Any] = {}
        found: Recalled | None = None
        try:
            check_batch_line(line)
            row = _batch_row(line)
            form, found = answer(*_asked_line(session, row))
            good += 1
        except UsageError as error:
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            form = {"line": place, "error": told}
            bad, worst = bad + 1, max(worst, error.exit_code)
        output.emit_json({"id": row["id"], **form} if "id" in row else form)
        if db is not None and found is not None:
            write_back(db, found, touch=False, now=session.now)
    if bad:
        session.note(f"{good:,} of {good + bad:,} lines are answered")
    return worst


def _asked_line(session: Session, row: dict[str, Any]) -> tuple[str, Origin, int]:
    """Return the question of a line, whose memory it asks, and when."""
    from tideline_cli.exchange.importer import cells  # noqa: PLC0415  a batch alone

    codec.check_keys(row, _BATCH_KEYS)
    text, origin = row.get("query"), row.get("origin")
    if not isinstance(text, str):
        raise UsageError("no query", hint='give {"id": …, "query": "…"}')
    if not isinstance(origin, str | None):
        raise UsageError("origin is not a text", hint="owner, or a channel's session")
    viewer = session.origin(origin) if origin else session.viewer
    if viewer != session.viewer and not session.viewer.is_owner:
        raise UsageError("only the owner may ask for another origin", hint="leave it out")
    if viewer != session.viewer and session.config.get(TABLE):
        from tideline_cli.cli import own_databases  # noqa: PLC0415  few have such a table

        own_databases.check_is_here(session, viewer)
    return text, viewer, cells.instants(row, "now", session.now) or 0


def _batch_row(line: str) -> dict[str, Any]:
    """Return what a line asks: the values of a JSON object, or the line as the query."""
    if not line.lstrip().startswith("{"):
        return {"query": line}
    try:
        row: dict[str, Any] = codec.loads(line)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}", hint="one JSON object a line, or a text") from error
    return row
