"""The page of the schema."""

from __future__ import annotations

from tideline_cli.store import schema, sync_tables


def schema_page() -> str:
    """Return the page of the schema: each statement behind the comment that stands above it."""
    lines = [
        "# The schema",
        "",
        f"Version {schema.VERSION}; made from `tideline_cli/store/schema.py`. Settings, pragmas "
        "and how to read the file: [file-format.md](file-format.md). The tables whose names begin "
        "with `sync_` are there once `tideline sync` has run (`store/sync_schema.py`).",
    ]
    comment: list[str] = []
    statement: list[str] = []
    script = f"{schema.script().strip()}\n{sync_tables.SYNC_SCHEMA.strip()}"
    for line in script.split("\n"):
        if line.startswith("--") and not statement:
            comment.append(line.removeprefix("--").strip())
        elif line.strip() or statement:
            statement.append(line)
            if _ends(statement):
                lines += _section(comment, statement)
                comment, statement = [], []
    return "\n".join([*lines, ""])


def _ends(statement: list[str]) -> bool:
    if not statement[-1].rstrip().endswith(";"):
        return False
    is_trigger = statement[0].startswith("CREATE TRIGGER")
    return statement[-1].strip() == "END;" if is_trigger else True


def _section(comment: list[str], statement: list[str]) -> list[str]:
    lines: list[str] = []
    words = statement[0].split()
    if words[:2] in (["CREATE", "TABLE"], ["CREATE", "VIEW"], ["CREATE", "VIRTUAL"]):
        name = words[3] if words[1] == "VIRTUAL" else words[2]
        lines += ["", f"## {name.strip('(')}"]
    if comment:
        lines += ["", " ".join(comment)]
    return [*lines, "", "```sql", *statement, "```"]
