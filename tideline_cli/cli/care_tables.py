"""What doctor found and what is set, on a terminal."""

from __future__ import annotations

from rich.text import Text

from tideline_cli.cli import columns
from tideline_cli.cli.columns import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tideline_cli.cli.session import Session
    from tideline_cli.model.finding import Finding

_STYLES = {"error": "bold red", "warning": "yellow", "repaired": "green"}


def findings(
    session: Session, found: Sequence[Finding], mended: Mapping[Finding, bool]
) -> None:
    """Print what is wrong, each with what to do about it unless that is done."""
    marks: list[Text] = []
    texts: list[Text] = []
    for finding in found:
        is_done = mended.get(finding, False)
        word = "repaired" if is_done else finding.severity
        marks.append(Text(word, style=_STYLES.get(word, "")))
        text = columns.one_line(finding.message)
        if not is_done:
            remedy = columns.one_line(f"→ {finding.remedy}")
            remedy.stylize("dim")
            text.append("\n").append_text(remedy)
        texts.append(text)
    columns.show(session, (
        Column("", (marks,), stays=True),
        Column("check", ([finding.check for finding in found],)),
        columns.text("what", texts),
    ), parted=1)  # fmt: skip


def settings(session: Session, rows: Sequence[tuple[str, str, str]]) -> None:
    """Print settings: name, value, and where the value comes from."""
    names, values, origins = zip(*rows, strict=True)
    columns.show(session, (
        Column("setting", (list(names),), stays=True),
        columns.text("value", [_value(value) for value in values]),
        Column("from", ([Text(one, style="dim") for one in origins],)),
    ))  # fmt: skip


def _value(value: str) -> Text:
    return columns.one_line(value) if value else Text("not set", style="dim")
