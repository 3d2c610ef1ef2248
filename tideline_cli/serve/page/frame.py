"""What every page has: safe markup, head, navigation, notes, and the small parts and drawings that
several pages share."""

from __future__ import annotations

from html import escape
from urllib.parse import quote, urlencode

from tideline_cli.model import instant
from tideline_cli.model.record import record
from tideline_cli.policy.render import screen_text, with_title
from tideline_cli.ranking.decay import is_immune, strength
from tideline_cli.ranking.fading import FLOOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    Content: TypeAlias = str | int | Iterable["Content"] | None

_VOID = frozenset(("input", "meta", "link", "br", "hr", "path", "line", "circle", "rect"))


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(tag: str, *content: Content, **attributes: str | float | bool | None) -> Markup:
    """Return an element. An attribute's trailing underscore falls off, other ones are dashes; one
    that is None or False is left out, one that is True has no value."""
    said = "".join(
        f" {_attribute_name(name)}" + ("" if value is True else f'="{_quoted(str(value))}"')
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    if tag in _VOID:
        return Markup(f"<{tag}{said}>" if tag in ("input", "meta", "link", "br", "hr")
                      else f"<{tag}{said}/>")  # fmt: skip
    return Markup(f"<{tag}{said}>{html_of(content)}</{tag}>")


def html_of(content: Content) -> Markup:
    """Return content as one piece of HTML."""
    if content is None:
        return Markup("")
    if isinstance(content, Markup):
        return content
    if isinstance(content, (str, int)):
        return Markup(escape(_visible(str(content)), quote=False))
    return Markup("".join(map(html_of, content)))


def _attribute_name(name: str) -> str:
    return name.rstrip("_").replace("_", "-") if name != "viewBox" else name


def _quoted(text: str) -> str:
    """Return the value of an attribute; what cannot be seen stands there as its number."""
    told = escape(text)
    if told.isprintable():
        return told
    return "".join(char if char.isprintable() else f"&#{ord(char)};" for char in told)


def _visible(text: str) -> str:
    """Return a text with what cannot be seen spelled out, as on a terminal."""
    if text.isprintable():
        return text
    return "\n".join(map(screen_text, text.split("\n")))


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
    text = element("a", start_of(said_of(fact)), href=fact_path(fact["id"]), class_="text")
    return element("li", text, element("p", _spaced(under), class_="under"), more, class_="fact")


def said_of(fact: Mapping[str, Any]) -> str:
    """Return the text of a fact behind its title."""
    return with_title(fact.get("title"), fact["content"])


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


def no_items(text: str, command: str = "") -> Markup:
    """Return what stands where there is nothing, with the command that changes that."""
    return element("p", text, " " if command else None,
                   element("code", command) if command else None, class_="empty")  # fmt: skip


def _spaced(parts: Iterable[Content]) -> Markup:
    return Markup(" ".join(html_of(part) for part in parts if part is not None))


_WIDE, _HIGH = 640, 160
_LEFT, _BOTTOM = 36, 22
_CURVE_POINTS = 80
_AHEAD_DAYS = 90


def foretold_strengths(
    fact: Mapping[str, Any], now: int, days: int = _AHEAD_DAYS
) -> list[tuple[int, float]]:
    """Return the strength of a fact, as JSON has it, day by day: from its last use, at most so many
    days back, to so many days ahead, if nobody uses it. Each item is (milliseconds, 0..1)."""
    used = instant.parse(fact["last_accessed_at"])
    start = min(max(used, now - days * instant.DAY_MS), now)
    end = now + days * instant.DAY_MS
    immune = is_immune(fact["tier"], bool(fact["pinned"]))
    times = [start + (end - start) * step // _CURVE_POINTS for step in range(_CURVE_POINTS + 1)]
    return [
        (at, strength(fact["importance"], fact["decay_rate"], fact["access_count"],
                      (at - used) / instant.DAY_MS, immune=immune))
        for at in times
    ]  # fmt: skip


def strength_curve(points: Sequence[tuple[int, float]], now: int, *, label: str) -> Markup:
    """Return the curve of a strength, with a mark at now and a line at which a fact fades."""
    first, last = points[0][0], points[-1][0]
    span = max(1, last - first)

    def place(at: int, value: float) -> tuple[float, float]:
        x = _LEFT + (at - first) / span * (_WIDE - _LEFT - 8)
        return round(x, 1), round((1 - value) * (_HIGH - _BOTTOM - 8) + 8, 1)

    path = "M" + " L".join(f"{x} {y}" for x, y in (place(*point) for point in points))
    here, _ = place(now, 0)
    _, floor = place(now, FLOOR)
    base = _HIGH - _BOTTOM
    marks = [
        element("line", x1=_LEFT, y1=floor, x2=_WIDE - 8, y2=floor, class_="floor"),
        element("line", x1=here, y1=8, x2=here, y2=base, class_="now"),
        element("line", x1=_LEFT, y1=base, x2=_WIDE - 8, y2=base, class_="axis"),
        *(element("text", f"{share:g}", x=_LEFT - 6, y=place(now, share)[1] + 4, class_="tick end")
          for share in (0, 0.5, 1)),
        element("text", "now", x=here, y=_HIGH - 6, class_="tick middle"),
        element("text", _day(last), x=_WIDE - 8, y=_HIGH - 6, class_="tick end"),
    ]  # fmt: skip
    if here - _LEFT > 90:
        marks.append(element("text", _day(first), x=_LEFT, y=_HIGH - 6, class_="tick"))
    return element("svg", element("title", label), marks, element("path", d=path, class_="curve"),
                   viewBox=f"0 0 {_WIDE} {_HIGH}", role="img", class_="plot")  # fmt: skip


def day_bars(counts: Sequence[Mapping[str, Any]]) -> Markup:
    """Return bars of what was added and archived, a day each."""
    most = max([1, *(max(one["added"], one["archived"]) for one in counts)])
    width = _WIDE / max(1, len(counts))
    bars = []
    for number, one in enumerate(counts):
        for name, side in (("added", -1), ("archived", 1)):
            tall = round(one[name] / most * 36, 1)
            if tall:
                said = element("title", f"{one['day']}: {one[name]:,} {name}")
                bars.append(element(
                    "g", said,
                    element("rect", x=round(number * width + 2, 1), y=40 - tall if side < 0 else 42,
                            width=round(width - 4, 1), height=tall, rx=2, class_=name),
                ))  # fmt: skip
    total = sum(one["added"] for one in counts), sum(one["archived"] for one in counts)
    label = f"The last {len(counts)} days: {total[0]:,} added, {total[1]:,} archived"
    axis = element("line", x1=0, y1=41, x2=_WIDE, y2=41, class_="axis")
    return element("svg", element("title", label), axis, bars, viewBox=f"0 0 {_WIDE} 82",
                   role="img", class_="plot")  # fmt: skip


def _day(ms: int) -> str:
    return instant.iso(ms)[:10]
