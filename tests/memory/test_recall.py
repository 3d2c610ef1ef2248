"""recall: what it counts as use, and what it leaves alone."""

from __future__ import annotations

import pytest

from tests.support import NOW, fact, put, rows
from tideline_cli.store.opening import open_for_writing

WATCHED = ("fact", "usage", "batch", "change", "link")
PASSIVE = (
    ("context", "deploy friday"),
    ("context", "deploy friday", "--auto"),
    ("context", "deploy friday", "--json"),
    ("recall", "deploy friday", "--no-touch"),
    ("recall", "deploy friday", "--explain"),
    ("recall", "deploy friday", "--as-of", str(NOW)),
    ("recall", "deploy friday", "--json", "--explain", "--mode", "semantic"),
    ("list",),
    ("status", "--json"),
    ("show", "FACT0"),
    ("history",),
    ("export",),
)


@pytest.fixture
def store(home):
    db = open_for_writing(str(home / "tideline.db"))
    texts = ("I deploy on Fridays", "Alice deploys on Mondays", "a vegetarian diet", "vegetation")
    put(db, [fact(text, f"FACT{n}", now=NOW - 1000) for n, text in enumerate(texts)])
    yield db
    db.close()


def watched(db):
    return {table: rows(db, table) for table in WATCHED}


@pytest.mark.parametrize("argv", PASSIVE, ids=" ".join)
def test_passive_commands_change_nothing(run, store, argv):
    """What only looks changes no fact, counts no use and writes no history."""
    before = watched(store)
    assert run(*argv).code == 0
    assert watched(store) == before


def test_a_batch_of_queries_is_passive(run, store):
    """recall --batch counts no use."""
    before = watched(store)
    done = run("recall", "--batch", stdin="deploy\nvegetarian\n")
    assert (done.code, len(done.lines)) == (0, 2)
    assert watched(store) == before


def test_recall_counts_one_use_of_each_hit(run, store):
    """Each returned hit, lexical or recovered, is used once, now; other facts are not."""
    hits = run("recall", "vegetarian", "--json", "--limit", "3").json["hits"]
    assert {hit["lane"] for hit in hits} == {"lexical", "vector"}
    touched = {row[0]: row[1:] for row in rows(store, "usage")}
    numbers = dict(store.execute("SELECT id, seq FROM fact").fetchall())
    assert touched == {numbers[hit["id"]]: (1, NOW) for hit in hits}
    run("recall", "vegetarian", "--limit", "1", "--touch", "--now", str(NOW + 5))
    first = numbers[hits[0]["id"]]
    assert store.execute("SELECT access_count, last_accessed_at FROM usage WHERE fact = ?", (first,)
                         ).fetchone() == (2, NOW + 5)  # fmt: skip


def test_a_pretended_time_is_no_use(run, store):
    """Looking as of another day counts nothing and gives nothing out, unless --touch says so."""
    month = 30 * 86_400_000
    later = str(NOW + month)
    for words in (("recall", "vegetarian"), ("context", "vegetarian")):
        assert run(*words, "--now", later).out
    assert (rows(store, "usage"), rows(store, "given")) == ([], [])
    run("recall", "vegetarian", "--limit", "1", "--now", later, "--touch")
    assert [row[1:] for row in rows(store, "usage")] == [(1, NOW + month)]


def test_the_last_use_never_moves_backwards(run, store):
    """A recall with an earlier clock counts, and leaves the later moment."""
    run("recall", "vegetarian", "--limit", "1")
    run("recall", "vegetarian", "--limit", "1", "--touch", "--now", str(NOW - 500))
    assert [row[1:] for row in rows(store, "usage")] == [(2, NOW)]


def test_touch_by_recall_is_not_history(run, store):
    """What recall counts leaves no rows of change and no batch."""
    before = rows(store, "batch"), rows(store, "change")
    assert run("recall", "deploy").code == 0
    assert rows(store, "usage") != []
    assert (rows(store, "batch"), rows(store, "change")) == before


@pytest.mark.parametrize("argv", [("recall", "deploy"), ("recall", "deploys", "--limit", "20"),
                                  ("context", "deploys")])  # fmt: skip
def test_recall_answers_while_another_process_writes(run, process, store, argv):
    """A held write lock keeps neither the answer nor the exit code; the count is given up."""
    free = run(*argv, "--no-touch").out if argv[0] == "recall" else run(*argv).out
    store.execute("DELETE FROM vector_chunk")
    store.execute("DELETE FROM vector_progress")
    store.execute("BEGIN IMMEDIATE")
    rows(store, "usage")  # a server is told of the beginning with what is asked next
    done = process(*argv)
    store.execute("ROLLBACK")
    assert (done.code, done.out, done.err) == (0, free, "")
    assert rows(store, "usage") == []


def test_vectors_made_by_a_recall_are_kept(run, store):
    """The first recall that needs vectors stores them; the second stores nothing more."""
    run("recall", "deploys", "--no-touch")
    kept = rows(store, "vector_chunk"), rows(store, "vector_progress")
    assert len(kept[0]) == 1
    run("recall", "deploys", "--no-touch")
    assert (rows(store, "vector_chunk"), rows(store, "vector_progress")) == kept


def test_what_has_lapsed_or_begins_later_is_not_found(run):
    """Validity decides recall at its instant; --as-of asks about another."""
    run("remember", "office in Lisbon", "--valid-to", "2025-01-01T00Z", "--now", "2024-01-01")
    run("remember", "office in Porto", "--valid-from", "2030-01-01")
    assert run("recall", "office").code == 1
    then = run("recall", "office", "--json", "--as-of", "2024-06-01").json["hits"]
    later = run("recall", "office", "--json", "--as-of", "2030-06-01").json["hits"]
    assert [hit["content"] for hit in then] == ["office in Lisbon"]
    assert [hit["content"] for hit in later] == ["office in Porto"]


def test_a_recall_of_the_past_finds_what_was_replaced(run):
    """A slot's old value answers for the time in which it held."""
    run("remember", "I deploy on Fridays", "--slot", "day", "--now", "2025-01-01")
    run("remember", "I deploy on Mondays", "--slot", "day", "--now", "2025-02-01")

    def said(*more):
        return [hit["content"] for hit in run("recall", "deploy", "--json", *more).json["hits"]]

    assert said() == ["I deploy on Mondays"]
    assert said("--as-of", "2025-01-15") == ["I deploy on Fridays"]
    assert said("--as-of", "2024-01-15") == []


@pytest.mark.parametrize(
    ("flags", "found"),
    [
        (("--segment", "preference"), {"b"}),
        (("--segment", "preference", "--segment", "project"), {"b", "c"}),
        (("--tag", "x"), {"a", "c"}),
        (("--tag", "x", "--tag", "y"), {"c"}),
        (("--kind", "note"), {"d"}),
        (("--since", str(NOW)), {"c", "d"}),
        (("--until", str(NOW - 1)), {"a", "b"}),
    ],
    ids=["segment", "two segments", "tag", "both tags", "kind", "since", "until"],
)
def test_filters(run, flags, found):
    """recall and list return exactly the facts that a filter asks for."""
    early = ("--now", str(NOW - 1))
    run("remember", "deploy a", "--tag", "x", *early)
    run("remember", "deploy b", "--segment", "preference", *early)
    run("remember", "deploy c", "--segment", "project", "--tag", "x", "--tag", "y")
    run("remember", "deploy d", "--kind", "note")
    hits = run("recall", "deploy", "--json", *flags).json["hits"]
    assert {hit["content"][-1] for hit in hits} == found
    listed = run("list", "--json", *flags).json["facts"]
    assert {one["content"][-1] for one in listed} == found
