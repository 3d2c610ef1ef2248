"""A model that is a child process, and transcripts on disk."""

from __future__ import annotations

import json
import sys

import pytest

REPLY = {
    "facts": [
        {"content": "The user lives in Lisbon", "segment": "identity", "importance": 0.8},
        {"content": "The user works on Atlas", "segment": "project"},
    ],
    "relationships": [
        {"a": "new:0", "b": "new:1", "type": "relates_to", "reason": "one life", "strength": 4}
    ],
}
MODEL = """\
import json, pathlib, sys
here = pathlib.Path(__file__).parent
prompt = sys.stdin.buffer.read().decode()
calls = here / "calls.jsonl"
with calls.open("a") as file:
    file.write(json.dumps(prompt) + "\\n")
replies = json.loads((here / "replies.json").read_text())
number = len(calls.read_text().splitlines())
reply = replies[min(number, len(replies)) - 1]
if reply is None:
    sys.exit(3)
print(reply if isinstance(reply, str) else json.dumps(reply))
"""


class Model:
    """A child process that plays the model: canned replies, in order, the last one for good."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "model.py").write_text(MODEL)
        self.command = f"{sys.executable} {folder / 'model.py'}"

    def says(self, *replies):
        (self.folder / "replies.json").write_text(json.dumps(replies))
        (self.folder / "calls.jsonl").unlink(missing_ok=True)
        return self

    @property
    def calls(self):
        path = self.folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    return Model(folder).says(REPLY)


@pytest.fixture
def talk(tmp_path):
    """Write a transcript and return its path."""

    def write(text, name="talk.txt"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write
