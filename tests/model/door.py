"""The steps of a history taken by the command line: the words that a user would type."""

from __future__ import annotations

from unittest.mock import patch

from tests.conftest import run_main
from tests.model.program import Program
from tideline_cli.cli import new_fact
from tideline_cli.cli.commands import edit
from tideline_cli.errors import TidelineError
from tideline_cli.store import links

_NAMES = {"pinned": "pin", "metadata": "meta", "tags": "tag"}
_NOTHING_MATCHED = 1


class Exited(TidelineError):
    """A command ended with another code than 0."""

    def __init__(self, result):
        super().__init__(result.err.strip())
        self.exit_code = result.code


class Door(Program):
    """The program behind its command line; what has no words there goes the other way."""

    def _run(self, step, *words):
        argv = [*words, "--db", self.db.filename, "--origin", step["by"], "--now", str(step["at"]),
                "--json", "--no-input"]  # fmt: skip
        fact_id = step.get("id")
        named = {"new_id": lambda now: fact_id}
        with patch.multiple(new_fact, **named), patch.multiple(edit, **named):
            result = run_main(*argv)
        if result.code not in (0, _NOTHING_MATCHED):
            raise Exited(result)
        return result.json

    def _written_by(self, step, given, form):
        edges = links.leaving(self.db, form["id"], viewer=given["viewer"])
        return {"id": form["id"], "action": form["action"], "gone": sorted(form["superseded"]),
                "similar": [edge.target for edge in edges if edge.kind == "similar"]}  # fmt: skip

    def _remember(self, step, given):
        text = step["new"]["content"]
        return self._written_by(
            step, given, self._run(step, "remember", text, *_options(step["new"]))
        )

    def _edit(self, step, given):
        words = [step["changes"]["content"]] if "content" in step["changes"] else []
        if step["since"] is not None:
            words += ["--from", str(step["since"])]
        words += _options(step["changes"])
        return self._written_by(step, given, self._run(step, "edit", step["of"], *words))

    def _forget(self, step, given):
        by = [] if step["for"] is None else ["--superseded-by", step["for"]]
        self._run(step, "forget", *step["ids"], *by)

    def _restore(self, step, given):
        self._run(step, "restore", *step["ids"])

    def _pin(self, step, given):
        self._run(step, "pin", *step["ids"])

    def _unpin(self, step, given):
        self._run(step, "unpin", *step["ids"])

    def _purge(self, step, given):
        self._run(step, "purge", *step["ids"], "--yes")

    def _feedback(self, step, given):
        self._run({**step, "id": None}, "feedback", step["id"],
                  "up" if step["delta"] > 0 else "down")  # fmt: skip

    def _link(self, step, given):
        more = [] if step["reason"] is None else ["--reason", step["reason"]]
        more += [] if step["strength"] is None else ["--strength", str(step["strength"])]
        self._run(step, "link", *step["ends"], "--kind", step["kind"], *more)

    def _unlink(self, step, given):
        self._run(step, "link", *step["ends"], "--kind", step["kind"], "--remove")

    def _recall(self, step, given):
        at = ["--touch"] if step["as_of"] is None else ["--as-of", str(step["as_of"])]
        form = self._run(step, "recall", step["query"], "--mode", "keyword", "--limit", "1000", *at)
        return {"found": sorted(hit["id"] for hit in form["hits"])}

    def _undo(self, step, given):
        number = [] if step["batch"] is None else [str(step["batch"])]
        form = self._run(step, "undo", *number, *(["--dry-run"] if step["dry"] else []))
        return {"undone": form["undone"]}


def _options(said):
    """Return what is said as options."""
    words = []
    for name, value in said.items():
        option = "--" + _NAMES.get(name, name).replace("_", "-")
        if name == "pinned":
            words += [option]
        elif name == "metadata":
            words += [word for key, one in value.items() for word in (option, f"{key}={one}")]
        elif name != "content":
            listed = value if isinstance(value, (list, tuple)) else [value]
            words += [word for one in listed for word in (option, str(one))]
    return words
