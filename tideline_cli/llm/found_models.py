"""Where a model may be found: servers on this machine, and the agents' own commands, called so that
they have no tools, hooks and servers of their own, and keep no session."""

from __future__ import annotations

import http.client
import json
import os
import shutil
from shlex import quote

from tideline_cli.errors import UnavailableError
from tideline_cli.model.record import record
from tideline_cli.system import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SERVERS = {"ollama": 11434, "llama.cpp": 8080, "vllm": 8000, "lmstudio": 1234}
"""Servers of models, and the ports where they listen."""
COMMANDS = {"claude": 2000, "codex": 12_000, "gemini": 7000}
"""Programs of agents, and about how many tokens each adds to a request."""
_PATIENCE = 0.3  # seconds; this machine answers at once
_LARGEST = 1 << 16
_SETTINGS_OF_GEMINI = {"hooksConfig": {"enabled": False}, "tools": {"core": ["none"]}}


@record
class FoundModel:
    """A model: its name for people, what the settings say of it (None takes one out), whether its
    requests leave this machine, and the tokens that its program adds to each."""

    name: str
    settings: Mapping[str, str | None]
    is_here: bool
    overhead: int = 0


def found_model(place: str, folder: str) -> FoundModel:
    """Return the model of a server or a command; raise UnavailableError where there is none.
    `folder` is an own one, in which programs of agents find no project."""
    if place in COMMANDS:
        program = shutil.which(place)
        if program is None or (place == "gemini" and shutil.which("sh") is None):
            raise UnavailableError(f"there is no program {place}", hint="is it on PATH?")
        command = words_of.join(_words(place, program, folder))  # a night has another PATH
        settings = {"llm": command, "base_url": None, "model": None}
        return FoundModel(place, settings, is_here=False, overhead=COMMANDS[place])
    port = SERVERS[place]
    names = _served(port)
    if not names:
        raise UnavailableError(f"no {place} with a model answers on port {port}",
                               hint="start it, and load a model")  # fmt: skip
    url = f"http://127.0.0.1:{port}/v1"
    settings = {"llm": None, "base_url": url, "model": names[0]}
    return FoundModel(f"{names[0]} of {place}", settings, is_here=True)


def own_files(place: str) -> tuple[tuple[str, str], ...]:
    """Return what lies in the folder that a command is called in: names and texts."""
    if place != "gemini":
        return ()
    return ((os.path.join(".gemini", "settings.json"), json.dumps(_SETTINGS_OF_GEMINI) + "\n"),)


def _words(place: str, program: str, folder: str) -> list[str]:
    match place:
        case "claude":
            return [program, "-p", "--safe-mode", "--tools", "", "--no-session-persistence"]
        case "codex":
            return [program, "exec", "--skip-git-repo-check", "--ephemeral", "--ignore-user-config",
                    "--ignore-rules", "--sandbox", "read-only", "--disable", "hooks", "--disable",
                    "shell_tool", "--disable", "code_mode_host", "-C", folder, "-"]  # fmt: skip
    call = f"GEMINI_CLI_TRUST_WORKSPACE=true exec {quote(program)} -e none -m flash"
    return ["sh", "-c", f"cd {quote(folder)} && {call}"]


def _served(port: int) -> list[str]:
    """Return the models that a server on this machine names, but for those of vectors."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    try:
        connection.request("GET", "/v1/models")
        form = json.loads(connection.getresponse().read(_LARGEST))
        names = [one["id"] for one in form["data"]]
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return []
    finally:
        connection.close()
    return [name for name in names if isinstance(name, str) and name and "embed" not in name]
