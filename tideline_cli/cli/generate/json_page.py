"""The page of JSON shapes: what every command prints with --json, run in a small memory."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from functools import cache

from tideline_cli.model.fact import Fact
from tideline_cli.model.fields import FIELDS
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.model.fields import Field

_ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
_NOW = "2026-03-02T09:00:00Z"
_ID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_HEAD = """\
# What `--json` prints

Made by `make generate`: every command was run, and this is what it printed, set in lines. Ids are
`ID-1`, `ID-2` …, the folder of the memory is `~`, and a number of bytes is 0. Keys are a promise:
they are added, and not changed or taken away without a line in the changelog. Notes, warnings and
errors on stderr: [command-line.md](command-line.md#notes-warnings-errors).
"""
_FORMS = {
    "text": "text", "word": "a word", "texts": "list of texts", "object": "object",
    "number": "number", "count": "whole number", "place": "whole number", "flag": "true or false",
    "time": "time", "origin": "name of an origin",
}  # fmt: skip


@record
class Call:
    """One command line: what it shows, its words, and what it reads."""

    shows: str
    words: tuple[str, ...]
    stdin: str = ""


@cache
def json_page() -> str:
    """Return the page."""
    lines = [_HEAD, "## A fact", "", "| Key | Value |", "| --- | --- |"]
    lines += [f"| `{field.name}` | {_value_of(field)} |" for field in FIELDS]
    with tempfile.TemporaryDirectory() as home:
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
             "PATH": os.environ.get("PATH", "")},
        input=call.stdin, capture_output=True, text=True, check=False, cwd=home,
    )  # fmt: skip
    if not done.stdout and call.shows:
        raise RuntimeError(f"{call.words} printed nothing: {done.stderr}")
    text = _ID.sub(lambda found: ids.setdefault(found[0], f"ID-{len(ids) + 1}"), done.stdout)
    text = text.replace(os.path.realpath(home), "~").replace(home, "~")
    values = [json.loads(line) for line in text.splitlines()]
    return "\n".join(_set(_steady(value)) for value in values)


def _steady(value: Any) -> Any:
    """Return a value without the numbers of bytes and the one-time marks in it."""
    if isinstance(value, dict):
        return {
            key: 0 if key.endswith("_bytes") else _steady(inner) for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_steady(inner) for inner in value]
    if isinstance(value, str):
        return re.sub(r'id="[0-9a-f]{16}"', 'id="ONE-TIME"', value)
    return value


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
)  # fmt: skip
"""What the page shows, in this order: each call finds what those before it have left."""
