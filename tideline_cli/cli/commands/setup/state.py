"""How the doors of the clients are: set up, trusted, still leading to this program, used when."""

from __future__ import annotations

import os
import shutil
from typing import Any

from tideline_cli.model.instant import iso
from tideline_cli.model.record import record
from tideline_cli.serve import hook_state, setup_files, setup_merge
from tideline_cli.serve.setup_plan import PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Literal

    from tideline_cli.serve.setup_files import SetUpRow
    from tideline_cli.serve.setup_plan import MergedFile, Plan, SetupPlace
    Registered = Literal["whole", "part", "none", "foreign"]


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
        is_on = plugin_is_on(plan)
        return (is_on and _has(plan, "tideline/hooks/hooks.json"),
                is_on and _has(plan, "tideline/.mcp.json"))  # fmt: skip
    if plan.client == "gemini":
        is_on = registered(plan, place) == "whole"
        manifest = settings(os.path.join(plan.folder, "gemini-extension.json"))
        return is_on and _has(plan, "hooks/hooks.json"), is_on and "mcpServers" in manifest
    hooks = mcp = False
    for merge in plan.merges:
        if merge.entries:
            hooks = len(_places(merge)) == len(merge.entries)
        else:
            mcp = setup_merge.has_own_server(settings(merge.path))
    if plan.client == "codex" and plan.commands:
        servers = codex_settings(place).get("mcp_servers")
        mcp = setup_merge.has_own_server({"mcpServers": servers})
    return hooks, mcp


def _places(merge: MergedFile) -> dict[str, int]:
    raw = setup_files.content(merge.path) or b""
    return setup_merge.own_places(raw.decode("utf-8", "surrogateescape"), merge)


def _approved(plan: Plan, place: SetupPlace) -> bool:
    """Say whether the person has approved each of our hooks: Codex keeps that by file, event and
    place."""
    known = codex_settings(place).get("hooks")
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
    folder = hook_state.folder_of(state)
    if not os.path.isdir(folder):
        return None
    with os.scandir(folder) as entries:
        times = [entry.stat().st_mtime for entry in entries
                 if entry.name.startswith(f"{client}-")]  # fmt: skip
    return iso(int(max(times) * 1000)) if times else None


def registered(
    plan: Plan, place: SetupPlace, known: Collection[tuple[str, ...]] = ()
) -> Registered:
    """Return how a client knows what the plan's commands register: wholly, partly or with older
    words (`known`), not at all, or by our name for something of somebody else."""
    if plan.client == "claude-code":
        return _plugin(plan, place)
    if plan.client == "gemini":
        return _extension(plan, place)
    return _server(plan, place, known) if plan.commands else "none"


def plugin_is_on(plan: Plan) -> bool:
    """Say whether Claude Code has our plugin switched on."""
    enabled = settings(plan.watched[0]).get("enabledPlugins")
    return isinstance(enabled, dict) and enabled.get(f"tideline@{plan.name}") is True


def codex_settings(place: SetupPlace) -> dict[str, Any]:
    """Return the settings of Codex."""
    return toml(setup_files.content(os.path.join(place.codex, "config.toml")))


def settings(path: str) -> dict[str, Any]:
    """Return the settings in a JSON file, with comments or without; none for what is no such."""
    raw = setup_files.content(path) or b""
    form = setup_merge.form_of(raw.decode("utf-8", "surrogateescape"))
    return form if isinstance(form, dict) else {}


def toml(raw: bytes | None) -> dict[str, Any]:
    """Return the settings in the bytes of a TOML file; none for what is no such."""
    from tomllib import loads  # noqa: PLC0415  Codex alone

    try:
        return loads((raw or b"").decode("utf-8", "replace"))
    except ValueError:
        return {}


def _plugin(plan: Plan, place: SetupPlace) -> Registered:
    known = settings(os.path.join(place.claude, "plugins", "known_marketplaces.json"))
    found = [_source(markets.get(plan.name)) for markets in (known, _markets(plan.watched[0]))
             if plan.name in markets]  # fmt: skip
    if any(not _is_same(path, plan.folder) for path in found):
        return "foreign"
    if plugin_is_on(plan):
        return "whole"
    return "part" if found else "none"


def _markets(path: str) -> dict[str, Any]:
    found = settings(path).get("extraKnownMarketplaces")
    return found if isinstance(found, dict) else {}


def _source(market: Any) -> str:
    source = market.get("source") if isinstance(market, dict) else None
    path = source.get("path") if isinstance(source, dict) else None
    return path if isinstance(path, str) else ""


def _extension(plan: Plan, place: SetupPlace) -> Registered:
    folder = os.path.join(place.of("gemini"), "extensions", plan.name)
    if not os.path.lexists(folder):
        return "none"
    source = settings(os.path.join(folder, ".gemini-extension-install.json")).get("source")
    return "whole" if _is_same(str(source or ""), plan.folder) else "foreign"


def _server(plan: Plan, place: SetupPlace, known: Collection[tuple[str, ...]]) -> Registered:
    servers = codex_settings(place).get("mcp_servers")
    if not isinstance(servers, dict) or plan.name not in servers:
        return "none"
    words = setup_merge.called_words(servers[plan.name])
    if words == plan.calls["mcp"]:
        return "whole"
    return "part" if words in known else "foreign"


def _is_same(path: str, folder: str) -> bool:
    return bool(path) and os.path.realpath(path) == os.path.realpath(folder)
