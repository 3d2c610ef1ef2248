"""How the tests talk with `tideline mcp`: messages in, answers out."""

from __future__ import annotations

import json

from tests.conftest import run_main


def request(number, method, **params):
    """Return a request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(name, **arguments):
    """Return a call of a tool."""
    return request(1, "tools/call", name=name, arguments=arguments)


def talk(*messages, argv=()):
    """Return the answers of a server to messages, in this process."""
    lines = b"".join(
        (one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in messages
    )
    done = run_main("mcp", *argv, stdin=lines)
    assert (done.code, done.err) == (0, "")
    return [json.loads(line) for line in done.out.splitlines()]


def result(name, *, argv=(), **arguments):
    """Return the result of one call."""
    (answer,) = talk(call(name, **arguments), argv=argv)
    return answer["result"]


def told(name, *, argv=(), **arguments):
    """Return the structured half of the result of a call that went well; the text is the same."""
    found = result(name, argv=argv, **arguments)
    assert found["isError"] is False, found
    assert json.loads(found["content"][0]["text"]) == found["structuredContent"]
    return found["structuredContent"]


def refusal(name, *, argv=(), **arguments):
    """Return what the server says of a call that failed."""
    found = result(name, argv=argv, **arguments)
    assert found["isError"] is True
    assert "structuredContent" not in found
    return found["content"][0]["text"]
