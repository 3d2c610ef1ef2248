"""The pages: what they show, that stored text stays text, and that links lead somewhere."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import urlsplit

import pytest

from tests.support import DAY, NOW
from tideline_cli.serve.page import frame, site
from tideline_cli.serve.page.frame import Markup, element

PAGES = ("/", "/?q=deploy", "/facts", "/changes", "/slots", "/tags", "/fading", "/contradictions",
         "/documents", "/status")  # fmt: skip
VOID = ("meta", "link", "input", "path", "line", "rect", "br")


class Reader(HTMLParser):
    """Reads a page: its elements with their attributes. One that is not closed is a fault."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        """Note an element without content."""
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        """Close an element."""
        assert self.open.pop() == tag

    def handle_data(self, data):
        """Note text."""
        self.text += data


@pytest.fixture
def every(filled):
    """The paths of all pages."""
    return (*PAGES, *(f"/facts/{one}" for one in filled))


def test_pages_are_well_formed_and_load_nothing_from_elsewhere(client, every):
    """Each element is closed, there is no script, and no address is of another host."""
    for path in every:
        page = Reader(client(path).body)
        names = {name for name, _ in page.elements}
        assert not names & {"script", "iframe", "object", "style", "img", "base"}, path
        for _, attributes in page.elements:
            assert not [name for name in attributes if name.startswith("on") or name == "style"]
            for name in ("href", "src", "action"):
                assert not urlsplit(attributes.get(name) or "").netloc


def test_stored_text_stays_text(client, every):
    """What facts and links say is escaped in every place, control characters are spelled out."""
    for path in every:
        body = client(path).body
        assert "<script" not in body and "<b>work" not in body and "\x1b" not in body
    assert "A <script>alert('x')</script> & \"quotes\"" in Reader(client("/facts").body).text


def test_what_was_asked_stays_text(client, filled):
    """A question and a filter come back escaped."""
    for path in ('/?q="><script>x</script>', '/facts?tag="><script>x</script>', "/facts/<script>"):
        said = client(path.replace(" ", "%20").replace("<", "%3C").replace(">", "%3E"))
        assert "<script" not in said.body


def test_every_link_leads_somewhere(client, every):
    """Each address of a page is answered, and none with an error."""
    seen: set[str] = set()
    for path in every:
        for name, attributes in Reader(client(path).body).elements:
            if name in ("a", "link") and not (attributes["href"] or "").startswith("#"):
                seen.add(attributes["href"] or "")
    assert len(seen) > 20
    for path in sorted(seen):
        assert client(path).status == 200, path


def test_a_page_can_be_used_without_eyes_and_without_a_mouse(client, every):
    """Language, one heading, one main part, a name for each field; nothing out of the tab order."""
    for path in every:
        page = Reader(client(path).body)
        tags = [name for name, _ in page.elements]
        assert page.elements[0] == ("html", {"lang": "en"})
        assert tags.count("h1") == tags.count("main") == tags.count("nav") == 1
        labels = {attributes.get("for") for name, attributes in page.elements if name == "label"}
        for name, attributes in page.elements:
            if name in ("input", "select") and attributes.get("type") != "hidden":
                assert attributes.get("aria-label") or attributes.get("id") in labels
            if name == "svg":
                assert attributes["role"] == "img"
            assert not (attributes.get("tabindex") or "0").startswith("-")
        levels = [int(name[1]) for name in tags if re.fullmatch("h[1-6]", name)]
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_a_search_shows_what_makes_each_score(client, filled):
    """The factors that the command explains, a bar each, and the score as it is printed."""
    body = client("/?q=deploy").body
    page = Reader(body)
    assert body.count("<meter") >= 3
    for word in ("words", "trust", "freshness", "score"):
        assert word in page.text
    assert "Nothing matched" in Reader(client("/?q=zebra").body).text


def test_a_fact_shows_its_past_its_links_and_its_future(client, filled):
    """The values of its slot, its links with their reason, its curve, and the undo of each step."""
    page = Reader(client(f"/facts/{filled[1]}").body)
    for word in ("Deploys go out on Tuesdays", "superseded", "uses", "both <b>work</b>",
                 "tideline undo 2", "and does not fade", "deploy_day"):  # fmt: skip
        assert word in page.text, word
    assert "svg" in {name for name, _ in page.elements}
    old = Reader(client(f"/facts/{filled[0]}").body)
    assert f"tideline restore {filled[0]}" in old.text


def test_long_lists_have_pages(client, run):
    """Fifty facts a page, and a way on and back that misses none."""
    run("remember", "--batch", stdin="".join(
        f'{{"content": "fact number {n} of many"}}\n' for n in range(120)
    ))  # fmt: skip
    seen: set[str] = set()
    path = "/facts"
    for _ in range(5):
        page = Reader(client(path).body)
        seen |= {attributes["href"] or "" for name, attributes in page.elements
                 if name == "a" and attributes.get("class") == "text"}  # fmt: skip
        on = [attributes["href"] for name, attributes in page.elements
              if name == "a" and attributes.get("rel") == "next"]  # fmt: skip
        if not on:
            break
        path = on[0] or ""
    assert len(seen) == 120


def test_colors_can_be_told_apart(client):
    """Text has a contrast of 4.5 or more with what it stands on, light and dark."""
    style = client("/style.css").body
    for part in re.findall(r":root \{(.*?)\}", style, re.S):
        colors = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", part))
        for ink in ("ink", "dim", "blue", "warn", "good"):
            for ground in ("ground", "paper", "soft", "code"):
                if (ink, ground) not in {("good", "code"), ("warn", "code")}:
                    assert _contrast(colors[ink], colors[ground]) >= 4.5, (ink, ground)


def _contrast(one: str, other: str) -> float:
    lights = sorted((_light(one), _light(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _light(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
              for part in parts]  # fmt: skip
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_elements_escape_what_is_not_markup():
    """Text and attributes are escaped, markup is taken as it is."""
    made = element("a", "<b>", Markup("<i>x</i>"), None, 3, href='"&<', disabled=True, title=None)
    assert made == '<a href="&quot;&amp;&lt;" disabled>&lt;b&gt;<i>x</i>3</a>'


@pytest.mark.parametrize("path", ["/facts?offset=", "/facts?offset=x", "/?q=-", "/?limit=x",
                                  "/api/v1/recall?q=-", "/changes?limit=", "/fading?within=x",
                                  "/facts?since=nonsense", "/facts?offset=99999999"])  # fmt: skip
def test_odd_parameters_are_answered(client, filled, path):
    """Whatever a parameter says, there is an answer, and it is no fault of ours."""
    assert client(path).status in (200, 400)


def test_a_command_to_copy_runs_no_stored_text(client, run, tmp_path):
    """The name of a document is quoted as a shell wants it."""
    (tmp_path / "$(touch pwned) x.md").write_text("# Pump\n\nThe pump turns at 900 rpm.\n")
    run("ingest", str(tmp_path / "$(touch pwned) x.md"))
    assert "tideline library rm -- '$(touch pwned) x.md'" in Reader(client("/documents").body).text
    assert run("library", "rm", "--", "$(touch pwned) x.md").code == 0


def test_wordings_that_wait_for_an_answer_are_named(run):
    """Both ids, each with a link, of what was forgotten on another machine; one of what was purged.
    """
    status = run("status", "--json").json
    old, new, third = (f"{at:026d}" for at in (1, 2, 3))
    status["reworded"] = [{"id": new, "forgotten": old}, {"id": third, "forgotten": None}]
    page = "".join(map(str, site.status_body(status, frame.PageTimes(NOW, lambda *_: "", str))))
    assert [one for one in (old, new, third) if f'href="/facts/{one}"' in page] == [old, new, third]
    told = Reader(page).text
    assert f"{new} stands and rewords {old}, which was forgotten on another machine" in told
    assert f"{third} is archived: it rewords a fact that was purged on another machine" in told


def test_words_fit_their_numbers(client, run):
    """One fact fades, two fade; what faded before now is told as past, a dream that is due as due;
    nothing happened is said, and not drawn."""
    assert "Nothing was added or archived" in Reader(client("/status").body).text
    assert "due now" in Reader(client("/status").body).text
    fact = run("remember", "an old note", "-s", "context", "--now", str(NOW - 200 * DAY))
    assert "1 fact fades within" in Reader(client("/fading").body).text
    page = Reader(client(f"/facts/{fact.out.split()[0]}").body)
    assert "has faded" in page.text and "fades" not in page.text.partition("History")[0]


def test_contradictions_are_bounded(client, run, monkeypatch):
    """The page compares so many facts as it can in a second, and says where there are more."""
    monkeypatch.setattr("tideline_cli.serve.page.lists.COMPARED", 2)
    for n in (1, 2, 3):
        run("remember", f"we deploy on day {n} with the blue pipeline")
    page = Reader(client("/contradictions").body)
    assert "The newest 2 facts were compared" in page.text
    assert run("contradictions", "--newest", "2", "--json").json["compared"] == 2
    assert run("contradictions", "--json").json["compared"] == 3
    assert "newest 2 facts" in run("contradictions", "--newest", "2").err
    assert run("contradictions", "--newest", "2", "--all").code == 2


def test_a_long_answer_is_not_cut(client, monkeypatch):
    """The time of a client is for asking and taking; what we need to find an answer is our own."""
    monkeypatch.setattr("tideline_cli.serve.http.server._DEADLINE", 0.3)
    asked = client.server.site

    def slow(path, given):
        time.sleep(0.8)
        return asked(path, given)

    monkeypatch.setattr(client.server, "site", slow)
    assert client("/status").status == 200


def test_documents_that_lost_their_beginning_are_listed(run, client, tmp_path):
    """After a purge of the first chunk, and of rows that name a document: as `library` has it."""
    (tmp_path / "guide.md").write_text("# One\n\nfirst\n\n# Two\n\nsecond\n")
    assert run("ingest", "guide.md").code == 0
    first = run("library", "show", "guide.md", "--json").json["chunks"][0]["id"]
    assert run("purge", first, "--yes").code == 0
    row = '{"content": "The mill is closed on Mondays", "document": "mill.md", "turn": 1}'
    (tmp_path / "rows.jsonl").write_text(row)
    assert run("import", "rows.jsonl", "--trust").code == 0
    answer = client("/documents")
    assert answer.status == 200
    page = Reader(answer.body)
    assert "guide.md" in page.text and "mill.md" in page.text and "?" in page.text


def test_no_control_character_is_repeated_in_an_attribute(client):
    """A filter keeps its value, spelled as its number."""
    answer = client("/facts?document=a%1b%5d0;x%07b")
    assert answer.status == 200
    assert not any(ord(char) < 32 and char not in "\n\t" for char in answer.body)
    assert 'name="document" value="a&#27;]0;x&#7;b"' in answer.body
