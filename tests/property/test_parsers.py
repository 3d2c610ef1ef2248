"""The two parsers mean the same."""

from __future__ import annotations

import contextlib
import io
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import often
from tideline_cli.cli import app, fast, perform
from tideline_cli.cli.commands import COMMANDS, options_of, verb
from tideline_cli.cli.options import GLOBAL

FLAGS = {
    name: sorted({flag for option in (*options_of(name), *GLOBAL) for flag in option.flags})
    for name in COMMANDS
}
ANY = sorted({flag for flags in FLAGS.values() for flag in flags})
VALUES = ("", "5", "-5", "a b", "-", "--", "--json", "x=y", "2026-01-01", "owner", "hybrid", "ä",
          "=")  # fmt: skip
ODD = st.one_of(
    st.sampled_from(("-qv", "-qn5", "-nq", "-vq5", "-tq", "-h", "--help", "--version", "--lim")),
    st.just("-x"),
    st.text(max_size=4),
)


def tokens(flags):
    """Return parts of command lines with these flags, known and unknown values, and odd ones."""
    named, values = st.sampled_from(flags), st.sampled_from(VALUES)
    return st.one_of(
        named, values, st.builds("{}={}".format, named, values),
        st.builds(lambda flag, value: flag + value, named, values), ODD,
    )  # fmt: skip


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


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", COMMANDS)
@settings(max_examples=often(40, 400))
@given(globals_first, st.data())
def test_both_parsers_mean_the_same(name, before, data):
    """Whatever the fast parser is sure of, Typer understands in the same way."""
    rest = data.draw(st.lists(tokens(FLAGS[name]), max_size=7))
    argv = [token for group in before for token in group] + [name, *rest]
    parsed = fast.parse(argv)
    if parsed is None:
        return
    typed = by_typer(argv)
    assert typed is not None, argv
    assert meaning(typed) == meaning(parsed), argv


@pytest.mark.parametrize("name", COMMANDS)
def test_the_fast_parser_takes_every_option(name):
    """Each option in each of its common shapes needs no other parser."""
    for option in (*options_of(name), *GLOBAL):
        for flag in option.flags:
            shapes = [[flag]] if option.kind == "flag" else [[flag, "v"], [flag + "v"]]
            if flag.startswith("--") and option.kind != "flag":
                shapes[1:] = [[f"{flag}=v"]]
            for shape in shapes:
                value = True if option.kind == "flag" else ["v"] if option.many else "v"
                words = ["a", "-b"] if verb(name).ARGUMENTS else []
                parsed = fast.parse([name, *shape, "--", *words])
                assert parsed == (name, {option.name: value, "words": words}), shape


@settings(max_examples=often(50, 200))
@given(st.lists(tokens(ANY) | st.sampled_from(tuple(COMMANDS)), max_size=6))
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
