"""The history on a terminal: a line a batch, or a line a change of one fact."""

from __future__ import annotations

from rich.text import Text

from tideline_cli.cli import columns, deed_words, tables
from tideline_cli.cli.columns import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tideline_cli.cli.session import Session
    from tideline_cli.store.deeds import BatchDeeds
    from tideline_cli.store.history import Entry
    from tideline_cli.store.steps import StandingBatch


def steps(session: Session, found: Sequence[StandingBatch], texts: Sequence[str]) -> None:
    """Print what could be undone, a line a batch; `texts` say what each did."""
    columns.show(session, (
        _batches([step.ordinal for step in found]),
        tables.when(session, [step.at for step in found]),
        Column("verb", ([step.verb for step in found],)),
        columns.text("what", [columns.one_line(text) for text in texts]),
    ), crops=True)  # fmt: skip


def batches(
    session: Session, found: Sequence[Entry], did: Mapping[int, BatchDeeds],
    standing: Collection[int],
) -> None:  # fmt: skip
    """Print batches, newest first: of each its first entry, what it did, and whether that stands or
    was taken back since."""
    texts: list[Text] = []
    for entry in found:
        text = columns.one_line(_said(entry, did))
        if entry.outcome != "blocked" and entry.batch not in standing:
            text = Text("undone · ").append_text(text)
        if entry.batch not in standing:
            text.stylize("dim")
        texts.append(text)
    columns.show(session, (
        _batches([entry.batch for entry in found]),
        tables.when(session, [entry.at for entry in found]),
        Column("verb", ([entry.verb for entry in found],)),
        _places([one.fact if (one := did.get(entry.batch or 0)) else None for entry in found]),
        columns.text("what", texts),
    ), crops=True)  # fmt: skip


def changes(session: Session, found: Sequence[Entry], said: Sequence[str]) -> None:
    """Print the changes of one fact, each as it is `said` in words."""
    columns.show(session, (
        _batches([entry.batch for entry in found]),
        tables.when(session, [entry.at for entry in found]),
        Column("verb", ([entry.verb for entry in found],)),
        columns.text("what", [columns.one_line(text) for text in said]),
    ))  # fmt: skip


def _batches(ordinals: Sequence[int | None]) -> Column:
    numbers = [Text("-" if one is None else str(one), style="bold") for one in ordinals]
    return Column("batch", (numbers,), stays=True, is_number=True)


def _places(fact_ids: Sequence[str | None]) -> Column:
    """Return the column of `@1`, `@2` …, which stand for the facts of the rows that have one."""
    known = dict.fromkeys(one for one in fact_ids if one)
    places = {one: f"@{place}" for place, one in enumerate(known, 1)}
    return Column("", ([places.get(one or "", "") for one in fact_ids],), stays=True)


def _said(entry: Entry, did: Mapping[int, BatchDeeds]) -> str:
    """Return what a batch did; a pass says it itself, and a blocked write why it was."""
    if entry.outcome == "blocked":
        return f"blocked: {entry.reason}"
    one = did.get(entry.batch or 0)
    words = "" if one is None else deed_words.said(one)
    if entry.reason and entry.verb in ("undo", "redo"):
        return f"{entry.reason}: {words}"
    return entry.reason or words or "changed nothing that is still there"
