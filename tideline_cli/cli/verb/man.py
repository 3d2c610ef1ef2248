"""tideline man."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

from tideline_cli.cli.commands import COMMANDS
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import UnavailableError, UsageError
from tideline_cli.model.fact import one_of

HELP = """Show a manual page.

Without COMMAND the page of the whole program."""
EXAMPLES = (("recall", ""),)
ARGUMENTS = (
    Argument("words", "COMMAND", "Whose page.", "word", False, 0, tuple(COMMANDS)),
)  # fmt: skip
OPTIONS = (Option("roff", ("--roff",), "Print the page's source, to be installed.", "flag", False),)


def run(session: Session, *, words: list[str], roff: bool) -> int:  # noqa: ARG001
    """Show one page."""
    if len(words) > 1:
        raise UsageError("name one command at most", hint="tideline man recall")
    from tideline_cli.cli.generate_man import main_page, page  # noqa: PLC0415

    source = page(one_of(words[0], tuple(COMMANDS), "command")) if words else main_page()
    if roff:
        sys.stdout.write(source)
        return 0
    man = shutil.which("man")
    if man is None:
        raise UnavailableError("no `man` here to show it", hint="tideline man --roff prints it")
    with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
        file.write(source)
        file.flush()
        pager = [] if sys.stdout.isatty() else ["-P", "cat"]
        sys.stdout.flush()
        environ = os.environ | {"MANROFFOPT": "-c"}
        return subprocess.run(  # noqa: S603  the found man, no shell
            [man, *pager, "-l", file.name], env=environ, check=False
        ).returncode
