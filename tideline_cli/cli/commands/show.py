"""tideline show."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, OptionSet, choice, flag
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.memory.told_changes import ACTS
from tideline_cli.model import codec, instant, time_words
from tideline_cli.model.edge import INVERSE
from tideline_cli.model.fact import has_ended
from tideline_cli.model.fields import TIMES
from tideline_cli.model.record import record
from tideline_cli.ranking import decay, decays
from tideline_cli.ranking.decay import DECAYS
from tideline_cli.store import facts, history, links
from tideline_cli.store.connection import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.ranking.decay import Decay
    from tideline_cli.store.history import Entry
    from tideline_cli.store.links import Link

HELP = """Show one fact: all of it, its links, its strength now.

A text of several lines is an indented block. --raw prints the text alone; on a terminal it ends
with a line break, and what a terminal would act on is spelled out.

ID is the beginning or the ending of an id (4 characters or more), or @1 for the first of the facts
that were shown last in this terminal.

On a terminal times are those of the clock here, and say how long ago; elsewhere ISO 8601 UTC."""
EXAMPLES = (("@1", ""), ("@1 --raw", ""))
ARGUMENTS = (Argument("words", "ID", "Which fact.", "id", False, 1, completes=("id",)),)


class Options(OptionSet):
    """The options of a call."""

    decay = choice(DECAYS)(
        "The strength by this forgetting curve, and what makes it; what fades for good is decided "
        "by the half-life.",
        excludes=("raw",),
    )
    all = flag("All links of the fact, not the first 50 of each way alone.", excludes=("raw",))
    raw = flag("Print the text alone, as it is stored, byte for byte.")


@record
class _Edges:
    """Edges of one way, and how many more there are."""

    shown: Sequence[Link]
    more: int

    @classmethod
    def of(cls, found: Sequence[Link], *, are_all: bool) -> _Edges:
        """Return edges, the first ones unless all are asked for."""
        shown = found if are_all else found[:_LISTED]
        return cls(shown, len(found) - len(shown))


@record
class _Power:
    """How strong a fact is, by which forgetting curve where one is named, and what makes it."""

    strength: float
    decay: Decay | None
    parts: Mapping[str, float]


def run(session: Session, words: list[str], options: Options) -> int:
    """Show the fact."""
    if len(words) != 1:
        raise UsageError("name one fact", hint="tideline show ID")
    reference = session.reference(words[0])
    viewer = session.viewer
    db = session.reading()
    if db is None:
        raise facts.missing(reference)
    with snapshot(db):
        fact = facts.find(db, reference, viewer=viewer)
        if options.raw:
            _show_raw(session, fact)
            return 0
        out, back = (
            _Edges.of(found(db, fact.id, viewer=viewer), are_all=options.all)
            for found in (links.leaving, links.arriving)
        )
        past = _past(db, fact, viewer)
    power = _power(fact, options.decay, now=session.now)
    if session.json:
        ended = {"ended": True} if has_ended(fact, now=session.now) else {}
        output.emit_json({**_form(fact, power, out, back, past), **ended})
    else:
        shown = _seen_at(session.now) if output.is_terminal(session) else instant.iso
        lines = _lines(fact, power, out, back, past, shown=shown)
        if has_ended(fact, now=session.now):
            lines = [f"{line} ({output.state(fact, now=session.now)})"
                     if line.startswith("valid_to ") else line for line in lines]  # fmt: skip
        output.emit_pages(session, lines)
    return 0


def _past(db: Connection, fact: Fact, viewer: Origin) -> list[Entry]:
    """Return what was done to a fact."""
    seq = facts.number_of(db, fact.id, viewer=viewer)
    return list(history.entries_of(db, seq, viewer=viewer))


def _power(fact: Fact, curve: Decay | None, *, now: int) -> _Power:
    """Return how strong a fact is by a forgetting curve, by the half-life where none is named."""
    if curve is None:
        return _Power(decay.strength_at(fact, now=now), None, {})
    power = decays.strength_by(fact, curve, now=now)
    return _Power(power, curve, decays.parts_by(fact, curve, now=now))


def _seen_at(now: int) -> Callable[[int], str]:
    """Return how a person reads a time: by the clock on the wall, and how long ago."""
    return lambda ms: f"{instant.local(ms)} ({time_words.ago(ms, now)})"


def _show_raw(session: Session, fact: Fact) -> None:
    if session.json:
        output.emit_json({"content": fact.content})
    else:
        output.emit_raw(fact.content)


def _form(
    fact: Fact, power: _Power, out: _Edges, back: _Edges, past: list[Entry]
) -> dict[str, Any]:
    def edge(link: Link, other: str) -> dict[str, Any]:
        return {"kind": link.kind, "id": other, "reason": link.reason, "strength": link.strength}

    return {
        "fact": codec.fact_form(fact),
        "strength": power.strength,
        **({} if power.decay is None else {"decay": power.decay, "decay_parts": power.parts}),
        "links": [edge(link, link.target) for link in out.shown],
        **({"more_links": out.more} if out.more else {}),
        "backlinks": [
            edge(link, link.source) | {"as": INVERSE.get(link.kind)} for link in back.shown
        ],
        **({"more_backlinks": back.more} if back.more else {}),
        "history": [
            {"batch": e.batch, "at": instant.iso(e.at), "verb": e.verb, "act": ACTS[e.act or "+"],
             "entity": e.entity}
            for e in past
        ],
    }


_LISTED = 50  # links, and as many backlinks
_USING = ("remember", "extract", "import", "edit", "feedback")


def births(past: Iterable[Entry]) -> frozenset[tuple[object, ...]]:
    """Return which facts some changes added, each with its batch."""
    return frozenset(_birth(e) for e in past if (e.entity, e.act) == ("fact", "+"))


def deed(entry: Entry, born: Container[tuple[object, ...]]) -> str:
    """Return in a word or two what happened to a fact, or to its use; a use that came with a fact
    (`born`) was not a use here."""
    if entry.entity != "usage":
        return ACTS[entry.act or "+"]
    counts = entry.act != "-" and entry.verb in _USING and _birth(entry) not in born
    return "reinforced" if counts else f"use {ACTS[entry.act or '+']}"


def _birth(entry: Entry) -> tuple[object, ...]:
    return entry.fact, entry.batch, entry.at, entry.verb


def _some(name: str, edges: list[str], more: int) -> list[str]:
    """Return edges of a kind, a line each, and how the others are seen."""
    shown = [*edges, f"… and {more:,} more: --all names them"] if more else edges
    return [f"{name:<17} {edge}" for edge in shown]


def _lines(
    fact: Fact, power: _Power, out: _Edges, back: _Edges, past: list[Entry], *,
    shown: Callable[[int], str],
) -> list[str]:  # fmt: skip
    form = codec.fact_form(fact) | {
        name: shown(getattr(fact, name)) for name in TIMES if getattr(fact, name) is not None
    }
    lines = [*output.block(fact.content), ""]
    for name, value in form.items():
        if name == "content" or value in (None, [], False):
            continue
        said = value if isinstance(value, str) else codec.dumps(value)
        said = output.shown_origin(said) if name == "origin" else said
        lines.append(f"{name:<17} {said}")
    by = f" ({power.decay})" if power.decay else ""
    lines.append(f"{'strength now':<17} {power.strength:.3f}{by}")
    lines += [f"{'  ' + name:<17} {value:.6g}" for name, value in power.parts.items()]
    lines += _some("link", [f"{link.kind} → {link.target}" for link in out.shown], out.more)
    arrows = [f"{INVERSE.get(link.kind, link.kind)} ← {link.source}" for link in back.shown]
    lines += _some("backlink", arrows, back.more)
    born = births(past)
    lines += [
        f"{'history':<17} {shown(e.at)} {deed(e, born)} by {e.verb}"
        f" ({'another origin' if e.batch is None else f'batch {e.batch}'})"
        for e in past
    ]
    return lines
