"""The completion files at work in their real shells, where those are installed."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "completions")

CASES = [
    ("tideline rec", ["recall"]),
    ("tideline --db x.db rec", ["recall"]),
    ("tideline recall --mod", ["--mode"]),
    ("tideline recall --mode ", ["hybrid", "keyword", "semantic"]),
    ("tideline remember --segment pre", ["preference"]),
    ("tideline --color ", ["always", "auto", "never"]),
    ("tideline completions ", ["bash", "fish", "powershell", "zsh"]),
]

needs = {
    name: pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")
    for name in ("bash", "fish", "zsh")
}


@needs["bash"]
@pytest.mark.parametrize(("line", "wanted"), CASES)
def test_bash(line, wanted):
    """bash completes commands, options and values."""
    script = (
        f"source {FOLDER}/tideline.bash; "
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tideline; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    words = line.split(" ")
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", *words], capture_output=True, text=True, check=True
    )
    assert sorted(set(done.stdout.split())) == wanted


@needs["bash"]
def test_bash_completes_behind_an_equals_sign():
    """bash completes the value in --mode=key, whichever way the shell splits it."""
    script = (
        f"source {FOLDER}/tideline.bash; "
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tideline; printf "%s" "${COMPREPLY[*]}"'
    )
    command = ["bash", "--norc", "-c", script, "bash", "tideline", "recall"]
    one = subprocess.run([*command, "--mode=key"], capture_output=True, text=True, check=True)
    three = subprocess.run(
        [*command, "--mode", "=", "key"], capture_output=True, text=True, check=True
    )
    assert (one.stdout, three.stdout) == ("--mode=keyword", "keyword")


@needs["fish"]
@pytest.mark.parametrize(("line", "wanted"), CASES)
def test_fish(line, wanted, tmp_path):
    """fish completes commands, options and values from its completions folder."""
    folder = tmp_path / "fish" / "completions"
    folder.mkdir(parents=True)
    shutil.copy(os.path.join(FOLDER, "tideline.fish"), folder)
    program = tmp_path / "bin" / "tideline"  # fish loads completions of commands that exist
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["fish", "-c", f"complete -C '{line}'"],
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path), "PATH": path},
        cwd=program.parent,
        check=True,
    )
    assert sorted(row.split("\t")[0] for row in done.stdout.splitlines()) == wanted


@needs["zsh"]
@pytest.mark.parametrize(("line", "wanted"), CASES)
def test_zsh_from_fpath(line, wanted, tmp_path):
    """zsh loads _tideline from $fpath, and completes commands, options and values."""
    pexpect = pytest.importorskip("pexpect")
    functions = tmp_path / "functions"
    functions.mkdir()
    shutil.copy(os.path.join(FOLDER, "_tideline"), functions)
    (tmp_path / ".zshrc").write_text(
        f"fpath=({functions} $fpath)\n"
        f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump\n"
        "PS1='READY> '\nunsetopt always_last_prompt\nLISTMAX=999\n"
        # Shows what would be inserted: the list of matches, then a mark.
        "finish() { zle -M DONE }\nzle -N finish\nbindkey '^X' finish\n",
        encoding="utf-8",
    )
    shell = pexpect.spawn(
        "zsh",
        ["-i"],
        env={"ZDOTDIR": str(tmp_path), "HOME": str(tmp_path), "PATH": os.environ["PATH"],
             "TERM": "dumb"},
        encoding="utf-8",
        timeout=20,
        dimensions=(60, 200),
    )  # fmt: skip
    shell.expect("READY> ")
    shell.send(line + "\t\x18")
    shell.expect("DONE")
    shown = shell.before
    shell.close(force=True)
    for word in wanted:
        assert word in shown
