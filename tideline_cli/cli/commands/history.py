"""tideline history."""

from __future__ import annotations

from itertools import groupby, takewhile

from tideline_cli.cli import output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.commands.show import births, deed
from tideline_cli.cli.commands.undo import deed_text
from tideline_cli.cli.filters import Formats, Spoken
from tideline_cli.cli.options import Argument, count
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.memory import told_changes
from tideline_cli.memory.told_changes import ACTS
from tideline_cli.model import codec, instant
from tideline_cli.store import facts, history, journal
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.history import BatchDeeds, Entry

    Told = tuple[Entry, str | None]

HELP = """Show who changed what, and when.

Without ID the newest commands and what they did, blocked writes included; with ID the life of
one fact and of the links from and to it, oldest change first, with the values before each
change. With --session, --speaker, --role or --agent what was done to such facts and to
their use; exits with 1 where there are none."""
EXAMPLES = (("", "--limit 5"), ("@1", ""), ("", "--session standup --role user"))
ARGUMENTS = (Argument("words", "ID", "Which fact.", "id", False, completes=("id",)),)

_COMMANDS = 20
_ENDING = 6  # letters of an id in the table of a fact's life
_MOST = 10  # changes of a batch that are listed; --verbose lists all


class Options(Spoken, Formats):
    """The options of a call."""

    limit = count("Commands to go back [default: 20, with ID all; 0 is all].", short="-n")
    session = Spoken.session.but(
        help="Only what was done to facts of this session.", excludes=("words",)
    )
    speaker = Spoken.speaker.but(
        help="Only what was done to facts that this speaker said.", excludes=("words",)
    )
    role = Spoken.role.but(
        help="Only what was done to facts that this role said.", excludes=("words",)
    )
    agent = Spoken.agent.but(
        help="Only what was done to facts that this agent wrote.", excludes=("words",)
    )


def run(session: Session, words: list[str], options: Options) -> int:
    """Show the history."""
    if len(words) > 1:
        raise UsageError("name one fact at most", hint="tideline history ID")
    about = _about(options)
    db = session.reading()
    if words and db is None:
        raise facts.missing(session.reference(words[0]))
    limit = options.limit
    if limit is None:
        limit = 0 if words else _COMMANDS
    chosen = output.of_rows(session, options)
    is_short = chosen in ("lines", "table") and not session.verbose
    most = _MOST if is_short and not words else None
    told: list[Told] = []
    counts: dict[int | None, int] = {}
    is_cut = False
    if db is not None and words:
        told, is_cut = told_changes.of_fact(
            db, session.reference(words[0]), limit, viewer=session.viewer
        )
    elif db is not None:
        told, counts, is_cut = told_changes.of_commands(
            db, limit, most, about, viewer=session.viewer
        )
    _print(session, db, chosen, told, counts, words, is_cut=is_cut)
    if is_cut:
        session.note(f"there are more commands than the newest {limit:,}: --limit 0 shows all")
    if not told:
        session.note("nothing to tell: no " + ("changes yet" if about is None else "such fact"))
    return 0 if told or about is None else 1


def _print(
    session: Session, db: Connection | None, format: str, told: list[Told],
    counts: dict[int | None, int], words: list[str], *, is_cut: bool,
) -> None:  # fmt: skip
    """Print what was done, by batch or to one fact."""
    names: dict[int, str] = {}
    if db is not None:
        edges = [pair for pair in told if pair[0].entity == "link"]
        rows = [row for _, row in edges] + [entry.before for entry, _ in edges]
        names = told_changes.names_of(db, rows)

    def table() -> None:
        if words:
            _changes_table(session, told, names)
        elif db is not None:
            _batches_table(session, db, told)

    output.emit_rows(
        format,
        (told_changes.form_of(entry, after, names) for entry, after in told),
        whole=lambda forms: {"changes": forms, "truncated": is_cut},
        lines=lambda: _lines(told, names, counts, whole=not words),
        table=table,
        is_empty=not told,
    )


def _batches_table(session: Session, db: Connection, told: list[Told]) -> None:
    """Show a line a batch; `@1` is the first fact of the newest one that has any."""
    first = list({entry.batch: entry for entry, _ in told[::-1]}.values())[::-1]
    ordinals = [entry.batch for entry in first if entry.batch is not None]
    did = history.deeds_of(db, ordinals, viewer=session.viewer)
    standing = {
        step.ordinal
        for step in takewhile(
            lambda step: step.ordinal >= min(ordinals), history.standing(db, viewer=session.viewer)
        )
    }
    made = [did.get(entry.batch or 0) for entry in first]
    texts = [_said(entry, one) for entry, one in zip(first, made, strict=True)]
    ids = [one.fact if one else None for one in made]
    drawer(session).history_batches(first, texts, ids, standing)
    named = (did[ordinal].fact for ordinal in ordinals)
    session.keep_hits([fact for fact in dict.fromkeys(named) if fact is not None])


def _said(entry: Entry, did: BatchDeeds | None) -> str:
    """Return what a batch did; a pass says it itself, and a blocked write why it was."""
    if entry.outcome == "blocked":
        return f"blocked: {entry.reason}"
    words = "" if did is None else deed_text(did)
    is_of_another = entry.verb in ("undo", "redo")
    if entry.reason and (is_of_another or entry.reason.startswith(journal.UNFINISHED)):
        return f"{entry.reason}: {words}"
    return entry.reason or words or "changed nothing that is still there"


def _changes_table(session: Session, told: list[Told], names: dict[int, str]) -> None:
    """Show a line a change of one fact."""
    born = births(entry for entry, _ in told)
    said = [_words(entry, after, names, born) for entry, after in told]
    for fact_id in {*names.values(), *(entry.fact for entry, _ in told if entry.fact)}:
        said = [words.replace(fact_id, f"…{fact_id[-_ENDING:]}") for words in said]
    drawer(session).fact_changes([entry for entry, _ in told], said)


def _about(options: Options) -> Filter | None:
    """Return the facts that the call asks about; None for all."""
    if not (options.session or options.speaker or options.role or options.agent):
        return None
    return Filter(
        lifecycle=None, sessions=options.session, speakers=options.speaker, roles=options.role,
        agents=options.agent,
    )


def _lines(
    told: list[Told], names: dict[int, str], counts: dict[int | None, int], *, whole: bool
) -> list[str]:
    """Return a line a change; before a whole batch stands what a pass says of itself, and after it
    how many of its changes (`counts`) were left out."""
    lines: list[str] = []
    born = births(entry for entry, _ in told)
    for _, changes in groupby(told, key=lambda pair: pair[0].batch):
        listed = list(changes)
        first = listed[0][0]
        if whole and first.reason and first.act and _is_done(first):
            lines.append(f"{_start(first)}\t{first.reason}")
        lines += [_line(entry, after, names, born) for entry, after in listed]
        more = counts.get(first.batch, 0) - len(listed) if first.act else 0
        if more > 0:
            lines.append(f"{_start(first)}\t… and {more:,} more (--verbose)")
    return lines


def _is_done(entry: Entry) -> bool:
    return entry.outcome != "blocked"


def _start(entry: Entry) -> str:
    if entry.batch is None:
        return f"-\t{instant.iso(entry.at)}\t{entry.verb} (another origin)"
    return f"{entry.batch}\t{instant.iso(entry.at)}\t{entry.verb}"


def _line(
    entry: Entry, after: str | None, names: dict[int, str], born: Container[tuple[object, ...]]
) -> str:
    """Return a change on one line."""
    return f"{_start(entry)}\t{_words(entry, after, names, born)}"


def _words(
    entry: Entry, after: str | None, names: dict[int, str], born: Container[tuple[object, ...]]
) -> str:
    """Return a change in words; `born` are the facts that were added."""
    if not _is_done(entry):
        return f"blocked: {entry.reason}"
    if entry.act is None:
        return entry.reason or "changed nothing that is still there"
    what = deed(entry, born) if entry.entity == "usage" else f"{ACTS[entry.act]} {entry.entity}"
    line = f"{what} {entry.fact or ''}".rstrip()
    old, new = (told_changes.values_of(row, names) for row in (entry.before, after))
    if entry.entity == "link" and (old or new):
        edge = new or old or {}
        ends = [edge[end] or "(gone)" for end in ("from", "to")]
        line = f"{ACTS[entry.act]} link {ends[0]} {edge['kind']} → {ends[1]}"
    elif entry.edge is not None:
        line = f"{line} {entry.edge}"
    if old is None or new is None:
        return line
    changed = [
        f"{name}: {_shown(name, old[name])} → {_shown(name, value)}"
        for name, value in new.items()
        if old.get(name) != value
    ]
    return f"{line}\t{', '.join(changed)}" if changed else line


def _shown(name: str, value: Any) -> str:
    is_time = isinstance(value, str) and (name.endswith("_at") or name.startswith("valid_"))
    return str(value) if is_time else codec.dumps(value)
