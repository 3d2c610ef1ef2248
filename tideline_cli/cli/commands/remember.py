"""tideline remember."""

from __future__ import annotations

from tideline_cli.cli import new_fact, output
from tideline_cli.cli.new_fact import Options
from tideline_cli.cli.options import Argument
from tideline_cli.cli.session import Session
from tideline_cli.memory import remember as memory
from tideline_cli.model import instant
from tideline_cli.model.record import replace
from tideline_cli.store import facts
from tideline_cli.store.connection import follow

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


def run(session: Session, words: list[str], options: Options) -> int:
    """Store one fact, or a batch of them."""
    if options.batch:
        from tideline_cli.cli import remember_batch  # noqa: PLC0415  the reader of rows

        return remember_batch.run(session, options)
    new = new_fact.from_options(session, session.text(words), options)
    db = _store(session, new)
    meant: tuple[str, ...] = ()
    if (options.dedup or session.setting("dedup", "exact")) != "exact":
        from tideline_cli.cli import remember_batch  # noqa: PLC0415  learned embedders alone

        new, meant = remember_batch.with_meant(session, db, new, options.dedup)
    elif not new.derived_from:
        # Nothing was read yet: the fact goes into whatever store is there at its turn.
        follow(db)
    if new.derived_from:
        new = replace(new, derived_from=memory.cited(db, new.derived_from, viewer=new.origin))
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
    text = output.told(done.fact)
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
    changes = new_fact.told_changes(before, after)
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
            yield f"{replaced} from {instant.day(end)} on"
