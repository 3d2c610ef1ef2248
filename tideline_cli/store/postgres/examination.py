"""What `doctor` asks of a memory on a server, where a file is asked of its pages and its header."""

from __future__ import annotations

import re
from ipaddress import ip_address

from tideline_cli.model.finding import Finding, mendable, some
from tideline_cli.model.record import record
from tideline_cli.store import FROM_DRAFT
from tideline_cli.store import schema as files
from tideline_cli.store.checks.structure import DERIVED, FROM_COPY
from tideline_cli.store.connection import has_synced
from tideline_cli.store.postgres import opening, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from apsw import Connection

_SHOWN = 5
_MADE = re.compile(r"CREATE (?:CONSTRAINT )?(TABLE|INDEX|TRIGGER|VIEW|SEQUENCE|FUNCTION) (\w+)")
_COMMENTS = re.compile(r"\A(?:\s|--[^\n]*\n)+")
_POLICY = re.compile(r"CREATE POLICY (\w+) ON (\w+)")
_WALL = re.compile(r"ALTER TABLE (\w+) ENABLE ROW LEVEL SECURITY")
_ADDED = re.compile(r"ALTER TABLE (\w+) ADD COLUMN (\w+)")
_COLUMN = re.compile(r"^\s+([a-z_]+)\s+(?:BIGINT|TEXT|BYTEA|DOUBLE|INTEGER)", re.MULTILINE)
_KEY = re.compile(r"^\s+([a-z_]+)\s.*?\bREFERENCES (\w+) \((\w+)\)", re.MULTILINE)
_BODY = re.compile(r"\bAS\s+(?:\$\$(.*)\$\$|'(.*)')", re.DOTALL)
_HELD = """
SELECT CASE relkind WHEN 'r' THEN 'TABLE' WHEN 'i' THEN 'INDEX' WHEN 'v' THEN 'VIEW'
                    ELSE 'SEQUENCE' END, relname
FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'v', 'S')
UNION ALL
SELECT 'INDEX', relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE relnamespace = current_schema()::regnamespace AND indisvalid AND indisready
UNION ALL
SELECT 'TRIGGER', tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal AND tgenabled = 'O'
UNION ALL
SELECT 'KEY', relname || '.' || attname FROM pg_constraint
  JOIN pg_class ON pg_class.oid = conrelid
  JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
WHERE relnamespace = current_schema()::regnamespace AND contype = 'f' AND convalidated
UNION ALL
SELECT 'POLICY', relname || '.' || polname FROM pg_policy JOIN pg_class ON pg_class.oid = polrelid
WHERE relnamespace = current_schema()::regnamespace
UNION ALL
SELECT 'WALL', 'row-level security of ' || relname FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relrowsecurity
"""
_COLUMNS = """
SELECT relname || '.' || attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attnum > 0
  AND NOT attisdropped
"""
_FUNCTIONS = """
SELECT proname, prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
"""
# A trigger or a rule that is not ours acts on what is written, and such a policy lets others see. A
# function of another role's may be taken for one of ours, and runs with the rights of who asks.
_ACTING = """
SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal
UNION
SELECT rulename FROM pg_rewrite JOIN pg_class ON pg_class.oid = ev_class
WHERE relnamespace = current_schema()::regnamespace AND rulename <> '_RETURN'
UNION
SELECT relname || '.' || polname FROM pg_policy JOIN pg_class ON pg_class.oid = polrelid
WHERE relnamespace = current_schema()::regnamespace
UNION
SELECT proname || '()' FROM pg_proc JOIN pg_class ON pg_class.oid = 'setting'::regclass
WHERE pronamespace = current_schema()::regnamespace AND proowner <> relowner
UNION
SELECT 'operator ' || oprname FROM pg_operator JOIN pg_class ON pg_class.oid = 'setting'::regclass
WHERE oprnamespace = current_schema()::regnamespace AND oprowner <> relowner
"""
# What runs with a search path of its own finds the tables of the schema that it names. Triggers run
# as the owner.
_ELSEWHERE = """
SELECT proname FROM pg_proc
WHERE pronamespace = current_schema()::regnamespace AND CASE
  WHEN proconfig IS NULL THEN prosecdef OR prorettype = 'trigger'::regtype
  ELSE replace(array_to_string(proconfig, ' '), '"', '')
         <> 'search_path=' || current_schema() || ', pg_temp'
    OR prorettype = 'trigger'::regtype AND NOT prosecdef
  END
"""
_TERMS = """
SELECT fact.origin, term, seq FROM fact, index_terms(fact.origin, fact.terms) AS term UNION ALL
SELECT turn.origin, term, -number FROM turn, index_terms(turn.origin, turn.terms) AS term
WHERE hidden = 0
"""
_POSTINGS = """
SELECT origin, term, fact FROM indexed_term UNION ALL SELECT origin, term, -turn FROM turn_posting
"""
# Blocks of a term follow one another, each ascends.
_DISORDER = """
SELECT 1 FROM (
  SELECT fact <= lag(fact) OVER (PARTITION BY origin, term ORDER BY first, place) AS is_late
  FROM (SELECT origin, term, first, first + one AS fact, place
        FROM posting_block, unnest(offsets) WITH ORDINALITY AS each (one, place)) AS listed
) AS compared WHERE is_late
"""


@record
class Parts:
    """What a memory on a server is made of: kinds and names of what was created, foreign keys,
    policies and columns as table.name, and functions, each with its text."""

    made: frozenset[tuple[str, str]]
    columns: frozenset[str]
    bodies: frozenset[tuple[str, str]]

    def missing_in(self, other: Parts) -> list[str]:
        """Return the names of what the other one lacks, or has in another form."""
        found = {name for _, name in self.made - other.made} | (self.columns - other.columns)
        found |= {name + "()" for name, _ in self.bodies - other.bodies}
        return sorted(found)


def wanted(statements: Iterable[str]) -> Parts:
    """Return what the statements that make a memory make of it."""
    made: set[tuple[str, str]] = set()
    columns: set[str] = set()
    bodies: set[tuple[str, str]] = set()
    for statement in statements:
        found = _MADE.match(_COMMENTS.sub("", statement))
        if found is None:
            made |= {("POLICY", f"{table}.{name}") for name, table in _POLICY.findall(statement)}
            made |= {("WALL", f"row-level security of {one}") for one in _WALL.findall(statement)}
            columns |= {f"{table}.{column}" for table, column in _ADDED.findall(statement)}
            continue
        kind, name = found[1], found[2]
        if kind == "FUNCTION":
            body = _BODY.search(statement)
            bodies.add((name, _plain((body[1] or body[2]) if body else "")))
            continue
        made.add((kind, name))
        if kind == "TABLE":
            columns |= {f"{name}.{column}" for column in _COLUMN.findall(statement)}
            made |= {("KEY", f"{name}.{column}") for column, _, _ in _KEY.findall(statement)}
    return Parts(frozenset(made), frozenset(columns), frozenset(bodies))


def held(db: Connection) -> Parts:
    """Return what a memory is made of; a trigger that is off, or an index that is not whole, is
    none."""
    made: Any = db.execute(_HELD).fetchall()
    columns: Any = db.execute(_COLUMNS).fetchall()
    bodies: Any = db.execute(_FUNCTIONS).fetchall()
    return Parts(
        frozenset(made), frozenset(name for (name,) in columns),
        frozenset((name, _plain(body)) for name, body in bodies),
    )  # fmt: skip


def _plain(body: str) -> str:
    return " ".join(body.split())


def is_none(address: str) -> bool:
    """Say whether there is no memory at an address, of whatever version."""
    db = opening.connected(address)
    try:
        return bool(db.execute("SELECT to_regclass(?) IS NULL", (f'"{db.schema}".setting',)).get)
    finally:
        db.close()


def identity(db: Connection) -> Iterator[Finding]:
    """The tables are of a version that this program knows."""
    row = db.execute("SELECT value FROM setting WHERE name = 'schema_version'").fetchone()
    version = int(row[0]) if row else 0
    if version > files.VERSION:
        yield Finding(
            "identity", "error",
            f"the tables have schema version {version}, this program knows {files.VERSION}",
            "upgrade tideline-cli",
        )  # fmt: skip
    elif version < files.VERSION:
        yield Finding(
            "identity", "error",
            f"the tables have schema version {version}, older than {files.VERSION}",
            FROM_DRAFT,
        )  # fmt: skip


def _statements(db: Connection) -> list[str]:
    """Return the SQL that makes a memory as this one should be."""
    of_sync = schema.of_sync() if has_synced(db) else ()
    return [*schema.statements(), *of_sync]


def tables(db: Connection) -> Iterator[Finding]:
    """The tables, indexes, triggers and functions are those of this version, and act here alone."""
    ours, theirs = wanted(_statements(db)), held(db)
    acting = {str(name) for (name,) in db.execute(_ACTING).fetchall()}
    known = {name for kind, name in ours.made if kind in ("TRIGGER", "POLICY")}
    foreign = sorted(acting - known)
    for found, what in ((ours.missing_in(theirs), ""), (foreign, " (not made by tideline)")):
        if found:
            yield Finding(
                "tables", "error", f"the schema was changed: {_first(found)}{what}",
                "export the facts, and import them into another schema",
            )  # fmt: skip
    elsewhere = sorted({f"{name}()" for (name,) in db.execute(_ELSEWHERE).fetchall()})
    if elsewhere:
        yield Finding(
            "tables", "error",
            f"the schema was renamed, or functions were changed: {_first(elsewhere)} act elsewhere",
            "give it the name back that it was made with: ALTER SCHEMA NOW RENAME TO BEFORE",
        )  # fmt: skip


def _first(found: list[str]) -> str:
    more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    return ", ".join(name[:40] for name in found[:_SHOWN]) + more


def references(db: Connection) -> Iterator[Finding]:
    """No row points to one that is not there. A server sees to that, but where its keys were
    switched off."""
    orphans: dict[str, int] = {}
    for statement in _statements(db):
        table = statement.split("(", 1)[0].rpartition("TABLE ")[2].strip()
        for column, named, key in _KEY.findall(statement):
            count = db.execute(
                f"SELECT count(*) FROM {table} WHERE {column} NOT IN (SELECT {key} FROM {named})"
            ).get
            if count:
                orphans[table] = orphans.get(table, 0) + count
    for table, count in sorted(orphans.items()):
        message = f"{some(count, 'row')} of {table} point to what is not there"
        if table in DERIVED:
            yield mendable("references", message, "removes them, after a copy")
        else:
            yield Finding("references", "error", message, FROM_COPY)


def index(db: Connection) -> Iterator[Finding]:
    """The postings are the terms of the facts and turns, each once, and blocks are in order."""
    differing = db.execute(
        f"SELECT EXISTS (({_TERMS}) EXCEPT ALL ({_POSTINGS}))"
        f" OR EXISTS (({_POSTINGS}) EXCEPT ALL ({_TERMS})) OR EXISTS ({_DISORDER})"
    ).get
    if differing:
        message = "the full-text index is stale: it does not hold the terms of facts and turns"
        yield mendable("index", message, "makes it anew")


def encryption(db: Connection) -> Iterator[Finding]:
    """What leaves this machine is encrypted."""
    host, is_encrypted = db.way()  # type: ignore[attr-defined]
    if not is_encrypted and leaves_machine(host):
        yield Finding(
            "encryption", "warning",
            f"the connection to {host} is not encrypted: who is on the way can read it",
            "sslmode=verify-full and sslrootcert=/PATH/OF/THE/AUTHORITY in the address; where the "
            "server has no encryption, its administrator sets it up",
        )  # fmt: skip


def leaves_machine(host: str) -> bool:
    """Say whether an address (of IPv4 or IPv6; empty for a socket) is that of another machine."""
    return bool(host) and not ip_address(host).is_loopback


_OF_FACT = "(SELECT origin FROM fact WHERE seq = {})"
_OF_TWO = (
    "coalesce((SELECT a.origin FROM fact AS a JOIN fact AS b ON b.origin = a.origin"
    " WHERE a.seq = {} AND b.seq = {}), 0)"
)
# The journal keeps what is gone, of which nobody knows more than it says.
_WANTED = (
    *((table, _OF_FACT.format(f"{table}.fact"), "true")
      for table in ("usage", "given", "stated", "unpaired")),
    ("near", _OF_TWO.format("near.fact", "near.other"), "true"),
    ("link", _OF_TWO.format("link.from_fact", "link.to_fact"), "true"),
    ("change", _OF_FACT.format("change.row"),
     "entity <> 'link' AND EXISTS (SELECT 1 FROM fact WHERE seq = change.row)"),
    ("change", "(SELECT link.tenant FROM link WHERE link.number = change.row)",
     "entity = 'link' AND EXISTS (SELECT 1 FROM link WHERE link.number = change.row)"),
)  # fmt: skip
"""A table, whose its rows are, and of which rows that can be said."""


def walls(db: Connection) -> Iterator[Finding]:
    """Each row is seen by the members of the origin that it belongs to, and by no others."""
    wrong = sum(
        db.execute(f"SELECT count(*) FROM {one[0]} WHERE {_differing(*one)}").get for one in _WANTED
    )
    if wrong:
        message = f"{some(wrong, 'row')} behind the wall of another origin"
        yield mendable("walls", message, "puts each where it belongs")


def put_walls_right(db: Connection) -> None:
    """Put each row behind the wall of its origin."""
    for table, wanted, rows in _WANTED:
        db.execute(f"UPDATE {table} SET tenant = {wanted} WHERE {_differing(table, wanted, rows)}")


def _differing(table: str, wanted: str, rows: str) -> str:
    return f"{rows} AND {wanted} IS DISTINCT FROM {table}.tenant"


FIRST = (
    ("encryption", encryption),
    ("identity", identity),
    ("tables", tables),
    ("index", index),
    ("walls", walls),
)
"""The checks of a memory on a server that come first, by their names."""
