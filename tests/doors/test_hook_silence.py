"""A hook is silent where a prompt has nothing to do with the memory, and answers where it has."""

from __future__ import annotations

import pytest

from tests.doors import payloads
from tests.silence.prompts import ANSWERED, FACTS, UNRELATED
from tests.support import NOW, fact, put
from tideline_cli.store.opening import open_for_writing


@pytest.fixture
def store(home):
    db = open_for_writing(str(home / "tideline.db"))
    put(db, [fact(text, f"FACT{n:022d}", now=NOW - n * 1000) for n, text in enumerate(FACTS)])
    db.close()


def told(run, text, session):
    return run("hook", "codex", stdin=payloads.prompt("codex", text, session=session)).out


def test_unrelated_prompts(run, store):
    """Nine of ten prompts that have nothing to do with the memory get nothing."""
    loud = [text for n, text in enumerate(UNRELATED) if told(run, text, f"u{n}")]
    assert len(UNRELATED) == 50 and len(loud) <= 5, loud


def test_answerable_prompts(run, store):
    """Nineteen of twenty prompts that `context` answers are answered here."""
    pairs = [line.split("|") for line in ANSWERED]
    known = [(text, answer) for text, answer in pairs if answer in run("context", text).out]
    lost = [text for n, (text, answer) in enumerate(known)
            if answer not in told(run, text, f"a{n}")]  # fmt: skip
    assert len(known) >= 45 and len(lost) <= len(known) // 20, lost
