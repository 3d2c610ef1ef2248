"""A door for programs fails nobody, whatever its command line says and wherever it is called."""

from __future__ import annotations

from random import Random

import pytest

from tests.fuzz import calls, lines, stores
from tideline_cli.cli import perform

CALLS = 250
ODD = ("--max-chars", "--max-tokens=x", "--limit", "-n", "--format", "--bogus", "--bogus=1", "-Z",
       "--origin", "--origin=channel:", "--now", "--now=soon", "--color", "--color=pink", "--db",
       "--db=", "--db=/dev/null", "--db=/proc/self/mem", "--json", "--quiet", "--verbose",
       "--debug", "--jsonl", "x", "", "-", "\udcff", "ü" * 9, "--format=pdf", "--auto=yes",
       "--no-input")  # fmt: skip
PROJECTS = (
    'database = "/etc/passwd"\n', 'origin = "channel:a/b/c"\n', "max_chars = 999999\nlimit = 999\n",
    "[table]\n", "limit = ", 'tags = ["a"', "\xff", "limit = 1\n" * 2, "= 3\n", "x" * 70_000,
)  # fmt: skip


def drawn(rng):
    """Return a command line that calls the door, with anything else in it, --auto anywhere."""
    more = rng.sample(ODD, rng.randrange(6))
    more.insert(rng.randrange(len(more) + 1), "--auto")
    before = [part for part in rng.sample(ODD, rng.randrange(2)) if part.startswith("--")]
    return (*before, "context", *more)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_random_calls_of_a_door(seed, tmp_path):
    """It ends with 0; where it cannot answer it prints nothing, and says why only if asked to."""
    rng = Random(seed)
    with calls.surroundings(tmp_path / "fuzz"):
        for number in range(CALLS):
            if number % 5 == 0:
                calls.furnish(tmp_path / "fuzz", rng.choice(stores.NAMES + ("small",) * 4))
                with open(".tideline.toml", "w", encoding="latin-1") as file:
                    file.write(rng.choice(("", *PROJECTS)))
            argv = drawn(rng)
            if "--" in argv or (argv[0] != "context" and values_of(argv[0])):
                continue
            done = calls.called(lines.Line(argv, b"deploy \xff", False, "context"))
            assert not isinstance(done, str), (argv, done)
            assert done.code == 0, (argv, done)
            assert "Traceback" not in done.err or "--debug" in argv, (argv, done)
            if not {"--verbose", "--debug"} & set(argv):
                assert done.err == "", (argv, done)
            if done.out and "--json" not in argv and "--format=xml" not in argv:
                assert done.out.startswith(("## Relevant memory\n", "{")), (argv, done)


def values_of(part):
    """Say whether an option before the command takes `context` for its value."""
    return part in ("--db", "--origin", "--now", "--color")


@pytest.mark.parametrize("error", [RuntimeError("x"), RecursionError(), MemoryError(), KeyError(1)])
def test_a_fault_inside_is_silent(run, monkeypatch, error):
    """Whatever is raised while the block is made ends in 0 and silence, --verbose says it in one
    line, and no check of the store begins meanwhile."""
    run("remember", "I deploy on Fridays")

    def fail(*_, **__):
        raise error

    monkeypatch.setattr("tideline_cli.cli.commands.context.context_block", fail)
    monkeypatch.setattr(perform, "_is_damaged", lambda *_: pytest.fail("no time for that"))
    done = run("context", "deploy", "--auto")
    assert (done.code, done.out, done.err) == (0, "", "")
    monkeypatch.setattr(perform, "_is_damaged", lambda *_: False)
    told = run("context", "deploy", "--auto", "--verbose")
    assert (told.code, told.out) == (0, "")
    assert told.err.startswith("tideline: ") and told.err.count("\n") == 1
    assert run("context", "deploy").code != 0


@pytest.mark.parametrize("argv", [
    ("context", "--max-chars", "--auto", "deploy"), ("context", "deploy", "--format", "--auto"),
    ("context", "deploy", "--auto=1"), ("--bogus", "x", "context", "--auto", "deploy"),
    ("context", "--auto"), ("context", "--auto", "--limit"), ("context", "--auto", "-n", "-1", "x"),
])  # fmt: skip
def test_a_wrong_line_is_silent(run, argv):
    """A line that is wrong in any way, --auto taken for a value too, is no error of a door."""
    done = run(*argv, stdin="")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_project_only_lowers(run, tmp_path, monkeypatch):
    """A project's file lowers the budget of a door, raises none, and names no origin or file."""
    run("remember", "I deploy on Fridays, in the morning, after the tests have passed")
    run("--origin", "channel:a/b/c", "remember", "I deploy on Sundays")
    monkeypatch.chdir(tmp_path)
    whole = run("context", "deploy", "--auto").out
    assert "passed" in whole
    for text in PROJECTS:
        (tmp_path / ".tideline.toml").write_text(text, encoding="latin-1")
        done = run("context", "deploy", "--auto")
        assert (done.code, done.err) == (0, "")
        assert done.out.split("\n")[4] == whole.split("\n")[4], text
    (tmp_path / ".tideline.toml").write_text("max_chars = 400\n")
    assert len(run("context", "deploy", "--auto").out) <= 400
    (tmp_path / ".tideline.toml").write_text("max_chars = 100\n")
    assert run("context", "deploy", "--auto").out == ""


def test_a_home_that_cannot_be_read(run, home, monkeypatch):
    """A home that is a file, or is not there, ends in silence."""
    home.write_text("a file") if not home.exists() else None
    done = run("context", "deploy", "--auto")
    assert (done.code, done.out, done.err) == (0, "", "")
    monkeypatch.setenv("TIDELINE_HOME", "/proc/self/no/such")
    done = run("context", "deploy", "--auto")
    assert (done.code, done.out, done.err) == (0, "", "")
