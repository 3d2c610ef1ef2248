"""Laws of the values: strength, origins, records, times."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.strategies import anything, facts, json_values, shares
from tideline_cli.errors import UsageError
from tideline_cli.model import codec, instant
from tideline_cli.model.origin import (
    OWNER,
    UNKNOWN,
    as_spelled,
    channel,
    is_in_form,
    parse_origin,
    spelled_out,
)
from tideline_cli.model.record import as_dict, replace
from tideline_cli.model.text import ANALYZERS, terms
from tideline_cli.ranking import decay

ages = st.floats(-10, 5000)


@given(
    importance=shares, rate=st.floats(0, 100), count=st.integers(0, 10**6), young=ages, old=ages
)
def test_strength_never_rises_with_age(importance, rate, count, young, old):
    """An older memory is never stronger, and strength stays within 0..1."""
    young, old = sorted((young, old))
    before = decay.strength(importance, rate, count, young, immune=False)
    after = decay.strength(importance, rate, count, old, immune=False)
    assert 0.0 <= after <= before <= 1.0
    assert 0.5 <= decay.modulator(after) <= 1.0


@given(importance=shares, rate=st.floats(0, 100), count=st.integers(0, 10**6), days=ages)
def test_use_never_weakens(importance, rate, count, days):
    """One more use never makes a memory weaker; what is immune stays at 1."""
    one_less = decay.strength(importance, rate, count, days, immune=False)
    assert decay.strength(importance, rate, count + 1, days, immune=False) >= one_less
    assert decay.strength(importance, rate, count, days, immune=True) == 1.0


parts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


@given(name=parts.filter(bool), conversation=parts, session=parts.filter(bool), account=parts)
def test_origins_read_back(name, conversation, session, account):
    """The key of any channel reads back as the same origin, and differs where a part differs."""
    origin = channel(name, conversation, session, account)
    assert as_spelled(origin.key) == as_spelled(spelled_out(origin.key)) == origin
    assert spelled_out(origin.key).isascii() and " " not in spelled_out(origin.key)
    if is_in_form(origin.key):
        assert parse_origin(origin.key) == parse_origin(spelled_out(origin.key)) == origin
    assert channel(name, conversation, session + "x", account) != origin
    assert channel(name, conversation + "x", session, account) != origin
    assert channel(name + "x", conversation, session, account) != origin
    assert channel(name, conversation, session, account + "x") != origin


@given(text=anything)
def test_any_text_is_an_origin_or_a_usage_error(text):
    """What can be parsed as an origin is in canonical form after one reading."""
    for candidate in (text, "channel:" + text, f"channel:a/{text}/c"):
        try:
            origin = parse_origin(candidate)
        except UsageError:
            continue
        assert origin in (OWNER, UNKNOWN) or origin.key.startswith("channel:")
        assert parse_origin(origin.key) == origin


@given(facts("SOME"), facts("SOME"))
def test_records_are_values(one, other):
    """Facts are equal exactly when all fields are, and cannot change."""
    assert replace(one) == one
    assert (one == other) == (as_dict(one) == as_dict(other))
    for name in ("content", "anything_else"):
        with pytest.raises(AttributeError):
            setattr(one, name, "changed")
        with pytest.raises(AttributeError):
            delattr(one, name)
    assert replace(one, pinned=not one.pinned) != one
    assert one != as_dict(one)


@given(st.integers(instant.EARLIEST_MS, instant.LATEST_MS))
def test_times_read_back(ms):
    """ISO 8601 and epoch milliseconds give the same instant back."""
    assert instant.parse(instant.iso(ms)) == ms
    if len(str(abs(ms))) != 8:  # 20260201 is a date
        assert instant.parse(str(ms)) == ms


@given(text=anything)
def test_any_text_is_a_time_or_a_usage_error(text):
    """Nothing that is no time raises anything but a usage error."""
    try:
        assert instant.EARLIEST_MS <= instant.parse(text) <= instant.LATEST_MS
    except UsageError:
        return


@pytest.mark.parametrize("text", ["9" * 5000, "-" + "9" * 5000, "٣", "²"])
def test_long_and_odd_digits_are_no_times(text):
    """More digits than a time has, or digits of other scripts, are a usage error."""
    with pytest.raises(UsageError):
        instant.parse(text)


@given(json_values)
def test_json_reads_back(value):
    """What the encoder writes, the decoder reads as the same value, on one line."""
    text = codec.dumps(value)
    assert codec.loads(text) == value
    assert "\n" not in text
    assert not any(char in text for char in "\x7f\x85\u2028\u2029")


# Pieces that JSON is made of, and that break it.
_PIECES = ("[", "]", "{", "}", ",", ":", '"', "\\", "\\u00e4", "\\ud83d", "NaN", "-Infinity",
           "1e400", "-0", "01", "true", "null", " ", "\n", "\x00", "\ufeff", '"a"', '"é\x07"',
           "9" * 30)  # fmt: skip
almost_json = st.one_of(
    anything,
    st.lists(st.sampled_from(_PIECES), max_size=12).map("".join),
    json_values.map(lambda value: json.dumps(value, ensure_ascii=False, indent=1)),
    json_values.map(lambda value: json.dumps(value, separators=(",", ":"))),
)


@given(almost_json)
def test_json_is_read_as_the_library_reads_it(text):
    """Any text gives the value that the standard library gives, or the same error."""

    def outcome(read):
        try:
            return repr(read(text))
        except ValueError as error:
            return type(error), str(error)

    assert outcome(codec.loads) == outcome(json.loads)


@given(st.text(), st.sampled_from(ANALYZERS))
def test_terms_are_plain(text, analyzer):
    """Index terms hold neither spaces nor quotes nor anything the index would parse."""
    for term in terms(text, analyzer=analyzer):
        assert term
        assert not set(term) & set(" \t\n\"'()*^-+:{}_")


@given(st.text(), st.text())
def test_terms_of_joined_texts(a, b):
    """Two texts apart have the terms of both."""
    joined = terms(f"{a}\n\n{b}", analyzer="standard")
    assert joined == terms(a, analyzer="standard") + terms(b, analyzer="standard")
