"""The completion files at work in their real shells, where those are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pexpect
import pytest

from tests.support import ROOT
from tideline_cli.cli.commands import COMMANDS
from tideline_cli.model.fact import SEGMENTS

FOLDER = ROOT / "completions"
SHELLS = ["bash", "fish", "powershell", "zsh"]
MODES = ["hybrid", "keyword", "semantic"]
CASES = [
    ("tideline ", sorted(COMMANDS)),
    ("tideline rec", ["recall"]),
    ("tideline --db x.db rec", ["recall"]),
    ("tideline --db=x.db --json -q rec", ["recall"]),
    ("tideline --db recall rec", ["recall"]),
    ("tideline --origin channel:a/b/c rec", ["recall"]),
    ("tideline --color ", ["always", "auto", "never"]),
    ("tideline --vers", ["--version"]),
    ("tideline recall --mod", ["--mode"]),
    ("tideline recall --mode ", MODES),
    ("tideline recall --mode s", ["semantic"]),
    ("tideline recall deploy --mode ", MODES),
    ("tideline recall -qn 5 --mode ", MODES),
    ("tideline recall --tag man --mode ", MODES),
    ("tideline recall --no-i", ["--no-input"]),
    ("tideline recall list --life", []),
    ("tideline recall --bogus", []),
    ("tideline recall man ", []),
    ("tideline remember --segment ", sorted(SEGMENTS)),
    ("tideline remember -s pre", ["preference"]),
    ("tideline remember --segment pre", ["preference"]),
    ("tideline completions ", SHELLS),
    ("tideline completions bash ", []),
    ("tideline --json completions z", ["zsh"]),
    ("tideline config ", ["edit", "get", "list", "path", "set", "trust", "unset", "untrust"]),
    ("tideline config get ", []),
    ("tideline man rec", ["recall"]),
    ("tideline import fac", ["facts.jsonl"]),
    ("tideline export -o fac", ["facts.jsonl"]),
]

needs = {
    name: pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")
    for name in ("bash", "fish", "zsh")
}


@pytest.fixture
def place(tmp_path):
    """A folder with one file, where the shells start; and a tideline that no TAB may start."""
    folder = tmp_path / "place"
    folder.mkdir()
    (folder / "facts.jsonl").touch()
    program = tmp_path / "bin" / "tideline"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n", encoding="utf-8")
    program.chmod(0o755)
    yield folder
    assert not (tmp_path / "started").exists()


def surroundings(tmp_path):
    """The environment of a shell that has a home of its own; fish wants to find the program."""
    path = f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}"
    return {"HOME": str(tmp_path), "ZDOTDIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path),
            "PATH": path, "TERM": "dumb", "LC_ALL": "C.UTF-8"}  # fmt: skip


def asked(shell, line):
    """Type a line and TAB; return the matches that the shell's probe shows, and clear the line."""
    shell.send(line + "\t")
    shell.expect(r"<<([^>]*)>>")
    shell.send("\x15")
    return sorted(shell.match[1].split())


def bash_shell(tmp_path, place, probe):
    (tmp_path / "rc").write_text(
        f"source {FOLDER}/tideline.bash\nPS1='READY> '\nbind 'set bell-style none'\n"
        f"bind 'set enable-bracketed-paste off'\n{probe}",
        encoding="utf-8",
    )
    shell = pexpect.spawn(
        "bash", ["--noprofile", "--rcfile", str(tmp_path / "rc"), "-i"], encoding="utf-8",
        env=surroundings(tmp_path), cwd=str(place), timeout=20, dimensions=(60, 200),
    )  # fmt: skip
    shell.expect("READY> ")
    return shell


PROBE = """
probe() { _tideline "$@"; echo "<<${COMPREPLY[*]}>>"; }
compopt() { return 1; }
complete -F probe tideline
"""


@needs["bash"]
def test_bash(tmp_path, place):
    """bash completes commands, options, values and files, whatever stands before them."""
    shell = bash_shell(tmp_path, place, PROBE)
    assert {line: asked(shell, line) for line, _ in CASES} == dict(CASES)
    shell.close(force=True)


@needs["bash"]
@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("tideline recall --mode=key", "tideline recall --mode=keyword "),
        ("tideline --color=al", "tideline --color=always "),
        ("tideline import fac", "tideline import facts.jsonl "),
        ("tideline --db=fac", "tideline --db=facts.jsonl "),
        ('tideline remember --segment "pre', 'tideline remember --segment "preference" '),
    ],
)
def test_bash_inserts(typed, wanted, tmp_path, place):
    """bash puts the match into the line, also behind an equals sign and a quote."""
    shell = bash_shell(tmp_path, place, "")
    shell.send(typed + "\t")
    shell.send("|\x01printf '<<%s>>' '\x05'\r")  # what stands in the line, printed
    shell.expect(r"\r\n<<([^>]*)\|>>")
    assert shell.match[1] == wanted
    shell.close(force=True)


@needs["bash"]
def test_bash_by_a_direct_call():
    """The function works on words that were not cut at an equals sign, and on those that were."""
    script = (
        f"source {FOLDER}/tideline.bash; COMP_LINE=$1; COMP_POINT=${{#1}}; shift; "
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tideline; printf "%s" "${COMPREPLY[*]}"'
    )

    def called(line, *words):
        argv = ["bash", "--norc", "-c", script, "bash", line, *words]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout

    line = "tideline remember --segment=pre"
    assert called(line, "tideline", "remember", "--segment", "=", "pre") == "preference"
    assert called(line, "tideline", "remember", "--segment=pre") == "--segment=preference"
    assert called("tideline rec", "tideline", "rec") == "recall"


@needs["fish"]
@pytest.mark.parametrize(("line", "wanted"), CASES)
def test_fish(line, wanted, tmp_path, place):
    """fish completes commands, options, values and files from its completions folder."""
    folder = tmp_path / "fish" / "completions"
    folder.mkdir(parents=True)
    shutil.copy(FOLDER / "tideline.fish", folder)
    done = subprocess.run(
        ["fish", "-c", 'complete -C "$argv"', line],
        capture_output=True, text=True, check=False, cwd=place, env=surroundings(tmp_path),
    )  # fmt: skip
    assert done.stderr == ""
    assert sorted(row.split("\t")[0] for row in done.stdout.splitlines()) == wanted


@needs["fish"]
def test_fish_shows_summaries(tmp_path, place):
    """fish shows the summary beside a command."""
    folder = tmp_path / "fish" / "completions"
    folder.mkdir(parents=True)
    shutil.copy(FOLDER / "tideline.fish", folder)
    done = subprocess.run(
        ["fish", "-c", 'complete -C "tideline rec"'],
        capture_output=True, text=True, check=True, cwd=place, env=surroundings(tmp_path),
    )  # fmt: skip
    assert done.stdout == f"recall\t{COMMANDS['recall'].summary}\n"


ZSH_PROBE = """
PS1='READY> '
compadd() {
    # Calls with -O, -A or -D ask for an array and add nothing.
    local -a hits
    if [[ ${argv[1,(i)(-|--)]} != *-[[:alnum:]]#[OAD]\\ * ]]; then
        builtin compadd -O hits "$@"
        found+=($hits)
    fi
    builtin compadd "$@"
}
probe() { found=(); zle complete-word; print "<<$found>>"; zle send-break }
typeset -a found
setopt extended_glob
zle -N probe
bindkey '^I' complete-word
bindkey '^T' probe
"""


def zsh_shell(tmp_path, place, *start):
    rc = "\n".join((*start, ZSH_PROBE))
    (tmp_path / ".zshrc").write_text(rc, encoding="utf-8")
    shell = pexpect.spawn(
        "zsh", ["-d", "-i"], encoding="utf-8", env=surroundings(tmp_path), cwd=str(place),
        timeout=20, dimensions=(60, 200),
    )  # fmt: skip
    shell.expect("READY> ")
    return shell


def zsh_asked(shell, line):
    shell.send(line + "\x14")
    shell.expect(r"<<([^>]*)>>")
    found = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shell.match[1]).replace("\\:", ":").split()
    shell.expect("READY> ")
    return sorted({word.split(":")[0].rstrip("=") for word in found})


@needs["zsh"]
@pytest.mark.parametrize("way", ["fpath", "sourced", "evaluated"])
def test_zsh(way, tmp_path, place):
    """zsh completes commands, options, values and files, from $fpath and when sourced."""
    compinit = f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump"
    start = {
        "fpath": (f"fpath=({FOLDER} $fpath)", compinit),
        "sourced": (compinit, f"source {FOLDER}/_tideline"),
        "evaluated": (compinit, f'eval "$(cat {FOLDER}/_tideline)"'),
    }[way]
    shell = zsh_shell(tmp_path, place, *start)
    assert {line: zsh_asked(shell, line) for line, _ in CASES} == dict(CASES)
    shell.close(force=True)


@needs["zsh"]
def test_zsh_before_compinit(tmp_path):
    """Sourced where there is no compinit, the file says nothing and does no harm."""
    done = subprocess.run(
        ["zsh", "-d", "-f", "-c", f"source {FOLDER}/_tideline; echo done"],
        capture_output=True, text=True, check=True, env=surroundings(tmp_path),
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("done\n", "")


@needs["zsh"]
def test_zsh_inserts(tmp_path, place):
    """zsh puts a value into the line behind an equals sign."""
    compinit = f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump"
    shell = zsh_shell(tmp_path, place, f"fpath=({FOLDER} $fpath)", compinit)
    shell.send("tideline recall --mode=key\t")
    shell.send('\x01: \x05; print "<<$_>>"\r')
    shell.expect(r"\n<<([^>]*)>>")
    assert shell.match[1] == "--mode=keyword"
    shell.close(force=True)
