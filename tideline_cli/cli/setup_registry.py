"""What the clients' own settings say of our folder or server: theirs to write, ours to look at."""

from __future__ import annotations

import os
from typing import Any

from tideline_cli.serve import own_entries, setup_files, setup_merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Literal

    from tideline_cli.serve.setup_plan import Plan, SetupPlace

    Registered = Literal["whole", "part", "none", "foreign"]


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
    words = own_entries.called_words(servers[plan.name])
    if words == plan.calls["mcp"]:
        return "whole"
    return "part" if words in known else "foreign"


def _is_same(path: str, folder: str) -> bool:
    return bool(path) and os.path.realpath(path) == os.path.realpath(folder)
