"""`serve` and `mcp` attacked for some seconds, and planted faults: do the attacks find them?"""

from __future__ import annotations

import json
import socket
import time

import pytest

from tests.attack import mcp_lines, on_http, on_mcp
from tests.attack.http_requests import Attack, bearer, head
from tests.attack.target import FOREIGN, MARK, Memory, serving, talking
from tests.support import some


@pytest.mark.slow
def test_nothing_gets_in_by_http(tmp_path):
    """Hostile requests of eleven kinds, crowds, slow and huge ones: an honest one is answered after
    each, the file keeps its bytes, nothing stays open."""
    figures = on_http.attacked(Memory(tmp_path / "home"), 500, seed=7, megabytes=20)
    assert figures.faults == []
    assert len(figures.sent) >= 14 and figures.sent.total() > 800


@pytest.mark.slow
def test_nothing_gets_in_by_mcp(tmp_path):
    """Hostile lines and claims: a ping behind each is answered, nothing is stored but extraction,
    and nothing of the owner's or of another origin's changes."""
    figures = on_mcp.attacked(Memory(tmp_path / "home"), 500, seed=7)
    assert figures.faults == []
    assert figures.sent.total() == 1000


_GUARD = "from tideline_cli.serve.http.server import Guard\n"
_PLACES = "from tideline_cli.serve.http.server import Places\n"
_PLANTED_IN_HTTP = {
    "any host": (_GUARD + "Guard.refusal = lambda *_: None", "foreign"),
    "no token": (_GUARD + "Guard.knows = lambda *_: True", "guess: status 200"),
    "cookie for all": (_GUARD + "Guard.is_token = lambda *_: True", "guess: status 303"),
    "a write": ("from tideline_cli.serve.http import api\n"
                "api.ROUTES['recall'] = api.Route('recall', 'q')", "the file has changed"),
    "an echo": ("from tideline_cli.serve.http import server\n"
                "server._ALWAYS += (('Access-Control-Allow-Origin', '*'),)", "Access-Control"),
    "no room": (_PLACES + "Places._made_room = lambda _: False", "slow ones"),
    "a leak": (_PLACES + "import socket, os\nbefore = Places.leave\n"
               "def leave(self, request):\n    os.dup(0)\n    before(self, request)\n"
               "Places.leave = leave", "left open"),
    "a fault": ("from tideline_cli.serve.http import rsclaw\n"
                "rsclaw.PARAMETERS = None", "internal error"),
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", some(_PLANTED_IN_HTTP, 2))
def test_a_fault_of_serve_is_found(tmp_path, name, monkeypatch):
    """What each check is for is seen by it."""
    monkeypatch.setattr(on_http, "_SETTLES", 1.5)
    planted, found = _PLANTED_IN_HTTP[name]
    memory = Memory(tmp_path / "home", planted=planted)
    figures = on_http.attacked(memory, 150, seed=3, megabytes=1)
    assert any(found in fault for fault in figures.faults), figures.faults[:5]


_WRITING = "from tideline_cli.serve.mcp import writing\n"
_CALLS = "from tideline_cli.serve.mcp import calls\n"
_PLANTED_IN_MCP = {
    "the owner": (_WRITING + "writing.SOURCE = 'owner_message'", "says more than it may"),
    "an argument": (_CALLS + "calls.checked = lambda tool, given: given", "internal error"),
    "a silence": ("from tideline_cli.serve.mcp import protocol\n"
                  "protocol.codec.loads = lambda text: exec('raise MemoryError')", "no answer"),
    "an owner's fact": (_WRITING + "writing._refuse_trusted = lambda *_: None\n"
                        "writing.may_touch = lambda *_: True\n"
                        "from tideline_cli.memory import remember, amend\n"
                        "def stored(door, given, service):\n"
                        "    from tideline_cli.store import facts\n"
                        "    db = door.writing()\n"
                        "    one = door.call and next(iter(db.execute("
                        "'SELECT id FROM fact WHERE origin = 1 LIMIT 1')))[0]\n"
                        "    amend.forget(db, [one], viewer=door.viewer, now=door.now)\n"
                        "    return {'action': 'stored', 'id': one}\n"
                        "writing.stored = stored", "owner's has changed"),
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", some(_PLANTED_IN_MCP, 2))
def test_a_fault_of_mcp_is_found(tmp_path, name, monkeypatch):
    """What each check is for is seen by it."""
    monkeypatch.setattr(on_mcp, "PATIENCE", 2)
    planted, found = _PLANTED_IN_MCP[name]
    figures = on_mcp.attacked(Memory(tmp_path / "home", planted=planted), 200, seed=3)
    assert any(found in fault for fault in figures.faults), figures.faults[:5]


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"", ""), (b"HTTP/1.1 401 Unauthorized\r\n\r\n", ""),
        (b"HTTP/1.1 200 OK\r\n\r\n", "status 200"), (b"what?", "status -1"),
        (b"HTTP/1.1 401 No\r\n\r\n" + MARK.encode(), "a stranger was told"),
        (b"HTTP/1.1 401 No\r\n\r\n" + FOREIGN.encode(), "another origin's fact"),
        (b"HTTP/1.1 401 No\r\n\r\nHTTP/1.1 401 No\r\n\r\n", "two answers"),
        (b"HTTP/1.1 404 No\r\n\r\nroot:x:0", "root:x"),
        (b"HTTP/1.1 401 No\r\nSet-Cookie: a=b\r\n\r\n", "a cookie"),
    ],
)  # fmt: skip
def test_what_an_answer_may_not_hold(raw, fault):
    """The judge of answers tells good ones from bad ones."""
    found = on_http.judged(Attack("torn", b"x"), raw)
    assert fault in found and bool(fault) == bool(found)


@pytest.mark.parametrize(
    ("answers", "fault"),
    [
        ([], ""), ([b'{"id": 1, "result": {}}'], ""), ([b"{}", b"{}"], "2 answers"),
        ([b"x"], "no JSON"), ([b'{"id": 1}'], "no form"), ([b"[1]"], "no form"),
        ([b'{"id": 1, "result": "%s"}' % mcp_lines.SECRET.encode()], "a secret"),
        ([b'{"id": 1, "result": "A %s is fed"}' % FOREIGN.encode()], "another origin"),
        ([b'{"id": 1, "result": "%s"}' % mcp_lines.ATTACK.encode()], "an attack"),
        ([b'{"id": 1, "result": "' + b"x" * (2 << 20) + b'"}'], "bytes"),
    ],
)
def test_what_a_line_may_not_hold(answers, fault):
    """The judge of lines tells good ones from bad ones."""
    found = on_mcp.judged(b"x", answers)
    assert fault in found and bool(fault) == bool(found)


def test_strangers_who_wait_keep_nobody_out(tmp_path):
    """Beside sixty connections that say nothing an honest request is answered at once."""
    with serving(Memory(tmp_path / "home", facts=1)) as served:
        links = [socket.create_connection(("127.0.0.1", served.port), 10) for _ in range(60)]
        began = time.monotonic()
        for _ in range(5):
            raw = on_http.answer(served, head(served, "/api/v1/facts", bearer(served)))
            assert on_http.status_of(raw) == 200
        assert time.monotonic() - began < 8  # each of them may stay for 20 s
        for link in links:
            link.close()


def test_a_long_head_is_cut(tmp_path):
    """Ninety headers of 60 KB are 5 MB: it is refused long before that."""
    lines = [f"X-{number}: {'y' * 60_000}" for number in range(90)]
    with serving(Memory(tmp_path / "home", facts=1)) as served:
        raw = on_http.answer(served, head(served, "/facts", *lines, bearer(served)))
        assert on_http.status_of(raw) in (0, 431)  # it may end before all is sent
        lines = [f"X-{number}: {'y' * 9_000}" for number in range(15)]
        assert on_http.status_of(on_http.answer(served, head(served, "/", *lines))) == 431


@pytest.mark.parametrize("line", ["GET /facts", "GET /factsHTTP/1.1", "GET\xe9/facts HTTP/1.1"])
def test_no_version_no_answer(tmp_path, line):
    """A request without a version, or a torn one, is refused, and not quoted; the answer has a head
    or not, as Python's server takes it."""
    with serving(Memory(tmp_path / "home", facts=1)) as served:
        rest = head(served, "/", bearer(served)).partition(b"\r\n")[2]
        raw = on_http.answer(served, f"{line}\r\n".encode("latin-1") + rest)
        assert b"facts" not in raw and b"kestrel" not in raw
        assert raw.rpartition(b"\r\n\r\n")[2].startswith(b'{"error"')


def test_a_batch_is_bounded(tmp_path):
    """All answers of a batch are in memory together: more than fifty are refused."""
    with talking(Memory(tmp_path / "home", facts=1)) as process:
        talk = on_mcp.Talk(process)
        one = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        (few,) = talk.said_to(json.dumps([one] * 50).encode())
        assert len(json.loads(few)) == 50
        (many,) = talk.said_to(json.dumps([one] * 51).encode())
        assert "50 are taken" in json.loads(many)["error"]["message"]
