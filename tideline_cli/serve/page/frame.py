"""What every page has: head, navigation, notes; and the small parts that several pages share."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from tideline_cli.model import instant
from tideline_cli.model.record import record
from tideline_cli.serve.page.markup import Markup, element, html_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from tideline_cli.serve.page.markup import Content

_PLACES = (
    ("/", "Search"), ("/facts", "Facts"), ("/changes", "Changes"), ("/slots", "Slots"),
    ("/tags", "Tags"), ("/fading", "Fading"), ("/contradictions", "Contradictions"),
    ("/documents", "Documents"), ("/status", "Status"),
)  # fmt: skip
TITLE = "tideline"


@record
class PageTimes:
    """How times are told: `ago` from a time and now, `local` from a time; `now` is of the page."""

    now: int
    ago: Callable[[int, int], str]
    local: Callable[[int], str]

    def told(self, text: str | None) -> Markup:
        """Return a time of the wire as people say it; the exact one is its title."""
        if not text:
            return Markup("")
        ms = instant.parse(text)
        return element("time", self.ago(ms, self.now), datetime=text, title=self.local(ms))


def page(
    title: str, here: str, body: Content, *, origin: str, heading: Content = None,
    notes: Iterable[str] = (),
) -> str:  # fmt: skip
    """Return a whole page. `heading` stands at its top, where that is more than the title."""
    links = [
        element("li", element("a", name, href=path, aria_current="page" if path == here else None))
        for path, name in _PLACES
    ]
    whose = element("p", origin, class_="origin", title="Whose memory this is")
    told = [element("p", note, class_="note", role="status") for note in notes]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{title} – {TITLE}" if title != TITLE else TITLE),
        element("link", rel="icon", href="/icon.svg", type="image/svg+xml"),
        element("link", rel="stylesheet", href="/style.css"),
    )
    content = element(
        "body",
        element("a", "Skip to the content", href="#content", class_="skip"),
        element("header", element("a", TITLE, href="/", class_="brand"),
                element("nav", element("ul", links), aria_label="Pages"), whose),
        element("main", heading or element("h1", title), told, body, id="content"),
    )  # fmt: skip
    return f"<!doctype html>\n{element('html', head, content, lang='en')}\n"


def fact_path(id: str) -> str:
    """Return the path of a fact's page."""
    return f"/facts/{quote(id, safe='')}"


def with_parameters(path: str, given: Mapping[str, Any]) -> str:
    """Return a path with parameters; empty ones are left out."""
    kept = {name: value for name, value in given.items() if value not in (None, "", [], ())}
    return f"{path}?{urlencode(kept, doseq=True)}" if kept else path


def badge(text: str, *, kind: str = "") -> Markup:
    """Return a word or two about a fact."""
    return element("span", text, class_=f"badge {kind}".strip())


def ended_badge(fact: Mapping[str, Any], times: PageTimes) -> list[Markup]:
    """Return the badge of an active fact that has ended."""
    if not fact.get("ended"):
        return []
    day = instant.short_day(instant.parse(fact["valid_to"]), now=times.now)
    return [badge(f"ended {day}", kind="faded")]


def fact_line(fact: Mapping[str, Any], times: PageTimes, *more: Content) -> Markup:
    """Return a fact as an item of a list: its text, and what it is under it."""
    under: list[Content] = [badge(fact[name], kind=name) for name in ("segment", "kind")
                            if fact.get(name)]  # fmt: skip
    for name in ("slot", "document"):
        if fact.get(name):
            named = with_parameters("/facts", {name: fact[name]})
            under.append(element("a", fact[name], href=named, class_="badge", title=name))
    under += [badge("pinned", kind="good")] if fact.get("pinned") else []
    under += [badge(word, kind="faded") for word in [fact.get("lifecycle") or "active"]
              if word != "active"]  # fmt: skip
    under += ended_badge(fact, times)
    if fact.get("source") not in (None, "owner_message"):
        under.append(badge(str(fact["source"]).replace("_", " "), kind="source"))
    under += [element("a", f"#{tag}", href=with_parameters("/facts", {"tag": tag}), class_="tag")
              for tag in fact.get("tags") or ()]  # fmt: skip
    under.append(times.told(fact.get("created_at")))
    text = element("a", start_of(fact["content"]), href=fact_path(fact["id"]), class_="text")
    return element("li", text, element("p", _spaced(under), class_="under"), more, class_="fact")


def start_of(text: str, most: int = 400) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(text[: most * 4].split())
    return line if len(line) <= most else line[: most - 1] + "…"


def grid(heads: Iterable[str], rows: Iterable[Iterable[Content]], *, caption: str = "") -> Markup:
    """Return a table; in a narrow window each row is a block, with the heads beside its cells."""
    names = tuple(heads)
    columns = [element("th", name, scope="col", role="columnheader") for name in names]
    top = element("thead", element("tr", columns, role="row"), role="rowgroup")
    lines = [element("tr", _cells(names, row), role="row") for row in rows]
    said = element("caption", caption) if caption else None
    # The roles are said since a narrow window shows rows as blocks, which are no table to a reader.
    table = element("table", said, top, element("tbody", lines, role="rowgroup"), role="table")
    return element("div", table, class_="scroll", tabindex="0", role="region",
                   aria_label=caption or "table")  # fmt: skip


def _cells(names: Sequence[str], row: Iterable[Content]) -> list[Markup]:
    """Return the cells of a row, each with the name of its column for narrow windows."""
    return [
        element("td", cell, role="cell", data_head=name, class_=None if html_of(cell) else "no")
        for name, cell in zip(names, row, strict=True)
    ]


def how_many(count: int, noun: str) -> str:
    """Return a number of things in words: 1 fact, 2 facts."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def no_items(text: str, command: str = "") -> Markup:
    """Return what stands where there is nothing, with the command that changes that."""
    return element("p", text, " " if command else None,
                   element("code", command) if command else None, class_="empty")  # fmt: skip


def _spaced(parts: Iterable[Content]) -> Markup:
    return Markup(" ".join(html_of(part) for part in parts if part is not None))
