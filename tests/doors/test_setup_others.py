"""What belongs to others stays as it is, whatever is set up and taken back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.doors.setup_place import CLAUDE, CODEX, PROGRAM, calls, everything, install, rows, write
from tests.support import ROOT
from tideline_cli.cli import own_program
from tideline_cli.serve import setup_files

ODD = '\ufeff{\r\n   "n": [1.50, 1e999, -0],\r\n   "s": "\\ud800 später",\r\n\t"hooks": { }\r\n}'


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A home without clients on the path."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr(own_program, "own_words", lambda: [PROGRAM])
    return tmp_path


def moved(monkeypatch):
    monkeypatch.setattr(own_program, "own_words", lambda: ["/new/tideline"])


def test_a_guest_in_our_group_stays(run, place, monkeypatch):
    """Where somebody has put a handler into our group, and a key into our handler, a program that
    moves changes the words of ours alone."""
    path = write(place, ".codex/hooks.json", "{}")
    run("setup", "codex", "--hooks")
    form = json.loads(path.read_text())
    form["hooks"]["Stop"][0]["hooks"].insert(0, {"type": "command", "command": "guest"})
    form["hooks"]["Stop"][0]["hooks"][1]["timeout"] = 9
    path.write_text(json.dumps(form))
    moved(monkeypatch)
    assert run("setup", "codex", "--hooks").code == 0
    group = json.loads(path.read_text())["hooks"]["Stop"][0]["hooks"]
    assert group[0]["command"] == "guest" and group[1]["command"] == "/new/tideline hook codex"
    assert group[1]["timeout"] == 9
    run("setup", "codex", "--remove")
    left = json.loads(path.read_text())["hooks"]
    assert left == {"Stop": [{"hooks": [{"type": "command", "command": "guest"}]}]}


@pytest.mark.parametrize("text", [ODD, '{"a":1}', "{\n}", "", "{ }\n", '{"hooks":{"Stop":[]}}'])
def test_odd_files_get_their_bytes_back(run, place, text):
    """Line ends, digits, lone surrogates, marks of order and empty containers are as before."""
    for name in ("codex/hooks", "cursor/hooks", "cursor/mcp"):
        write(place, f".{name}.json", text)
    before = everything(place)
    assert run("setup", "codex", "cursor").code == 0
    assert everything(place) != before
    assert run("setup", "codex", "cursor", "--remove").code == 0
    assert everything(place) == before


def test_a_file_that_a_client_writes_anew(run, place):
    """A file that says the same in another layout gets its old bytes; what is said since stays."""
    path = write(place, ".cursor/mcp.json", '{"n": 1.0,\r\n "mcpServers": {}}')
    before = path.read_bytes()
    run("setup", "cursor", "--mcp")
    path.write_text(json.dumps(json.loads(path.read_text()), indent=7).replace("1.0", "1"))
    run("setup", "cursor", "--remove")
    assert path.read_bytes() == before


def test_comments(run, place):
    """A file with comments is taken where the client takes it, and keeps them."""
    path = write(place, ".cursor/mcp.json", '{ // mine\n  "mcpServers": {\n  }, // last\n}\n')
    before = path.read_bytes()
    assert run("setup", "cursor").code == 0
    assert b"// mine" in path.read_bytes() and b'"tideline"' in path.read_bytes()
    run("setup", "cursor", "--remove")
    assert path.read_bytes() == before
    hooks = write(place, ".codex/hooks.json", "{}")
    run("setup", "codex", "--hooks")
    hooks.write_text(hooks.read_text().replace("{", "{ // added since", 1))
    assert run("setup", "codex", "--remove").code == 0
    assert "added since" in hooks.read_text() and "tideline" not in hooks.read_text()


OWN = {
    "server": (".cursor/mcp.json", {"mcpServers": {"tideline": {"command": "mine", "args": []}}}),
    "hook": (".cursor/hooks.json", {"hooks": {"stop": [{"command": "tideline hook cursor -q"}]}}),
}


@pytest.mark.parametrize("name, form", OWN.values(), ids=OWN)
def test_what_somebody_made_by_hand_is_refused(run, place, name, form):
    """A server of our name or a hook of ours that setup did not write stops a set-up before
    anything is done; removal leaves it."""
    write(place, name, json.dumps(form))
    before = everything(place)
    done = run("setup", "cursor")
    assert done.code == 2 and "setup did not write" in done.err and "cursor --" in done.err
    assert run("setup", "cursor", "--remove").out.splitlines()[1] == "  absent"
    assert everything(place) == before and rows(place) == {}


def test_what_is_there_already_is_left_there(run, place):
    """An entry that is the same as ours, made by hand, is counted as set up, and not removed."""
    own = f"'{PROGRAM}' hook cursor"
    events = ("sessionStart", "beforeSubmitPrompt", "stop", "preCompact", "sessionEnd")
    form = {"hooks": {event: [{"command": own}] for event in events}}
    path = write(place, ".cursor/hooks.json", json.dumps(form))
    before = path.read_bytes()
    assert run("setup", "cursor", "--hooks").out.splitlines()[1] == "  unchanged"
    run("setup", "cursor", "--mcp")
    run("setup", "cursor", "--remove")
    assert path.read_bytes() == before and not (place / ".cursor" / "mcp.json").exists()


def test_a_server_of_codex_that_is_not_ours(run, place):
    """It is refused, and no command takes it out."""
    install(place, codex=CODEX)
    path = write(place, ".codex/config.toml", '[mcp_servers.tideline]\ncommand = "mine"\n')
    before = path.read_bytes()
    done = run("setup", "codex")
    assert done.code == 2 and "codex --hooks" in done.err
    run("setup", "codex", "--hooks")
    run("setup", "codex", "--remove")
    assert calls(place) == [] and path.read_bytes() == before


def test_a_command_that_did_not_run_is_not_undone(run, place):
    """A server that was there before, with the same words, stays when the hooks go."""
    install(place, codex=CODEX)
    text = f'[mcp_servers.tideline]\ncommand = "{PROGRAM}"\nargs = ["mcp"]\n'
    path = write(place, ".codex/config.toml", text)
    assert "ran" not in run("setup", "codex").out
    run("setup", "codex", "--remove")
    assert calls(place) == [] and path.read_text() == text


def test_settings_of_codex_get_their_bytes_back(run, place):
    """Its own commands lay them out anew; a comment that was added since is not lost."""
    install(place, codex=CODEX)
    path = write(place, ".codex/config.toml", '# mine\r\nmodel = "m"\r\n')
    before = path.read_bytes()
    run("setup", "codex")
    assert rows(place)["codex"]["commands"] == "ran"
    run("setup", "codex", "--remove")
    assert path.read_bytes() == before
    run("setup", "codex")
    path.write_bytes(b"# new\n" + path.read_bytes())
    run("setup", "codex", "--remove")
    assert path.read_text().startswith("# new\n# mine")


def test_copies(run, place):
    """Our copy goes also where the entries are gone already; a file of the user's that has its
    name stays."""
    path = write(place, ".codex/hooks.json", "{}")
    own = write(place, ".cursor/hooks.json.before-tideline", "of the user")
    write(place, ".cursor/hooks.json", "{}")
    run("setup", "codex", "cursor", "--hooks")
    assert path.with_name("hooks.json.before-tideline").exists()
    path.write_text("{}")
    run("setup", "codex", "cursor", "--remove")
    assert not path.with_name("hooks.json.before-tideline").exists()
    assert own.read_text() == "of the user"


def test_each_project_has_a_folder_of_its_own(run, place, monkeypatch):
    """Set-ups of Claude Code for the user and for projects have their own folder, marketplace and
    words; each goes without the others."""
    install(place, claude=CLAUDE)
    run("setup", "claude-code", "--hooks")
    before = everything(place)
    for name in ("one", "two"):
        (place / name).mkdir()
        monkeypatch.chdir(place / name)
        run("setup", "claude-code", "--hooks", "--project", "--origin", f"channel:{name}/b/c")
    folders = sorted(path.name for path in (place / "home" / "doors").iterdir() if path.is_dir())
    assert len(folders) == 3 and folders[0] == "claude-code"
    words = [json.loads((place / "home/doors" / name / "tideline/hooks/hooks.json").read_text())
             ["hooks"]["Stop"][0]["hooks"][0]["args"][2:] for name in folders]  # fmt: skip
    assert words[0] == [] and sorted(words)[1:] == [
        ["--origin", "channel:one/b/c"], ["--origin", "channel:two/b/c"]]  # fmt: skip
    assert "hooks; its program is gone" in run("setup", "--project", "--check").out
    run("setup", "claude-code", "--remove", "--project")
    monkeypatch.chdir(place / "one")
    run("setup", "claude-code", "--remove", "--project")
    assert everything(place) == before
    assert [path.name for path in (place / "home/doors").iterdir() if path.is_dir()] == [
        "claude-code"]  # fmt: skip
    assert not (place / "one" / ".claude").exists()


def test_a_marketplace_of_somebody_else(run, place):
    """A marketplace of our name stops a set-up before anything is done."""
    install(place, claude=CLAUDE)
    form = {"extraKnownMarketplaces": {"tideline": {"source": {"source": "github", "repo": "a/b"}}}}
    write(place, ".claude/settings.json", json.dumps(form))
    before = everything(place)
    done = run("setup", "claude-code")
    assert done.code == 2 and "marketplace" in done.err and everything(place) == before
    assert calls(place) == [] and not (place / "home" / "doors").exists()


@pytest.mark.parametrize("client", ["claude-code", "codex", "cursor"])
def test_one_part_goes_and_the_other_stays(run, place, client):
    """The parts of a set-up come and go by themselves."""
    install(place, claude=CLAUDE, codex=CODEX)
    for name in ("claude/settings", "codex/hooks", "cursor/hooks", "cursor/mcp"):
        write(place, f".{name}.json", "{}")
    write(place, ".codex/config.toml", "a = 1\n")
    before = everything(place)

    def parts():
        one = next(one for one in run("setup", "--json").json["clients"] if one["client"] == client)
        return one["hooks"], one["mcp"]

    run("setup", client, "--hooks")
    run("setup", client, "--mcp")
    assert parts() == (True, True)
    assert "\n  removed\n" in run("setup", client, "--remove", "--hooks").out
    assert parts() == (False, True) and [*rows(place)[client]["calls"]] == ["mcp"]
    assert run("setup", client, "--remove", "--hooks").out.splitlines()[1] == "  absent"
    run("setup", client, "--hooks")
    run("setup", client, "--remove", "--mcp")
    assert parts() == (True, False)
    run("setup", client, "--remove", "--hooks")
    assert everything(place) == before and rows(place) == {}


def test_linked_settings(run, place):
    """Links to a folder and to a file stay links; what they lead to gets its old bytes."""
    install(place, claude=CLAUDE)
    real = write(place, "dotfiles/codex/hooks.json", ODD)
    (place / ".codex").symlink_to(place / "dotfiles" / "codex")
    settings = write(place, "dotfiles/claude.json", '{"x": 1.50}')
    (place / ".claude").mkdir()
    (place / ".claude" / "settings.json").symlink_to(settings)
    before = everything(place)
    run("setup", "codex", "claude-code", "--hooks")
    assert everything(place) != before
    run("setup", "codex", "claude-code", "--remove")
    assert everything(place) == before and real.exists()
    assert (place / ".codex").is_symlink() and (place / ".claude/settings.json").is_symlink()


def test_links_of_a_project_lead_nowhere_else(run, place, monkeypatch):
    """A project may come with links: none leads into the settings of the user, or of another."""
    mine = write(place, ".claude/settings.json", '{"x": 1}')
    (place / "clone" / ".git").mkdir(parents=True)
    (place / "clone" / ".cursor").mkdir()
    (place / "clone" / ".cursor" / "hooks.json").symlink_to(mine)
    monkeypatch.chdir(place / "clone")
    done = run("setup", "cursor", "--hooks", "--project")
    assert done.code == 2 and "outside of the project" in done.err
    assert mine.read_text() == '{"x": 1}' and len([*mine.parent.iterdir()]) == 1


def test_a_home_with_odd_letters(run, place, monkeypatch):
    """Blanks and quotes in the name of the home folder are no trouble."""
    home = place / "my \"home\" isn't $HOME"
    (home / "data").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TIDELINE_HOME", str(home / "data"))
    monkeypatch.setattr(own_program, "own_words", lambda: [str(home / "tideline")])
    install(home, claude=CLAUDE)
    monkeypatch.setenv("PATH", f"{home / 'bin'}:/usr/bin:/bin")
    assert run("setup", "codex", "cursor", "claude-code", "--hooks").code == 0
    assert run("setup", "codex", "cursor", "claude-code", "--hooks").out.count("unchanged") == 3
    assert run("setup", "--all", "--remove").code == 0
    assert not (home / ".codex").exists() and not (home / "data" / "doors").exists()


RECORDS = {"no json": "{", "a list": "[]", "odd rows": '{"codex": 1}',
           "odd bytes": '{"codex": {"before": {"a": 7}}}', "a folder": None}  # fmt: skip


@pytest.mark.parametrize("text", RECORDS.values(), ids=RECORDS)
def test_a_record_that_cannot_be_read(run, place, text):
    """Status, doctor and the list tell of it in one line; a set-up and a removal do nothing."""
    run("remember", "I deploy on Fridays")
    path = place / "home" / "doors" / "set-up.json"
    write(place, ".codex/hooks.json", "{}")
    path.parent.mkdir()
    if text is None:
        path.mkdir()
    else:
        path.write_text(text)
    before = everything(place)
    status = run("status")
    assert status.code == 0 and "cannot be read as the record of setup" in status.out
    assert "cannot be read as the record" in run("doctor").err
    listed = run("setup")
    assert listed.code == 0 and "cannot be read as the record" in listed.err
    for more in ((), ("--remove",), ("--dry-run",)):
        done = run("setup", "codex", *more)
        assert done.code == 73 and done.err.count("\n") <= 2
    assert everything(place) == before


def test_check_where_nothing_is_installed(run, place):
    """What is not on this machine is amiss only where it is named."""
    assert run("setup", "--check").code == 0
    assert run("setup", "--check", "cursor").code == 1
    (place / ".cursor").mkdir()
    assert run("setup", "--check").code == 1


def test_a_file_that_cannot_be_written(run, place, monkeypatch):
    """Where one file cannot be written, none is, and the record says so."""
    write(place, ".cursor/hooks.json", "{}")
    write(place, ".cursor/mcp.json", "{}")
    before, real = everything(place), setup_files.put

    def put(path, raw):
        if path.endswith("mcp.json"):
            raise PermissionError(13, "Permission denied", path)
        real(path, raw)

    monkeypatch.setattr(setup_files, "put", put)
    done = run("setup", "cursor")
    assert done.code == 73 and done.err.count("\n") <= 2 and "mcp.json" in done.err
    assert everything(place) == before and rows(place) == {}


def test_a_project_that_is_the_home(run, place):
    """The home folder is no project."""
    done = run("setup", "codex", "--project", "--hooks")
    assert done.code == 2 and "--project" in done.err and everything(place) == {}


def test_tools_of_codex_are_for_the_user(run, place, monkeypatch):
    """What a project of Codex has no place for is said, and refused where it is all."""
    (place / "work").mkdir()
    monkeypatch.chdir(place / "work")
    assert run("setup", "codex", "--project", "--mcp").code == 2
    assert "only the hooks" in run("setup", "codex", "--project").err


def test_a_dry_run_of_a_removal(run, place):
    """It shows the bytes that go, and the commands that would run."""
    install(place, codex=CODEX)
    write(place, ".codex/hooks.json", "{}")
    run("setup", "codex")
    once = everything(place), calls(place)
    out = run("setup", "codex", "--remove", "--dry-run").out
    assert "+{}" in out and "$ codex mcp remove tideline" in out
    assert "gets its old bytes" in out and "hooks.json.before-tideline goes" in out
    form = run("setup", "codex", "cursor", "--remove", "--dry-run", "--json").json["clients"]
    assert form[0]["commands"] == [["codex", "mcp", "remove", "tideline"]]
    assert form[1] == {"client": "cursor", "action": "absent", "files": [], "commands": [],
                       "left": []}  # fmt: skip
    assert run("setup", "codex", "--dry-run").out == "# codex: unchanged\n"
    assert (everything(place), calls(place)) == once


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_root_leaves_files_to_their_owners(run, place):
    """What root sets up in the home of a user belongs to that user."""
    path = write(place, ".cursor/mcp.json", "{}")
    for one in (place, place / "home", place / ".cursor", path):
        shutil.chown(one, 12345, 12345)
    run("setup", "cursor", "codex", "--hooks")
    run("setup", "cursor", "--mcp")
    made = [one for one in place.rglob("*") if one.is_file()]
    assert len(made) == 5
    assert {one.stat().st_uid for one in (*made, place / ".codex")} == {12345}


def test_settings_that_cannot_be_read(run, place):
    """The list tells of a client whose settings cannot be read, and goes on."""
    (place / ".codex" / "hooks.json").mkdir(parents=True)
    (place / ".cursor").mkdir()
    listed = run("setup")
    assert listed.code == 0 and "codex: Not a plain file" in listed.err
    assert "cursor       not set up" in listed.out
    assert run("setup", "codex", "--hooks").code == 73 and rows(place) == {}


def test_projects_that_are_left(run, place, monkeypatch):
    """Taking all back tells of the projects that are set up still."""
    (place / "work").mkdir()
    run("setup", "cursor", "--hooks")
    monkeypatch.chdir(place / "work")
    run("setup", "cursor", "--hooks", "--project")
    done = run("setup", "--all", "--remove")
    assert f"still set up: cursor in {place / 'work'}" in done.err


def test_two_at_once(place):
    """Set-ups that run side by side keep what each of them has noted."""
    environ = {**os.environ, "TIDELINE_HOME": str(place / "home"), "HOME": str(place)}
    argv = [sys.executable, "-m", "tideline_cli", "setup", "--hooks"]
    running = [subprocess.Popen([*argv, client], env=environ, cwd=ROOT, stdout=subprocess.DEVNULL)
               for client in ("codex", "cursor", "gemini")]  # fmt: skip
    assert [one.wait(60) for one in running] == [0, 0, 0]
    assert sorted(rows(place)) == ["codex", "cursor", "gemini"]


def test_a_command_that_fails_at_the_end_is_left(run, place):
    """What a client does not take back is left to the person, and said."""
    install(place, claude=CLAUDE)
    run("setup", "claude-code", "--hooks")
    install(place, claude="#!/bin/sh\nexit 1\n")
    out = run("setup", "claude-code", "--remove").out
    assert "to run     claude plugin uninstall" in out and "ran " not in out


def test_a_set_up_that_was_cut_off(run, place, monkeypatch):
    """Entries with the words of a set-up before the last one are known as ours."""
    path = write(place, ".codex/hooks.json", "{}")
    run("setup", "codex", "--hooks")
    older = path.read_bytes()
    moved(monkeypatch)
    run("setup", "codex", "--hooks")
    path.write_bytes(older)
    assert run("setup", "codex", "--hooks").code == 0
    assert b"/new/tideline hook codex" in path.read_bytes()
    assert path.read_bytes().count(b"hook codex") == 5
    path.write_bytes(older)
    run("setup", "codex", "--remove")
    assert path.read_text() == "{}"


def test_settings_that_were_changed_meanwhile(run, place):
    """Where somebody has said something new in settings that a client lays out, that stays, and
    nothing of ours does."""
    install(place, claude=CLAUDE)
    path = write(place, ".claude/settings.json", '{"x": 1.50}')
    run("setup", "claude-code")
    path.write_text(path.read_text().replace("{", '{"new": {},', 1))
    run("setup", "claude-code", "--remove")
    assert json.loads(path.read_text()) == {"new": {}, "x": 1.5}


LINES = st.lists(st.sampled_from((
    "# mine", 'a = "b" # odd', "n = 1_000", "", "\t", "f = 1e3", "[table]", 'k = """x\n\ny"""',
    "[[many]]", "d = 1979-05-27T07:32:00Z", "l = [\n  1, # one\n]",
)), unique=True)  # fmt: skip


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES, end=st.sampled_from(("\n", "\r\n")), ends=st.booleans(), adds=st.booleans())
def test_settings_of_codex_by_chance(run, place, lines, end, ends, adds):
    """Whatever its settings look like, they get their bytes back; a line that is added since
    stays."""
    install(place, codex=CODEX)
    text = end.join(line.replace("\n", end) for line in lines) + end * ends
    path = write(place, ".codex/config.toml", text)
    run("setup", "codex", "--mcp")
    assert b"[mcp_servers.tideline]" in path.read_bytes()
    if adds:
        path.write_bytes(b"# added since\n" + path.read_bytes())
    run("setup", "codex", "--remove")
    after = path.read_bytes().decode()
    if adds:
        assert after.split() == ["#", "added", "since", *text.split()]
    else:
        assert after == text


def test_taking_all_out_where_nothing_is(run, place):
    """`--all --remove` where no client is set up is done already: a note, and no error."""
    done = run("setup", "--all", "--remove")
    assert (done.code, done.out) == (0, "") and "nothing was taken out" in done.err
    assert run("setup", "--all", "--remove", "--dry-run").code == 0
