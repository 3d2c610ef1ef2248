"""The pages of reference: commands, settings, exit codes, the shapes of JSON, the schema."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from functools import cache

from tideline_cli import errors
from tideline_cli.cli.commands import COMMANDS, PANELS
from tideline_cli.cli.commands.config import OF_FILE
from tideline_cli.cli.generate.man import ENVIRONMENT, EXIT_CODES, Term, usage
from tideline_cli.cli.options import GLOBAL
from tideline_cli.config.settings import SETTINGS, TABLE, shown
from tideline_cli.model.fact import Fact
from tideline_cli.model.fields import FIELDS
from tideline_cli.model.record import record
from tideline_cli.store import schema, sync_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.config.settings import Setting
    from tideline_cli.model.fields import Field

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
    rows: list[str] = []
    last = ""
    places = {panel: place for place, panel in enumerate(PANELS)}
    rank = sorted(COMMANDS.items(), key=lambda item: places[item[1][2]])
    for name, (_, summary, panel) in rank:
        if panel != last:
            rows += ["", f"## {panel}", ""]
        last = panel
        rows.append(f"- `{f'{name} {usage(name)}'.rstrip()}`: {summary}")
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


FILES = {
    "pump.md": "# Pump\n\nClean the pump with water.\n",
    "talk.txt": "USER: call me at +420 777 123 456\n\nASSISTANT: noted\n\nUSER: thanks a lot\n",
    "session.jsonl": "".join(
        f'{{"type": "{role}", "sessionId": "5f1c", "uuid": "{text[:3]}", "timestamp":'
        f' "2026-02-01T09:00:00Z", "message": {{"role": "{role}", "content": "{text}"}}}}\n'
        for role, text in (("user", "which port has staging?"), ("assistant", "Staging has 5433."))
    ),
    "gold.jsonl": '{"query": "when do I deploy", "answers": ["I deploy on Mondays"]}\n',
}


@record
class Call:
    """One command line: what it shows, its words, and what it reads."""

    shows: str
    words: tuple[str, ...]
    stdin: str = ""


CALLS = (
    Call("remember", ("remember", "I deploy on Fridays", "--slot", "deploy_day", "--now",
                      "2026-01-05", "--json")),
    Call("remember: what it replaces", ("remember", "I deploy on Mondays", "--slot", "deploy_day",
                                        "--json")),
    Call("remember --batch, a line for each", ("remember", "--batch", "--json"),
         '{"content": "The boiler needs 1.5 bar", "tags": ["house"]}\n'),
    Call("recall", ("recall", "when do I deploy", "--explain", "--json")),
    Call("recall --batch, a line for each", ("recall", "--batch", "--json"),
         '{"id": "q1", "query": "boiler"}\n'),
    Call("context", ("context", "deploy", "--auto", "--json")),
    Call("list", ("list", "--tag", "house", "--json")),
    Call("show", ("show", "ID-2", "--json")),
    Call("status", ("status", "--json")),
    Call("pin, unpin", ("pin", "ID-3", "--json")),
    Call("edit: other labels", ("edit", "ID-3", "--title", "heating", "--json")),
    Call("edit: another wording", ("edit", "ID-3", "The boiler needs 1.6 bar", "--json")),
    Call("feedback", ("feedback", "ID-2", "up", "--json")),
    Call("link", ("link", "ID-2", "ID-4", "--kind", "relates_to", "--reason", "both are chores",
                  "--json")),
    Call("graph", ("graph", "ID-2", "--json")),
    Call("recall --graph", ("recall", "deploy", "--graph", "on", "--mode", "keyword", "--json")),
    Call("forget", ("forget", "ID-4", "--json")),
    Call("restore", ("restore", "ID-4", "--json")),
    Call("history", ("history", "--limit", "2", "--json")),
    Call("history of one fact", ("history", "ID-4", "--json")),
    Call("undo", ("undo", "--json")),
    Call("contradictions", ("contradictions", "--json")),
    Call("dream", ("dream", "--dry-run", "--json")),
    Call("gc", ("gc", "--dry-run", "--json")),
    Call("import", ("import", "-", "--format", "jsonl", "--json"),
         '{"content": "The heating is serviced in May"}\n'),
    Call("export, a line for each", ("export", "--format", "jsonl")),
    Call("doctor", ("doctor", "--json")),
    Call("config list", ("config", "list", "--json")),
    Call("backup", ("backup", "copy.db", "--json")),
    Call("purge", ("purge", "ID-4", "--yes", "--json")),
    Call("retention", ("retention", "--days", "400", "--dry-run", "--json")),
    Call("fading", ("fading", "--within", "90d", "--json")),
    Call("slots", ("slots", "--json")),
    Call("tags", ("tags", "--json")),
    Call("timeline of a slot", ("timeline", "--slot", "deploy_day", "--json")),
    Call("undo --list", ("undo", "--list", "--limit", "1", "--json")),
    Call("ingest", ("ingest", "pump.md", "--json")),
    Call("library", ("library", "--json")),
    Call("sessions add", ("sessions", "add", "session.jsonl", "--json")),
    Call("sessions search", ("sessions", "search", "staging", "-C", "1", "--json")),
    Call("sessions", ("sessions", "--json")),
    Call("recall --sessions", ("recall", "staging", "--sessions", "--limit", "1", "--json")),
    Call("sessions show", ("sessions", "show", "5f1c", "--json")),
    Call("extract", ("extract", "talk.txt", "--session", "talk", "--llm", "none", "--json")),
    Call("", ("undo", "--json")),
    Call("redo", ("redo", "--json")),
    Call("consolidate", ("consolidate", "--dry-run", "--llm", "none", "--min-facts", "2",
                         "--json")),
    Call("relink", ("relink", "--dry-run", "--json")),
    Call("embed", ("embed", "a boat", "--json")),
    Call("embedder list", ("embedder", "list", "--json")),
    Call("embedder status", ("embedder", "status", "--json")),
    Call("reembed", ("reembed", "--json")),
    Call("eval run", ("eval", "run", "gold.jsonl", "--json")),
    Call("restore --from", ("restore", "--from", "copy.db", "--yes", "--json")),
    Call("sync", ("sync", "place", "--name", "laptop", "--json")),
    Call("sync status", ("sync", "status", "--json")),
    Call("schedule", ("schedule", "--cron", "--json")),
    Call("setup", ("setup", "--json")),
    Call("hook", ("hook", "--json")),
    Call("init", ("init", "bash", "--json")),
    Call("completions", ("completions", "bash", "--json")),
    Call("man", ("man", "recall", "--json")),
)  # fmt: skip
"""What the page shows, in this order: each call finds what those before it have left."""


_CHECKOUT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
_NOW = "2026-03-02T09:00:00Z"
_ID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_LONG = 80  # characters of a text
_MANY = 20  # numbers of a list
_WHOLE = 15  # keys of a fact by which an object is told to hold a whole one
_TELLING = ("id", "content", "segment")
_NAMES = frozenset(field.name for field in FIELDS)
_JSON = """\
# What `--json` prints

Made by `make generate`: these commands were run one after the other, and this is what they printed,
set in lines. Ids are `ID-1`, `ID-2` …, the folder of the memory is `~`, a number of bytes is 0, a
long text ends with `…`; of objects of one form one is shown. Where an object holds a whole fact,
`"…"` stands for its other keys. Keys are a promise: they are added, and not changed or taken away
without a line in the changelog. Notes, warnings and errors on stderr:
[command-line.md](command-line.md#notes-warnings-errors).

`serve`, `mcp` and `pick` print no object of their own: [serve](http.md) answers with those of other
commands, [mcp](agents.md#tools) with results of its tools, and `pick --json` with a fact. `member`
is for memories on a [server](team.md#who-sees-what).

What a person asks for is printed as it is stored. `context` and the doors for programs (`hook`,
`mcp`, the API of `serve`) put `[secret]` in the place of passwords, keys and card numbers, unless
they are asked with `--show-secrets`: `context` and `hook` at each call, `mcp` and `serve` where
they are started. `show` lists 50 links and 50 backlinks; `more_links` and `more_backlinks` say how
many others there are, and `--all` lists them.
"""
_JSON_FORMS = {
    "text": "text", "word": "a word", "texts": "list of texts", "object": "object",
    "number": "number", "count": "whole number", "place": "whole number", "flag": "true or false",
    "time": "time", "origin": "name of an origin",
}  # fmt: skip


@cache
def json_page() -> str:
    """Return the page."""
    lines = [_JSON, "## A fact", ""]
    lines += [f"- `{field.name}`: {_value_of(field)}" for field in FIELDS]
    with tempfile.TemporaryDirectory() as home:
        for name, text in FILES.items():
            with open(os.path.join(home, name), "w", encoding="utf-8") as file:
                file.write(text)
        ids: dict[str, str] = {}
        for call in CALLS:
            lines += _section(call, _printed(call, home, ids))
    return "\n".join([*lines, ""])


def _value_of(field: Field) -> str:
    may_be_absent = "None" in str(Fact.__annotations__[field.name])
    return _JSON_FORMS[field.form] + (" or null" if may_be_absent else "")


def _section(call: Call, printed: str) -> list[str]:
    if not call.shows:
        return []
    typed = " ".join(word if re.fullmatch(r"[\w.:/=@|-]+", word) else f'"{word}"'
                     for word in call.words)  # fmt: skip
    before = f"echo '{call.stdin.strip()}' | " if call.stdin else ""
    return ["", f"## {call.shows}", "", f"`{before}tideline {typed}`", "", "```json", printed,
            "```"]  # fmt: skip


def _printed(call: Call, home: str, ids: dict[str, str]) -> str:
    """Run a command; return its output in lines, with what differs from run to run replaced."""
    known = {name: one for one, name in ids.items()}
    done = subprocess.run(  # noqa: S603  our own commands, no shell
        [sys.executable, "-m", "tideline_cli", *(known.get(word, word) for word in call.words)],
        env={"HOME": home, "TIDELINE_NOW": _NOW, "PYTHONPATH": _CHECKOUT, "LANG": "C.UTF-8",
             "PATH": home},  # no program of this machine shows in the page
        input=call.stdin, capture_output=True, text=True, check=False, cwd=home,
    )  # fmt: skip
    if not done.stdout and call.shows:
        raise RuntimeError(f"{call.words} printed nothing: {done.stderr}")
    text = _ID.sub(lambda found: ids.setdefault(found[0], f"ID-{len(ids) + 1}"), done.stdout)
    text = text.replace(os.path.realpath(home), "~").replace(home, "~")
    values = [json.loads(line) for line in text.splitlines()]
    return "\n".join(_indented(_steady(value)) for value in values)


def _steady(value: Any) -> Any:
    """Return a value without the numbers of bytes and the one-time marks in it, long parts cut."""
    if isinstance(value, dict):
        return _shortened({key: _steady_of(key, inner) for key, inner in value.items()})
    if isinstance(value, list):
        return [_steady(inner) for inner in _few(value)]
    if isinstance(value, str):
        text = re.sub(r'id="[0-9a-f]{16}"', 'id="ONE-TIME"', value)
        text = re.sub(r"^[0-9a-f]{32}$", "32 DIGITS", text)
        return f"{text[:_LONG]}…" if len(text) > 2 * _LONG else text
    return value


def _few(value: list[Any]) -> list[Any]:
    """Return the first parts of a list: three of many numbers, of objects those that show keys that
    none before them has."""
    if len(value) > _MANY and isinstance(value[0], float):
        return value[:3]
    if not value or not isinstance(value[0], dict):
        return value
    shown: list[Any] = []
    seen: set[str] = set()
    for one in value:
        if not shown or not one.keys() <= seen:
            shown.append(one)
            seen |= one.keys()
    return shown


def _shortened(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object that holds a whole fact with the telling keys of it alone: the table at the
    head of the page has them all."""
    if len(_NAMES & value.keys()) < _WHOLE:
        return value
    kept = {key: one for key, one in value.items() if key in _TELLING or key not in _NAMES}
    return {**{key: kept.pop(key) for key in _TELLING if key in kept}, "…": "a whole fact", **kept}


def _steady_of(key: str, value: Any) -> Any:
    if key.endswith("bytes") and isinstance(value, int):
        return 0
    if key == "entry":  # it holds the path of this very program
        return str(value)[:11] + "…"
    return _steady(value)


def _indented(value: Any, indent: str = "") -> str:
    """Return a value as JSON: on one line where there is room, else a line a part."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(flat) <= 90 or not isinstance(value, dict | list) or not value:
        return flat
    inner = indent + "  "
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + _indented(one, inner) for one in value) + f"\n{indent}]"
    parts = (f'{inner}"{key}": {_indented(one, inner)}' for key, one in value.items())
    return "{\n" + ",\n".join(parts) + f"\n{indent}}}"


STORAGE_FORMAT = "docs/internals/storage-format.md"
_PLACE = re.compile(r"(<!-- tables: [^\n]*-->\n).*?(<!-- end of tables -->\n)", re.DOTALL)


def storage_page(root: str) -> str:
    """Return the page with its list made anew; of a checkout without the page, the list alone."""
    try:
        with open(os.path.join(root, STORAGE_FORMAT), encoding="utf-8") as file:
            page = file.read()
    except FileNotFoundError:
        page = "<!-- tables: -->\n<!-- end of tables -->\n"
    return _PLACE.sub(lambda found: f"{found[1]}\n{_tables()}\n{found[2]}", page)


def _tables() -> str:
    """Return a line for each table and view: its name, and the first sentence of its comment. What
    has no comment of its own stands beside the one before."""
    rows: list[tuple[str, str]] = []
    for comment, statement in _statements():
        words = statement.split()
        if words[:2] in (["CREATE", "TABLE"], ["CREATE", "VIEW"], ["CREATE", "VIRTUAL"]):
            name = f"`{words[3 if words[1] == 'VIRTUAL' else 2].strip('(')}`"
            if comment or not rows:
                rows.append((name, re.split(r"(?<=[a-z)])[.:] ", comment)[0].rstrip(".")))
            else:
                rows[-1] = (f"{rows[-1][0]}, {name}", rows[-1][1])
    return "\n".join((*(f"- {names}: {what}" for names, what in rows), ""))


def _statements() -> list[tuple[str, str]]:
    """Return (the comment above it, its text) of each statement of the schema."""
    found: list[tuple[str, str]] = []
    comment: list[str] = []
    statement: list[str] = []
    script = f"{schema.script().strip()}\n{sync_schema.SYNC_SCHEMA.strip()}"
    for line in script.split("\n"):
        if line.startswith("--") and not statement:
            comment.append(line.removeprefix("--").strip())
        elif line.strip() or statement:
            statement.append(line)
            if _ends(statement):
                found.append((" ".join(comment), "\n".join(statement)))
                comment, statement = [], []
    return found


def _ends(statement: list[str]) -> bool:
    if not statement[-1].rstrip().endswith(";"):
        return False
    is_trigger = statement[0].startswith("CREATE TRIGGER")
    return statement[-1].strip() == "END;" if is_trigger else True
