"""What a command line asks for, read before it is parsed: it may be a wrong one."""

from __future__ import annotations

from tideline_cli.cli.commands import COMMANDS, DOOR
from tideline_cli.cli.options import GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def is_of_door(argv: Sequence[str]) -> bool:
    """Say whether a command line, even a wrong one, calls a door for programs."""
    end = argv.index("--") if "--" in argv else len(argv)
    if not any(part == "--auto" or part.startswith("--auto=") for part in argv[:end]):
        return False
    name = command_of(argv)
    # Behind an option that is not known, what is its value and what the command is a guess.
    return name == DOOR or (name not in COMMANDS and DOOR in argv)


def command_of(argv: Sequence[str]) -> str:
    """Return the command that a command line names, empty for none."""
    found = place_of_command(argv)
    return "" if found is None else argv[found]


def place_of_command(argv: Sequence[str]) -> int | None:
    """Return where the first word of a command line stands, None where it has options alone."""
    flags = {flag: option for option in GLOBAL for flag in option.flags}
    takes = False
    for index, part in enumerate(argv):
        if not takes and not part.startswith("-"):
            return index
        option = None if takes else flags.get(part)
        takes = option is not None and option.kind != "flag"
    return None


def wants_json(argv: Sequence[str]) -> bool:
    """Say whether a command line asks for JSON; what stands behind `--` are words."""
    end = argv.index("--") if "--" in argv else len(argv)
    return "--json" in argv[:end]
