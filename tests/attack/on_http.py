"""Attacks on `tideline serve`: what is sent, what comes back, and how the server is afterwards."""

from __future__ import annotations

import random
import socket
import statistics
import struct
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.attack import http_requests
from tests.attack.http_requests import NOTHING, Attack, bearer, head
from tests.attack.target import FOREIGN, MARK, Memory, Served, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 30  # seconds for an answer to an honest request
_MOST_MB = 60  # more than the server had before
_EVERY = 50
_SETTLES = 30.0  # seconds until no connection is left


@dataclass
class Figures:
    """What was sent and found. `faults` is empty where every promise was kept."""

    sent: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest_ms: float = 0
    grown_mb: int = 0
    lines: list[str] = field(default_factory=list)

    def fault(self, text: str) -> None:
        """Note a promise that was broken."""
        self.faults.append(text[:600])


def attacked(memory: Memory, count: int, *, seed: int = 1, megabytes: int = 100) -> Figures:
    """Attack a server `count` times, then at length in the ways that take time."""
    rng, figures = random.Random(seed), Figures()
    with serving(memory) as served:
        answer(served, head(served, "/", bearer(served)))  # what is loaded with the first page
        _is_well(served, figures, "before")
        threads, files, resident = served.threads(), served.open_files(), served.resident()
        before = memory.digest()
        for number in range(count):
            _try(served, http_requests.drawn(rng, served), figures)
            if number % _EVERY == 0:
                _is_well(served, figures, f"after {number:,}")
        _crowd(served, figures, rng)
        _slow(served, figures)
        _huge(served, figures, megabytes)
        _timed(served, figures, rng)
        if not served.settled(threads=threads, files=files, patience=_SETTLES):
            figures.fault(f"left open: {served.threads()} threads, {served.open_files()} files")
        figures.grown_mb = served.resident() - resident
        if figures.grown_mb > _MOST_MB:
            figures.fault(f"{figures.grown_mb} MB more than before")
        _is_well(served, figures, "in the end")
        if "internal error" in served.said() or "Traceback" in served.said():
            figures.fault(f"stderr: {served.said()}")
    if memory.digest() != before:
        figures.fault("the file has changed")
    return figures


def judged(attack: Attack, raw: bytes) -> str:
    """Return what is wrong with an answer, empty for nothing."""
    status = status_of(raw)
    if attack.ends == "half" and status not in attack.statuses:
        return f"status {status}"
    if not attack.may_read and MARK.encode() in raw:
        return "a stranger was told what is remembered"
    if FOREIGN.encode() in raw:
        return "another origin's fact was told"
    if raw.count(b"HTTP/1.1 ") - raw.count(b"HTTP/1.1 100 ") > 1:
        return "two answers"
    for word in (b"Traceback", b"root:x:", b"X-Evil", b"Access-Control"):
        if word in raw:
            return f"{word!r} in the answer"
    if b"Set-Cookie" in raw and not attack.may_read:
        return "a stranger got a cookie"
    return ""


def status_of(raw: bytes) -> int:
    """Return the status of an answer; what has no version is refused with a body alone."""
    if not raw:
        return NOTHING
    parts = raw.split(b" ", 2)
    if raw.startswith(b"HTTP/1.1 100 "):
        return status_of(raw.partition(b"\r\n\r\n")[2]) or 100
    if raw.startswith(b"HTTP/") and len(parts) > 1 and parts[1].isdigit():
        return int(parts[1])
    return 400 if raw.startswith(b'{"error"') else -1


def answer(served: Served, sent: bytes, ends: str = "half", *, wait: float = PATIENCE) -> bytes:
    """Send bytes, end the connection in a way, and return what comes back."""
    parts: list[bytes] = []
    with socket.create_connection(("127.0.0.1", served.port), timeout=wait) as link:
        with _unless_ended():
            link.sendall(sent)
            if ends == "reset":
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            if ends != "half":
                return b""
            link.shutdown(socket.SHUT_WR)
        with _unless_ended():
            while part := link.recv(65_536):
                parts.append(part)
    return b"".join(parts)


@contextmanager
def _unless_ended() -> Iterator[None]:
    """Take it that the server has ended the connection; it may not let us wait."""
    try:
        yield
    except TimeoutError:
        raise
    except OSError:
        return


def _try(served: Served, attack: Attack, figures: Figures) -> None:
    began = time.monotonic()
    try:
        raw = answer(served, attack.sent, attack.ends)
    except OSError as error:
        figures.fault(f"{attack.kind}: {type(error).__name__} for {attack.sent[:200]!r}")
        return
    figures.slowest_ms = max(figures.slowest_ms, (time.monotonic() - began) * 1000)
    figures.sent[attack.kind] += 1
    figures.statuses[status_of(raw)] += 1
    wrong = judged(attack, raw)
    if wrong:
        figures.fault(f"{attack.kind}: {wrong}: {attack.sent[:200]!r} → {raw[:200]!r}")


def _is_well(served: Served, figures: Figures, when: str) -> None:
    """An honest request is answered, and with what is remembered."""
    began = time.monotonic()
    try:
        raw = answer(served, head(served, "/api/v1/recall?q=fed+on", bearer(served)))
    except OSError as error:
        figures.fault(f"no answer {when}: {error}")
        return
    if status_of(raw) != 200 or MARK.encode() not in raw:
        figures.fault(f"a bad answer {when}: {raw[:200]!r}")
    figures.slowest_ms = max(figures.slowest_ms, (time.monotonic() - began) * 1000)


def _crowd(served: Served, figures: Figures, rng: random.Random) -> None:
    """Many at a time."""
    drawn = [http_requests.drawn(rng, served) for _ in range(120)]
    with ThreadPoolExecutor(24) as pool:
        list(pool.map(lambda one: _try(served, one, figures), drawn))
    _is_well(served, figures, "after a crowd")


def _slow(served: Served, figures: Figures, *, links: int = 80) -> None:
    """Connections that are open and say little: others are answered beside them."""
    opened = []
    began = time.monotonic()
    for number in range(links):
        link = socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE)
        with suppress(OSError):
            link.sendall(b"GET /facts HTTP/1.1\r\nHost: "[: 1 + number])
        opened.append(link)
    for number in range(10):
        _is_well(served, figures, f"beside {links} slow ones, {number}")
        for link in opened:
            with suppress(OSError):
                link.send(b"X")
    for link in opened:
        link.close()
    took = (time.monotonic() - began) / 10
    figures.sent["slow"] += links
    figures.lines.append(f"beside {links} connections that say little: {took * 1000:.0f} ms a read")
    if took > 3:
        figures.fault(f"slow connections held others up: {took:.1f} s a read")


def _huge(served: Served, figures: Figures, megabytes: int) -> None:
    """A body of many megabytes is neither read nor kept, by whoever it comes."""
    for more in ((), (bearer(served),)):
        sent = 0
        lines = (f"Content-Length: {megabytes << 20}", *more)
        link = socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE)
        with link, _unless_ended():
            link.sendall(head(served, "/api/v1/facts", *lines, method="POST"))
            for _ in range(megabytes):
                link.sendall(b"x" * (1 << 20))
                sent += 1
        figures.sent["huge"] += 1
        figures.lines.append(f"a body of {megabytes} MB: {sent} MB were taken")
    _is_well(served, figures, "after huge bodies")


def _timed(served: Served, figures: Figures, rng: random.Random, *, rounds: int = 150) -> None:
    """How long a refusal takes for a token that is wrong at its beginning, and at its end."""
    token = served.token
    tries = {"first": "g" + token[1:], "last": token[:-1] + "g"}
    times: dict[str, list[float]] = {name: [] for name in tries}
    for _ in range(rounds):
        for name in rng.sample(tuple(tries), 2):
            sent = head(served, "/api/v1/facts", f"Authorization: Bearer {tries[name]}")
            began = time.perf_counter()
            raw = answer(served, sent)
            times[name].append((time.perf_counter() - began) * 1000)
            if status_of(raw) != 401:
                figures.fault(f"a token that is wrong at its {name} letter: {raw[:80]!r}")
    figures.sent["timed"] += 2 * rounds
    told = ", ".join(f"{name} {statistics.median(all_ms):.2f} ms" for name, all_ms in times.items())
    figures.lines.append(f"a refusal of a token whose letter is wrong, median: {told}")
