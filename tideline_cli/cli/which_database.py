"""What names the database of a call."""

from __future__ import annotations

from tideline_cli.config import own_address
from tideline_cli.config.settings import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.call_settings import CallSettings


def named_by(call: CallSettings) -> str:
    """Return what names the database of a call: --db, a variable, a file of settings or its table
    of origins, or `default`."""
    if call.options.db:
        return call.db_from
    if own_address.of_call(call.config, call.options.origin, is_door=call.is_door):
        return f"{TABLE} in {call.config.values[TABLE].came_from}"
    return call.config.values["database"].came_from
