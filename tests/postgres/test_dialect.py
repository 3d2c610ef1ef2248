"""The statements of the store in PostgreSQL's words."""

from __future__ import annotations

import pytest

from tideline_cli.store.postgres.dialect import in_postgres, list_places


@pytest.mark.parametrize(
    ("sql", "words", "places"),
    [
        (
            "SELECT ifnull(a, '?') FROM t WHERE b = ? AND c = ?",
            "SELECT coalesce(a, '?') FROM t WHERE b = $1 AND c = $2",
            (0, 1),
        ),
        ("SELECT ?2, ?1, ?2", "SELECT $1, $2, $1", (1, 0)),
        (
            "SELECT a FROM t INDEXED BY i WHERE a IS ?",
            "SELECT a FROM t  WHERE a IS NOT DISTINCT FROM $1",
            (0,),
        ),
        (
            "SELECT a IS NOT b, a IS NULL, a IS NOT NULL",
            "SELECT a IS DISTINCT FROM b, a IS NULL, a IS NOT NULL",
            (),
        ),
        (
            "SELECT 1 FROM (SELECT 2) WHERE 3 IN (4)",
            "SELECT 1 FROM (SELECT 2) AS part_1 WHERE 3 IN (4)",
            (),
        ),
        ("SELECT 1 FROM (SELECT 2) AS x", "SELECT 1 FROM (SELECT 2) AS x", ()),
        (
            "SELECT a FROM t WHERE a IN (SELECT value FROM json_each(?))",
            "SELECT a FROM t WHERE a = ANY ($1)",
            (0,),
        ),
        ("SELECT a FROM t WHERE a NOT IN ()", "SELECT a FROM t WHERE a <> ALL ('{}')", ()),
        (
            "INSERT OR IGNORE INTO unpaired SELECT 1",
            "INSERT INTO unpaired SELECT 1 ON CONFLICT DO NOTHING",
            (),
        ),
        (
            "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)",
            "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET"
            " value = excluded.value",
            (0, 1),
        ),
        (
            "INSERT INTO tally VALUES (?) ON CONFLICT DO UPDATE SET facts = facts + excluded.facts",
            "INSERT INTO tally VALUES ($1) ON CONFLICT (origin, source) DO UPDATE SET"
            " facts = tally.facts + excluded.facts",
            (0,),
        ),
        ("SELECT before ->> 'origin' -- whose?", "SELECT (before ->> 'origin')::bigint", ()),
        ("SELECT a FROM t LIMIT ?", "SELECT a FROM t LIMIT nullif($1, -1)", (0,)),
        ("SELECT CAST((SELECT a) AS BLOB)", "SELECT bytes_of((SELECT a))", ()),
        (
            "SELECT rowid FROM fact_fts WHERE fact_fts MATCH ?",
            "SELECT rowid FROM matching($1) AS fact_fts (rowid) WHERE true",
            (0,),
        ),
    ],
)
def test_statements(sql, words, places):
    """Each statement says the same in PostgreSQL's words; what is quoted stays."""
    text, found = in_postgres(sql)
    assert (text.decode().strip(), found) == (words, places)


def test_what_has_no_type_stands_in_the_text():
    """NULL, and a list of nothing."""
    text, places = in_postgres("SELECT ?, ?, ?", ((0, "NULL"), (2, "'{}'")))
    assert (text, places) == (b"SELECT NULL, $1, '{}'", (1,))


def test_lists_are_told_from_texts():
    """What a statement reads as a list is one; a text that looks like a list stays a text."""
    assert list_places("SELECT ?, a FROM t WHERE a IN (SELECT value FROM json_each(?))") == {1}
    assert list_places("SELECT value ->> 1 FROM json_each(?)") == frozenset()
