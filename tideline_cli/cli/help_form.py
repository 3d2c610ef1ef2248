"""Help as JSON: the commands, and the options of one, from the tables that the parsers read."""

from __future__ import annotations

from tideline_cli.cli.commands import COMMANDS, SUMMARY, verb
from tideline_cli.cli.generate.man import examples
from tideline_cli.cli.options import GLOBAL
from tideline_cli.cli.time_rules import help_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.options import Argument, Option


def whole() -> dict[str, Any]:
    """Return what there is: every command, and the options that all of them take."""
    commands = [
        {"name": name, "summary": command.summary, "panel": command.panel}
        for name, command in COMMANDS.items()
    ]
    return {"help": SUMMARY, "commands": commands, "options": list(map(_option, GLOBAL))}


def of(name: str) -> dict[str, Any]:
    """Return the help of one command; the options of all commands are those of `whole`."""
    module = verb(name)
    return {
        "command": name,
        "help": help_of(module),
        "arguments": list(map(_argument, module.ARGUMENTS)),
        "options": list(map(_option, module.Options.ALL)),
        "examples": examples(name, module.EXAMPLES),
    }


def _argument(argument: Argument) -> dict[str, Any]:
    return {
        "metavar": argument.metavar,
        "help": argument.help,
        "required": argument.least > 0,
        "repeatable": argument.many,
    }


def _option(option: Option) -> dict[str, Any]:
    return {
        "flags": list(option.flags),
        "metavar": option.placeholder or None,
        "choices": list(option.choices),
        "repeatable": option.many,
        "help": option.explained,
    }
