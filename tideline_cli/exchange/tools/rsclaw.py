"""The memory of RsClaw: documents, as its HTTP API lists them or a line each."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.exchange.tools.files import (
    json_lines,
    json_of,
    ms_of,
    parts_of,
    rest_of,
    text_of,
)
from tideline_cli.model.fact import HEATS, KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tideline_cli.exchange.tools.files import Tell

    Row = dict[str, Any]

_PLACED = ("id", "scope", "kind", "text", "tier", "importance", "pinned", "access_count",
           "created_at", "accessed_at", "tags")  # fmt: skip
_DERIVED = ("vector", "embedding", "relevance_score", "score")
_GLOBAL, _AGENT = "global", "agent:"


def documents(path: str, tell: Tell = str) -> Iterator[Row]:
    """Yield the documents of a memory. Their times count seconds, or milliseconds."""
    for one in _listed(path, tell):
        text = one.get("text")
        if not isinstance(text, str):
            raise UsageError(f"{path}: a document has no text: {one.get('id')!r:.60}",
                             hint="nothing was taken")  # fmt: skip
        scope = str(one.get("scope") or "")
        kind, tier = one.get("kind"), str(one.get("tier") or "").lower()
        used = ms_of(one.get("accessed_at"))
        odd = {} if kind in KINDS or not kind else {"kind": kind}
        odd |= {} if tier in HEATS or not tier else {"tier": tier}
        row = {
            # The id is made of the text, and two scopes may hold the same text.
            "id": f"{scope}#{one['id']}" if one.get("id") else None, "content": text,
            "kind": None if odd.get("kind") else kind, "heat": tier if tier in HEATS else None,
            "scope": "/".join(_parts(scope)), "agent": _agent(scope),
            "importance": one.get("importance"), "pinned": one.get("pinned"),
            "access_count": one.get("access_count"), "created_at": ms_of(one.get("created_at")),
            "last_accessed_at": used, "tags": list(map(str, parts_of(one.get("tags")))),
            "metadata": rest_of(one, (*_PLACED, *_DERIVED)) | odd,
        }  # fmt: skip
        yield {name: value for name, value in row.items() if value is not None}


def _listed(path: str, tell: Tell) -> list[Row]:
    """Return the documents of `{"docs": [...]}`, of a list, or of lines of JSON."""
    text = text_of(path)
    start = text.lstrip()[:1]
    try:
        whole: Any = json_of(text, path)
    except UsageError:
        if start != "{" or "\n" not in text.strip():
            raise
        return json_lines(path)  # which says the line that is none
    if isinstance(whole, dict) and "text" in whole:
        whole = [whole]
    found = whole.get("docs") if isinstance(whole, dict) else whole
    if not (isinstance(found, list) and all(isinstance(one, dict) for one in found)):
        raise UsageError(
            f"{path} is no list of documents",
            hint="save what /api/v1/memory/docs?limit=1000 answers",
        )
    total = whole.get("total") if isinstance(whole, dict) else None
    if isinstance(total, int) and total > len(found):
        tell(f"{path} holds {len(found):,} of {total:,} documents: ask for the others by "
             "?limit=1000 and ?scope=")  # fmt: skip
    return found


def _parts(scope: str) -> list[str]:
    """Return the parts of a scope, none of the one that all see."""
    return [] if scope.strip() == _GLOBAL else [one for one in scope.strip().split(":") if one]


def _agent(scope: str) -> str | None:
    return _parts(scope)[1] if scope.startswith(_AGENT) and len(_parts(scope)) > 1 else None
