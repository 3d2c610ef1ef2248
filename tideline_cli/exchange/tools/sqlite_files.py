"""Memories that are SQLite files: claude-mem and mcp-memory-service."""

from __future__ import annotations

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.statements import governing
from tideline_cli.exchange.tools.files import (
    is_sqlite,
    json_of,
    ms_of,
    object_of,
    part_id,
    parts_of,
    rest_of,
    text_of,
    worded,
)
from tideline_cli.store import foreign_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tideline_cli.exchange.tools.files import Tell

    Row = dict[str, Any]


def mcp_memory_service(path: str, tell: Tell = str) -> Iterator[Row]:
    """Yield the memories that are not deleted, of the database or of a JSON export."""
    rows: Any
    if is_sqlite(path):
        rows = _table(path, "memories")
    else:
        whole = json_of(text_of(path), path)
        rows = whole.get("memories") if isinstance(whole, dict) else whole
        if not isinstance(rows, list):
            raise UsageError(f"{path} has no list of memories", hint="name the export or the file")
    deleted = sum(bool(one.get("deleted_at")) for one in rows)
    if deleted:
        tell(f"{deleted:,} deleted memories left out")
    for one in rows:
        if one.get("deleted_at"):
            continue
        known = ("id", "content_hash", "content", "tags", "memory_type", "metadata", "created_at")
        kind = one.get("memory_type")
        yield {
            "id": one.get("content_hash"), "content": one.get("content"),
            "tags": [*parts_of(one.get("tags")), *([kind] if kind else [])],
            "created_at": ms_of(one.get("created_at")),
            "metadata": {**object_of(one.get("metadata")), **rest_of(one, known)},
        }  # fmt: skip


_OBSERVED = ("id", "text", "type", "title", "subtitle", "facts", "narrative", "concepts",
             "project", "created_at", "created_at_epoch", "memory_session_id", "sdk_session_id",
             "prompt_number", "discovery_tokens", "relevance_count", "kind", "project_id",
             "server_session_id")  # fmt: skip
_SUMMARY = ("investigated", "learned", "completed", "next_steps", "notes")
_SESSIONS = ("memory_session_id", "sdk_session_id", "server_session_id")
_LEFT = {"user_prompts": "prompts", "pending_messages": "messages that wait"}


def claude_mem(path: str, tell: Tell = str) -> Iterator[Row]:
    """Yield a row for each fact of an observation, its narrative, text and subtitle, of an item
    that stands for no observation as well, and for each part of the summary of a session. Prompts
    are counted and told."""
    projects = {one["id"]: one.get("name") for one in _table(path, "projects", needed=False)}
    items = _table(path, "memory_items", needed=False)
    written = [one | {"project": projects.get(one.get("project_id"))} for one in items
               if one.get("legacy_observation_id") is None and one.get("kind") != "prompt"]
    for one in [*_table(path, "observations", needed=not items), *written]:
        title = one.get("title")
        said = dict.fromkeys(listed_json(one.get("facts")), "fact")
        for name in ("narrative", "text", "subtitle"):
            said.setdefault(worded(one.get(name) or ""), name)
        texts = {text: name for text, name in said.items() if text}
        tags = [one.get("project"), one.get("type"), *parts_of(one.get("concepts"))]
        for text, name in (texts or {worded(title or ""): "title"}).items():
            yield _of_session(one, _OBSERVED) | {
                "id": part_id(f"observation:{_place(one)}", text), "content": text,
                "title": title if text != title else None, "tags": [tag for tag in tags if tag],
                "element": f"observation: {name}",
            }  # fmt: skip
    for one in _table(path, "session_summaries", needed=False):
        for part in _SUMMARY:
            if one.get(part):
                text, name = worded(one[part]), part.replace("_", " ")
                above = filter(None, (worded(one.get("request") or ""), name))
                title, before = governing(above)
                tags = [one.get("project"), name.replace(" ", "-")]
                yield _of_session(one, (*_OBSERVED, *_SUMMARY, "request")) | {
                    "id": part_id(f"summary:{_place(one)}", text), "content": before + text,
                    "title": title, "tags": [tag for tag in tags if tag],
                    "element": f"summary: {name}",
                }  # fmt: skip
    for name, what in _LEFT.items():
        count = len(_table(path, name, needed=False))
        if count:
            tell(f"{count:,} {what} left out: no memories ({name})")


def _of_session(row: Row, known: tuple[str, ...]) -> Row:
    """Return what a row says of its session and project, and what has no place here."""
    session = next(filter(None, map(row.get, _SESSIONS)), None)
    return {
        "scope": row.get("merged_into_project") or row.get("project"), "session": session,
        "turn": row.get("prompt_number"),
        "created_at": ms_of(row.get("created_at_epoch")) or row.get("created_at"),
        "metadata": rest_of(row, known),
    }  # fmt: skip


def _place(row: Row) -> str:
    """Return what tells a row from those of all other machines, which count from 1 too: the
    session, which has a name of its own, and the time to the millisecond."""
    session = next(filter(None, map(row.get, (*_SESSIONS, "project"))), "")
    return f"{session}:{row.get('created_at_epoch') or row.get('created_at')}:{row.get('id')}"


def listed_json(value: Any) -> list[str]:
    """Return a list that stands as JSON; a text that is none is the one entry."""
    if isinstance(value, str) and not value.strip().startswith("["):
        return [value] if value.strip() else []
    return parts_of(value)


def recognised(path: str) -> str | None:
    """Return which program a database is of, by a table that it alone has; None for others."""
    for name, table, column in (
        ("claude-mem", "observations", "narrative"), ("claude-mem", "observations", "facts"),
        ("claude-mem", "observations", "sdk_session_id"),  # of versions without titles
        ("claude-mem", "memory_items", "narrative"),
        ("mcp-memory-service", "memories", "content_hash"),
    ):  # fmt: skip
        try:
            first = next(iter(foreign_table.rows(path, table)), None)
        except UsageError:
            continue
        if isinstance(first, dict) and column in first:
            return name
    return None


def _table(path: str, name: str, *, needed: bool = True) -> list[Row]:
    """Return all rows of a table; where it is not `needed`, none if it is not there."""
    if not is_sqlite(path):
        raise UsageError(f"{path} is not a SQLite database", hint="name the file of the program")
    found: list[Row] = []
    try:
        for row in foreign_table.rows(path, name):
            if isinstance(row, TidelineError):
                raise row
            found.append(row)
    except UsageError as error:
        if needed or error.code != "no_table":
            raise
    return found
