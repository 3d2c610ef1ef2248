"""ULIDs: 26 characters of Crockford base 32 that sort by time."""

from __future__ import annotations

import os
import time

from hypothesis import given
from hypothesis import strategies as st

from tideline_cli.model import ulid

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def number(text: str) -> int:
    value = 0
    for character in text:
        value = value * 32 + DIGITS.index(character)
    return value


@given(st.binary(min_size=16, max_size=16))
def test_text_reads_back_as_the_same_bytes(raw: bytes) -> None:
    """A ULID carries all its 16 bytes."""
    text = ulid.from_bytes(raw)
    assert len(text) == 26
    assert number(text).to_bytes(16, "big") == raw


def test_the_first_ten_characters_are_the_instant() -> None:
    """The instant leads, in the specification's own example as well."""
    assert ulid.at(1_469_918_176_385, bytes(10)) == "01ARYZ6S41" + "0" * 16
    assert ulid.at(0, b"\xff" * 10) == "0" * 10 + "Z" * 16


def test_they_sort_by_time_whatever_the_chance() -> None:
    """Ids of later milliseconds sort later."""
    now = int(time.time() * 1000)
    ids = [ulid.at(now + i, os.urandom(10)) for i in range(100)]
    assert ids == sorted(ids)


def test_an_instant_before_1970_counts_as_1970() -> None:
    """A clock before 1970 gives the earliest ids, not an error."""
    assert ulid.at(-1, bytes(10)) == "0" * 26
