"""COMMANDS: the list of what tideline does."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@record
class Command:
    """A subcommand: its module under `cli.verb`, its summary, the help panel it stands in."""

    module: str
    summary: str
    panel: str


COMMANDS: Mapping[str, Command] = {
    "remember": Command("remember", "Write a fact down.", "Core"),
    "recall": Command("recall", "Find the facts that answer a query.", "Core"),
    "context": Command("context", "Print a budgeted block of facts for a prompt.", "Core"),
    "status": Command("status", "Show what is remembered, and whether all is well.", "Core"),
    "show": Command("show", "Show one fact: all of it, its links, its strength now.", "One fact"),
    "list": Command("list", "List facts, newest first.", "One fact"),
    "history": Command("history", "Show who changed what, and when.", "Past"),
    "import": Command("import_", "Take in facts from JSON lines, CSV, TSV or SQLite.", "Bulk"),
    "export": Command("export", "Write facts out as JSON lines, CSV, SQLite or Markdown.", "Bulk"),
    "embed": Command("embed", "Print the vector of a text.", "Care"),
    "config": Command("config", "Show and change settings.", "Care"),
    "completions": Command("completions", "Print the completion script of a shell.", "Shell"),
    "man": Command("man", "Show a manual page.", "Shell"),
}
SUMMARY = "Long-term memory of the command line."
