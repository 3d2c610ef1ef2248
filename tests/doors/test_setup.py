"""Setting clients up and taking that back; `test_clients` does it with the real ones."""

from __future__ import annotations

import json
import shlex
import stat

import pytest

from tests import backends
from tideline_cli.cli import own_program
from tideline_cli.serve import json_edit
from tideline_cli.serve.setup_plan import client_folders

PROGRAM = "/opt/tide line/tideline"
CODEX = """{
\t"hooks": {
\t\t"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}],
\t\t"Other": []
\t}, "später": 1.0
}"""
CURSOR = '{"version": 1, "hooks": {"stop": [{"command": "beep"}]}}\n'


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A home without clients on the path, and a program with a blank in its name."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.setattr(own_program, "own_words", lambda: [PROGRAM])
    return tmp_path


@pytest.fixture
def files(place):
    """Settings of the user's, in a form of their own."""
    texts = {".codex/hooks.json": CODEX, ".cursor/hooks.json": CURSOR}
    for name, text in texts.items():
        (place / name).parent.mkdir()
        (place / name).write_text(text)
        (place / name).chmod(0o640)
    return {place / name: text for name, text in texts.items()}


def everything(folder):
    """Return all files below a folder, but for those of our own home."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "home" not in path.relative_to(folder).parts
    }


def commands(path):
    """Return the commands of each event, in order."""
    hooks = json.loads(path.read_text())["hooks"]
    return {
        event: [one.get("command") or one["hooks"][0]["command"] for one in groups]
        for event, groups in hooks.items()
    }


def test_entries_come_last_and_go_without_a_trace(run, place, files):
    """Set-up puts one entry behind the others, twice is once, and removal gives the old bytes."""
    before = everything(place)
    done = run("setup", "codex", "cursor", "--hooks", "--json").json["clients"]
    assert [one["action"] for one in done] == ["set up", "set up"]
    own = {client: f"'{PROGRAM}' hook {client}" for client in ("codex", "cursor")}
    assert commands(place / ".codex/hooks.json") == {
        "Stop": ["beep", own["codex"]], "Other": [],
        **{event: [own["codex"]] for event in
           ("SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd")},
    }  # fmt: skip
    assert commands(place / ".cursor/hooks.json")["stop"] == ["beep", own["cursor"]]
    for path, text in files.items():
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert path.with_name("hooks.json.before-tideline").read_text() == text
    once = everything(place)
    again = run("setup", "codex", "cursor", "--hooks")
    assert again.out.split().count("unchanged") == 2
    assert everything(place) == once
    assert run("setup", "codex", "cursor", "--remove").code == 0
    assert everything(place) == before
    assert not (place / "home" / "doors").exists()
    assert run("setup", "codex", "--remove").out.splitlines()[1] == "  absent"


def test_what_was_not_there_goes_again(run, place):
    """Files and folders that set-up has made are gone after removal."""
    run("setup", "codex", "cursor", "claude-code", "gemini", "--hooks")
    assert (place / ".codex" / "hooks.json").exists()
    assert json.loads((place / ".cursor" / "hooks.json").read_text())["version"] == 1
    run("setup", "--remove", "codex", "cursor", "claude-code", "gemini")
    assert everything(place) == {}
    assert not (place / ".codex").exists() and not (place / ".cursor").exists()


def test_what_others_changed_since_stays(run, place, files):
    """Removal takes our entries alone, out of a file that has changed, and out of a group that
    somebody has added to."""
    run("setup", "codex", "--hooks")
    path = place / ".codex" / "hooks.json"
    form = json.loads(path.read_text())
    form["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "later"}]})
    form["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "guest"})
    path.write_text(json.dumps(form))
    run("setup", "codex", "--remove")
    assert commands(path) == {
        "Stop": ["beep", "later"], "Other": [], "SessionStart": ["guest"]
    }  # fmt: skip


def test_a_program_that_moved_keeps_its_place(run, place, files, monkeypatch):
    """A new path of the program takes the place of the old one: Codex keeps trust by place."""
    run("setup", "codex", "--hooks")
    path = place / ".codex" / "hooks.json"
    form = json.loads(path.read_text())
    form["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "later"}]})
    path.write_text(json.dumps(form))
    monkeypatch.setattr(own_program, "own_words", lambda: ["/py", "-P", "-m", "tideline_cli"])
    run("setup", "codex", "--hooks")
    assert commands(path)["Stop"] == ["beep", "/py -P -m tideline_cli hook codex", "later"]
    run("setup", "codex", "--remove")
    assert commands(path)["Stop"] == ["beep", "later"]


REFUSED = {
    "comments": '{"hooks": {} /* mine */}', "a list": "[]", "twice": '{"hooks": {}, "hooks": {}}',
    "odd hooks": '{"hooks": []}', "odd event": '{"hooks": {"Stop": {}}}', "cut": '{"hooks": ',
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_merged_is_left(run, place, text):
    """A file that does not parse, or has no place for us, is refused by name and not touched."""
    path = place / ".codex" / "hooks.json"
    path.parent.mkdir()
    path.write_text(text)
    before = everything(place)
    done = run("setup", "codex", "--hooks")
    assert done.code == 2 and str(path) in done.err and "--dry-run" in done.err
    assert everything(place) == before


def test_links(run, place, tmp_path_factory):
    """A link inside the home is followed; one that leads out is refused."""
    (place / "dotfiles").mkdir()
    real = place / "dotfiles" / "hooks.json"
    real.write_text("{}")
    (place / ".codex").mkdir()
    link = place / ".codex" / "hooks.json"
    link.symlink_to(real)
    assert run("setup", "codex", "--hooks").code == 0
    assert link.is_symlink() and "Stop" in commands(real)
    run("setup", "codex", "--remove")
    assert real.read_text() == "{}"
    outside = tmp_path_factory.mktemp("outside") / "hooks.json"
    outside.write_text("{}")
    link.unlink()
    link.symlink_to(outside)
    done = run("setup", "codex", "--hooks")
    assert done.code == 2 and "outside of your home" in done.err
    assert outside.read_text() == "{}"


def test_a_dry_run_shows_and_does_nothing(run, place, files):
    """A dry run shows the diff, the files and the commands; nothing changes."""
    before = everything(place)
    done = run("setup", "codex", "claude-code", "--hooks", "--dry-run")
    assert f"+++ {place}/.codex/hooks.json" in done.out and '+' in done.out
    assert "# to run by you: claude plugin install" in done.out  # its program is not here
    assert run("setup", "--all", "--dry-run", "--json").json["dry_run"] is True
    run("setup", "codex", "--remove", "--dry-run")
    assert everything(place) == before and not (place / "home" / "doors").exists()


def test_the_state_of_each_client(run, place, files):
    """Without a client the state is shown; --check tells a program of it by its exit code."""
    words = [line.split()[0] for line in run("setup").out.splitlines()]
    assert words == ["claude-code", "codex", "gemini", "cursor", "opencode", "vscode", "zed"]
    assert run("setup", "--check", "cursor").code == 1
    run("setup", "codex", "cursor", "--hooks")
    states = {one["client"]: one for one in run("setup", "--json").json["clients"]}
    assert states["cursor"]["hooks"] and not states["cursor"]["is_valid"]  # there is no program
    assert states["codex"]["trusted"] is False
    assert not states["claude-code"]["found"]


def test_trust_is_seen_and_never_given(run, place, files, monkeypatch):
    """Codex is approved when the person has approved each entry; we write nothing of that."""
    program = place / "tideline"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(own_program, "own_words", lambda: [str(program)])
    run("setup", "codex", "--hooks")
    assert run("setup", "codex", "--check").code == 1
    assert "approve" in run("setup", "codex", "--check").out
    path = place / ".codex" / "hooks.json"
    keys = {"session_start": 0, "user_prompt_submit": 0, "stop": 1, "pre_compact": 0,
            "session_end": 0}  # fmt: skip
    text = "".join(
        f'[hooks.state."{path}:{event}:{group}:0"]\ntrusted_hash = "sha256:aa"\n'
        for event, group in keys.items()
    )
    (place / ".codex" / "config.toml").write_text(text.replace("stop:1", "stop:0"))
    assert run("setup", "codex", "--check").code == 1
    (place / ".codex" / "config.toml").write_text(text)
    assert run("setup", "codex", "--check").code == 0
    program.unlink()
    assert "its program is gone" in run("setup", "codex", "--check").out
    assert "trusted_hash" not in path.read_text()


def test_a_client_with_commands_is_asked_itself(run, place, monkeypatch):
    """Claude Code is set up by its own commands; what it leaves behind in its settings goes."""
    settings = place / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{ "model": "opus" }')
    script = """#!/bin/sh
echo "$@" >> "$HOME/calls"
case "$*" in
*" install "*) echo '{"model":"opus","enabledPlugins":{"tideline@tideline":true}}' ;;
*) echo '{"model":"opus","enabledPlugins":{},"extraKnownMarketplaces":{}}' ;;
esac > "$HOME/.claude/settings.json"
"""
    (place / "bin").mkdir()
    (place / "bin" / "claude").write_text(script)
    (place / "bin" / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{place / 'bin'}:/usr/bin:/bin")
    done = run("setup", "claude-code", "--hooks", "--json").json["clients"][0]
    folder = place / "home" / "doors" / "claude-code"
    assert done["ran"][1][:3] == ["claude", "plugin", "install"] and done["left"] == []
    hooks = json.loads((folder / "tideline" / "hooks" / "hooks.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"}
    handler = hooks["Stop"][0]["hooks"][0]
    assert (handler["command"], handler["args"]) == (PROGRAM, ["hook", "claude-code"])
    assert run("setup", "claude-code", "--hooks").out.splitlines()[1] == "  unchanged"
    run("setup", "claude-code", "--remove")
    assert settings.read_text() == '{ "model": "opus" }' and not folder.exists()
    assert "plugin uninstall" in (place / "calls").read_text()


def test_a_client_whose_command_fails(run, place, monkeypatch):
    """A failing command is told with its words, and removal cleans up what was done."""
    (place / "bin").mkdir()
    (place / "bin" / "claude").write_text("#!/bin/sh\necho 'no such scope' >&2; exit 3\n")
    (place / "bin" / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{place / 'bin'}:/usr/bin:/bin")
    done = run("setup", "claude-code", "--hooks")
    assert done.code == 6 and "no such scope" in done.err and "--remove" in done.err
    run("setup", "claude-code", "--remove")
    assert not (place / "home" / "doors").exists()


def test_a_client_without_its_program(run, place):
    """Where the program is not there, the lines to run are printed."""
    out = run("setup", "claude-code", "gemini", "--hooks").out
    assert "to run     claude plugin marketplace add" in out
    assert "to run     gemini extensions link" in out


def test_a_project(run, place, monkeypatch):
    """--project writes into the working folder; gemini has no such place."""
    (place / "work").mkdir()
    monkeypatch.chdir(place / "work")
    run("setup", "codex", "--project", "--hooks")
    assert (place / "work" / ".codex" / "hooks.json").exists()
    assert not (place / ".codex").exists()
    assert run("setup", "gemini", "--project").code == 2
    run("setup", "codex", "--project", "--remove")
    assert everything(place) == {}


def test_a_memory_of_its_own(run, place):
    """The memory and the origin of the call are those of the hooks."""
    run("setup", "cursor", "--hooks", "--db", "other.db", "--origin", "channel:a/b/c")
    named = shlex.quote(backends.place(place / "other.db"))
    assert commands(place / ".cursor" / "hooks.json")["stop"] == [
        f"'{PROGRAM}' hook cursor --db {named} --origin channel:a/b/c"
    ]


def test_words_that_are_wrong(run):
    """An unknown client, and --all where nothing is, are refused."""
    assert run("setup", "windsurf").code == 2
    assert run("setup", "--all").code == 2
    assert run("setup", "codex", "--all").code == 2


@pytest.mark.file_alone("a memory that a home names, and folders for temporary files")
def test_which_memory_the_agents_get(run, place, monkeypatch):
    """A memory that a variable names is told, and one in a folder for temporary files warned of."""
    monkeypatch.setattr(own_program, "throw_away_folders", lambda: (str(place),))
    done = run("setup", "codex", "--hooks")
    assert "takes this memory where it is started with TIDELINE_HOME as here" in done.err
    assert f"the agents get {place}/home/tideline.db, a memory in a folder for temp" in done.err
    named = run("setup", "codex", "--hooks", "--db", "x.db").err
    assert "as here" not in named and "--db leads there; name another one" in named
    monkeypatch.setattr(own_program, "throw_away_folders", lambda: ())
    assert "temporary" not in run("setup", "codex", "--hooks").err
    assert "memory" not in run("setup", "codex", "--remove").err


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini", "cursor", "zed"])
def test_setup_and_check_agree(run, place, files, client):
    """What a set-up, a second one and a removal say of a client is what --check says then."""
    for words in ((client,), (client,), (client, "--remove")):
        said = run("setup", *words).out.splitlines()[0]
        assert said == run("setup", "--check", client).out.splitlines()[0]


TOOLS = {
    "opencode": (".config/opencode/opencode.json", '{ // mine\n  "mcp": {},\n}\n', "mcp",
                 {"type": "local", "command": [PROGRAM, "mcp"], "enabled": True}),
    "vscode": (".config/Code/User/mcp.json", '{\n\t"servers": {"a": {}}, /* b */ "inputs": []\n}',
               "servers", {"type": "stdio", "command": PROGRAM, "args": ["mcp"]}),
    "zed": (".config/zed/settings.json", '// Zed\n{\n  "theme": "One Dark",\n}', "context_servers",
            {"command": PROGRAM, "args": ["mcp"]}),
}  # fmt: skip


@pytest.mark.parametrize("client", TOOLS)
@pytest.mark.parametrize("is_there", [True, False])
def test_clients_that_take_the_tools_alone(run, place, monkeypatch, client, is_there):
    """They get the server below their own key, comments stay, a program that moves is named anew,
    and removal gives the old bytes."""
    name, text, key, server = TOOLS[client]
    path = place / name
    if is_there:
        path.parent.mkdir(parents=True)
        path.write_text(text)
    before = everything(place)
    assert "mcp" in run("setup", client).out
    form = json_edit.scanned(path.read_text(), with_comments=True)
    assert form.form()[key]["tideline"] == server
    assert [remark in text for remark in form.remarks] == [True] * len(form.remarks)
    monkeypatch.setattr(own_program, "own_words", lambda: ["/new/tideline"])
    run("setup", client)
    assert "/new/tideline" in path.read_text() and PROGRAM not in path.read_text()
    assert run("setup", client, "--hooks").code == 2
    run("setup", client, "--remove")
    assert everything(place) == before and path.parent.exists() == is_there


def test_where_editors_keep_their_settings():
    """Each system has a folder of its own for them; a variable moves it."""
    mac = client_folders({}, "/h", "darwin")
    assert mac["vscode"] == "/h/Library/Application Support/Code/User"
    assert (mac["zed"], mac["opencode"]) == ("/h/.config/zed", "/h/.config/opencode")
    windows = client_folders({"APPDATA": "/r"}, "/h", "win32")
    assert (windows["vscode"], windows["zed"]) == ("/r/Code/User", "/r/Zed")
    linux = client_folders({"XDG_CONFIG_HOME": "/x"}, "/h", "linux")
    assert (linux["vscode"], linux["zed"]) == ("/x/Code/User", "/x/zed")
