"""What `schedule` says of the entry that it has put in place, and of the one that was there."""

from __future__ import annotations

from tideline_cli.cli import output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.cli.schedule_installed import Installed
    from tideline_cli.cli.session import Session

    Time = tuple[int, int]

_LONGEST = 300  # characters of a line that is told whole


def installed(
    session: Session, kind: str, at: Time, needs: str, *, given: Time | None, held: Installed | None
) -> None:
    """Say when it will start, and what has become of the entry of before."""
    when = f"{_clock(at)}{_why(given, held)}"
    session.note(f"{kind} will start a dream every day at {when}; {needs}")
    if not session.has_memory:
        session.note(f"there is no memory at {session.database} yet: `tideline remember` makes it")
    if held is None:
        return
    if held.at is None and given is None:
        session.caution(
            "schedule", f"the entry of before had no daily time of its own; now it is {_clock(at)}",
            hint="tideline schedule --install --at HH:MM",
        )  # fmt: skip
    if held.has_sync:
        session.note("it syncs too, as before; `tideline schedule --remove` first takes that out")
    if held.database and held.database != session.database:
        session.caution(
            "schedule", f"the entry of before tended {held.database}, which no night tends now",
            hint=f"tideline schedule --install --db {held.database}",
        )  # fmt: skip
    kept_lines(session, held, stay="stand outside of the marks now")


def kept_lines(session: Session, held: Installed | None, *, stay: str) -> None:
    """Name the lines between the marks that are not of this program, and a line of ours that was
    changed by hand."""
    block = held.block if held is not None else None
    if block is None:
        return
    if block.foreign:
        lines = ", ".join(repr(output.clipped(_text(line))) for line in block.foreign)
        session.caution("schedule", f"lines of yours {stay}: {lines}", hint="crontab -e shows them")
    if block.is_changed:
        session.caution(
            "schedule", f"a line that was changed by hand is gone: {_text(block.line)[:_LONGEST]}",
            hint="put it outside of the marks: there it stays",
        )  # fmt: skip


def not_installed(
    session: Session, kind: str, held: Installed | None, command: Sequence[str], at: Time,
    needs: str,
) -> None:  # fmt: skip
    """Say whether what was printed is in place."""
    if held is None:
        session.note(f"{needs}; --install puts this in place")
    elif held.at == at and held.words[-len(command) :] == tuple(command):
        session.note(f"{kind} has this entry: it starts a dream every day at {_clock(at)}")
    else:
        when = _clock(held.at) if held.at else "another time"
        session.note(f"{kind} has another entry, for {when}; --install puts this in its place")


def _why(given: Time | None, held: Installed | None) -> str:
    if given is not None or held is None or held.at is None:
        return ""
    return " as before"


def _clock(at: Time) -> str:
    return f"{at[0]:02d}:{at[1]:02d}"


def _text(line: bytes) -> str:
    return line.decode(errors="replace").strip()
