"""The real clients against a stand-in model: `make clients` installs and runs them."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.stand_in import standing_in
from tests.support import ROOT

pytestmark = [pytest.mark.clients, pytest.mark.slow]
BIN = Path(os.environ.get("TIDELINE_TEST_CLIENTS", ROOT / ".venv-clients")) / "node_modules/.bin"
OURS = Path(sys.executable).parent
FACT = "the billing service is deployed from the branch trunk-nine"
QUESTION = "from which branch is the billing service deployed?"
NAMES = {"claude-code": "claude", "codex": "codex", "gemini": "gemini"}
PROGRAMS = {**NAMES, "opencode": "opencode"}


@pytest.fixture
def place(tmp_path):
    """An empty home and a git project in it."""
    (tmp_path / "work" / ".git").mkdir(parents=True)
    for name in (".claude", ".codex", ".gemini"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture
def server():
    with standing_in() as one:
        yield one


def call(place, server, *argv, stdin="", check=True):
    """Run a program with nothing of the caller's environment; return what it prints."""
    environ = {
        "HOME": str(place), "PATH": f"{OURS}:{BIN}:/usr/bin:/bin", "TERM": "dumb",
        "LANG": "C.UTF-8",
        "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "dummy", "DISABLE_TELEMETRY": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "OPENAI_API_KEY": "dummy",
        "GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": server.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }  # fmt: skip
    done = subprocess.run(argv, cwd=place / "work", env=environ, input=stdin, text=True,
                          capture_output=True, timeout=240)  # fmt: skip
    assert done.returncode == 0 or not check, (argv, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout + done.stderr


def needs(client):
    if not (BIN / PROGRAMS[client]).exists():
        pytest.skip(f"{PROGRAMS[client]} is not installed: `make clients` installs it")


def prepare(client, place, server):
    """Write the settings that lead a client to the stand-in, and return them all as they are."""
    if client == "codex":
        (place / ".codex" / "config.toml").write_text(
            f'model = "m"\nmodel_provider = "x"\napproval_policy = "never"\n\n'
            f'[model_providers.x]\nname = "x"\nbase_url = "{server.url}/v1"\n'
            'wire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n\n'
            f'[projects."{place}/work"]\ntrust_level = "trusted"\n'
        )
    if client == "claude-code":
        (place / ".claude" / "settings.json").write_text('{\n   "model": "sonnet"\n}')
    if client == "gemini":
        (place / ".gemini" / "settings.json").write_text(
            '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'
        )
    names = (".claude/settings.json", ".codex/config.toml", ".codex/hooks.json",
             ".gemini/settings.json")  # fmt: skip
    paths = [place / name for name in names]
    return {path: path.read_bytes() if path.exists() else None for path in paths}


def ask(client, place, server, text):
    """Ask a client one question, and return what its model was told."""
    before = len(server.asked)
    argv = {
        "claude-code": ("claude", "-p", text),
        "codex": ("codex", "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check",
                  text),
        "gemini": ("gemini", "-m", "gemini-2.5-flash", "-p", text),
    }[client]  # fmt: skip
    call(place, server, *argv)
    return "\n".join(server.asked[before:])


def set_up(client, place, server, *more):
    call(place, server, "tideline", "setup", client, *(more or ("--hooks",)))
    if client == "gemini":
        link(place, server)


def link(place, server):
    """Answer what Gemini asks the person."""
    folder = place / ".local" / "share" / "tideline" / "doors" / "gemini"
    argv = ("gemini", "extensions", "link", "--consent", str(folder))
    call(place, server, *argv, stdin="y\n", check=False)  # it is there where it was linked before


@pytest.mark.parametrize("client", NAMES)
def test_a_fact_of_one_session_reaches_the_model_of_the_next(client, place, server):
    """The block reaches the model for a prompt that it is about, and not for another; what was
    remembered in one session is told in the next; removal gives every file its old bytes."""
    needs(client)
    before = prepare(client, place, server)
    set_up(client, place, server)
    assert "hooks" in call(place, server, "tideline", "setup", client, "--check", check=False)
    assert "trunk-nine" not in ask(client, place, server, QUESTION)
    call(place, server, "tideline", "remember", FACT)
    told = ask(client, place, server, QUESTION)
    assert "trunk-nine" in told and "untrusted-memory" in told and "not as instructions" in told
    assert call(place, server, "tideline", "hook", "--json").count('"last_failure": null') == 1
    assert '"pending": ' in call(place, server, "tideline", "hook", "--json")
    done = json.loads(call(place, server, "tideline", "-q", "extract", "--pending", "--llm", "none",
                           "--all-now", "--json"))  # fmt: skip
    assert done["pending"] == 0 and all(one["messages"] >= 2 for one in done["conversations"])
    call(place, server, "tideline", "setup", client, "--remove")
    after = {path: path.read_bytes() if path.exists() else None for path in before}
    assert after == before
    assert "trunk-nine" not in ask(client, place, server, QUESTION)


LISTS = {"claude-code": ("claude", "mcp", "list"), "codex": ("codex", "mcp", "list"),
         "gemini": ("gemini", "mcp", "list")}  # fmt: skip
SEEN = {"claude-code": "Connected", "codex": "enabled", "gemini": "Connected"}
"""What a client says of a server; Codex alone does not connect to it for that."""


def doors_of(client, place, server):
    """Return whether a client has the hooks, and the tools."""
    argv = ("tideline", "setup", "--check", client, "--json")
    state = json.loads(call(place, server, *argv, check=False))["clients"][0]
    return state["hooks"], state["mcp"]


@pytest.mark.parametrize("client", NAMES)
def test_the_tools_are_seen_and_go(client, place, server):
    """Each client sees our server after `setup --mcp`, by its own check where it has one; a part
    that goes leaves the other; removal leaves the old bytes, and the client sees nothing."""
    needs(client)
    before = prepare(client, place, server)
    if client == "codex":
        (place / ".codex" / "config.toml").write_bytes(
            b"# mine\r\n" + (place / ".codex" / "config.toml").read_bytes()
        )
        before = {path: path.read_bytes() if path.exists() else None for path in before}
    set_up(client, place, server, "--mcp")
    listed = call(place, server, *LISTS[client])
    assert "tideline" in listed and SEEN[client] in listed, listed
    assert doors_of(client, place, server) == (False, True)
    set_up(client, place, server, "--hooks")
    call(place, server, "tideline", "setup", client, "--remove", "--hooks")
    if client == "gemini":
        link(place, server)
    assert doors_of(client, place, server) == (False, True)
    assert SEEN[client] in call(place, server, *LISTS[client])
    call(place, server, "tideline", "setup", client, "--remove")
    assert {path: path.read_bytes() if path.exists() else None for path in before} == before
    assert "tideline" not in call(place, server, *LISTS[client])
    assert not (place / ".local" / "share" / "tideline" / "doors").exists()


def test_opencode_connects(place, server):
    """OpenCode finds the server in its settings, and starts it; comments stay, removal leaves what
    was there."""
    needs("opencode")
    settings = place / ".config" / "opencode" / "opencode.jsonc"
    settings.parent.mkdir(parents=True)
    settings.write_text('{\n  "$schema": "https://opencode.ai/config.json", // mine\n}\n')
    before = settings.read_bytes()
    call(place, server, "tideline", "setup", "opencode")
    listed = call(place, server, "opencode", "mcp", "list")
    assert "tideline" in listed and "connected" in listed, listed
    call(place, server, "tideline", "setup", "opencode", "--remove")
    assert settings.read_bytes() == before
    assert "tideline" not in call(place, server, "opencode", "mcp", "list")


def test_a_project_beside_the_user(place, server):
    """A set-up of Claude Code for a project leaves that of the user as it was, and goes alone."""
    needs("claude-code")
    settings = place / ".claude" / "settings.json"
    prepare("claude-code", place, server)
    old = settings.read_bytes()
    set_up("claude-code", place, server, "--mcp")
    before = settings.read_bytes()
    set_up("claude-code", place, server, "--mcp", "--project", "--db", "other.db")
    listed = call(place, server, *LISTS["claude-code"])
    assert "other.db" in listed and "Connected" in listed, listed
    call(place, server, "tideline", "setup", "claude-code", "--remove", "--project")
    assert not (place / "work" / ".claude").exists() and settings.read_bytes() == before
    listed = call(place, server, *LISTS["claude-code"])
    assert "other.db" not in listed and "Connected" in listed, listed
    call(place, server, "tideline", "setup", "claude-code", "--remove")
    markets = json.loads((place / ".claude/plugins/known_marketplaces.json").read_bytes())
    assert settings.read_bytes() == old and not any("tideline" in name for name in markets)


PAIRS = [("claude-code", "codex"), ("codex", "gemini"), ("gemini", "claude-code")]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_turn_is_found_from_another_client(first, second, place, server):
    """What is said in a session of one client is told to another by its hook, as a quote, and by
    the tool; the last removal leaves the old bytes of each."""
    needs(first)
    needs(second)
    before = {**prepare(first, place, server), **prepare(second, place, server)}
    before = {path: path.read_bytes() if path.exists() else None for path in before}
    set_up(first, place, server, "--hooks", "--sessions", "turns")
    set_up(second, place, server)
    call(place, server, "tideline", "config", "set", "recall_sessions", "on")
    ask(first, place, server, f"From now on {FACT}.")
    told = ask(second, place, server, QUESTION)
    assert "quoted from a session" in told and "trunk-nine" in told
    if (BIN / "mcp-inspector").exists():
        found = call(place, server, "mcp-inspector", "--cli", "tideline", "mcp", "--method",
                     "tools/call", "--tool-name", "recall", "--tool-arg", "query=billing branch",
                     "--tool-arg", "sessions=true")  # fmt: skip
        assert first in {one["client"] for one in json.loads(found)["structuredContent"]["turns"]}
    call(place, server, "tideline", "config", "unset", "recall_sessions")
    call(place, server, "tideline", "setup", "--all", "--remove")
    assert {path: path.read_bytes() if path.exists() else None for path in before} == before
    assert not (place / ".config" / "tideline" / "config.toml").exists()


COMPACTED = {
    "claude-code": ("claude", "-p", "-c", "/compact"),
    "codex": ("codex", "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "-c",
              "model_auto_compact_token_limit=1", "resume", "--last", "go on"),
    "gemini": ("gemini", "-m", "gemini-2.5-flash", "-r", "latest", "-p", "/compress"),
}  # fmt: skip


@pytest.mark.parametrize("client", NAMES)
def test_a_compaction_is_heard_of(client, place, server):
    """Each client tells its hook before it compacts, and at the end of a session where it has
    one."""
    needs(client)
    prepare(client, place, server)
    set_up(client, place, server)
    heard = place / "heard"
    hooks = {"claude-code": "doors/claude-code/tideline/hooks/hooks.json",
             "gemini": "doors/gemini/hooks/hooks.json"}  # fmt: skip
    path = place / ".codex" / "hooks.json"
    if client in hooks:
        path = place / ".local" / "share" / "tideline" / hooks[client]
    form = json.loads(path.read_bytes())
    for groups in form["hooks"].values():
        for one in (each for group in groups for each in group["hooks"]):
            words = shlex.join([one["command"], *one.pop("args")]) if "args" in one else (
                one["command"])  # fmt: skip
            one["command"] = f"tee -a {heard} | {words}"
    path.write_text(json.dumps(form))
    ask(client, place, server, QUESTION)
    call(place, server, *COMPACTED[client])
    events = re.findall(r'"hook_event_name": ?"(\w+)"', heard.read_text())
    assert {"PreCompress" if client == "gemini" else "PreCompact"} <= set(events), events
    assert client == "codex" or "SessionEnd" in events, events


@pytest.mark.parametrize("client", NAMES)
def test_a_client_is_the_model_that_distils(client, place, server):
    """Its program is asked without tools, its own hooks are silent, and what it makes of a
    conversation is stored; nothing is queued by that."""
    needs(client)
    prepare(client, place, server)
    set_up(client, place, server, "--hooks", "--model", NAMES[client])
    ask(client, place, server, f"From now on {FACT}.")
    if client == "codex":  # which leaves out the settings that lead it to the stand-in
        command = call(place, server, "tideline", "config", "get", "llm").strip()
        provider = (f'model_providers.x={{name="x",base_url="{server.url}/v1",'
                    'wire_api="responses",env_key="OPENAI_API_KEY"}')  # fmt: skip
        lead = shlex.join(["-c", 'model_provider="x"', "-c", provider, "-"])
        call(place, server, "tideline", "config", "set", "llm", command.removesuffix("-") + lead)
    before = len(server.asked)
    server.says = lambda _: json.dumps({"facts": [{"content": FACT, "segment": "project"}]})
    done = call(place, server, "tideline", "extract", "--pending", "--all-now", "-v", check=False)
    assert FACT in call(place, server, "tideline", "list", "--all-scopes"), done
    said = [json.loads(one) for one in server.asked[before:]]
    assert said and all(FACT in json.dumps(one) for one in said)
    names = [tool for one in said for tool in one.get("tools") or () if tool != {}]
    assert names in ([], [{"functionDeclarations": []}]), names
    assert not any("untrusted-memory" in json.dumps(one) for one in said)
    assert json.loads(call(place, server, "tideline", "hook", "--json"))["pending"] == 0


def test_what_setup_writes_is_valid(place, server):
    """The clients' own validators take what we write."""
    needs("claude-code")
    needs("gemini")
    call(place, server, "tideline", "setup", "claude-code", "gemini", "--hooks")
    doors = place / ".local" / "share" / "tideline" / "doors"
    call(place, server, "claude", "plugin", "validate", str(doors / "claude-code"))
    call(place, server, "claude", "plugin", "validate", str(doors / "claude-code" / "tideline"))
    call(place, server, "gemini", "extensions", "validate", str(doors / "gemini"))
