"""Memories of other programs, read as rows: `import --from NAME`. Each is read to its end before a
row is given out, so a file that is cut off changes nothing."""

from __future__ import annotations

import os

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.folders import Walk
from tideline_cli.exchange.tools import json_files, notes, sqlite_files
from tideline_cli.exchange.tools.files import first_bytes, parts_of, repository_of
from tideline_cli.exchange.vault import read as vault_read
from tideline_cli.model.scope import of_said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from tideline_cli.exchange.tools.files import Tell

    Reader = Callable[..., Iterable[dict[str, Any] | TidelineError]]  # path, tell; of notes more

READERS: Mapping[str, Reader] = {
    "claude-code": notes.claude_code,
    "claude-mem": sqlite_files.claude_mem,
    "mem0": json_files.mem0,
    "mcp-memory-service": sqlite_files.mcp_memory_service,
    "mcp-memory": json_files.mcp_memory,
    "basic-memory": notes.basic_memory,
    "brigade": json_files.brigade,
    "rsclaw": json_files.rsclaw,
    "codex": notes.lists,
    "openclaw": notes.lists,
    "hermes": notes.lists,
    "gemini": notes.lists,
    "obsidian": notes.lists,
    "logseq": notes.lists,
    "claude-ai": json_files.claude_ai,
    "chatgpt": json_files.chatgpt,
}

_AGENTS = ("claude-code", "codex", "gemini")
"""Whose notes are about the repository in which they were made."""
_OF_NOTES = (notes.claude_code, notes.basic_memory, notes.lists)

_MARKS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("mcp-memory", (b'"entityType"', b'"observations"')),
    ("mcp-memory", (b'"relationType"', b'"from"')),
    ("claude-ai", (b'"conversations_memory"',)),
    ("claude-ai", (b'"prompt_template"', b'"docs"')),
    ("mcp-memory-service", (b'"content_hash"', b'"memory_type"')),
    ("brigade", (b'"memoryId"', b'"decayRate"')),
    ("mem0", (b'"memory":', b'"user_id"')),
    ("mem0", (b'"memory":', b'"categories"')),
    ("mem0", (b'"memory":', b'"hash"')),
    ("rsclaw", (b'"docs"', b'"accessed_at"')),
    ("chatgpt", (b'"memory_num_tokens"', b'"memories"')),
)
"""By which words at the beginning of a JSON file its program is known."""
_CONVERSATION = "a conversation", "tideline extract {path}"
_OTHERS: tuple[tuple[bytes, bytes, tuple[str, str]], ...] = (
    (b'"mapping"', b'"author"', _CONVERSATION), (b'"chat_messages"', b'"sender"', _CONVERSATION),
    (b'"sessionId"', b'"parentUuid"', _CONVERSATION),
    (b'"session_meta"', b'"payload"', _CONVERSATION),
    (b'"string":', b'"children":', ("an export of Roam", "export Markdown, and import its folder")),
    (b'"isTrashed"', b'"userEditedTimestampUsec"',
     ("a note of Google Keep", "its page lies beside it: `tideline ingest {folder}`")),
)  # fmt: skip
"""What is not read here: by which words it is known, what it is, and what takes it."""
_LOOKED_AT = 1 << 16  # bytes


def recognised(path: str) -> str | None:
    """Return the program that left a file or folder, None where nothing tells it.

    Raises UsageError, with the command that reads it, for what is known and is not read here.
    """
    if os.path.isdir(path):
        return _of_folder(path)
    raw = first_bytes(path, _LOOKED_AT)
    if raw.startswith(b"SQLite format 3\x00"):
        return sqlite_files.recognised(path)
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return None
    for one, other, (what, hint) in _OTHERS:
        if one in raw and other in raw:
            folder = os.path.dirname(path) or "."
            raise UsageError(f"{path} is {what}", hint=hint.format(path=path, folder=folder))
    found = (name for name, words in _MARKS if all(word in raw for word in words))
    return next(found, None)


def _of_folder(path: str) -> str | None:
    """Return the program that left a folder of notes, None for a folder of anybody's, and for one
    that `export --format vault` has made."""
    if vault_read.is_vault(path):
        return None
    names = os.listdir(path)
    for name, program in ((".obsidian", "obsidian"), ("logseq", "logseq"), ("SOUL.md", "openclaw")):
        if name in names:
            return program
    written = [one for one in Walk(path).files if one.lower().endswith(".md")]
    heads = [first_bytes(os.path.join(path, one), 1024) for one in written[:20]]
    if "MEMORY.md" in names and any(b"\nname:" in head[:200] for head in heads):
        return "claude-code"
    # Notes that are for the web have a permalink too: without a title, or from the root of a site.
    is_basic = any(b"\npermalink:" in head and b"\ntitle:" in head and b"\npermalink: /" not in head
                   for head in heads)  # fmt: skip
    return "basic-memory" if is_basic else None


def rows_of(
    name: str, path: str, tell: Tell = str, walk: Walk | None = None, encoding: str | None = None,
    *, is_rest: bool = False,
) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]:
    """Yield (place, row) of the memory that a program left at `path`; each row is tagged with the
    program, and its id is made of the id that it had there. `tell` gets a message about what is
    not read; `walk` has the files of a folder of notes, `is_rest` where these are not all; they are
    in an `encoding`."""
    if path == "-":
        raise UsageError(f"--from {name} reads a file or a folder", hint="name it")
    try:
        reader = READERS[name]
        is_of_notes = reader in _OF_NOTES
        if encoding is not None and not is_of_notes:
            raise UsageError(f"--encoding cannot go with --from {name}", hint="leave it out")
        found = list(reader(path, tell, walk, encoding) if is_of_notes else reader(path, tell))
    except (TypeError, AttributeError, ValueError, OverflowError) as error:
        raise UsageError(f"{path} is not in the form of {name}: {error}",
                         hint="nothing was taken; docs/importers.md") from error  # fmt: skip
    if not (found or is_rest):
        raise UsageError(f"{path} holds nothing of {name}", hint="see docs/importers.md")
    held: dict[str, str | None] = {}  # of each note the scope of its repository
    for place, row in enumerate(found, 1):
        if isinstance(row, TidelineError):
            yield place, row
            continue
        if name in _AGENTS and not row.get("scope"):
            note = str((row.get("metadata") or {}).get("file", ""))
            if note not in held:
                held[note] = repository_of(path, note)
            row["scope"] = of_said(held[note], row.get("segment") or "knowledge", None)
        own = row.get("id")
        if own is not None and name != "brigade":
            row["id"] = f"{name}:{own}"
            row["links"] = [
                {**link, "target": f"{name}:{link['target']}"} for link in row.get("links", ())
            ]
        tags = [tag for tag in parts_of(row.get("tags")) if tag.strip()]
        yield place, row | {"tags": [*dict.fromkeys(tags), f"import:{name}"]}
