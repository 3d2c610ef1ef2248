"""tideline slots."""

from __future__ import annotations

from tideline_cli.cli import filter_options, filters, output
from tideline_cli.cli.options import SCOPES, Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.cli.shared_options import Formats, Said
from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.record import record
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.periods import holds_from
from tideline_cli.store import label_counts
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tideline_cli.model.fact import Fact

HELP = """List the slots, each with its value of now.

Where an untrusted value stands beside a trusted one, the trusted one is shown; where no value holds
now, the one that begins next. `values` counts what the slot has and had. With --session, --speaker,
--role or --agent values that were said so alone. Exits with 0 where there is none."""
EXAMPLES = (("", ""), ("", "--json"))
ARGUMENTS: tuple[Argument, ...] = ()
OPTIONS: tuple[Option, ...] = (
    *SCOPES, *filter_options.SPOKEN, *output.SHORT_FORMS, output.ROWS
)


class Options(Said, Formats):
    """The options of a call."""


@record
class _Slot:
    """A slot of a scope: its value, and how many values it has and had."""

    fact: Fact
    values: int


def run(session: Session, words: list[str], options: Options) -> int:
    """List the slots."""
    if words:
        raise UsageError("slots takes no words", hint="`tideline list --slot NAME` lists its facts")
    wanted = filters.labelled(session, options)
    viewer = session.viewer
    db = session.reading(lambda db, ahead: ahead.foresee(
        lambda: label_counts.values(db, viewer=viewer, wanted=wanted),
        lambda: label_counts.values_ever(db, viewer=viewer, wanted=wanted),
    ))  # fmt: skip
    found: list[_Slot] = []
    if db is not None:
        with snapshot(db):
            active = label_counts.values(db, viewer=viewer, wanted=wanted)
            counts = label_counts.values_ever(db, viewer=viewer, wanted=wanted)
        best = _best(active, now=session.now)
        found = [_Slot(fact, counts[fact.slot or "", fact.scope]) for fact in best]
    _print(session, options, found)
    return 0


def _best(active: Iterable[Fact], *, now: int) -> list[Fact]:
    """Return the value of each slot: one that holds now, of a trusted source, the latest."""

    def merit(fact: Fact) -> tuple[bool, bool, bool, int]:
        start = holds_from(fact)
        is_over = fact.valid_to is not None and fact.valid_to <= now
        holds = start <= now and not is_over
        return holds, not is_over, is_trusted(fact.source), start if holds else -start

    chosen: dict[tuple[str | None, str | None], Fact] = {}
    for fact in active:
        place = fact.slot, fact.scope
        if place not in chosen or merit(fact) >= merit(chosen[place]):
            chosen[place] = fact
    return list(chosen.values())


def _print(session: Session, options: Options, found: list[_Slot]) -> None:
    usual = output.usual_of_rows(session)
    chosen = output.chosen(session, output.named(options), usual=usual)

    def table() -> None:
        from tideline_cli.cli import ages, tables  # noqa: PLC0415  rich, 20 ms

        rows = [
            (_named(slot.fact), output.one_line(slot.fact.content),
             ages.brief(holds_from(slot.fact), session.now), f"{slot.values:,}")
            for slot in found
        ]  # fmt: skip
        tables.listing(session, ("slot", "value", "age", "values"), rows, wide="value")

    output.emit_rows(
        chosen if found or chosen != "table" else "lines",
        map(_form, found),
        whole=lambda forms: {"slots": forms},
        lines=lambda: [_line(slot) for slot in found],
        table=table,
    )
    if not found and not output.is_json(session, chosen):
        session.note("no slots: `tideline remember TEXT --slot NAME` fills one")


def _named(fact: Fact) -> str:
    return f"{fact.slot}" if fact.scope is None else f"{fact.slot} ({fact.scope})"


def _line(slot: _Slot) -> str:
    text = output.one_line(slot.fact.content)
    return f"{slot.fact.id}\t{_named(slot.fact)}\t{slot.values}\t{text}"


def _form(slot: _Slot) -> dict[str, Any]:
    fact = slot.fact
    return {
        "slot": fact.slot, "scope": fact.scope, "values": slot.values, "id": fact.id,
        "content": fact.content, "source": fact.source, "since": instant.iso(holds_from(fact)),
    }  # fmt: skip
