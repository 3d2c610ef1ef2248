"""A dry run of an import: how many rows could be used, and the first ones as they would be."""

from __future__ import annotations

from tideline_cli.cli import import_report, output
from tideline_cli.exchange.importer.read_chunks import ChunkReader
from tideline_cli.exchange.importer.summary import ImportSummary
from tideline_cli.model import codec, instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.import_source import LimitedRows, Source
    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.model.fact import Fact

_SHOWN = 10
_COLUMNS = ("content", "segment", "tags", "title", "slot", "created_at", "session", "turn",
            "speaker", "role", "agent", "progress", "metadata")


def preview(
    session: Session, path: str, rows: LimitedRows, context: ImportContext, source: Source
) -> int:
    """Print what an import would read; nothing is opened but the file."""
    summary = ImportSummary()
    reader = ChunkReader(
        context, summary, analyzer="standard", merge=False, on_server=session.is_on_server
    )
    usable = 0
    first: list[Fact] = []
    for chunk in reader.chunks(rows):
        usable += len(chunk)
        first += [ready.fact for ready in chunk[: _SHOWN - len(first)]]
    source.tell_missed(session)
    if session.json:
        output.emit_json({
            "file": path, "dry_run": True, "rows": summary.rows, "usable": usable,
            "first": [codec.fact_form(fact) for fact in first],
            "errors": import_report.error_forms(summary),
            "stopped": rows.stopped.code if rows.stopped is not None else None,
        })  # fmt: skip
    else:
        _print(session, first)
        output.emit_lines([
            f"dry run: {usable:,} of {summary.rows:,} rows could be stored; nothing was"
        ])  # fmt: skip
    for line in import_report.refusals(summary):
        session.note(line)
    import_report.tell_early(session, summary)
    if rows.stopped is not None:
        raise rows.stopped
    if summary.rows and not usable:
        raise import_report.useless(summary)
    return 0


def _print(session: Session, first: list[Fact]) -> None:
    names = [name for name in _COLUMNS if any(getattr(fact, name) for fact in first)]
    cells = [[_cell(fact, name) for name in names] for fact in first]
    if first and output.is_terminal(session):
        from tideline_cli.cli import tables  # noqa: PLC0415  rich, 20 ms

        tables.listing(session, names, cells, wide=names[0])
    elif first:
        output.emit_lines(["\t".join(row) for row in [names, *cells]])


def _cell(fact: Fact, name: str) -> str:
    value = getattr(fact, name)
    if name == "created_at":
        return instant.iso(value)[:16].replace("T", " ")
    if name == "tags":
        return ", ".join(value)
    text = value if isinstance(value, str) else "" if value is None else codec.dumps(value)
    return output.one_line(text)
