"""tideline forget."""

from __future__ import annotations

from tideline_cli.cli import by_id, filters, output
from tideline_cli.cli.filters import Filters
from tideline_cli.cli.options import Argument, flag, text
from tideline_cli.cli.session import Session
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.memory import amend
from tideline_cli.memory.pick import beginning_with
from tideline_cli.model.record import replace
from tideline_cli.model.scope import scope_key
from tideline_cli.store import facts, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.model.fact import Fact

HELP = """Take facts out of recall.

They are archived: `tideline restore` brings them back, `tideline purge` removes for good. Several
are forgotten together or not at all, and one `tideline undo` brings all of them back.

With filters, which are those of list, all active facts that they ask for are forgotten, after they
were shown and a question. --scope takes the facts of exactly that scope. --dry-run shows what would
go.

--query forgets the fact whose text begins so, in whatever case and spacing, or else the one that is
nearest to the text, after asking. Its distance is 2 - 2 * cosine; from 0.5 on nothing is forgotten,
and the nearest is named. Where several begin so and none of them is near, they are named."""
EXAMPLES = (
    ("@1", ""), ("", '--query "I deploy on Fri"'),
    ("", "--source tool_output --since 1w --dry-run"),
)  # fmt: skip
ARGUMENTS = (Argument("words", "ID", "Which facts.", "id", completes=("active",)),)
TOO_FAR = 0.5
_SHOWN, _NAMED = 10, 5


class Options(Filters):
    """The options of a call."""

    query = text("Forget the fact that begins with this text, or is nearest to it.", metavar="TEXT")
    superseded_by = text("The fact that stands in their place.", metavar="ID", completes="active")
    dry_run = flag("Show what would be forgotten; change nothing.", short="-n")
    yes = flag("Do not ask.", short="-y")


def run(session: Session, words: list[str], options: Options) -> int:
    """Forget the facts."""
    ways = (bool(words), options.query is not None, filters.is_given(options))
    if sum(ways) != 1:
        raise UsageError(
            "name facts, or say --query TEXT, or filters such as --tag: one of the three",
            hint="tideline forget ID",
        )
    references = [session.reference(word) for word in words]
    if options.dry_run or not words:
        chosen = _chosen(session, references, options)
        if options.dry_run:
            return _preview(session, chosen)
        if not session.confirmed(_question(chosen), yes=options.yes):
            if session.json:
                output.emit_json({"forgotten": [], "batch": None})
            session.note("nothing forgotten")
            return 1
        references = [fact.id for fact in chosen]
    successor = options.superseded_by
    done = amend.forget(
        by_id.existing(session, references),
        references,
        superseded_by=None if successor is None else session.reference(successor),
        viewer=session.viewer,
        now=session.now,
    )
    after = f"; `{session.call('restore')} {{id}}` brings it back"
    by_id.report(session, done, "forgotten", "archived", after)
    if not any(word.startswith("@") for word in words):  # whoever counts goes on counting
        session.keep_hits([fact.id for fact in (*done.changed, *done.kept)])
    if done.batch is not None and len(done.changed) > 1:
        undo = session.call("undo", str(done.batch))
        session.note(f"{len(done.changed):,} facts are forgotten; `{undo}` brings all back")
    return 0


def _chosen(session: Session, references: list[str], options: Options) -> Sequence[Fact]:
    """Return the facts that a call means."""
    if references:
        db = session.reading()
        if db is None:
            raise facts.missing(references[0])
        return facts.named(db, references, viewer=session.viewer)
    return [_meant(session, options.query)] if options.query is not None else (
        _filtered(session, options))  # fmt: skip


def _filtered(session: Session, options: Options) -> list[Fact]:
    """Return the active facts that the filters ask for; raise where there are none."""
    db = session.reading()
    wanted = filters.wanted(session, db, options)
    if options.scope is not None:
        wanted = replace(wanted, scopes=(scope_key(options.scope),))
    found = [] if db is None else list(listing.each(db, viewer=session.viewer, wanted=wanted))
    if not found:
        raise TidelineError(
            "nothing to forget: no active fact is as the filters ask",
            hint="`tideline list` takes the same filters", code="no_match",
        )  # fmt: skip
    return found


def _question(chosen: Sequence[Fact]) -> str:
    if len(chosen) == 1:
        return f"Forget {chosen[0].id}: {output.brief(chosen[0])}?"
    lines = [f"{fact.id}  {output.brief(fact)}" for fact in chosen[:_SHOWN]]
    more = len(chosen) - _SHOWN
    lines += [f"and {more:,} more; --dry-run shows all"] if more > 0 else []
    return "\n".join([*lines, f"Forget these {len(chosen):,} facts?"])


def _preview(session: Session, chosen: Sequence[Fact]) -> int:
    """Show what would be forgotten."""
    going = [fact for fact in chosen if fact.lifecycle == "active"]
    if session.json:
        ids = [fact.id for fact in going]
        output.emit_json({"forgotten": ids, "batch": None, "dry_run": True})
    else:
        output.emit_lines([f"would forget {one.id}: {output.brief(one)}" for one in going])
    count = "1 fact" if len(going) == 1 else f"{len(going):,} facts"
    session.note(f"dry run: nothing was written; {count} would be forgotten")
    return 0


def _meant(session: Session, query: str) -> Fact:
    """Return the fact that begins with a text, or else the nearest one."""
    db = session.reading()
    started = [] if db is None else beginning_with(db, query, viewer=session.viewer)
    if len(started) == 1:
        return started[0]
    near = [] if db is None else amend.nearest(db, query, viewer=session.viewer, now=session.now)
    if started:
        begin = {fact.id for fact in started}
        near = [pair for pair in near if pair[0].id in begin and pair[1] < TOO_FAR]
        if len(near) != 1:
            raise _ambiguous(started)
    if not near:
        raise TidelineError("nothing matched", hint="`tideline list` shows facts", code="no_match")
    fact, distance = near[0]
    if distance >= TOO_FAR:
        raise TidelineError(
            f"nothing is near enough: {fact.id} is the nearest, at distance {distance:.3f}: "
            + output.brief(fact),
            hint=f"if you mean it: tideline forget {fact.id}",
            code="too_far",
        )
    return fact


def _ambiguous(started: Sequence[Fact]) -> UsageError:
    named = "; ".join(f"{fact.id}: {output.brief(fact)}" for fact in started[:_NAMED])
    more = "; …" if len(started) > _NAMED else ""
    return UsageError(
        f"{len(started):,} facts begin so: {named}{more}",
        hint="give more of the text, or the id: tideline forget ID",
    )
