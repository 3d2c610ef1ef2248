"""The page of a search: hits, and what makes the score of each."""

from __future__ import annotations

from tideline_cli.model.fact import SEGMENTS
from tideline_cli.serve.page.frame import fact_line, how_many, no_items
from tideline_cli.serve.page.markup import Markup, element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tideline_cli.serve.page.frame import PageTimes
    from tideline_cli.serve.page.markup import Content

_BESIDE = (
    ("archived_matches", "Archived facts that match"),
    ("ended_matches", "Facts that match and hold no longer"),
)
MODES = ("hybrid", "keyword", "semantic", "points")
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


def form(given: Mapping[str, Sequence[str]]) -> Markup:
    """Return the form of a search, as it was asked."""
    def chosen(name: str) -> str:
        return (given.get(name) or [""])[-1]

    return element(
        "form",
        element("label", "Question", for_="q", class_="hidden"),
        element("input", id="q", type="search", name="q", value=chosen("q"), autofocus=True,
                placeholder="What do you want to know?", autocomplete="off"),
        _choice("segment", "any segment", tuple(SEGMENTS), chosen("segment")),
        _choice("mode", "", MODES, chosen("mode")),
        element("button", "Recall", type="submit"),
        action="/", method="get", role="search",
    )  # fmt: skip


def results(answer: Mapping[str, Any], times: PageTimes) -> list[Markup]:
    """Return the hits of an answer."""
    hits: list[dict[str, Any]] = answer["hits"]
    parts = [element("p", _summary(answer), class_="summary")]
    if hits:
        best = _best(hits)
        parts.append(element("ol", [_hit(hit, best, times) for hit in hits], class_="facts hits"))
    else:
        parts.append(no_items("Nothing matched."))
    for name, title in _BESIDE:
        beside = answer.get(name) or ()
        if beside:
            parts.append(element("h2", title))
            parts.append(element("ul", [fact_line(one, times, _gone(one, times)) for one in beside],
                                 class_="facts"))  # fmt: skip
    return parts


def of_other_scopes(count: int) -> Markup:
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
    found = how_many(len(answer["hits"]), "fact")
    return f"{found} · {answer['mode']}, {answer['fusion']}, {answer['decay']}"


def _best(hits: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the highest value of each factor among the hits."""
    best: dict[str, float] = {}
    for hit in hits:
        for name, value in _values(hit).items():
            best[name] = max(best.get(name, 0.0), abs(value))
    return best


def _values(hit: Mapping[str, Any]) -> dict[str, float]:
    """Return the factors of a hit that are numbers; those of other fusions stand in `parts`."""
    why = hit.get("explain") or {}
    every = {**why, **(why.get("parts") or {})}
    return {name: value for name, value in every.items() if isinstance(value, (int, float))
            and not isinstance(value, bool)}  # fmt: skip


def _hit(hit: Mapping[str, Any], best: Mapping[str, float], times: PageTimes) -> Markup:
    rows = [_bar(name, value, best) for name, value in _values(hit).items()]
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


def _gone(fact: Mapping[str, Any], times: PageTimes) -> Markup:
    """Return when a fact went, and what brings an archived one back."""
    if "ended_at" in fact:
        return element("p", "ended ", times.told(fact["ended_at"]), class_="under")
    return element("p", f"{fact['reason']} ", times.told(fact["archived_at"]), " ",
                   element("code", f"tideline restore {fact['id']}"), class_="under")  # fmt: skip
