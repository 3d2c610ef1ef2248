"""The API: a path is a command, its answer is what the command prints with `--json`, without
secrets. Two paths answer in the form of RsClaw: counts of the memory, its facts as documents."""

from __future__ import annotations

import json

from tideline_cli.memory.secret_screening import masked
from tideline_cli.model.codec import dumps, loads
from tideline_cli.model.record import record, replace
from tideline_cli.policy.render import with_title
from tideline_cli.policy.secret_forms import may_hold
from tideline_cli.serve.http.answers import HttpReply, Printed, failed_reply, status_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any

    from tideline_cli.serve.http.answers import Ask

    Parameters = Mapping[str, Sequence[str]]

PREFIX = "/api/v1/"
_SPOKEN = ("session", "speaker", "role", "agent")
_NARROW = ("segment", "tag", "kind", "progress", "since", "until", *_SPOKEN, "document",
           "no_documents", "scope")  # fmt: skip


@record
class Route:
    """A path: the command that answers, what its words are, and which of its options a client may
    give. `words` is the name of the parameter that has the words (`path` is the rest of the path),
    empty for none. `always` are options that every call has."""

    command: str
    words: str = ""
    options: tuple[str, ...] = ()
    always: tuple[tuple[str, Any], ...] = ()


ROUTES: Mapping[str, Route] = {
    "recall": Route(
        "recall", "q",
        ("limit", "mode", "fusion", "decay", "profile", "min_sim", "min_score", "mmr", "graph",
         "as_of", "archived", "explain", *_NARROW),
        (("no_touch", True),),
    ),
    "context": Route(
        "context", "q",
        ("limit", "max_chars", "max_tokens", "mode", "fusion", "decay", "profile",
         "no_constraints", "scope", "document", "no_documents"),
        (("no_touch", True),),
    ),
    "facts": Route(
        "list", "",
        ("limit", "offset", "lifecycle", "archived", "as_of", "sort", "decay", "slot", "source",
         "heat", "pinned", *_NARROW),
    ),
    "facts/ID": Route("show", "path", ("decay", "all")),
    "facts/ID/history": Route("history", "path", ("limit",)),
    "facts/ID/timeline": Route("timeline", "path", ("limit",)),
    "facts/ID/graph": Route("graph", "path", ("hops", "limit", "archived")),
    "changes": Route("history", "", ("limit", *_SPOKEN)),
    "batches": Route("undo", "", ("limit",), (("list", True),)),
    "timeline": Route("timeline", "", ("slot", "limit")),
    "contradictions": Route("contradictions", "", ("limit", "min_score", "segment", "newest")),
    "fading": Route("fading", "", ("within", "limit")),
    "slots": Route("slots", "", ("scope", *_SPOKEN)),
    "tags": Route("tags", "", ("scope", *_SPOKEN)),
    "documents": Route("library"),
    "status": Route("status", "", ("by", "scope")),
}  # fmt: skip
"""What can be asked, by the path behind `/api/v1/`; ID stands for a fact."""


def answer(ask: Ask, path: str, given: Parameters, *, show_secrets: bool = False) -> HttpReply:
    """Answer a request for a path behind PREFIX."""
    if show_secrets:
        return _answer(lambda command, words, options: ask(
            command, words, {**options, "show_secrets": True} if command == "context" else options
        ), path, given)  # fmt: skip
    found = _answer(ask, path, given)
    headers = tuple(
        (name, _masked(value).encode("ascii", "backslashreplace").decode())
        for name, value in found.headers
    )
    body = _masked(found.body.decode()).encode("utf-8", "backslashreplace")
    return replace(found, body=body, headers=headers)


def _masked(text: str) -> str:
    """Return a text of JSON with marks in the place of secrets."""
    if not may_hold(text):
        return text
    said = loads(text)
    shown = masked(said)
    return text if shown is said else dumps(shown) + "\n" * text.endswith("\n")


def _answer(ask: Ask, path: str, given: Parameters) -> HttpReply:
    if path in RSCLAW_PARAMETERS:
        refused = _refused(given, RSCLAW_PARAMETERS[path])
        return refused or (_stats(ask) if path == RSCLAW_STATS else _docs(ask, given))
    found = _route(path)
    if found is None:
        return failed_reply(404, "no_such_path", f"nothing is at {PREFIX}{path}",
                       "docs/http.md lists the paths")  # fmt: skip
    route, named = found
    known = (*route.options, *([route.words] if route.words not in ("", "path") else []))
    return _refused(given, known) or reply(called(ask, route, named, given))


def _refused(given: Parameters, known: Sequence[str]) -> HttpReply | None:
    """Return the error of a parameter that is not known, None where all are."""
    unknown = sorted(set(given) - set(known))
    if not unknown:
        return None
    hint = f"use one of {', '.join(known)}" if known else "there is none"
    return failed_reply(400, "usage", f"unknown parameter: {unknown[0]}", hint)


def called(ask: Ask, route: Route, named: str, given: Parameters) -> Printed:
    """Run the command of a route."""
    words = [named] if named else [*given.get(route.words, ())]
    if route.words and not words:
        words = [""]
    options: dict[str, Any] = dict(route.always)
    options |= {name: list(given[name]) for name in route.options if given.get(name)}
    return ask(route.command, words, options)


def reply(said: Printed) -> HttpReply:
    """Return the HTTP form of what a command said: its line, else its error."""
    body = said.text or dumps({"error": said.error or {"code": "internal"}}) + "\n"
    if said.error is not None:
        body = dumps({"error": said.error}) + "\n"
    notes = tuple(
        ("Tideline-Note", dumps(note).encode("ascii", "backslashreplace").decode())
        for note in said.notes
        if "error" not in note
    )
    return HttpReply(status_of(said), body.encode(), headers=notes)


def _route(path: str) -> tuple[Route, str] | None:
    """Return the route of a path, and the fact that it names."""
    if path in ROUTES and "ID" not in path:
        return ROUTES[path], ""
    first, _, rest = path.partition("/")
    named, _, part = rest.partition("/")
    pattern = f"{first}/ID" + (f"/{part}" if part else "")
    if not named or pattern not in ROUTES:
        return None
    return ROUTES[pattern], named


RSCLAW_STATS, RSCLAW_DOCS = "memory/stats", "memory/docs"
RSCLAW_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    RSCLAW_STATS: (), RSCLAW_DOCS: ("q", "scope", "kind", "limit"),
}  # fmt: skip
"""The paths, with the parameters of each. Source: RsClaw, its HTTP API of the memory."""
_USUAL_DOCS = "50"
_DIGITS = 10
_PAGE = 500
_NO_KIND = "fact"
_HITS = 1_000


def _stats(ask: Ask) -> HttpReply:
    said = ask("status", [], {"by": ["kind"]})
    if said.error is not None:
        return reply(said)
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


def _docs(ask: Ask, given: Parameters) -> HttpReply:
    scopes, kinds = set(given.get("scope", ())), set(given.get("kind", ()))
    most = _count(given.get("limit"))
    if most is None:
        return reply(ask("list", [], {"limit": list(given["limit"])}))  # it says what is wrong
    question = " ".join(given.get("q", ())).strip()
    beside: dict[str, Any] = {}
    pages = _found(ask, question, beside) if question else _listed(ask, kinds)
    docs: list[dict[str, Any]] = []
    for said, page in pages:
        if said.error is not None:
            return reply(said)
        docs += (doc for doc in page if not scopes or doc["scope"] in scopes
                 if not kinds or doc["kind"] in kinds)  # fmt: skip
        if most and len(docs) >= most:
            break
    return _reply(said, {"docs": docs[: most or None], **beside})


def _count(limit: Sequence[str] | None) -> int | None:
    """Return how many documents are asked for, 0 for all; None for what is no such number."""
    text = limit[-1] if limit else _USUAL_DOCS
    return int(text) if text.isascii() and text.isdigit() and len(text) < _DIGITS else None


def _listed(ask: Ask, kinds: Collection[str]) -> Iterator[tuple[Printed, list[dict[str, Any]]]]:
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
        "tier": fact["heat"], "text": with_title(fact["title"], fact["content"]),
        "importance": fact["importance"],
        "pinned": fact["pinned"], "access_count": fact["access_count"],
        "created_at": fact["created_at"], "accessed_at": fact["last_accessed_at"],
        "tags": fact["tags"],
    }  # fmt: skip


def _reply(said: Printed, form: dict[str, Any]) -> HttpReply:
    return HttpReply(status_of(said), dumps(form).encode() + b"\n")
