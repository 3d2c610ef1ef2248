"""Numbers of any size that a Python program gives: each is taken, or is a UsageError."""

from __future__ import annotations

import pytest

from tideline_cli import Memory
from tideline_cli.errors import UsageError

CALLS = {
    "recall": lambda memory, n: memory.recall("tea", limit=n),
    "since": lambda memory, n: memory.recall("tea", since=n),
    "until": lambda memory, n: memory.recall("tea", until=n),
    "as_of": lambda memory, n: memory.recall("tea", as_of=n),
    "undo": lambda memory, n: memory.undo(n),
    "history": lambda memory, n: memory.history(limit=n),
    "max_chars": lambda memory, n: memory.context("tea", max_chars=n),
    "max_tokens": lambda memory, n: memory.context("tea", max_tokens=n),
    "valid_from": lambda memory, n: memory.remember("tea is hot", valid_from=n),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("number", [2**70, -(2**70), 10**5000], ids=["large", "small", "long"])
def test_a_number_that_no_file_can_hold(tmp_path, call, number):
    """It is a UsageError, and the memory is used as before."""
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.remember("tea is green")
        with pytest.raises(UsageError):
            CALLS[call](memory, number)
        assert len(memory.recall("tea")) == 1


@pytest.mark.parametrize("number", [10**400, -(10**5000)], ids=["large", "small"])
def test_an_importance_that_is_no_weight(tmp_path, number):
    """A number that no weight can be is refused, of however many digits it is."""
    with Memory.open(tmp_path / "memory.db") as memory, pytest.raises(UsageError):
        memory.remember("tea is green", importance=number)
