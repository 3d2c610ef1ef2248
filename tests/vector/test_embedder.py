"""Names of embedders, plug-ins, and the cosine."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.errors import UnavailableError
from tideline_cli.vector.embedder import Embedder, HashingEmbedder, cosine, resolve
from tideline_cli.vector.features import HRR

GOLDEN = Path(__file__).parents[1] / "golden"


class Plugin(HashingEmbedder):
    name = "mine-256"


def lacking() -> None:
    raise ModuleNotFoundError("No module named 'torchx'")


def install(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    entry = metadata.EntryPoint("mine-256", f"{__name__}:{target}", "tideline.embedders")

    def entry_points(*, group: str, name: str) -> list[metadata.EntryPoint]:
        return [entry] if (group, name) == (entry.group, entry.name) else []

    monkeypatch.setattr(metadata, "entry_points", entry_points)


@pytest.mark.parametrize(
    ("asked", "name"), [("hrr", "hrr-256"), ("hrr-256", "hrr-256"), ("hash-256", "hash-256")]
)
def test_built_in(asked: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A built-in embedder is found by its name or alias, without a look at entry points."""
    monkeypatch.delattr(metadata, "entry_points")
    embedder = resolve(asked)
    assert isinstance(embedder, Embedder)
    assert (embedder.name, embedder.dims, embedder.floor, embedder.exact) == (name, 256, 0.3, True)
    assert embedder.embed_packed(["a text"]).shape == (1, embedder.code_size)


def test_unknown_name() -> None:
    """A name that nobody provides is an error of exit code 6 whose hint lists the built-ins."""
    with pytest.raises(UnavailableError) as caught:
        resolve("no-such-embedder")
    assert caught.value.exit_code == 6
    assert "hrr-256, hrr, hash-256" in caught.value.hint


def test_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point of the group is loaded by its exact name only."""
    install(monkeypatch, "Plugin")
    assert resolve("mine-256").name == "mine-256"
    with pytest.raises(UnavailableError):
        resolve("mine")


@pytest.mark.parametrize("target", ["Missing", "dict", "lacking"])
def test_broken_plugin(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point that cannot be loaded, fails, or makes something else is unavailable."""
    install(monkeypatch, target)
    monkeypatch.setitem(globals(), "dict", dict)
    with pytest.raises(UnavailableError, match="mine-256"):
        resolve("mine-256")


@pytest.mark.parametrize(("name", "key"), [("hrr-256", "hrr"), ("hash-256", "hashing")])
def test_cosines_equal_the_reference(name: str, key: str) -> None:
    """The cosine of every pair of the reference is met to 1e-9."""
    embedder = resolve(name)
    pairs = json.loads((GOLDEN / "cosine_pairs.json").read_text("utf-8"))["items"]
    for pair in pairs:
        left, right = embedder.embed([pair["a"], pair["b"]])
        assert cosine(left, right) == pytest.approx(pair[key], abs=1e-9), pair


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ([], [], 0),
        ([1], [1, 2], 0),
        ([0, 0], [1, 2], 0),
        ([3, 4], [6, 8], 1),
        ([1, 0], [0, 2], 0),
        ([1, 0], [-2, 0], -1),
    ],
)
def test_cosine(left: list[float], right: list[float], expected: float) -> None:
    """The cosine is 0 for vectors of unequal length, without values or without a direction."""
    assert cosine(left, right) == expected
    assert cosine(np.array(left), np.array(right)) == expected


def test_the_default_embedder_is_built_in() -> None:
    """The embedder of a memory file that names none is the one that plain Python has too."""
    assert resolve(DEFAULT_EMBEDDER).name == HRR == DEFAULT_EMBEDDER
