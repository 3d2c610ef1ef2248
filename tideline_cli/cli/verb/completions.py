"""tideline completions."""

from __future__ import annotations

import sys

from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.model.fact import one_of

HELP = """Print the completion script of a shell.

bash: source it from ~/.bashrc. zsh: write it to a file named _tideline in a folder of $fpath.
fish: write it to ~/.config/fish/completions/tideline.fish. PowerShell: dot-source it from
$PROFILE."""
EXAMPLES = (("bash", "> ~/.tideline.bash"), ("zsh", "> ~/.zfunc/_tideline"))
_FILES = {
    "bash": "tideline.bash",
    "zsh": "_tideline",
    "fish": "tideline.fish",
    "powershell": "tideline.ps1",
}
ARGUMENTS = (
    Argument("words", "SHELL", "bash, zsh, fish or powershell.", "word", False, 1, tuple(_FILES)),
)
OPTIONS: tuple[Option, ...] = ()


def run(session: Session, *, words: list[str]) -> int:  # noqa: ARG001  every verb takes it
    """Print one script."""
    if len(words) != 1:
        raise UsageError("name one shell", hint="use one of " + ", ".join(_FILES))
    from tideline_cli.cli.generate_completions import files  # noqa: PLC0415

    sys.stdout.write(files()[_FILES[one_of(words[0], tuple(_FILES), "shell")]])
    return 0
