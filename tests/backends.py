"""Where tests keep their memories: in files, or in schemas of a PostgreSQL server.

TIDELINE_TEST_SERVER is the address of a server. With it, whatever path a test opens stands for a
schema of its own, and commands get its address by TIDELINE_DB. So a test of behaviour is the same
for both.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import Any

from tideline_cli.store import SERVERS, opening

_server = os.environ.get("TIDELINE_TEST_SERVER")
_made: dict[str, str] = {}
FILES_ALONE = (
    "test_imported_as_", "test_recall_answers_while_another_process_writes",
    "test_no_trace_is_left",
    "test_reasons_of_links_long_gone_leave_nothing", "test_a_reader_makes_it_pending",
    "test_terms_that_moved_between_pages_leave_nothing", "test_what_was_undone_can_be_purged",
    "test_a_crash_before_the_file_is_rewritten_is_made_good", "test_no_transaction_is_long",
    "test_a_changed_weight_is_seen_at_once",
    "test_an_undo_is_not_stopped_by_heat", "test_a_restatement_is_undone", "test_a_dry_run_writes",
    "test_nothing_fades_unseen", "test_the_reference_weighs_no_roles",
    "test_an_inherited_edge_is_no_merge", "test_another_coder_bounds_nothing",
)  # fmt: skip
"""Tests that look into a file, ask `doctor` or take SQLite's own words: how their names begin."""


def is_server() -> bool:
    """Say whether memories are on a server."""
    return bool(_server)


def address(path: str) -> str:
    """Return the address of the memory that a path stands for."""
    path = os.path.abspath(path)
    if path not in _made:
        schema = f"t{os.getpid()}_" + blake2b(path.encode(), digest_size=6).hexdigest()
        _made[path] = f"{_server}&schema={schema}"
    return _made[path]


def _mapped(original: Any) -> Any:
    def opened(path: str, **given: Any) -> Any:
        return original(path if path.startswith(SERVERS) else address(path), **given)

    return opened


if _server:
    for _name in ("open_for_writing", "open_for_reading", "open_as_it_is", "open_for_replacing"):
        setattr(opening, _name, _mapped(getattr(opening, _name)))


def forget() -> None:
    """Remove what a test has made."""
    if not _made:
        return
    from tideline_cli.store.postgres import opening as servers

    db = servers.connected(next(iter(_made.values())))
    for one in _made.values():
        db.execute("BEGIN IMMEDIATE")
        db.as_it_is(f"DROP SCHEMA IF EXISTS {one.rpartition('=')[2]} CASCADE")
        db.execute("COMMIT")
    db.close()
    _made.clear()
