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


_LINE = {"type": "user", "sessionId": "s1", "message": {"role": "user", "content": "tea is green"}}
_CHATS = [{"id": "c1", "mapping": {
    "a": {"message": {"author": {"role": "user"}, "create_time": 1.7e9,
                      "content": {"content_type": "text", "parts": ["tea is green"]}}},
}, "current_node": "a"}]  # fmt: skip
_WHOLE = {
    "json": ({"role": "user", "content": "tea is green"},), "session": (_LINE, _LINE),
    "codex": ({"type": "session_meta", "payload": {"id": "s2"}},
              {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [
                  {"type": "input_text", "text": "tea is green"}]}}),
    "gemini": ({"sessionId": "s3", "projectHash": "p"},
               {"id": "1", "timestamp": "t", "type": "user", "content": "tea is green"}),
    "list": ([{"role": "user", "content": "tea is green"}],), "chats": (_CHATS,),
}  # fmt: skip


@pytest.mark.sampled(5)
@pytest.mark.parametrize("form", _WHOLE)
@pytest.mark.parametrize("part", [0.35, 0.5, 0.9])
def test_half_a_transcript_ends_in_a_sentence(process, tmp_path, form, part):
    """A transcript that is cut off anywhere is read as far as it goes, or is an error with a hint:
    never an internal error, never silence about lines that were not read."""
    raw = "".join(json.dumps(row) + "\n" for row in _WHOLE[form]).encode()
    cut = int(len(raw) * part)
    cut -= 4 if raw[cut - 1 : cut + 1] in (b"}\n", b"\n{", b"\n") else 0  # in a line, not behind it
    (tmp_path / "half").write_bytes(raw[:cut])
    done = process("extract", str(tmp_path / "half"), "--llm", "none")
    assert done.code in (0, 2), done.err
    told = "hint: " in done.err if done.code else "skipped" in done.err
    assert told and "internal" not in done.err, done.err


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("kind", "program"), [
    ("jsonl", ""), ("json", ""), ("csv", ""), ("sqlite", ""), ("json", "mem0"),
    ("json", "mcp-memory"), ("json", "brigade"), ("json", "rsclaw"),
])  # fmt: skip
def test_half_a_file_of_rows_ends_in_a_sentence(process, tmp_path, kind, program):
    """An import of half a file is an error with a hint, or takes the rows before the cut."""
    rows = [{"content": f"fact number {n}", "created_at": "2025-01-01"} for n in range(9)]
    text = json.dumps(rows) if kind == "json" else "".join(json.dumps(row) + "\n" for row in rows)
    if kind == "csv":
        text = "content,tags\n" + 'fact number one,"a;b' * 3
    raw = b"SQLite format 3\x00" + b"x" * 90 if kind == "sqlite" else text.encode()
    path = tmp_path / f"rows.{kind}"
    path.write_bytes(raw[: len(raw) * 2 // 3])
    done = process("import", str(path), *(("--from", program) if program else ()))
    assert done.code in (0, 1, 2), done.err
    assert "internal" not in done.err
    assert done.code == 0 or "hint: " in done.err
