"""Two reads in the form of RsClaw: counts of the memory, and its facts as documents."""

from __future__ import annotations

import json

from tideline_cli.model.codec import dumps
from tideline_cli.serve.http.answers import HttpReply, Printed, status_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any

    from tideline_cli.serve.http.answers import Ask

STATS, DOCS = "memory/stats", "memory/docs"
PARAMETERS: Mapping[str, tuple[str, ...]] = {STATS: (), DOCS: ("q", "scope", "kind", "limit")}
"""The paths, with the parameters of each. Source: RsClaw, its HTTP API of the memory."""
_USUAL = "50"
_DIGITS = 10
_PAGE = 500
_NO_KIND = "fact"
_HITS = 1_000


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
        "by_kind": _named(form["by_kind"], _NO_KIND),
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
    scopes, kinds = set(given.get("scope", ())), set(given.get("kind", ()))
    most = _count(given.get("limit"))
    if most is None:
        return ask("list", [], {"limit": list(given["limit"])})  # which says what is wrong with it
    question = " ".join(given.get("q", ())).strip()
    beside: dict[str, Any] = {}
    pages = _found(ask, question, beside) if question else _listed(ask, kinds)
    docs: list[dict[str, Any]] = []
    for said, page in pages:
        if said.error is not None:
            return said
        docs += (doc for doc in page if not scopes or doc["scope"] in scopes
                 if not kinds or doc["kind"] in kinds)  # fmt: skip
        if most and len(docs) >= most:
            break
    return _reply(said, {"docs": docs[: most or None], **beside})


def _count(limit: Sequence[str] | None) -> int | None:
    """Return how many documents are asked for, 0 for all; None for what is no such number."""
    text = limit[-1] if limit else _USUAL
    return int(text) if text.isascii() and text.isdigit() and len(text) < _DIGITS else None


def _listed(
    ask: Ask, kinds: Collection[str]
) -> Iterator[tuple[Printed, list[dict[str, Any]]]]:
    """Yield the facts of all scopes, newest first: some, and then the others at once, since each
    page costs the numbers of those before it."""
    options: dict[str, Any] = {"all_scopes": True}
    if kinds and _NO_KIND not in kinds:
        options["kind"] = [*kinds]
    for limit, offset in ((_PAGE, 0), (0, _PAGE)):
        said = ask("list", [], options | {"limit": [str(limit)], "offset": [str(offset)]})
        facts = [] if said.error else json.loads(said.text)["facts"]
        yield said, [_doc(fact) for fact in facts]
        if len(facts) < _PAGE:
            return


def _found(
    ask: Ask, question: str, beside: dict[str, Any]
) -> Iterator[tuple[Printed, list[dict[str, Any]]]]:
    """Yield the facts that answer a question, one by one, best first; `beside` takes what matches
    and holds no more."""
    options: dict[str, Any] = {"all_scopes": True, "limit": [str(_HITS)], "no_touch": True}
    said = ask("recall", [question], options)
    if said.error is not None:
        yield said, []
        return
    form = json.loads(said.text)
    beside.update((name, form[name]) for name in ("archived_matches", "ended_matches"))
    for hit in form["hits"]:
        shown = ask("show", [hit["id"]], {})
        one = [] if shown.error else [_doc(json.loads(shown.text)["fact"])]
        yield said, [doc | {"score": hit["score"], "weak": hit["weak"]} for doc in one]
    yield said, []


def _doc(fact: Mapping[str, Any]) -> dict[str, Any]:
    """Return a fact in the words of RsClaw: its tier is the heat here, its text the content."""
    return {
        "id": fact["id"], "scope": fact["scope"] or "global", "kind": fact["kind"] or _NO_KIND,
        "tier": fact["heat"], "text": fact["content"], "importance": fact["importance"],
        "pinned": fact["pinned"], "access_count": fact["access_count"],
        "created_at": fact["created_at"], "accessed_at": fact["last_accessed_at"],
        "tags": fact["tags"],
    }  # fmt: skip


def _reply(said: Printed, form: dict[str, Any]) -> HttpReply:
    return HttpReply(status_of(said), dumps(form).encode() + b"\n")
