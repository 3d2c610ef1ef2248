"""tideline man."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile

from tideline_cli.cli import output
from tideline_cli.cli.commands import COMMANDS
from tideline_cli.cli.generate.man import layout, plain, roff
from tideline_cli.cli.options import Argument, OptionSet, flag
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.generate.man import Page

HELP = """Show a manual page.

Without COMMAND the page of tideline itself. On a terminal the page is shown by man; in a pipe,
or where there is no man, it is printed as text."""
EXAMPLES = (("recall", ""), ("recall", "--roff > tideline-recall.1"))
ARGUMENTS = (
    Argument("words", "COMMAND", "Which command.", "word", False, 0, tuple(COMMANDS)),
)  # fmt: skip
_PATIENCE = 30  # seconds for a page without a pager


class Options(OptionSet):
    """The options of a call."""

    roff = flag("Print the source of the page.")


def run(session: Session, words: list[str], options: Options) -> int:
    """Show one page."""
    name = words[0] if words else ""
    if len(words) > 1 or (words and name not in COMMANDS):
        raise UsageError(
            f"no manual page: {' '.join(words)!r}", hint="use one of " + ", ".join(COMMANDS)
        )
    page = layout(name)
    if session.json:
        output.emit_json({"name": page.name, "roff": roff(page)})
    elif options.roff:
        sys.stdout.write(roff(page))
    elif not sys.stdout.isatty() or _by_man(page, pager=True) is None:
        sys.stdout.write(_by_man(page, pager=False) or plain(page))
    return 0


def _by_man(page: Page, *, pager: bool) -> str | None:
    """Run man over a page and return what it printed, nothing when a pager showed it. None when
    there is no man, or when it fails."""
    program = shutil.which("man")
    if program is None:
        return None
    argv = [program, *([] if pager else ["-P", "cat"]), "-l"]
    environ = {name: value for name, value in os.environ.items() if pager or name not in _LOOKS}
    with tempfile.TemporaryDirectory(prefix="tideline-man-") as folder:
        path = os.path.join(folder, f"{page.name}.1")
        with open(path, "w", encoding="ascii", newline="\n") as file:
            file.write(roff(page))
        try:
            done = subprocess.run(  # noqa: S603  no shell, and a file of our own
                [*argv, path],
                env=environ,
                stdout=None if pager else subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=None if pager else _PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
    if done.returncode != 0:
        return None
    return "" if pager else _unstruck(done.stdout.decode("utf-8", "replace"))


_LOOKS = frozenset(("MAN_KEEP_FORMATTING", "MANOPT", "MANROFFOPT", "MANLESS"))


def _unstruck(text: str) -> str:
    """Return what man printed, without the overstrikes and colors that make it bold."""
    return re.sub(r".\x08|\x1b\[[0-9;]*m", "", text)
