"""What the tables of a memory are: their columns and their keys, read from the schema of files."""

from __future__ import annotations

import re
from functools import cache

from tideline_cli.store import schema
from tideline_cli.store.sync_schema import SYNC_SCHEMA

NOT_THERE = ("ceiling",)
"""Tables of a file in the place of which a server has others: `score_bound`."""
_TABLE = re.compile(r"CREATE TABLE (\w+) \((.*?)\n\) STRICT", re.DOTALL)
_OWN_KEY = re.compile(r"(?:PRIMARY KEY|UNIQUE) \(([^)]*)\)")
_NAMES = re.compile(r"^  ([a-z_]+) ", re.MULTILINE)
_KEY_COLUMN = re.compile(r"^  ([a-z_]+) [^,\n]*PRIMARY KEY", re.MULTILINE)


@cache
def _bodies() -> dict[str, str]:
    text = re.sub(r"--[^\n]*", "", schema.script() + SYNC_SCHEMA)
    return dict(_TABLE.findall(text))


def of_server() -> list[str]:
    """Return the names of all tables that a memory on a server has."""
    own = re.findall(r"^CREATE TABLE (\w+)", schema.script(), re.MULTILINE)
    mine = "posting", "posting_block", "turn_posting", "score_bound", "member"
    return [*(name for name in own if name not in NOT_THERE), *mine]


def columns(table: str) -> list[str]:
    """Return the columns of a table, in order."""
    return _NAMES.findall(_bodies()[table])


def key(table: str) -> list[str]:
    """Return the columns of the key of a table."""
    body = _bodies()[table]
    found = _OWN_KEY.search(body)
    if found:
        return found[1].split(", ")
    return _KEY_COLUMN.findall(body)
