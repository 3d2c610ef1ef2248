"""tideline completions."""

from __future__ import annotations

import sys

from tideline_cli.cli import output
from tideline_cli.cli.generate.completions import files
from tideline_cli.cli.options import Argument, OptionSet
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError

HELP = """Print the completion script of a shell.

The script completes commands, options and their values, and starts no process to do so. bash,
fish and PowerShell load it as it is; zsh takes it from a folder of $fpath as `_tideline`, or
sourced after compinit."""
EXAMPLES = (
    ("bash", "> ~/.local/share/bash-completion/completions/tideline"),
    ("zsh", "> ~/.zfunc/_tideline"),
    ("fish", "> ~/.config/fish/completions/tideline.fish"),
)
_FILES = {
    "bash": "tideline.bash",
    "zsh": "_tideline",
    "fish": "tideline.fish",
    "powershell": "tideline.ps1",
}
ARGUMENTS = (
    Argument("words", "SHELL", "Which shell.", "word", False, 1, tuple(_FILES)),
)  # fmt: skip


class Options(OptionSet):
    """The options of a call: none but the global ones."""


def run(session: Session, words: list[str], _: Options) -> int:
    """Print one script."""
    if len(words) != 1 or words[0] not in _FILES:
        raise UsageError(
            f"unknown shell: {' '.join(words)!r}" if words else "name a shell",
            hint="use one of " + ", ".join(_FILES),
        )
    text = files()[_FILES[words[0]]]
    if session.json:
        output.emit_json({"shell": words[0], "script": text})
    else:
        sys.stdout.write(text)
    return 0
