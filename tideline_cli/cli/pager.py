"""Long results on a terminal, by the pager of the user: PAGER, or less."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session

_USUAL = "less"
_FLAGS = "FRX"  # of less: quit where all fits on a screen, keep colors, leave the screen as it is


def show(session: Session, text: str) -> None:
    """Print a text; on a terminal that has fewer lines, by the pager."""
    if not (_is_wanted(session) and _is_longer(text) and _by_pager(session, text)):
        sys.stdout.write(text)


def _is_wanted(session: Session) -> bool:
    """Say whether a person reads, at a terminal that can page."""
    return (
        sys.stdout.isatty()
        and not (session.options.no_pager or session.json)
        and os.environ.get("TERM", "dumb") not in ("", "dumb")
        and os.environ.get("PAGER", _USUAL).strip() not in ("", "cat")
    )


def _is_longer(text: str) -> bool:
    """Say whether a text has more lines than the terminal. A line of the result may take several:
    escape sequences only make the guess larger."""
    size = os.get_terminal_size(sys.stdout.fileno())
    width = max(1, size.columns)
    return sum(1 + max(0, len(line) - 1) // width for line in text.split("\n")) > size.lines


def _by_pager(session: Session, text: str) -> bool:
    """Hand a text to the pager and wait until it is left; False where it cannot be run."""
    import signal  # noqa: PLC0415  only what is longer than the terminal
    import subprocess  # noqa: PLC0415  as above

    from tideline_cli.system import words_of  # noqa: PLC0415  as above

    named = os.environ.get("PAGER", _USUAL)
    sys.stdout.flush()
    try:
        argv = words_of.split(named)
        program = subprocess.Popen(  # noqa: S603  no shell; the user's own choice
            argv, stdin=subprocess.PIPE, env={"LESS": _FLAGS, "LV": "-c"} | os.environ,
            text=True, encoding="utf-8", errors="backslashreplace",
        )  # fmt: skip
    except (OSError, ValueError) as error:
        if named != _USUAL:
            session.note(f"PAGER: cannot run {named!r}: {error}; --no-pager prints without it")
        return False
    kept = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pager
    try:
        program.communicate(text)
    except BrokenPipeError:  # left before it was read to the end
        program.wait()
    finally:
        signal.signal(signal.SIGINT, kept)
    return True
