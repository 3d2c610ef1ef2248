"""The index of a server in blocks: what is in them, what goes out of them, and who folds what."""

from __future__ import annotations

import json
import random

import pytest

from tests.postgres.people import as_role, new_role, own, psql
from tests.postgres.test_doctor import harm
from tests.postgres.test_same import WORDS, rows, same, step
from tests.support import DAY, NOW, often, some
from tideline_cli.store.postgres import posting_blocks

TERMS = "UPDATE fact SET terms = '{}' WHERE seq = 5"
FOLD = "SELECT fold_postings(NULL)"


@pytest.fixture
def small(monkeypatch):
    """Blocks of three facts, which each bulk makes, so that few facts fill many."""
    for name, value in (("BLOCK", 3), ("_FEW", 1), ("_MANY", 8)):
        monkeypatch.setattr(posting_blocks, name, value)


@pytest.fixture
def place(address, monkeypatch):
    """The address of a memory that is not there yet, where commands go."""
    made = address()
    monkeypatch.setenv("TIDELINE_DB", made)
    return made


def blocks(place, term):
    """Return the facts of each block of a term."""
    found = psql(
        place,
        "SELECT ARRAY(SELECT first + one FROM unnest(offsets) AS one) FROM posting_block"
        f" WHERE term = '{term}' ORDER BY origin, first",
    )
    return [[int(one) for one in line.strip("{}").split(",")] for line in found.split()]


def tail(place):
    """Return how many rows wait to be folded."""
    return int(psql(place, "SELECT count(*) FROM posting"))


def load(run, tmp_path, texts, *argv):
    """Import some texts, and return the ids of the facts by their order."""
    (tmp_path / "rows.jsonl").write_text("\n".join(json.dumps({"content": one}) for one in texts))
    assert run(*argv, "import", "rows.jsonl", "--trust").code == 0
    return [one["id"] for one in run(*argv, "export").lines]


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(often(1, 20)))
def test_a_walk_through_small_blocks(both, small, seed, tmp_path, monkeypatch):
    """Whatever the verbs do, the index holds the terms of the facts, and recall finds what it finds
    in a file."""
    chance = random.Random(seed)
    known = []
    same(both("remember", "the first"))
    for number in range(often(9, 30)):
        monkeypatch.setenv("TIDELINE_NOW", str(NOW + number * DAY))
        if number % 10 == 3:
            (tmp_path / "rows.jsonl").write_text("\n".join(rows(chance, 12)))
            argv = "import", "rows.jsonl", "--trust"
        else:
            argv = ("dream",) if number % 5 == 4 else step(chance, known)
        results = both(*argv)
        assert (results[1].code, results[1].out) == (results[0].code, results[0].out), argv
        known = [fact["id"] for fact in same(both("export")).lines]
        question = " ".join(chance.choices(WORDS, k=3))
        same(both("recall", question, "--json", "--explain", "--mode", "keyword", "--no-touch"))
        assert both("doctor")[1].code == 0, argv
    assert known


def test_a_bulk_makes_blocks_and_a_word_waits(run, place, tmp_path):
    """Many facts go into blocks at once, few wait in rows; a dream folds them."""
    load(run, tmp_path, [f"the lamp number {one}" for one in range(300)])
    assert tail(place) == 0
    first, second = blocks(place, "lamp")
    assert [*first, *second] == list(range(1, 301)) and len(first) == posting_blocks.BLOCK
    assert run("remember", "a lamp of brass").code == 0
    assert tail(place) == 2 and sum(map(len, blocks(place, "lamp"))) == 300
    before = run("recall", "brass lamp", "--no-touch").out
    assert run("dream").code == 0
    assert tail(place) == 0 and blocks(place, "lamp")[-1][-1] == 301
    assert blocks(place, "brass") == [[301]]
    assert run("recall", "brass lamp", "--no-touch").out == before


def test_small_bulks_are_folded_once_they_are_many(run, place, tmp_path, monkeypatch):
    """Whoever stores the row that is one too many folds all of the origin."""
    monkeypatch.setattr(posting_blocks, "_MANY", 400)
    assert run("remember", "a pear").code == 0
    left = []
    while len(left) < 9 and (not left or left[-1]):
        load(run, tmp_path, [f"lamp w{len(left)}x{one}" for one in range(25)])
        left.append(tail(place))
    assert 2 < len(left) < 9 and left[-1] == 0 and max(left) < 400
    assert sum(map(len, blocks(place, "lamp"))) == 25 * len(left)
    assert run("doctor").code == 0


def test_recalls_fold_what_many_words_have_left(run, place, tmp_path):
    """As they catch up with the bounds of scores, for their own origin alone."""
    other = "--origin=channel:chat/a/b"
    assert run(other, "remember", "the lamp of others").code == 0
    harm(place, "INSERT INTO fact (id, origin, created_at, segment, tier, heat, importance,"
         " source, length, content, terms)"
         " SELECT 'id' || n, 1, 0, 'knowledge', 'long', 'core', 1, 'owner_message', 1, 'lamp',"
         " 'lamp' FROM generate_series(1, 400) AS n", silent=False)  # fmt: skip
    assert tail(place) == 402
    assert run("recall", "lamp").code == 0
    assert tail(place) == 2 and sum(map(len, blocks(place, "lamp"))) == 400


def test_a_purge_leaves_no_number_in_a_block(run, place, tmp_path, small):
    """Neither as the first of a block, nor between, nor as its name; an empty block goes."""
    ids = load(run, tmp_path, [f"the lamp w{one}" for one in range(8)])
    assert blocks(place, "lamp") == [[1, 2, 3], [4, 5, 6], [7, 8]]
    for number, left in (
        (4, [[1, 2, 3], [5, 6], [7, 8]]), (2, [[1, 3], [5, 6], [7, 8]]),
        (1, [[3], [5, 6], [7, 8]]), (3, [[5, 6], [7, 8]]), (8, [[5, 6], [7]]),
    ):  # fmt: skip
        assert run("purge", ids[number - 1], "--yes").code == 0
        assert blocks(place, "lamp") == left
        assert blocks(place, f"w{number - 1}") == []
        assert psql(place, f"SELECT count(*) FROM posting_block WHERE first = {number}") == "0\n"
        assert run("doctor").code == 0
    assert "w7" not in psql(place, "SELECT * FROM posting_block")


def test_a_changed_fact_goes_back_between(run, place, tmp_path, small):
    """A fact whose text changes leaves the blocks of its terms; folded again, it stands between the
    others, and blocks around it alone are made anew."""
    load(run, tmp_path, [f"the lamp w{one}" for one in range(9)])
    psql(place, TERMS.format("pear w4"))
    assert blocks(place, "lamp") == [[1, 2, 3], [4, 6], [7, 8, 9]] and tail(place) == 2
    psql(place, FOLD)
    assert blocks(place, "pear") == [[5]]
    psql(place, TERMS.format("lamp w4"))
    before = psql(place, "SELECT ctid FROM posting_block WHERE term = 'lamp' AND first IN (1, 7)")
    psql(place, FOLD)
    assert blocks(place, "lamp") == [[1, 2, 3], [4, 5, 6], [7, 8, 9]] and tail(place) == 0
    after = psql(place, "SELECT ctid FROM posting_block WHERE term = 'lamp' AND first IN (1, 7)")
    assert after == before
    assert run("doctor").code == 0


@pytest.mark.nightly
def test_an_undo_of_many_makes_the_index_once(run, place, tmp_path):
    """An import that is taken back, and brought again, writes each block anew once."""
    load(run, tmp_path, [f"the lamp number {one}" for one in range(40)])
    ids = load(run, tmp_path, [f"a lamp of brass {one}" for one in range(1500)])
    assert len(ids) == 1540
    for verb, left in (("undo", 40), ("redo", 1540)):
        before = written(place)
        assert run(verb).code == 0
        assert sum(map(len, blocks(place, "lamp"))) == left and tail(place) == 0
        assert written(place) - before < 4_000
        assert run("doctor", "--deep").code == 0


def written(place):
    """Return how many rows of the index were ever written."""
    psql(place, "SELECT pg_stat_force_next_flush()")
    return int(psql(
        place, "SELECT sum(n_tup_ins + n_tup_upd) FROM pg_stat_user_tables WHERE schemaname ="
        " current_schema() AND relname LIKE 'posting%'",
    ))  # fmt: skip


@pytest.mark.parametrize("sql", some([
    "DELETE FROM posting_block WHERE term = 'lamp' AND first = 1",
    "UPDATE posting_block SET offsets = offsets || 7 WHERE term = 'lamp' AND first = 1",
    "UPDATE posting_block SET offsets = ARRAY[0, 2, 1] WHERE term = 'lamp' AND first = 1",
    "UPDATE posting_block SET offsets = ARRAY[0, 1, 1, 2] WHERE term = 'lamp' AND first = 1",
    "UPDATE posting_block SET first = first + 1 WHERE term = 'lamp' AND first = 4",
    "UPDATE posting_block SET origin = 2 WHERE term = 'lamp'",
    "UPDATE posting_block SET term = 'lump' WHERE term = 'lamp'",
    "INSERT INTO posting SELECT * FROM indexed_term WHERE term = 'lamp' LIMIT 1",
    "INSERT INTO posting_block VALUES (1, 99, 'lamp', '{0}')",
    # The same facts, in blocks that cross.
    "UPDATE posting_block SET offsets = CASE first WHEN 1 THEN ARRAY[0, 1, 3] ELSE ARRAY[0, 1, 2]"
    " END, first = CASE first WHEN 1 THEN 1 ELSE 3 END WHERE term = 'lamp' AND first < 7;"
    "UPDATE posting_block SET offsets = ARRAY[0, 2, 3] WHERE term = 'lamp' AND first = 3",
], 2))  # fmt: skip
def test_a_damaged_block_is_found_and_mended(run, place, tmp_path, small, sql):
    """By doctor, for whatever is wrong with it."""
    load(run, tmp_path, [f"the lamp w{one}" for one in range(8)])
    assert run("--origin", "channel:chat/a/b", "remember", "a pear").code == 0
    assert run("doctor", "--deep").code == 0
    for one in sql.split(";"):
        harm(place, one)
    found = run("doctor", "--json")
    assert found.code == 5 and {one["check"] for one in found.json["findings"]} == {"index"}
    assert run("doctor", "--repair", "--yes").code == 0
    assert run("doctor", "--deep").code == 0
    assert blocks(place, "lamp") == [[1, 2, 3], [4, 5, 6], [7, 8]]


def test_an_import_tells_the_planner(run, place, tmp_path, monkeypatch):
    """Questions that come at once after a large import are planned for what is there."""
    monkeypatch.setattr(posting_blocks, "_PAGES", 1)
    load(run, tmp_path, [f"the lamp number {one} is of brass" for one in range(600)])
    known = psql(place, "SELECT reltuples FROM pg_class WHERE relname IN ('fact', 'posting_block')"
                 " AND relnamespace = current_schema()::regnamespace ORDER BY 1")  # fmt: skip
    assert [float(one) > 400 for one in known.split()] == [True, True], known


@pytest.mark.parametrize("offsets", ["{}", "{0,NULL}", "{1,2}", "{{0},{1}}"])
def test_a_block_that_is_none_is_refused(run, place, tmp_path, offsets):
    """By the server: what reads blocks need not look."""
    assert run("remember", "the lamp").code == 0
    said = psql(place, f"INSERT INTO posting_block VALUES (1, 1, 'x', '{offsets}')", fails=True)
    assert "violates check constraint" in said


def test_a_member_folds_what_is_theirs(run, place, server, tmp_path, monkeypatch):
    """By a dream, an import or psql; what others have waits for them, and is not seen."""
    roles = new_role(server), new_role(server)
    assert run("remember", "the lamp of the owner").code == 0
    for role in roles:
        assert run("member", "add", role, own(role)).code == 0
        monkeypatch.setenv("TIDELINE_DB", as_role(place, role))
        assert run(own(role), "remember", "a lamp of mine").code == 0
        monkeypatch.setenv("TIDELINE_DB", place)
    before = tail(place)
    mine = as_role(place, roles[0])
    psql(mine, FOLD)
    assert tail(place) == before - 2 and tail(mine) == 0
    assert psql(mine, "SELECT count(*) FROM posting_block") == "2\n"
    assert psql(as_role(place, roles[1]), "SELECT count(*) FROM posting_block") == "0\n"
    for one in (
        "UPDATE posting_block SET offsets = '{0}'", "DELETE FROM posting_block",
        "INSERT INTO posting_block VALUES (1, 1, 'x', '{0}')",
        "SELECT put_between(1, 'lamp', '{1}')", "SELECT take_from_index(1, 1, 'lamp')",
        "SELECT put_in_index(1, 1, 'lamp')",
    ):  # fmt: skip
        assert "permission denied" in psql(mine, one, fails=True)
    monkeypatch.setenv("TIDELINE_DB", mine)
    load(run, tmp_path, [f"the lamp number {one}" for one in range(200)], own(roles[0]))
    assert run(own(roles[0]), "dream").code == 0
    assert tail(mine) == 0 and run(own(roles[0]), "recall", "lamp 17").code == 0
    monkeypatch.setenv("TIDELINE_DB", place)
    assert tail(place) == before - 2 and run("doctor", "--deep").code == 0
