"""Two reads in the form of RsClaw: counts of the memory, and its facts as documents."""

from __future__ import annotations

import json

from tideline_cli.model.codec import dumps
from tideline_cli.serve.http.answers import HttpReply, Printed, status_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tideline_cli.serve.http.answers import Ask

STATS, DOCS = "memory/stats", "memory/docs"
PARAMETERS: Mapping[str, tuple[str, ...]] = {STATS: (), DOCS: ("q", "scope", "kind", "limit")}
"""The paths, with the parameters of each. Source: RsClaw, its HTTP API of the memory."""
_USUAL = "50"


def answer(ask: Ask, path: str, given: Mapping[str, Sequence[str]]) -> Printed | HttpReply:
    """Return the answer for one of the paths, or what the command said that failed."""
    return _stats(ask) if path == STATS else _docs(ask, given)


def _stats(ask: Ask) -> Printed | HttpReply:
    said = ask("status", [], {"by": ["kind"]})
    if said.error is not None:
        return said
    form = json.loads(said.text)
    return _reply(said, {
        "total": form["facts"]["active"],
        "by_tier": form["by_heat"],
        "by_kind": _named(form["by_kind"], "fact"),
        "by_scope": _named(form["by_scope"], "global"),
        "pinned": form["pinned"],
    })  # fmt: skip


def _named(counts: Mapping[str, int], unnamed: str) -> dict[str, int]:
    """Return counts in which what has no name, and what has that name, are counted together."""
    found: dict[str, int] = {}
    for key, count in counts.items():
        found[key or unnamed] = found.get(key or unnamed, 0) + count
    return found


def _docs(ask: Ask, given: Mapping[str, Sequence[str]]) -> Printed | HttpReply:
    options: dict[str, Any] = {name: list(given[name]) for name in ("scope", "kind")
                               if given.get(name)}  # fmt: skip
    options["limit"] = list(given.get("limit") or [_USUAL])
    question = " ".join(given.get("q", ())).strip()
    if not question:
        said = ask("list", [], options)
        facts = [] if said.error else json.loads(said.text)["facts"]
        return said if said.error else _reply(said, {"docs": [_doc(fact) for fact in facts]})
    said = ask("recall", [question], options | {"no_touch": True})
    if said.error is not None:
        return said
    docs = []
    for hit in json.loads(said.text)["hits"]:
        shown = ask("show", [hit["id"]], {})
        if shown.error is None:
            docs.append(_doc(json.loads(shown.text)["fact"]) | {"score": hit["score"]})
    return _reply(said, {"docs": docs})


def _doc(fact: Mapping[str, Any]) -> dict[str, Any]:
    """Return a fact in the words of RsClaw: its tier is the heat here, its text the content."""
    return {
        "id": fact["id"], "scope": fact["scope"] or "global", "kind": fact["kind"] or "fact",
        "tier": fact["heat"], "text": fact["content"], "importance": fact["importance"],
        "pinned": fact["pinned"], "access_count": fact["access_count"],
        "created_at": fact["created_at"], "accessed_at": fact["last_accessed_at"],
        "tags": fact["tags"],
    }  # fmt: skip


def _reply(said: Printed, form: dict[str, Any]) -> HttpReply:
    return HttpReply(status_of(said), dumps(form).encode() + b"\n")
