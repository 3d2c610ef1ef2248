"""What a hot command may load."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = (
    "numpy", "rich", "sqlite_utils", "typer", "pydantic", "urllib", "json", "re", "dataclasses",
    "typing", "pathlib", "argparse", "importlib.metadata", "datetime", "inspect", "sqlite3",
    "apsw.ext", "tomllib", "unicodedata", "platformdirs", "subprocess", "logging", "csv",
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
    "status": ("status", "--json"),
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
    names, code = loaded(_SAY.format(argv=list(argv), heavy=HEAVY))
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
