"""The two parsers mean the same."""

from __future__ import annotations

import contextlib
import io
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from tideline_cli.cli import app, fast, perform
from tideline_cli.cli.commands import options_of
from tideline_cli.cli.options import GLOBAL

HOT = ("remember", "recall", "context", "status")
FLAGS = sorted({f for name in HOT for o in (*options_of(name), *GLOBAL) for f in o.flags})
VALUES = ("", "5", "-5", "a b", "-", "--", "--json", "x=y", "2026-01-01", "owner", "hybrid", "ä",
          "=")  # fmt: skip
tokens = st.one_of(
    st.sampled_from(FLAGS),
    st.sampled_from(VALUES),
    st.builds("{}={}".format, st.sampled_from(FLAGS), st.sampled_from(VALUES)),
    st.builds(lambda flag, value: flag + value, st.sampled_from(FLAGS), st.sampled_from(VALUES)),
    st.sampled_from(("-qv", "-qn5", "-nq", "-vq5", "-h", "--help", "--version", "--lim", "-x")),
    st.just("-tq"),
    st.text(max_size=4),
)
globals_first = st.lists(
    st.sampled_from((("--json",), ("-q",), ("--db", "x.db"), ("--db", ""), ("--origin=owner",),
                     ("--now", "5"), ("-v",), ("--no-input",))),
    max_size=2,
)  # fmt: skip


def by_typer(argv):
    """Return what Typer understands: (name, given), or None for help and errors."""
    seen = []

    def capture(name, given, _):
        seen.append((name, given))
        return 0

    with (
        mock.patch.object(perform, "perform", capture),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        app.run(argv)
    return seen[0] if seen else None


def meaning(parsed):
    """Leave out what says nothing: flags that are off, options that are not there."""
    name, given = parsed
    plain = {
        key: list(value) if isinstance(value, (list, tuple)) else value
        for key, value in given.items()
        if value is not None and value is not False
    }
    return name, {key: value for key, value in plain.items() if value != [] or key == "words"}


@settings(max_examples=400)
@given(globals_first, st.sampled_from(HOT), st.lists(tokens, max_size=7))
def test_both_parsers_mean_the_same(before, name, rest):
    """Whatever the fast parser is sure of, Typer understands in the same way."""
    argv = [token for group in before for token in group] + [name, *rest]
    parsed = fast.parse(argv)
    if parsed is None:
        return
    typed = by_typer(argv)
    if parsed[0] == "status" and parsed[1]["words"]:
        assert typed is None  # a usage error on both ways, from the verb and from Typer
        return
    assert typed is not None, argv
    assert meaning(typed) == meaning(parsed), argv


@settings(max_examples=200)
@given(st.lists(tokens | st.sampled_from(HOT), max_size=6))
def test_any_command_line_ends_with_a_code(argv):
    """No command line raises in either parser."""
    fast.parse(argv)
    with (
        mock.patch.object(perform, "perform", lambda name, given, _: 0),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        assert app.run(argv) in (0, 2)


def test_an_empty_value_is_a_value():
    """An option given as empty text reaches the command as empty text on both ways."""
    for argv in (["recall", "x", "--limit", ""], ["list", "--limit", ""]):
        assert by_typer(argv)[1].get("limit") == "", argv
