"""What the JSON of a command says must stand in its text: one function a command, which returns
what is missing or too much."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tideline_cli.cli.output import shown_origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Says = Callable[[Any, str], list[str]]

_WHY_NOT = {"archived": "it is archived", "not_valid": "at that time",
            "other_scope": "of another scope", "filtered": "an option of this call",
            "no_shared_term": "the query", "not_put_forward": "a higher --limit",
            "too_far": "it is too far"}  # fmt: skip
ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")


def difference(command: str, form: Any, text: str) -> list[str]:
    """Return in what the text of a command differs from its JSON."""
    if form == {"frozen": True}:
        return []
    if command not in SAYS:
        return [f"tests/contract/said.py: SAYS lacks {command}: what its text tells of its JSON"]
    known = set(ID.findall(str(form)))
    strange = [f"text names {one}, JSON does not" for one in ID.findall(text) if one not in known]
    return strange + SAYS[command](form, text)


def _first_column(text: str) -> list[str]:
    return [line.split("\t")[0] for line in text.splitlines() if ID.match(line)]


def _same(what: str, wanted: object, found: object) -> list[str]:
    return [] if wanted == found else [f"{what}: JSON has {wanted!r:.200}, text {found!r:.200}"]


def _holds(text: str, parts: Iterable[object]) -> list[str]:
    return [f"text lacks {part!r:.200}" for part in parts if str(part) not in text]


def _one_fact(form: Any, text: str) -> list[str]:
    return _same("id", [form["id"]], _first_column(text))


def _facts(form: Any, text: str) -> list[str]:
    return _same("facts", [fact["id"] for fact in form["facts"]], _first_column(text))


def _slots(form: Any, text: str) -> list[str]:
    return _same("slots", [slot["id"] for slot in form["slots"]], _first_column(text))


def _tags(form: Any, text: str) -> list[str]:
    told = [f"{row['facts']}\t{row['tag']}" for row in form["tags"]]
    return _same("tags", told, text.splitlines())


def _recall(form: Any, text: str) -> list[str]:
    if "reason" in form:
        return _same("id", [form["id"]], _first_column(text)) + _holds(text, _why_not(form))
    ranks = [hit["rank"] for hit in form["hits"]]
    return _same("hits", [hit["id"] for hit in form["hits"]], _first_column(text)) + _same(
        "ranks", list(range(1, len(ranks) + 1)), ranks
    )


def _why_not(form: Any) -> list[str]:
    """Return what the sentence must hold that says why a fact is not among the hits."""
    if form["rank"] is None:
        return [_WHY_NOT[form["reason"]]]
    place = "hit" if form["reason"] == "found" else "place"
    parts = [f"{form['score']:.4f} = "]
    if form["reason"] != "below_min_score":
        parts.append(f"{place} {form['rank']:,}")
    if form["reason"] == "outranked" and form["last_score"] is not None:
        parts.append(f"the last hit has {form['last_score']:.4f}")
    return parts


def _context(form: Any, text: str) -> list[str]:
    shown = re.sub(r' id="[0-9a-f]+"', "", form["block"])
    found = _same("block", shown, re.sub(r' id="[0-9a-f]+"', "", text).removesuffix("\n"))
    return found + _same("chars", len(form["block"]), form["chars"])


def _deed(word: str) -> Says:
    def said(form: Any, text: str) -> list[str]:
        lines = [line for line in text.splitlines() if ID.search(line)]
        return _same(word, form[word], [ID.findall(line)[0] for line in lines])

    return said


def _passes(form: Any, text: str) -> list[str]:
    found = []
    for row in form["origins"]:
        total = row.get("reflected")
        count = "" if total is None else f": {total:,} fact"
        found += _holds(text, [f"{shown_origin(row['origin'])}{count}"]) if text else []
        if text and row.get("batch") and (row.get("archived") or row.get("related")):
            found += _holds(text, [f"batch {row['batch']}"])
    return found


def _consolidate(form: Any, text: str) -> list[str]:
    names = [shown_origin(row["origin"]) for row in form["origins"]]
    return _holds(text, names) if text else []


def _status(form: Any, text: str) -> list[str]:
    facts = form["facts"]
    return _holds(text, (
        form["database"], form["health"], f"{form['pinned']:,} pinned",
        *(f"{facts[name]:,} {name}" for name in ("active", "archived", "pruned")),
        f"{form['vectors']['present']:,} by {form['vectors']['embedder']}",
        *(f"{count:,} {name}" for name, count in form["by_source"].items() if count),
    )) + _same("origins", len(form.get("origins", ())), text.count("\norigin ") - 1)  # fmt: skip


def _show(form: Any, text: str) -> list[str]:
    if set(form) == {"content"}:
        return _same("content", form["content"], text)
    edges = [edge["id"] for edge in (*form["links"], *form["backlinks"])]
    lines = text.splitlines()
    return (
        _holds(text, (form["fact"]["id"], form["fact"]["segment"], *edges))
        + _same("content", form["fact"]["content"], lines[0])
        + _same("history", len(form["history"]), sum(line[:8] == "history " for line in lines))
    )


def _link(form: Any, text: str) -> list[str]:
    edges = [f"{one['source']}\t{one['kind']}\t{one['target']}" for one in form["links"]]
    return _same("edges", edges, text.splitlines())


def _feedback(form: Any, text: str) -> list[str]:
    return _holds(text, (form["id"], form["signal"], f"importance {form['importance']:.2f}"))


def _purge(form: Any, text: str) -> list[str]:
    if form["dry_run"]:
        return _same("purged", form["purged"], _first_column(text))
    count = len(form["purged"])
    return _holds(text, [f"{count:,} fact"]) if count else []


def _pairs(form: Any, text: str) -> list[str]:
    pairs = [one for pair in form["contradictions"] for one in (pair["a"]["id"], pair["b"]["id"])]
    return _same("pairs", pairs, ID.findall(text))


def _history(form: Any, text: str) -> list[str]:
    batches = list(dict.fromkeys(str(row["batch"]) for row in form["changes"]))
    said = dict.fromkeys(line.split("\t")[0] for line in text.splitlines())
    return _same("batches", batches, list(said))


def _undo(form: Any, text: str) -> list[str]:
    if "batches" in form:
        return _holds(text, [f"{one['batch']}\t{one['at']}" for one in form["batches"]])
    counts = [
        f"{len(ids):,} fact{'' if len(ids) == 1 else 's'} {deed}"
        for deed, ids in form["facts"].items()
        if ids
    ]
    return _holds(text, (f"batch {form['undone']} ({form['verb']})", *counts))


def _redo(form: Any, text: str) -> list[str]:
    return _undo(form | {"undone": form["redone"]}, text)


def _timeline(form: Any, text: str) -> list[str]:
    if "slots" in form:
        return _same(
            "slots", [row["slot"] for row in form["slots"]],
            [line.split("\t")[0] for line in text.splitlines()],
        )  # fmt: skip
    return _facts(form, text)


def _import(form: Any, text: str) -> list[str]:
    if form.get("dry_run"):
        return _holds(text, [f"{form['usable']:,} of {form['rows']:,} rows"])
    words = {"added": "added", "present": "there already", "skipped": "bad rows skipped",
             "reinforced": "reinforced", "superseded": "superseded", "links": "links"}  # fmt: skip
    return _holds(
        text, [f"{form[name]:,} {word}" for name, word in words.items() if form[name]]
    ) + _holds(text, [f"{form['added']:,} added"])


def _extract(form: Any, text: str) -> list[str]:
    if "conversations" in form and "read" in form:  # an export
        each = [line for one in form["conversations"] if form["dry_run"] or one["stored"]
                for line in _extract(one, text)]  # fmt: skip
        is_told = form["conversations"] and not form["dry_run"]
        return [*each, *_holds(text, [f"{form['stored']:,} stored"] if is_told else ())]
    if "prompts" in form:
        prompts = [line for one in form["prompts"] for line in one["prompt"].split("\n")]
        return _holds(text, [*prompts, *form["would_store"]])
    if "pending" in form:
        return _holds(text, form["pending"] if form["dry_run"] else ())
    names = [name for name in ("stored", "reinforced", "blocked") if form[name]]
    return _holds(text, [f"{form[name]:,} {name}" for name in names])


def _relink(form: Any, text: str) -> list[str]:
    prompts = form.get("prompts", ())
    return _holds(text, [line for one in prompts for line in one["prompt"].split("\n")])


def _embed(form: Any, text: str) -> list[str]:
    return _same("vector", form["vector"], [float(number) for number in text.split()])


def _embedder(form: Any, text: str) -> list[str]:
    if "embedders" in form:
        names = [line.split("\t")[0] for line in text.splitlines()]
        return _same("embedders", [row["name"] for row in form["embedders"]], names)
    return _holds(text, (form["embedder"],))


def _reembed(form: Any, text: str) -> list[str]:
    return _holds(text, (form["embedder"], f"{form['made']:,} vector" if form["made"] else "lacks"))


def _doctor(form: Any, text: str) -> list[str]:
    lines = [f"{finding['check']}: {finding['message']}" for finding in form["findings"]]
    word = "all is well" if form["checks"] and not lines else ""
    return _holds(text, [*lines, word, form["database"] if not lines else ""])


def _backup(form: Any, text: str) -> list[str]:
    return _holds(text, (form["file"], f"{form['facts']:,} fact", f"{form['bytes']:,} bytes"))


def _schedule(form: Any, text: str) -> list[str]:
    if form["installed"] or form["removed"] or not text:
        return []
    files = [file["content"] for file in form.get("files", ())]
    return _holds(text, [form["entry"]] if "entry" in form else files)


def _config(form: Any, text: str) -> list[str]:
    if set(form) <= {"value", "path"}:
        return _same("value", [*form.values()], [text.removesuffix("\n")])
    if "limit" in form:
        return _holds(text, [name for name in form if name != "project"])
    return []


def _restore(form: Any, text: str) -> list[str]:
    if "restored" in form:
        return _deed("restored")(form, text)
    return _holds(text, (form["file"], f"{form['facts']:,} fact"))


def _man(form: Any, text: str) -> list[str]:
    return _same("page", form["roff"], text) if text.startswith(".TH") else _holds(
        text.lower(), [form["name"].lower()]
    )  # fmt: skip


def _ingest(form: Any, text: str) -> list[str]:
    taken = [one for one in form["documents"] if one["action"] in ("added", "changed")]
    told = [line.split("\t")[:2] for line in text.splitlines()[: len(taken)]]
    wanted = [[one["name"], f"{one['chunks']} chunk{'s' * (one['chunks'] != 1)}"] for one in taken]
    return _same("documents", wanted, told)


def _library(form: Any, text: str) -> list[str]:
    if "chunks" in form and "name" in form:
        return _same("chunks", [one["id"] for one in form["chunks"]], ID.findall(text))
    if "removed" in form:
        return _holds(text, form["removed"])
    return _same("names", [one["name"] for one in form["documents"]],
                 [line.split("\t")[0] for line in text.splitlines()])  # fmt: skip


def _sessions(form: Any, text: str) -> list[str]:
    if "sessions" in form and isinstance(form["sessions"], list):
        return _same("sessions", [one["session"] for one in form["sessions"]], _first_column(text))
    if isinstance(form.get("turns"), list):
        return _holds(text, [one["content"].split("\n")[0] for one in form["turns"]])
    return _holds(text, [f"{form['turns']:,} turn"])


def _graph(form: Any, text: str) -> list[str]:
    shown = _same("nodes", [node["id"] for node in form["nodes"]], _first_column(text))
    return shown + _holds(text, [f"\t{edge['kind']}\t{edge['to']}" for edge in form["edges"]])


def _eval(form: Any, text: str) -> list[str]:
    if "questions" in form and "ways" not in form and form.get("output") is None:
        told = [json.loads(line) for line in text.splitlines()]
        return _same("questions", form["questions"], told)
    if "lanes" in form:
        return _holds(text, (f"{form['attacks']:,} attacks, {form['successes']:,} succeeded",))
    means = [f"{way['recall']['mean']:.3f}" for way in form.get("ways", ())]
    return _holds(text, means)


def _setup(form: Any, text: str) -> list[str]:
    return _holds(text, [one["client"] for one in form["clients"]])


def _sync(form: Any, text: str) -> list[str]:
    if "keys" in form:
        return _same("keys", [one["key"] for one in form["keys"]], text.splitlines())
    if "batches" in form:
        told = [f"{one['name']}:{one['batch']}" for one in form["batches"]]
        return _same("batches", told, [line.split("\t")[0] for line in text.splitlines()])
    if "forgotten" in form:
        return _holds(text, (form["place"], "is forgotten"))
    if "replica" in form:
        replicas = [one["name"] for place in form["places"] for one in place["replicas"]]
        return _holds(text, [*(one["address"] for one in form["places"]), *replicas,
                             form["name"] or "does not sync"])  # fmt: skip
    if not text:  # with --quiet
        return []
    return [
        wrong for one in form["places"]
        for wrong in _holds(text, (one["address"], f"{one['sent']:,} fact" if one["sent"] else ""))
    ]


SAYS: dict[str, Says] = {
    "remember": _one_fact, "recall": _recall, "context": _context, "dream": _passes,
    "consolidate": _consolidate, "status": _status, "show": _show, "list": _facts,
    "slots": _slots, "tags": _tags,
    "pin": _deed("pinned"), "unpin": _deed("unpinned"), "forget": _deed("forgotten"),
    "restore": _restore, "edit": _one_fact, "link": _link, "graph": _graph, "feedback": _feedback,
    "purge": _purge, "contradictions": _pairs, "history": _history, "undo": _undo, "redo": _redo,
    "retention": _purge, "import": _import, "export": lambda form, text: [], "gc": _passes,
    "ingest": _ingest, "library": _library, "sessions": _sessions,
    "extract": _extract, "relink": _relink, "embed": _embed, "embedder": _embedder,
    "eval": _eval, "reembed": _reembed, "doctor": _doctor, "backup": _backup,
    "fading": _facts, "timeline": _timeline, "schedule": _schedule, "config": _config, "man": _man,
    "mcp": lambda form, text: _same("answers", form, json.loads(text or "null")),
    "hook": lambda form, text: _holds(text, (f"hooks      {form['hooks']}",)),
    "setup": _setup, "sync": _sync,
    "init": lambda form, text: _same("script", form["script"], text),
    "completions": lambda form, text: _same("script", form["script"], text),
}  # fmt: skip
