"""A field of a fact is one row of `model.fields`: every place that lists fields has all of them."""

from __future__ import annotations

import ast
import json
import os

import pytest

from tests.support import NOW, ROOT, fact, fresh_store, joined, put
from tideline_cli.cli import new_fact, remember_batch
from tideline_cli.cli.commands.edit import Options as EditOptions
from tideline_cli.memory.edit import Editor, edit
from tideline_cli.memory.undo import undo
from tideline_cli.model import codec
from tideline_cli.model.fact import SEGMENTS, Fact, NewFact
from tideline_cli.model.fields import CHANGEABLE, FIELDS, LABELS, NAMES, TEXTS
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import replace
from tideline_cli.store import facts, journal, writes
from tideline_cli.store.fact_rows import COLUMNS
from tideline_cli.store.schema import SCHEMA

TYPES = {
    "text": "TEXT", "word": "TEXT", "texts": "TEXT", "object": "TEXT", "number": "REAL",
    "count": "INTEGER", "place": "INTEGER", "flag": "INTEGER", "time": "INTEGER",
    "origin": "INTEGER",
}  # fmt: skip
ABOUT_WRITING = {"supersedes", "heat", "assumed"}  # what NewFact has beside the fields of a fact
BY_FORM = {
    "text": "some words", "texts": ("a", "b"), "object": {"a": "1"}, "number": 0.25, "flag": True,
    "place": 7,
}  # fmt: skip
BY_NAME = {
    "segment": "project", "tier": "short", "heat": "peripheral", "kind": "lesson",
    "lifecycle": "archived", "status": "disputed", "slot": "day", "valid_from": NOW - 9,
    "valid_to": NOW + 9, "role": "assistant",
    "progress": "done",
}  # fmt: skip
"""Values of the fields whose form does not say which ones there are."""


def value_of(field):
    """Return a value of a field that no fact has by itself."""
    return BY_NAME.get(field.name, BY_FORM.get(field.form))


LABELLED = {field.name: value_of(field) for field in FIELDS if field.is_label}
CHANGED = {field.name: value_of(field) for field in FIELDS if field.name in CHANGEABLE}


def test_the_classes_have_the_fields_of_the_table():
    """Fact has every field, in the order of the table; NewFact the labels and what it needs."""
    assert Fact.__fields__ == NAMES, "tideline_cli/model/fact.py, Fact: FIELDS, in order"
    stated = {"content", "source", "origin", *LABELS}
    assert set(NewFact.__fields__) - ABOUT_WRITING == stated, (
        "tideline_cli/model/fact.py, NewFact"
    )
    assert None not in LABELLED.values(), "BY_NAME (tests/rules/test_fields.py) lacks a value"


def test_the_schema_has_the_fields_of_the_table():
    """The table `fact` has a column of the right type for each field, and derived ones."""
    body = SCHEMA.split("CREATE TABLE fact (\n")[1].split("\n) STRICT")[0]
    columns = dict(line.replace(",", " ").split()[:2] for line in body.splitlines())
    derived = {"seq", "length", "terms", "digest"}
    where = "tideline_cli/store/schema.py, CREATE TABLE fact"
    assert columns.keys() - derived == set(COLUMNS), where
    for field in FIELDS:
        if not field.is_use:
            assert columns[field.name] == TYPES[field.form], f"{where}: {field.name}"


def test_the_digest_has_places_without_gaps():
    """The places in the digest are 1, 2, 3 and so on; internals/storage-format.md names them so."""
    covered = sorted((field for field in FIELDS if field.digest), key=lambda field: field.digest)
    places = [field.digest for field in covered]
    assert places == list(range(1, len(covered) + 1)), "tideline_cli/model/fields.py, FIELDS"
    *most, last = (field.name for field in covered)
    said = (ROOT / "docs/internals/storage-format.md").read_text()
    assert f"SHA-256 over {', '.join(most)} and {last}," in said, (
        "docs/internals/storage-format.md, the fields of the digest"
    )


def test_the_properties_draw_every_field():
    """The strategy for facts draws each field but those that it is given."""
    tree = ast.parse((ROOT / "tests/property/strategies.py").read_text())
    drawn = next(
        {keyword.arg for call in ast.walk(node) if isinstance(call, ast.Call)
         for keyword in call.keywords}
        for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "facts"
    )  # fmt: skip
    assert set(NAMES) - drawn == {"id", "content", "created_at"}, (
        "tests/property/strategies.py, facts: NAME=draw(...)"
    )


def test_a_restatement_tells_every_label():
    """What a restatement changes of a label has a name and a phrase."""
    before = fact("I deploy on Fridays", "A" * 26)
    told = {
        name: (new_fact.changed_labels(before, after), new_fact.told_changes(before, after))
        for name, value in LABELLED.items()
        if (after := replace(before, **{name: value}))
    }
    assert {name: changed for name, (changed, _) in told.items()} == {
        name: [name] for name in LABELS
    }
    assert [name for name, (_, phrase) in told.items() if not phrase] == []


@joined("name", CHANGED)
def test_a_field_changes_in_place_and_comes_back_by_undo(name):
    """A field is stored and read as it is; the journal has what it was; the digest follows."""
    with fresh_store() as db:
        before = fact("I deploy on Fridays", "A" * 26)
        put(db, [before])
        wanted = replace(before, **{name: CHANGED[name]})
        if name == "segment":  # the rate that the file keeps as none is that of the segment
            wanted = replace(wanted, decay_rate=SEGMENTS[wanted.segment].decay_rate)
        assert wanted != before
        with journal.batch(db, verb="edit", by=OWNER, now=NOW + 1) as batch:
            writes.change(db, before, wanted)
        assert facts.find(db, before.id, viewer=OWNER) == wanted
        assert list(writes.wrong_digests(db)) == []
        undo(db, batch.ordinal, viewer=OWNER, now=NOW + 2)
        assert facts.find(db, before.id, viewer=OWNER) == before
        assert list(writes.wrong_digests(db)) == []


@joined("name", [field.name for field in FIELDS if not field.is_use])
def test_the_digest_knows_what_it_covers(name):
    """A value that changes outside of tideline is found where the digest covers it."""
    with fresh_store() as db:
        put(db, [fact("I deploy on Fridays", "A" * 26)])
        db.execute("INSERT INTO origin (number, key) VALUES (2, 'channel:a/b/c')")
        db.execute(f"UPDATE fact SET {name} = CASE typeof({name}) WHEN 'integer' THEN {name} + 1"
                   f" WHEN 'real' THEN 0.125 ELSE ifnull({name}, '') || '1' END"
                   if name not in ("valid_from", "valid_to", "confidence", "decay_rate")
                   else f"UPDATE fact SET {name} = 1")  # fmt: skip
        is_covered = next(field.digest for field in FIELDS if field.name == name) > 0
        assert bool(list(writes.wrong_digests(db))) == is_covered


def test_what_a_later_field_lacks_leaves_the_digest_alone():
    """A field that is added behind the others changes no digest of a fact without it."""
    assert writes._of_bytes([b"a", None]) == writes._of_bytes([b"a"])
    assert writes._of_bytes([None, b"a"]) != writes._of_bytes([b"a"])


def test_a_new_wording_keeps_every_label():
    """An edit of the words carries all labels over."""
    with fresh_store() as db:
        old = replace(fact("I deploy on Fridays", "A" * 26), heat="core", **LABELLED)
        put(db, [old])
        done = edit(
            db, old.id, {"content": "I deploy on Mondays"},
            editor=Editor("owner_message", typed=True), fact_id="B" * 26, viewer=OWNER, now=NOW,
        )  # fmt: skip
        assert {name: getattr(done.fact, name) for name in LABELS} == LABELLED


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", LABELS)
def test_a_line_of_a_batch_states_a_label(run, name):
    """A label that a line states is in the fact, in `show`, `history` and the export; the export is
    read back to the same by import, from JSON lines, CSV and SQLite."""
    other = run("remember", "an older fact", "--json").json["id"]
    form = codec.fact_form(fact("I deploy on Fridays", "A" * 26, **LABELLED))
    wanted = [other] if name == "derived_from" else form[name]
    line = json.dumps({"content": "I deploy on Fridays", name: wanted})
    done = run("remember", "--batch", "--json", stdin=line)
    assert done.code == 0, done.out
    said = done.json["fact"]
    assert said[name] == wanted
    assert run("show", said["id"], "--json").json["fact"] == said
    assert f"\n{name} " in run("show", said["id"]).out
    exported = run("export").out
    assert json.loads(exported.splitlines()[1])[name] == wanted
    for kind in ("jsonl", "csv", "sqlite"):
        out = os.path.join(os.environ["HOME"], f"out.{kind}")
        assert run("export", "--format", kind, "-o", out).code == 0
        again = ("--db", os.path.join(os.environ["HOME"], f"{kind}.db"))
        assert run("import", out, "--trust", *again).code == 0
        assert run("export", *again).out == exported


def _text_options(options):
    return [name for name in TEXTS if name in options.__fields__]


@pytest.mark.parametrize("name", _text_options(new_fact.Options))
def test_an_option_of_remember_reaches_the_fact(run, name):
    """What an option states, the fact has: given to the command, or by a line of a batch, whose
    null states nothing."""
    option = "--" + name.replace("_", "-")
    assert run("remember", f"one {name}", option, "x", "--json").json["fact"][name] == "x"
    lines = [{"content": f"two {name}", name: "y"}, {"content": f"six {name}", name: None}]
    stdin = "\n".join(map(json.dumps, lines))
    told = run("remember", "--batch", option, "x", "--json", stdin=stdin).lines
    assert sorted(one["fact"][name] for one in told) == ["x", "y"]
    assert name not in remember_batch._WITHOUT_OPTION


@pytest.mark.parametrize("name", _text_options(EditOptions))
def test_an_empty_text_clears_a_label(run, name):
    """`edit --title ""` leaves no title, and so for each label that is a text."""
    option = "--" + name.replace("_", "-")
    made = run("remember", f"one {name}", option, "x", "--json").json["fact"]
    assert run("edit", made["id"], option, "", "--json").json["fact"][name] is None
