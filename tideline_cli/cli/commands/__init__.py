"""COMMANDS: the list of what tideline does, and the module of each; and how all of them come to
tables and bars, which load rich."""

from __future__ import annotations

from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from tideline_cli.cli.options import Argument, Option, OptionSet
    from tideline_cli.cli.session import Session
    from tideline_cli.cli.tables import Tables, progress_bar


class Verb(Record):
    """A command that stands in the module of another one, which it has much in common with: what
    else is a module of its own has by these names."""

    HELP: str
    EXAMPLES: tuple[tuple[str, str], ...]
    ARGUMENTS: tuple[Argument, ...]
    Options: type[OptionSet]
    run: Callable[[Session, list[str], Any], int]


class Command(Record):
    """A subcommand: its module in this package (and the name of a `Verb` in it, where it shares
    one), its summary, the help panel it stands in."""

    module: str
    summary: str
    panel: str


COMMANDS: Mapping[str, Command] = {
    "remember": Command("remember", "Write a fact down.", "Core"),
    "recall": Command("recall", "Find the facts that answer a query.", "Core"),
    "context": Command("context", "Print a budgeted block of facts for a prompt.", "Core"),
    "dream": Command("dream", "Let the memory tend itself: confirm, merge, link, evict.", "Core"),
    "consolidate": Command(
        "consolidate", "Have a model name contradicted and duplicated facts, and archive them.",
        "Core",
    ),
    "status": Command("status", "Show what is remembered, and whether all is well.", "Core"),
    "show": Command("show", "Show one fact: all of it, its links, its strength now.", "One fact"),
    "list": Command("list", "List facts, newest first.", "One fact"),
    "pick": Command("pick", "Choose a fact from a list.", "One fact"),
    "fading": Command("fading", "Show which facts fade soon, and what keeps them.", "One fact"),
    "slots": Command("slots", "List the slots, each with its value of now.", "One fact"),
    "tags": Command("slots.TAGS", "List the tags, and how many facts have each.", "One fact"),
    "pin": Command("pin", "Let facts never fade.", "One fact"),
    "unpin": Command("pin.UNPIN", "Let pinned facts fade again.", "One fact"),
    "forget": Command("forget", "Take facts out of recall.", "One fact"),
    "restore": Command("restore", "Bring archived facts back, or a whole backup.", "One fact"),
    "edit": Command("edit", "Say a fact anew, or change its labels.", "One fact"),
    "link": Command("link", "Say how one fact is related to another.", "One fact"),
    "graph": Command("graph", "Show facts and the links among them.", "One fact"),
    "feedback": Command("feedback", "Say whether a fact was of use.", "One fact"),
    "purge": Command("purge", "Remove facts for good, from every file.", "One fact"),
    "contradictions": Command(
        "contradictions", "Show pairs of facts that may contradict each other.", "Care"
    ),
    "history": Command("history", "Show who changed what, and when.", "Past"),
    "timeline": Command("timeline", "Show one fact or one slot through time.", "Past"),
    "undo": Command("undo", "Take back what one command did.", "Past"),
    "redo": Command("undo.REDO", "Bring back what the last undo took.", "Past"),
    "retention": Command("purge.RETENTION", "Remove, for good, what is older than N days.", "Care"),
    "import": Command("import_", "Take in facts from JSON lines, CSV, TSV or SQLite.", "Bulk"),
    "export": Command("export", "Write facts out as JSON lines, CSV, SQLite or Markdown.", "Bulk"),
    "ingest": Command("ingest", "Take in documents: text, Markdown, HTML, PDF.", "Bulk"),
    "library": Command("library", "Show the documents that were taken in.", "Bulk"),
    "gc": Command("dream.GC", "Archive what has faded: the decay sweep.", "Care"),
    "extract": Command("extract", "Distil facts from a conversation.", "Bulk"),
    "relink": Command("relink", "Let a model join facts that bear on one another.", "Bulk"),
    "embed": Command("embedder.EMBED", "Print the vector of a text.", "Care"),
    "embedder": Command("embedder", "Choose how likeness of texts is found.", "Care"),
    "reembed": Command("embedder.REEMBED", "Make the vectors that facts lack.", "Care"),
    "doctor": Command("doctor", "Check that the store is whole, and mend it.", "Care"),
    "eval": Command("eval", "Measure how good the answers are, on your own questions.", "Care"),
    "backup": Command("restore.BACKUP", "Copy the store into a file, while others use it.", "Care"),
    "sync": Command("sync", "Join the memories of your machines, by a place for files.", "Care"),
    "member": Command("member", "Say which roles of a server see which origins.", "Care"),
    "schedule": Command("schedule", "Let the memory tend itself every night.", "Care"),
    "config": Command("config", "Show and change settings.", "Care"),
    "serve": Command("serve", "Serve pages and an API, on this machine alone.", "Doors"),
    "mcp": Command("mcp", "Serve the memory to an agent, by MCP.", "Doors"),
    "hook": Command("hook", "Answer the hooks of agents, or pause them.", "Doors"),
    "setup": Command("setup", "Let agents use the memory, and undo that.", "Doors"),
    "init": Command("init", "Print what a shell reads when it starts: TAB, a key, the manual.",
                    "Shell"),
    "completions": Command("init.COMPLETIONS", "Print the completion script of a shell.", "Shell"),
    "man": Command("man", "Show a manual page.", "Shell"),
}
PANELS = ("Core", "One fact", "Past", "Bulk", "Care", "Doors", "Shell")
"""Headings of the command list, in order."""
DOOR = "context"
"""The command that with --auto is a door for programs: it always ends with 0."""
SUMMARY = "Long-term memory of the command line."


def verb(name: str) -> Any:
    """Return the module of a command, imported now, or its `Verb` there; without a name that of the
    start page."""
    module, _, beside = (COMMANDS[name].module if name else "start").partition(".")
    found = __import__(f"{__name__}.{module}", fromlist=("run",))  # importlib: 0.4 ms
    return getattr(found, beside) if beside else found


def options_of(name: str) -> tuple[Option, ...]:
    """Return the options of a command, without the global ones."""
    return verb(name).Options.ALL  # type: ignore[no-any-return]


def drawer(session: Session) -> Tables:
    """Return what draws the tables of a session."""
    from tideline_cli.cli.tables import Tables  # noqa: PLC0415  rich, 20 ms

    return Tables(session)


class _Unseen:
    """The progress that nobody sees."""

    def __enter__(self) -> Callable[[int], None]:
        return lambda _: None

    def __exit__(self, *_: object) -> None:
        return


def progress(
    session: Session, label: str, total: int, position: Callable[[], int] | None = None
) -> progress_bar | _Unseen:
    """Return a bar on stderr where a person waits, of which `with` gives what is told how many rows
    are done; `position` says how far a file is read, where that is not by rows. Nothing is shown of
    a total of 0, which is not known or not worth it."""
    if not (session.is_watched and total > 0):
        return _Unseen()
    return drawer(session).bar(label, total, position)
