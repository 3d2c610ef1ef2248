"""`extract --limit` comes to the end of an export, whatever a model says of the first ones."""

from __future__ import annotations

import json

from tests.exchange.conftest import REPLY
from tests.exchange.test_chats import claude


def written(tmp_path, count):
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([claude(f"k-{n}", f"I live in town {n:03}") for n in range(count)]))
    return str(path)


def test_a_reply_that_cannot_be_read_does_not_count(run, model, tmp_path):
    """Those behind it are taken, and it is told and asked about again."""
    call = ("extract", written(tmp_path, 4), "--llm", model.command, "--limit", "1", "--json")
    model.says("what?", REPLY)
    done = run(*call)
    assert (done.code, done.json["failed"], done.json["more"]) == (6, 1, True)
    assert "1 conversation passed over" in done.err
    assert "town 001" in model.calls[1] and len(model.calls) == 2
    model.says("what?", REPLY)
    assert run(*call).json["failed"] == 1
    assert "town 000" in model.calls[0] and "town 002" in model.calls[1]
    model.says(REPLY)
    run(*call)
    assert "town 000" in model.calls[0] and len(model.calls) == 1
    assert run(*call).code == 0 and run(*call).json["unchanged"] == 4


def test_a_model_that_never_says_it_right_is_not_asked_for_ever(run, model, tmp_path):
    """With --limit the failures of one call are bounded too."""
    call = ("extract", written(tmp_path, 40), "--llm", model.command, "--limit", "2", "--json")
    model.says("what?")
    done = run(*call)
    assert (done.code, done.json["failed"], len(model.calls)) == (6, 22, 22)
    assert done.json["more"] and "22 conversations passed over" in done.err
