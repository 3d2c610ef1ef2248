"""The pages in chromium: what a person sees, and what a hostile text cannot do."""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.page.conftest import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow
CHECKS = (Path(__file__).parent / "checks.js").read_text("utf-8")
LOOKS = [(360, "light"), (360, "dark"), (800, "light"), (1280, "dark")]
_LONGEST = 30_000  # ms for a page, whatever the machine does besides


@contextmanager
def window(browser: Any, site: Site, *, wants: str = "", **how: Any) -> Iterator[Any]:
    """A window in which the site is open; nothing may go wrong in it, or lead elsewhere, but what
    the browser says with the word that a test `wants`."""
    context = browser.new_context(**how)
    page = context.new_page()
    page.set_default_timeout(_LONGEST)
    wrong: list[str] = []
    page.on("dialog", lambda dialog: (wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: wrong.append(f"error {error}"))
    page.on("console", lambda said: wrong.append(f"console {said.text}")
            if said.type == "error" and "status of 404" not in said.text else None)  # fmt: skip
    page.on("request", lambda asked: None if asked.url.startswith(site.url)
            else wrong.append(f"request {asked.url}"))  # fmt: skip
    page.goto(site.door)
    yield page
    context.close()
    assert [one for one in wrong if not (wants and wants in one)] == []


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_page_can_be_read(browser: Any, odd: Site, width: int, scheme: str) -> None:
    """Names, headings, landmarks, contrast and width, whatever the texts are."""
    size = {"width": width, "height": 800}
    with window(browser, odd, viewport=size, color_scheme=scheme) as page:
        for path in odd.paths:
            page.goto(odd.url + path)
            assert page.evaluate(CHECKS) == [], path


def test_every_size_can_be_read(browser: Any, sized: Site, capsys: Any) -> None:
    """No fact, one, and many: each page is there, in a few seconds, and as it should be."""
    told = []
    for width in (360, 1280):
        with window(browser, sized, viewport={"width": width, "height": 800}) as page:
            for path in sized.paths:
                began = time.perf_counter()
                page.goto(sized.url + path)
                told.append(f"{path} {(time.perf_counter() - began) * 1000:.0f}")
                assert page.evaluate(CHECKS) == [], path
    with capsys.disabled():
        print(f"\n{sized.name}, ms a page: " + ", ".join(told[:12]))


def test_the_keyboard_is_enough(browser: Any, odd: Site) -> None:
    """Skip the navigation, search, open a hit and its factors, and see where one is."""
    with window(browser, odd) as page:
        assert page.evaluate("document.activeElement.id") == "q"
        page.keyboard.type("deploy Thursdays")
        page.keyboard.press("Enter")
        page.wait_for_url("**/?q=deploy+Thursdays*")
        page.goto(odd.url + "/facts")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
        page.keyboard.press("Enter")
        assert page.url.endswith("#content")
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('ol a.text')"):
                break
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        page.keyboard.press("Enter")
        page.wait_for_url("**/facts/*")
        page.goto(odd.url + "/?q=deploy")
        folded = page.query_selector("details:not([open]) summary")
        folded.focus()
        page.keyboard.press("Enter")
        assert folded.evaluate("node => node.parentElement.open")


def test_it_needs_no_scripts(browser: Any, odd: Site) -> None:
    """With scripts off: a search, a filter, the next page, a fact."""
    with window(browser, odd, java_script_enabled=False) as page:
        page.fill("#q", "deploy")
        page.click("button")
        assert page.locator("ol.hits > li").count() >= 3
        page.goto(odd.url + "/facts")
        page.select_option("select[name=sort]", "old")
        page.click("button")
        assert "sort=old" in page.url
        page.click("ol.facts a.text >> nth=0")
        assert "/facts/" in page.url and page.locator("svg.plot").count() == 1


def test_a_hostile_text_is_text(browser: Any, odd: Site) -> None:
    """Content, title, tag, slot, reason of a link, name of a document: none runs, none restyles,
    none adds an element."""
    with window(browser, odd) as page:
        for path in odd.paths:
            page.goto(odd.url + path)
            assert "pwned" not in page.title().partition("<script>")[0]
            found = page.evaluate("""() => [document.scripts.length,
                document.querySelectorAll("iframe, img, style, object, embed, base").length,
                document.querySelectorAll("[onload], [onerror], [onfocus], [style]").length,
                document.querySelectorAll("a[href^='javascript:']").length,
                document.querySelectorAll("h1").length - 1,
                getComputedStyle(document.querySelector("main")).display === "none" ? 1 : 0]""")
            assert found == [0] * 6, path


def test_the_policy_holds(browser: Any, odd: Site) -> None:
    """What a page of ours would have to load or run to be harmful, the browser refuses."""
    with window(browser, odd, wants="violates") as page:
        refused = page.evaluate("""async () => {
            const seen = [];
            document.addEventListener("securitypolicyviolation",
                (event) => seen.push(event.effectiveDirective));
            const style = document.createElement("style");
            style.textContent = "main { display: none }";
            document.head.append(style);
            const frame = document.createElement("iframe");
            frame.src = "/facts";
            document.body.append(frame);
            await fetch("/api/v1/facts").catch(() => seen.push("fetch"));
            await new Promise((done) => setTimeout(done, 300));
            return [seen.sort(), getComputedStyle(document.querySelector("main")).display];
        }""")
        assert refused[1] == "block"
        assert {"connect-src", "style-src-elem", "frame-src"} <= set(refused[0]), refused


def test_a_stranger_sees_nothing(browser: Any, odd: Site) -> None:
    """Without the token, from another site, and in a frame there is no page."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(odd.url + "/facts")
    assert "holds the token" in page.content() and "deploy" not in page.content()
    page.goto(odd.door)
    assert "token" not in page.url  # the address that is kept holds none
    assert page.evaluate("document.cookie") == ""
    # Another site: its own name for this server, and its page that asks for ours.
    other = odd.url.replace("127.0.0.1", "localhost")
    page.goto(f"{other}/facts")
    assert "holds the token" in page.content()
    page.goto("about:blank")
    page.evaluate("url => { location.href = url }", odd.url + "/facts")
    page.wait_for_load_state()
    context.close()
