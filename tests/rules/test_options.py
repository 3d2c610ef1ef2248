"""What options say of each other."""

from __future__ import annotations

from tideline_cli.cli.commands import COMMANDS, verb
from tideline_cli.cli.options import GLOBAL


def test_options_exclude_options_that_are_there():
    """What an option excludes is an option of the same command whose flag is its name, since
    messages name it so."""
    wrong = []
    for name in COMMANDS:
        options = {option.name: option for option in (*verb(name).OPTIONS, *GLOBAL)}
        for option in verb(name).OPTIONS:
            for other in (*option.excludes, *(flag for flag, _ in option.beside)):
                flag = f"--{other.rstrip('_').replace('_', '-')}"
                if other != "words" and (other not in options or flag not in options[other].flags):
                    wrong.append(f"{name}: {option.name} excludes {other}")
    assert wrong == []
