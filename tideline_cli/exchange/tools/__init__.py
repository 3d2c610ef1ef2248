"""Memories of other programs, read as rows: `import --from NAME`. Each is read to its end before a
row is given out, so a file that is cut off changes nothing."""

from __future__ import annotations

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.tools import json_files, notes, sqlite_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from tideline_cli.exchange.tools.files import Tell

    Reader = Callable[[str, Tell], Iterable[dict[str, Any]]]

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
}


def rows_of(
    name: str, path: str, tell: Tell = str
) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]:
    """Yield (place, row) of the memory that a program left at `path`; each row is tagged with the
    program, and its id is made of the id that it had there. `tell` gets a message about what is
    not read."""
    if path == "-":
        raise UsageError(f"--from {name} reads a file or a folder", hint="name it")
    try:
        found = list(READERS[name](path, tell))
    except (TypeError, AttributeError, ValueError, OverflowError) as error:
        raise UsageError(f"{path} is not in the form of {name}: {error}",
                         hint="nothing was taken; docs/importers.md") from error  # fmt: skip
    if not found:
        raise UsageError(f"{path} holds nothing of {name}", hint="see docs/importers.md")
    for place, row in enumerate(found, 1):
        own = row.get("id")
        if own is not None and name != "brigade":
            row["id"] = f"{name}:{own}"
            row["links"] = [
                {**link, "target": f"{name}:{link['target']}"} for link in row.get("links", ())
            ]
        tags = [tag for tag in row.get("tags", ()) if isinstance(tag, str) and tag.strip()]
        yield place, row | {"tags": [*dict.fromkeys(tags), f"import:{name}"]}
