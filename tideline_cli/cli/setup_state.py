"""How the doors of the clients are: set up, trusted, still leading to this program, used when."""

from __future__ import annotations

import os
import shutil

from tideline_cli.cli import setup_registry
from tideline_cli.model.instant import iso
from tideline_cli.model.record import record
from tideline_cli.serve import setup_files, setup_merge, state_files
from tideline_cli.serve.setup_plan import PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.serve.setup_plan import MergedFile, Plan, SetupPlace
    from tideline_cli.serve.setup_record import SetUpRow


@record
class DoorState:
    """A client: whether it is on this machine, which of our doors it has, whether the person has
    approved them (None where nobody has to), whether they lead to a program, and the last call."""

    client: str
    found: bool
    hooks: bool
    mcp: bool
    trusted: bool | None
    is_valid: bool
    last_call: str | None

    @property
    def is_set_up(self) -> bool:
        return self.hooks or self.mcp


def state_of(plan: Plan, place: SetupPlace, state: str, row: SetUpRow | None) -> DoorState:
    """Return how a client is; `plan` has both parts."""
    hooks, mcp = _doors(plan, place)
    words = (row.program if row is not None else "") or next(iter(plan.calls.values()))[0]
    return DoorState(
        plan.client,
        shutil.which(PROGRAMS[plan.client]) is not None or os.path.isdir(place.of(plan.client)),
        hooks,
        mcp,
        _approved(plan, place) if plan.client == "codex" and hooks else None,
        not (hooks or mcp) or shutil.which(words) is not None,
        _last_call(state, plan.client),
    )


def unknown(plan: Plan, place: SetupPlace) -> DoorState:
    """Return how a client is whose settings cannot be read."""
    is_here = shutil.which(PROGRAMS[plan.client]) is not None or os.path.isdir(
        place.of(plan.client)
    )
    return DoorState(plan.client, is_here, False, False, None, True, None)


def _doors(plan: Plan, place: SetupPlace) -> tuple[bool, bool]:
    """Return whether the hooks are there, all of them, and the server."""
    if plan.client == "claude-code":
        is_on = setup_registry.plugin_is_on(plan)
        return (is_on and _has(plan, "tideline/hooks/hooks.json"),
                is_on and _has(plan, "tideline/.mcp.json"))  # fmt: skip
    if plan.client == "gemini":
        is_on = setup_registry.registered(plan, place) == "whole"
        manifest = setup_registry.settings(os.path.join(plan.folder, "gemini-extension.json"))
        return is_on and _has(plan, "hooks/hooks.json"), is_on and "mcpServers" in manifest
    hooks = mcp = False
    for merge in plan.merges:
        if merge.entries:
            hooks = len(_places(merge)) == len(merge.entries)
        else:
            mcp = setup_merge.has_own_server(setup_registry.settings(merge.path))
    if plan.client == "codex" and plan.commands:
        servers = setup_registry.codex_settings(place).get("mcp_servers")
        mcp = setup_merge.has_own_server({"mcpServers": servers})
    return hooks, mcp


def _places(merge: MergedFile) -> dict[str, int]:
    raw = setup_files.content(merge.path) or b""
    return setup_merge.own_places(raw.decode("utf-8", "surrogateescape"), merge)


def _approved(plan: Plan, place: SetupPlace) -> bool:
    """Say whether the person has approved each of our hooks: Codex keeps that by file, event and
    place."""
    known = setup_registry.codex_settings(place).get("hooks")
    states = known.get("state") if isinstance(known, dict) else None
    if not isinstance(states, dict):
        return False
    trusted = {_key(name) for name, one in states.items()
               if isinstance(one, dict) and one.get("trusted_hash")}  # fmt: skip
    merge = plan.merges[0]
    return all(
        (os.path.realpath(merge.path), event.lower(), str(at)) in trusted
        for event, at in _places(merge).items()
    )


def _key(name: str) -> tuple[str, str, str]:
    path, event, group, _ = (["", "", "", *name.rsplit(":", 3)])[-4:]
    return os.path.realpath(path), event.replace("_", "").lower(), group


def _has(plan: Plan, name: str) -> bool:
    return os.path.isfile(os.path.join(plan.folder, name))


def _last_call(state: str, client: str) -> str | None:
    """Return when a conversation of a client last asked, None where none has."""
    folder = state_files.folder_of(state)
    if not os.path.isdir(folder):
        return None
    with os.scandir(folder) as entries:
        times = [entry.stat().st_mtime for entry in entries
                 if entry.name.startswith(f"{client}-")]  # fmt: skip
    return iso(int(max(times) * 1000)) if times else None
