"""Memories that are JSON: of mem0, the reference server of MCP, claude.ai, ChatGPT, brigade and
RsClaw."""

from __future__ import annotations

import re

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange import markdown
from tideline_cli.exchange.tools.files import (
    json_lines,
    json_of,
    lying_beside,
    ms_of,
    object_of,
    part_id,
    parts_of,
    rest_of,
    text_in,
    text_of,
)
from tideline_cli.model.fact import HEATS, KINDS
from tideline_cli.model.origin import OWNER, channel
from tideline_cli.model.source import SOURCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tideline_cli.exchange.tools.files import Tell

    Row = dict[str, Any]

_SAME = {"content": "content", "segment": "segment", "tier": "tier", "importance": "importance",
         "decayRate": "decay_rate", "accessCount": "access_count",
         "lastAccessedAt": "last_accessed_at", "createdAt": "created_at", "lifecycle": "lifecycle",
         "validFrom": "valid_from", "validTo": "valid_to", "confidence": "confidence",
         "status": "status", "subjectKey": "slot", "supersedes": "supersedes"}  # fmt: skip
_TIMES = {"last_accessed_at", "created_at", "valid_from", "valid_to"}
_PLACED = (*_SAME, "memoryId", "createdBy", "sourceType", "links", "metadata")
_RSCLAW_PLACED = (
    "id", "scope", "kind", "text", "tier", "importance", "pinned", "access_count", "created_at",
    "accessed_at", "tags",
)  # fmt: skip
_DERIVED = ("vector", "embedding", "relevance_score", "score")
_BOLD_LINE = re.compile(r"(?m)^\*\*([^*\n]+)\*\*$")
_ITALIC_LINE = re.compile(r"(?m)^\*([^*\n]+)\*$")
_GLOBAL, _AGENT = "global", "agent:"
_MADE = ("created_at", "createdAt", "timestamp")


def mem0(path: str, tell: Tell = str) -> Iterator[Row]:
    """Yield the memories of `get_all`, or of a page of the API, and the relations of its graph as
    sentences; Markdown is a list of memories."""
    text = text_of(path)
    if text.lstrip()[:1] not in "[{":
        items = (line.strip() for line in text.splitlines() if line.lstrip()[:2] in ("- ", "* "))
        yield from ({"content": item[2:].strip(), "id": item[2:].strip()} for item in items)
        return
    whole = json_of(text, path)
    found = [whole] if isinstance(whole, dict) and "memory" in whole else whole
    if isinstance(found, dict):
        found = next((found[name] for name in ("results", "memories", "data") if name in found), 0)
    if not isinstance(found, list):
        raise UsageError(
            f"{path} is no list of memories", hint="export by get_all; a schema of your own has "
            "other names: rename them, or use `tideline import --map COLUMN=FIELD`",
        )  # fmt: skip
    if isinstance(whole, dict) and whole.get("next"):
        tell(f"{path} is one page of several ({len(found):,} of {whole.get('count', 'more')}): "
             "import the others too")  # fmt: skip
    for one in found:
        if isinstance(one, dict) and isinstance(one.get("data"), dict):  # of an answer to `add`
            one |= one.pop("data")
        if not (isinstance(one, dict) and isinstance(one.get("memory"), str)):
            raise UsageError(
                f"{path}: an entry has no text under `memory`",
                hint="a schema of your own? use `tideline import --map COLUMN=FIELD`",
            )
        if one.get("event") == "DELETE":
            continue
        known = ("id", "memory", "created_at", "expiration_date", "categories", "metadata",
                 "run_id", "agent_id", "event", *_DERIVED)  # fmt: skip
        yield {
            "id": one.get("id"), "content": one["memory"], "tags": one.get("categories") or [],
            "created_at": ms_of(one.get("created_at")), "session": one.get("run_id"),
            "agent": one.get("agent_id"), "valid_to": ms_of(one.get("expiration_date")),
            "metadata": {**object_of(one.get("metadata")), **rest_of(one, known)},
        }  # fmt: skip
    for one in whole.get("relations") or () if isinstance(whole, dict) else ():
        ends = one.get("source"), one.get("relationship", one.get("relation"))
        said = " ".join(str(word).replace("_", " ") for word in (
            *ends, one.get("target", one.get("destination"))) if word)  # fmt: skip
        rest = rest_of(one, ("source", "relationship", "relation", "target", "destination"))
        yield {"id": f"relation:{said}", "content": said, "tags": ["relation"], "metadata": rest}


def mcp_memory(path: str, tell: Tell = str) -> Iterator[Row]:
    """Yield a row for each observation of each entity, for each entity of which nothing is
    observed, and for each relation as a sentence; it joins the first ones of two entities too.
    Entities of one name are one."""
    entities, relations, others = _graph(path)
    if others:
        tell(f"{others:,} entries left out: neither an entity nor a relation")
    held: dict[str, dict[str, Row]] = {}
    for one in entities:
        name, kind = text_in(one, "name"), one.get("entityType")
        rest = rest_of(one, ("type", "name", "entityType", "observations", *_MADE))
        bare = f"{name} is of the kind {kind}" if kind else name
        for text, seen in _observed(one) or [("", {})]:
            held.setdefault(name, {}).setdefault(text, {
                "id": part_id(name, text), "content": f"{name}: {text}" if text else bare,
                "tags": [kind] if kind else [], "metadata": rest | rest_of(seen, _MADE),
                "created_at": _made(seen) or _made(one), "links": [],
            })  # fmt: skip
    for rows in held.values():
        if len(rows) > 1:
            rows.pop("", None)
    first = {name: next(iter(rows.values())) for name, rows in held.items()}
    for one in relations:
        start, end = text_in(one, "from"), text_in(one, "to")
        if start in first and end in first and start != end:
            first[start]["links"].append({"kind": "relates", "target": first[end]["id"],
                                          "reason": one.get("relationType")})  # fmt: skip
    for rows in held.values():
        yield from rows.values()
    for one in relations:
        start, end, kind = one["from"], one["to"], one.get("relationType")
        yield {
            "id": part_id(f"{start}\x1f{end}", str(kind)), "tags": ["relation"],
            "content": f"{start} {str(kind or 'relates to').replace('_', ' ')} {end}",
            "created_at": _made(one), "valid_from": ms_of(one.get("validFrom")),
            "valid_to": ms_of(one.get("validTo")),
            "metadata": rest_of(one, ("type", "from", "to", "relationType", "validFrom", "validTo",
                                      *_MADE)),
        }  # fmt: skip


def _graph(path: str) -> tuple[list[Row], list[Row], int]:
    """Return the entities and the relations of a knowledge graph, of lines or of one object, and
    how many entries are neither."""
    text = text_of(path)
    whole = json_of(text, path) if '"entities"' in text[:4096] else None
    if isinstance(whole, dict) and isinstance(whole.get("entities"), list):
        rows = [*whole["entities"], *(whole.get("relations") or [])]
    else:
        rows = json_lines(path)
    if not all(isinstance(one, dict) for one in rows):
        raise UsageError(f"{path}: an entry is no object", hint="nothing was taken")
    entities = [one for one in rows if one.get("name") and "relationType" not in one]
    relations = []
    for one in rows:
        ends = {name: one.pop(f"{name}_entity", one.get(name)) for name in ("from", "to")}
        relations += [one | ends] if all(ends.values()) else []
    return entities, relations, len(rows) - len(entities) - len(relations)


def _observed(entity: Row) -> list[tuple[str, Row]]:
    """Return what is observed of an entity: each text, with what else is said of it."""
    found = entity.get("observations") or []
    if not isinstance(found, list):
        found = [None]
    said = [{"text": one} if isinstance(one, str) else one for one in found]
    if not all(isinstance(one, dict) and isinstance(one.get("text"), str) for one in said):
        raise UsageError(f"{entity['name']}: its observations are no list of texts",
                         hint="nothing was taken")  # fmt: skip
    return [(one["text"], {**one, "text": None}) for one in said]


def _made(one: Row) -> Any:
    """Return when something was said, by whichever of its names the time has."""
    return next((ms_of(one[name]) for name in _MADE if one.get(name)), None)


def claude_ai(path: str, tell: Tell = str) -> Iterator[Row]:
    """Yield what an export of claude.ai remembers: of memories.json the statements of what it knows
    of its user and of each project, which projects.json beside it names; of that the descriptions,
    instructions and documents."""
    whole = json_of(text_of(path), path)
    listed = lying_beside(path, "projects.json")
    projects = json_of(text_of(listed), listed) if listed else []
    names = {one["uuid"]: one.get("name") for one in projects if "uuid" in one}
    for one in whole if isinstance(whole, list) else [whole]:
        if not isinstance(one, dict):
            raise UsageError(f"{path} is no export of claude.ai", hint="nothing was taken")
        known = [(one.get("conversations_memory"), None)]
        known += [(text, key) for key, text in (one.get("project_memories") or {}).items()]
        for text, key in known:
            of = one | {"uuid": key or one.get("uuid")}
            yield from _stated(_with_headings(str(text or "")), names.get(key, key), of, tell)
        name = one.get("name")
        texts = [(one.get(key), name, one) for key in ("description", "prompt_template")]
        texts += [(own.get("content"), own.get("filename"), own) for own in one.get("docs") or ()]
        for text, title, of in texts:
            for row in _stated(text, name, of, tell):
                yield row | {"title": row.get("title") or title}


def _with_headings(text: str) -> str:
    """Return a text of claude.ai with headings where it has lines in bold, and below them lines in
    italics."""
    return _ITALIC_LINE.sub(r"### \1", _BOLD_LINE.sub(r"## \1", text))


def _stated(text: Any, scope: Any, one: Row, tell: Tell) -> Iterator[Row]:
    """Yield what a Markdown text in an export states, under the scope of its project."""
    for _, row in markdown.rows_of(str(text or "").split("\n"), tell=tell):
        if isinstance(row, TidelineError):
            tell(f"left out: {row.message}")
            continue
        own = part_id(str(one.get("uuid") or scope or "memory"), str(row["content"]))
        yield row | {"id": own, "scope": scope, "created_at": one.get("created_at")}


def chatgpt(path: str, _: Tell = str) -> Iterator[Row]:
    """Yield the saved memories of ChatGPT: a list of them, or lines of text."""
    text = text_of(path)
    if text.lstrip()[:1] not in "[{":
        lines = dict.fromkeys(line.strip().lstrip("-*• ").strip() for line in text.splitlines())
        yield from ({"id": line, "content": line} for line in lines if line)
        return
    whole = json_of(text, path)
    found = whole.get("memories") if isinstance(whole, dict) else whole
    if not isinstance(found, list):
        raise UsageError(f"{path} is no list of memories", hint="docs/importers.md")
    for one in found:
        said = one if isinstance(one, dict) else {"content": one}
        of_text = next((key for key in ("content", "memory", "text") if said.get(key)), "content")
        content = said.get(of_text)
        if not isinstance(content, str):
            raise UsageError(f"{path}: a memory has no text", hint="nothing was taken")
        times = ("created_at", "created_timestamp", "updated_at")
        of_time = next((key for key in times if said.get(key)), "created_at")
        yield {"id": said.get("id") or content, "content": content,
               "created_at": ms_of(said.get(of_time)),
               "metadata": rest_of(said, ("id", of_text, of_time))}  # fmt: skip


def brigade(path: str, _: Tell = str) -> Iterator[Row]:
    """Yield the records of memory/facts.jsonl, all of whose fields have a place here."""
    for one in json_lines(path):
        row = {ours: one[its] for its, ours in _SAME.items() if one.get(its) is not None}
        row |= {name: ms_of(row[name]) for name in _TIMES & row.keys()}
        rest = rest_of(one, _PLACED)
        source = one.get("sourceType")
        if source in SOURCES:
            row["source"] = source
        elif source:
            rest["sourceType"] = source
        by = one.get("createdBy")
        if by and _origin(by) is None:
            rest["createdBy"] = by
        yield row | {
            "id": one.get("memoryId"), "origin": _origin(by),
            "links": [_edge(link) for link in one.get("links") or ()],
            "metadata": {**object_of(one.get("metadata")), **rest},
        }  # fmt: skip


def _origin(by: Any) -> str | None:
    """Return the origin that a record names by who made it; None where it names none."""
    if not isinstance(by, dict):
        return None
    parts = [by.get(name) for name in ("channelId", "conversationId", "sessionKey")]
    if by.get("kind") == "owner" or not all(isinstance(one, str) and one for one in parts):
        return OWNER.key if by.get("kind") == "owner" else None
    return channel(*map(str, parts)).key


def _edge(link: Any) -> Row:
    if not isinstance(link, dict):
        return {"kind": "relates", "target": str(link)}
    target = link.get("target") or link.get("targetId") or link.get("memoryId") or ""
    kind = link.get("kind") or link.get("type") or "relates"
    return {"kind": str(kind), "target": str(target), "reason": link.get("reason")}


def rsclaw(path: str, tell: Tell = str) -> Iterator[Row]:
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
            "last_accessed_at": used, "tags": parts_of(one.get("tags")),
            "metadata": rest_of(one, (*_RSCLAW_PLACED, *_DERIVED)) | odd,
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
