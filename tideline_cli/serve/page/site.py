"""The pages by their paths: what each asks the commands, and what it shows of the answer."""

from __future__ import annotations

import json
from importlib.resources import files
from urllib.parse import unquote

from tideline_cli.model import instant
from tideline_cli.model.record import record
from tideline_cli.serve.http.answers import HTML, HttpReply, status_of
from tideline_cli.serve.page import fact, frame, lists
from tideline_cli.serve.page.frame import (
    Markup,
    element,
    fact_line,
    fact_path,
    no_items,
    with_parameters,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from tideline_cli.serve.http.answers import Ask, Printed
    from tideline_cli.serve.page.frame import Content, PageTimes

    Parameters = Mapping[str, Sequence[str]]

_ICON = (b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="none" '
         b'stroke="#2a78a8" stroke-width="2" d="M1 6q2-3 4 0t4 0t4 0M1 11q2-3 4 0t4 0t4 0"/></svg>'
         )  # fmt: skip
_FILES = {"/style.css": "text/css; charset=utf-8", "/icon.svg": "image/svg+xml"}
_FACT_FILTERS = ("segment", "tag", "kind", "slot", "document", "scope", "source", "agent",
                 "session", "speaker", "heat", "progress", "pinned", "since", "until",
                 "lifecycle", "sort", "offset")  # fmt: skip
_SEARCH = ("segment", "mode", "tag", "kind", "document", "as_of", "fusion", "decay", "profile")
_NEIGHBOURS = 40
_HITS = 20
_NEWEST = 8
_NOT_FOUND = 3
_FACT = "/facts/"


class _FailedError(Exception):
    """A command that could not answer."""

    def __init__(self, said: Printed) -> None:
        super().__init__(said.code)
        self.said = said


@record
class _Page:
    """What a page is: its title and its body."""

    title: str
    body: Content
    heading: Content = None


class Site:
    """Answers the paths of pages. `ask` runs a command; `ago` and `local` say times, `now` is the
    clock."""

    def __init__(
        self, ask: Ask, *, origin: str, ago: Callable[[int, int], str],
        local: Callable[[int], str], now: Callable[[], int],
    ) -> None:  # fmt: skip
        self._ask, self._origin = ask, origin
        self._ago, self._local, self._now = ago, local, now

    def __call__(self, path: str, given: Parameters) -> HttpReply:
        """Return the page of a path."""
        if path in _FILES:
            body = _ICON if path == "/icon.svg" else _style()
            return HttpReply(200, body, _FILES[path])
        asked = _Asked(self._ask, given, frame.PageTimes(self._now(), self._ago, self._local))
        make = _PAGES.get(path)
        if make is None and not path.startswith(_FACT):
            return self._failure(404, "There is no such page", "")
        try:
            made = make(asked) if make else _fact(asked, unquote(path.removeprefix(_FACT)))
        except _FailedError as failed:
            error = failed.said.error or {}
            title = "No such fact" if failed.said.code == _NOT_FOUND else "This did not work"
            told = ". ".join(filter(None, (error.get("message"), error.get("hint"))))
            return self._failure(status_of(failed.said), title, told)
        text = frame.page(made.title, path, made.body, heading=made.heading, origin=self._origin,
                          notes=asked.notes)  # fmt: skip
        return HttpReply(200, text.encode("utf-8", "replace"), HTML)

    def _failure(self, status: int, title: str, told: str) -> HttpReply:
        way = element("p", element("a", "Back to the search", href="/"))
        text = frame.page(title, "", [element("p", told) if told else None, way],
                          origin=self._origin)  # fmt: skip
        return HttpReply(status, text.encode("utf-8", "replace"), HTML)


class _Asked:
    """One request for a page: its parameters, and what the commands have noted on the way."""

    def __init__(self, ask: Ask, given: Parameters, times: PageTimes) -> None:
        self._ask, self.given, self.times = ask, given, times
        self.notes: list[str] = []

    def form(self, command: str, *words: str, **options: Any) -> dict[str, Any]:
        """Return the object that a command prints."""
        said = self._ask(command, list(words), options)
        if not said.text:
            raise _FailedError(said)
        for note in said.notes:
            told = note.get("warning") or {}
            if told:
                self.notes.append(str(told.get("message")))
        found: dict[str, Any] = json.loads(said.text)
        return found

    def chosen(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return those of the parameters that are named and not empty."""
        kept = {name: [one for one in self.given.get(name, ()) if one] for name in names}
        return {name: values for name, values in kept.items() if values}

    def number(self, name: str, usual: int) -> int:
        """Return a parameter that is a whole number."""
        text = (self.given.get(name) or [""])[-1]
        return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else usual


def _first(asked: _Asked) -> _Page:
    form = lists.search_form(asked.given)
    question = " ".join(asked.given.get("q", ())).strip()
    if question:
        answer = asked.form("recall", question, limit=[str(asked.number("limit", _HITS))],
                            explain=True, no_touch=True, **asked.chosen(_SEARCH))  # fmt: skip
        results = lists.search_results(answer, asked.times)
        body = [form, *results, _elsewhere(asked, question, answer)]
        return _Page(frame.start_of(question, 80), body)
    status = asked.form("status")
    newest = asked.form("list", limit=[str(_NEWEST)])
    return _Page(frame.TITLE, [form, *first_page(status, newest, asked.times)],
                 element("h1", "Search"))  # fmt: skip


def _elsewhere(asked: _Asked, question: str, answer: Mapping[str, Any]) -> Content:
    """Return how many facts of other scopes answer a question that has no sure answer here."""
    if not all(hit["weak"] for hit in answer["hits"]):
        return None
    every = asked.form("recall", question, limit=["100"], all_scopes=True, no_touch=True,
                       **asked.chosen(_SEARCH))  # fmt: skip
    here = {hit["id"] for hit in answer["hits"]}
    others = [hit for hit in every["hits"] if hit["id"] not in here]
    count = sum(not hit["weak"] for hit in others) or (0 if here else len(others))
    return lists.other_scopes_note(count) if count else None


def _facts(asked: _Asked) -> _Page:
    answer = asked.form("list", limit=[str(lists.A_PAGE)], **asked.chosen(_FACT_FILTERS))
    return _Page("Facts", lists.facts(
        answer, asked.given, asked.times, offset=asked.number("offset", 0)
    ))


def _fact(asked: _Asked, named: str) -> _Page:
    shown = asked.form("show", named)
    whole = shown["fact"]["id"]
    timeline = asked.form("timeline", whole)
    graph = asked.form("graph", whole, hops=["1"], limit=[str(_NEIGHBOURS)], archived=True)
    past = asked.form("history", whole)["changes"]
    body = fact.body(shown, timeline, graph, past, asked.times)
    content = frame.said_of(shown["fact"])
    return _Page(frame.start_of(content, 80), body, fact.heading(content))


def _changes(asked: _Asked) -> _Page:
    limit = asked.number("limit", fact.USUAL_CHANGES)
    answer = asked.form("undo", list=True, limit=[str(limit)])
    return _Page("Changes", fact.changes_body(answer, asked.times, limit))


def _slots(asked: _Asked) -> _Page:
    return _Page("Slots", lists.slots(asked.form("slots"), asked.times))


def _tags(asked: _Asked) -> _Page:
    return _Page("Tags", lists.tags(asked.form("tags"), asked.times))


def _fading(asked: _Asked) -> _Page:
    answer = asked.form("fading", **asked.chosen(("within",)))
    return _Page("Fading", lists.fading(answer, asked.times))


def _contradictions(asked: _Asked) -> _Page:
    answer = asked.form("contradictions", newest=[str(lists.COMPARED)])
    return _Page("Contradictions", lists.contradictions(answer, asked.times))


def _documents(asked: _Asked) -> _Page:
    return _Page("Documents", lists.documents(asked.form("library"), asked.times))


def _status(asked: _Asked) -> _Page:
    return _Page("Status", status_body(asked.form("status", by=["kind"]), asked.times))


_PAGES: Mapping[str, Callable[[_Asked], _Page]] = {
    "/": _first, "/facts": _facts, "/changes": _changes, "/slots": _slots, "/tags": _tags,
    "/fading": _fading, "/contradictions": _contradictions, "/documents": _documents,
    "/status": _status,
}  # fmt: skip


def _style() -> bytes:
    return files("tideline_cli.serve.page").joinpath("style.css").read_bytes()


_COUNTS = (
    ("by_segment", "segment", "Segments"), ("by_kind", "kind", "Kinds"),
    ("by_scope", "scope", "Scopes"), ("by_source", "source", "Sources"),
    ("by_heat", "heat", "Heat"), ("by_tier", "", "Tiers"),
)  # fmt: skip
"""The counts of status: their key, the filter of a list that shows them, their name."""


def first_page(
    status: Mapping[str, Any], newest: Mapping[str, Any], times: PageTimes
) -> list[Content]:
    """Return what stands under the search on the first page."""
    if not newest["facts"]:
        return [no_items("This memory is empty.", 'tideline remember "The boiler needs 1.6 bar"')]
    return [
        at_a_glance(status),
        element("h2", "Newest"),
        element("ol", [fact_line(one, times) for one in newest["facts"]], class_="facts"),
        element("p", element("a", "All facts", href="/facts"), class_="pages"),
    ]  # fmt: skip


def at_a_glance(status: Mapping[str, Any]) -> Markup:
    """Return the numbers that matter at a glance."""
    facts = status["facts"]
    told = [
        ("active", facts["active"], "/facts"),
        *([("ended", facts["ended"], "")] if facts["ended"] else []),
        ("archived", facts["archived"], "/facts?lifecycle=archived"),
        ("pinned", status["pinned"], "/facts?pinned=1"),
        ("new in 7 days", status["added_last_7d"], "/facts?since=7d"),
    ]
    if status.get("fading_next_14d") is not None:
        told.append(("fade in 14 days", status["fading_next_14d"], "/fading"))
    cells = [
        element("a" if path else "span", element("b", f"{count:,}"), " ", name, href=path or None)
        for name, count, path in told
    ]
    return element("p", cells, class_="numbers")


def status_body(status: Mapping[str, Any], times: PageTimes) -> list[Content]:
    """Return the page of status."""
    groups = [_group(status.get(key) or {}, by, name) for key, by, name in _COUNTS]
    rows: list[tuple[str, Content]] = [
        ("health", status["health"]), ("file", element("code", status["database"] or "")),
        ("vectors", _vectors(status["vectors"])),
        ("last dream", times.told(status["last_dream"]) or "never"),
        ("it did", status["last_dream_summary"] or ""),
        ("next dream", _due(status["next_dream_due"], times)),
        ("last consolidation", times.told(status["last_consolidate"]) or "never"),
    ]  # fmt: skip
    rows += [("reworded", _reworded(one)) for one in status.get("reworded") or []]
    labels = [element("div", element("dt", name), element("dd", value)) for name, value in rows
              if value]  # fmt: skip
    activity = status.get("activity") or []
    return [
        at_a_glance(status),
        element("h2", f"Last {len(activity)} days") if activity else None,
        _activity(activity) if activity else None,
        element("div", groups, class_="groups"),
        element("dl", labels, class_="labels"),
    ]


def _activity(days: Sequence[Mapping[str, Any]]) -> list[Content]:
    """Return what was added and archived by day: a drawing, and what its colors mean."""
    added, archived = (sum(day[name] for day in days) for name in ("added", "archived"))
    if not (added or archived):
        return [element("p", "Nothing was added or archived.", class_="summary")]
    told = element("p", element("span", f"{added:,} added", class_="key added"), " ",
                   element("span", f"{archived:,} archived", class_="key archived"),
                   class_="summary")  # fmt: skip
    return [told, frame.day_bars(days)]


def _due(text: str | None, times: PageTimes) -> Content:
    return times.told(text) if text and instant.parse(text) > times.now else "due now"


def _reworded(one: Mapping[str, Any]) -> list[Content]:
    """Return a wording of a fact that was removed on another machine, which nobody has answered."""
    fact = element("a", one["id"], href=fact_path(one["id"]))
    if one["forgotten"] is None:
        return [fact, " is archived: it rewords a fact that was purged on another machine. "
                      "Purge it too, or restore it"]  # fmt: skip
    gone = element("a", one["forgotten"], href=fact_path(one["forgotten"]))
    return [fact, " stands and rewords ", gone, ", which was forgotten on another machine. "
                  "Forget the one that is wrong"]  # fmt: skip


def _vectors(vectors: Mapping[str, Any]) -> str:
    waiting = f", {vectors['missing']:,} waiting" if vectors["missing"] else ""
    return f"{vectors['present']:,} by {vectors['embedder']}{waiting}"


def _group(counts: Mapping[str, int], by: str, name: str) -> Markup | None:
    kept = {key: count for key, count in counts.items() if count}
    if not kept or (set(kept) == {""}):
        return None
    most = max(kept.values())
    rows = [
        element("div",
                element("dt", element("a", key or "none", href=with_parameters("/facts", {by: key}))
                        if by and key else key or "none"),
                element("dd", element("meter", f"{count:,}", value=count, min=0, max=most),
                        element("span", f"{count:,}")))
        for key, count in sorted(kept.items(), key=lambda pair: -pair[1])
    ]  # fmt: skip
    return element("section", element("h2", name), element("dl", rows, class_="factors"))
