"""tideline slots and tideline tags."""

from __future__ import annotations

from tideline_cli.cli import filters, output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.filters import Formats, Said
from tideline_cli.cli.options import Argument
from tideline_cli.cli.session import Session
from tideline_cli.cli.verbs import Verb
from tideline_cli.model import instant, time_words
from tideline_cli.model.record import record, replace
from tideline_cli.policy.periods import holds_from
from tideline_cli.policy.slots import holds_at, periods
from tideline_cli.store import listing
from tideline_cli.store.connection import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from tideline_cli.model.fact import Fact

HELP = """List the slots, each with its value of now.

Where an untrusted value stands beside a trusted one, the trusted one is shown; where no value holds
now, since when there is none, and the one that begins next. `values` counts what the slot has and
had. With --session, --speaker,
--role or --agent values that were said so alone. Exits with 0 where there is none."""
EXAMPLES = (("", ""), ("", "--json"))
ARGUMENTS: tuple[Argument, ...] = ()


class Options(Said, Formats):
    """The options of a call."""


@record
class _Slot:
    """A slot of a scope: how many values it has and had, its value of now, since when it has that
    or none, whether that held before a stay, and the value that begins next."""

    place: tuple[str, str | None]
    values: int
    fact: Fact | None
    since: int | None
    again: bool = False
    next: Fact | None = None


def run(session: Session, _: list[str], options: Options) -> int:
    """List the slots."""
    wanted = filters.labelled(session, options)
    viewer = session.viewer
    db = session.reading()
    found: list[_Slot] = []
    if db is not None:
        with snapshot(db):
            active = listing.slot_values(db, viewer=viewer, wanted=wanted)
            ever = listing.slot_histories(db, viewer=viewer, wanted=wanted, now=session.now)
        found = _slots(active, ever, now=session.now)
    _print(session, options, found)
    return 0


def _slots(
    active: Iterable[Fact], ever: Mapping[tuple[str, str | None], tuple[int, int | None]], *,
    now: int,
) -> list[_Slot]:  # fmt: skip
    """Return each slot with what holds now, and what begins next where nothing does."""
    by_place: dict[tuple[str, str | None], list[Fact]] = {place: [] for place in ever}
    for fact in active:
        by_place[fact.slot or "", fact.scope].append(fact)
    found: list[_Slot] = []
    for place, values in by_place.items():
        count, ended = ever[place]
        held = next(iter(holds_at(values, now)), None)
        if held is None:
            ahead = sorted((one for one in values if holds_from(one) > now), key=holds_from)
            found.append(_Slot(place, count, None, ended, next=ahead[0] if ahead else None))
        else:
            begun = [since for since, _ in periods(held, values) if since <= now]
            found.append(_Slot(place, count, held, begun[-1], begun[-1] > holds_from(held)))
    return found


def _print(session: Session, options: Options, found: list[_Slot]) -> None:
    def table() -> None:
        rows = [
            (_named(slot), _value(slot, instant.day),
             "" if slot.since is None else time_words.brief(slot.since, session.now),
             f"{slot.values:,}")
            for slot in found
        ]  # fmt: skip
        drawer(session).listing(("slot", "value", "age", "values"), rows, wide="value")

    output.show_list(
        session, output.of_rows(session, options), "slots", found, form=_form, line=_line,
        table=table, none="no slots: `tideline remember TEXT --slot NAME` fills one",
    )  # fmt: skip


def _named(slot: _Slot) -> str:
    name, scope = slot.place
    return name if scope is None else f"{name} ({scope})"


def _value(slot: _Slot, day: Callable[[int], str]) -> str:
    """Return what a slot holds as one line: its value, or since when it has none."""
    if slot.fact is not None:
        again = f" (again since {day(slot.since)})" if slot.again and slot.since else ""
        return output.told(slot.fact) + again
    said = "nothing yet" if slot.since is None else f"nothing since {day(slot.since)}"
    if slot.next is None:
        return said
    return f"{said}; from {day(holds_from(slot.next))}: {output.told(slot.next)}"


def _line(slot: _Slot) -> str:
    fact_id = "-" if slot.fact is None else slot.fact.id
    return f"{fact_id}\t{_named(slot)}\t{slot.values}\t{_value(slot, _day)}"


def _day(ms: int) -> str:
    return instant.iso(ms)[:10]


def _form(slot: _Slot) -> dict[str, Any]:
    fact, following = slot.fact, slot.next
    name, scope = slot.place
    return {
        "slot": name, "scope": scope, "values": slot.values,
        "id": None if fact is None else fact.id,
        "content": None if fact is None else fact.content,
        "title": None if fact is None else fact.title,
        "source": None if fact is None else fact.source,
        "since": None if slot.since is None else instant.iso(slot.since),
        "again": slot.again,
        "next": None if following is None else {
            "id": following.id, "content": following.content, "title": following.title,
            "since": instant.iso(holds_from(following)),
        },
    }  # fmt: skip


def _tags(session: Session, _: list[str], options: Options) -> int:
    """List the tags."""
    wanted = replace(filters.labelled(session, options), lasts_at=session.now)
    db = session.reading()
    found = [] if db is None else listing.tags(db, viewer=session.viewer, wanted=wanted)

    def table() -> None:
        rows = [(tag, f"{count:,}", time_words.ago(at, session.now)) for tag, count, at in found]
        drawer(session).listing(("tag", "facts", "newest"), rows, wide="tag")

    output.show_list(
        session, output.of_rows(session, options), "tags", found, form=_tag_form,
        line=lambda row: f"{row[1]}\t{row[0]}", table=table,
        none="no tags: `tideline remember TEXT --tag TAG` gives one",
    )  # fmt: skip
    return 0


def _tag_form(row: tuple[str, int, int]) -> dict[str, Any]:
    tag, count, at = row
    return {"tag": tag, "facts": count, "newest": instant.iso(at)}


TAGS = Verb(
    """List the tags, and how many facts have each.

Active facts count that have not ended, the most frequent tag comes first; with --session,
--speaker, --role or --agent those that were said so. Exits with 0 where there is none.""",
    (("", ""), ("", "--json")), (),
    Options, _tags,
)  # fmt: skip
