"""`tideline mcp` as the official SDK's client sees it, which holds each result against the schema
of its tool."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest

pytest.importorskip("mcp", reason="NOT TESTED: the SDK's client; pip install 'mcp>=2.3,<3'")
jsonschema = pytest.importorskip("jsonschema", reason="NOT TESTED: it comes with mcp")

MODES = ("legacy", "auto", "2026-07-28")


def _parameters(*argv):
    from mcp import StdioServerParameters

    return StdioServerParameters(
        command=sys.executable, args=["-m", "tideline_cli", "mcp", *argv], env=dict(os.environ)
    )


async def _life(mode):
    """Use every tool once, and return (definitions, results by tool, version)."""
    from mcp import stdio_client
    from mcp.client.client import Client

    async with Client(stdio_client(_parameters("--write")), mode=mode) as client:
        tools = (await client.list_tools()).tools
        made = await client.call_tool("remember", {"text": "I deploy on Fridays", "slot": "day"})
        fact = made.structured_content["id"]
        results = {"remember": made}
        for name, arguments in (
            ("recall", {"query": "when do I deploy"}), ("show", {"ids": [fact]}),
            ("timeline", {"id": fact}), ("forget", {"ids": [fact], "reason": "test"}),
        ):  # fmt: skip
            results[name] = await client.call_tool(name, arguments)
        wrong = await client.call_tool("recall", {"query": "x", "origin": "owner"})
        return tools, results, wrong, client.session.protocol_version


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", MODES)
def test_the_client_of_the_sdk(mode):
    """With a handshake, without one, and by trying: five tools, each result as its schema says."""
    tools, results, wrong, version = asyncio.run(_life(mode))
    assert version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
    assert [tool.name for tool in tools] == ["recall", "show", "timeline", "remember", "forget"]
    assert wrong.is_error
    for tool in tools:
        found = results[tool.name]
        assert not found.is_error
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        jsonschema.validate(found.structured_content, tool.output_schema)
    assert results["recall"].structured_content["hits"][0]["text"] == "I deploy on Fridays"
    assert len(results["forget"].structured_content["archived"]) == 1
