"""The reference pages of the users: commands, settings, exit codes."""

from __future__ import annotations

import ast
import os
from collections import defaultdict

from tideline_cli import errors
from tideline_cli.cli.commands import COMMANDS, PANELS
from tideline_cli.cli.file_settings import OF_FILE
from tideline_cli.cli.generate.man import ENVIRONMENT, EXIT_CODES, Term, usage
from tideline_cli.cli.options import GLOBAL
from tideline_cli.config.settings import SETTINGS, TABLE, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.config.settings import Setting

_COMMANDS = """\
# Commands

Made by `make generate` from the program's own tables. `tideline COMMAND --help` shows the options
of a command, `tideline man COMMAND` its manual page. What all commands have in common:
[command-line.md](command-line.md). What each prints for programs: [json.md](json.md).
"""
_GLOBAL = """\

## Options of every command

They stand before or after the command.
"""
_SETTINGS = """\
# Settings and variables

Made by `make generate` from the program's own tables. `tideline config list` shows every value and
where it comes from, `tideline config set NAME VALUE` changes one, `tideline config path` names the
file of your settings. Where files lie: [files.md](files.md).

An option of the command line wins over the environment, that over the `.tideline.toml` of a
project, that over your `config.toml`. A project file comes with a clone, so it may set little
([security](security.md#files-of-settings)): what the third column names, limits only lower, and
an origin only once you trust the file.

## Settings

| Name | Variable | A project may set it | Usual | Meaning |
| --- | --- | --- | --- | --- |
"""
_DATABASES = f"""
## Databases of origins

`{TABLE}` is a table of your `config.toml`, below all other settings:

```toml
[{TABLE}]
"channel:chat/ops/board" = "postgresql://anna@db.example.org/memory?schema=ops"
"channel:chat/team/board" = "~/team.db"
```

A command of such an origin opens that database, and the owner's open `database`. `--db` and
`TIDELINE_DB` name one database for all and win over the table. Values are addresses of servers or
whole paths; the owner's is no row of it. `tideline config set database ADDRESS --origin NAME`
writes a row, `tideline config unset database --origin NAME` takes it out. What commands about all
origins do: [team.md](team.md#an-origin-on-a-database-of-its-own)."""
_OF_FILE = """\

## Settings of a memory file

They are stored in the file, so they are the same for everyone who opens it. `tideline config set`
changes them, `tideline config list` shows them.

"""
_VARIABLES = """\

## Other variables

Variables that switch take 1, true, yes, on, or 0, false, no, off. An empty variable is not set.

| Variable | Meaning |
| --- | --- |
"""
_EXIT = """\
# Exit codes

Made by `make generate` from the program's own tables. What to do about each:
[troubleshooting.md](troubleshooting.md). Results go to stdout, notes and errors to stderr.

| Code | Meaning |
| --- | --- |
"""
_WORDS = """\

## Words of errors

With `--json` the last line of stderr is `{"error": {"code": "…", "message": "…", "hint": "…"}}`.
The word in `code` stays the same when the wording changes. An error that has no word of its own has
the first one of its row.

| Exit code | Words |
| --- | --- |
"""
_BY_OTHERS = {70: ("internal",)}
"""Words of errors that are no error of the tree: what nobody foresaw."""


def commands_page() -> str:
    """Return the page of the commands, panel by panel, and of the options that all take."""
    rows = ["", "| | Command | What it does |", "| --- | --- | --- |"]
    last = ""
    places = {panel: place for place, panel in enumerate(PANELS)}
    for name, command in sorted(COMMANDS.items(), key=lambda item: places[item[1].panel]):
        panel = f"**{command.panel}**" if command.panel != last else ""
        last = command.panel
        rows.append(f"| {panel} | `{_cell(f'{name} {usage(name)}'.rstrip())}` "
                    f"| {command.summary} |")  # fmt: skip
    options = [f"| `{_cell(' '.join((', '.join(option.flags), option.placeholder)).strip())}` "
               f"| {_cell(option.explained)} |" for option in GLOBAL]  # fmt: skip
    head = ("| Option | Meaning |", "| --- | --- |")
    return "\n".join([_COMMANDS.rstrip("\n"), *rows, _GLOBAL, *head, *options, ""])


def settings_page() -> str:
    """Return the page of the settings and of all variables."""
    rows = [
        f"| `{one.name}` | {one.env and f'`{one.env}`'} | {_in_project(one)} | {_usual(one)} "
        f"| {_cell(one.help)} |"
        for one in SETTINGS.values()
    ]
    ours = {one.env for one in SETTINGS.values()}
    others = [f"| `{term.literal}` | {_cell(term.text)} |" for term in ENVIRONMENT
              if isinstance(term, Term) and term.literal not in ours]  # fmt: skip
    of_file = [f"- `{name}`: {', '.join(f'`{value}`' for value in values) or 'text'}"
               for name, values in OF_FILE.items()]  # fmt: skip
    parts = ((_SETTINGS, rows), (_DATABASES, ()), (_OF_FILE, of_file), (_VARIABLES, others))
    return "".join(head + "\n".join(lines) + "\n" for head, lines in parts)


def exit_codes_page(root: str) -> str:
    """Return the page of the exit codes, and of the words that tell errors of one code apart."""
    rows = [f"| {one.literal} | {_cell(one.text)} |" for one in EXIT_CODES]
    words = _words(os.path.join(root, "tideline_cli"))
    told = [f"| {code} | {', '.join(f'`{word}`' for word in found)} |"
            for code, found in words.items()]  # fmt: skip
    return "".join((_EXIT, "\n".join(rows), "\n", _WORDS, "\n".join(told), "\n"))


def _words(package: str) -> dict[int, list[str]]:
    """Return the words of errors by exit code: first those of the kinds, then those that single
    places give, by the alphabet."""
    kinds = {kind.__name__: kind for kind in _kinds(errors.TidelineError)}
    first: dict[int, dict[str, None]] = defaultdict(dict)
    more: dict[int, set[str]] = defaultdict(set)
    for kind in kinds.values():
        if kind is not errors.TidelineError:
            first[kind.exit_code][kind.code] = None
    others = {word for words in _BY_OTHERS.values() for word in words}
    for folder, _, names in os.walk(package):
        for name in names:
            if name.endswith(".py"):
                for kind_name, word in _given(os.path.join(folder, name)):
                    if kind_name in kinds and word not in others:
                        more[kinds[kind_name].exit_code].add(word)
    for code, words in _BY_OTHERS.items():
        first[code].update(dict.fromkeys(words))
    codes = sorted({*first, *more})
    return {code: [*first[code], *sorted(more[code] - first[code].keys())] for code in codes}


def _kinds(kind: type[errors.TidelineError]) -> list[type[errors.TidelineError]]:
    """Return a kind of error and those below it, of the module of errors: which others there are
    depends on what was imported."""
    own = [child for child in kind.__subclasses__() if child.__module__ == errors.__name__]
    below = [found for child in own for found in _kinds(child)]
    return [kind, *below]


def _given(path: str) -> list[tuple[str, str]]:
    """Return (kind of error, word) of each error that a module makes with a word of its own."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if "code=" not in text:
        return []
    return [
        (node.func.id, keyword.value.value)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        for keyword in node.keywords
        if keyword.arg == "code" and isinstance(keyword.value, ast.Constant)
        and isinstance(keyword.value.value, str)
    ]


def _in_project(setting: Setting) -> str:
    return "" if not setting.in_project else "lower" if setting.top else "yes"


def _usual(setting: Setting) -> str:
    """Return what holds where nobody sets a value."""
    value = setting.default if setting.default not in (None, ()) else setting.usual or setting.top
    return f"`{shown(setting.name, value)}`" if value else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
