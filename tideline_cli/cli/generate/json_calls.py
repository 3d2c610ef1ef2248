"""The commands whose output the page of JSON shapes shows, and the files that they read."""

from __future__ import annotations

from tideline_cli.model.record import record

FILES = {
    "pump.md": "# Pump\n\nClean the pump with water.\n",
    "talk.txt": "USER: call me at +420 777 123 456\n\nASSISTANT: noted\n\nUSER: thanks a lot\n",
    "gold.jsonl": '{"query": "when do I deploy", "answers": ["I deploy on Mondays"]}\n',
}


@record
class Call:
    """One command line: what it shows, its words, and what it reads."""

    shows: str
    words: tuple[str, ...]
    stdin: str = ""


CALLS = (
    Call("remember", ("remember", "I deploy on Fridays", "--slot", "deploy_day", "--now",
                      "2026-01-05", "--json")),
    Call("remember: what it replaces", ("remember", "I deploy on Mondays", "--slot", "deploy_day",
                                        "--json")),
    Call("remember --batch, a line for each", ("remember", "--batch", "--json"),
         '{"content": "The boiler needs 1.5 bar", "tags": ["house"]}\n'),
    Call("recall", ("recall", "when do I deploy", "--explain", "--json")),
    Call("recall --batch, a line for each", ("recall", "--batch", "--json"),
         '{"id": "q1", "query": "boiler"}\n'),
    Call("context", ("context", "deploy", "--auto", "--json")),
    Call("list", ("list", "--tag", "house", "--json")),
    Call("show", ("show", "ID-2", "--json")),
    Call("status", ("status", "--json")),
    Call("pin, unpin", ("pin", "ID-3", "--json")),
    Call("edit: other labels", ("edit", "ID-3", "--title", "heating", "--json")),
    Call("edit: another wording", ("edit", "ID-3", "The boiler needs 1.6 bar", "--json")),
    Call("feedback", ("feedback", "ID-2", "up", "--json")),
    Call("link", ("link", "ID-2", "ID-4", "--kind", "relates_to", "--reason", "both are chores",
                  "--json")),
    Call("graph", ("graph", "ID-2", "--json")),
    Call("recall --graph", ("recall", "deploy", "--graph", "on", "--mode", "keyword", "--json")),
    Call("forget", ("forget", "ID-4", "--json")),
    Call("restore", ("restore", "ID-4", "--json")),
    Call("history", ("history", "--limit", "2", "--json")),
    Call("history of one fact", ("history", "ID-4", "--json")),
    Call("undo", ("undo", "--json")),
    Call("contradictions", ("contradictions", "--json")),
    Call("dream", ("dream", "--dry-run", "--json")),
    Call("gc", ("gc", "--dry-run", "--json")),
    Call("import", ("import", "-", "--format", "jsonl", "--json"),
         '{"content": "The heating is serviced in May"}\n'),
    Call("export, a line for each", ("export", "--format", "jsonl")),
    Call("doctor", ("doctor", "--json")),
    Call("config list", ("config", "list", "--json")),
    Call("backup", ("backup", "copy.db", "--json")),
    Call("purge", ("purge", "ID-4", "--yes", "--json")),
    Call("retention", ("retention", "--days", "400", "--dry-run", "--json")),
    Call("fading", ("fading", "--within", "90d", "--json")),
    Call("slots", ("slots", "--json")),
    Call("tags", ("tags", "--json")),
    Call("timeline of a slot", ("timeline", "--slot", "deploy_day", "--json")),
    Call("undo --list", ("undo", "--list", "--limit", "1", "--json")),
    Call("ingest", ("ingest", "pump.md", "--json")),
    Call("library", ("library", "--json")),
    Call("extract", ("extract", "talk.txt", "--session", "talk", "--llm", "none", "--json")),
    Call("", ("undo", "--json")),
    Call("redo", ("redo", "--json")),
    Call("consolidate", ("consolidate", "--dry-run", "--llm", "none", "--min-facts", "2",
                         "--json")),
    Call("relink", ("relink", "--dry-run", "--json")),
    Call("embed", ("embed", "a boat", "--json")),
    Call("embedder list", ("embedder", "list", "--json")),
    Call("embedder status", ("embedder", "status", "--json")),
    Call("reembed", ("reembed", "--json")),
    Call("eval run", ("eval", "run", "gold.jsonl", "--json")),
    Call("restore --from", ("restore", "--from", "copy.db", "--yes", "--json")),
    Call("sync", ("sync", "place", "--name", "laptop", "--json")),
    Call("sync status", ("sync", "status", "--json")),
    Call("schedule", ("schedule", "--cron", "--json")),
    Call("setup", ("setup", "--json")),
    Call("hook", ("hook", "--json")),
    Call("init", ("init", "bash", "--json")),
    Call("completions", ("completions", "bash", "--json")),
    Call("man", ("man", "recall", "--json")),
)  # fmt: skip
"""What the page shows, in this order: each call finds what those before it have left."""
