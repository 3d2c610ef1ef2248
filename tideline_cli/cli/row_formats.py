"""Rows as CSV, TSV, or a table in one of the forms of tabulate."""

from __future__ import annotations

from tabulate import tabulate, tabulate_formats

from tideline_cli.errors import UsageError
from tideline_cli.exchange.foreign import QUOTED, cell, csv_lines, quoted
from tideline_cli.model import codec
from tideline_cli.policy.render import screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    Form = Mapping[str, Any]

_FACT = {"content", "tier"}
# A table has room for some of what a fact or a hit says; other rows are shown whole.
_SHOWN = (
    ("rank", "score", "segment", "content", "id"),
    ("id", "segment", "content", "tags", "slot", "created_at", "lifecycle"),
)
_WITH_BARS = ("github", "pipe")
_DIGITS = 12


def delimited(forms: Iterable[Form], *, tabs: bool) -> Iterator[str]:
    """Return the lines of CSV or TSV: a header, then each row. Texts that a spreadsheet would run
    begin with an apostrophe; for facts a column names those cells, so that import takes it off."""
    return csv_lines(_rows(forms), tabs=tabs)


def _rows(forms: Iterable[Form]) -> Iterator[list[str]]:
    for place, form in enumerate(forms):
        is_fact = form.keys() >= _FACT
        if not place:
            yield [*form, QUOTED] if is_fact else [*form]
        row = [_cell(value) for value in form.values()]
        yield [*row, " ".join(quoted(form, row))] if is_fact else row


def table(forms: Iterable[Form], form: str, folded: Callable[[str], str]) -> list[str]:
    """Return the lines of a table, each text on one line as `folded` makes it; raise UsageError for
    a form that tabulate does not have."""
    if form not in tabulate_formats:
        raise UsageError(
            f"--fmt: no form is {form!r:.40}", hint="use one of " + ", ".join(tabulate_formats)
        )
    rows = list(forms)
    if not rows:
        return []
    names = _columns(rows[0])
    cells = [[screen_text(folded(_shown(row[name]))) for name in names] for row in rows]
    if form in _WITH_BARS:
        cells = [[text.replace("|", "\\|") for text in row] for row in cells]
    drawn: str = tabulate(cells, headers=names, tablefmt=form, disable_numparse=True)
    return drawn.split("\n")


def _columns(first: Form) -> list[str]:
    for shown in _SHOWN:
        if first.keys() >= set(shown):
            return list(shown)
    return [name for name, value in first.items() if not isinstance(value, dict)]


def _cell(value: Any) -> str:
    return cell(round(value, _DIGITS) if isinstance(value, float) else value)


def _shown(value: Any) -> str:
    if value is None or value == []:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    if isinstance(value, float):
        return codec.dumps(round(value, _DIGITS))
    return codec.dumps(value)
