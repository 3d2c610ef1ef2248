"""A row that is ready to be stored: checked and analysed, before any lock is taken."""

from __future__ import annotations

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.importer.row_links import edge_of
from tideline_cli.exchange.importer.rows import fact_from, links_of, replaced_by
from tideline_cli.memory import secret_screening
from tideline_cli.memory.screening import Screen, refuse_threats
from tideline_cli.model import ulid
from tideline_cli.model.fact import ROLES
from tideline_cli.model.fields import FIELDS
from tideline_cli.model.record import record
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import index_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.text import Analyzer, IndexTerms

    Rows = Iterable[tuple[int, "dict[str, Any] | TidelineError"]]


_CLOSED = {field.name for field in FIELDS if field.form not in ("text", "texts", "object")}
_NOT_SEARCHED = _CLOSED - {"role"} | {"statement"}
"""What a row that is taken states by words and numbers of a closed form."""
_HEX = frozenset("0123456789abcdef-")  # of a UUID


@record
class Prepared:
    """A row with the fact that it states, the terms that an analyser gives that, what the scan
    finds in it, and how many secrets it had: they are out of what nobody vouches for."""

    line: int
    row: dict[str, Any]
    fact: Fact
    analyzer: Analyzer
    terms: IndexTerms
    screen: Screen
    secrets: int

    @property
    def content(self) -> str:
        """The text of the fact."""
        return self.fact.content

    @property
    def origin_key(self) -> str:
        """The origin of the fact."""
        return self.fact.origin.key


def first_refused(
    rows: Rows, context: ImportContext, *, on_server: bool
) -> tuple[int, TidelineError] | None:
    """Return the first row that an import would not take, and why; None when it takes all."""
    for line, row in rows:
        try:
            ready = prepared(line, row, context, "standard")
        except TidelineError as error:
            return line, error
        refusal = server_refusal(ready.content, row, analyzer="standard") if on_server else None
        if refusal is not None:
            return line, refusal
    return None


def server_refusal(content: str, row: Any, *, analyzer: Analyzer) -> TidelineError | None:
    """Return why a server cannot store a row with this text, None where it can."""
    from tideline_cli.store import key_lengths  # noqa: PLC0415  no file

    return key_lengths.length_refusal(content, row, analyzer=analyzer)


def ready_row(
    line: int, row: dict[str, Any] | TidelineError, context: ImportContext, analyzer: Analyzer, *,
    merge: bool,
) -> Prepared:  # fmt: skip
    """Return a row as it can be stored, its text scanned; raise what is wrong with it."""
    ready = prepared(line, row, context, analyzer)
    scan_row(ready, context, merge=merge)
    return ready


def is_scanned(ready: Prepared, context: ImportContext, *, merge: bool) -> bool:
    """Say whether the text of a row is scanned: a merge also asks what nobody vouches for by its
    source."""
    return not context.trusted or (merge and not is_trusted(ready.fact.source))


def scan_row(ready: Prepared, context: ImportContext, *, merge: bool) -> None:
    """Scan the text of a row that nobody vouches for; raise what is wrong with it."""
    if is_scanned(ready, context, merge=merge):
        ready.screen.found(ready.fact.content)  # the merge asks for it later, under the lock
    if not context.trusted:
        hint = "read it; if you vouch for the file, import it with --trust"
        refuse_threats(ready.fact.content, ready.screen, whose="", hint=hint)


def prepared(
    line: int, row: dict[str, Any] | TidelineError, context: ImportContext, analyzer: Analyzer
) -> Prepared:
    """Return a row as it can be stored; raise what is wrong with it."""
    if isinstance(row, TidelineError):
        raise row
    row, count = _without_secrets(row, context)
    fact = fact_from(row, context)
    if "links" in row or "supersedes" in row:
        for edge in links_of(row):
            edge_of(fact.id, edge, context)
        replaced_by(row)
    listed = index_terms(fact.content, analyzer=analyzer)
    return Prepared(line, row, fact, analyzer, listed, Screen(), count)


def _without_secrets(row: dict[str, Any], context: ImportContext) -> tuple[dict[str, Any], int]:
    """Return a row without its secrets, and how many there are; one that is vouched for keeps
    them."""
    searched = {name: row[name] for name in row if name not in _NOT_SEARCHED}
    if searched.get("role") in ROLES:
        del searched["role"]
    own_id = str(searched.get("id"))
    if ulid.is_ulid(own_id) or (len(own_id) == 36 and _HEX.issuperset(own_id)):
        del searched["id"]
    try:
        if context.trusted:
            return row, secret_screening.count_in(searched)
        found, count = secret_screening.searched(searched)
    except RecursionError as error:
        raise UsageError("nested too deeply") from error
    return (row | found, count) if count else (row, 0)
