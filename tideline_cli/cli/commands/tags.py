"""tideline tags."""

from __future__ import annotations

from tideline_cli.cli import filters, output
from tideline_cli.cli.filters import Formats, Said
from tideline_cli.cli.options import Argument
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.record import replace
from tideline_cli.store import labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HELP = """List the tags, and how many facts have each.

Active facts count that have not ended, the most frequent tag comes first; with --session,
--speaker, --role or --agent those that were said so. Exits with 0 where there is none."""
EXAMPLES = (("", ""), ("", "--json"))
ARGUMENTS: tuple[Argument, ...] = ()


class Options(Said, Formats):
    """The options of a call."""


def run(session: Session, words: list[str], options: Options) -> int:
    """List the tags."""
    if words:
        raise UsageError("tags takes no words", hint="`tideline list --tag TAG` lists its facts")
    wanted = replace(filters.labelled(session, options), lasts_at=session.now)
    db = session.reading()
    found = [] if db is None else labels.tags(db, viewer=session.viewer, wanted=wanted)
    usual = output.usual_of_rows(session)
    chosen = output.chosen(session, output.named(options), usual=usual)

    def table() -> None:
        from tideline_cli.cli import ages, tables  # noqa: PLC0415  rich, 20 ms

        rows = [(tag, f"{count:,}", ages.ago(at, session.now)) for tag, count, at in found]
        tables.listing(session, ("tag", "facts", "newest"), rows, wide="tag")

    output.emit_rows(
        chosen if found or chosen != "table" else "lines",
        map(_form, found),
        whole=lambda forms: {"tags": forms},
        lines=lambda: [f"{count}\t{tag}" for tag, count, _ in found],
        table=table,
    )
    if not found and not output.is_json(session, chosen):
        session.note("no tags: `tideline remember TEXT --tag TAG` gives one")
    return 0


def _form(row: tuple[str, int, int]) -> dict[str, Any]:
    tag, count, at = row
    return {"tag": tag, "facts": count, "newest": instant.iso(at)}
