"""Export and import lose nothing."""

from __future__ import annotations

import os
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import run_main
from tests.property.strategies import facts, moments, storable
from tests.support import empty_store_at, named_id, often, put
from tideline_cli.memory.remember import checked_text
from tideline_cli.model.record import replace
from tideline_cli.store import links
from tideline_cli.store.connection import writing
from tideline_cli.store.opening import open_for_writing


def drawn_facts(draw, count):
    """Return facts of a sound store: each cites others of its origin, and holds a slot alone."""
    every = [draw(facts(named_id(f"FACT{n}"))) for n in range(count)]
    held = set()
    for place, one in enumerate(every):
        others = [two.id for two in every if two.origin == one.origin and two is not one]
        cited = draw(st.lists(st.sampled_from(others), max_size=2, unique=True)) if others else ()
        is_held = one.lifecycle == "active" and (one.origin, one.slot) in held
        held.add((one.origin, one.slot))
        every[place] = replace(
            one, derived_from=tuple(cited), slot=None if is_held else one.slot
        )
    return every


def draw_links(draw, every):
    for _ in range(draw(st.integers(0, 4)) if every else 0):
        source, target = draw(st.sampled_from(every)), draw(st.sampled_from(every))
        yield links.Link(
            source.id, draw(st.sampled_from(("supports", "contradicts", "causes"))), target.id,
            draw(st.none() | storable), draw(st.none() | st.integers(1, 5)), draw(moments),
        )  # fmt: skip


@settings(max_examples=often(10, 60))
@given(st.data())
def test_export_import_export_is_byte_identical(data):
    """Facts of every origin and state, with their links, come back from an import as they were."""
    every = drawn_facts(data.draw, data.draw(st.integers(0, 6)))
    with tempfile.TemporaryDirectory(prefix="tideline-test-") as folder:
        first, second = (os.path.join(folder, name) for name in ("first.db", "second.db"))
        empty_store_at(first)
        db = open_for_writing(first)
        put(db, every)
        with writing(db):
            for link in draw_links(data.draw, every):
                links.add(db, link)
        db.close()
        exported = run_main("export", "--all-origins", "--db", first)
        argv = ("import", "-", "--trust", "--json", "--db", second, *LATER)
        taken = run_main(*argv, stdin=exported.out)
        assert (taken.code, taken.json["errors"]) == (0, [])
        assert (taken.json["added"], taken.json["present"]) == (len(every), 0)
        assert run_main("export", "--all-origins", "--db", second).out == exported.out
        again = run_main(*argv, stdin=exported.out)
        assert (again.json["added"], again.json["present"]) == (0, len(every))
        merged = run_main(*argv, "--merge", stdin=exported.out)
        assert (merged.json["present"], merged.json["links"]) == (len(every), 0)
        assert run_main("export", "--all-origins", "--db", second).out == exported.out


@settings(max_examples=often(8, 40))
@given(st.data())
@pytest.mark.parametrize("form", ["csv", "sqlite"])
def test_every_format_brings_back_what_it_took_out(form, data):
    """Facts of every state come back from CSV and SQLite as they were, whatever their texts begin
    with."""
    every = drawn_facts(data.draw, data.draw(st.integers(1, 3)))
    starts = st.sampled_from(("", "'", "''", "=", "'=", "''=", "-", "'@", "+", "\t", "'\t", "\r"))
    for place, one in enumerate(every):
        title = None if one.title is None else data.draw(starts) + one.title
        text = checked_text(data.draw(starts) + one.content)
        every[place] = replace(one, content=text, title=title)
    with tempfile.TemporaryDirectory(prefix="tideline-test-") as folder:
        first, second = (os.path.join(folder, name) for name in ("first.db", "second.db"))
        empty_store_at(first)
        db = open_for_writing(first)
        put(db, every)
        with writing(db):
            for link in draw_links(data.draw, every):
                links.add(db, link)
        db.close()
        out = os.path.join(folder, f"out.{form}")
        done = run_main("export", "--all-origins", "--db", first, "--format", form, "-o", out)
        assert done.code == 0, done.err
        assert run_main("import", out, "--trust", "--db", second, *LATER).code == 0
        exported = run_main("export", "--all-origins", "--db", first).out
        assert run_main("export", "--all-origins", "--db", second).out == exported


LATER = ("--now", "9999-12-31T23:59:59.999Z")  # no time to come is taken as it is


rows = st.dictionaries(
    st.sampled_from(
        "id content segment tier heat kind title tags importance decay_rate access_count "
        "last_accessed_at created_at source origin lifecycle status confidence slot valid_from "
        "valid_to pinned source_turn derived_from metadata links supersedes other".split()
    ),
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=9)
        | st.sampled_from(("owner", "unknown", "knowledge", "2026-02-01", "active", "9" * 30)),
        lambda inner: st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(("kind", "target", "reason", "strength", "created_at")), inner
        ),
        max_leaves=5,
    ),
    max_size=8,
)


@settings(max_examples=often(40, 250))
@given(row=rows, flags=st.sets(st.sampled_from(("--trust", "--merge", "--strict"))))
def test_any_row_is_taken_or_refused(row, flags):
    """Whatever JSON a row holds, the import takes it or says what is wrong with it; the rows
    beside it are taken."""
    import json

    good = '{"id": "GOOD", "content": "a good row"}'
    lines = json.dumps({"content": "a text", **row}) + "\n" + good + "\n"
    with tempfile.TemporaryDirectory(prefix="tideline-test-") as folder:
        path = os.path.join(folder, "t.db")
        empty_store_at(path)
        done = run_main("import", "-", "--json", "--db", path, *sorted(flags), stdin=lines)
        if "--strict" in flags and done.code == 2:
            return
        assert done.code == 0, (done.err, lines)
        assert done.json["added"] + done.json["skipped"] + done.json["blocked"] == 2, done.out
        listed = run_main("list", "--json", "--db", path).json["facts"]
        assert any(fact["content"] == "a good row" for fact in listed)
