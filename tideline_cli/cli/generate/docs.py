"""The tables of the documents: the README's list of commands, and the page of the schema."""

from __future__ import annotations

from tideline_cli.cli.commands import COMMANDS, PANELS
from tideline_cli.cli.generate.man import usage
from tideline_cli.store import schema


def command_list() -> str:
    """Return the commands as a Markdown table, panel by panel."""
    lines = ["", "| | Command | What it does |", "| --- | --- | --- |"]
    shown = ""
    places = {panel: place for place, panel in enumerate(PANELS)}
    for name, command in sorted(COMMANDS.items(), key=lambda item: places[item[1].panel]):
        panel = f"**{command.panel}**" if command.panel != shown else ""
        shown = command.panel
        typed = f"{name} {usage(name)}".rstrip().replace("|", "\\|")
        lines.append(f"| {panel} | `{typed}` | {command.summary} |")
    return "\n".join([*lines, ""])


def schema_page() -> str:
    """Return the page of the schema: each statement behind the comment that stands above it."""
    lines = [
        "# The schema",
        "",
        f"Version {schema.VERSION}; made from `tideline_cli/store/schema.py`. Settings, pragmas "
        "and how to read the file: [file-format.md](file-format.md).",
    ]
    comment: list[str] = []
    statement: list[str] = []
    for line in schema.script().strip().split("\n"):
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
