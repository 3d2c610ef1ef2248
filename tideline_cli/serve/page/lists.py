"""The pages that are lists: facts, slots, tags, what fades, contradictions, documents."""

from __future__ import annotations

from shlex import join

from tideline_cli.model.fact import LIFECYCLES, SEGMENTS
from tideline_cli.serve.page.frame import (
    ended_badge,
    fact_line,
    fact_path,
    grid,
    no_items,
    start_of,
    with_parameters,
)
from tideline_cli.serve.page.markup import Markup, element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tideline_cli.serve.page.frame import PageTimes
    from tideline_cli.serve.page.markup import Content

    Parameters = Mapping[str, Sequence[str]]

A_PAGE = 50
COMPARED = 4_000
"""Facts that the page of contradictions compares: a second or so, as long as a page may take."""
SORTS = ("new", "old", "importance", "used")
_CHOICES = (
    ("segment", "any segment", tuple(SEGMENTS)), ("sort", "", SORTS),
    ("lifecycle", "", (*LIFECYCLES, "all")),
)  # fmt: skip


def facts(
    answer: Mapping[str, Any], given: Parameters, times: PageTimes, *, offset: int
) -> list[Content]:
    """Return one page of facts, without the first `offset`."""
    found: list[dict[str, Any]] = answer["facts"]
    kept = {name: values for name, values in given.items() if name != "offset"}
    chosen_above = {name for name, *_ in _CHOICES}
    narrowed = [f"{name} {value}" for name, values in kept.items() for value in values
                if name not in chosen_above and value]  # fmt: skip
    parts: list[Content] = [_narrowing(given)]
    if narrowed:
        every = element("a", "all facts", href="/facts")
        parts.append(element("p", "Only: ", ", ".join(narrowed), " · ", every, class_="summary"))
    if not found:
        parts.append(no_items("No facts here.", 'tideline remember "…"'))
    parts.append(element("ol", [fact_line(one, times) for one in found], class_="facts",
                         start=offset + 1))  # fmt: skip
    links: list[Content] = []
    if offset:
        back = with_parameters("/facts", {**kept, "offset": max(0, offset - A_PAGE) or None})
        links.append(element("a", "← before", href=back, rel="prev"))
    if answer["truncated"]:
        on = with_parameters("/facts", {**kept, "offset": offset + A_PAGE})
        links.append(element("a", "next →", href=on, rel="next"))
    parts.append(element("p", [[link, " "] for link in links], class_="pages") if links else None)
    return parts


def slots(answer: Mapping[str, Any], times: PageTimes) -> list[Content]:
    """Return the slots, each with its value of now."""
    rows = [
        (element("a", one["slot"], href=with_parameters("/facts", {"slot": one["slot"],
                                                                   "lifecycle": "all"})),
         element("a", start_of(one["content"], 160), href=fact_path(one["id"])),
         f"{one['values']:,}", times.told(one["since"]), one["scope"] or "")
        for one in answer["slots"]
    ]  # fmt: skip
    if not rows:
        return [no_items("No slots yet.", 'tideline remember "…" --slot deploy_day')]
    return [grid(("slot", "value now", "values", "since", "scope"), rows, caption="Slots")]


def tags(answer: Mapping[str, Any], times: PageTimes) -> list[Content]:
    """Return the tags, with how many facts have each."""
    rows = [
        (element("a", f"#{one['tag']}", href=with_parameters("/facts", {"tag": one["tag"]})),
         f"{one['facts']:,}", times.told(one["newest"]))
        for one in answer["tags"]
    ]  # fmt: skip
    if not rows:
        return [no_items("No tags yet.", 'tideline remember "…" --tag NAME')]
    return [grid(("tag", "facts", "newest"), rows, caption="Tags")]


def fading(answer: Mapping[str, Any], times: PageTimes) -> list[Content]:
    """Return what fades, soonest first."""
    days = round(answer["within_s"] / 86_400)
    what = "1 fact fades" if answer["total"] == 1 else f"{answer['total']:,} facts fade"
    told = element("p", f"{what} within {days} days if not used, or should have gone before.")
    if not answer["facts"]:
        return [no_items(f"Nothing fades within {days} days.")]
    rows = [
        ([element("a", start_of(one["content"], 160), href=fact_path(one["id"])), " ",
          *ended_badge(one, times)],
         times.told(one["fades_at"]), element("meter", f"{one['strength']:.3f}", min=0, max=1,
                                              value=f"{one['strength']:.6g}"),
         element("code", f"tideline pin {one['id']}"))
        for one in answer["facts"]
    ]  # fmt: skip
    return [told, grid(("fact", "fades", "strength", "what keeps it"), rows, caption="What fades")]


def contradictions(answer: Mapping[str, Any], times: PageTimes) -> list[Content]:
    """Return pairs of facts side by side, the newer one first."""
    pairs = answer["contradictions"]
    told: Content = None
    if answer["compared"] >= COMPARED:
        told = element("p", f"The newest {answer['compared']:,} facts were compared. More: ",
                       element("code", "tideline contradictions"), class_="summary")  # fmt: skip
    if not pairs:
        return [told, no_items("No two facts seem to contradict each other.")]
    return [told, element("ul", [_pair(pair, times) for pair in pairs], class_="pairs")]


def documents(answer: Mapping[str, Any], times: PageTimes) -> list[Content]:
    """Return the documents that were taken in."""
    rows = [
        (element("a", one["name"], href=with_parameters("/facts", {"document": one["name"]})),
         f"{one['chunks']:,}",
         "?" if one["bytes"] is None else f"{one['bytes']:,}", times.told(one["ingested_at"]),
         element("code", join(("tideline", "library", "rm", "--", one["name"]))))
        for one in answer["documents"]
    ]  # fmt: skip
    if not rows:
        return [no_items("No documents yet.", "tideline ingest FILE")]
    return [grid(("name", "chunks", "bytes", "taken in", "out again"), rows, caption="Documents")]


def _narrowing(given: Parameters) -> Markup:
    def chosen(name: str) -> str:
        return (given.get(name) or [""])[-1]

    shown = {name for name, *_ in _CHOICES}
    hidden = [
        element("input", type="hidden", name=name, value=value)
        for name, values in given.items() if name not in (*shown, "offset") for value in values
    ]  # fmt: skip
    choices = [
        element("select", [element("option", unset, value="")] if unset else None,
                [element("option", one, value=one, selected=one == chosen(name)) for one in every],
                name=name, aria_label=name)
        for name, unset, every in _CHOICES
    ]  # fmt: skip
    return element("form", hidden, choices, element("button", "Show", type="submit"),
                   action="/facts", method="get", class_="narrow")  # fmt: skip


def _pair(pair: Mapping[str, Any], times: PageTimes) -> Markup:
    sides = [element("div", element("ul", fact_line(pair[side], times), class_="facts"),
                     element("p", element("code", f"tideline forget {pair[side]['id']}"),
                             class_="under"))
             for side in ("a", "b")]  # fmt: skip
    score = pair.get("score")
    told = element("p", f"score {score:.2f}", class_="summary") if score is not None else None
    return element("li", element("div", sides, class_="sides"), told)
