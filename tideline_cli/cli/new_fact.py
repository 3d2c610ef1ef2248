"""From the options of remember to a new fact, for one fact and for each line of a batch, and what
is said of it once it is stored."""

from __future__ import annotations

import os

from tideline_cli.cli.options import (
    OptionSet,
    choice,
    count,
    end,
    flag,
    listed,
    number,
    pair,
    share,
    start,
    text,
)
from tideline_cli.config.settings import DEDUPS
from tideline_cli.errors import UsageError
from tideline_cli.model import codec, instant, ulid
from tideline_cli.model.fact import (
    KINDS,
    LARGEST_TURN,
    PROGRESSES,
    ROLES,
    SEGMENTS,
    TIERS,
    NewFact,
    bare_name,
)
from tideline_cli.model.fields import ONE_WORD, TEXTS
from tideline_cli.model.source import SOURCES, is_trusted, parse_source
from tideline_cli.policy.gate import confined
from tideline_cli.policy.secret_forms import may_hold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.remember import Remembered
    from tideline_cli.model.fact import Fact

_SHOWN = 80  # characters of a fact in a note


class Labels(OptionSet):
    """The labels of a fact, as `remember` and `edit` take them."""

    segment = choice(tuple(SEGMENTS))("What it is about [default: knowledge].", short="-s")
    slot = text(
        "The one value it is of, such as deploy_day: ends the old one.",
        metavar="NAME", completes="slot",
    )  # fmt: skip
    importance = number("How much it matters; outside 0..1 is clamped.")
    tier = choice(TIERS)("How long it is kept.")
    confidence = share("How sure it is; weighs in recall.")
    valid_from = start("When it begins to hold.")
    valid_to = end("Until when it holds; of a day, to its end.")
    tag = listed(
        "A label to filter by; commas part several.",
        short="-t", many=True, metavar="TAG", completes="tag",
    )  # fmt: skip
    kind = choice(tuple(KINDS))("A finer word than the segment, and its defaults.", metavar="KIND")
    title = text("A short name.")
    meta = pair("Anything else worth keeping.", many=True)
    scope = text(
        "Of what it is worth knowing, such as work/api; an empty one is of everything [default: "
        "the setting scope].",
        metavar="A/B", completes="scope",
    )  # fmt: skip
    session = text("The conversation that it was said in.", metavar="NAME", completes="session")
    turn = count("Its place in the conversation.", most=LARGEST_TURN)
    speaker = text("Who said it, by name.", metavar="NAME", completes="speaker")
    agent = text(
        "Which program writes; an empty one is none [default: the setting agent].",
        metavar="NAME", completes="agent",
    )  # fmt: skip


class Options(Labels):
    """The options of a call of remember, or what a line of a batch says in their place."""

    source = choice(SOURCES)("Who said it [default: owner_message, in a channel channel_message].")
    supersedes = text(
        "A fact that this one replaces, besides its slot's.",
        many=True, metavar="ID", completes="active",
    )  # fmt: skip
    source_turn = text("Where it was said.", metavar="REF")
    derived_from = text("A fact it was derived from.", many=True, metavar="ID", completes="id")
    pin = flag("Never let it fade.")
    confine = flag("Store what the source may not author as knowledge.")
    role = choice(ROLES)("Who spoke; what an assistant or a tool says weighs less.")
    progress = choice(PROGRESSES)(
        "How far the work is, of a task or the like: `progress` in JSON [default: active, of the "
        "kinds of work].",
        flags=("--status", "--progress"),
    )
    dedup = choice(DEDUPS)(
        "What a fact is compared by: exact, its words; semantic, also its meaning, to name what "
        "is near; smart, to replace another value of a subject. Both take a learned embedder "
        "[default: the setting dedup, else exact]."
    )
    batch = flag(
        "Read JSON lines; print one result a line, for a bad line an error; all others are stored "
        "together, as one batch.",
        excludes=("words",),
    )


def new_id(now: int) -> str:
    """Return a fresh ULID with the time `now`."""
    return ulid.at(now, os.urandom(10))


def from_options(session: Session, text: str, options: Options) -> NewFact:
    """Return the fact that a text and the options mean."""
    viewer, segment, kind = session.viewer, options.segment, options.kind
    usual = "owner_message" if viewer.is_owner else "channel_message"
    said_by = parse_source(options.source or usual)
    about = segment or (KINDS[kind][0] if kind else "knowledge")
    start, end = options.valid_from, options.valid_to
    if start is not None and end is not None and end <= start:
        raise UsageError(
            f"--valid-to ({instant.until(end)}) is not after --valid-from ({instant.day(start)})",
            hint="a fact holds until valid-to",
        )
    return NewFact(
        text,
        confined(about, said_by) if options.confine else about,
        said_by,
        viewer,
        tier=options.tier,
        kind=kind,
        title=options.title,
        tags=_tags(session, options.tag),
        importance=options.importance,
        confidence=options.confidence,
        slot=options.slot,
        valid_from=start,
        valid_to=end,
        pinned=options.pin,
        source_turn=options.source_turn,
        metadata=dict(options.meta) or None,
        supersedes=_references(session, options.supersedes, "supersedes"),
        derived_from=_references(session, options.derived_from, "derived_from"),
        scope=session.scope(options.scope),
        session=bare_name(options.session),
        turn=options.turn,
        speaker=bare_name(options.speaker),
        role=options.role,
        agent=session.agent(options.agent),
        progress=options.progress,
        assumed=() if segment else ("segment",),
    )


def warn_of_secrets(session: Session, *stated: NewFact, fact_id: str | None = None) -> None:
    """Warn of secrets in what a trusted source says: it is stored as it is. Out of what nobody
    vouches for they are taken."""
    found = [new for new in stated if is_trusted(new.source) and _may_hold_one(new)]
    if found:
        _warn(session, found, (), fact_id)


def warn_of_secrets_in(session: Session, values: Iterable[Any], fact_id: str) -> None:
    """Warn of the secrets in texts, lists and objects that a fact keeps as they are."""
    _warn(session, (), values, fact_id)


def _warn(
    session: Session, stated: Sequence[NewFact], values: Iterable[Any], fact_id: str | None
) -> None:
    """Warn of the secrets in facts and in values."""
    from tideline_cli.memory import secret_screening  # noqa: PLC0415  re, 5 ms

    kinds = dict.fromkeys(kind for new in stated for kind in secret_screening.kinds_of(new))
    kinds |= dict.fromkeys(secret_screening.secret_kinds(values))
    if not kinds:
        return
    hint = f"`{session.call('doctor', '--secrets')}` names what is there"
    if fact_id is not None:
        hint = f"`{session.call('purge', fact_id)}` removes it for good, {hint}"
    told = secret_screening.kinds_in_words(kinds)
    session.caution("secret", f"this looks like {told}, and is stored as it is", hint=hint)


def _may_hold_one(new: NewFact) -> bool:
    labels = (getattr(new, name) for name in TEXTS)
    texts = (new.content, *labels, *new.tags, new.metadata and str(new.metadata))
    return any(may_hold(text) for text in texts if text)


def tell_secrets(session: Session, count: int) -> None:
    """Say that secrets were taken out of what is stored."""
    from tideline_cli.memory.secret_screening import replacement_note  # noqa: PLC0415  few facts have one

    session.note(f"{replacement_note(count)} before storing: the source is not trusted")


def _references(session: Session, named: Sequence[str], option: str) -> tuple[str, ...]:
    if not named:
        return ()
    from tideline_cli.model.short_text import storable  # noqa: PLC0415  few name another fact

    return tuple(storable(session.reference(reference), option) for reference in named)


def _tags(session: Session, given: tuple[str, ...]) -> tuple[str, ...]:
    named = (tag.strip() for tag in (*session.setting("tags", ()), *given))
    return tuple(dict.fromkeys(tag for tag in named if tag))


def doubts(session: Session, done: Remembered) -> list[dict[str, str]]:
    """Return the facts that a new one may contradict, each with the command that takes it away."""
    return [
        {"id": one.id, "content": one.content, "command": session.call("forget", one.id)}
        for one in done.may_contradict
    ]


def tell_beside(session: Session, done: Remembered) -> None:
    """Say which facts stand beside a new one that it may replace, of each kind in one line with the
    command that takes them away: what says the same of other times, what it may contradict, and
    what it is much like. None is named twice."""
    from tideline_cli.cli import output  # noqa: PLC0415  most facts stand alone

    def offer(said: str, found: Sequence[str], when: str) -> None:
        if found:
            session.note(f"{said}; if {when}: {session.call('forget', *found)}")

    doubted = [one.id for one in done.may_contradict]
    like = [one for one in done.similar if one.id not in doubted]
    offer(
        f"holds at other times than {', '.join(done.elsewhen)}, "
        + ("which says the same" if len(done.elsewhen) == 1 else "which say the same"),
        done.elsewhen, "this replaces it" if len(done.elsewhen) == 1 else "this replaces them",
    )  # fmt: skip
    texts = "; ".join(output.brief(one, _SHOWN) for one in done.may_contradict)
    offer(f"may contradict: {texts}", doubted, "that no longer holds")
    texts = ", ".join(f'{one.id} "{output.brief(one, _SHOWN)}"' for one in like)
    offer(f"much like {texts}", [one.id for one in like],
          "this replaces it" if len(like) == 1 else "this replaces them")  # fmt: skip


def form(session: Session, done: Remembered) -> dict[str, Any]:
    """Return what a fact became as an object."""
    told: dict[str, Any] = {
        "action": done.action,
        "id": done.fact.id,
        "fact": codec.fact_form(done.fact),
        "superseded": list(done.superseded),
        "batch": done.batch,
        "similar": [like.id for like in done.similar],
    }
    if done.ignored or done.not_taken:
        told["ignored"] = [*done.ignored, *done.not_taken]
    if done.before is not None:
        told["changed"] = changed_labels(done.before, done.fact)
    if done.may_contradict:
        told["may_contradict"] = doubts(session, done)
    if done.elsewhen:
        told["elsewhen"] = list(done.elsewhen)
    return told


_FIRST = ("segment", "tier", "kind", "title", "slot", "scope")
_PERIOD = ("valid_from", "valid_to")
_NAMED_LABELS = (*_FIRST, *(name for name in ONE_WORD if name not in (*_FIRST, *_PERIOD)))
_CHANGEABLE = ("pinned", "tags", *_NAMED_LABELS, "metadata", "derived_from", *_PERIOD)


def changed_labels(before: Fact, after: Fact) -> list[str]:
    """Return the names of the labels that differ."""
    return [name for name in _CHANGEABLE if getattr(before, name) != getattr(after, name)]


def told_changes(before: Fact, after: Fact) -> str:
    """Return in a few words what became of a fact that was said again."""
    return ", ".join(_phrases(before, after))


def _phrases(before: Fact, after: Fact) -> Iterator[str]:
    if after.pinned != before.pinned:
        yield "now pinned"
    yield from _added_labels("tag", before.tags, after.tags)
    for name in _NAMED_LABELS:
        if getattr(before, name) != getattr(after, name):
            yield f"{name.replace('_', ' ')}: {getattr(after, name)}"
    pairs = (_metadata_pairs(one.metadata) for one in (before, after))
    yield from _added_labels("metadata", *pairs)
    yield from _added_labels("derived from", before.derived_from, after.derived_from)
    if after.valid_from != before.valid_from and after.valid_from is not None:
        yield f"holds from {instant.day(after.valid_from)}"
    if after.valid_to != before.valid_to:
        end = after.valid_to
        yield "holds without end" if end is None else f"holds until {instant.until(end)}"


def _metadata_pairs(metadata: Mapping[str, object] | None) -> list[str]:
    return [f"{key}={value}" for key, value in (metadata or {}).items()]


def _added_labels(what: str, before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    new = [value for value in after if value not in before]
    if new:
        yield f"{what} added: {', '.join(new)}"
