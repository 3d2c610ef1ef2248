"""Attacks on `tideline mcp`: behind each hostile line goes an honest one, which is answered."""

from __future__ import annotations

import json
import queue
import random
import threading
import time
from typing import TYPE_CHECKING, Any

from tests.attack import mcp_lines
from tests.attack.on_http import Figures
from tests.attack.target import FOREIGN, Memory, Process, talking

if TYPE_CHECKING:
    from typing import BinaryIO

PATIENCE = 30
_MOST_MB = 80  # more than the server had before
_MOST_ANSWER = 1 << 20  # bytes of the answer to a line
_RARE = 200
_USE = ("access_count", "last_accessed_at", "heat", "tier", "confidence")


class Talk:
    """Lines to a server and from it. What it says is read beside, so that neither waits for the
    other's pipe."""

    def __init__(self, process: Process) -> None:
        self._in: Any = process.process.stdin
        self._answers: queue.Queue[bytes] = queue.Queue()
        self._number = 0
        reader = threading.Thread(target=self._read, args=(process.process.stdout,), daemon=True)
        reader.start()

    def _read(self, told: BinaryIO) -> None:
        for line in told:
            self._answers.put(line)

    def said_to(self, line: bytes) -> list[bytes]:
        """Return the answers to a line: what comes before the answer to a ping behind it."""
        self._number += 1
        mark = f"ping-{self._number}"
        ping = {"jsonrpc": "2.0", "id": mark, "method": "ping"}
        self._in.write(line + b"\n" + json.dumps(ping).encode() + b"\n")
        self._in.flush()
        found: list[bytes] = []
        while True:
            answer = self._answers.get(timeout=PATIENCE)
            if answer == json.dumps({"jsonrpc": "2.0", "id": mark, "result": {}}).encode() + b"\n":
                return found
            found.append(answer)


def attacked(memory: Memory, count: int, *, seed: int = 1) -> Figures:
    """Send `count` lines to a server that reads, and as many to one that writes."""
    figures = Figures()
    owner, other = _lasting(memory), _lasting(memory, "--origin", "channel:wa/nest/1")
    _send(memory, count, figures, random.Random(seed))
    if _lasting(memory) != owner:
        figures.fault("a server that only reads has changed facts")
    _send(memory, count, figures, random.Random(seed + 1), "--write")
    if _lasting(memory, "--origin", "channel:wa/nest/1") != other:
        figures.fault("the facts of another origin have changed")
    _written(memory, owner, figures)
    return figures


def _send(
    memory: Memory, count: int, figures: Figures, rng: random.Random, *argv: str
) -> None:  # fmt: skip
    name = " ".join(("mcp", *argv))
    with talking(memory, *argv) as process:
        talk = Talk(process)
        for number in range(30):  # what is loaded at the first calls
            if not _answered(talk, mcp_lines.claims(random.Random(number)), figures):
                return
        resident = process.resident()
        for number in range(count):
            line = mcp_lines.drawn(rng) if number % _RARE else mcp_lines.RARE(rng)
            if not _answered(talk, line, figures):
                break
            figures.sent[name] += 1
        grown = process.resident() - resident if process.process.poll() is None else 0
        figures.grown_mb = max(figures.grown_mb, grown)
        if grown > _MOST_MB:
            figures.fault(f"{name}: {grown} MB more than before")
        if process.said():
            figures.fault(f"{name}: stderr: {process.said()}")
    if process.process.returncode:
        figures.fault(f"{name}: it ended with {process.process.returncode}")


def _answered(talk: Talk, line: bytes, figures: Figures) -> bool:
    began = time.monotonic()
    try:
        answers = talk.said_to(line)
    except (queue.Empty, OSError) as error:
        figures.fault(f"no answer to a ping behind {line[:300]!r}: {type(error).__name__}")
        return False
    figures.slowest_ms = max(figures.slowest_ms, (time.monotonic() - began) * 1000)
    wrong = judged(line, answers)
    if wrong:
        figures.fault(f"{wrong}: {line[:300]!r} → {answers!r:.200}")
    return True


def judged(line: bytes, answers: list[bytes]) -> str:
    """Return what is wrong with the answers to a line, empty for nothing."""
    if len(answers) > 1:
        return f"{len(answers)} answers to one line"
    for answer in answers:
        if len(answer) > _MOST_ANSWER + 2 * len(line):
            return f"an answer of {len(answer):,} bytes"
        try:
            form = json.loads(answer)
        except ValueError:
            return "an answer that is no JSON"
        for one in form if isinstance(form, list) else [form]:
            wrong = _judged(one)
            if wrong:
                return wrong
    return ""


def _judged(form: Any) -> str:
    if not isinstance(form, dict) or ("result" in form) == ("error" in form) or "id" not in form:
        return "an answer of no form"
    said = json.dumps(form)
    words = {
        f"The {FOREIGN}": "another origin's fact", f"A {FOREIGN}": "another origin's fact",
        "Traceback": "a traceback", "internal error": "an internal error",
        "previous instructions": "an attack", mcp_lines.SECRET: "a secret",
    }  # fmt: skip
    return next((f"{what} was told" for word, what in words.items() if word in said), "")


def _lasting(memory: Memory, *more: str) -> list[dict[str, object]]:
    """Return the facts without what a use changes."""
    return [
        {name: value for name, value in fact.items() if name not in _USE}
        for fact in memory.facts(*more)
    ]


def _written(memory: Memory, before: list[dict[str, object]], figures: Figures) -> None:
    """What a server with --write has stored is extraction, confined, and ends nothing of the
    owner's."""
    now = {str(fact["id"]): fact for fact in _lasting(memory)}
    for fact in before:
        if now.pop(str(fact["id"]), None) != fact:
            figures.fault(f"a fact of the owner's has changed: {fact['content']!r}")
    for fact in now.values():
        if fact["source"] != "extraction" or fact["pinned"] or fact["origin"] != "owner":
            figures.fault(f"a fact of a model says more than it may: {fact}")
        if fact["segment"] in ("identity", "preference", "constraint", "correction"):
            figures.fault(f"a model has authored a protected segment: {fact}")
        if mcp_lines.ATTACK in str(fact["content"]):
            figures.fault(f"an attack was stored: {fact}")
    figures.lines.append(f"stored by a model, all of them as extraction: {len(now):,} facts")
    if mcp_lines.SECRET.encode() in memory.bytes():
        figures.fault("a secret stands in the file")
