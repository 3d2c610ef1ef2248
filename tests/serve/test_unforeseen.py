"""Errors that nobody foresaw: the client gets an answer, the terminal of the server one line."""

from __future__ import annotations

import io
import json
from contextlib import suppress

from tests.conftest import run_main
from tests.doors.mcp_talk import call
from tests.serve.conftest import Client
from tideline_cli.serve.mcp import verbs
from tideline_cli.serve.unforeseen import ErrorTeller


class PlantedError(Exception):
    """A fault that a test has planted; its words quote a request."""


def _fail(*_: object, **__: object) -> None:
    raise PlantedError("the question was: where is my safe")


def _forget(told: io.StringIO) -> None:
    told.seek(0)
    told.truncate()


def test_a_page_that_fails_is_told_once(client: Client, filled, monkeypatch) -> None:
    """The browser gets a 500, the terminal kind and place; no word of the request is in either."""
    monkeypatch.setattr(client.server, "site", _fail)
    for _ in range(3):
        said = client("/?q=where+is+my+safe")
        assert (said.status, "safe" in said.body) == (500, False)
        assert "tideline serve" in json.loads(said.body)["error"]["hint"]
    (line,) = client.told.getvalue().splitlines()
    assert line.startswith("tideline: internal error: PlantedError in test_unforeseen.py:")
    assert "safe" not in line
    _forget(client.told)


def test_an_answer_that_cannot_be_sent_is_told(client: Client, filled, monkeypatch) -> None:
    """What fails after the answer was made is no silence either."""
    monkeypatch.setattr("tideline_cli.serve.http.server._Handler._send", _fail)
    with suppress(OSError):
        client("/")
    assert "PlantedError" in client.told.getvalue()
    _forget(client.told)


def test_a_tool_that_fails_is_told_once(run, monkeypatch) -> None:
    """The model reads that it failed, stderr has kind and place; the server goes on."""
    run("remember", "I deploy on Fridays")
    monkeypatch.setitem(verbs.VERBS, "recall", _fail)
    lines = [call("recall", query="where is my safe")] * 2 + [call("timeline")]
    done = run_main("mcp", stdin="".join(json.dumps(one) + "\n" for one in lines).encode())
    first, again, last = (json.loads(line)["result"] for line in done.out.splitlines())
    assert (first["isError"], again["isError"], last["isError"]) == (True, True, False)
    assert done.err.count("\n") == 1 and "PlantedError in test_unforeseen.py:" in done.err
    assert "safe" not in done.err


def test_what_is_told_is_bounded_and_breaks_nothing() -> None:
    """A hundred places at most, and a terminal that is gone is no error."""
    told = io.StringIO()
    tell = ErrorTeller(told)
    for number in range(300):
        tell(type(f"E{number}", (Exception,), {})("x"))
    assert told.getvalue().count("\n") == 100
    told.close()
    ErrorTeller(told)(ValueError("x"))
    ErrorTeller(None)(ValueError("x"))
