"""The pages of schema and modules."""

from __future__ import annotations

import ast
import os

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


def modules_page(root: str) -> str:
    """Return the page of the modules: what each one owns, as its own first lines say."""
    lines = [
        "# The modules",
        "",
        "What each module owns, as its own first lines say: look for the word that you know. Made "
        "by `make generate`; the layers and the reasons are in [architecture.md](architecture.md).",
    ]
    package = os.path.join(root, "tideline_cli")
    for folder, folders, files in os.walk(package):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        modules = sorted(name for name in files if name.endswith(".py") and name != "__init__.py")
        if not modules:
            continue
        room = os.path.relpath(folder, root).replace(os.sep, "/")
        lines += ["", f"## {room}/", "", _first_lines(os.path.join(folder, "__init__.py")), ""]
        lines += [f"- `{name}`: {_first_lines(os.path.join(folder, name))}" for name in modules]
    return "\n".join([*lines, ""])


def _first_lines(path: str) -> str:
    """Return the first paragraph of a module's docstring, as one line."""
    with open(path, encoding="utf-8") as file:
        told = ast.get_docstring(ast.parse(file.read())) or ""
    return " ".join(told.partition("\n\n")[0].split())
