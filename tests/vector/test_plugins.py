"""Embedders of other packages: what goes wrong in one is told as its own fault."""

from __future__ import annotations

import importlib.metadata
import os

import numpy as np
import pytest

from tideline_cli.memory import lanes
from tideline_cli.store.connection import put_setting, writing
from tideline_cli.store.opening import open_for_writing
from tideline_cli.vector.embedder import HashingEmbedder, resolve


class Odd(HashingEmbedder):
    """A working embedder, but for what one of its methods returns or does."""

    def __init__(self, name, answer):
        super().__init__()
        self.name, self.learned = "odd", "no"

        def given(texts):
            return answer(super(Odd, self), texts)

        setattr(self, name, given)


def raising(error):
    def answer(*_):
        raise error

    return answer


ODD = {
    "raises": ("embed", raising(RuntimeError("boom\x1b[31m"))),
    "exits": ("embed", raising(SystemExit(0))),
    "nan": ("embed", lambda inner, texts: np.full((len(texts), inner.dims), np.nan)),
    "shape": ("embed", lambda inner, texts: np.zeros((len(texts) + 1, 3))),
    "objects": ("embed", lambda inner, texts: [["a"] for _ in texts]),
    "codes": ("embed_packed", lambda inner, texts: np.zeros((len(texts), 3), np.uint8)),
}


@pytest.fixture
def plugin(monkeypatch):
    """Install an entry point that makes what a function makes."""

    def install(make):
        class Entry:
            def load(self):
                return make

        monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: [Entry()])
        monkeypatch.setattr(lanes, "_resolved", {})
        monkeypatch.setattr(lanes, "_missing", {})

    return install


def chosen(name):
    db = open_for_writing(os.environ["TIDELINE_HOME"] + "/tideline.db")
    with writing(db):
        put_setting(db, "embedder", name)
    db.close()


@pytest.mark.parametrize("fault", ODD)
def test_a_faulty_plugin_is_unavailable(run, plugin, fault):
    """An error, an exit or numbers that are none are named with the plug-in, and nothing passes for
    an answer: a command that needs it ends with 6, and recall answers by words."""
    plugin(lambda: Odd(*ODD[fault]))
    run("remember", "the cat sat on the mat")
    chosen("odd")
    run("remember", "a dog ran in the park")
    needing = [("dream",)] + [("forget", "--query", "dog", "--yes")] * (fault != "codes")
    for words in needing:
        done = run(*words)
        assert done.code == 6, (words, done.err)
        assert "embedder 'odd'" in done.err
    for word, code in (("feline", 1), ("dog", 0)):
        done = run("recall", word)
        assert (done.code, done.err.count("embedder 'odd'")) == (code, 1), done.err
        assert "answered by words alone" in done.err
    assert len(run("list", "--json").json["facts"]) == 2


def test_a_plugin_that_cannot_be_made(run, plugin):
    """One that exits when it is made is unavailable too."""
    plugin(raising(SystemExit(0)))
    assert run("embed", "--embedder", "odd", "x").code == 6


def test_a_talking_plugin(run, plugin):
    """What a plug-in prints is no result."""
    def answer(inner, texts):
        print("INJECTED")
        return inner.embed(texts)

    plugin(lambda: Odd("embed", answer))
    done = run("embed", "--embedder", "odd", "x")
    assert (done.code, "INJECTED" in done.out, "INJECTED" in done.err) == (0, False, True)


def test_learned_is_a_truth_value(plugin):
    """Only True lets common words of a pair differ."""
    plugin(lambda: Odd("nothing", None))
    assert resolve("odd").learned is False
