"""`tideline init`: what a shell reads when it starts, in real shells."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time

import pexpect
import pytest

from tests.cli.test_completions_shells import a_place, surroundings
from tests.cli.test_pick import PROMPT
from tests.support import ROOT, seed
from tideline_cli.cli.commands import init
from tideline_cli.errors import UsageError

SHELLS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason="not installed"))
    for name in ("bash", "zsh", "fish")
]
QUIET = {"bash": ["--noprofile", "--norc"], "zsh": ["-d", "-f"], "fish": ["--no-config"]}
LOAD = {"bash": 'eval "$(tideline init bash)"', "zsh": 'eval "$(tideline init zsh)"',
        "fish": "tideline init fish | source"}  # fmt: skip
EVIL = "x'$(touch run)`touch run`\"; touch run\n!! !touch \\ \x1b[31m end"


@pytest.fixture
def place(tmp_path):
    """A folder with a real tideline on the path, whose list is numbered."""
    return a_place(
        tmp_path,
        f"#!/bin/sh\nexport TIDELINE_HOME={tmp_path}/home PYTHONPATH={ROOT}\n"
        '[ "$1" = pick ] && set -- "$@" --own\n'
        f'exec {sys.executable} -m tideline_cli "$@"\n',
    )


def called(shell, script, tmp_path, place, *flags):
    return subprocess.run(
        [shell, *QUIET[shell], *flags, "-c", script], capture_output=True, text=True, check=False,
        cwd=place, env=surroundings(tmp_path), timeout=30,
    )  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script(run, shell):
    """The script of each shell is printed, with a key, another one, or none; as JSON too."""
    usual = run("init", shell).out
    assert "tideline pick --quote " + shell in usual and "#@" not in usual
    assert "tideline pick" not in run("init", shell, "--no-key").out
    other = run("init", shell, "--key", "ctrl-x m").out
    spelled = {"bash": '"\\C-xm"', "zsh": "'^Xm'", "fish": "\\cxm"}[shell]
    assert spelled in other
    form = json.loads(run("init", shell, "--json").out)
    assert form == {"shell": shell, "key": "alt-m", "script": usual}


def test_unknown(run):
    """Another shell, two of them, and --key beside --no-key are refused with a hint."""
    for words in (("tcsh",), ("bash", "zsh")):
        done = run("init", *words)
        assert (done.code, done.out) == (2, "")
        assert "use one of bash, zsh, fish" in done.err
    assert "cannot go with" in run("init", "bash", "--no-key", "--key", "alt-m").err


def test_without_a_name_it_says_which(run, monkeypatch):
    """Without a shell it is the one that calls, else that of $SHELL, told on stderr; where that is
    none, an error."""
    parents = iter(("fish", "make", "make"))
    monkeypatch.setattr(init, "_parent", lambda: next(parents))
    monkeypatch.setenv("SHELL", "/bin/bash")
    assert "for fish, as it calls" in run("init").err
    monkeypatch.setenv("SHELL", "/bin/zsh")
    done = run("init")
    assert done.code == 0 and "zle" in done.out and "for zsh" in done.err
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert run("init").code == 2


@pytest.mark.parametrize("key", ["", "m", "ctrl-", "ctrl-c", "ctrl-m", "ctrl-i", "meta-m", "alt-m'",
                                 "ctrl-ctrl-a", "a b c d", "alt-$(x)", "alt-é"])  # fmt: skip
def test_what_is_no_key(key):
    """What no shell could bind, and what every line needs, is refused before it is printed."""
    for shell in ("bash", "zsh", "fish"):
        with pytest.raises(UsageError):
            init.typed_keys(key, shell)


@pytest.mark.parametrize("shell", SHELLS)
def test_manual_path(shell, tmp_path, place, monkeypatch):
    """Pages beside the program are added to MANPATH once, behind what stands there."""
    prefix = tmp_path / "it's a prefix"
    monkeypatch.setattr(sys, "prefix", str(prefix))
    assert "MANPATH" not in init.script_of(shell, key=None)
    prefix = tmp_path / "a prefix"
    (prefix / "share/man/man1").mkdir(parents=True)
    (prefix / "share/man/man1/tideline.1").touch()
    monkeypatch.setattr(sys, "prefix", str(prefix))
    script = init.script_of(shell, key=None)
    join = "string join : -- $MANPATH" if shell == "fish" else 'echo "$MANPATH"'
    for before, wanted in (("", f":{prefix}/share/man"), ("/x", f"/x:{prefix}/share/man")):
        (place / "script").write_text(script)
        env = surroundings(tmp_path) | ({"MANPATH": before} if before else {})
        done = subprocess.run(
            [shell, *QUIET[shell], "-i", "-c", f". ./script; . ./script; {join}"], text=True,
            capture_output=True, check=False, cwd=place, env=env, timeout=30,
        )  # fmt: skip
        assert done.stdout.strip() == wanted


@pytest.mark.parametrize("shell", SHELLS)
def test_in_a_script_it_does_nothing(shell, tmp_path, place):
    """Where nobody types nothing is defined and nothing said, also under set -eu, and twice."""
    strict = "" if shell == "fish" else "set -eu; "
    names = {"bash": "declare -F", "zsh": "print -l ${(k)functions}", "fish": "functions -a"}
    script = f"{strict}{LOAD[shell]}; {LOAD[shell]}; {names[shell]}; echo end"
    done = called(shell, script, tmp_path, place)
    assert done.stdout.endswith("end\n") and "tideline" not in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", SHELLS[:2])
def test_a_restricted_shell_takes_nothing(shell, tmp_path, place):
    """A restricted shell forbids what completion needs: it is left alone."""
    done = called(shell, f"{LOAD[shell]}; echo end", tmp_path, place, "-r", "-i")
    assert done.stdout == "end\n" and "restricted" not in done.stderr


READY = {"bash": "PS1='READY> '; bind 'set enable-bracketed-paste off'",
         "zsh": "PS1='READY> '; unsetopt zle_bracketed_paste prompt_sp",
         "fish": "function fish_prompt; echo -n 'READY> '; end; set -g fish_greeting"}  # fmt: skip


def interactive(shell, tmp_path, place, *, strict=False, before=""):
    """Start a shell that reads the script as its user's file would."""
    lines = [before, LOAD[shell], LOAD[shell], READY[shell]]
    env = surroundings(tmp_path) | {"TERM": "xterm-256color"}
    if strict and shell != "fish":
        lines.insert(1, "set -eu")
    if shell == "bash":
        (tmp_path / "rc").write_text("\n".join(lines))
        argv = ["--noprofile", "--rcfile", str(tmp_path / "rc"), "-i"]
    elif shell == "zsh":
        (tmp_path / ".zshrc").write_text("\n".join(lines))
        argv = ["-d", "-i"]
    else:
        argv = ["--no-config", "-i", "-C", "\n".join(lines)]
    child = pexpect.spawn(shell, argv, encoding="utf-8", env=env, cwd=str(place), timeout=20,
                          dimensions=(30, 200))  # fmt: skip
    child.expect("READY> ")
    return child


def until(path):
    deadline = time.monotonic() + 20
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.file_alone("shells with a home of their own")
def test_the_key_puts_a_fact_into_the_line_as_data(shell, tmp_path, place):
    """The key opens the list, words narrow it, a number inserts the fact as one quoted word
    at the cursor: `$(…)`, quotes, newlines and controls of it reach the program as they are."""
    seed([{"content": EVIL, "id": "0" * 26}, {"content": "another fact", "id": "1" * 26}])
    show = place.parent / "bin" / "show"
    show.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > {place}/shown\n')
    show.chmod(0o755)
    child = interactive(shell, tmp_path, place, strict=True)
    child.send("show a z")
    child.send("\x1b[D\x1b[D")  # the cursor stands behind the first word
    time.sleep(0.2)
    child.send(" \x1bm")
    child.expect_exact(PROMPT)
    child.send("touch\r")
    child.expect_exact(PROMPT)
    child.send("1\r")
    time.sleep(0.7)
    child.send("\r")
    until(place / "shown")
    time.sleep(0.1)
    child.close(force=True)
    assert (place / "shown").read_text() == f"a|{EVIL}|z|"
    assert not (place / "run").exists()


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.file_alone("shells with a home of their own")
def test_leaving_the_list_leaves_the_line(shell, tmp_path, place):
    """An empty answer gives the line back as it was, also in a shell that ends at errors."""
    seed([{"content": "a fact", "id": "0" * 26}])
    child = interactive(shell, tmp_path, place, strict=True)
    child.send("echo left > out\x1bm")
    child.expect_exact(PROMPT)
    child.send("\r")
    time.sleep(0.7)
    child.send("\r")
    until(place / "out")
    child.close(force=True)
    assert (place / "out").read_text() == "left\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_first_tab_loads_completion(shell, tmp_path, place):
    """TAB completes at once, and the second time without asking the program for its script."""
    compinit = f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump" if shell == "zsh" else ""
    child = interactive(shell, tmp_path, place, before=compinit)
    for _ in range(2):
        child.send("tideline completions powers\t")
        child.expect("hell")
        child.send("\x15")
    child.close(force=True)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_program_that_is_gone_is_silent_at_tab(shell, tmp_path, place):
    """Where tideline has been removed since, TAB says nothing and completes files."""
    compinit = f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump" if shell == "zsh" else ""
    child = interactive(shell, tmp_path, place, before=compinit)
    os.remove(tmp_path / "bin" / "tideline")
    child.send("tideline rec\t")
    time.sleep(0.5)
    child.send("\x15echo e''nd\r")
    child.expect("end\r\n")
    assert "not found" not in child.before and "Unknown command" not in child.before
    child.close(force=True)


def test_shellcheck():
    """The script for bash has nothing that shellcheck would warn of."""
    if shutil.which("shellcheck") is None:
        pytest.skip("not installed")
    script = init.script_of("bash", key="alt-m")
    done = subprocess.run(["shellcheck", "-s", "bash", "-"], input=script, text=True,
                          capture_output=True, check=False)  # fmt: skip
    assert done.stdout == ""
