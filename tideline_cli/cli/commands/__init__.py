"""COMMANDS: the list of what tideline does, and the module of each; and how all of them come to
tables, which load rich."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.cli.options import Option
    from tideline_cli.cli.session import Session
    from tideline_cli.cli.tables import Tables

COMMANDS: Mapping[str, tuple[str, str, str]] = {
    "remember": ("remember", "Write a fact down.", "Core"),
    "recall": ("recall", "Find the facts that answer a query.", "Core"),
    "context": ("context", "Print a budgeted block of facts for a prompt.", "Core"),
    "dream": ("dream", "Let the memory tend itself: confirm, merge, link, evict.", "Core"),
    "consolidate": (
        "consolidate", "Have a model name contradicted and duplicated facts, and archive them.",
        "Core",
    ),
    "status": ("status", "Show what is remembered, and whether all is well.", "Core"),
    "show": ("show", "Show one fact: all of it, its links, its strength now.", "One fact"),
    "list": ("list", "List facts, newest first.", "One fact"),
    "pick": ("pick", "Choose a fact from a list.", "One fact"),
    "fading": ("fading", "Show which facts fade soon, and what keeps them.", "One fact"),
    "slots": ("slots", "List the slots, each with its value of now.", "One fact"),
    "tags": ("slots.TAGS", "List the tags, and how many facts have each.", "One fact"),
    "pin": ("pin", "Let facts never fade.", "One fact"),
    "unpin": ("pin.UNPIN", "Let pinned facts fade again.", "One fact"),
    "forget": ("forget", "Take facts out of recall.", "One fact"),
    "restore": ("restore", "Bring archived facts back, or a whole backup.", "One fact"),
    "edit": ("edit", "Say a fact anew, or change its labels.", "One fact"),
    "link": ("link", "Say how one fact is related to another.", "One fact"),
    "graph": ("graph", "Show facts and the links among them.", "One fact"),
    "feedback": ("feedback", "Say whether a fact was of use.", "One fact"),
    "purge": ("purge", "Remove facts for good, from every file.", "One fact"),
    "contradictions": (
        "contradictions", "Show pairs of facts that may contradict each other.", "Care"
    ),
    "history": ("history", "Show who changed what, and when.", "Past"),
    "timeline": ("timeline", "Show one fact or one slot through time.", "Past"),
    "undo": ("undo", "Take back what one command did.", "Past"),
    "redo": ("undo.REDO", "Bring back what the last undo took.", "Past"),
    "retention": ("purge.RETENTION", "Remove, for good, what is older than N days.", "Care"),
    "import": ("import_", "Take in facts from JSON lines, CSV, TSV or SQLite.", "Bulk"),
    "export": ("export", "Write facts out as JSON lines, CSV, SQLite or Markdown.", "Bulk"),
    "ingest": ("ingest", "Take in documents: text, Markdown, HTML, PDF.", "Bulk"),
    "library": ("library", "Show the documents that were taken in.", "Bulk"),
    "gc": ("dream.GC", "Archive what has faded: the decay sweep.", "Care"),
    "extract": ("extract", "Distil facts from a conversation.", "Bulk"),
    "sessions": (
        "sessions", "Keep sessions of agents word for word, and find what was said.", "Bulk"
    ),
    "relink": ("relink", "Let a model join facts that bear on one another.", "Bulk"),
    "embed": ("embedder.EMBED", "Print the vector of a text.", "Care"),
    "embedder": ("embedder", "Choose how likeness of texts is found.", "Care"),
    "reembed": ("embedder.REEMBED", "Make the vectors that facts lack.", "Care"),
    "doctor": ("doctor", "Check that the store is whole, and mend it.", "Care"),
    "eval": ("eval", "Measure how good the answers are, on your own questions.", "Care"),
    "backup": ("restore.BACKUP", "Copy the store into a file, while others use it.", "Care"),
    "sync": ("sync", "Join the memories of your machines, by a place for files.", "Care"),
    "member": ("member", "Say which roles of a server see which origins.", "Care"),
    "schedule": ("schedule", "Let the memory tend itself every night.", "Care"),
    "config": ("config", "Show and change settings.", "Care"),
    "serve": ("serve", "Serve pages and an API, on this machine alone.", "Doors"),
    "mcp": ("mcp", "Serve the memory to an agent, by MCP.", "Doors"),
    "hook": ("hook", "Answer the hooks of agents, or pause them.", "Doors"),
    "setup": ("setup", "Let agents use the memory, and undo that.", "Doors"),
    "init": ("init", "Print what a shell reads when it starts: TAB, a key, the manual.",
                    "Shell"),
    "completions": ("init.COMPLETIONS", "Print the completion script of a shell.", "Shell"),
    "man": ("man", "Show a manual page.", "Shell"),
}
"""Of each subcommand its module in this package (and the name of a `cli.verbs.Verb` in it, where it
shares one), its summary and the help panel it stands in."""
PANELS = ("Core", "One fact", "Past", "Bulk", "Care", "Doors", "Shell")
"""Headings of the command list, in order."""
DOOR = "context"
"""The command that with --auto is a door for programs: it always ends with 0."""
SUMMARY = "Long-term memory of the command line."


def verb(name: str) -> Any:
    """Return the module of a command, imported now, or its `cli.verbs.Verb` there; without a
    name that of the start page."""
    module, _, beside = (COMMANDS[name][0] if name else "start").partition(".")
    found = __import__(f"{__name__}.{module}", fromlist=("run",))  # importlib: 0.4 ms
    return getattr(found, beside) if beside else found


def options_of(name: str) -> tuple[Option, ...]:
    """Return the options of a command, without the global ones."""
    return verb(name).Options.ALL  # type: ignore[no-any-return]


def drawer(session: Session) -> Tables:
    """Return what draws the tables of a session."""
    from tideline_cli.cli.tables import Tables  # noqa: PLC0415  rich, 20 ms

    return Tables(session)
