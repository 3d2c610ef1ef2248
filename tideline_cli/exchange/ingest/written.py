"""From a chunk to the fact that it becomes: without secrets, scanned, analysed, before any lock."""

from __future__ import annotations

from tideline_cli.errors import TidelineError
from tideline_cli.memory.remember import checked_text
from tideline_cli.memory.screening import Screen, threats_in
from tideline_cli.memory.secret_screening import searched
from tideline_cli.model.fact import NewFact, birth
from tideline_cli.model.record import record, replace
from tideline_cli.model.text import index_terms
from tideline_cli.store import bulk_inserts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from tideline_cli.exchange.ingest.chunks import Chunk
    from tideline_cli.exchange.ingest.notes import Cut
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer, IndexTerms


@record
class IngestContext:
    """What holds for every document of one run; `new_id` makes the id of a fact. `has_bounded_keys`
    says that the memory is, or will be, where long words cannot be indexed."""

    origin: Origin
    now: int
    scope: str | None
    cut: Cut
    new_id: Callable[[], str]
    agent: str | None = None
    has_bounded_keys: bool = False


@record
class Written:
    """A chunk as it is stored: the fact, its index terms, what made them, and the columns of its
    row."""

    fact: Fact
    terms: IndexTerms
    analyzer: Analyzer
    columns: list[Any]


def stated_by(
    chunks: Iterable[Chunk], name: str, context: IngestContext, warn: Callable[[str], None]
) -> tuple[list[NewFact], int]:
    """Return what the chunks of a document say, with marks in the place of secrets, and how many
    secrets there were. `warn` is told of a chunk that cannot be a fact."""
    found: list[NewFact] = []
    count = 0
    for chunk in chunks:
        try:
            stated, secrets = searched({"content": chunk.text, "title": chunk.title})
            content = checked_text(stated["content"])
        except TidelineError as error:
            warn(f"a chunk is left out: {error.message}")
            continue
        count += secrets
        found.append(
            NewFact(
                content, "knowledge", "retrieved_document", context.origin, kind="document",
                title=stated["title"], scope=context.scope, turn=len(found) + 1,
                source_turn=None if chunk.page is None else f"page {chunk.page}", document=name,
                agent=context.agent,
            )
        )  # fmt: skip
    return found, count


def renumbered(wanted: Sequence[NewFact], blocked: Iterable[int]) -> list[NewFact]:
    """Return chunks without the blocked ones, by place, numbered anew from 1."""
    left_out = set(blocked)
    kept = (new for place, new in enumerate(wanted) if place not in left_out)
    return [replace(new, turn=number) for number, new in enumerate(kept, 1)]


def threats_of(new: NewFact, titles: Screen) -> tuple[str, ...]:
    """Return what the scan finds in the text of a chunk, or in the headings above it; `titles` has
    what was found in those of chunks before."""
    return threats_in(new.content) or (titles.found(new.title) if new.title else ())


def written(new: NewFact, context: IngestContext, analyzer: Analyzer) -> Written:
    """Return a chunk as it is stored."""
    fact = birth(new, fact_id=context.new_id(), now=context.now)
    terms = index_terms(fact.content, analyzer=analyzer)
    return Written(fact, terms, analyzer, bulk_inserts.sealed(fact, terms, analyzer))


def with_fact(one: Written, fact: Fact) -> Written:
    """Return a chunk as it is stored with other labels."""
    columns = bulk_inserts.sealed(fact, one.terms, one.analyzer)
    return Written(fact, one.terms, one.analyzer, columns)
