"""The pages that are lists: hits of a search, facts, slots, tags, what fades, contradictions,
documents."""

from __future__ import annotations

from shlex import join

from tideline_cli.memory.query import MODES
from tideline_cli.model.fact import LIFECYCLES, SEGMENTS
from tideline_cli.model.finding import some
from tideline_cli.serve.page.frame import (
    Markup,
    element,
    ended_badge,
    fact_line,
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
         element("a", start_of(said_of(one), 160), href=fact_path(one["id"])),
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
        ([element("a", start_of(said_of(one), 160), href=fact_path(one["id"])), " ",
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


def _stated(given: Parameters, name: str) -> str:
    """Return the last value of a parameter, empty for none."""
    return (given.get(name) or [""])[-1]


def _narrowing(given: Parameters) -> Markup:
    shown = {name for name, *_ in _CHOICES}
    hidden = [
        element("input", type="hidden", name=name, value=value)
        for name, values in given.items() if name not in (*shown, "offset") for value in values
    ]  # fmt: skip
    choices = [_choice(*one, _stated(given, one[0])) for one in _CHOICES]
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


_BESIDE = (
    ("archived_matches", "Archived facts that match"),
    ("ended_matches", "Facts that match and hold no longer"),
)
# The factors of a score: their name for people, the value that changes nothing, and the highest;
# None where the highest is that of the best hit.
_FACTORS: Mapping[str, tuple[str, float | None, float | None]] = {
    "bm25": ("words", 0.0, None), "date": ("date", 0.0, None),
    "neighbour": ("neighbours", 0.0, None), "session": ("session", 0.0, None),
    "cosine": ("likeness (cosine)", None, 1.0), "likeness": ("likeness", 0.0, None),
    "speaker": ("speaker × ", 1.0, 1.5), "time": ("time × ", 1.0, 1.5),
    "role": ("role × ", 1.0, 1.0), "trust": ("trust × ", None, 1.0),
    "modulator": ("freshness × ", None, 1.0), "strength": ("strength", None, 1.0),
    "held": ("held × ", 1.0, 1.0), "newer": ("newer", 0.0, None),
}  # fmt: skip


def search_form(given: Mapping[str, Sequence[str]]) -> Markup:
    """Return the form of a search, as it was asked."""
    return element(
        "form",
        element("label", "Question", for_="q", class_="hidden"),
        element("input", id="q", type="search", name="q", value=_stated(given, "q"), autofocus=True,
                placeholder="What do you want to know?", autocomplete="off"),
        _choice("segment", "any segment", tuple(SEGMENTS), _stated(given, "segment")),
        _choice("mode", "", MODES, _stated(given, "mode")),
        element("button", "Recall", type="submit"),
        action="/", method="get", role="search",
    )  # fmt: skip


def search_results(answer: Mapping[str, Any], times: PageTimes) -> list[Markup]:
    """Return the hits of an answer."""
    hits: list[dict[str, Any]] = answer["hits"]
    parts = [element("p", _summary(answer), class_="summary")]
    if hits:
        best = _best_values(hits)
        parts.append(element("ol", [_hit(hit, best, times) for hit in hits], class_="facts hits"))
    else:
        parts.append(no_items("Nothing matched."))
    for name, title in _BESIDE:
        beside = answer.get(name) or ()
        if beside:
            parts.append(element("h2", title))
            lines = [fact_line(one, times, _ended_hit(one, times)) for one in beside]
            parts.append(element("ul", lines, class_="facts"))
    return parts


def other_scopes_note(count: int) -> Markup:
    """Return how many facts of other scopes match."""
    told = "1 fact of another scope matches" if count == 1 else (
        f"{count:,} facts of other scopes match"
    )
    return element("p", f"{told}.", class_="summary")


def _choice(name: str, unset: str, choices: Sequence[str], chosen: str) -> Markup:
    options = [element("option", unset, value="")] if unset else []
    options += [element("option", one, value=one, selected=one == chosen) for one in choices]
    return element("select", options, name=name, aria_label=name)


def _summary(answer: Mapping[str, Any]) -> str:
    found = some(len(answer["hits"]), "fact")
    return f"{found} · {answer['mode']}, {answer['fusion']}, {answer['decay']}"


def _best_values(hits: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the highest value of each factor among the hits."""
    best: dict[str, float] = {}
    for hit in hits:
        for name, value in _hit_values(hit).items():
            best[name] = max(best.get(name, 0.0), abs(value))
    return best


def _hit_values(hit: Mapping[str, Any]) -> dict[str, float]:
    """Return the factors of a hit that are numbers; those of other fusions stand in `parts`."""
    why = hit.get("explain") or {}
    every = {**why, **(why.get("parts") or {})}
    return {name: value for name, value in every.items() if isinstance(value, (int, float))
            and not isinstance(value, bool)}  # fmt: skip


def _hit(hit: Mapping[str, Any], best: Mapping[str, float], times: PageTimes) -> Markup:
    rows = [_bar(name, value, best) for name, value in _hit_values(hit).items()]
    terms = ", ".join((hit.get("explain") or {}).get("matched_terms") or ())
    marks: list[Content] = []
    if hit["weak"]:
        told = "weak match: one word in common, or little likeness"
        marks.append(element("p", told, class_="weak"))
    details = element(
        "details",
        element("summary", "score ", element("b", f"{hit['score']:.4f}"),
                f" · {terms}" if terms else None),
        element("dl", rows, class_="factors"),
        open=hit["rank"] == 1,
    )  # fmt: skip
    return fact_line(hit, times, marks, details)


def _bar(name: str, value: float, best: Mapping[str, float]) -> Markup | None:
    label, neutral, most = _FACTORS.get(name, (name.replace("_", " "), 0.0, None))
    if neutral is not None and value == neutral:
        return None
    top = most if most is not None else max(best.get(name, 0.0), 1e-9)
    told = f"{value:.4g}"
    return element("div", element("dt", label.replace(" × ", "")),
                   element("dd", element("meter", told, value=f"{max(value, 0.0):.6g}", min=0,
                                         max=f"{top:.6g}"),
                           element("span", f"× {told}" if " × " in label else told)))  # fmt: skip


def _ended_hit(fact: Mapping[str, Any], times: PageTimes) -> Markup:
    """Return when a fact went, and what brings an archived one back."""
    if "ended_at" in fact:
        return element("p", "ended ", times.told(fact["ended_at"]), class_="under")
    return element("p", f"{fact['reason']} ", times.told(fact["archived_at"]), " ",
                   element("code", f"tideline restore {fact['id']}"), class_="under")  # fmt: skip
