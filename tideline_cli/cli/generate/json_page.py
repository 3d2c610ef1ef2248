"""The page of JSON shapes: what every command prints with --json, run in a small memory."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from functools import cache

from tideline_cli.cli.generate.json_calls import CALLS, FILES
from tideline_cli.model.fact import Fact
from tideline_cli.model.fields import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.generate.json_calls import Call
    from tideline_cli.model.fields import Field

_ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
_NOW = "2026-03-02T09:00:00Z"
_ID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_LONG = 200  # characters of a text
_MANY = 20  # numbers of a list
_HEAD = """\
# What `--json` prints

Made by `make generate`: these commands were run one after the other, and this is what they printed,
set in lines. Ids are `ID-1`, `ID-2` …, the folder of the memory is `~`, a number of bytes is 0, a
long text ends with `…`, and of a long list of numbers three are shown. Keys are a promise: they are
added, and not changed or taken away without a line in the changelog. Notes, warnings and errors on
stderr: [command-line.md](command-line.md#notes-warnings-errors).

`serve`, `mcp` and `pick` print no object of their own: [serve](http.md) answers with those of other
commands, [mcp](mcp.md#tools) with results of its tools, and `pick --json` with a fact. `member` is
for memories on a [server](team.md#who-sees-what).

What a person asks for is printed as it is stored. `context` and the doors for programs (`hook`,
`mcp`, the API of `serve`) put `[secret]` in the place of passwords, keys and card numbers, unless
they are asked with `--show-secrets`: `context` and `hook` at each call, `mcp` and `serve` where
they are started. `show` lists 50 links and 50 backlinks; `more_links` and `more_backlinks` say how
many others there are, and `--all` lists them.
"""
_FORMS = {
    "text": "text", "word": "a word", "texts": "list of texts", "object": "object",
    "number": "number", "count": "whole number", "place": "whole number", "flag": "true or false",
    "time": "time", "origin": "name of an origin",
}  # fmt: skip


@cache
def json_page() -> str:
    """Return the page."""
    lines = [_HEAD, "## A fact", "", "| Key | Value |", "| --- | --- |"]
    lines += [f"| `{field.name}` | {_value_of(field)} |" for field in FIELDS]
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
    return _FORMS[field.form] + (" or null" if may_be_absent else "")


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
        env={"HOME": home, "TIDELINE_NOW": _NOW, "PYTHONPATH": _ROOT, "LANG": "C.UTF-8",
             "PATH": home},  # no program of this machine shows in the page
        input=call.stdin, capture_output=True, text=True, check=False, cwd=home,
    )  # fmt: skip
    if not done.stdout and call.shows:
        raise RuntimeError(f"{call.words} printed nothing: {done.stderr}")
    text = _ID.sub(lambda found: ids.setdefault(found[0], f"ID-{len(ids) + 1}"), done.stdout)
    text = text.replace(os.path.realpath(home), "~").replace(home, "~")
    values = [json.loads(line) for line in text.splitlines()]
    return "\n".join(_set(_steady(value)) for value in values)


def _steady(value: Any) -> Any:
    """Return a value without the numbers of bytes and the one-time marks in it, long parts cut."""
    if isinstance(value, dict):
        return {key: _steady_of(key, inner) for key, inner in value.items()}
    if isinstance(value, list):
        few = value[:3] if len(value) > _MANY and isinstance(value[0], float) else value
        return [_steady(inner) for inner in few]
    if isinstance(value, str):
        text = re.sub(r'id="[0-9a-f]{16}"', 'id="ONE-TIME"', value)
        text = re.sub(r"^[0-9a-f]{32}$", "32 DIGITS", text)
        return f"{text[:_LONG]}…" if len(text) > 2 * _LONG else text
    return value


def _steady_of(key: str, value: Any) -> Any:
    if key.endswith("bytes") and isinstance(value, int):
        return 0
    if key == "entry":  # it holds the path of this very program
        return str(value)[:11] + "…"
    return _steady(value)


def _set(value: Any, indent: str = "") -> str:
    """Return a value as JSON: on one line where there is room, else a line a part."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(flat) <= 90 or not isinstance(value, dict | list) or not value:
        return flat
    inner = indent + "  "
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + _set(one, inner) for one in value) + f"\n{indent}]"
    parts = (f"{inner}{json.dumps(key)}: {_set(one, inner)}" for key, one in value.items())
    return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
