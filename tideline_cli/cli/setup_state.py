"""How the doors of the clients are: set up, trusted, still leading to this program, used when."""

from __future__ import annotations

import os
import shutil

from tideline_cli.errors import UsageError
from tideline_cli.model.instant import iso
from tideline_cli.model.record import record
from tideline_cli.serve import setup_files, setup_merge, setup_record, state_files
from tideline_cli.serve.setup_plan import PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.serve.setup_plan import Plan, SetupPlace

_PLUGIN = "tideline@tideline"


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


def state_of(plan: Plan, place: SetupPlace, state: str) -> DoorState:
    """Return how a client is; `plan` has both parts."""
    row = setup_record.rows(place.data).get(setup_record.name_of(plan.client, place.project)) or {}
    hooks, mcp = _doors(plan, place)
    words = row.get("words") or plan.words
    return DoorState(
        plan.client,
        shutil.which(PROGRAMS[plan.client]) is not None or os.path.isdir(place.of(plan.client)),
        hooks,
        mcp,
        _approved(plan, place) if plan.client == "codex" and hooks else None,
        not (hooks or mcp) or shutil.which(words[0]) is not None,
        _last_call(state, plan.client),
    )


def _doors(plan: Plan, place: SetupPlace) -> tuple[bool, bool]:
    """Return whether the hooks are there, all of them, and the server."""
    if plan.client == "claude-code":
        enabled = _json(plan.watched[0]).get("enabledPlugins")
        is_on = isinstance(enabled, dict) and bool(enabled.get(_PLUGIN))
        return (is_on and _has(plan, "tideline/hooks/hooks.json"),
                is_on and _has(plan, "tideline/.mcp.json"))  # fmt: skip
    if plan.client == "gemini":
        is_on = os.path.isdir(os.path.join(place.home, ".gemini", "extensions", "tideline"))
        manifest = _json(os.path.join(plan.folder, "gemini-extension.json"))
        return is_on and _has(plan, "hooks/hooks.json"), is_on and "mcpServers" in manifest
    hooks = mcp = False
    for merge in plan.merges:
        form = _json(merge.path)
        if merge.entries:
            hooks = len(setup_merge.own_places(form, merge, plan.client)) == len(merge.entries)
        else:
            mcp = "tideline" in (form.get("mcpServers") or {})
    if plan.client == "codex":
        mcp = "tideline" in (_toml(_codex_settings(place)).get("mcp_servers") or {})
    return hooks, mcp


def _approved(plan: Plan, place: SetupPlace) -> bool:
    """Say whether the person has approved each of our hooks: Codex keeps that by file, event and
    place."""
    known = _toml(_codex_settings(place)).get("hooks")
    states = known.get("state") if isinstance(known, dict) else None
    if not isinstance(states, dict):
        return False
    trusted = {_key(name) for name, one in states.items()
               if isinstance(one, dict) and one.get("trusted_hash")}  # fmt: skip
    merge = plan.merges[0]
    places = setup_merge.own_places(_json(merge.path), merge, plan.client)
    return all(
        (os.path.realpath(merge.path), event.lower(), str(place)) in trusted
        for event, place in places.items()
    )


def _key(name: str) -> tuple[str, str, str]:
    path, event, group, _ = (["", "", "", *name.rsplit(":", 3)])[-4:]
    return os.path.realpath(path), event.replace("_", "").lower(), group


def _codex_settings(place: SetupPlace) -> str:
    return os.path.join(place.codex, "config.toml")


def _has(plan: Plan, name: str) -> bool:
    return os.path.isfile(os.path.join(plan.folder, name))


def _json(path: str) -> dict[str, Any]:
    raw = setup_files.content(path) or b"{}"
    try:
        return setup_merge.parsed(raw.decode("utf-8", "replace"), path).form
    except UsageError:
        return {}


def _toml(path: str) -> dict[str, Any]:
    from tomllib import loads  # noqa: PLC0415  Codex alone

    raw = setup_files.content(path) or b""
    try:
        return loads(raw.decode("utf-8", "replace"))
    except ValueError:
        return {}


def _last_call(state: str, client: str) -> str | None:
    """Return when a conversation of a client last asked, None where none has."""
    folder = state_files.folder_of(state)
    if not os.path.isdir(folder):
        return None
    with os.scandir(folder) as entries:
        times = [entry.stat().st_mtime for entry in entries
                 if entry.name.startswith(f"{client}-")]  # fmt: skip
    return iso(int(max(times) * 1000)) if times else None
