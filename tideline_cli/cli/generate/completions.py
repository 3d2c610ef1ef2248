"""Completion files in the language of each shell. Only for values of the memory a process starts
when TAB is pressed: `tideline __complete`, which is `cli.completion_values`.

What stands around the tables is in templates/, a file of each language that its tools understand.

Each script walks the words before the cursor with the same knowledge as the parsers: which flags
take a value, and which word is the command.
"""

from __future__ import annotations

import os

from tideline_cli.cli.commands import COMMANDS, verb
from tideline_cli.cli.generate.man import HELP, VERSION
from tideline_cli.cli.options import GLOBAL, Argument, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


_TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")


def files() -> dict[str, str]:
    """Return every completion file by its name."""
    return {
        "tideline.bash": bash(),
        "_tideline": zsh(),
        "tideline.fish": fish(),
        "tideline.ps1": powershell(),
    }


def bash() -> str:
    """Return the script for bash, 3.2 or newer, which needs no bash-completion."""
    return _filled(
        "tideline.bash",
        {
            "COMMANDS": " ".join(COMMANDS),
            "SUMMARIES": [f"{n}) REPLY={_quoted(c)} ;;" for n, (_, c, _) in COMMANDS.items()],
            "GLOBAL_FLAGS": _quoted(_flags((*GLOBAL, HELP))),
            "VERSION": _quoted(_flags((VERSION,))),
            "FLAGS": [f"{name}) REPLY={_quoted(_flags(_own(name)))} ;;" for name in COMMANDS],
            "GLOBAL_VALUES": list(_bash_values("", GLOBAL)),
            "VALUES": [row for name in COMMANDS for row in _bash_values(name, _own(name))],
            "ARGUMENTS": [
                f"{name}:{place}) REPLY={_quoted(kind)} ;;"
                for name in COMMANDS
                for place, kind in _places(name)
            ],
        },
    )


def zsh() -> str:
    """Return the function file for zsh, for a folder of $fpath or to be sourced."""
    commands = (f"{name}:{_zsh_colons(summary)}" for name, (_, summary, _) in COMMANDS.items())
    cases: list[str] = []
    for name in COMMANDS:
        specs = [*map(_zsh_option, _own(name)), *_zsh_arguments(name)]
        cases += [f"{name})", "    _arguments -s -S $globals \\"]
        cases += [f"        {spec} \\" for spec in specs]
        cases += ["        && ret=0", "    ;;"]
    return _filled(
        "tideline.zsh",
        {
            "COMMANDS": [_quoted(row) for row in commands],
            "GLOBALS": [_zsh_option(option) for option in (*GLOBAL, HELP)],
            "VERSION": _zsh_option(VERSION),
            "CASES": cases,
        },
    )


def fish() -> str:
    """Return the script for fish."""
    lines = [f"{_fish_option(option)}" for option in (*GLOBAL, HELP)]
    lines.append(_fish_option(VERSION, "__tideline_at ''"))
    for name, (_, summary, _) in COMMANDS.items():
        words = f"-a {name} -d {_fish_quoted(summary)}"
        lines.append(f"complete -c tideline -n \"__tideline_at ''\" {words}")
    for name in COMMANDS:
        lines += [_fish_option(option, f"__tideline_at {name}") for option in _own(name)]
        for place, kind in _places(name):
            condition = f"__tideline_at {name}{'' if place == '*' else f' {place}'}"
            value = _fish_value(kind).removeprefix("-r ")  # -r asks for an option
            lines.append(f"complete -c tideline -n '{condition}' {value}")
    valued = {name: _valued(_own(name)) for name in COMMANDS}
    return _filled(
        "tideline.fish",
        {
            "GLOBAL_VALUED": " ".join(_valued(GLOBAL)),
            "VALUED": [f"case {n}\n    contains -- $argv[2] {' '.join(valued[n])}"
                       for n in COMMANDS if valued[n]],
            "LINES": lines,
        },
    )  # fmt: skip


def powershell() -> str:
    """Return the script for PowerShell."""
    rows: list[str] = []
    for name in COMMANDS:
        rows += [f"{_ps(name)} = @(", *(f"    {_ps_option(option)}" for option in _own(name)), ")"]
    return _filled(
        "tideline.ps1",
        {
            "COMMANDS": [f"{_ps(name)} = {_ps(told)}" for name, (_, told, _) in COMMANDS.items()],
            "GLOBALS": [_ps_option(option) for option in (*GLOBAL, HELP)],
            "VERSION": _ps_option(VERSION),
            "OPTIONS": rows,
            "ARGUMENTS": [
                f"{_ps(f'{name}:{place}')} = {_ps(kind)}"
                for name in COMMANDS
                for place, kind in _places(name)
            ],
        },
    )


def _filled(template: str, parts: Mapping[str, str | Sequence[str]]) -> str:
    """Return a template with its parts filled in: a line `# @NAME@` stands for lines, with its
    margin; a word `'@NAME@'` for a text. What is for shellcheck alone stays behind."""
    lines: list[str] = []
    read = _template(template)
    for name in parts:
        if not any(f"@{name}@" in line for line in read):
            raise KeyError(f"{template} has no place for {name}")
    for line in read:
        word = line.strip()
        part = parts.get(word[3:-1]) if word.startswith("# @") else None
        if word.startswith("# shellcheck "):
            continue
        if isinstance(part, str) or part is None:
            for key, value in parts.items():
                if isinstance(value, str):
                    line = line.replace(f"'@{key}@'", value)
            lines.append(line)
        else:
            margin = line[: len(line) - len(line.lstrip())]
            lines += [margin + row for entry in part for row in entry.split("\n")]
    return "\n".join(lines) + "\n"


def _template(name: str) -> list[str]:
    with open(os.path.join(_TEMPLATES, name), encoding="utf-8") as file:
        return file.read().splitlines()


def _own(name: str) -> tuple[Option, ...]:
    return tuple(verb(name).Options.ALL)


def _flags(options: Iterable[Option]) -> str:
    return " ".join(flag for option in options for flag in option.flags)


def _valued(options: Iterable[Option]) -> list[str]:
    return [flag for option in options if option.kind != "flag" for flag in option.flags]


def _kind(value: Option | Argument, completes: str = "") -> str:
    """Return what completes a value: `one of` and words, `ask` and a kind of value of the memory,
    file, folder or text."""
    if completes:
        return completes if completes.startswith("one of ") else f"ask {completes}"
    if value.choices:
        return "one of " + " ".join(value.choices)
    return value.kind if value.kind in ("file", "folder") else "text"


def _of_option(option: Option) -> str:
    return _kind(option, option.completes)


def _places(name: str) -> Iterator[tuple[str, str]]:
    """Yield the places of arguments that can be completed, and by what; `*` is any place. Known
    words are the first argument only: what follows belongs to the word."""
    for argument in verb(name).ARGUMENTS:
        kinds = [_kind(argument, one) for one in argument.completes] or [_kind(argument)]
        is_open = argument.many and len(kinds) == 1 and not argument.choices
        for place, kind in enumerate(kinds):
            if kind != "text" and (place == 0 or argument.completes[place]):
                yield "*" if is_open else str(place), kind


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _bash_values(name: str, options: Iterable[Option]) -> Iterator[str]:
    for option in options:
        if option.kind != "flag":
            patterns = "|".join(f"{name}:{flag}" if name else flag for flag in option.flags)
            yield f"{patterns}) REPLY={_quoted(_of_option(option))} ;;"


def _zsh_option(option: Option) -> str:
    """Return the specs of an option; a flag that was given is not offered again."""
    value = ""
    if option.kind != "flag":
        value = f":{_zsh_colons(option.name.replace('_', ' '))}:{_zsh_action(_of_option(option))}"
    text = option.help.rstrip(".")
    for char in "\\[]":
        text = text.replace(char, "\\" + char)
    flags = [flag + _zsh_tail(flag, option) for flag in option.flags]
    once = "*" if option.many else f"({' '.join(option.flags)})"
    if option in (HELP, VERSION):
        once = "(- *)"
    named = flags[0] if len(flags) == 1 else "'{" + ",".join(flags) + "}'"
    return f"'{once}{named}" + _quoted(f"[{text}]{value}")[1:]


def _zsh_tail(flag: str, option: Option) -> str:
    if option.kind == "flag":
        return ""
    return "=" if flag.startswith("--") else "+"


def _zsh_action(kind: str) -> str:
    if kind.startswith("one of "):
        return f"({kind[7:]})"
    if kind.startswith("ask "):
        return f"{{_tideline_values {kind[4:]}}}"
    return {"file": "_files", "folder": "_files -/"}.get(kind, " ")


def _zsh_arguments(name: str) -> Iterator[str]:
    places = dict(_places(name))
    metavars = [argument.metavar for argument in verb(name).ARGUMENTS]
    for place, kind in places.items():
        start = place if place == "*" else str(int(place) + 1)
        yield _quoted(f"{start}:{_zsh_colons(metavars[0])}:{_zsh_action(kind)}")
    if "*" not in places:
        yield _quoted(f"*:{metavars[0] if metavars and not places else ' '}: ")


def _zsh_colons(text: str) -> str:
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _fish_option(option: Option, condition: str = "") -> str:
    parts = ["complete -c tideline"]
    if condition:
        parts.append(f'-n "{condition}"')
    parts += [f"-l {flag[2:]}" if flag[:2] == "--" else f"-s {flag[1:]}" for flag in option.flags]
    if option.kind != "flag":
        parts.append(_fish_value(_of_option(option)))
    return " ".join([*parts, f"-d {_fish_quoted(option.help.rstrip('.'))}"])


def _fish_value(kind: str) -> str:
    if kind.startswith("one of "):
        return f"-x -a {_fish_quoted(kind[7:])}"
    if kind.startswith("ask "):
        return f"-k -x -a '(__tideline_values {kind[4:]})'"
    return {"file": "-r -F", "folder": "-x -a '(__fish_complete_directories)'"}.get(kind, "-x")


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _ps(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _ps_option(option: Option) -> str:
    flags = ",".join(map(_ps, option.flags))
    kind = "flag" if option.kind == "flag" else _of_option(option)
    return f"@{{ Flags = @({flags}); Kind = {_ps(kind)}; Help = {_ps(option.help)} }}"
