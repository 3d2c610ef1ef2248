"""A stored text in a shell's line is data, whatever is open before it."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import often
from tideline_cli.cli.commands.init import SHELLS, as_word

EVIL = (
    "$(evil)", "`evil`", "'; evil; '", '"; evil; "', "a\nevil\n", "\\",
    "x'$(evil)\"`evil`", "a\\\n; evil", "& evil &", "| evil", "(evil)",
    ">run", "\x1b[31m\ttab", "!! !evil $!", "a\u202eb", "{evil,x}", "~ * ? [a]", "# run", "",
    "日本 🎈", "^a^b", "$'\\n'; evil", "%s\\n", "=evil", "it's $HOME",
    "\\;evil", "\\\\;evil", "\\`evil\\`", "x;evil;x", "a$(evil)b", "x\\\\`evil`", ";evil #",
)  # fmt: skip
BEFORE = ("", "x", '"', "'", "$'", '"$(echo "', "$(echo ", "# ", "x\\", '"a" ', "\"'", "'a' ", "`",
          "\"$(echo '", "${x:-", "{", "<<<", "`echo ", '"`echo ', "`echo \\`", "x\\\\",
          "'\\", "$'it\\'s'; ", "'it\\'s'; ", "# don't\n", "<<E\ndon't\nE\n", "`echo ",
          "x; : !\"", "' '; ")  # fmt: skip
TAME = ("I deploy on Mondays", "Lena's birthday", "house", "a/b.c:80", "是 什么?", "evil now", "")

needs = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason="not installed"))
    for name in SHELLS
]


@pytest.fixture
def empty(tmp_path):
    """A folder in which nothing is, and where whatever ran would leave a file."""
    folder, programs = tmp_path / "place", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    (programs / "evil").write_text(f"#!/bin/sh\necho > {folder}/ran\n")
    (programs / "evil").chmod(0o755)
    return folder


def run(shell, lines, folder):
    """Let a shell read each of the lines by itself, whole or not; return what it prints."""
    plain = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    read = {"bash": 'while IFS= read -r -d "" line; do eval "$line"; done',
            "zsh": 'while IFS= read -r -d "" line; do eval "$line"; done',
            "fish": "while read -z line; eval $line; end"}[shell]  # fmt: skip
    path = f"{folder.parent}/bin:/usr/bin:/bin"
    done = subprocess.run(
        [shell, *plain, "-c", read], input="".join(line + "\0" for line in lines), text=True,
        capture_output=True, check=False, cwd=folder, timeout=60,
        env={"PATH": path, "HOME": "/", "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("shell", needs)
def test_a_shell_reads_the_text_that_was_quoted(shell, empty):
    """Behind a line without quotes the word is the text, to the letter."""
    lines = [
        "printf '<%s>' " + as_word(text, shell, before="printf '<%s>' ")
        for text in (*EVIL, *TAME) if text
    ]  # fmt: skip
    wanted = "".join(f"<{text}>" for text in (*EVIL, *TAME) if text)
    assert run(shell, lines, empty) == wanted
    assert list(empty.iterdir()) == []


@pytest.mark.sampled(6)
@pytest.mark.parametrize("shell", needs)
@pytest.mark.parametrize("after", ["", "'", '"', '")', ")", "`"])
def test_nothing_of_a_text_is_run_whatever_is_open(shell, after, empty):
    """Inside of quotes, substitutions and comments, closed or not, no text does anything."""
    lines = [
        "printf %s " + before + as_word(text, shell, before=before) + after
        for before in BEFORE for text in (*EVIL, *TAME) if " " in text or text in EVIL
    ]  # fmt: skip
    run(shell, lines, empty)
    assert list(empty.iterdir()) == []


@pytest.mark.sampled(6)
@pytest.mark.parametrize("shell", needs)
@pytest.mark.parametrize("opened", ["'\n", '"\n', "$(\n", "; x='\n", '; x="\n', "`\n"])
def test_nothing_is_run_behind_a_line_that_the_shell_did_not_tell(shell, opened, empty):
    """bash tells the line of the cursor alone: what was opened above it may be closed by it."""
    told = "" if shell == "bash" else opened
    lines = [
        f"printf %s {opened}{before}" + as_word(text, shell, before=told + before) + after
        for before in ("", '"', "'", '" ', "'; ", '"; ')
        for text in (*EVIL, *TAME, "my evil now") if " " in text or text in EVIL
        for after in ("", '"', "'", "`")
    ]  # fmt: skip
    run(shell, lines, empty)
    assert list(empty.iterdir()) == []


@pytest.mark.parametrize("shell", needs)
def test_a_variable_of_a_text_is_not_read_between_backticks(shell, empty):
    """Between backticks a backslash is taken off before the line is read a second time."""
    line = "printf %s x`echo "
    word = as_word("$HOME; b", shell, before=line)
    if shell != "fish":  # to which a backtick is a letter
        assert run(shell, [f"{line}{word}`"], empty) == "x$HOME;b"
    assert list(empty.iterdir()) == []


def test_harmless_texts_look_as_a_person_would_type_them():
    """Words stand bare everywhere, sentences in quotes where nothing can be open."""
    for shell in SHELLS:
        assert as_word("house", shell, before="echo ") == "house"
        assert as_word("house", shell, before='echo "') == "house"
        assert as_word("I deploy", shell, before="echo 'it: ") == "I\\ deploy"
        assert as_word("Lena's day", shell, before='claude "') == "Lena\\'s\\ day"
    for shell in ("zsh", "fish"):
        assert as_word("I deploy", shell, before="echo ") == "'I deploy'"
        assert as_word("Lena's day", shell, before="echo ") == '"Lena\'s day"'
    assert as_word("I deploy", "bash", before="echo ") == "I\\ deploy"
    assert as_word("a\nb", "bash", before="") == "a$'\\n'b"
    assert as_word("a\nb", "fish", before="") == "a\\nb"


@settings(max_examples=often(75, 300))
@given(text=st.text(), before=st.text(max_size=8), shell=st.sampled_from(SHELLS))
def test_no_raw_control_or_operator_is_left(text, before, shell):
    """What is put into the line is printable, and each sign of the shell's has a backslash."""
    word = as_word(text, shell, before=before)
    assert word.isprintable()
    bare = word.replace("$'", "").replace("\\\\", "")
    for sign in "$`;&|<>()!*":
        assert bare.count(sign) == bare.count("\\" + sign)
