"""A running server over the memory of the test."""

from __future__ import annotations

import http.client
import io
from dataclasses import dataclass, field
from threading import Thread
from typing import Any

import pytest

from tests import backends
from tests.support import NOW
from tideline_cli.cli.commands.serve import InProcess
from tideline_cli.model import instant, time_words
from tideline_cli.serve.http.server import HttpServer
from tideline_cli.serve.page.site import Site
from tideline_cli.serve.unforeseen import ErrorTeller

TOKEN, SESSION = "t" * 64, "s" * 64


@dataclass
class Page:
    """An answer of the server."""

    status: int
    body: str
    headers: dict[str, str]


@dataclass
class Client:
    """Asks a server, as a program with its token unless other headers are given; `told` is what the
    server has said on its terminal."""

    server: HttpServer
    told: io.StringIO
    headers: dict[str, str] = field(default_factory=lambda: {"Authorization": f"Bearer {TOKEN}"})

    def __call__(self, path: str, method: str = "GET", **headers: str) -> Page:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=30)
        try:
            connection.request(method, path, headers={**self.headers, **named})
            answer = connection.getresponse()
            return Page(answer.status, answer.read().decode(), dict(answer.getheaders()))
        finally:
            connection.close()


@pytest.fixture
def client(home: Any) -> Any:
    """A client of a server over the memory of the test."""
    ask = InProcess(db=backends.place(home / "tideline.db"), origin="owner")
    site = Site(ask, origin="owner", ago=time_words.ago, local=instant.local, now=lambda: NOW)
    told = io.StringIO()
    with HttpServer(0, ask, site, token=TOKEN, session=SESSION, tell=ErrorTeller(told)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield Client(server, told)
        server.shutdown()
        thread.join()
    assert told.getvalue() == "", "a fault that no test has planted"


@pytest.fixture
def filled(run: Any) -> list[str]:
    """Facts of every kind that a page shows; returns their ids."""
    said = [
        run("remember", "Deploys go out on Tuesdays", "--slot", "deploy_day", "--tag", "work"),
        run("remember", "Deploys go out on Fridays", "--slot", "deploy_day", "--tag", "work"),
        run("remember", "A <script>alert('x')</script> & \"quotes\"", "--segment", "preference"),
        run("remember", "Steps:\n1. build\n2. ship \x1b[31m", "--pin"),
    ]
    ids = [one.out.split("\t")[0] for one in said]
    run("link", ids[1], ids[3], "--kind", "uses", "--reason", "both <b>work</b>")
    return ids
