"""Import, queries, transcripts, model replies: any bytes are read or refused, in linear time."""

from __future__ import annotations

import gc
import json
import os
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import SEEDS, TARGETS, text_of
from tests.support import often

_TOKENS = sorted(
    {
        *(b'" \\ { } [ ] ( ) : , * ^ + - \n \r \t \x00 \xff \xc3 @ / % < > ` # ~ . |'.split(b" ")),
        *(b"AND OR NOT NEAR USER: ASSISTANT: SYSTEM: role user content facts archive null true NaN "
          b"1e999 -1 ```json <think> </think> type text message id links kind target".split()),
        b"\xef\xbb\xbf", b"\xed\xa0\x80", "é".encode(), "用户".encode(), "\u202e".encode(),
        "\u200d".encode(), "\u2028".encode(), "\x85".encode(), b'{"content": "', b'"}', b"\\ud800",
    }
)  # fmt: skip
hostile = st.one_of(
    st.binary(max_size=60),
    st.lists(st.sampled_from(_TOKENS), max_size=30).map(b"".join),
    st.lists(st.sampled_from(_TOKENS), max_size=20).map(b" ".join),
)


@pytest.mark.parametrize("name", TARGETS)
def test_seeds(name):
    """What is known to be nasty breaks nothing."""
    for data in (b"", b"\x00", *SEEDS.get(name, ())):
        TARGETS[name](data)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=often(30, 120))
@given(data=st.data())
def test_any_bytes(name, data):
    """Any bytes, and any change of a nasty seed, break nothing."""
    seeds = SEEDS.get(name, (b"",))
    one = data.draw(hostile | st.builds(_spliced, st.sampled_from(seeds), hostile, st.integers(0)))
    TARGETS[name](one)


def _spliced(seed, more, place):
    place %= len(seed) + 1
    return seed[:place] + more + seed[place:]


def test_the_texts_are_of_every_kind():
    """The fuzzers reach half characters, control characters and text that is no UTF-8."""
    assert text_of(b"\xed\xa0\x80") == "\ud800"
    assert text_of("é\x00".encode()) == "é\x00"
    assert text_of(b"a\xff") == "a\xff"


LONG = {
    "braces": b"{", "brackets": b"[", "objects": b'{"a":', "quotes": b'"', "backslashes": b'{"\\',
    "thoughts": b"\n<think>", "thought ends": b"\n</think>", "spaces": b" ", "lines": b"\n",
    "speakers": b"USER: a\n", "speaker starts": b"USER ", "carriage returns": b"\r", "empty": b"{}",
    "pairs": b'{"role":"user","content":"a"}\n', "nested": b'{"facts":[', "words": b"deploy ",
    "combining": "e\u0301".encode(), "joiners": "\u200d".encode(), "fences": b"```json\n{",
    "tags": b"<a ", "items": b"<li>a<ul>", "cells": b"<td colspan=9>a", "struck": b"<s>a",
    "stamps": b"#1700000000\n", "cards": b"BEGIN:VCARD\nFN:a\n", "quoted": b'a\t"b\n',
    "escapes": b"\x1b]8;;", "closed": b"{}[]", "strings": b'{"a": "b"} ',
}  # fmt: skip
_WITHOUT = ("query", "values", "database")
"""Targets that read a line, or ask a store."""


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("reader", [name for name in TARGETS if name not in _WITHOUT])
def test_linear_time(reader):
    """Sixteen times the text takes no more than some forty times as long, whatever it repeats."""
    slow = {}
    for name, unit in LONG.items():
        small, large = (unit * (size // len(unit)) for size in (4_000, 64_000))
        short = min(_took(TARGETS[reader], small) for _ in range(2))
        long = _took(TARGETS[reader], large)
        for _ in range(4):  # somebody else may have had the processor
            if long <= 0.05 or long <= 40 * short:
                break
            short = min(short, _took(TARGETS[reader], small))
            long = min(long, _took(TARGETS[reader], large))
        if long > 0.05 and long > 40 * short:
            slow[name] = (short, long)
    assert slow == {}


def _took(read, data):
    """Return the processor time of a read, without that of looking for garbage: it grows with what
    the test holds."""
    gc.disable()
    try:
        start = time.process_time()
        read(data)
        return time.process_time() - start
    finally:
        gc.enable()


# files that are too large, or none at all, as a user names them


@pytest.mark.parametrize("argv", [("import",), ("import", "--strict"), ("extract", "--llm", "none"),
                                  ("import", "--format", "sqlite"), ("import", "--format", "csv")])
@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "missing", "loop", "zeros"])
def test_what_is_no_file(run, tmp_path, argv, kind):
    """A FIFO, a device, a folder, a loop of links is refused at once: nobody waits for it."""
    path = tmp_path / "x"
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "device":
            path = "/dev/null"
        case "zeros":
            path = "/dev/zero"
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path)
    start = time.monotonic()
    done = run(argv[0], str(path), *argv[1:], "--json")
    assert time.monotonic() - start < 5
    assert (done.code, done.error["code"]) == (2, "usage")


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("argv", [("import",), ("import", "--format", "csv"),
                                  ("import", "--format", "sqlite"), ("extract", "--llm", "none")])
def test_a_sparse_file_of_a_gigabyte(process, tmp_path, argv):
    """A gigabyte of nothing is refused or read through with little memory, and takes nothing in."""
    import resource

    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(1 << 30)

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))

    start = time.monotonic()
    done = process(argv[0], str(tmp_path / "sparse"), *argv[1:], "--json", preexec_fn=limit)
    assert time.monotonic() - start < 30
    assert done.code in (0, 1, 2), done.err
    assert "Traceback" not in done.err
    if done.code == 0:
        assert done.json["added"] == 0


def test_lines_of_every_make(run, tmp_path):
    """A line that is too long, too deep, of another encoding or cut is one bad line; good ones
    between them are taken, whatever ends the lines."""
    good = [json.dumps({"id": f"G{n}", "content": f"good row {n}"}).encode() for n in range(6)]
    lines = [
        b"\xef\xbb\xbf" + good[0], b"[" * 10_000, good[1] + b"\r", b'{"content": ' * 10_000,
        b'{"content": "' + b"a" * (3 << 20) + b'"}', good[2], b'{"content": "caf\xe9"}',
        '{"content": "wide"}'.encode("utf-16"), good[3], b'{"content": "x", "content": 5}',
        b'{"content": "x", "access_count": ' + b"9" * 10_000 + b"}", b"\x00" * 2000, good[4],
        b'{"content": "half \\ud800"}', b'{"content": "y", "importance": 1e999}', good[5] + b"\r\n",
        b'{"content": "cut',
    ]  # fmt: skip
    (tmp_path / "rows.jsonl").write_bytes(b"\n".join(lines))
    done = run("import", str(tmp_path / "rows.jsonl"), "--json")
    assert done.code == 0, done.err
    texts = {fact["content"] for fact in run("list", "--json", "--limit", "0").json["facts"]}
    assert {f"good row {n}" for n in range(6)} <= texts
    assert done.json["added"] + done.json["skipped"] == len(lines)


@pytest.mark.parametrize("query", ['"', "(", ")" * 99, "AND", "a AND", "NOT b", "NEAR(", "a:b", "*",
                                   "^", "{a}:b", 'x" OR "y', "a\x00b", "-", "+", "a*b*", "''",
                                   "fact_fts MATCH x", "rowid:1", "1_deploy", "2_deploy"])
def test_operators_are_words(run, query):
    """Operators of the index are words like any other: nothing fails, nothing else is found."""
    run("remember", "I deploy on Fridays")
    run("remember", "deploy a secret", "--origin", "channel:a/b/c")
    done = run("recall", query, "--json", "--mode", "keyword")
    assert done.code in ((0,) if query.endswith("_deploy") else (1, 2)), done.err
    assert "secret" not in done.out
