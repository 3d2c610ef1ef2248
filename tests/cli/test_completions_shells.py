"""The completion files at work in their real shells, where those are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time

import pexpect
import pytest

from tests.conftest import run_main
from tests.support import ROOT, seed
from tideline_cli.cli.commands import COMMANDS
from tideline_cli.model.fact import SEGMENTS

FOLDER = ROOT / "completions"
SHELLS = ["bash", "fish", "powershell", "zsh"]
MODES = ["hybrid", "keyword", "points", "semantic"]
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
    ("tideline config ", ["edit", "get", "list", "path", "profiles", "set", "trust", "unset",
                          "untrust"]),
    ("tideline feedback @1 ", ["down", "up"]),
    ("tideline man rec", ["recall"]),
    ("tideline import fac", ["facts.jsonl"]),
    ("tideline export -o fac", ["facts.jsonl"]),
]

needs = {
    name: pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")
    for name in ("bash", "fish", "zsh")
}


def a_place(tmp_path, program):
    """Make a folder with one file, where the shells start, and a tideline on their path."""
    folder = tmp_path / "place"
    folder.mkdir()
    (folder / "facts.jsonl").touch()
    path = tmp_path / "bin" / "tideline"
    path.parent.mkdir()
    path.write_text(program, encoding="utf-8")
    path.chmod(0o755)
    return folder


@pytest.fixture
def place(tmp_path):
    """A place with a tideline that no TAB may start: values of the memory alone need one."""
    yield a_place(tmp_path, f"#!/bin/sh\ntouch {tmp_path}/started\n")
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
    shell.delaybeforesend = None  # what is typed waits in the terminal
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
    assert done.stdout == f"recall\t{COMMANDS['recall'][1]}\n"


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
    shell.delaybeforesend = None
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

# Values of the memory: what a TAB behind each line offers.
STORED = [
    ("tideline list --slot ", ["deploy_day", "pg"]),
    ("tideline list --slot d", ["deploy_day"]),
    ("tideline list --slot=d", ["deploy_day"]),
    ("tideline remember x --tag ", ["a:b", "ops"]),
    ("tideline remember x -t o", ["ops"]),
    ("tideline recall x --tag a:", ["a:b"]),
    ("tideline recall x --scope ", ["work/api"]),
    ("tideline --db other.db list --slot ", ["elsewhere"]),
    ("tideline --db=other.db list --slot ", ["elsewhere"]),
    ("tideline --db 'other.db' list --slot ", ["elsewhere"]),
    ("tideline --db $none list --slot ", []),
    ("tideline --origin channel:a/b/c list --slot ", ["foreign"]),
    ("tideline list --scope none --slot ", ["pg"]),
    ("tideline forget ", ["000BOB", "0ALICE"]),
    ("tideline forget 0ALICE ", ["000BOB"]),
    ("tideline forget 0A", ["0ALICE"]),
    ("tideline forget ALICE", ["000000000000000000000ALICE"]),
    ("tideline restore ", ["0CAROL"]),
    ("tideline show ", ["000BOB", "0ALICE", "0CAROL"]),
    ("tideline show 0ALICE ", []),
    ("tideline link 0ALICE ", ["000BOB"]),
    ("tideline edit 0ALICE ", []),
    ("tideline undo ", ["1", "2"]),
    ("tideline undo 1", ["1"]),
    ("tideline list --batch ", ["1", "2"]),
    ("tideline config get lim", ["limit"]),
    ("tideline config get ana", ["analyzer"]),
    ("tideline config unset ana", []),
    ("tideline config set color ", ["always", "auto", "never"]),
    ("tideline config trust ", []),
    ("tideline config set scope w", ["work/api"]),
]


def stored_fact(ending, text, **given):
    return {"id": "0" * 20 + ending, "content": text, **given}


@pytest.fixture
def stored(tmp_path):
    """A place with the real tideline, and a memory; no TAB may start another command of it."""
    calls = tmp_path / "calls"
    folder = a_place(
        tmp_path,
        f"#!/bin/sh\necho \"$1\" >> {calls}\nexport TIDELINE_HOME={tmp_path}/home\n"
        f'PYTHONPATH={ROOT} exec {sys.executable} -m tideline_cli "$@"\n',
    )
    seed([
        stored_fact("0ALICE", "Alice deploys on Fridays", slot="deploy_day", scope="work/api",
                    tags=["ops"], created_at="2025-03-01"),
        stored_fact("000BOB", "Postgres is at 17", slot="pg", tags=["ops", "a:b"],
                    created_at="2025-02-01"),
    ])  # fmt: skip
    seed([stored_fact("0CAROL", "Carol has left", lifecycle="archived")])
    run_main("remember", "a secret", "--slot", "foreign", "--origin", "channel:a/b/c")
    run_main("remember", "x", "--slot", "elsewhere", "--db", str(folder / "other.db"))
    yield folder
    assert set(calls.read_text().split()) == {"__complete"}  # a TAB was pressed


@needs["bash"]
@pytest.mark.file_alone("values are offered from a file alone, which answers at once")
def test_bash_offers_values(tmp_path, stored):
    """bash completes slots, tags, scopes, ids, batches and settings from the memory."""
    shell = bash_shell(tmp_path, stored, PROBE)
    wanted = dict(STORED) | {"tideline recall x --tag a:": ["b"]}  # the piece behind the colon
    assert {line: asked(shell, line) for line, _ in STORED} == wanted
    shell.close(force=True)


@needs["fish"]
@pytest.mark.file_alone("values are offered from a file alone, which answers at once")
def test_fish_offers_values(tmp_path, stored):
    """fish does so too, and shows what each value is."""
    folder = tmp_path / "fish" / "completions"
    folder.mkdir(parents=True)
    shutil.copy(FOLDER / "tideline.fish", folder)

    def offered(line):
        done = subprocess.run(
            ["fish", "-c", 'complete -C "$argv"', line],
            capture_output=True, text=True, check=False, cwd=stored, env=surroundings(tmp_path),
        )  # fmt: skip
        assert done.stderr == ""
        return done.stdout.splitlines()

    found = {line: sorted(row.split("\t")[0] for row in offered(line)) for line, _ in STORED}
    with_equals = "tideline list --slot=d"
    assert found == dict(STORED) | {with_equals: ["--slot=deploy_day"]}
    assert offered("tideline forget ") == [
        "0ALICE\tAlice deploys on Fridays", "000BOB\tPostgres is at 17",
    ]  # fmt: skip


@needs["zsh"]
@pytest.mark.file_alone("values are offered from a file alone, which answers at once")
def test_zsh_offers_values(tmp_path, stored):
    """zsh does so too."""
    compinit = f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump"
    shell = zsh_shell(tmp_path, stored, f"fpath=({FOLDER} $fpath)", compinit)
    found = {line: zsh_asked(shell, line) for line, _ in STORED}
    wanted = dict(STORED)
    for line in found:
        # The probe cuts at colons, where zsh has descriptions.
        wanted[line] = sorted({value.split(":")[0] for value in wanted[line]})
    assert found == wanted
    shell.close(force=True)


EVIL = "x$(touch run)`touch run`;touch run 'a\"b"


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs[name]) for name in needs])
@pytest.mark.file_alone("values are offered from a file alone, which answers at once")
def test_a_value_that_reads_as_a_command_is_inserted_as_a_word(name, tmp_path, stored):
    """A tag that an import brought in is one quoted word in the line, in each shell."""
    seed([stored_fact("0MARY0", "Mary", tags=[EVIL])])
    shown = tmp_path / "shown"
    program = tmp_path / "bin" / "tideline"
    program.write_text(
        program.read_text().replace("\n", f"\n[ $1 = list ] && printf %s \"$3\" > {shown}; "
                                    f"[ $1 = list ] && exit\n", 1)
    )  # fmt: skip
    if name == "bash":
        shell = bash_shell(tmp_path, stored, "")
    elif name == "zsh":
        compinit = f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump"
        shell = zsh_shell(tmp_path, stored, f"fpath=({FOLDER} $fpath)", compinit)
    else:
        (tmp_path / "fish" / "completions").mkdir(parents=True)
        shutil.copy(FOLDER / "tideline.fish", tmp_path / "fish" / "completions")
        start = "function fish_prompt; echo -n 'READY> '; end; set fish_greeting"
        shell = pexpect.spawn(
            "fish", ["-C", start], encoding="utf-8", env=surroundings(tmp_path), cwd=str(stored),
            timeout=20, dimensions=(60, 200),
        )  # fmt: skip
        shell.expect("READY> ")
    shell.send("tideline list --tag x\t")
    shell.expect("touch")
    time.sleep(0.3)
    shell.send("\r")
    deadline = time.monotonic() + 20
    while not shown.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    shell.send("exit\r")
    shell.close(force=True)
    assert shown.read_text() == EVIL
    assert not (stored / "run").exists()


@needs["bash"]
@pytest.mark.parametrize("quote", ["'", '"'])
@pytest.mark.file_alone("values are offered from a file alone, which answers at once")
def test_bash_offers_plain_values_inside_of_quotes(quote, tmp_path, stored):
    """What quotes would not hold together is not put between quotes."""
    seed([stored_fact("0MARY0", "Mary", tags=[EVIL, "xy"])])
    shell = bash_shell(tmp_path, stored, PROBE)
    assert asked(shell, f"tideline list --tag {quote}x") == ["xy"]
    shell.close(force=True)


@needs["bash"]
@pytest.mark.file_alone("values are offered from a file alone, which answers at once")
def test_bash_lists_what_values_are(tmp_path, stored):
    """A second TAB where nothing can be added lists ids with the first words of the facts, and
    inserts none."""
    shell = bash_shell(tmp_path, stored, "")
    for keys in ("tideline forget 0\t", "\t"):
        shell.send(keys)
        time.sleep(0.5)
    shell.expect(r"0ALICE +Alice deploys on Fridays")
    shell.expect(r"000BOB +Postgres is at 17")
    shell.close(force=True)
