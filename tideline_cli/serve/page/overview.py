"""The first page and the page of status: how much is remembered, and whether all is well."""

from __future__ import annotations

from tideline_cli.model import instant
from tideline_cli.serve.page import frame
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
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tideline_cli.serve.page.frame import Content, PageTimes

_COUNTS = (
    ("by_segment", "segment", "Segments"), ("by_kind", "kind", "Kinds"),
    ("by_scope", "scope", "Scopes"), ("by_source", "source", "Sources"),
    ("by_heat", "heat", "Heat"), ("by_tier", "", "Tiers"),
)  # fmt: skip
"""The counts of status: their key, the filter of a list that shows them, their name."""


def first(status: Mapping[str, Any], newest: Mapping[str, Any], times: PageTimes) -> list[Content]:
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


def body(status: Mapping[str, Any], times: PageTimes) -> list[Content]:
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
