"""Which address the settings have for one origin alone."""

from __future__ import annotations

from tideline_cli.config.settings import SETTINGS, TABLE
from tideline_cli.errors import UsageError
from tideline_cli.model.origin import parse_origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tideline_cli.config import Config


def table_in_use(settings: Config) -> Mapping[str, str]:
    """Return the addresses by the keys of their origins; none where the environment names one
    database for all."""
    if settings.values["database"].came_from == SETTINGS["database"].env:
        return {}
    table: Mapping[str, str] = settings.get(TABLE) or {}
    return table


def address_of(settings: Config, named: str) -> str:
    """Return the address that an origin has of its own, empty for none."""
    try:
        return table_in_use(settings).get(parse_origin(named).key, "")
    except UsageError:  # a name that only an older memory has
        return ""


def of_call(settings: Config, origin: str | None, *, is_door: bool) -> str:
    """Return the address for the origin of a call alone, which names that `origin` or none; empty
    for none. A program that calls (`is_door`) does not choose the folder in which it is called."""
    named: str = settings.own_origin if is_door else settings.get("origin")
    return address_of(settings, origin or named)
