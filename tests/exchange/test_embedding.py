"""Embedding beside an import: the same vectors, however little the system grants."""

from __future__ import annotations

import fcntl
import signal
import subprocess

import pytest

from tideline_cli.exchange.importer import workers
from tideline_cli.exchange.importer.workers import ChunkEmbedder
from tideline_cli.vector.embedder import resolve

CHUNKS = [[f"fact {n} of chunk {c} {'and more ' * 20}" for n in range(400)] for c in range(9)]


@pytest.fixture(autouse=True)
def in_time():
    """End a test whose processes wait for each other."""

    def late(*_):
        raise AssertionError("the processes wait for each other")  # no OSError, which is handled

    signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    yield
    signal.alarm(0)


def vectors_of(db):
    """Return the vectors of all chunks, asked for as an import does, and whether they were made
    beside."""
    embedder = ChunkEmbedder(db)
    made = []
    try:
        embedder.start(CHUNKS[0])
        for chunk in CHUNKS[1:]:
            embedder.start(chunk)
            made.append(embedder.finish())
        made.append(embedder.finish())
        return made, embedder._worker is not None
    finally:
        embedder.close()


@pytest.fixture(scope="module")
def expected():
    embedder = resolve("hrr-256")
    return [embedder.embed_packed(chunk).tobytes() for chunk in CHUNKS]


def test_a_process_beside_makes_the_same_vectors(db, expected):
    """The vectors of a process beside are those of this one."""
    assert vectors_of(db) == (expected, True)


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="pipes have one size here")
def test_narrow_pipes(db, expected, monkeypatch):
    """Pipes that hold one page, as the kernel gives to who has many, keep nobody waiting."""
    start = workers.Worker.__init__

    def narrow(self, *words):
        start(self, *words)
        for pipe in (self._requests, self._answers):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)

    monkeypatch.setattr(workers.Worker, "__init__", narrow)
    assert vectors_of(db) == (expected, True)


def test_no_process_to_be_had(db, expected, monkeypatch):
    """Where no process can be started, this one makes the vectors."""

    def refused(*_, **__):
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refused)
    assert vectors_of(db) == (expected, False)


def test_pipes_that_may_not_grow(db, expected, monkeypatch):
    """A pipe that keeps its size is used as it is."""

    def refused(*_):
        raise PermissionError("Operation not permitted")

    monkeypatch.setattr(fcntl, "fcntl", refused)
    assert vectors_of(db) == (expected, True)


def test_a_process_that_dies(db, expected, monkeypatch):
    """What a process beside no longer answers is made here."""
    answer = workers.Worker.answer

    def dying(self):
        self._process.kill()
        self._process.wait()
        return answer(self)

    monkeypatch.setattr(workers.Worker, "answer", dying)
    assert vectors_of(db) == (expected, False)
