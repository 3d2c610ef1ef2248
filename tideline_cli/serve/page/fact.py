"""The page of one fact: its text, labels, strength, links and history; and that of all changes."""

from __future__ import annotations

from tideline_cli.model import instant
from tideline_cli.model.codec import dumps
from tideline_cli.model.finding import some
from tideline_cli.serve.page import frame
from tideline_cli.serve.page.frame import (
    Markup,
    badge,
    element,
    ended_badge,
    fact_path,
    grid,
    no_items,
    said_of,
    start_of,
    with_parameters,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tideline_cli.serve.page.frame import Content, PageTimes

_TIMES = ("created_at", "last_accessed_at", "valid_from", "valid_to")
_LONG = 160  # characters
_SHOWN_APART = ("content", "id")
# What a list can be narrowed by: the name of its parameter.
_NARROWS = frozenset(("slot", "document", "scope", "kind", "segment", "source", "agent", "session",
                      "speaker"))  # fmt: skip


def body(
    shown: Mapping[str, Any], timeline: Mapping[str, Any] | None, graph: Mapping[str, Any] | None,
    changes: Sequence[Mapping[str, Any]], times: PageTimes,
) -> list[Content]:  # fmt: skip
    """Return the page of a fact, from what `show`, `timeline`, `graph` and `history` say of it."""
    fact = shown["fact"]
    labels = {node["id"]: node["label"] for node in (graph or {}).get("nodes", ())}
    return [
        _state(fact | {"ended": shown.get("ended")}, times),
        element("h2", "Strength"),
        _strength(shown, timeline, times),
        _slot(timeline, fact, times),
        _links(shown, labels),
        element("h2", "History"),
        grid(("when", "what", "by", "undo"), [_change(one, times) for one in reversed(changes)],
              caption="What happened to it, newest first"),
        element("h2", "All of it"),
        _labels(fact, times),
    ]  # fmt: skip


def heading(content: str) -> Markup:
    """Return the text of a fact as the heading of its page: large where it is one short line."""
    is_long = len(content) > _LONG or "\n" in content
    return element("h1", content, class_="whole" if is_long else None, dir="auto")


def _state(fact: Mapping[str, Any], times: PageTimes) -> Markup:
    marks = [badge(fact["segment"], kind="segment"), *ended_badge(fact, times)]
    if fact["lifecycle"] != "active":
        marks.append(badge(fact["lifecycle"], kind="faded"))
    if fact["pinned"]:
        marks.append(badge("pinned", kind="good"))
    what = "restore" if fact["lifecycle"] == "archived" else "forget"
    pin = "unpin" if fact["pinned"] else "pin"
    calls = [element("code", f"tideline {verb} {fact['id']}") for verb in (pin, what)]
    return element("p", [[mark, " "] for mark in marks], [[call, " "] for call in calls],
                   class_="under")  # fmt: skip


def _strength(
    shown: Mapping[str, Any], timeline: Mapping[str, Any] | None, times: PageTimes
) -> list[Content]:
    fact = shown["fact"]
    own = next((one for one in (timeline or {}).get("facts", ()) if one["id"] == fact["id"]), None)
    fades = own["fades_at"] if own else None
    told = f"{shown['strength']:.3f} of 1 now"
    if fact["lifecycle"] != "active":
        return [element("p", "It is not active, and fades no more.")]
    ends: Content = ", and does not fade"
    if fades and instant.parse(fades) > times.now:
        ends = [", fades ", times.told(fades), " unless it is used"]
    elif fades:
        ends = [", has faded ", times.told(fades), ": a dream may archive it"]
    points = frame.foretold_strengths(fact, times.now)
    return [
        element("p", element("meter", told, value=f"{shown['strength']:.6g}", min=0, max=1), " ",
                told, ends),
        frame.strength_curve(points, times.now, label=f"Strength over time: {told}"),
    ]  # fmt: skip


def _slot(
    timeline: Mapping[str, Any] | None, fact: Mapping[str, Any], times: PageTimes
) -> list[Content]:
    if not timeline or not timeline.get("slot") or len(timeline["facts"]) < 2:
        return []
    rows = [
        (times.told(one["since"]), times.told(one["until"]), one["state"],
         element("a", start_of(said_of(one), 120), href=fact_path(one["id"]),
                 aria_current="true" if one["id"] == fact["id"] else None))
        for one in timeline["facts"]
    ]  # fmt: skip
    return [
        element("h2", "The slot ", element("code", timeline["slot"])),
        grid(("since", "until", "state", "value"), rows, caption="Its values, oldest first"),
    ]


def _links(shown: Mapping[str, Any], labels: Mapping[str, str]) -> list[Content]:
    arrows: dict[tuple[str, str], str] = {}
    why: dict[tuple[str, str], str] = {}
    for arrow, links in (("→", shown["links"]), ("←", shown["backlinks"])):
        for link in links:
            edge = link["kind"], link["id"]
            arrows[edge] = "↔" if edge in arrows else arrow
            why[edge] = why.get(edge) or link.get("reason") or ""
    if not arrows:
        return []
    cells = [
        (arrow, kind.replace("_", " "),
         element("a", labels.get(other, other), href=fact_path(other)), why[kind, other])
        for (kind, other), arrow in arrows.items()
    ]  # fmt: skip
    every = grid(("way", "kind", "fact", "why"), cells, caption="Linked facts")
    more = shown.get("more_links", 0) + shown.get("more_backlinks", 0)
    if not more:
        return [element("h2", "Links"), every]
    call = element("code", f"tideline show {shown['fact']['id']} --all")
    return [element("h2", "Links"), every, element("p", f"and {more:,} more: ", call)]


def _change(change: Mapping[str, Any], times: PageTimes) -> tuple[Content, ...]:
    batch = change["batch"]
    undo = element("code", f"tideline undo {batch}") if batch else ""
    return times.told(change["at"]), change_words(change), change["verb"], undo


def _labels(fact: Mapping[str, Any], times: PageTimes) -> Markup:
    rows: list[Content] = []
    for name, value in fact.items():
        if name in _SHOWN_APART or value in (None, [], {}, ""):
            continue
        rows.append(element("div", element("dt", name.replace("_", " ")),
                            element("dd", _told(name, value, times))))  # fmt: skip
    rows.insert(0, element("div", element("dt", "id"), element("dd", element("code", fact["id"]))))
    return element("dl", rows, class_="labels")


def _told(name: str, value: Any, times: PageTimes) -> Content:
    if name in _TIMES:
        return times.told(value)
    if name == "tags":
        return [[element("a", f"#{tag}", href=with_parameters("/facts", {"tag": tag})), " "]
                for tag in value]  # fmt: skip
    if name in _NARROWS:
        return element("a", str(value), href=with_parameters("/facts", {name: value}))
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return element("code", dumps(value))
    return str(value)


USUAL_CHANGES = 30


def changes_body(answer: Mapping[str, Any], times: PageTimes, limit: int) -> list[Content]:
    """Return the commands that can be undone, newest first."""
    if not answer["batches"]:
        return [no_items("Nothing has been changed yet.", 'tideline remember "…"')]
    more: Content = None
    if answer["truncated"]:
        path = with_parameters("/changes", {"limit": limit * 2})
        more = element("p", element("a", "Further back", href=path), class_="pages")
    return [
        element("p", "What was refused or taken back stands in ",
                element("code", "tideline history"), ".", class_="summary"),
        element("ol", [_batch_of(one, times) for one in answer["batches"]], class_="changes"),
        more,
    ]  # fmt: skip


def change_words(change: Mapping[str, Any]) -> str:
    """Return in words what a change did to a fact, and to which of its labels."""
    what, act = change["entity"], change["act"] or "nothing"
    before, after = change["before"], change["after"]
    if what == "link":
        edge = after or before or {}
        return f"link {act}" + (f": {edge['kind'].replace('_', ' ')}" if edge.get("kind") else "")
    if what == "usage":
        return f"use {act}"
    if act == "changed" and before and after:
        names = [name for name in after if name in before and after[name] != before[name]]
        return "changed: " + ", ".join(name.replace("_", " ") for name in names)
    return str(act)


def _batch_of(one: Mapping[str, Any], times: PageTimes) -> Markup:
    counts = [
        f"{some(count, noun)} {act}"
        for noun, group in (("fact", one["facts"]), ("link", one["links"]))
        for act, count in group.items() if count
    ]  # fmt: skip
    undo = "cannot be undone" if one["final"] else f"tideline undo {one['batch']}"
    about = None
    if one["content"]:
        text = start_of(one["content"], 160)
        about = element("a", text, href=fact_path(one["id"]), class_="text")
    return element(
        "li",
        element("p", element("b", one["verb"]), " ", times.told(one["at"]), " ",
                element("span" if one["final"] else "code", undo), class_="under"),
        element("p", about) if about else None,
        element("p", ", ".join(counts), class_="summary"),
    )  # fmt: skip
