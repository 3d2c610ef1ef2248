"""`tideline pick`: the list, its keys, what it prints, at a real terminal."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time

import pexpect
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tests import backends
from tests.conftest import run_main
from tests.support import DAY, NOW, ROOT, fact, often, seed
from tideline_cli.cli import terminal
from tideline_cli.cli.commands import pick
from tideline_cli.cli.options import GlobalOptions
from tideline_cli.cli.picker import by_fzf, door, keys, offer, screen
from tideline_cli.cli.picker.choosing import Choosing
from tideline_cli.cli.picker.screen import Size
from tideline_cli.errors import UnavailableError
from tideline_cli.model import instant

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
    """Wait for the end; return what stands after the list was closed, and the exit code."""
    child.expect(pexpect.EOF)
    child.close()
    return child.before.rpartition("\x1b[?1049l")[2].replace("\r\n", "\n"), child.exitstatus


@pytest.fixture
def stored():
    seed(FACTS)


def test_typing_narrows_and_enter_prints(stored, tmp_path):
    """Each letter answers anew, a beginning of a word too; Enter prints the text with its lines,
    and counts as one use."""
    child = opened("--own", tmp_path=tmp_path)
    child.expect(r"m3 · enter")
    child.send("boi")
    child.expect(r"m1 · enter")
    child.send("\r")
    assert ended(child) == ("The boiler\n  needs 1.5 bar\n", 0)
    shown = json.loads(run_main("show", "0" * 25 + "2", "--json").out)["fact"]
    assert shown["access_count"] == 1


def test_keys_typed_ahead_choose_what_they_mean(stored, tmp_path):
    """Enter right behind a word takes the answer to that word, not the one before it."""
    child = opened("--own", "--print", "id", tmp_path=tmp_path)
    child.expect("enter")
    child.send("deploy\r")
    assert ended(child) == ("0" * 25 + "1\n", 0)


def test_a_paste_that_comes_slowly_is_no_keys(stored, tmp_path):
    """Nothing of a paste chooses, forgets or leaves, however late its end comes."""
    child = opened("--own", tmp_path=tmp_path)
    child.expect("m3 · enter")
    for part in ("\x1b[200~te", "\r\x18", "y\x1b", "\x03", "\x1b[20"):
        child.send(part)
        time.sleep(0.2)
    child.send("1~\x15tea")
    child.expect("m1 · enter")
    child.send("\x1b")
    assert ended(child) == ("", 130)
    assert len(json.loads(run_main("list", "--json").out)["facts"]) == len(FACTS)


def test_a_paste_that_is_too_long_is_left_out_and_told(stored, tmp_path):
    """A text that no question could be is not taken, also where a fact is about to be forgotten."""
    child = opened("tea", "--own", tmp_path=tmp_path)
    child.expect("m1 · enter")
    for _ in range(2):
        child.send("\x1b[200~" + "y\r\x03 " * 20_000 + "\x1b[201~")
        child.expect("what was pasted is too long")
    assert "> tea\x1b" in child.before
    child.send("\x18")
    child.expect("forget it")
    child.send("\x1b[200~" + "y" * 80_000 + "\x1b[201~")
    child.expect("m1 · enter")
    child.send("\x1b")
    assert ended(child) == ("", 130)


@pytest.mark.parametrize("shell", [(), ("--quote", "zsh")])
def test_what_is_typed_already_is_no_command_to_the_terminal(stored, tmp_path, shell):
    """Controls in WORDS or in standard input are left out: the terminal is told none of them."""
    words = "tea \x1b]52;c;ZXZpbA==\x07\x9b31m\u202e"
    child = piped(words, "--own", "-", tmp_path=tmp_path) if not shell else opened(
        words, "--own", *shell, tmp_path=tmp_path
    )
    child.expect("> tea ]52;c;ZXZpbA==31m")
    assert "\x1b]52" not in child.before + child.after
    child.send("\x1b")
    assert ended(child) == ("", 130)


@pytest.mark.parametrize("key", ["\x1b", "\x03", "\x07"])
def test_leaving_prints_nothing(stored, tmp_path, key):
    """Esc, ctrl-c and ctrl-g end with 130 and give the screen back."""
    child = opened("--own", tmp_path=tmp_path)
    child.expect("enter")
    child.send(key)
    assert ended(child) == ("", 130)


def test_words_filters_and_json(stored, tmp_path):
    """WORDS are typed already, filters of list narrow the list, --json prints the fact whole."""
    child = opened("tea", "--own", "--tag", "people", "--json", tmp_path=tmp_path)
    child.expect("> tea")
    child.send("\x15\x1b[B\x1b[B\r")  # all of them, and down: there is but one
    text, code = ended(child)
    assert (json.loads(text)["fact"]["content"], code) == ("Lena likes tea", 0)


def test_forget_asks_pin_turns_and_both_are_told(stored, tmp_path):
    """ctrl-x asks, and only y forgets; ctrl-t pins and unpins; what was done is told afterwards,
    with the way back."""
    child = opened("--own", tmp_path=tmp_path)
    child.expect("m3 · enter")
    child.send("\x18")
    child.expect("forget it")
    child.send("n\x18")
    child.expect("forget it")
    child.send("\x1b[200~yes\x1b[201~")  # what is pasted is no answer
    child.expect("m3 · enter")
    child.send("\x18")
    child.expect("forget it")
    child.send("y")
    child.expect("forgotten")
    child.send("\x14")
    child.expect("pinned")
    child.send("\x1b")
    text, code = ended(child)
    assert code == 130
    assert "forgot 00000000000000000000000003: Lena likes tea" in text and "restore" in text
    left = json.loads(run_main("list", "--json").out)["facts"]
    assert [(one["content"][:5], one["pinned"]) for one in left] == [
        ("The b", True), ("I dep", False),
    ]  # fmt: skip


def test_copy_tells_the_terminal(stored, tmp_path):
    """ctrl-y hands the id to the terminal by OSC 52."""
    child = opened("deploy", "--own", tmp_path=tmp_path, PATH="/nowhere")
    child.expect("enter")
    child.send("\x19")
    child.expect(r"\x1b\]52;c;MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDE=\x07")
    child.expect("is copied")
    child.send("\x1b")
    ended(child)


def test_resizing_and_a_narrow_screen(tmp_path):
    """A narrow screen shows nothing wider than it, and a new size is drawn at once; controls and
    hidden characters of a fact are spelled out."""
    seed([{"content": WILD, "id": "0" * 26}])
    child = opened("--own", tmp_path=tmp_path, size=(12, 40), NO_COLOR="1")
    child.expect("take")
    child.expect("\x1b\\[\\?2026l")
    frame = child.before
    assert "\x1b[31m" not in frame and "\x07" not in frame and "\u202e" not in frame
    assert "\x1b[7m" not in frame and "\x1b[2m" not in frame
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", frame).split("\r\n")
    assert len(lines) <= 12 and max(map(cell_len, lines)) < 40
    child.setwinsize(30, 100)
    child.expect("esc leave")
    child.send("\x1b")
    ended(child)


def test_a_terminal_that_goes_away(stored, tmp_path):
    """A signal to end gives the screen back before the end."""
    child = opened("--own", tmp_path=tmp_path)
    child.expect("enter")
    child.kill(15)
    assert ended(child) == ("", 130)


def test_without_a_terminal(run, stored):
    """In a pipe, with --no-input and on a dumb terminal there is nobody to choose: 2 and a hint."""
    for words in ((), ("--no-input",), ("--json",), ("--quote", "bash")):
        done = run("pick", *words)
        assert (done.code, done.out) == (2, "")
        assert "tideline recall" in done.err


def test_dumb_terminal_and_nothing_stored(tmp_path):
    """A terminal without a cursor is refused, an empty memory is told."""
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
    """An old fzf, or one that fails, gives way to our own list, and that is said."""
    program = tmp_path / "bin" / "fzf"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "{version}" && exit\nexit 2\n')
    program.chmod(0o755)
    child = opened(tmp_path=tmp_path, PATH=f"{tmp_path}/bin:{os.environ['PATH']}")
    child.expect("m3 · enter")
    child.send("deploy\r")
    text, code = ended(child)
    assert code == 0 and "I deploy on Mondays\n" in text and why in text


def test_fzf_says_once_what_each_letter_would(stored, tmp_path, monkeypatch, capsys):
    """A note that each answer would repeat is left once for the end; deeds are all left."""
    told = tmp_path / "told"
    given = GlobalOptions()
    options = pick.Options()
    monkeypatch.setenv(offer.HANDED, by_fzf.handed(options, given, str(told)))
    monkeypatch.setattr(offer.live, "found", lambda *_, caution, **__: [
        caution(UnavailableError("no model"))][:0])
    for call in (("rows", "a"), ("rows", "ab"), *[("pin", "0" * 25 + "1")] * 2):
        assert door.run(call) == 0
    assert told.read_text().splitlines() == [
        "answered by words alone: no model", "pinned " + "0" * 25 + "1",
        "unpinned " + "0" * 25 + "1",
    ]  # fmt: skip
    assert door.run(("show", "nothing")) == 1
    assert "no such id" in capsys.readouterr().out


def test_the_hidden_word_alone_does_nothing(run):
    """`__pick` without a list that has started it is refused."""
    assert run("__pick", "rows", "x").code == 2


def facts_of(*texts):
    return [fact(text, "0" * 26) for text in texts]


@settings(max_examples=often(20, 60))
@given(
    texts=st.lists(st.text(max_size=120), max_size=12), typed=st.text(max_size=60),
    columns=st.integers(1, 120), rows=st.integers(1, 40), downs=st.integers(0, 15),
    said=st.text(max_size=9),
)
def test_no_screen_is_overrun(texts, typed, columns, rows, downs, said):
    """Whatever is stored and typed, no line is wider than the screen, there are not more of them,
    and none holds a control character."""
    state = Choosing(typed)
    state.answered(facts_of(*(text for text in texts if "\x00" not in text)))
    for _ in range(downs):
        state.pressed("down")
    state.said = said
    picture = screen.drawn(state, Size(columns, rows, False), now=NOW)
    assert len(picture.lines) <= rows
    for line in picture.lines:
        assert cell_len(line) <= max(columns, 4)
        assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in line)


@given(st.binary(max_size=40))
def test_any_bytes_are_keys(raw):
    """No bytes of a terminal make the list fail, and all of them are taken in the end."""
    found, rest = keys.keys_of(raw, is_all=False)
    more, left = keys.keys_of(rest, is_all=True)
    assert left == b"" or keys.is_paste(left)
    assert all(len(key) == 1 or key.isascii() for key in (*found, *more))


def test_keys():
    """Letters, sequences, a paste, and a sequence that comes in two parts."""
    assert keys.keys_of("aé日".encode(), is_all=False) == (["a", "é", "日"], b"")
    assert keys.keys_of(b"\x1b[A\x1bOB\r\x7f", is_all=False)[0] == [
        "up", "down", "choose", "backspace",
    ]  # fmt: skip
    assert keys.keys_of(b"\x1b[200~a\nb\x1b[201~", is_all=False) == (["a", " ", "b"], b"")
    assert keys.keys_of(b"\x1b[200~a\x1b", is_all=True) == ([], b"\x1b[200~a\x1b")
    assert keys.keys_of(b"x\x1b[", is_all=False) == (["x"], b"\x1b[")
    assert keys.keys_of(b"\x1b", is_all=True) == (["leave"], b"")
    assert keys.keys_of("é".encode()[:1], is_all=False) == ([], "é".encode()[:1])


@pytest.mark.parametrize("piece", [1 << 16, 4095, 4096, 4097])
def test_a_paste_that_is_too_long_takes_no_room(piece):
    """Wherever the parts end, such a paste is one key, what follows is keys again, and no more is
    kept of it than may be asked."""
    raw, left = b"\x1b[200~" + b"a\r" * 100_000 + b"\x1b[201~b\r", b""
    found: list[str] = []
    for start in range(0, len(raw), piece):
        more, left = keys.keys_of(left + raw[start : start + piece], is_all=False)
        found += more
        assert len(left) <= 1 << 16
    assert (found, left) == (["too-long", "b", "choose"], b"")


def test_editing_the_question():
    """The line is edited as in a shell."""
    state = Choosing("one two")
    for key, wanted, cursor in (
        ("cut-word", "one ", 4), ("t", "one t", 5), ("home", "one t", 0), ("delete", "ne t", 0),
        ("end", "ne t", 4), ("left", "ne t", 3), ("cut-right", "ne ", 3), ("cut-left", "", 0),
        ("backspace", "", 0),
    ):  # fmt: skip
        state.pressed(key)
        assert (state.text, state.cursor) == (wanted, cursor)


def test_moving_in_the_list():
    """Pages and ends are kept within the list, and a long fact is scrolled."""
    state = Choosing("")
    state.answered(facts_of(*map(str, range(25))))
    screen.drawn(state, Size(40, 12, False), now=NOW)
    for key, place in (("up", 0), ("page-down", state.page), ("last", 24), ("down", 24),
                       ("page-up", 24 - state.page), ("first", 0)):  # fmt: skip
        state.pressed(key)
        assert state.place == place
    state.answered(facts_of("\n".join(map(str, range(50)))))
    state.pressed("scroll-down")
    lines = screen.drawn(state, Size(40, 12, False), now=NOW).lines
    assert "1" in lines and "0" not in lines[-5:]


def test_untrusted_facts_say_so():
    """The view names who said it, and whether that one is trusted."""
    doubtful = fact("x", "0" * 26, source="retrieved_document")
    assert any("retrieved_document, untrusted" in line
               for line in offer.shown_lines(doubtful, now=NOW))  # fmt: skip


def test_what_has_ended_says_so():
    """Both lists mark it in front of its text, and the view among its labels."""
    permit = fact("parking permit", "0" * 26, valid_to=NOW - DAY)
    state = Choosing("")
    state.answered([permit, fact("boiler", "1" * 26)])
    shown = screen.drawn(state, Size(60, 12, False), now=NOW).lines
    mark = f"(ended {instant.short_day(NOW - DAY, now=NOW)}) parking permit"
    assert sum(mark in line for line in shown) == 1
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
    assert terminal.copy_to_clipboard("an id", write) == "xclip"
    assert os.read(read, 99) == b"\x1b]52;c;YW4gaWQ=\x07"
    assert (tmp_path / "got").read_text() == "an id"
    monkeypatch.delenv("DISPLAY")
    assert terminal.copy_to_clipboard("an id", write) == "terminal"
