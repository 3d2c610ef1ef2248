"""One call of a tool: its arguments checked, a door opened and closed, and the result in both
halves. Whatever goes wrong is a result that says so, which a model can act on."""

from __future__ import annotations

from tideline_cli.errors import TidelineError
from tideline_cli.memory.screening import THREAT
from tideline_cli.model.codec import dumps
from tideline_cli.policy.render import prompt_text
from tideline_cli.serve.mcp.arguments import checked
from tideline_cli.serve.mcp.safe import safe_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.serve.mcp.service import Door, Service
    from tideline_cli.serve.mcp.tools import Tool


def called(tool: Tool, arguments: Any, service: Service) -> dict[str, Any]:
    """Return the result of a call."""
    door: Door | None = None
    try:
        given = checked(tool, arguments)
        door = service.opened()
        told = _done(tool, door, given, service)
        return _result(tool, told, as_text=service.as_text)
    except Exception as error:  # noqa: BLE001  the model reads it; the unforeseen is told
        meant = service.meaning(error, door)
        if meant.code == "internal":
            service.tell(error)
        return _failure(meant)
    finally:
        if door is not None:
            door.close()


def _done(tool: Tool, door: Door, given: dict[str, Any], service: Service) -> dict[str, Any]:
    if tool.name == "timeline":
        from tideline_cli.serve.mcp import changes  # noqa: PLC0415  with the first such call

        return changes.changes_of(door, given, service)
    if not tool.reads:
        from tideline_cli.serve.mcp import writing  # noqa: PLC0415  few servers write

        verb = writing.stored if tool.name == "remember" else writing.forgotten
        return verb(door, given, service)
    from tideline_cli.serve.mcp import reading  # noqa: PLC0415  with the first such call

    return (reading.hits_of if tool.name == "recall" else reading.facts_of)(
        door, given, service
    )


def _result(tool: Tool, told: dict[str, Any], *, as_text: bool) -> dict[str, Any]:
    if as_text:
        from tideline_cli.serve.mcp import texts  # noqa: PLC0415  --format text alone

        return {"content": [_block(texts.of(tool.name, told))], "isError": False}
    return {"content": [_block(dumps(told))], "structuredContent": told, "isError": False}


def _failure(error: TidelineError) -> dict[str, Any]:
    """Return an error as a model reads it; its words may quote what is stored."""
    said = f"{error.message}; {error.hint}" if error.hint else error.message
    # What the scan says quotes nothing, and names patterns in words that look like them.
    safe = prompt_text(said) if error.code == THREAT else safe_text(said)
    return {"content": [_block(safe)], "isError": True}


def _block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
