"""What `setup` writes for a client, and which commands of the client it calls: a plan, as data."""

from __future__ import annotations

import json
import os
from shlex import join

from tideline_cli import __version__
from tideline_cli.model.record import record
from tideline_cli.serve.setup_words import ABOUT, ASKS, LICENSE_TEXT, README_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Form = dict[str, Any]

PROGRAMS = {"claude-code": "claude", "codex": "codex", "gemini": "gemini", "cursor": "cursor"}
_NAME = "tideline"
_PLUGIN = f"{_NAME}@{_NAME}"
_EVENTS = {
    "claude-code": ("SessionStart", "UserPromptSubmit", "Stop"),
    "codex": ("SessionStart", "UserPromptSubmit", "Stop"),
    "gemini": ("SessionStart", "BeforeAgent", "AfterAgent"),
    "cursor": ("sessionStart", "beforeSubmitPrompt", "stop"),
}
"""A start, a prompt, the end of a turn; nothing for each call of a tool."""
_SECONDS = 5  # after which a client gives up; a hook gives up after one


@record
class SetupPlace:
    """Where things lie: the home folder, our data folder, the folders of the clients' settings, and
    the project that alone is set up, empty for all."""

    home: str
    data: str
    codex: str
    claude: str
    project: str = ""

    def of(self, client: str) -> str:
        """Return the folder of a client's settings, of the project where there is one."""
        if self.project:
            return os.path.join(self.project, f".{client.removesuffix('-code')}")
        known = {"codex": self.codex, "claude-code": self.claude}
        return known.get(client) or os.path.join(self.home, f".{client}")


@record
class MergedFile:
    """What is put into one JSON file: an entry for each event, or a server by its name. `base` is
    what a file begins with that we make."""

    path: str
    base: Mapping[str, Any]
    entries: tuple[tuple[str, Form], ...] = ()
    server: Form | None = None


@record
class Plan:
    """How a client is set up. `files` lie in `folder`, which is ours. `commands` are the client's
    own, and so are those that take it back; `watched` are the files that they change. Where
    `is_asked`, a command asks the person something."""

    client: str
    parts: tuple[str, ...]
    words: tuple[str, ...]
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
        return ASKS[self.client] if "hooks" in self.parts else ""


def plan_of(
    client: str, words: Sequence[str], more: Sequence[str], parts: Sequence[str], place: SetupPlace
) -> Plan:
    """Return the plan for a client. `words` start this program, `more` names a memory or an
    origin, `parts` are hooks, mcp or both."""
    hook = (*words, "hook", client, *more)
    server: Form = {"command": words[0], "args": [*words[1:], "mcp", *more]}
    make = {"claude-code": _claude, "codex": _codex, "gemini": _gemini, "cursor": _cursor}[client]
    return make(tuple(parts), hook, server, place)


def _claude(parts: tuple[str, ...], hook: tuple[str, ...], server: Form, place: SetupPlace) -> Plan:
    folder = os.path.join(place.data, "doors", "claude-code")
    entry = {"type": "command", "command": hook[0], "args": [*hook[1:]], "timeout": _SECONDS}
    market = {
        "name": _NAME, "description": ABOUT, "owner": {"name": _NAME},
        "plugins": [{"name": _NAME, "source": f"./{_NAME}", "description": ABOUT}],
    }  # fmt: skip
    plugin = {"name": _NAME, "version": __version__, "description": ABOUT,
              "author": {"name": _NAME}, "license": "MIT"}  # fmt: skip
    files = [(".claude-plugin/marketplace.json", _text(market)),
             (f"{_NAME}/.claude-plugin/plugin.json", _text(plugin)),
             (f"{_NAME}/README.md", README_TEXT), (f"{_NAME}/LICENSE", LICENSE_TEXT)]  # fmt: skip
    if "hooks" in parts:
        files.append((f"{_NAME}/hooks/hooks.json", _text({"hooks": _groups("claude-code", entry)})))
    if "mcp" in parts:
        files.append((f"{_NAME}/.mcp.json", _text({"mcpServers": {_NAME: server}})))
    scope = ("--scope", "local" if place.project else "user")
    name = "settings.local.json" if place.project else "settings.json"
    return Plan(
        "claude-code", parts, hook, folder, tuple(files), (),
        (("claude", "plugin", "marketplace", "add", *scope, folder),
         ("claude", "plugin", "install", *scope, _PLUGIN)),
        (("claude", "plugin", "uninstall", *scope, _PLUGIN),
         ("claude", "plugin", "marketplace", "remove", *scope, _NAME)),
        (os.path.join(place.of("claude-code"), name),),
    )  # fmt: skip


def _codex(parts: tuple[str, ...], hook: tuple[str, ...], server: Form, place: SetupPlace) -> Plan:
    folder = place.of("codex")
    entry = {"type": "command", "command": join(hook), "timeout": _SECONDS}
    merges = [MergedFile(os.path.join(folder, "hooks.json"), {}, _listed("codex", entry))]
    has_server = "mcp" in parts and not place.project
    add = ("codex", "mcp", "add", _NAME, "--", server["command"], *server["args"])
    return Plan(
        "codex", parts, hook, merges=tuple(merges) if "hooks" in parts else (),
        commands=(add,) if has_server else (),
        undo=(("codex", "mcp", "remove", _NAME),) if has_server else (),
        watched=(os.path.join(folder, "config.toml"),) if has_server else (),
    )  # fmt: skip


def _gemini(parts: tuple[str, ...], hook: tuple[str, ...], server: Form, place: SetupPlace) -> Plan:
    folder = os.path.join(place.data, "doors", "gemini")
    entry = {"type": "command", "name": _NAME, "command": join(hook), "timeout": _SECONDS * 1000}
    form: Form = {"name": _NAME, "version": __version__, "description": ABOUT}
    files = [("README.md", README_TEXT), ("LICENSE", LICENSE_TEXT)]
    if "mcp" in parts:
        form["mcpServers"] = {_NAME: server}
    if "hooks" in parts:
        files.append(("hooks/hooks.json", _text({"hooks": _groups("gemini", entry)})))
    files.append(("gemini-extension.json", _text(form)))
    return Plan(
        "gemini", parts, hook, folder, tuple(files), (),
        (("gemini", "extensions", "link", folder),),
        (("gemini", "extensions", "uninstall", _NAME),),
        (os.path.join(place.home, ".gemini", "settings.json"),), is_asked=True,
    )  # fmt: skip


def _cursor(parts: tuple[str, ...], hook: tuple[str, ...], server: Form, place: SetupPlace) -> Plan:
    folder = place.of("cursor")
    merges = []
    if "hooks" in parts:
        entries = tuple((event, {"command": join(hook)}) for event in _EVENTS["cursor"])
        merges.append(MergedFile(os.path.join(folder, "hooks.json"), {"version": 1}, entries))
    if "mcp" in parts:
        merges.append(MergedFile(os.path.join(folder, "mcp.json"), {}, server=server))
    return Plan("cursor", parts, hook, merges=tuple(merges))


def _listed(client: str, entry: Form) -> tuple[tuple[str, Form], ...]:
    return tuple((event, {"hooks": [entry]}) for event in _EVENTS[client])


def _groups(client: str, entry: Form) -> Form:
    return {event: [group] for event, group in _listed(client, entry)}


def _text(form: Form) -> str:
    return json.dumps(form, indent=2, ensure_ascii=False) + "\n"
