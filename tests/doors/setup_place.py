"""A home for tests of `setup`: stand-ins for the clients' programs, and what lies in it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "/opt/tide line/tideline"
CLAUDE = r"""#!/usr/bin/python3
import json, os, sys
words = sys.argv[1:]
home = os.environ["HOME"]
local = "local" in words
path = os.path.join(os.getcwd() if local else home, ".claude",
                    "settings.local.json" if local else "settings.json")
os.makedirs(os.path.dirname(path), exist_ok=True)
form = json.load(open(path)) if os.path.exists(path) else {}
markets = form.setdefault("extraKnownMarketplaces", {})
plugins = form.setdefault("enabledPlugins", {})
if "add" in words:
    name = json.load(open(os.path.join(words[-1], ".claude-plugin/marketplace.json")))["name"]
    markets[name] = {"source": {"source": "directory", "path": words[-1]}}
elif "install" in words:
    plugins[words[-1]] = True
elif "uninstall" in words:
    plugins.pop(words[-1])
else:
    markets.pop(words[-1])
json.dump(form, open(path, "w"), indent=2)
print(*words, file=open(os.path.join(home, "calls"), "a"))
"""
CODEX = r"""#!/usr/bin/python3
import json, os, sys
words = sys.argv[1:]
home = os.environ["HOME"]
path = os.path.join(os.environ.get("CODEX_HOME") or os.path.join(home, ".codex"), "config.toml")
text = open(path, newline="").read() if os.path.exists(path) else ""
text = text.split("\n[mcp_servers.tideline]")[0].replace("\r\n", "\n")
if words[1] == "add":
    text += "\n[mcp_servers.tideline]\ncommand = " + json.dumps(words[4])
    text += "\nargs = " + json.dumps(words[5:]) + "\n"
open(path, "w").write(text)
print(*words, file=open(os.path.join(home, "calls"), "a"))
"""


def install(place: Path, **programs: str) -> None:
    """Put stand-ins for clients on the path of the tests."""
    for name, script in programs.items():
        (place / "bin").mkdir(exist_ok=True)
        (place / "bin" / name).write_text(script)
        (place / "bin" / name).chmod(0o755)


def calls(place: Path) -> list[str]:
    """Return what the stand-ins were called with."""
    return (place / "calls").read_text().splitlines() if (place / "calls").exists() else []


def everything(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder, but for those of our own home and of the stand-ins."""
    ours = {"home", "bin", "calls"}
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] not in ours
    }


def rows(place: Path) -> dict[str, dict[str, object]]:
    """Return the record of what is set up."""
    path = place / "home" / "doors" / "set-up.json"
    form: dict[str, dict[str, object]] = json.loads(path.read_bytes()) if path.exists() else {}
    return form


def write(place: Path, name: str, text: str) -> Path:
    """Write a file of the user's, as it is."""
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(os.fsencode(text))
    return path
