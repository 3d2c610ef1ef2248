"""What `setup` writes for a client, and which commands of the client it calls: a plan, as data."""

from __future__ import annotations

import json
import os
from hashlib import sha256

from tideline_cli import __version__
from tideline_cli.model.record import record, replace
from tideline_cli.system import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Form = dict[str, Any]
    Calls = Mapping[str, tuple[str, ...]]

PROGRAMS = {
    "claude-code": "claude", "codex": "codex", "gemini": "gemini", "cursor": "cursor",
    "opencode": "opencode", "vscode": "code", "zed": "zed",
}  # fmt: skip
"""The clients that setup knows, and the program of each. Those of CLIENTS have hooks."""
HOOKS, MCP = "hooks", "mcp"
_NAME = "tideline"
_EVENTS = {
    "claude-code": ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"),
    "codex": ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"),
    "gemini": ("SessionStart", "BeforeAgent", "AfterAgent", "PreCompress", "SessionEnd"),
    "cursor": ("sessionStart", "beforeSubmitPrompt", "stop", "preCompact", "sessionEnd"),
}
"""A start, a prompt, the end of a turn, what comes before a compaction, the end; nothing for each
call of a tool."""
_SECONDS = 5  # after which a client gives up; a hook gives up after one


@record
class SetupPlace:
    """Where things lie: the home folder, our data folder, the folders of the clients' settings
    that are no ~/.CLIENT, and the project that alone is set up, empty for all."""

    home: str
    data: str
    folders: Mapping[str, str]
    project: str = ""

    def of(self, client: str) -> str:
        """Return the folder of a client's settings, of the project where there is one."""
        if self.project:
            return os.path.join(self.project, f".{client.removesuffix('-code')}")
        return self.folders.get(client) or os.path.join(self.home, f".{client}")

    @property
    def own_name(self) -> str:
        """Return the name of our folder and our marketplace: each set-up has its own."""
        if not self.project:
            return _NAME
        mark = sha256(os.path.realpath(self.project).encode("utf-8", "surrogateescape"))
        return f"{_NAME}-{mark.hexdigest()[:10]}"

    @property
    def roots(self) -> tuple[str, ...]:
        """Return the folders that are set up: files outside of them stay as they are. Links of a
        project lead nowhere else, since they may come with a clone."""
        return (self.project,) if self.project else (self.home, *self.folders.values())

    @property
    def doors(self) -> str:
        """Return the folder of what setup writes for itself."""
        return os.path.join(self.data, "doors")


def client_folders(environ: Mapping[str, str], home: str, platform: str) -> dict[str, str]:
    """Return where the settings of the clients lie that are no ~/.CLIENT, on a platform as
    `sys.platform` names it."""
    usual = os.path.join(home, ".config")
    base = environ.get("XDG_CONFIG_HOME") or usual
    roaming = environ.get("APPDATA") or os.path.join(home, "AppData", "Roaming")
    library = os.path.join(home, "Library", "Application Support")
    zed = {"win32": os.path.join(roaming, "Zed"), "darwin": os.path.join(usual, "zed")}
    return {
        "codex": environ.get("CODEX_HOME") or os.path.join(home, ".codex"),
        "claude-code": environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude"),
        "opencode": os.path.join(base, "opencode"),
        "vscode": os.path.join({"win32": roaming, "darwin": library}.get(platform, base), "Code",
                               "User"),
        "zed": zed.get(platform) or os.path.join(base, "zed"),
    }  # fmt: skip


@record
class MergedFile:
    """What is put into one JSON file of a client: an entry for each event, or a server by its name
    among those of the key `servers`. `base` is what a file begins with that we make;
    `with_comments` says that the client reads a file with comments."""

    path: str
    client: str
    base: Mapping[str, Any]
    entries: tuple[tuple[str, Form], ...] = ()
    server: Form | None = None
    servers: str = "mcpServers"
    with_comments: bool = False


@record
class Plan:
    """How a client is set up. `calls` are the words that each part calls. `files` lie in `folder`,
    which is ours; `name` is what the client knows that folder by. `commands` are the client's own,
    and so are those that take it back; `watched` are the files that they change. Where `is_asked`,
    a command asks the person something."""

    client: str
    calls: Calls
    name: str = _NAME
    folder: str = ""
    files: tuple[tuple[str, str], ...] = ()
    merges: tuple[MergedFile, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    undo: tuple[tuple[str, ...], ...] = ()
    watched: tuple[str, ...] = ()
    is_asked: bool = False

    @property
    def asks(self) -> str:
        """Return what is left to the person, empty for nothing."""
        return "" if self.client == "codex" and HOOKS not in self.calls else ASKS[self.client]


def calls_of(
    client: str, words: Sequence[str], more: Sequence[str], parts: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the words of each part. `words` start this program, `more` names a memory or an
    origin, `parts` are hooks, mcp or both."""
    verbs = {HOOKS: ("hook", client), MCP: ("mcp",)}
    return {part: (*words, *verbs[part], *more) for part in parts}


def plan_of(client: str, calls: Calls, place: SetupPlace) -> Plan:
    """Return the plan for a client."""
    make = {
        "claude-code": _claude, "codex": _codex, "gemini": _gemini, "cursor": _cursor,
        "opencode": _opencode, "vscode": _vscode, "zed": _zed,
    }[client]  # fmt: skip
    return make({part: tuple(words) for part, words in calls.items()}, place)


def _claude(calls: Calls, place: SetupPlace) -> Plan:
    name = place.own_name
    folder = os.path.join(place.doors, "claude-code" + name.removeprefix(_NAME))
    market = {
        "name": name, "description": ABOUT, "owner": {"name": _NAME},
        "plugins": [{"name": _NAME, "source": f"./{_NAME}", "description": ABOUT}],
    }  # fmt: skip
    plugin = {"name": _NAME, "version": __version__, "description": ABOUT,
              "author": {"name": _NAME}, "license": "MIT"}  # fmt: skip
    files = [(".claude-plugin/marketplace.json", _text(market)),
             (f"{_NAME}/.claude-plugin/plugin.json", _text(plugin)),
             (f"{_NAME}/README.md", README_TEXT), (f"{_NAME}/LICENSE", LICENSE_TEXT)]  # fmt: skip
    if HOOKS in calls:
        command, *args = calls[HOOKS]
        entry = {"type": "command", "command": command, "args": args, "timeout": _SECONDS}
        files.append((f"{_NAME}/hooks/hooks.json", _text({"hooks": _groups("claude-code", entry)})))
    if MCP in calls:
        files.append((f"{_NAME}/.mcp.json", _text({"mcpServers": {_NAME: _server(calls)}})))
    scope = ("--scope", "local" if place.project else "user")
    settings = "settings.local.json" if place.project else "settings.json"
    return Plan(
        "claude-code", calls, name, folder, tuple(files), (),
        (("claude", "plugin", "marketplace", "add", *scope, folder),
         ("claude", "plugin", "install", *scope, f"{_NAME}@{name}")),
        (("claude", "plugin", "uninstall", *scope, f"{_NAME}@{name}"),
         ("claude", "plugin", "marketplace", "remove", *scope, name)),
        (os.path.join(place.of("claude-code"), settings),),
    )  # fmt: skip


def _codex(calls: Calls, place: SetupPlace) -> Plan:
    folder = place.of("codex")
    merges = []
    if HOOKS in calls:
        entry = {"type": "command", "command": words_of.join(calls[HOOKS]), "timeout": _SECONDS}
        path = os.path.join(folder, "hooks.json")
        merges.append(MergedFile(path, "codex", {}, _listed("codex", entry)))
    if MCP not in calls:
        return Plan("codex", calls, merges=tuple(merges))
    return Plan(
        "codex", calls, merges=tuple(merges),
        commands=(("codex", "mcp", "add", _NAME, "--", *calls[MCP]),),
        undo=(("codex", "mcp", "remove", _NAME),),
        watched=(os.path.join(folder, "config.toml"),),
    )  # fmt: skip


def _gemini(calls: Calls, place: SetupPlace) -> Plan:
    folder = os.path.join(place.doors, "gemini")
    form: Form = {"name": _NAME, "version": __version__, "description": ABOUT}
    files = [("README.md", README_TEXT), ("LICENSE", LICENSE_TEXT)]
    if MCP in calls:
        form["mcpServers"] = {_NAME: _server(calls)}
    if HOOKS in calls:
        entry = {"type": "command", "name": _NAME, "command": words_of.join(calls[HOOKS]),
                 "timeout": _SECONDS * 1000}  # fmt: skip
        files.append(("hooks/hooks.json", _text({"hooks": _groups("gemini", entry)})))
    files.append(("gemini-extension.json", _text(form)))
    return Plan(
        "gemini", calls, _NAME, folder, tuple(files), (),
        (("gemini", "extensions", "link", folder),),
        (("gemini", "extensions", "uninstall", _NAME),),
        (os.path.join(place.of("gemini"), "settings.json"),), is_asked=True,
    )  # fmt: skip


def _cursor(calls: Calls, place: SetupPlace) -> Plan:
    folder = place.of("cursor")
    merges = []
    if HOOKS in calls:
        command = words_of.join(calls[HOOKS])
        entries = tuple((event, {"command": command}) for event in _EVENTS["cursor"])
        merges.append(MergedFile(os.path.join(folder, "hooks.json"), "cursor", {"version": 1},
                                 entries, with_comments=True))  # fmt: skip
    if MCP in calls:
        merges.append(_served("cursor", place, "mcp.json", "mcpServers", _server(calls)))
    return Plan("cursor", calls, merges=tuple(merges))


def _opencode(calls: Calls, place: SetupPlace) -> Plan:
    form = {"type": "local", "command": [*calls[MCP]], "enabled": True}
    has_other = os.path.lexists(os.path.join(place.of("opencode"), "opencode.jsonc"))
    name = "opencode.jsonc" if has_other else "opencode.json"
    merge = _served("opencode", place, name, "mcp", form)
    return Plan("opencode", calls, merges=(
        replace(merge, base={"$schema": "https://opencode.ai/config.json"}),
    ))  # fmt: skip


def _vscode(calls: Calls, place: SetupPlace) -> Plan:
    form = {"type": "stdio", **_server(calls)}
    return Plan("vscode", calls, merges=(_served("vscode", place, "mcp.json", "servers", form),))


def _zed(calls: Calls, place: SetupPlace) -> Plan:
    return Plan("zed", calls, merges=(
        _served("zed", place, "settings.json", "context_servers", _server(calls)),
    ))  # fmt: skip


def _served(client: str, place: SetupPlace, name: str, servers: str, form: Form) -> MergedFile:
    path = os.path.join(place.of(client), name)
    return MergedFile(path, client, {}, server=form, servers=servers, with_comments=True)


def _server(calls: Calls) -> Form:
    command, *args = calls[MCP]
    return {"command": command, "args": args}


def _listed(client: str, entry: Form) -> tuple[tuple[str, Form], ...]:
    return tuple((event, {"hooks": [entry]}) for event in _EVENTS[client])


def _groups(client: str, entry: Form) -> Form:
    return {event: [group] for event, group in _listed(client, entry)}


def _text(form: Form) -> str:
    return json.dumps(form, indent=2, ensure_ascii=False) + "\n"


ABOUT = "Memory from the command line: what you have remembered is said where it helps."
README_TEXT = """# tideline

This folder was written by `tideline setup`, and lets an agent use the memory of tideline. When a
conversation starts, the agent gets pinned and strong facts; with each prompt it gets the facts that
have to do with it, as data and not as instructions. Most prompts get nothing. Nothing is sent
anywhere, and no fact is stored.

`tideline hook --pause 2h` pauses it, `tideline setup --remove` takes it out again, and
`tideline setup --check` says how it is.
"""
LICENSE_TEXT = """MIT License

Copyright (c) The tideline authors

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
ASKS = {
    "claude-code": "",
    "codex": f"start codex and approve the {len(_EVENTS['codex'])} hooks of tideline in /hooks: "
             "until then it runs none, and does not say so",
    "gemini": "start gemini anew; in a folder that it does not trust it runs no hooks",
    "cursor": "start cursor anew",
    "opencode": "start opencode anew",
    "vscode": "start VS Code anew; it asks whether it may start the server",
    "zed": "",
}  # fmt: skip
"""What is left to the person, of each client. Nobody answers a question of trust for them."""
