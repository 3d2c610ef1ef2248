"""tideline init."""

from __future__ import annotations

import os
import sys

from tideline_cli.cli import output, start_script
from tideline_cli.cli.options import Argument, OptionSet, flag, text
from tideline_cli.cli.session import Session
from tideline_cli.cli.shell_quoting import SHELLS
from tideline_cli.errors import UsageError

HELP = """Print what a shell reads when it starts, to have tideline at hand.

TAB then completes commands, options, and what the memory holds: ids, slots, tags, scopes. `man
tideline` finds the manual, where pages were installed. A key opens `tideline pick` and puts the
fact that you choose into the line, quoted.

bash and zsh take it by eval in ~/.bashrc and ~/.zshrc (there behind compinit), fish by `tideline
init fish | source` in ~/.config/fish/config.fish. Without SHELL it is the one that calls, and
stderr says which."""
EXAMPLES = (("bash", ""), ("zsh", "--key ctrl-o"), ("fish", "--no-key"))
ARGUMENTS = (Argument("words", "SHELL", "Which shell.", "word", False, 0, SHELLS),)


class Options(OptionSet):
    """The options of a call."""

    key = text(
        "The key that opens the list, such as ctrl-o, or `ctrl-x m` for one after the other "
        f"[default: {start_script.USUAL_KEY}].",
        metavar="KEY",
    )
    no_key = flag("Bind no key.", excludes=("key",))


def run(session: Session, words: list[str], options: Options) -> int:
    """Print one script."""
    if len(words) > 1 or (words and words[0] not in SHELLS):
        raise UsageError(
            f"unknown shell: {' '.join(words)!r}", hint="use one of " + ", ".join(SHELLS)
        )
    shell = words[0] if words else _calling(session)
    key = None if options.no_key else options.key or start_script.USUAL_KEY
    script = start_script.script_of(shell, key=key)
    if session.json:
        output.emit_json({"shell": shell, "key": key, "script": script})
    else:
        sys.stdout.write(script)
    return 0


def _calling(session: Session) -> str:
    """Return the shell that calls, by the process above this one or by $SHELL, and say which."""
    parent, usual = _parent(), os.path.basename(os.environ.get("SHELL", ""))
    shell, why = (parent, "it calls") if parent in SHELLS else (usual, "$SHELL names it")
    if shell not in SHELLS:
        raise UsageError("which shell?", hint="use one of " + ", ".join(SHELLS))
    session.note(f"for {shell}, as {why}: `tideline init {shell}` says so itself")
    return shell


def _parent() -> str:
    """Return the name of the process above this one, empty where the system does not tell."""
    try:
        with open(f"/proc/{os.getppid()}/comm", encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return ""
