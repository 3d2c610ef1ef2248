"""Where a model may be found: servers on this machine, and the agents' own commands, called so that
they have no hooks, no servers and no tools that act, and keep no session."""

from __future__ import annotations

import http.client
import json
import os
import shutil
from shlex import quote

from tideline_cli.errors import UnavailableError
from tideline_cli.system import words_of

SERVERS = {"ollama": 11434, "llama.cpp": 8080, "vllm": 8000, "lmstudio": 1234}
"""Servers of models, and the ports where they listen."""
COMMANDS = {"claude": 2000, "codex": 12_000, "gemini": 7000}
"""Programs of agents, and about how many tokens each adds to a request."""
OWN_FILES = ((os.path.join(".gemini", "settings.json"),
              '{"hooksConfig": {"enabled": false}, "tools": {"core": ["none"]}}\n'),)  # fmt: skip
"""What lies in the folder in which such a program is called: names and texts."""
_PATIENCE = 0.3  # seconds; this machine answers at once
_LARGEST = 1 << 16


def settings_of(place: str, folder: str) -> dict[str, str | None]:
    """Return the settings of a server's first model or of a command, None for those that it goes
    without; raise UnavailableError where there is none. `folder` is an own one, in which programs
    of agents find no project."""
    if place in SERVERS:
        names = _served(SERVERS[place])
        if not names:
            raise UnavailableError(f"no {place} with a model answers on port {SERVERS[place]}",
                                   hint="start it, and load a model")  # fmt: skip
        url = f"http://127.0.0.1:{SERVERS[place]}/v1"
        return {"llm": None, "base_url": url, "model": names[0]}
    program = shutil.which(place)
    if program is None or (place == "gemini" and shutil.which("sh") is None):
        raise UnavailableError(f"there is no program {place}", hint="is it on PATH?")
    command = words_of.join(_words(place, program, folder))  # a night has another PATH
    return {"llm": command, "base_url": None, "model": None}


def overhead(command: str) -> int:
    """Return about how many tokens a command of an agent adds to a request."""
    words = {os.path.basename(word) for word in command.split()}
    return sum(tokens for program, tokens in COMMANDS.items() if program in words)


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
