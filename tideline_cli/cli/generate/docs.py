"""The table of tables in docs/internals/storage-format.md."""

from __future__ import annotations

import os
import re

from tideline_cli.store import schema, sync_tables

STORAGE_FORMAT = "docs/internals/storage-format.md"
_PLACE = re.compile(r"(<!-- tables: [^\n]*-->\n).*?(<!-- end of tables -->\n)", re.DOTALL)


def storage_page(root: str) -> str:
    """Return the page with its table made anew; of a checkout without the page, the table alone."""
    try:
        with open(os.path.join(root, STORAGE_FORMAT), encoding="utf-8") as file:
            page = file.read()
    except FileNotFoundError:
        page = "<!-- tables: -->\n<!-- end of tables -->\n"
    return _PLACE.sub(lambda found: f"{found[1]}\n{_tables()}\n{found[2]}", page)


def _tables() -> str:
    """Return a row for each table and view: its name, and the first sentence of its comment. What
    has no comment of its own stands beside the one before."""
    rows: list[tuple[str, str]] = []
    for comment, statement in _statements():
        words = statement.split()
        if words[:2] in (["CREATE", "TABLE"], ["CREATE", "VIEW"], ["CREATE", "VIRTUAL"]):
            name = f"`{words[3 if words[1] == 'VIRTUAL' else 2].strip('(')}`"
            if comment or not rows:
                rows.append((name, re.split(r"\. ", comment)[0].rstrip(".")))
            else:
                rows[-1] = (f"{rows[-1][0]}, {name}", rows[-1][1])
    told = [f"| {names} | {what} |".replace("\\|", "|") for names, what in rows]
    return "\n".join(("| Table | What it holds |", "| --- | --- |", *told, ""))


def _statements() -> list[tuple[str, str]]:
    """Return (the comment above it, its text) of each statement of the schema."""
    found: list[tuple[str, str]] = []
    comment: list[str] = []
    statement: list[str] = []
    script = f"{schema.script().strip()}\n{sync_tables.SYNC_SCHEMA.strip()}"
    for line in script.split("\n"):
        if line.startswith("--") and not statement:
            comment.append(line.removeprefix("--").strip())
        elif line.strip() or statement:
            statement.append(line)
            if _ends(statement):
                found.append((" ".join(comment), "\n".join(statement)))
                comment, statement = [], []
    return found


def _ends(statement: list[str]) -> bool:
    if not statement[-1].rstrip().endswith(";"):
        return False
    is_trigger = statement[0].startswith("CREATE TRIGGER")
    return statement[-1].strip() == "END;" if is_trigger else True
