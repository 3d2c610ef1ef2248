"""What tests share: golden data, the table of deviations, stores on demand, facts in one line."""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import backends
from tideline_cli.exchange.importer.rows import ImportContext, fact_from
from tideline_cli.memory import lexical
from tideline_cli.memory.query import Query
from tideline_cli.memory.search import Search, view_of
from tideline_cli.model.fact import SEGMENTS, Fact, NewFact, birth
from tideline_cli.model.origin import OWNER, Origin, as_spelled, channel
from tideline_cli.model.record import as_dict, replace
from tideline_cli.model.text import WITH_FORMS, index_terms
from tideline_cli.ranking.decay import DEPTH
from tideline_cli.store import journal, schema, uses, visibility, writes
from tideline_cli.store.connection import put_setting, writing
from tideline_cli.store.facts import Filter
from tideline_cli.store.opening import open_for_writing
from tideline_cli.store.postgres.tables import of_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeVar

    from apsw import Connection

    T = TypeVar("T")
    Test = Callable[..., None]

NOW = 1_760_000_000_000
ANY = Filter()
DAY = 86_400_000
ROOT = Path(__file__).resolve().parents[1]
GOLDEN = Path(__file__).parent / "golden"
PEER = channel("wa", "c1", "s1")
NEVER_WROTE = channel("nobody", "ever", "wrote")
IS_AT_LENGTH = bool(os.environ.get("TIDELINE_AT_LENGTH"))


def often(gate: int, at_length: int) -> int:
    """Return how often a test tries: fewer times in `make test`, all in `make nightly`."""
    return at_length if IS_AT_LENGTH else gate


def some(planted: Iterable[T], gate: int = 1) -> list[T]:
    """Return the planted faults that a test tries: the first ones in `make test`, all in
    `make nightly`."""
    return [*planted][: None if IS_AT_LENGTH else gate]


def joined(names: str, cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test for many cases as one, which names each case that fails; what `parametrize` takes
    where the cases need nothing of their own, neither a store nor a folder."""
    words = [name.strip() for name in names.split(",")]
    rows = [case if len(words) > 1 else (case,) for case in cases]

    def decorated(test: Test) -> Test:
        def every(**fixtures: Any) -> None:
            failures = []
            for row in rows:
                try:
                    test(**dict(zip(words, row, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    case = ", ".join(repr(value)[:120] for value in row)
                    failures.append(f"[{case}] {type(error).__name__}: {error}")
            assert not failures, f"{len(failures)} of {len(rows)}:\n" + "\n".join(failures)

        functools.update_wrapper(every, test)
        rest = [p for p in inspect.signature(test).parameters.values() if p.name not in words]
        every.__signature__ = inspect.Signature(rest)  # type: ignore[attr-defined]
        return every

    return decorated


DEVIATIONS = {
    "unknown_source": "the reference trusts a source it does not know; we refuse it",
    "unknown_segment": "the reference stores any segment with the defaults of context; we refuse",
    "grounding": "a fact that rests on no words of the user's own is refused",
    "reply_items": "a fact of no known segment is knowledge; of one amiss the whole parts count",
    "content_cap": "the reference cuts a text at 1000 UTF-16 units; we keep 8192 characters",
    "importance_text": "an importance that is no number at all is a usage error here",
    "empty_query": "a query without terms answers nothing; the reference compares empty vectors",
    "mmr_absent_vector": "MMR embeds every hit anew; the reference counts a missing vector as far",
    "scan_always": "the context's threat scan cannot be switched off",
    "hard_budget": "a context never exceeds its budget; the reference's first line may",
    "auto_lines": "each fact of the auto block has a line of its own; the reference glues them",
    "auto_wording": "the auto block withholds a text in the words of the context block",
    "auto_fence": "the fence carries a nonce, so that no fact can forge its end",
    "whole_store": "a recall without an origin, over the whole store, is not offered",
    "consolidation_links": "what consolidation archives is linked from the twin that stays",
    "untrusted_twin": "a trusted fact inherits nothing from an untrusted twin that it outlives",
    "buried": "a trusted statement is never merged into an untrusted fact that says the same",
    "sameness": "what differs in order, a name, a figure or a negation is never the same",
    "dangling_links": "a link to a fact that does not exist is not stored",
    "sweep_ends": "what the decay sweep archives ends then; the reference leaves its end open",
    "link_backfill": "a reason that an edge lacked is always kept; the reference may lose it",
    "restore_refused": "what was superseded by name is not restored beside its successor",
    "unknown_target": "a write that supersedes an unknown id is an error; the reference goes on",
    "purge_missing": "a purge of an unknown id is an error, and removes nothing",
    "purge_cascade": "a purge by another origin than the owner stays inside that origin",
    "supersede_links": "an explicit supersede stores its links, so that restore can refuse",
    "prompt_wording": "prompts are in words of ours, in the reference's structure, with numbers of "
                      "lines for ids",
    "distilled_unpinned": "what a model distils is never pinned; the reference pins entities",
    "identifier_trailing_dot": "an e-mail address ends before the dot that ends the sentence",
    "identifier_wording": "an identifier is the user's after \"my\" alone, in their language",
    "long_messages": "a message of more than 4,000 characters is heard by its marked passages",
    "one_edge": "a directed edge is stored once, from the end that states it; the reference stores "
    "it from both ends, so that a spoke that a hub uses uses the hub",
    "full_edge": "where one end of an edge has no room, nothing of it is stored",
    "identifier_country_code": "a phone number is found behind +86 too",
}
"""Where we mean something else than the reference, and why."""


def deviation(name: str) -> str:
    """Return the reason of a deviation; a name that the table lacks is an error."""
    return DEVIATIONS[name]


def numbered(prompt: str) -> str:
    """Return a prompt of the reference with the numbers of its facts for their ids."""
    numbers = count(1)
    return re.sub(r"^\[[^\]]+\] ", lambda _: f"[{next(numbers)}] ", prompt, flags=re.M)


def statements(edges: Iterable[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """Return what edges (from, kind, to, ...) state, as the same whether they are stored from one
    end or, as by the reference, from both."""
    assert deviation("one_edge")
    names = {"caused_by": "causes", "follows": "precedes"}
    return {
        (names.get(kind, kind), frozenset((source, target)), *rest)
        for source, kind, target, *rest in edges
    }


def golden(name: str) -> Any:
    """Return a file of golden data."""
    return json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))


_template: list[Path] = []


def _empty_store() -> Path:
    if not _template:
        path = Path(tempfile.mkdtemp(prefix="tideline-tests-")) / "empty.db"
        open_for_writing(str(path)).close()
        _template.append(path)
    return _template[0]


def empty_store_at(path: Path) -> Path:
    """Put an empty store at `path`."""
    if backends.is_server():
        open_for_writing(str(path)).close()
        return path
    shutil.copy(_empty_store(), path)
    return path


@contextmanager
def fresh_store(
    *, analyzer: str = "standard", sameness: str = "strict"
) -> Iterator[Connection]:
    """Yield a connection to an empty store of its own; for hypothesis, which wants one a run."""
    with tempfile.TemporaryDirectory(prefix="tideline-test-") as folder:
        db = open_for_writing(str(empty_store_at(Path(folder) / "tideline.db")))
        db.execute("PRAGMA synchronous = OFF")
        try:
            if analyzer != "standard":
                put_setting(db, "analyzer", analyzer)
            if sameness != "strict":
                put_setting(db, "sameness", sameness)
            yield db
        finally:
            db.close()


def fact(content: str, fact_id: str, *, now: int = NOW, **given: Any) -> Fact:
    """Return a fact as a writer would make it, with `given` fields of Fact set afterwards."""
    segment = given.pop("segment", "knowledge")
    source = given.pop("source", "owner_message")
    new = NewFact(content, segment, source, given.pop("origin", OWNER))
    return replace(birth(new, fact_id=fact_id, now=now), **given)


def put(db: Connection, wanted: Iterable[Fact], *, analyzer: str = WITH_FORMS) -> list[int]:
    """Store facts as they are, rules and journal left aside, and return their numbers."""
    seqs: list[int] = []
    with writing(db):
        for one in wanted:
            number = visibility.ensure_number(db, one.origin)
            listed = index_terms(one.content, analyzer=analyzer)
            assert writes.insert(db, one, origin_number=number, terms=listed)
            seqs.append(db.execute("SELECT seq FROM fact WHERE id = ?", (one.id,)).get)
            if one.access_count or one.last_accessed_at != one.created_at:
                uses.put(
                    db,
                    one.id,
                    access_count=one.access_count,
                    last_accessed_at=one.last_accessed_at,
                )
    return seqs


def named_id(name: str) -> str:
    """Return a ULID in which a name of digits and capitals can be read (without I, L, O, U)."""
    return f"0{name:0<25}"


def seed(given: Iterable[dict[str, Any]], *, origin: Origin = OWNER) -> None:
    """Store rows of an import in the test's own store, also under ids that are no ULIDs."""
    db = open_for_writing(str(Path(os.environ["TIDELINE_HOME"]) / "tideline.db"))
    with journal.batch(db, verb="import", by=origin, now=NOW) as batch:
        for number, row in enumerate(given):
            one = fact_from(row, ImportContext(origin, NOW, True), repeat=number)
            one = replace(one, id=row.get("id", one.id), metadata=row.get("metadata"))
            listed = index_terms(one.content, analyzer=WITH_FORMS)
            assert writes.insert(db, one, origin_number=batch.origin_number, terms=listed)
            if one.access_count or one.last_accessed_at != one.created_at:
                uses.put(db, one.id, access_count=one.access_count,
                         last_accessed_at=one.last_accessed_at)  # fmt: skip
    db.close()


def reference_origin(form: dict[str, Any] | None) -> Origin:
    """Return our origin for one of the reference; absent is the owner."""
    if form is None or form["kind"] == "owner":
        return OWNER
    return channel(
        form["channelId"], form["conversationId"], form["sessionKey"], form.get("accountId") or ""
    )


def reference_fact(form: dict[str, Any]) -> Fact:
    """Return our fact for a record of the reference, field by field."""
    return replace(
        fact(form["content"], form["memoryId"], segment=form["segment"], now=form["createdAt"]),
        tier=form["tier"],
        importance=form["importance"],
        decay_rate=form["decayRate"],
        access_count=form["accessCount"],
        last_accessed_at=form["lastAccessedAt"],
        lifecycle=form["lifecycle"],
        source=form.get("sourceType", "owner_message"),
        origin=reference_origin(form.get("createdBy")),
        confidence=form.get("confidence"),
        slot=form.get("subjectKey"),
        valid_from=form.get("validFrom"),
        valid_to=form.get("validTo"),
        status=form.get("status"),
    )


def tables() -> list[str]:
    """Return the names of the tables of a memory, on the engine of the tests."""
    if backends.is_server():
        return of_server()
    return re.findall(r"^CREATE TABLE (\w+)", schema.script(), re.MULTILINE)


BOUNDS = "score_bound" if backends.is_server() else "ceiling"
"""The table of the bytes that bound scores; on a server it has rows of each origin."""


def rows(db: Connection, table: str) -> list[tuple[Any, ...]]:
    """Return a table, whole; without `tenant`, which a server's tables have besides."""
    columns = "*"
    if backends.is_server():
        sql = (  # lists come as texts: the program reads none
            "SELECT CASE data_type WHEN 'ARRAY' THEN 'CAST(' || column_name || ' AS TEXT)'"
            " ELSE column_name END FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND table_name = ? AND column_name != 'tenant'"
            " ORDER BY ordinal_position"
        )
        columns = ", ".join(name for (name,) in db.execute(sql, (table,)).fetchall())
    return db.execute(f"SELECT {columns} FROM {table} ORDER BY 1").fetchall()


__all__ = [
    "BOUNDS", "DAY", "DEVIATIONS", "GOLDEN", "NOW", "PEER", "ROOT", "SEGMENTS", "as_dict",
    "deviation", "empty_store_at", "fact", "fresh_store", "golden", "named_id", "put",
    "reference_fact",
    "reference_origin", "rows", "seed", "tables",
]  # fmt: skip


def view_at(db, *, origin_number: int = 1, now: int = NOW):
    """Return the memory of the origin with a number as it is at a moment."""
    key = db.execute("SELECT key FROM origin WHERE number = ?", (origin_number,)).get
    viewer = OWNER if key == OWNER.key else as_spelled(key) if key else NEVER_WROTE
    return view_of(db, viewer=viewer, now=now)


def searched(
    db, question, *, limit: int, origin_number: int = 1, now: int = NOW, wanted: Filter = ANY,
    fading: float = DEPTH,
):  # fmt: skip
    """Return what the words of a question find: the sure matches, and the weak ones."""
    view = view_at(db, origin_number=origin_number, now=now)
    query = Query("", limit, wanted=wanted, fading=fading)
    return lexical.by_terms(view, Search(query, question, limit, limit))
