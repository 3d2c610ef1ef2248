"""tideline remember."""

from __future__ import annotations

from tideline_cli.cli import new_fact, output
from tideline_cli.cli.new_fact import Options
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.config.settings import DEDUPS
from tideline_cli.memory import remember as memory
from tideline_cli.model.fact import KINDS, LARGEST_TURN, PROGRESSES, ROLES, SEGMENTS, TIERS
from tideline_cli.model.record import replace
from tideline_cli.model.source import SOURCES
from tideline_cli.store import facts
from tideline_cli.store.transactions import follow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from apsw import Connection

    from tideline_cli.memory.remember import Remembered
    from tideline_cli.model.fact import Fact, NewFact

HELP = """Write a fact down.

A fact that is known already is reinforced, not stored twice; the labels and times given with it
are applied. A fact in a slot ends what the slot held where it begins; the old value stays in the
history.

Text that comes from tools, documents or extraction says so with --source: it may not speak for
the owner, and it is scanned before it is stored."""
EXAMPLES = (
    ("I keep a strict vegetarian diet", "--segment preference"),
    ("I deploy on Fridays", "--slot deploy_day"),
)
ARGUMENTS = (Argument("words", "TEXT", "The fact; `-` reads standard input."),)
OPTIONS = (
    Option("segment", ("--segment", "-s"), "What it is about [default: knowledge].", "choice",
           choices=tuple(SEGMENTS)),
    Option("slot", ("--slot",), "The one value it is of, such as deploy_day: ends the old one.",
           metavar="NAME", completes="slot"),
    Option("importance", ("--importance",), "How much it matters; outside 0..1 is clamped.",
           "number"),
    Option("tier", ("--tier",), "How long it is kept.", "choice", choices=TIERS),
    Option("source", ("--source",), "Who said it [default: owner_message, in a channel "
           "channel_message].", "choice", choices=SOURCES),
    Option("supersedes", ("--supersedes",), "A fact that this one replaces, besides its slot's.",
           many=True, metavar="ID", completes="active"),
    Option("confidence", ("--confidence",), "How sure it is; weighs in recall.", "share"),
    Option("valid_from", ("--valid-from",), "When it begins to hold.", "start"),
    Option("valid_to", ("--valid-to",), "Until when it holds; of a day, to its end.", "end"),
    Option("tag", ("--tag", "-t"), "A label to filter by; commas part several.", "list",
           many=True, metavar="TAG", completes="tag"),
    Option("kind", ("--kind",), "A finer word than the segment, and its defaults.", "choice",
           choices=tuple(KINDS), metavar="KIND"),
    Option("title", ("--title",), "A short name."),
    Option("meta", ("--meta",), "Anything else worth keeping.", "pair", many=True),
    Option("source_turn", ("--source-turn",), "Where it was said.", metavar="REF"),
    Option("derived_from", ("--derived-from",), "A fact it was derived from.", many=True,
           metavar="ID", completes="id"),
    Option("pin", ("--pin",), "Never let it fade.", "flag", False),
    Option("confine", ("--confine",), "Store what the source may not author as knowledge.",
           "flag", False),
    Option("scope", ("--scope",), "Of what it is worth knowing, such as work/api; an empty one is "
           "of everything [default: the setting scope].", metavar="A/B", completes="scope"),
    Option("session", ("--session",), "The conversation that it was said in.", metavar="NAME",
           completes="session"),
    Option("turn", ("--turn",), "Its place in the conversation.", "count", most=LARGEST_TURN),
    Option("speaker", ("--speaker",), "Who said it, by name.", metavar="NAME",
           completes="speaker"),
    Option("role", ("--role",), "Who spoke; what an assistant or a tool says weighs less.",
           "choice", choices=ROLES),
    Option("agent", ("--agent",), "Which program writes; an empty one is none [default: the "
           "setting agent].", metavar="NAME", completes="agent"),
    Option("progress", ("--status", "--progress"), "How far the work is, of a task or the "
           "like: `progress` in JSON [default: active, of the kinds of work].", "choice",
           choices=PROGRESSES),
    Option("dedup", ("--dedup",), "What a fact is compared by: exact, its words; semantic, "
           "also its meaning, to name what is near; smart, to replace another value of a subject. "
           "Both take a learned embedder [default: the setting dedup, else exact].", "choice",
           choices=DEDUPS),
    Option("batch", ("--batch",), "Read JSON lines; print one result a line, for a bad line an "
           "error; all others are stored together, as one batch.", "flag", False,
           excludes=("words",)),
)  # fmt: skip


def run(session: Session, words: list[str], options: Options) -> int:
    """Store one fact, or a batch of them."""
    if options.batch:
        from tideline_cli.cli import remember_batch  # noqa: PLC0415  the reader of rows

        return remember_batch.run(session, options)
    new = new_fact.from_options(session, session.text(words), options)
    db = _store(session, new)
    meant: tuple[str, ...] = ()
    if (options.dedup or session.setting("dedup", "exact")) != "exact":
        from tideline_cli.cli import dedup_search  # noqa: PLC0415  learned embedders alone

        new, meant = dedup_search.by_meaning(session, db, new, options.dedup)
    elif not new.derived_from:
        # Nothing was read yet: the fact goes into whatever store is there at its turn.
        follow(db)
    if new.derived_from:
        from tideline_cli.memory.descent import cited  # noqa: PLC0415  most cite nothing

        new = replace(new, derived_from=cited(db, new.derived_from, viewer=new.origin))
    done = memory.remember(
        db, new, fact_id=new_fact.new_id(session.now), now=session.now, meant=meant
    )
    new_fact.warn_of_secrets(session, new, fact_id=done.fact.id)
    _report(session, done)
    return 0


def _store(session: Session, new: NewFact) -> Connection:
    """Return a connection for writing; no store is made to look for a fact in it."""
    named = (*new.supersedes, *new.derived_from)
    if named and not session.has_memory:
        raise facts.missing(named[0])
    return session.writing()


def _report(session: Session, done: Remembered) -> None:
    for reference in done.ignored:
        session.note(f"--supersedes {reference}: archived already, nothing to replace")
    if done.secrets:
        new_fact.tell_secrets(session, done.secrets)
    session.keep_hits([done.fact.id])
    if session.json:
        output.emit_json(new_fact.form(session, done))
        return
    text = output.one_line(done.fact.content)
    output.emit_lines([f"{done.fact.id}\t[{done.fact.segment}] {text}"])
    if done.before is not None:
        session.note(_restatement(done.before, done.fact))
    if done.not_taken:
        named = ", ".join(name.replace("_", "-") for name in done.not_taken)
        session.note(f"it keeps its own {named}; `tideline edit` changes labels")
    for line in _replacements(done):
        session.note(line)
    if done.elsewhen or done.may_contradict or done.similar:
        new_fact.tell_beside(session, done)


def _restatement(before: Fact, after: Fact) -> str:
    from tideline_cli.cli import restatement  # noqa: PLC0415  only for a known fact

    changes = restatement.told(before, after)
    return "known already, reinforced" + (f"; {changes}" if changes else "")


def _replacements(done: Remembered) -> Iterator[str]:
    """Yield a line of the facts that are replaced now, and one of those from a time to come."""
    later = {fact.id: fact.valid_to for fact in done.later}
    ends = {old: later.get(old) for old in done.superseded}
    for end in dict.fromkeys(ends.values()):
        replaced = "replaces " + ", ".join(old for old in ends if ends[old] == end)
        if end is None:
            yield replaced
        else:
            from tideline_cli.cli.ages import day  # noqa: PLC0415  few facts state a time

            yield f"{replaced} from {day(end)} on"
