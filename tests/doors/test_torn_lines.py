"""Lines that are cut off in the middle, read by a process that has not loaded `json`."""

from __future__ import annotations

import json

import pytest


@pytest.mark.parametrize("torn", [b'{"a', b"{", b'{"content": "abc', b'["x", ', b'"'])
def test_a_torn_line_ends_no_door(process, run, torn):
    """It is told as such, and the next line is answered."""
    ping = b'\n{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    served = process("mcp", stdin=torn + ping)
    assert served.code == 0
    assert json.loads(served.out.splitlines()[-1]) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    batch = process("remember", "--batch", stdin=b'{"content": "kept"}\n' + torn)
    assert batch.code == 2 and "not JSON" in batch.out
    hook = process("hook", "codex", stdin=torn)
    assert (hook.code, hook.out, hook.err) == (0, "", "")
