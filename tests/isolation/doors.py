"""The doors of agents and programs, asked in the programs of `programs`: MCP and hooks by their
command lines, HTTP and Python inside the process."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

from tests import backends
from tests.doors import payloads
from tests.doors.mcp_talk import call
from tideline_cli import Memory
from tideline_cli.cli.commands.serve import InProcess
from tideline_cli.errors import TidelineError
from tideline_cli.serve.http import api

_FENCE = re.compile(r'untrusted-memory id=\\*"[0-9a-f]{16}')
PSEUDO = ("http", "python")
_PATHS = ("recall", "context", "facts", "changes", "batches", "timeline", "contradictions",
          "fading", "slots", "tags", "documents", "status", "memory/stats",
          "memory/docs")  # fmt: skip


def mcp(rng, *, text, ids, slots):
    """Return a call of the server with a few tools, foreign ids among what they name."""
    calls = [
        rng.choice((
            call("recall", query=text), call("recall", query=text, as_of="2025-10-10"),
            call("show", ids=ids), call("timeline", limit=20), call("timeline", id=ids[0]),
            call("remember", text=text), call("remember", text=text, slot=rng.choice(slots)),
            call("forget", ids=ids, reason="old"),
        ))
        for _ in range(3)
    ]  # fmt: skip
    more = rng.choice(((), ("--forget-any",), ("--format", "text")))
    return ["mcp", "--write", *more], "".join(json.dumps(one) + "\n" for one in calls), ()


def hook(rng, *, who, text):
    """Return a call of a hook: a start, a resume or a prompt in one of two conversations."""
    client, name = rng.choice(payloads.CLIENTS), f"{who}-{rng.randrange(2)}"
    said = rng.choice((
        payloads.start(client, session=name), payloads.start(client, "compact", session=name),
        payloads.prompt(client, f"what about {text}?", session=name),
        payloads.prompt(client, f"what about {text}?", session=name),
    ))  # fmt: skip
    return ["hook", client, "--all-scopes"], said.decode(), ()


def http(rng, *, text, ids):
    """Return a request for a path of the API."""
    path = rng.choice((*_PATHS, *(f"facts/{ids[0]}{part}" for part in
                                  ("", "/history", "/timeline", "/graph"))))  # fmt: skip
    return ["http", path, text], "", ()


def python(rng, *, text, ids):
    """Return a call of the class Memory."""
    verb = rng.choice(("recall", "context", "show", "history", "status", "forget", "restore"))
    return ["python", verb, text if verb in ("recall", "context") else ids[0]], "", ()


def looks(ids):
    """Return what is asked through the doors at the end, by who may see what is there."""
    calls = [call("recall", query="deploy friday"), call("timeline", limit=50),
             *(call("show", ids=ids[at : at + 10]) for at in range(0, len(ids), 10))]  # fmt: skip
    told = [(("mcp", "--write"), "".join(json.dumps(one) + "\n" for one in calls))]
    told += [(("http", path, "deploy"), "") for path in _PATHS]
    told += [(("http", f"facts/{one}", ""), "") for one in ids]
    told += [(("python", verb, "deploy"), "") for verb in ("recall", "context", "status")]
    told += [(("python", "show", one), "") for one in ids]
    return told


def answered(command, path):
    """Return what HTTP or Python answers to a command, in the form of a command's result."""
    kind, name, text = command.words[:3]
    if kind == "http":
        ask = InProcess(db=backends.place(path), origin=command.who)
        given = {"q": [text]} if name in ("recall", "context", "memory/docs") else {}
        reply = api.answer(ask, name, given)
        return SimpleNamespace(code=0, out=(reply.status, reply.body, reply.headers), err="")
    try:
        at = int(command.words[-1])
        with Memory.open(backends.place(path), origin=command.who, clock=lambda: at) as memory:
            verb = getattr(memory, name)
            told = repr(verb() if name == "status" else verb(text))
    except TidelineError as error:
        told = f"{type(error).__name__}: {error.message} {error.hint}"
    return SimpleNamespace(code=0, out=without_fence(told), err="")


def without_fence(text):
    """Return a text with one fence for all: it is of chance, or of the file."""
    return _FENCE.sub("FENCE", text)
