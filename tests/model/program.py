"""The steps of a history, taken by the program.

A step is a dictionary that JSON can hold: `do` names the verb, `by` says who, `at` says when.
"""

from __future__ import annotations

import json
from unittest.mock import patch

from tideline_cli.dream import consolidate
from tideline_cli.dream.plan import Settings
from tideline_cli.dream.run import dream
from tideline_cli.exchange import jsonl
from tideline_cli.exchange.importer.import_rows import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.llm.model_settings import Model
from tideline_cli.memory import amend, edit, link, purge, recall, remember
from tideline_cli.memory import undo as undoing
from tideline_cli.memory.query import Query
from tideline_cli.model import codec, instant
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import EVERYONE, parse_origin
from tideline_cli.model.record import as_dict, replace
from tideline_cli.store import links, listing
from tideline_cli.store.facts import Filter

EVERYTHING = 10**6
_TUPLES = ("tags", "derived_from", "supersedes")


class Program:
    """The program's own verb functions, on one store."""

    def __init__(self, db):
        self.db = db

    def do(self, step):
        """Take a step; return what of its answer the specification is asked to agree with."""
        given = {"viewer": parse_origin(step["by"]), "now": step["at"]}
        return getattr(self, f"_{step['do']}")(step, given)

    def _remember(self, step, given):
        said = {key: tuple(v) if key in _TUPLES else v for key, v in step["new"].items()}
        new = NewFact(origin=given["viewer"], **said)
        cited = remember.cited(self.db, new.derived_from, viewer=given["viewer"])
        new = replace(new, derived_from=cited)
        done = remember.remember(self.db, new, fact_id=step["id"], now=step["at"])
        return self._written(done, given)

    def _edit(self, step, given):
        changes = {key: tuple(v) if key in _TUPLES else v for key, v in step["changes"].items()}
        more = {} if step["since"] is None else {"since": step["since"]}
        done = edit.edit(
            self.db, step["of"], changes, editor=edit.Editor(step["editor"], typed=True),
            fact_id=step["id"], **more, **given,
        )  # fmt: skip
        return self._written(done, given)

    def _written(self, done, given):
        edges = links.leaving(self.db, done.fact.id, viewer=given["viewer"])
        similar = [edge.target for edge in edges if edge.kind == "similar"]
        return {"id": done.fact.id, "action": done.action, "gone": sorted(done.superseded),
                "similar": similar}  # fmt: skip

    def _forget(self, step, given):
        amend.forget(self.db, step["ids"], superseded_by=step["for"], **given)

    def _restore(self, step, given):
        amend.restore(self.db, step["ids"], **given)

    def _pin(self, step, given):
        amend.pin(self.db, step["ids"], **given)

    def _unpin(self, step, given):
        amend.unpin(self.db, step["ids"], **given)

    def _feedback(self, step, given):
        amend.feedback(self.db, step["id"], delta=step["delta"], **given)

    def _link(self, step, given):
        link.link(
            self.db, step["ends"][0], step["kind"], step["ends"][1], reason=step["reason"],
            strength=step["strength"], **given,
        )  # fmt: skip

    def _unlink(self, step, given):
        link.unlink(self.db, step["ends"][0], step["kind"], step["ends"][1], **given)

    def _recall(self, step, given):
        query = Query(
            step["query"], limit=EVERYTHING, mode="keyword", wanted=Filter(as_of=step["as_of"])
        )
        answer = recall.recall(self.db, query, **given)
        recall.write_back(self.db, answer, touch=step["as_of"] is None, now=step["at"])
        return {"found": sorted(hit.fact.id for hit in answer.hits)}

    def _dream(self, step, given):
        wanted = {key: tuple(v) if key == "stages" else v for key, v in step["with"].items()}
        done = dream(self.db, Settings(**wanted), verb=step["verb"], dry_run=step["dry"], **given)
        plan = done.plan
        gone = [item.loser.id for item in plan.merges]
        return {"gone": sorted(gone + [item.fact.id for item in (*plan.fades, *plan.swept)])}

    def _consolidate(self, step, given):
        bucket = consolidate.gather(self.db, viewer=given["viewer"])
        because = {one: {"by": by, "reason": "why"} for one, by in step["wishes"]}
        said = json.dumps({"archive": [one for one, _ in step["wishes"]], "because": because})
        with patch.object(consolidate, "complete", lambda *_, **__: said):
            done = consolidate.consolidate(
                self.db, bucket, Model(command="nobody"), max_loss=step["max_loss"],
                dry_run=False, **given,
            )  # fmt: skip
        return {"gone": sorted(item.loser.id for item in done.verdict.granted)}

    def _import(self, step, given):
        context = ImportContext(given["viewer"], step["at"], step["trusted"])
        rows = [_row_form(row) for row in step["rows"]]
        done = import_rows(self.db, enumerate(rows, 1), context, merge=step["merge"])
        if not step["merge"]:
            return {"added": done.added}
        held, edges = self.held()
        return {"rows": held, "edges": edges, "blocked": done.blocked}

    def _purge(self, step, given):
        purge.purge(self.db, step["ids"], **given)

    def _retention(self, step, given):
        rule = purge.Retention(step["days"], step["confirmed"], step["all_origins"])
        purge.retain(self.db, rule, **given)

    def _undo(self, step, given):
        done = undoing.undo(self.db, step["batch"], dry_run=step["dry"], **given)
        return {"undone": done.undone}

    def held(self):
        """Return the facts in order of arrival, and the edges, as they are stored."""
        rows = []
        for fact in listing.each(
            self.db, viewer=EVERYONE, wanted=Filter(lifecycle=None), oldest_first=True
        ):
            rows.append({**as_dict(fact), "origin": fact.origin.key})
        edges = {
            (edge.source, edge.kind, edge.target): [edge.reason, edge.strength, edge.created_at]
            for edge in links.each(self.db, viewer=EVERYONE)
        }
        return rows, edges

    def exported(self):
        """Return the same, read from an export."""
        rows, edges = [], {}
        for form in jsonl.forms(self.db, viewer=EVERYONE):
            row, its = _fact_form(codec.loads(codec.dumps(form)))
            rows.append(row)
            edges |= its
        return rows, edges

    def at(self, instant, viewer):
        wanted = Filter(as_of=instant)
        return {fact.id for fact in listing.each(self.db, viewer=viewer, wanted=wanted)}


def _row_form(row):
    """Return a row as a file has it, with its edges as objects and its times in words."""
    form = {**row, "links": [
        {"kind": kind, "target": target, "reason": reason, "strength": power,
         "created_at": instant.iso(made)} for kind, target, reason, power, made in row["links"]
    ]}  # fmt: skip
    return codec.loads(codec.dumps(form))


def _fact_form(form):
    """Return a fact of an export as the specification has it, with its edges."""
    row = {name: value for name, value in form.items() if name != "links"}
    for name in ("created_at", "last_accessed_at", "valid_from", "valid_to"):
        row[name] = None if row[name] is None else instant.parse(row[name])
    row["tags"], row["derived_from"] = tuple(row["tags"]), tuple(row["derived_from"])
    edges = {
        (row["id"], edge["kind"], edge["target"]):
        [edge["reason"], edge["strength"], instant.parse(edge["created_at"])]
        for edge in form["links"]
    }  # fmt: skip
    return row, edges
