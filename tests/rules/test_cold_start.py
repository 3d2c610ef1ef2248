"""What a hot command may load."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "numpy", "rich", "sqlite_utils", "typer", "pydantic", "urllib", "json", "re", "dataclasses",
    "typing", "pathlib", "argparse", "importlib.metadata", "datetime", "inspect", "sqlite3",
    "apsw.ext", "tomllib", "unicodedata", "subprocess", "logging", "csv",
    "collections", "functools", "contextlib", "operator", "importlib", "warnings", "enum", "types",
)  # fmt: skip
_SAY = """
import os, sys
from tideline_cli.__main__ import main
code = main({argv!r})
sys.stdout.flush()
loaded = [name for name in {heavy!r} if name in sys.modules]
sys.stderr.write("\\nLOADED " + ",".join(loaded) + " CODE " + str(code))
"""


def loaded(script):
    """Return the heavy modules that a fresh interpreter has loaded after a script; it runs no hooks
    of site, so that an editable install loads nothing first."""
    paths = f"import sys; sys.path[:] = {sys.path!r}\n"
    done = subprocess.run(
        [sys.executable, "-S", "-c", paths + script], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    names, _, code = done.stderr.rpartition("LOADED ")[2].partition(" CODE ")
    return set(filter(None, names.split(","))), int(code or 0)


HOT = {
    "remember": ("remember", "Alice deploys on Mondays", "--segment", "project", "--tag", "x"),
    "remember in a slot": ("remember", "at noon", "--slot", "lunch"),
    "remember as json": ("remember", "Bob deploys on Tuesdays", "--json"),
    "recall": ("recall", "deploys", "--limit", "3"),
    "recall as json": ("recall", "deploys", "--limit", "3", "--json", "--explain"),
    "context": ("context", "deploys", "--limit", "3"),
    "context auto": ("context", "deploys", "--limit", "3", "--auto"),
    "recall of nothing": ("recall", "of the", "--limit", "3"),
    "version": ("--version",),
    "a TAB behind --slot": ("__complete", "slot:", "list", "--slot"),
    "a TAB behind --tag": ("__complete", "tag:a", "--db", "x.db", "recall", "--tag"),
    "a TAB behind show": ("__complete", "id:", "show"),
    "a TAB behind undo": ("__complete", "batch:", "undo"),
    "status": ("status",),
    "status as json": ("status", "--json"),
    "list": ("list",),
    "list by strength": ("list", "--sort", "strength", "--json"),
    "show": ("show", "@1"),
    "edit": ("edit", "@1", "--tag", "y"),
    "forget": ("forget", "@1"),
    "undo": ("undo",),
    "undo by list": ("undo", "--list"),
    "tags": ("tags",),
    "slots": ("slots", "--json"),
    "history": ("history", "--limit", "3"),
    "history of a fact": ("history", "@1"),
    "timeline": ("timeline", "@1"),
    "pin": ("pin", "@1"),
    "link": ("link", "@1", "@2"),
    "feedback": ("feedback", "@1", "up"),
    "fading": ("fading",),
    "restore": ("restore", "@1"),
    "mcp": ("mcp", "--write"),
    "init": ("init", "zsh"),
}
CALLS = {
    "a prompt": {"hook_event_name": "UserPromptSubmit", "prompt": "which harbour crane is yellow"},
    "a start": {"hook_event_name": "SessionStart", "source": "startup"},
    "an end": {"hook_event_name": "Stop", "transcript_path": "/t.jsonl"},
    "a long prompt": {"hook_event_name": "UserPromptSubmit",
                      "prompt": "<private>x</private> harbour crane " + "word " * 15_000},
}  # fmt: skip


@pytest.mark.parametrize("argv", HOT.values(), ids=HOT)
def test_hot_commands_load_little(run, argv):
    """A hot command in its common shape loads none of the modules that cost a cold start, with
    every label on the facts that it finds."""
    for n in range(5):
        labels = ("--tag", "a", "--tag", 'b "c"', "--meta", f"n={n}", "--title", "week")
        run("remember", f"person{n} deploys on day{n} of the week", *labels)
    ids = [one["id"] for one in run("list", "--json").json["facts"]]
    argv = [ids[int(word[1:])] if word in ("@1", "@2") else word for word in argv]
    names, code = loaded(_SAY.format(argv=argv, heavy=HEAVY))
    assert names == set()
    assert code == (1 if "of the" in argv else 0)


@pytest.mark.parametrize("form", CALLS.values(), ids=CALLS)
def test_hooks_load_little(run, form):
    """A hook loads none of the modules that cost a cold start, whatever it is called for."""
    for text in ("the harbour crane is painted yellow", "a tram stops at the museum"):
        run("remember", text, "--tag", "a")
    call = json.dumps({"session_id": "s", "cwd": "/", **form})
    given = f"import io, sys; sys.stdin = io.TextIOWrapper(io.BytesIO({call.encode()!r}))\n"
    names, code = loaded(given + _SAY.format(argv=["hook", "codex"], heavy=HEAVY))
    assert (names, code) == (set(), 0)


def test_modules_that_the_package_itself_loads():
    """Importing the package costs nothing beyond itself."""
    script = "import sys; a = set(sys.modules); import tideline_cli; print(set(sys.modules) - a)"
    argv = [sys.executable, "-c", script]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout == "{'tideline_cli'}\n"


_OWN = """
import sys
from tideline_cli.__main__ import main
code = main({argv!r})
sys.stdout.flush()
own = [module.__file__ for name, module in sys.modules.items() if name.startswith("tideline_cli")]
sys.stderr.write("\\nLOADED " + ",".join(filter(None, own)) + " CODE " + str(code))
"""
_ONCE = ("remember", "recall", "context", "context auto", "version", "status")


@pytest.mark.parametrize("name", _ONCE)
def test_hot_records_are_made_once(run, name):
    """What a hot command loads has `Record` as its base: the decorator makes a second class of each
    record, which a cold start pays for."""
    run("remember", "person1 deploys on day1 of the week", "--tag", "a")
    files, _ = loaded(_OWN.format(argv=list(HOT[name])))
    decorated = {file for file in files if "\n@record\n" in Path(file).read_text("utf-8")}
    assert len(files) > 3
    assert decorated == set()


def test_version_loads_next_to_nothing():
    """`--version` loads the program's entry and the first parser, no option and no command."""
    files, code = loaded(_OWN.format(argv=["--version"]))
    assert code == 0
    assert {Path(file).name for file in files} == {"__init__.py", "__main__.py", "fast.py"}
