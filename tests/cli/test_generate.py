"""Manual pages, completion files, the schema page and the README are what the commands are now."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from types import ModuleType

import pexpect
import pytest

from generate import __main__, reference
from tests.support import ROOT, joined
from tideline_cli.cli import app
from tideline_cli.cli.commands import COMMANDS, verb
from tideline_cli.cli.generate import completions, man
from tideline_cli.cli.options import GLOBAL, Argument, OptionSet, choice

needs_man = pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
FILES = {
    "bash": "tideline.bash",
    "zsh": "_tideline",
    "fish": "tideline.fish",
    "powershell": "tideline.ps1",
}


def _json_page():
    """What takes the place of a page that calls every command: the checkout's is made anew."""
    return "# JSON\n"


def test_a_changed_file_is_stale(tmp_path, monkeypatch):
    """A file that differs is named, and so is the page of a command that is gone."""
    monkeypatch.setattr(__main__, "json_page", _json_page)
    (tmp_path / "man").mkdir()
    (tmp_path / "man" / "tideline-gone.1").touch()
    wanted = [*__main__.generated(str(tmp_path)), "man/tideline-gone.1"]
    assert __main__.stale(str(tmp_path)) == wanted


def test_generating_twice_changes_nothing(tmp_path, monkeypatch):
    """Files that were written are current, and what is left over is removed."""
    monkeypatch.setattr(__main__, "json_page", _json_page)
    (tmp_path / "man").mkdir()
    (tmp_path / "man" / "tideline-gone.1").touch()
    __main__.write_file(str(tmp_path))
    assert __main__.stale(str(tmp_path)) == []
    assert not (tmp_path / "man" / "tideline-gone.1").exists()
    told = (tmp_path / "docs" / "commands.md").read_text("utf-8")
    assert all(f"- `{name}" in told for name in COMMANDS)


def test_every_command_shows_its_json():
    """docs/json.md has what each command prints with --json, or says why there is nothing."""
    page = (ROOT / "docs" / "json.md").read_text("utf-8")
    head = page.partition("## ")[0]
    missing = [name for name in COMMANDS
               if f"tideline {name} " not in page and f"`{name}`" not in head]  # fmt: skip
    assert missing == ["unpin"], "CALLS of generate/reference.py lacks these; unpin is as pin"


def test_generated_files_are_current(tmp_path):
    """Every generated file of the checkout is what `make generate` would write. `--check` looks at
    the checkout that the program is in, wherever it is called."""
    done = subprocess.run(
        [sys.executable, "-m", "generate", "--check"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.glob("man")) == []


@joined("name", COMMANDS)
def test_every_command_is_documented(name):
    """Each command has a page with all its flags, and stands with them in every completion file."""
    page = man.roff(man.layout(name)).replace("\\-", "-")
    scripts = completions.files()
    for option in (*verb(name).Options.ALL, *GLOBAL):
        assert f"\\fB{', '.join(option.flags)}\\fR" in page
        assert all(choice in page for choice in option.choices)
        for flag in option.flags:
            for shell in ("tideline.bash", "_tideline", "tideline.ps1"):
                assert flag in scripts[shell]
            fish = f"-l {flag[2:]} " if flag.startswith("--") else f"-s {flag[1:]} "
            assert fish in scripts["tideline.fish"]
    for text in (*scripts.values(), man.roff(man.layout("")).replace("\\-", "-")):
        assert name in text


@joined("name", ["", *COMMANDS])
def test_flags_are_those_of_the_live_commands(name):
    """The pages have the flags that Typer takes, no more and no fewer."""
    command = app.build(name) if name else app.root()
    taken = {flag for parameter in command.params for flag in parameter.opts if flag[0] == "-"}
    shown = {
        flag
        for _, blocks in man.layout(name).sections
        for block in blocks
        if isinstance(block, man.Term)
        for flag in block.literal.split(", ")
        if flag.startswith("-")
    }
    assert shown - {"--help", "-h"} == taken - {"--help", "-h"}


@pytest.mark.sampled(10)
@needs_man
@pytest.mark.parametrize("name", sorted(man.pages()))
def test_pages_render_without_warnings(name, tmp_path):
    """man formats every page and has nothing to say against it."""
    path = tmp_path / name
    path.write_text(man.pages()[name], encoding="ascii")
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-P", "cat", "-l", str(path)],
        capture_output=True, text=True, check=False, env={**os.environ, "MANWIDTH": "100"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "SEE ALSO"):
        assert f"\n{heading}\n" in done.stdout


def test_roff_keeps_every_character():
    """Dots, quotes, backslashes and hyphens of a text are not taken for requests."""
    shown = man.Page(
        "x", [("S", [".dot", "'quote", "a\\fBb", "`--flag` 'x' \"y\"", man.Code("`z`")])]
    )
    assert man.roff(shown).split("\n")[4:] == [
        "\\&.dot", ".PP", "\\(aqquote", ".PP", "a\\(rsfBb", ".PP",
        "\\fB\\-\\-flag\\fR \\(aqx\\(aq \\(dqy\\(dq",
        ".PP", ".RS 4", ".nf", "\\fB`z`\\fR", ".fi", ".RE", "",
    ]  # fmt: skip


def test_a_new_command_needs_no_change_here(monkeypatch):
    """A row in COMMANDS and a module are enough for its page and its completions."""
    module = ModuleType("tideline_cli.cli.commands.dream_test")
    module.HELP = "Dream.\n\nOf `sheep` and 'wolves'."
    module.EXAMPLES = (("a b", "--stage count"),)
    module.ARGUMENTS = (Argument("words", "DIR", "Where.", "folder"),)

    class Options(OptionSet):
        stage = choice(("count", "sleep"))("It's [one] of: two.", short="-S")

    module.Options = Options
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(COMMANDS, "dream", ("dream_test", "It's: all [dream].", "Core"))
    assert "tideline-dream.1" in man.pages()
    for text in completions.files().values():
        assert "count sleep" in text and "dream" in text


TEMPLATES = sorted((ROOT / "tideline_cli" / "cli" / "generate" / "templates").iterdir())
READERS = {
    ".bash": (("bash", "-n"), ("shellcheck",)), ".zsh": (("zsh", "-n"),),
    ".fish": (("fish", "-n"),), ".ps1": (),
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "reader"),
    [
        pytest.param(
            path, reader, id=" ".join(reader),
            marks=pytest.mark.skipif(not shutil.which(reader[0]), reason=f"no {reader[0]}"),
        )
        for path in TEMPLATES
        for reader in READERS[path.suffix]
    ],
)  # fmt: skip
def test_templates_are_files_of_their_languages(path, reader):
    """A shell reads its template as it is, and shellcheck has nothing to say against the one for
    bash."""
    done = subprocess.run([*reader, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_nothing_of_a_template_is_left_open():
    """Each place of each template is filled, and each part has a place."""
    for name, text in completions.files().items():
        assert "# @" not in text and "'@" not in text.replace("'@'", ""), name
        assert "shellcheck" not in text, name
    with pytest.raises(KeyError, match="NOWHERE"):
        completions._filled("tideline.fish", {"NOWHERE": "x"})


def test_the_storage_format_has_every_table():
    """The page of the storage format says of each table what it holds."""
    page = reference.storage_page(str(ROOT))
    for table in ("setting", "origin", "fact", "fact_fts", "link", "batch", "change", "usage"):
        assert f"`{table}`" in page


@pytest.mark.parametrize("shell", FILES)
def test_completions_prints_the_committed_file(run, shell):
    """`tideline completions SHELL` prints what the checkout holds."""
    done = run("completions", shell)
    committed = (ROOT / "completions" / FILES[shell]).read_text("utf-8")
    assert (done.code, done.out, done.err) == (0, committed, "")
    assert run("completions", shell, "--json").json == {"shell": shell, "script": committed}


@pytest.mark.parametrize("words", [(), ("tcsh",), ("bash", "zsh")])
def test_completions_names_the_shells(run, words):
    """An unknown shell, none or two are a usage error that names those there are."""
    done = run("completions", *words)
    assert (done.code, done.out) == (2, "")
    assert "bash, zsh, fish, powershell" in done.err


def test_man_prints_roff(run):
    """`--roff` prints the committed page."""
    committed = (ROOT / "man" / "tideline-recall.1").read_text("ascii")
    assert run("man", "recall", "--roff").out == committed
    assert run("man", "--roff").out == (ROOT / "man" / "tideline.1").read_text("ascii")


@pytest.mark.parametrize("has_man", [pytest.param(True, marks=needs_man), False])
def test_man_in_a_pipe_is_text(run, monkeypatch, tmp_path, has_man):
    """In a pipe the page is plain text, with man and without."""
    if not has_man:
        monkeypatch.setenv("PATH", str(tmp_path))
    done = run("man", "recall")
    assert (done.code, done.err) == (0, "")
    assert "\x08" not in done.out and "\x1b" not in done.out and "\\-" not in done.out
    assert "--explain" in done.out and "EXIT STATUS" in done.out


def test_a_man_that_fails_is_no_failure(run, monkeypatch, tmp_path):
    """Where man is there and does not work, the page is printed as text."""
    program = tmp_path / "man"
    program.write_text("#!/bin/sh\necho broken; exit 3\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = run("man")
    assert done.code == 0 and done.out.startswith("TIDELINE(1)\n")


@pytest.mark.parametrize("words", [("nonsense",), ("recall", "list")])
def test_man_names_the_commands(run, words):
    """A page that is not there is a usage error that names those there are."""
    done = run("man", *words)
    assert (done.code, done.out) == (2, "")
    assert "remember, recall" in done.err


@needs_man
def test_man_on_a_terminal_is_leafed(tmp_path):
    """On a terminal the page goes through man and the reader's pager."""
    shell = pexpect.spawn(
        sys.executable, ["-m", "tideline_cli", "man", "recall"], encoding="utf-8", timeout=30,
        env={**os.environ, "MANPAGER": f"tee {tmp_path}/leafed", "TERM": "dumb"},
    )  # fmt: skip
    shell.expect(pexpect.EOF)
    shell.close()
    assert shell.exitstatus == 0
    assert (tmp_path / "leafed").stat().st_size > 1000
