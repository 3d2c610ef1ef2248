"""The server under bad weather: slow, huge and broken requests, many readers beside a writer."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.serve.conftest import TOKEN
from tideline_cli.serve.http import server as server_module


def _raw(port: int, sent: bytes, *, wait: float = 10) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as link:
        try:
            link.sendall(sent)
            link.shutdown(socket.SHUT_WR)
            parts = []
            while part := link.recv(65_536):
                parts.append(part)
        except OSError:
            return b""
    return b"".join(parts)


def test_random_lines_end_nothing(client, filled):
    """Whatever comes, the next honest request is answered; nothing of the memory is told."""
    chance = random.Random(5)
    port = client.server.server_port
    words = [b"GET", b"POST", b"/", b"/facts", b"HTTP/1.1", b"HTTP/9", b"\r\n", b"\n", b" ", b"\0",
             b"Host: 127.0.0.1:%d" % port, b"Host:", b"Cookie: a=b", b":", b"\xff\xfe", b"A" * 300,
             b"Transfer-Encoding: chunked", b"Content-Length: -1", b"Authorization: Bearer x"]
    for _ in range(int(os.environ.get("TIDELINE_LINES", "300"))):
        said = _raw(port, b"".join(chance.choices(words, k=chance.randint(1, 30))))
        assert b"Deploys" not in said and b"Traceback" not in said
    assert client("/facts").status == 200


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 500 + b"\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET  HTTP/1.1\r\n\r\n", b"\r\n\r\n", b"",
    ],
    ids=["path", "headers", "header", "absolute", "no path", "blank", "nothing"],
)  # fmt: skip
def test_huge_and_broken_requests_are_refused(client, filled, sent):
    """They get an error or nothing."""
    said = _raw(client.server.server_port, sent)
    refused = (b"400", b"404", b"414", b"421", b"431")
    # What names no version gets the body alone, as it was before HTTP had headers.
    assert said[:8] in (b"", b'{"error"') or said.split(b" ", 2)[1] in refused
    assert client("/facts").status == 200


def test_a_slow_request_is_cut_and_holds_up_nobody(client, filled, monkeypatch):
    """A client that sends a letter now and then loses its connection; others are answered."""
    monkeypatch.setattr(server_module, "_DEADLINE", 0.6)
    with socket.create_connection(("127.0.0.1", client.server.server_port), timeout=10) as link:
        start = time.monotonic()
        link.sendall(b"GET / HTTP/1.1\r\n")
        assert client("/facts").status == 200
        assert _is_cut(link, start)


def _is_cut(link: socket.socket, start: float) -> bool:
    while time.monotonic() - start < 8:
        try:
            link.sendall(b"X")
            link.settimeout(0.1)
            if link.recv(1) == b"":
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def test_too_many_connections_are_turned_away(client, filled, monkeypatch):
    """Open connections are limited; when they end there is room again."""
    port = client.server.server_port
    links = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(40)]
    time.sleep(0.3)
    for link in links:
        link.close()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            assert client("/facts").status == 200
            return
        except OSError:
            time.sleep(0.05)
    pytest.fail("the server has not come back")


def test_readers_beside_a_writer(client, run, filled, home):
    """Eight readers get whole answers while another process writes."""
    code = (
        "import subprocess, sys\n"
        "for n in range(12):\n"
        "    subprocess.run([sys.executable, '-m', 'tideline_cli', 'remember', f'writer {n} said',"
        " '-q'], check=True, stdout=subprocess.DEVNULL)\n"
    )
    env = {**os.environ, "PYTHONPATH": _root()}
    with subprocess.Popen([sys.executable, "-c", code], env=env) as writer:
        with ThreadPoolExecutor(8) as pool:
            said = list(pool.map(lambda n: client(f"/api/v1/facts?limit={n % 9 + 1}"), range(80)))
        assert writer.wait(60) == 0
    assert {one.status for one in said} == {200}
    assert all(json.loads(one.body)["facts"] for one in said)
    facts = run("list", "--json", "--limit", "0").json["facts"]
    assert len([fact for fact in facts if fact["content"].startswith("writer")]) == 12


def _root() -> str:
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def test_the_command_prints_an_address_and_ends_quietly(run, filled, home, tmp_path):
    """`serve` prints the address that lets in, keeps its key in a private file, and takes it away
    when it ends."""
    env = {**os.environ, "PYTHONPATH": _root()}
    command = [sys.executable, "-m", "tideline_cli", "serve", "--port", "0", "--json"]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as server:  # fmt: skip
            form = json.loads(server.stdout.readline())
            with open(form["key_file"]) as file:
                kept = json.load(file)
            assert os.stat(form["key_file"]).st_mode & 0o777 == 0o600
            assert form["url"] == f"{kept['url']}?token={kept['token']}"
            port = urlsplit(kept["url"]).port
            asked = (f"GET /api/v1/facts HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                     f"Authorization: Bearer {kept['token']}\r\n\r\n")  # fmt: skip
            assert b"Deploys" in _raw(port, asked.encode())
            server.send_signal(number)
            assert server.wait(20) == 0
            assert "Traceback" not in server.stderr.read()
        assert not os.path.exists(form["key_file"])


def test_a_taken_port_is_said(client, run):
    """The error names the port and the way out."""
    port = client.server.server_port
    done = run("serve", "--port", str(port))
    assert done.code == 2
    assert f"port {port} is taken" in done.err and "--port" in done.err


def test_the_folder_it_stands_in_does_not_steer_it(run, filled, tmp_path):
    """A project's file names no origin for it, and no limit."""
    (tmp_path / ".tideline.toml").write_text('origin = "channel:evil/x/y"\nlimit = 1\n')
    with _served(tmp_path) as (form, kept):
        assert kept["origin"] == "owner"
    assert TOKEN not in form["url"]


@pytest.mark.file_alone("the table names files beside the one of the settings")
def test_an_origin_has_its_own_database(run, tmp_path):
    """What is served is the database that a table of settings names for the origin, and nothing of
    another."""
    ops, own = "channel:chat/ops/board", str(tmp_path / "ops.db")
    run("config", "set", "database", own, "--origin", ops)
    run("remember", "The kettle is blue")
    run("remember", "The kettle of ops is red", "--origin", ops)
    usual = run("status", "--json").json["database"]
    for whose, database, seen, unseen in (
        (ops, own, "red", "blue"), ("owner", usual, "blue", "red")
    ):  # fmt: skip
        with _served(tmp_path, "--origin", whose) as (_, kept):
            assert (kept["origin"], kept["database"]) == (whose, database)
            ask = http.client.HTTPConnection(urlsplit(kept["url"]).netloc, timeout=30)
            for path in ("/api/v1/recall?q=kettle", "/?q=kettle", "/facts"):
                ask.request("GET", path, headers={"Authorization": f"Bearer {kept['token']}"})
                body = ask.getresponse().read().decode()
                assert f"is {seen}" in body and f"is {unseen}" not in body, path
            ask.close()


@contextmanager
def _served(folder: Path, *argv: str) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """A server as a process of its own; what it printed, and what its key file says."""
    env = {**os.environ, "PYTHONPATH": _root()}
    command = [sys.executable, "-m", "tideline_cli", "serve", "--port", "0", "--json", *argv]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          cwd=folder, text=True) as server:  # fmt: skip
        try:
            form = json.loads(server.stdout.readline())
            with open(form["key_file"]) as file:
                kept = json.load(file)
            yield form, kept
        finally:
            server.terminate()
