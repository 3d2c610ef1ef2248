"""tideline timeline."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.filters import Formats
from tideline_cli.cli.options import Argument, count, text
from tideline_cli.cli.session import Session
from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.memory import timeline
from tideline_cli.memory.timeline import Moment, SlotChange
from tideline_cli.model import codec, instant
from tideline_cli.model.instant import iso
from tideline_cli.ranking.fading import Eviction
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from apsw import Connection

HELP = """Show one fact or one slot through time.

The oldest value first: from when to when it holds, who said it, and what took its place; of what
holds now its strength, and the day it fades unless it is used. With an id, the values of its slot
and what it replaced. With neither, the slots that were spoken of last."""
EXAMPLES = (("", "--slot deploy_day"), ("01JN8Q4F", "--slot deploy_day --json"))
ARGUMENTS = (Argument("words", "ID", "A fact.", "id", many=False, completes=("id",)),)
_ENDING = 6  # letters of an id that tell two steps of one second apart
_BAR = 10


class Options(Formats):
    """The options of a call."""

    slot = text("The values of this slot.", metavar="NAME", excludes=("words",), completes="slot")
    limit = count(
        "Slots at most, where none is named [default: 10; 0 is all].", short="-n", default=10
    )


def run(session: Session, words: list[str], options: Options) -> int:
    """Show a timeline, or the slots that have one."""
    if len(words) > 1:
        raise UsageError("timeline takes one id", hint="tideline timeline --slot NAME")
    chosen = output.of_rows(session, options)
    if not words and options.slot is None:
        return _show_slots(session, chosen, options.limit)
    steps = _steps(session, words, options)
    _print(session, chosen, steps, slot=options.slot)
    return 0


def _meant_as_slot(
    session: Session, db: Connection, name: str, rule: Eviction
) -> NotFoundError | None:
    """Return the error for a word that is no id and names a slot; None where it names none."""
    if not any(map(str.isalnum, name)):
        return None
    if not timeline.of_slot(db, name, rule, viewer=session.viewer, now=session.now):
        return None
    return NotFoundError(
        f"no such id: {name}", hint=f"`{session.call('timeline', '--slot', name)}` shows the slot"
    )


def _steps(session: Session, words: list[str], options: Options) -> list[Moment]:
    """Return the steps; raise NotFoundError for a fact or a slot that is not there."""
    rule = Eviction(after_owner_ms=session.config.get("evict_after_owner"))
    db = session.reading()
    if words:
        reference = session.reference(words[0])
        if db is None:
            raise facts.missing(words[0])
        try:
            return timeline.of_fact(db, reference, rule, viewer=session.viewer, now=session.now)
        except NotFoundError as error:
            raise _meant_as_slot(session, db, words[0], rule) or error from None
    slot = options.slot or ""
    found: list[Moment] = []
    if db is not None:
        found = timeline.of_slot(db, slot, rule, viewer=session.viewer, now=session.now)
    if not found:
        raise NotFoundError(f"no such slot: {slot}", hint="`tideline timeline` names some")
    return found


def _show_slots(session: Session, format: str, limit: int) -> int:
    db = session.reading()
    found: list[SlotChange] = []
    if db is not None:
        found = timeline.changed_slots(db, viewer=session.viewer, limit=limit or -1)

    def table() -> None:
        rows = [(_local_day(one.at), one.slot, one.fact, _values(one)) for one in found]
        drawer(session).slot_changes(rows)

    output.show_list(
        session, format, "slots", found, form=_slot_form, line=_slot_line, table=table,
        none="no slots yet: `tideline remember TEXT --slot NAME` makes one",
    )  # fmt: skip
    return 0


def _print(session: Session, format: str, steps: Sequence[Moment], *, slot: str | None) -> None:
    def table() -> None:
        draws = output.can_show("●○│█░·")
        since = _days(steps)
        days = dict(zip((step.fact.id for step in steps), since, strict=True))
        rows = [
            (step.state == "active", day, step.fact, _told(session, step, days, draws))
            for step, day in zip(steps, since, strict=True)
        ]  # fmt: skip
        drawer(session).timeline(rows, draws=draws)

    name = slot or next((step.fact.slot for step in steps if step.fact.slot), None)
    output.emit_rows(
        format,
        map(_form, steps),
        whole=lambda forms: {"slot": name, "facts": forms},
        lines=lambda: [_line(step) for step in steps],
        table=table,
    )


def _form(step: Moment) -> dict[str, Any]:
    return {
        "id": step.fact.id,
        "content": step.fact.content,
        "title": step.fact.title,
        "slot": step.fact.slot,
        "scope": step.fact.scope,
        "source": step.fact.source,
        "created_at": iso(step.fact.created_at),
        "since": iso(step.since),
        "until": None if step.until is None else iso(step.until),
        "state": step.state,
        "again": step.again,
        "by": step.by,
        "strength": step.strength,
        "fades_at": None if step.fades_at is None else iso(step.fades_at),
    }


def _slot_form(one: SlotChange) -> dict[str, Any]:
    return {
        "slot": one.slot,
        "changed_at": iso(one.at),
        "values": one.values,
        "fact": codec.fact_form(one.fact),
    }


def _slot_line(one: SlotChange) -> str:
    return f"{one.slot}\t{_day(one.at)}\t{_values(one)}\t{output.told(one.fact)}"


def _values(one: SlotChange) -> str:
    return "1 value" if one.values == 1 else f"{one.values:,} values"


def _line(step: Moment) -> str:
    """Return the line of a step in a pipe, its days in UTC."""
    until = "" if step.until is None else _day(step.until)
    text = output.told(step.fact)
    fields = (step.fact.id, _day(step.since), until, step.state, step.fact.source, text)
    ends = [*_scope(step), *_again(step, _day), *_ends(step, draws=False, day=_day)]
    return "\t".join((*fields, f"({', '.join(ends)})"))


def _told(session: Session, step: Moment, days: Mapping[str, str], draws: bool) -> str:
    """Return what is said below the text of a step on a terminal, days by the clock on the wall;
    `days` has those of all steps by id."""
    said: list[str] = [step.fact.source, *_scope(step), *_again(step, _local_day)]
    if step.until is not None:
        said.append(f"until {_local_day(step.until)}")
    if step.by is not None and step.by in days:
        is_plain = days[step.by] != days[step.fact.id]
        which = f"that of {days[step.by]}" if is_plain else f"…{step.by[-_ENDING:]}"
        said.append(f"{step.state} by {which}")
    else:
        said += _ends(step, draws=draws, day=_local_day)
    if step.state == "faded":
        said.append(session.call("restore", step.fact.id))
    return " · ".join(said) if draws else ", ".join(said)


def _scope(step: Moment) -> list[str]:
    return [] if step.fact.scope is None else [f"scope {step.fact.scope}"]


def _again(step: Moment, day: Callable[[int], str]) -> list[str]:
    return [f"again since {day(step.since)}"] if step.again else []


def _ends(step: Moment, *, draws: bool, day: Callable[[int], str]) -> list[str]:
    """Return what became of a step, or how strong it is and when it fades."""
    if step.strength is None:
        return [step.state if step.by is None else f"{step.state} by {step.by}"]
    said = [] if step.state == "active" else [step.state]
    said.append(f"strength {_bar(step.strength) if draws else ''}{step.strength:.2f}")
    said.append("never fades" if step.fades_at is None else f"fades {day(step.fades_at)}")
    return said


def _bar(strength: float) -> str:
    full = round(strength * _BAR)
    return "█" * full + "░" * (_BAR - full) + " "


def _day(ms: int) -> str:
    return iso(ms)[:10]


def _local_day(ms: int) -> str:
    return instant.local(ms)[:10]


def _days(steps: Sequence[Moment]) -> list[str]:
    """Return since when each step holds: its day by the clock on the wall; of steps of one day the
    minute too, of steps of one minute the second."""
    minutes = [instant.local(step.since) for step in steps]
    days = [minute[:10] for minute in minutes]
    return [
        day if days.count(day) == 1
        else minute if minutes.count(minute) == 1
        else f"{minute}:{step.since // 1000 % 60:02d}"
        for step, minute, day in zip(steps, minutes, days, strict=True)
    ]  # fmt: skip
