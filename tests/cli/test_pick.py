"""`tideline pick`: the numbered list, that of fzf, what it prints, at a real terminal."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time

import pexpect
import pytest

from tests import backends
from tests.conftest import run_main
from tests.support import DAY, NOW, ROOT, fact, seed
from tideline_cli.cli.commands import pick
from tideline_cli.cli.commands.pick import by_fzf, offer
from tideline_cli.cli.options import GlobalOptions
from tideline_cli.errors import UnavailableError
from tideline_cli.model import instant

PROMPT = "number, or other words (nothing leaves): "
WILD = "first\n\x1b[31mred\x07 \u202ebidi 日本語の長い文 🎈🎈 " + "word " * 40
FACTS = (
    {"content": "I deploy on Mondays", "id": "0" * 25 + "1", "created_at": "2025-01-01"},
    {"content": "The boiler\n  needs 1.5 bar", "id": "0" * 25 + "2", "created_at": "2025-01-02"},
    {"content": "Lena likes tea", "id": "0" * 25 + "3", "created_at": "2025-01-03",
     "tags": ["people"]},
)  # fmt: skip


def surroundings(tmp_path, **env):
    """Return the environment of a list."""
    return {
        "HOME": str(tmp_path), "TIDELINE_HOME": os.environ["TIDELINE_HOME"], "TERM": "xterm",
        "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TIDELINE_NOW": str(NOW),
        "PYTHONPATH": str(ROOT), **backends.environ(), **env,
    }  # fmt: skip


def opened(*words, tmp_path, size=(24, 80), **env):
    """Start the list at a terminal of its own."""
    return pexpect.spawn(
        sys.executable, ["-m", "tideline_cli", "pick", *words], encoding="utf-8", timeout=20,
        env=surroundings(tmp_path, **env), dimensions=size, cwd=str(tmp_path),
    )  # fmt: skip


def piped(text, *words, tmp_path):
    """Start the list at a terminal of its own; standard input is a file that holds `text`."""
    (tmp_path / "text").write_text(text, encoding="utf-8")
    call = [sys.executable, "-m", "tideline_cli", "pick", *words]
    return pexpect.spawn(
        "/bin/sh", ["-c", 'exec "$@" < text', "sh", *call], encoding="utf-8", timeout=20,
        env=surroundings(tmp_path), dimensions=(24, 80), cwd=str(tmp_path),
    )  # fmt: skip


def ended(child):
    """Wait for the end; return what stands behind the last question, and the exit code."""
    child.expect(pexpect.EOF)
    child.close()
    return child.before.rpartition(f"{PROMPT}")[2].replace("\r\n", "\n"), child.exitstatus


@pytest.fixture
def stored():
    seed(FACTS)


def test_words_ask_anew_and_a_number_prints(stored, tmp_path):
    """Words are a question, the beginning of one too; a number of the list prints the text with
    its lines, and counts as one use."""
    child = opened("--own", tmp_path=tmp_path)
    child.expect_exact("  1 Lena likes tea\r\n  2 The boiler ⏎ needs 1.5 bar\r\n  3 I deploy")
    child.expect_exact(PROMPT)
    child.send("boi\n")
    child.expect_exact(f"\r\n  1 The boiler ⏎ needs 1.5 bar\r\n{PROMPT}")
    child.send("1\n")
    assert ended(child) == ("1\nThe boiler\n  needs 1.5 bar\n", 0)
    shown = json.loads(run_main("show", "0" * 25 + "2", "--json").out)["fact"]
    assert shown["access_count"] == 1


def test_a_number_that_the_list_has_not_is_a_word(stored, tmp_path):
    """What is no place of the list is asked for, and nothing may match."""
    child = opened("tea", "--own", "--print", "id", tmp_path=tmp_path)
    child.expect_exact(PROMPT)
    child.send("2\n")
    child.expect_exact(f"nothing matches\r\n{PROMPT}")
    child.send("deploy\n")
    child.expect_exact(PROMPT)
    child.send("1\n")
    assert ended(child) == ("1\n" + "0" * 25 + "1\n", 0)


@pytest.mark.parametrize("shell", [(), ("--quote", "zsh")])
def test_what_is_typed_already_is_no_command_to_the_terminal(stored, tmp_path, shell):
    """Controls in WORDS or in standard input are left out: the terminal is told none of them."""
    words = "tea \x1b]52;c;ZXZpbA==\x07\x9b31m\u202e"
    child = piped(words, "--own", "-", tmp_path=tmp_path) if not shell else opened(
        words, "--own", *shell, tmp_path=tmp_path
    )
    child.expect_exact(PROMPT)
    assert "\x1b" not in child.before and "Lena likes tea" in child.before
    child.send("\n")
    assert ended(child) == ("\n", 130)


@pytest.mark.parametrize("key", ["\n", "\x03", "\x04"])
def test_leaving_prints_nothing(stored, tmp_path, key):
    """An empty line, ctrl-c and the end of input end with 130."""
    child = opened("--own", tmp_path=tmp_path)
    child.expect_exact(PROMPT)
    child.send(key)
    text, code = ended(child)
    assert (text.strip(), code) in (("", 130), ("^C", 130))


def test_words_filters_and_json(stored, tmp_path):
    """WORDS are asked already, filters of list narrow the list, --json prints the fact whole."""
    child = opened("tea", "--own", "--tag", "people", "--json", tmp_path=tmp_path)
    child.expect_exact(f"  1 Lena likes tea\r\n{PROMPT}")
    child.send("likes\n")
    child.expect_exact(PROMPT)
    child.send("1\n")
    text, code = ended(child)
    told = json.loads(text.partition("\n")[2])
    assert (told["fact"]["content"], code) == ("Lena likes tea", 0)


def test_a_list_fits_the_terminal(tmp_path):
    """There are no more rows than a terminal has, none with controls or hidden characters."""
    seed([{"content": f"{WILD} {n}", "id": f"{n:026}"} for n in range(20)])
    child = opened("--own", tmp_path=tmp_path, size=(12, 60))
    child.expect_exact(PROMPT)
    rows = child.before.rstrip("\r\n").split("\r\n")
    assert len(rows) == 9 and all(len(row) < 60 for row in rows)
    assert not set("\x1b\x07\u202e").intersection(child.before)
    child.send("\n")
    ended(child)


def test_lines_are_read_whole_for_a_shell_that_reads_letters(stored, tmp_path):
    """A terminal in the mode in which shells edit their line is set to lines, and given back."""
    script = "stty raw -echo; tideline_pick; stty -a > mode; stty sane"
    call = f"tideline_pick() {{ {sys.executable} -m tideline_cli pick --own; }}; {script}"
    child = pexpect.spawn(
        "/bin/sh", ["-c", call], encoding="utf-8", timeout=20, env=surroundings(tmp_path),
        dimensions=(24, 80), cwd=str(tmp_path),
    )  # fmt: skip
    child.expect_exact(PROMPT)
    child.send("1\r")
    child.expect("Lena likes tea")
    child.expect(pexpect.EOF)
    assert "-icanon" in (tmp_path / "mode").read_text()


def test_without_a_terminal(run, stored):
    """In a pipe, with --no-input and on a dumb terminal there is nobody to choose: 2 and a hint."""
    for words in ((), ("--no-input",), ("--json",), ("--quote", "bash")):
        done = run("pick", *words)
        assert (done.code, done.out) == (2, "")
        assert "tideline recall" in done.err


def test_dumb_terminal_and_nothing_stored(tmp_path):
    """A dumb terminal is refused, an empty memory is told."""
    assert "TERM is dumb" in ended(opened(tmp_path=tmp_path, TERM="dumb"))[0]
    text, code = ended(opened(tmp_path=tmp_path))
    assert (text.strip(), code) == ("tideline: nothing is remembered yet", 1)


needs_fzf = pytest.mark.skipif(shutil.which("fzf") is None, reason="fzf is not installed")


@needs_fzf
def test_by_fzf(stored, tmp_path):
    """fzf answers as one types, shows the lines of a fact, pins, asks before it forgets."""
    child = opened(tmp_path=tmp_path, size=(30, 100), FZF_DEFAULT_OPTS="--multi --print-query")
    child.expect("3/3")
    child.send("boi")
    child.expect("1/1")
    child.expect("needs 1.5 bar")
    child.send("\x14")
    child.expect(r"\* The")
    child.send("\x18")
    child.expect("y/N")
    child.send("n\r")
    child.expect("1/1")
    child.send("\r")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert child.before.replace("\r\n", "\n").endswith("The boiler\n  needs 1.5 bar\n")
    assert "pinned 00000000000000000000000002" in child.before


@needs_fzf
def test_what_is_typed_to_fzf_is_not_run(tmp_path):
    """What is typed and what is stored reach no shell: fzf's own is not that of the user, whose
    quotes may be others."""
    seed([{"content": "x'; touch run; '$(touch run)`touch run`", "id": "0" * 26}])
    child = opened(tmp_path=tmp_path, SHELL="/usr/bin/fish")
    child.expect("1/1")
    for typed in ("'; touch run; '", "\\'; touch run #", "$(touch run)`touch run`"):
        child.send("\x15" + typed)
        time.sleep(0.5)
    child.send("\x15x")
    child.expect("1/1")
    child.send("\r")
    child.expect(pexpect.EOF)
    child.close()
    assert not (tmp_path / "run").exists()


@needs_fzf
def test_leaving_fzf(stored, tmp_path):
    """Esc ends with 130 and prints nothing."""
    child = opened("--tag", "people", tmp_path=tmp_path)
    child.expect("1/1")
    child.send("\x1b")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130 and "Lena likes tea\r\n" not in child.before


@pytest.mark.parametrize(("version", "why"), [
    ("0.24.3 (debian)", "is older than 0.36"), ("devel", "is older than"),
    ("0.50.0", "ended with 2"),
])  # fmt: skip
def test_an_fzf_that_cannot_be_used(version, why, stored, tmp_path):
    """An old fzf, or one that fails, gives way to the numbered list, and that is said."""
    program = tmp_path / "bin" / "fzf"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "{version}" && exit\nexit 2\n')
    program.chmod(0o755)
    child = opened(tmp_path=tmp_path, PATH=f"{tmp_path}/bin:{os.environ['PATH']}")
    child.expect_exact(PROMPT)
    child.send("3\n")
    text, code = ended(child)
    assert code == 0 and "I deploy on Mondays\n" in text and why in text


def test_fzf_says_once_what_each_letter_would(stored, tmp_path, monkeypatch, capsys):
    """A note that each answer would repeat is left once for the end; deeds are all left."""
    told = tmp_path / "told"
    given = GlobalOptions()
    options = pick.Options()
    monkeypatch.setenv(offer.HANDED, by_fzf.handed(options, given, str(told)))
    monkeypatch.setattr(offer.pick, "found", lambda *_, caution, **__: [
        caution(UnavailableError("no model"))][:0])
    for call in (("rows", "a"), ("rows", "ab"), *[("pin", "0" * 25 + "1")] * 2):
        assert pick.answer_fzf(call) == 0
    assert told.read_text().splitlines() == [
        "answered by words alone: no model", "pinned " + "0" * 25 + "1",
        "unpinned " + "0" * 25 + "1",
    ]  # fmt: skip
    assert pick.answer_fzf(("show", "nothing")) == 1
    assert "no such id" in capsys.readouterr().out


def test_the_hidden_word_alone_does_nothing(run):
    """`__pick` without a list that has started it is refused."""
    assert run("__pick", "rows", "x").code == 2


def test_untrusted_facts_say_so():
    """The view names who said it, and whether that one is trusted."""
    doubtful = fact("x", "0" * 26, source="retrieved_document")
    assert any("retrieved_document, untrusted" in line
               for line in offer.shown_lines(doubtful, now=NOW))  # fmt: skip


def test_what_has_ended_says_so():
    """A row marks it in front of its text, and the view among its labels."""
    permit = fact("parking permit", "0" * 26, valid_to=NOW - DAY)
    mark = f"(ended {instant.short_day(NOW - DAY, now=NOW)}) parking permit"
    assert offer.row_of(permit, now=NOW) == f"{'0' * 26}\t{mark}\n"
    assert any("· ended " in line for line in offer.shown_lines(permit, now=NOW))
    assert offer.line_of(permit, now=NOW - 2 * DAY) == "parking permit"


def test_copy_by_a_program(tmp_path, monkeypatch):
    """The program of the clipboard gets the text where one is there; the terminal always does."""
    program = tmp_path / "xclip"
    program.write_text(f'#!/bin/sh\n[ "$*" = "-selection clipboard" ] && cat > {tmp_path}/got\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    read, write = os.pipe()
    assert by_fzf.copy_to_clipboard("an id", write) == "xclip"
    assert os.read(read, 99) == b"\x1b]52;c;YW4gaWQ=\x07"
    assert (tmp_path / "got").read_text() == "an id"
    monkeypatch.delenv("DISPLAY")
    assert by_fzf.copy_to_clipboard("an id", write) == "terminal"
