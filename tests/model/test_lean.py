"""What replaces modules of the standard library in a cold start."""

from __future__ import annotations

import datetime
import hashlib
import subprocess
import sys
from json import encoder

import pytest

from tideline_cli.model import codec, lean


def test_the_names_do_what_those_of_the_library_do():
    """A digest and an escaped text are those of the public modules."""
    assert lean.sha256(b"one").digest() == hashlib.sha256(b"one").digest()
    assert lean.blake2b(b"one", digest_size=8).digest() == (
        hashlib.blake2b(b"one", digest_size=8).digest()
    )
    assert lean.encode_basestring('a "b"\n\x00é') == encoder.encode_basestring('a "b"\n\x00é')


def test_dates_are_those_of_the_library():
    """The classes of dates are the public ones, however they are loaded."""
    assert lean.date is datetime.date
    assert lean.datetime is datetime.datetime
    assert lean.timedelta is datetime.timedelta


@pytest.mark.parametrize(
    "name", ["blake2b", "encode_basestring", "make_scanner", "sha256", "datetime", "timedelta"]
)
def test_a_name_loads_its_own_module_alone(name):
    """Importing a name loads neither the public modules nor those of the other names."""
    script = (
        "import sys; before = set(sys.modules)\n"
        f"from tideline_cli.model.lean import {name}\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    argv = [sys.executable, "-c", script]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    others = set(done.stdout.split()) - {"tideline_cli", "tideline_cli.model"}
    assert others - {"tideline_cli.model.lean"} <= {
        "_blake2", "_datetime", "_json", "_sha256", "_sha2",
    }  # fmt: skip
    assert len(others) <= 2


def test_the_public_module_stands_in(monkeypatch):
    """Where the interpreter has no such private modules, the public ones give the names."""
    for private in ("_blake2", "_datetime", "_json", "_sha256", "_sha2"):
        monkeypatch.setitem(sys.modules, private, None)
    assert lean.sha256 is hashlib.sha256
    assert lean.blake2b is hashlib.blake2b
    assert lean.timedelta is datetime.timedelta
    assert lean.encode_basestring is encoder.encode_basestring
    assert lean.make_scanner(codec._Standard)('["a"]', 0) == (["a"], 5)
    with pytest.raises(AttributeError, match="md5"):
        lean.md5  # noqa: B018


def test_once_makes_a_value_once():
    """The value is made at the first call, and is the same at each."""
    calls = []

    @lean.once
    def value():
        calls.append(1)
        return object()

    assert not calls
    assert value() is value()
    assert len(calls) == 1
