"""tideline edit."""

from __future__ import annotations

import sys

from tideline_cli.cli import by_id, output
from tideline_cli.cli.new_fact import Labels, new_id, tell_secrets, warn_of_secrets_in
from tideline_cli.cli.options import Argument, choice, flag, start
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.memory import edit as memory
from tideline_cli.memory.amend import check_active
from tideline_cli.model import codec, instant
from tideline_cli.model.fact import PROGRESSES, ROLES
from tideline_cli.model.record import as_dict
from tideline_cli.model.source import is_trusted
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.memory.edit import Edited
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.source import Source

HELP = """Say a fact anew, or change its labels.

A new wording is a fact of its own that supersedes the old one; the old one stays in the history.
It corrects the past as well: asked about any time, the memory knows the new words alone. With
--from TIME (or --valid-from) the old words held until then. Where another fact says the new words
already, that one is reinforced and takes the place. Without TEXT, on a terminal, $VISUAL or $EDITOR
opens; in a pipe standard input is read.

Labels alone change in place: the fact keeps its id and its time. They are carried over unless an
option changes them: --tag replaces all tags, --meta adds to the metadata, and an empty --slot,
--title, --scope, --session, --speaker, --agent or --tag clears; --role none and --status none do,
and with its session a fact loses its turn. `--status done` closes a task: `undo` opens it again.

Labels keep the source of a fact. New words are yours. Where the fact came from a tool, a document
or a model, they are yours if you type them, are scanned all the same, and stay the source's if they
come through a pipe or say the same. --vouch makes the words yours as they are: on a terminal it
shows them first, and the journal notes it."""
EXAMPLES = (("@1", "--tag work"), ('@1 "I deploy on Mondays"', "--from now"), ("@1", "--vouch"))
ARGUMENTS = (
    Argument("words", "ID [TEXT]", "Which fact, and its new text; `-` reads standard input.",
             "id", True, 1, completes=("active", "")),
)  # fmt: skip
_NONE = "none"


class Options(Labels):
    """The options of a call."""

    segment = Labels.segment.but(help="What it is about.")
    tag = Labels.tag.but(help="A label to filter by; commas part several; replaces those it had.")
    scope = Labels.scope.but(help="Of what it is worth knowing; an empty one is of everything.")
    session = Labels.session.but(help="The conversation that it was said in; an empty one is none.")
    speaker = Labels.speaker.but(help="Who said it, by name; an empty one is nobody.")
    agent = Labels.agent.but(help="Which program wrote it; an empty one is none.")
    role = choice((*ROLES, _NONE))("Who spoke; `none` takes the role away.")
    progress = choice((*PROGRESSES, _NONE))(
        "How far the work is; `none` takes it away.", flags=("--status", "--progress")
    )
    from_ = start(
        "Since when the new words hold, `now` for now; the old ones held until then [default: as "
        "long as the old ones]."
    )
    vouch = flag("Say that these words are yours now, whoever said them.")
    yes = flag("Do not ask whether to vouch.", short="-y")

_LABELS = (*Labels.__fields__, "role", "progress")


def run(session: Session, words: list[str], options: Options) -> int:
    """Edit the fact."""
    if not words:
        raise UsageError("name one fact", hint="tideline edit ID TEXT")
    since = _since(options.from_, options.valid_from)
    reference = session.reference(words[0])
    db = by_id.existing(session, [reference])
    fact = facts.find(db, reference, viewer=session.viewer)
    check_active(fact, "be edited")
    changes = _changes(options)
    text = _text(session, words[1:], fact.content, has_labels=bool(changes) or options.vouch)
    said = fact.content if text is None else text
    if options.vouch and not _vouched(session, fact, said, yes=options.yes):
        session.note("not vouched for; nothing changed")
        return 0
    said_by: Source = "owner_message" if session.viewer.is_owner else "channel_message"
    changes = changes if text is None else changes | {"content": text}
    done = memory.edit(
        db,
        fact.id,
        changes,
        editor=memory.Editor(said_by, typed=_is_typed(words[1:]), vouched=options.vouch),
        fact_id=new_id(session.now),
        viewer=session.viewer,
        now=session.now,
        since=since,
    )
    _tell_secrets(session, done, changes)
    if done.batch is None:
        session.note("nothing changed")
    elif text is not None and done.fact.content != fact.content and not _is_own(done.fact):
        session.note(f"still the words of {done.fact.source}; --vouch makes them yours")
    _report(session, done, fact.id)
    return 0


def _tell_secrets(session: Session, done: Edited, changes: dict[str, Any]) -> None:
    """Say what became of secrets in the new words and labels."""
    if done.secrets:
        tell_secrets(session, done.secrets)
    elif done.batch is not None:
        warn_of_secrets_in(session, changes.values(), done.fact.id)


def _since(from_: int | None, valid_from: int | None) -> int | None:
    """Return since when the new words hold, None where --from does not say."""
    if from_ is not None and valid_from is not None:
        raise UsageError("--from and --valid-from say the same", hint="leave one of them out")
    return from_


def _vouched(session: Session, fact: Fact, text: str, *, yes: bool) -> bool:
    """Return whether the user vouches for the words: on a terminal they are shown first, and the
    user is asked; elsewhere the option is enough."""
    if is_trusted(fact.source) or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    question = f"{text}\n\nThis was said by {fact.source}. Is it yours from now on?"
    return session.confirmed(question, yes=yes, hint="repeat it with --yes")


def _is_own(fact: Fact) -> bool:
    return is_trusted(fact.source)


def _is_typed(words: Sequence[str]) -> bool:
    """Say whether the text was typed: on the command line, or on a terminal, in an editor too."""
    return list(words) not in ([], ["-"]) or sys.stdin.isatty()


def _changes(options: Options) -> dict[str, Any]:
    """Return the fields of NewFact that options name."""
    changes = {
        name: value
        for name, value in as_dict(options).items()
        if name in _LABELS and value not in (None, ())
    }
    if "tag" in changes:
        tags = (tag.strip() for tag in changes.pop("tag"))
        changes["tags"] = tuple(dict.fromkeys(tag for tag in tags if tag))
    if "meta" in changes:
        changes["metadata"] = dict(changes.pop("meta"))
    for name in ("role", "progress"):
        if changes.get(name) == _NONE:
            changes[name] = None
    return changes


def _text(session: Session, words: Sequence[str], before: str, *, has_labels: bool) -> str | None:
    """Return the new text, None when only labels change."""
    if words or not sys.stdin.isatty():
        text = session.text(words)
        return None if has_labels and not words and not text.strip() else text
    if has_labels:
        return None
    if session.no_input or not sys.stdout.isatty():
        raise UsageError("no text, and no terminal to edit on", hint="tideline edit ID TEXT")
    from tideline_cli.cli import terminal  # noqa: PLC0415  subprocess, for an editor alone

    return terminal.edited(before)


def _report(session: Session, done: Edited, before: str) -> None:
    fact = done.fact
    session.replace_hit(before, fact.id)
    if done.action == "reinforced":
        session.note(f"{fact.id} says so already and takes the place")
    later = dict(done.later)
    for old in done.superseded:
        since = f" from {instant.day(later[old])} on" if old in later else ""
        session.note(f"replaces {old}{since}")
    if session.json:
        form = {"action": done.action, "id": fact.id, "fact": codec.fact_form(fact),
                "superseded": list(done.superseded), "batch": done.batch}  # fmt: skip
        output.emit_json(form)
        return
    output.emit_lines([f"{fact.id}\t[{fact.segment}] {output.told(fact)}"])
