"""docs/internals/seeds.md: each row of the list has a command that does it, or a reason."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from contextlib import closing

import pytest

from tests.conftest import run_main
from tests.support import ROOT
from tideline_cli.store.opening import open_for_reading

ROWS = 160
_LINE = re.compile(r"^(\d+)\. (.+?): (`.+|Left out.+)$", re.MULTILINE)
_ENDS = re.compile(r"^`([^→]*)`(?: → (\d(?: or \d)*))?$")
_MODEL = """\
import json, re, sys
ids = re.findall(r"\\[(\\d+)\\]", sys.stdin.read())
facts = [{"content": "The user has a boat called Nele.", "segment": "knowledge"}]
items = [{"kind": "fact", "text": "The user has a boat called Nele.", "confidence": 0.9}]
print(json.dumps({"facts": facts, "relationships": [], "archive": []}))
print(json.dumps(items))
"""
_FILES = {
    "gold.jsonl": '{"query": "when do I deploy", "answers": ["I deploy on Fridays"]}\n',
    "rows.jsonl": '{"content": "a row of a file"}\n',
    "talk.txt": "USER: I have a boat called Nele, and my mail is ada@example.org\n\n"
                "ASSISTANT: Noted.\n\nUSER: she lies in the harbour of Husum\n",
    "record.txt": "task: deploy\ntried: twice\n",
    "notes.txt": "# Tides\n\nThe tides follow the moon.\n\n# Boats\n\nBoats follow the tides.\n",
    "model.py": _MODEL,
}  # fmt: skip
_READING = frozenset((
    "context", "contradictions", "embedder", "eval", "export", "graph", "history", "list",
    "recall", "schedule", "show", "slots", "status", "timeline",
))  # fmt: skip
"""Commands that tell something and make no batch."""
_IDLE = frozenset((
    "config", "dream", "embed", "gc", "library", "reembed", "relink", "retention",
))  # fmt: skip
"""Commands whose deeds are no batch, or that find nothing to do in so small a memory."""


_OF_A_COPY = ("`eval run", "`eval poison")
_COPIED = pytest.mark.file_alone("it works on a copy of a file")


def rows():
    """Return (number, what is asked for, how) of every line of the list."""
    text = (ROOT / "docs/internals/seeds.md").read_text("utf-8")
    return [(int(number), what, how) for number, what, how in _LINE.findall(text)]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A home with some facts and a folder with files, to be copied for each row."""
    folder = tmp_path_factory.mktemp("seeds")
    (folder / "work").mkdir()
    for name, text in _FILES.items():
        (folder / "work" / name).write_text(text)
    script = f"#!/bin/sh\nexec {shlex.quote(sys.executable)} model.py\n"
    (folder / "work/model").write_text(script)
    (folder / "work/model").chmod(0o755)
    return folder


@pytest.fixture
def world(prepared, tmp_path, home, monkeypatch):
    """The folder of one row, and what stands for its facts."""
    work = tmp_path / "work"
    shutil.copytree(prepared / "work", work)
    monkeypatch.chdir(work)
    said = (
        ("I deploy on Fridays", "--slot", "deploy_day", "--tag", "work"),
        ("The pipeline is green", "-s", "project"),
        ("My cat is called Miso", "--tag", "pets"),
        ("The pipeline was red before the release", "--kind", "episode"),
        ("We moved the standup to ten",), ("The lamp in the hall is broken",),
    )  # fmt: skip
    ids = [run_main("remember", *words, "--json").json["id"] for words in said]
    return {"ID": ids[0], "OTHER": ids[1], "DB": str(home / "tideline.db")}


def test_the_list_has_every_row_once():
    """No row of the list is missing, and none stands twice."""
    assert [number for number, *_ in rows()] == list(range(1, ROWS + 1))


def test_a_row_has_a_command_or_a_reason():
    """A line without a command says why, in more than some words."""
    for number, _, how in rows():
        if how.startswith("Left out"):
            assert len(how.split()) > 3, number
        else:
            assert _ENDS.match(how), number


@pytest.mark.sampled(40)
@pytest.mark.parametrize(
    ("number", "how"),
    [
        pytest.param(number, how, marks=_COPIED if how.startswith(_OF_A_COPY) else ())
        for number, _, how in rows() if not how.startswith("Left out")
    ],
    ids=lambda value: str(value) if isinstance(value, int) else "",
)
def test_the_command_of_a_row(world, number, how):
    """The command of a row ends as the line says, from a home of its own."""
    parts, told = _ENDS.match(how).groups()
    wanted = {int(code) for code in told.split(" or ")} if told else {0}
    calls = [shlex.split(one) for one in parts.replace("`", "").split(";")]
    for place, words in enumerate(calls, 1):
        before = _batches(world["DB"])
        done = run_main(*(world.get(word, word) for word in words), "--no-input")
        assert "Traceback" not in done.err
        assert done.code in (wanted if place == len(calls) else {0}), (words, done)
        _tells(words, done, _batches(world["DB"]) - before)
        if "--json" in words and done.code in (0, 1) and words[0] != "export":
            assert isinstance(json.loads(done.out), dict), words


def _batches(path):
    """Return how many batches there are, of all origins of the table."""
    with closing(open_for_reading(path)) as db:
        return db.execute("SELECT count(*) FROM batch").get


def _tells(words, done, made):
    """Hold what a command did against what it is there for: one that reads answers on stdout and
    makes no batch, any other leaves a batch in the journal; one that is refused says why."""
    is_trial = not {"--dry-run", "--help", "-n"}.isdisjoint(words)
    if words[0] in _READING or is_trial:
        assert not made, words
    if done.code or words[0] in ("contradictions", "dream"):
        assert done.err.strip() or "--json" in words, words
    elif words[0] == "export" and len(words) > 1:
        assert os.path.exists(words[-1]), words
    elif words[0] in _READING or is_trial:
        assert done.out.strip() or "--auto" in words, words
    elif words[0] not in _IDLE:
        assert made or done.out.strip(), words
