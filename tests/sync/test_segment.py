"""A segment is what was written, or it is refused with a reason."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import ROOT, joined
from tests.sync.building import LAPTOP, PLACE, SERVER, header
from tideline_cli.errors import UsageError
from tideline_cli.model.record import replace
from tideline_cli.sync import segment
from tideline_cli.sync.keys import from_secret
from tideline_cli.sync.segment import SegmentError

KEY = from_secret(bytes(range(32)), 1)
OTHER = from_secret(bytes(range(1, 33)), 2)
RING = {KEY.id: KEY}
LINES = [b'{"op":"add","text":"I deploy on Fridays"}', b"", "\u00e4\u2028".encode()]
FORMS = {"plain": (None, None), "sealed": (KEY, RING)}


def reason(data, ring):
    """Return why a segment is refused."""
    with pytest.raises(SegmentError) as refused:
        segment.unpack(data, ring)
    return refused.value.reason


@given(lines=st.lists(st.binary().map(lambda raw: raw.replace(b"\n", b"")), max_size=5),
       form=st.sampled_from(list(FORMS)), clock=st.integers(0, 2**64 - 1),
       name=st.text(max_size=50).filter(str.isprintable))  # fmt: skip
def test_what_was_packed_comes_out(lines, form, clock, name):
    """Header and lines come out as they went in, whatever bytes they hold; twice the same bytes."""
    key, ring = FORMS[form]
    one = header(3, clock=clock, name=name, knows={SERVER: 12})
    data = segment.pack(one, lines, key)
    assert segment.unpack(data, ring) == (one, lines)
    assert segment.pack(one, lines, key) == data


@pytest.mark.parametrize("form", FORMS)
def test_a_segment_cut_at_any_byte_is_refused(form):
    """No beginning of a segment passes for one: each is called truncated."""
    key, ring = FORMS[form]
    data = segment.pack(header(), LINES, key)
    assert {reason(data[:end], ring) for end in range(len(data))} == {"truncated"}


@pytest.mark.parametrize("form", FORMS)
def test_a_segment_with_one_byte_changed_is_refused(form):
    """No byte of a segment can be another one, and none can follow."""
    key, ring = FORMS[form]
    data = segment.pack(header(), LINES, key)
    for at in range(len(data)):
        for flip in (1, 128, data[at] ^ ord("\n") or 2):
            changed = data[:at] + bytes((data[at] ^ flip,)) + data[at + 1 :]
            assert reason(changed, ring)
    assert reason(data + b"\n", ring)
    assert reason(data + data, ring)


def test_the_sealed_form_shows_nothing():
    """The text, the name and what the replica knows stand nowhere in the sealed form."""
    data = segment.pack(header(2, knows={SERVER: 3}), LINES, KEY)
    for secret in (b"Fridays", b"laptop", SERVER.encode(), KEY.secret):
        assert secret not in data
    assert PLACE.encode() in data and LAPTOP.encode() in data and KEY.id.encode() in data


def test_the_first_line_of_the_sealed_form_is_bound():
    """A sealed segment opens under no other number, replica or place."""
    data = segment.pack(header(5), LINES, KEY)
    line, _, rest = data.partition(b"\n")
    for old, new in ((b" 5 ", b" 6 "), (LAPTOP.encode(), SERVER.encode()), (b"log", b"snapshot"),
                     (PLACE.encode(), b"d" * 32)):  # fmt: skip
        assert old in line
        assert reason(line.replace(old, new) + b"\n" + rest, RING) == "damaged"


def test_a_key_that_is_missing_is_named():
    """Without its key a segment says which one it needs."""
    with pytest.raises(SegmentError, match=KEY.id) as refused:
        segment.unpack(segment.pack(header(), LINES, KEY), {OTHER.id: OTHER})
    assert refused.value.reason == "key"


def test_the_other_form_is_refused():
    """In a sealed place a plain segment counts for nothing, and the reverse."""
    assert reason(segment.pack(header(), LINES, None), RING) == "form"
    assert reason(segment.pack(header(), LINES, KEY), None) == "form"


@pytest.mark.parametrize("ring", [None, RING])
def test_a_newer_format_is_named(ring):
    """What a later version has written is said to be that, whatever stands behind it."""
    for data in (b"tideline-segment 2 what ever\n\x00\x01", b'{"format":2,"new":1}\nwhat ever'):
        with pytest.raises(SegmentError, match="newer version") as refused:
            segment.unpack(data, ring)
        assert refused.value.reason == "newer"


WRONG = {
    "number": 0, "clock": -1, "place": "../../etc", "replica": "short", "kind": "other", "part": 2,
    "previous": "xyz", "knows": {"../x": 1}, "format": 3, "name": "n" * 201, "parts": 2,
}  # fmt: skip


@joined("field", WRONG)
def test_a_header_that_cannot_be_is_refused(field):
    """Neither written nor read: the same rules hold at both ends."""
    wrong = replace(header(), **{field: WRONG[field]})
    with pytest.raises(UsageError):
        segment.pack(wrong, LINES, None)
    assert reason(segment._plain(wrong, LINES), None) in ("damaged", "newer")


@joined("value", [True, 1.0, {"1": "1"}, None, [1]])
@joined("field", ["number", "clock", "part", "knows", "name", "place", "previous"])
def test_a_header_of_other_types_is_refused(field, value):
    """A header of JSON values of other types is damage, not an exception."""
    data = segment._plain(header(), LINES)
    first, _, _ = data.partition(b"\n")
    form = json.loads(first) | {field: value}
    body = json.dumps(form).encode() + b"\n"
    last = json.dumps({"lines": 0, "sha256": segment.digest(body)}).encode() + b"\n"
    assert reason(body + last, None) == "damaged"


def test_a_line_break_in_a_line_is_refused():
    """A line of the log is one line."""
    with pytest.raises(UsageError, match="line break"):
        segment.pack(header(), [b"a\nb"], None)


def test_sizes_are_bounded(monkeypatch):
    """Neither a file nor what is inflated from it may be larger than the bound."""
    monkeypatch.setattr(segment, "LARGEST", 100_000)
    with pytest.raises(UsageError, match="part it"):
        segment.pack(header(), [b"x" * 100_000], None)
    assert reason(b"{" * 100_001, None) == "too_large"
    whole = segment.pack(header(), LINES, KEY)
    bomb = zlib.compress(bytes(50_000_000))
    assert len(bomb) < 100_000
    line = whole.partition(b"\n")[0].rpartition(b" ")[0]
    line += b" %d\n" % (len(bomb) + segment.OVERHEAD)
    assert reason(line + segment.seal(KEY.secret, b"segment", line, bomb), RING) == "too_large"


def test_marks_are_read_without_a_key():
    """The first line says number, kind, parts and the key, in both forms."""
    for key in (None, KEY):
        one = header(4, kind="snapshot", part=2, parts=3)
        mark = segment.marked(segment.pack(one, LINES, key)[:600])
        assert (mark.number, mark.kind, mark.part, mark.parts) == (4, "snapshot", 2, 3)
        assert mark.key == (KEY.id if key else "")


def test_sealing_gives_other_bytes_for_another_name():
    """The nonce depends on all that is sealed, and on what is bound to it."""
    seals = {segment.seal(KEY.secret, b"p", name, text)[:12]
             for name in (b"a", b"ab") for text in (b"", b"b", b"bb")}  # fmt: skip
    assert len(seals) == 6


def test_without_cryptography_a_hint_is_given(tmp_path):
    """Where the package is missing, one line says how to get it or to do without."""
    script = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from tideline_cli.sync import segment\n"
        "from tideline_cli.errors import TidelineError\n"
        "try: segment.seal(bytes(32), b'', b'', b'')\n"
        "except TidelineError as error: print(error.exit_code, error.hint)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
    assert done.stdout == "6 pip install '.[sync]' in the clone, or make the place with --plain\n"
