"""The statements of the store as PostgreSQL reads them.

The store speaks SQL that both engines know, and some words of SQLite's where those serve a file
better. Those few are put into PostgreSQL's words here, once a statement and process; functions of
SQLite that it lacks are in `functions`.
"""

from __future__ import annotations

import re

from tideline_cli.store.postgres import tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    Bare = tuple[tuple[int, str], ...]
    Translated = tuple[bytes, tuple[int, ...]]

_QUOTED = re.compile(r"('(?:[^']|'')*')")
_COMMENT = re.compile(r"--[^\n]*")
# What stands in a statement where a word of SQLite's may, how it is written, and in its place.
_WORDS = (
    # The numbers of changes are the memory's, of whatever origin the last one is.
    ("FROM change)", r"\(SELECT ifnull\(max\(number\), 0\) FROM change\)", "last_change()"),
    ("FROM change)", r"\bifnull\(\(SELECT max\(number\) FROM change\), 0\)", "last_change()"),
    ("INDEXED", r"\b(?:NOT INDEXED|INDEXED BY \w+)", ""),
    ("ifnull(", r"\bifnull\(", "coalesce("),
    ("CROSS", r"\bCROSS JOIN (\w+(?: AS \w+)?)(\s+)(ON|USING)\b", r"JOIN \1\2\3"),
    ("NOT IN (", r"\bNOT IN \(\s*\)", "<> ALL ('{}')"),
    ("IN (", r"\bIN \(\s*\)", "= ANY ('{}')"),
    ("json_each", r"\bNOT IN \(SELECT value FROM json_each\((\?\d*)\)\)", r"<> ALL (\1)"),
    ("json_each", r"\bIN \(SELECT value FROM json_each\((\?\d*)\)\)", r"= ANY (\1)"),
    ("json_each", r"\bjson_each\((\?\d*)\)(?! AS)", r"unnest(\1) AS each (value)"),
    ("json_each", r"\bjson_each\((\?\d*)\) AS (\w+)", r"unnest(\1) AS \2 (value)"),
    ("IS NOT ", r"\bIS NOT (?!NULL\b|DISTINCT\b|TRUE\b|FALSE\b)", "IS DISTINCT FROM "),
    ("IS ", r"\bIS (?!NULL\b|NOT\b|DISTINCT\b|TRUE\b|FALSE\b)", "IS NOT DISTINCT FROM "),
    ("GLOB", r"\b(\w+(?:\.\w+)?) GLOB (\?\d*)", r"\1 ~ glob_pattern(\2)"),
    ("LIMIT -1", r"\bLIMIT -1\b", ""),
    ("LIMIT ?", r"\bLIMIT (\?\d*)", r"LIMIT nullif(\1, -1)"),
    ("char(", r"\bchar\((\d+)\)", r"chr(\1)"),
    ("char(", r"\bchar\((\d+), (\d+)\)", r"(chr(\1) || chr(\2))"),
    ("json_object(", r"\bjson_object\(", "json_build_object("),
    ("json_array(", r"\bjson_array\(", "json_build_array("),
    ("json_group_array(", r"\bjson_group_array\(", "json_agg("),
    ("AS INTEGER)", r"\bAS INTEGER\)", "AS BIGINT)"),
    ("exp(", r"\b(\w+) \* exp\(", r"faded(\1, "),
)
_INSERT = r"INSERT (OR (?:IGNORE|REPLACE) )?INTO (\w+)\s*(?:\(([^()]*)\))?"
_MATCH = r"\b(fact|turn)_fts MATCH (\?\d+)"
_ADDED = r"\b(\w+) = \1 ([+-]) "
_MARK = re.compile(r"\?(\d*)")
_ITEMS = r"\bvalue ->> \d"
_BEHIND = (
    r"\s*(?:AS\b|(?!(?:WHERE|GROUP|ORDER|LIMIT|UNION|EXCEPT|INTERSECT|JOIN|CROSS|LEFT|ON)\b)\w)"
)
# Values of the JSON images in the journal that are numbers: `->>` gives texts.
_NUMBER = (
    r"\b((?:\w+\.)?before ->> '(?:from_fact|to_fact|origin|created_at|pinned|seq|number)')"
)
_HEX = r"\bprintf\('%016x', ([\w.]+)\)"
_LISTS = r"json_each\(\?(\d*)\)"
_NO_LISTS: frozenset[int] = frozenset()
_lists: dict[str, frozenset[int]] = {}
_known: dict[tuple[str, Bare], Translated] = {}


def in_postgres(sql: str, bare: Bare = ()) -> Translated:
    """Return a statement in PostgreSQL's words, and the places of its parameters among the values
    that it is given.

    `bare` are the places of values without a type, NULL and lists of nothing, and how they are
    written: those stand in the text.
    """
    known = _known.get((sql, bare))
    if known is None:
        known = _known[sql, bare] = _translated(sql, dict(bare))
    return known


def list_places(sql: str) -> frozenset[int]:
    """Return which of the values that a statement is given are lists as JSON, which it reads as
    arrays."""
    known = _lists.get(sql) if "json_each(" in sql else _NO_LISTS
    if known is None:
        pieces = _numbered(_QUOTED.split(_COMMENT.sub("", sql)))[::2]
        is_of_rows = any(re.search(_ITEMS, piece) for piece in pieces)
        found = (number for piece in pieces for number in re.findall(_LISTS, piece))
        known = _lists[sql] = frozenset(() if is_of_rows else (int(one) - 1 for one in found))
    return known


def _of_index(sql: str) -> str:
    """Return what is done to the postings where a file's full-text index is told something. Deleted
    facts take theirs along; nothing waits to be written out."""
    if "WHERE seq > " in sql:
        return "SELECT index_after(?1)"
    if "'delete-all'" in sql:
        return "SELECT leave_index()"
    if "'merge'" in sql:
        return "SELECT fold_postings(?1)"
    return "SELECT index_after(0)" if "rebuild" in sql else "SELECT 1"


def _translated(sql: str, bare: dict[int, str]) -> Translated:
    if sql.lstrip().startswith("INSERT INTO fact_fts"):
        sql = _of_index(sql)
    elif sql.startswith("INSERT INTO turn_fts"):
        sql = "SELECT index_turns()"
    pieces = _QUOTED.split(_COMMENT.sub("", sql).strip().removesuffix(";"))
    marked = _numbered(pieces)
    if "->>" in sql and any(re.search(_ITEMS, piece) for piece in pieces[::2]):
        marked = [piece.replace("json_each(?", "json_rows(?") for piece in marked]
    for place in range(0, len(marked), 2):
        for sign, pattern, new in _WORDS:
            if sign in marked[place]:
                marked[place] = re.sub(pattern, new, marked[place])
    text = _named(_searched(_stored("".join(marked))))
    text = _bytes(text)
    if "before ->>" in text:
        text = re.sub(_NUMBER, r"(\1)::bigint", text)
    if "printf(" in text:
        text = re.sub(_HEX, r"lpad(to_hex(\1), 16, '0')", text)
    places: list[int] = []

    def put(found: re.Match[str]) -> str:
        place = int(found[1]) - 1
        if place in bare:
            return bare[place]
        if place not in places:
            places.append(place)
        return f"${places.index(place) + 1}"

    parts = _QUOTED.split(text)
    parts[::2] = [_MARK.sub(put, part) for part in parts[::2]]
    text = "".join(parts).replace("unnest('{}')", "unnest('{}'::bigint[])")
    return text.encode(), tuple(places)


def _end(sql: str, place: int) -> int:
    """Return the place behind the bracket that closes the one before `place`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(sql[place], 0)
        place += 1
    return place


def _bytes(sql: str) -> str:
    """Return a statement in which texts become bytes in PostgreSQL's way."""
    start = sql.find("CAST(")
    while start >= 0:
        end = _end(sql, start + 5)
        inside = sql[start + 5 : end - 1]
        if inside.endswith(" AS BLOB"):
            sql = f"{sql[:start]}bytes_of({inside.removesuffix(' AS BLOB')}){sql[end:]}"
        start = sql.find("CAST(", start + 5)
    return sql


def _named(sql: str) -> str:
    """Return a statement whose subselects in FROM all have names, which PostgreSQL 15 wants."""
    start, number = sql.find("FROM ("), 0
    while start >= 0:
        place = _end(sql, start + 6)
        if not re.match(_BEHIND, sql[place:]):
            number += 1
            sql = f"{sql[:place]} AS part_{number}{sql[place:]}"
        start = sql.find("FROM (", start + 6)
    return sql


def _searched(sql: str) -> str:
    """Return a statement that asks the full-text index, with the postings that fulfil a condition
    in the place of the index."""
    found = re.search(_MATCH, sql) if "MATCH" in sql else None
    if not found:
        return sql
    index, asked = found[1], found[2]
    holding = "matching" if index == "fact" else "turns_holding"
    sql = sql.replace(found[0], "true")
    return sql.replace(f"FROM {index}_fts", f"FROM {holding}({asked}) AS {index}_fts (rowid)")


def _stored(sql: str) -> str:
    """Return a statement that stores, with the columns that a conflict is about."""
    found = re.match(_INSERT, sql.lstrip()) if "INSERT" in sql else None
    if not found:
        return sql
    how, table, columns = found[1], found[2], found[3]
    sql = sql.lstrip()
    if how:
        sql = f"INSERT INTO {sql[found.start(2):]}"
    if how == "OR IGNORE ":
        return f"{sql} ON CONFLICT DO NOTHING"
    if how is None and "ON CONFLICT DO UPDATE" not in sql:
        return sql
    key = tables.key(table)
    if how is None:
        head, _, rest = sql.partition("ON CONFLICT DO UPDATE")
        # What is there is named by its table: the new row has columns of the same names.
        rest = re.sub(_ADDED, rf"\1 = {table}.\1 \2 ", rest)
        return f"{head}ON CONFLICT ({', '.join(key)}) DO UPDATE{rest}"
    names = columns.split(", ") if columns else tables.columns(table)
    sets = [f"{name} = excluded.{name}" for name in names if name not in key]
    act = f"DO UPDATE SET {', '.join(sets)}" if sets else "DO NOTHING"
    return f"{sql} ON CONFLICT ({', '.join(key)}) {act}"


def _numbered(pieces: list[str]) -> list[str]:
    """Give each mark without a number the next one, as SQLite does."""
    highest = 0

    def put(found: re.Match[str]) -> str:
        nonlocal highest
        number = int(found[1]) if found[1] else highest + 1
        highest = max(highest, number)
        return f"?{number}"

    return [piece if place % 2 else _MARK.sub(put, piece) for place, piece in enumerate(pieces)]
