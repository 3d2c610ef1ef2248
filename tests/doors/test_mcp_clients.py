"""`tideline mcp` as real clients start it: marker `clients`, offline, each with an empty home.

The programs are looked for in the folder $AGENT_CLIENTS, in .venv-clients, then on PATH; what is
not there is skipped, and says so.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT

pytestmark = pytest.mark.clients
_INSTALLED = str(ROOT / ".venv-clients" / "node_modules" / ".bin")
TIDELINE = str(Path(sys.executable).with_name("tideline"))


@pytest.fixture
def client(tmp_path):
    """Run a client by name: only PATH, an empty home and our store are known to it."""
    store = str(tmp_path / "store.db")
    subprocess.run(
        [TIDELINE, "--db", store, "remember", "I deploy on Fridays"], check=True,
        capture_output=True,
    )  # fmt: skip

    def run(name, *argv):
        places = os.pathsep.join(filter(None, (os.environ.get("AGENT_CLIENTS"), _INSTALLED,
                                               os.environ["PATH"])))  # fmt: skip
        program = shutil.which(name, path=places)
        if program is None:
            pytest.skip(f"NOT TESTED: {name} is not installed")
        surroundings = {"PATH": places, "HOME": str(tmp_path), "TIDELINE_DB": store,
                        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "none",
                        "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        done = subprocess.run(
            [program, *argv], env=surroundings, cwd=tmp_path, capture_output=True, text=True,
            timeout=120, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        return done.stdout + done.stderr

    return run


def test_the_health_check_of_claude_code(client):
    """It adds the server by its own command, starts it, and finds it well."""
    client("claude", "mcp", "add", "tideline", "--", TIDELINE, "mcp")
    listed = client("claude", "mcp", "list")
    assert "tideline" in listed
    assert "Connected" in listed, listed


def test_the_inspector(client):
    """It lists the tools with their hints, and gets the fact from a call."""
    server = ("--cli", TIDELINE, "mcp", "--write", "--method")
    tools = json.loads(client("mcp-inspector", *server, "tools/list"))["tools"]
    assert [tool["name"] for tool in tools] == ["recall", "show", "timeline", "remember", "forget"]
    assert all(len(tool["annotations"]) == 4 for tool in tools)
    found = client("mcp-inspector", *server, "tools/call", "--tool-name", "recall", "--tool-arg",
                   "query=when do I deploy")  # fmt: skip
    (hit,) = json.loads(found)["structuredContent"]["hits"]
    assert hit["text"].startswith("I deploy on Fridays")  # the day where that is long ago
