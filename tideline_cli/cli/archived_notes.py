"""What is said of archived and ended facts beside an answer: one line on stderr."""

from __future__ import annotations

from tideline_cli.cli import messages, output
from tideline_cli.memory.archived import ANNOUNCED
from tideline_cli.model.instant import short_day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.archived import Archived
    from tideline_cli.model.fact import Fact


_SHOWN = 3  # facts that are shown below a note
_WHY = {"forgotten": "forgotten", "superseded": "replaced"}


def recall_of_all(session: Session, text: str) -> tuple[str, ...]:
    """Return the call that shows the archived facts that match among the others: as the usual
    profile ranks, which alone has places for them."""
    usual = () if session.profile(None) is None else ("--profile", "tideline")
    return ("recall", "--archived", *usual, "--", text)


def announce(
    session: Session, found: Sequence[Archived], *, all_by: Sequence[str] = (),
    text: Callable[[Fact], str] | None = None, most: int = 0,
) -> None:  # fmt: skip
    """Say that archived facts match, which is the best, and how it comes back. `all_by` is the
    command that shows them all, where it is not this one with --archived; `most` is how many were
    looked for, 0 for no limit."""
    if not found or session.quiet:
        return
    first, count = found[0], len(found)
    shown = output.clipped(first.fact.content if text is None else text(first.fact))
    number = f"{count:,} or more" if count == most else f"{count:,}"
    says = "1 archived fact matches" if count == 1 else f"{number} archived facts match"
    line = f"{says}: \"{shown}\" · {_way_back(session, first)}"
    if count > 1:
        line += f" · all: {session.call(*all_by) if all_by else '--archived'}"
    session.note(line)


def announce_ended(
    session: Session, found: Sequence[Archived], text: Callable[[Fact], str] | None = None
) -> None:
    """Say that facts match which no longer hold, and which is the best."""
    if not found or session.quiet:
        return
    first, count = found[0], len(found)
    shown = output.clipped(first.fact.content if text is None else text(first.fact))
    number = f"{count:,} or more" if count == ANNOUNCED else f"{count:,}"
    facts = "1 fact that no longer holds matches"
    if count > 1:
        facts = f"{number} facts that no longer hold match"
    day = short_day(first.fact.valid_to or first.at, now=session.now)
    session.note(f'{facts}: "{shown}" (ended {day}) · {session.call("show", first.fact.id)}')


def tell_set_aside(session: Session, found: Sequence[Archived], *, is_json: bool) -> None:
    """Say that archived facts match which nobody would miss, and show the best of them; with an
    answer in JSON none is shown."""
    if not found:
        return
    count = len(found)
    number = f"{count:,} or more" if count == ANNOUNCED else f"{count:,}"
    counted: dict[str, int] = {}
    for one in found:
        reason = _WHY.get(one.reason, "archived otherwise")
        counted[reason] = counted.get(reason, 0) + 1
    why = ", ".join(f"{many:,} {reason}" for reason, many in counted.items())
    facts = "1 archived fact matches" if count == 1 else f"{number} archived facts match"
    session.note(f"left out: {facts} ({why}); --archived finds what faded or was merged")
    if not (session.quiet or is_json):
        for one in found[:_SHOWN]:
            messages.tell_fact(one.fact.id, one.fact.content)


def _way_back(session: Session, one: Archived) -> str:
    """Return the command that brings a fact back, or shows the one that it was merged into."""
    if one.kept is not None:
        return f"the same as {one.kept}: {session.call('show', one.kept)}"
    return session.call("restore", one.fact.id)
