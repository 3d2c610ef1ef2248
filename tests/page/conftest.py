"""A browser, and servers over memories of several sizes."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.attack.target import Memory, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
HOSTILE = ("<script>document.title='pwned'</script><style>*{display:none!important}</style>"
           "<img src=x onerror=document.title='pwned'><iframe src='javascript:alert(1)'></iframe>"
           "<svg onload=alert(1)><a href=javascript:alert(1)>x</a></main><h1>forged</h1>"
           "\" autofocus onfocus=alert(1) style=position:fixed x=\"")  # fmt: skip
WORDS = ("deploy", "friday", "coffee", "harbour", "ledger", "pump", "valve", "winter", "route")


@dataclass
class Site:
    """A server over a memory: its size, its address, how a browser is let in, some ids of it."""

    name: str
    url: str
    door: str
    ids: list[str]

    @property
    def paths(self) -> tuple[str, ...]:
        """Return a path of each kind of page."""
        facts = tuple(f"/facts/{one}" for one in self.ids[:6])
        return ("/", "/facts", "/changes", "/slots", "/tags", "/fading", "/contradictions",
                "/documents", "/status", "/?q=deploy", "/?q=zebra", "/nothing", *facts)  # fmt: skip


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's chromium. Nothing is downloaded."""
    driver = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no chromium")
    with driver.sync_playwright() as started:
        # Root, as in a container, has no sandbox of chromium's.
        arguments = ["--no-sandbox"] if os.getuid() == 0 else []
        opened = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield opened
        opened.close()


def _site(folder: Path, *, facts: int = 0, odd: bool = False) -> Iterator[Site]:
    memory = Memory(folder, facts=0)
    if odd:
        _fill_oddly(memory)
    if facts:
        rows = (json.dumps({"content": f"{WORDS[n % 9]} and {WORDS[n % 7]} in note {n}",
                            "tags": [WORDS[n % 5]],
                            "slot": f"slot_{n % 300}" if n % 9 == 0 else None})
                for n in range(facts))  # fmt: skip
        memory.run("import", "-", "--trust", "--quiet", stdin="\n".join(rows))
    shown = json.loads(memory.run("list", "--json", "--limit", "30"))["facts"]
    with serving(memory) as served:
        url = f"http://127.0.0.1:{served.port}"
        ids = [str(one["id"]) for one in shown]
        yield Site(f"{facts:,} facts", url, f"{url}/?token={served.token}", ids)
        assert served.said().count("\n") <= 1, served.said()  # how it is ended, and nothing else


def _fill_oddly(memory: Memory) -> None:
    """Remember texts that try a page: hostile, long, many lines, other scripts, no blank."""
    rows: list[dict[str, Any]] = [
        {"content": f"deploy {HOSTILE}", "tags": [HOSTILE[:60]], "slot": HOSTILE[:90],
         "title": HOSTILE[:80]},
        {"content": "deploy " + "longword" * 80}, {"content": "用户喜欢绿茶，每天早上喝两杯"},
        {"content": "قهوة الصباح بلا سكر"}, {"content": "Steps:\n1. build\n2. ship\n" * 20},
        {"content": "I deploy on Thursdays with the blue pipeline"},
        {"content": "I never deploy on Thursdays with the blue pipeline"},
        {"content": "I deploy on Mondays", "slot": "deploy_day"},
        {"content": "I deploy on Fridays", "slot": "deploy_day"},
    ]  # fmt: skip
    memory.run("remember", "--batch", "--quiet", stdin="\n".join(map(json.dumps, rows)))
    ids = [str(one["id"]) for one in memory.facts() if one["lifecycle"] == "active"]
    memory.run("link", ids[0], ids[1], "--kind", "uses", "--reason", HOSTILE[:90])
    memory.run("pin", ids[2])
    memory.run("ingest", "-", "--name", HOSTILE[:70].replace("/", "-"),
               stdin="# Pump\n\nThe pump turns at 900 rpm.\n")  # fmt: skip


@pytest.fixture(scope="session")
def odd(browser: Any, tmp_path_factory: Any) -> Iterator[Site]:
    """A memory of texts that try a page."""
    yield from _site(tmp_path_factory.mktemp("odd") / "home", odd=True)


@pytest.fixture(scope="session", params=["empty", "one", "many"])
def sized(request: Any, browser: Any, tmp_path_factory: Any) -> Iterator[Site]:
    """Memories of no fact, of one, and of many: PAGE_FACTS says how many."""
    many = int(os.environ.get("PAGE_FACTS", "2000"))
    count = {"empty": 0, "one": 1, "many": many}[request.param]
    yield from _site(tmp_path_factory.mktemp(request.param) / "home", facts=count)
