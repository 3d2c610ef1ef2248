"""The API: a path is a command, its answer is what the command prints with `--json`, without
secrets."""

from __future__ import annotations

from tideline_cli.memory.secret_screening import masked
from tideline_cli.model.codec import dumps, loads
from tideline_cli.model.record import record, replace
from tideline_cli.policy.secrets import may_hold
from tideline_cli.serve.http import rsclaw
from tideline_cli.serve.http.answers import HttpReply, Printed, failed_reply, status_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
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


def answer(
    ask: Ask, path: str, given: Parameters, *, show_secrets: bool = False
) -> HttpReply:
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
    if path in rsclaw.PARAMETERS:
        return _in_other_form(ask, path, given)
    found = _route(path)
    if found is None:
        return failed_reply(404, "no_such_path", f"nothing is at {PREFIX}{path}",
                       "docs/http.md lists the paths")  # fmt: skip
    route, named = found
    known = (*route.options, *([route.words] if route.words not in ("", "path") else []))
    return _refused(given, known) or reply(called(ask, route, named, given))


def _in_other_form(ask: Ask, path: str, given: Parameters) -> HttpReply:
    refused = _refused(given, rsclaw.PARAMETERS[path])
    if refused is not None:
        return refused
    found = rsclaw.answer(ask, path, given)
    return found if isinstance(found, HttpReply) else reply(found)


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
