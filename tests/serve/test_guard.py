"""Who gets an answer of the HTTP door: the host named, the site that asks, the token."""

from __future__ import annotations

import json
import socket

import pytest

from tests.serve.conftest import SESSION, TOKEN


@pytest.mark.sampled(28)
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:{port}"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:{port}"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Host": "127.0.0.1.evil.example:{port}"}, 421),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Origin": "http://localhost:{port}"}, 200),
        ({"Origin": "https://127.0.0.1:{port}"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer " + "x" * 64}, 401),
        ({"Authorization": "Bearer " + TOKEN[:-1]}, 401),
        ({"Authorization": "Bearer " + TOKEN + "t"}, 401),
        ({"Authorization": "Basic " + TOKEN}, 401),
        ({"Authorization": "Bearer " + SESSION}, 401),
        ({"Authorization": "bearer " + TOKEN}, 200),
        ({"Authorization": "", "Cookie": "tideline_{port}=" + SESSION}, 200),
        ({"Authorization": "", "Cookie": "a=b; tideline_{port}=" + SESSION}, 200),
        ({"Authorization": "", "Cookie": "tideline_{port}=" + TOKEN}, 401),
        ({"Authorization": "", "Cookie": "tideline_1=" + SESSION}, 401),
        ({"Cookie": "tideline_{port}=" + SESSION, "Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/status", "/", "/facts"])
def test_who_is_answered(client, filled, path, headers, status):
    """Our own host, no other site, and the token or the cookie; nothing else is told anything."""
    port = str(client.server.server_port)
    said = client(path, **{name: value.replace("{port}", port) for name, value in headers.items()})
    assert said.status == status
    assert ("Tuesdays" in said.body or '"active"' in said.body or "Deploys" in said.body) == (
        status == 200
    )


def test_two_hosts_are_none(client):
    """A request with two hosts could mean either."""
    port = client.server.server_port
    with socket.create_connection(("127.0.0.1", port), timeout=10) as link:
        link.sendall(f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: x\r\n\r\n".encode())
        assert link.recv(100).startswith(b"HTTP/1.1 421 ")


def test_health_needs_no_token_and_says_only_ok(client, filled):
    """It says that somebody is there, not what is remembered; a foreign host gets nothing."""
    assert client("/health", Authorization="").body == '{"health": "ok"}\n'
    assert client("/health", Host="evil.example").status == 421


def test_the_token_in_an_address_becomes_a_cookie(client, filled):
    """The browser is sent to the same address without the token, and keeps a cookie of its own."""
    said = client(f"/facts?tag=work&token={TOKEN}", Authorization="")
    assert (said.status, said.headers["Location"]) == (303, "/facts?tag=work")
    cookie = said.headers["Set-Cookie"]
    assert TOKEN not in cookie
    assert cookie.endswith("; Path=/; HttpOnly; SameSite=Strict")
    assert client("/facts", Authorization="", Cookie=cookie.split(";")[0]).status == 200


@pytest.mark.parametrize("path", ["//evil.example/", "/%0d%0aX-Evil:1", "/\\evil.example"])
def test_the_address_without_token_stays_here(client, path):
    """No path leads to another server, and none adds a header."""
    said = client(f"{path}?token={TOKEN}", Authorization="")
    assert said.headers["Location"].startswith("/")
    assert not said.headers["Location"].startswith(("//", "/\\"))
    assert "X-Evil" not in said.headers


def test_a_wrong_token_in_an_address_is_no_token(client, filled):
    """It is not told how wrong it is, and gives no cookie."""
    for token in ("", "x", TOKEN[:-1], "é" * 64):
        said = client(f"/api/v1/facts?token={token.encode().hex()}", Authorization="")
        assert said.status == 401 and "Set-Cookie" not in said.headers
        assert json.loads(said.body)["error"]["code"] == "unauthorized"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "XYZ"])
def test_only_reads_are_answered(client, filled, method):
    """Nothing can be changed through this door, and no other site may ask whether it could."""
    said = client("/api/v1/facts", method)
    assert said.status == 405
    assert not [name for name in said.headers if name.startswith("Access-Control")]


def test_every_answer_forbids_what_no_page_needs(client, filled):
    """Answers are not kept, framed, guessed at or loaded by other sites; pages run no scripts."""
    for path in ("/", "/facts", "/api/v1/status", "/nothing", "/style.css"):
        headers = client(path).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "script-src" not in policy
        assert "frame-ancestors 'none'" in policy
