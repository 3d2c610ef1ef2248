"""What an import says of itself: a sentence or an object, and a line for what was not taken."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.errors import TidelineError
from tideline_cli.exchange.importer.columns import TEXT_KEYS
from tideline_cli.exchange.importer.rows import KEYS
from tideline_cli.memory.secret_screening import replacement_note
from tideline_cli.model import instant
from tideline_cli.model.finding import some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.importer.summary import ImportSummary

_MOST_ALONE = 3  # rows with the same flaw that have a line each
_MOST_LINES = 10
_CUT = 60


def report(
    session: Session, path: str, summary: ImportSummary, *, trust: bool,
    stopped: TidelineError | None,
) -> None:  # fmt: skip
    """Print what became of the rows, and on stderr what concerns single rows."""
    if session.json:
        code = stopped.code if stopped is not None else None
        form = _form(path, summary, trust)
        output.emit_json(form | {"stopped": code, "secrets": summary.secrets})
    else:
        output.emit_lines([_sentence(summary, trust)])
    for line in (*refusals(summary), *_losses(summary)):
        session.note(line)
    tell_early(session, summary)
    if summary.secrets:
        _tell_secrets(session, summary.secrets, trust=trust)


def _tell_secrets(session: Session, count: int, *, trust: bool) -> None:
    """Say what became of the secrets of the rows."""
    if not trust:
        session.note(f"{replacement_note(count)} before storing")
        return
    session.caution(
        "secret",
        f"{some(count, 'secret')} stored as stated, for the file is vouched for",
        hint=f"`{session.call('doctor', '--secrets')}` names them",
    )


def tell_early(session: Session, summary: ImportSummary) -> None:
    """Say that times seem to count seconds, and how such a file is read."""
    if not summary.early:
        return
    first = summary.first_early
    again = "import it with --seconds"
    if summary.batch is not None:
        again = f"`{session.call('undo', str(summary.batch))}`, then {again}"
    session.caution(
        "seconds",
        f"{some(summary.early, 'row')} made before 1990: {first} is {instant.iso(first)[:10]} in "
        f"milliseconds, and {instant.iso(first * 1000)[:10]} in seconds",
        hint=f"if the file counts seconds: {again}",
    )


def useless(summary: ImportSummary) -> TidelineError:
    """Return the error of an import that could use no row: what it looked for, what there was."""
    found = ", ".join(f"{key:.{_CUT}}" for key in summary.keys) or "no keys"
    if summary.has_content:
        return TidelineError(
            f"none of the {summary.rows:,} rows could be used",
            hint="what stands above says why",
            code="no_usable_row",
        )
    if not summary.keys:
        return TidelineError(
            f"none of the {summary.rows:,} rows could be used",
            hint='rows are JSON objects with "content"; --format csv, tsv, sqlite or markdown says '
            "what else the file is",
            code="no_usable_row",
        )
    return TidelineError(
        f"none of the {summary.rows:,} rows could be used",
        hint=f"a row needs \"content\" (or {', '.join(TEXT_KEYS[1:])}; or --map COLUMN=content); "
        f"also looked for: {', '.join(sorted(KEYS - {'content'}))}; "
        f"the rows have {found}",
        code="no_usable_row",
    )


def refusals(summary: ImportSummary) -> Iterator[str]:
    """Yield what is wrong with the rows that were refused: each, or once for many with the same
    flaw, by the order of the first of them."""
    by_line = dict(summary.errors)
    for kind, lines in summary.kinds.items():
        count = summary.counts[kind]
        alone = [line for line in lines[:_MOST_ALONE] if line in by_line]
        if count > _MOST_ALONE:
            alone = alone[:1]
        for line in alone:
            yield f"line {line}: {by_line[line].message}"
        if count > len(alone):
            start = f"and {count - len(alone):,} more like it" if alone else _unread(kind, count)
            yield f"{start}: {_listed(lines[len(alone) :], count - len(alone))}"


def _unread(kind: str, count: int) -> str:
    what = kind.partition(" ")[2] or kind
    return f"{count:,} rows with another flaw ({what:.{_CUT}})"


def _listed(lines: list[int], count: int) -> str:
    shown = lines[:_MOST_LINES]
    more = ", …" if count > len(shown) else ""
    return f"line{'s' if count > 1 else ''} {', '.join(map(str, shown))}{more}"


def _losses(summary: ImportSummary) -> Iterator[str]:
    """Yield what of the rows that were taken is not stored."""
    shown = summary.dangling[:_MOST_LINES]
    for line, reference in dict.fromkeys(shown):  # a row may name the same one twice
        yield f"line {line}: no row and no fact is {reference:.{_CUT}}; stored without it"
    if summary.unresolved > len(shown):
        yield f"and {summary.unresolved - len(shown):,} more references that name nothing"
    if summary.usurping:
        yield (
            f"write-gate: {some(summary.usurping, 'statement')} not taken: a row that nobody "
            "vouches for does not replace a trusted fact, nor archive one"
        )
    if summary.differing:
        yield (
            f"{some(summary.differing, 'row')} here in another state, which stays; "
            "`tideline show ID` shows it, and --merge takes the state that was stated later"
        )


def _sentence(summary: ImportSummary, trust: bool) -> str:
    parts = [f"{summary.added:,} added"]
    for count, what in (
        (summary.reinforced, "reinforced"),
        (summary.not_taken, "of these with labels that the known fact does not take"),
        (summary.superseded, "superseded"),
        (summary.older, "older than what is held"),
        (summary.brought["archived"], "archived, as the file says later"),
        (summary.brought["restored"], "restored, as the file says later"),
        (summary.brought["relabelled"], "with other labels, as the file says later"),
        (summary.ended, "copies archived that the file has forgotten since"),
        (summary.present, "there already"),
        (summary.forgotten, "of these forgotten here since"),
        (summary.used, "used more"),
        (summary.differing, "of these in another state, which stays"),
        (summary.links, "links"),
        (summary.unresolved, "left out that name nothing"),
        (summary.similar, "much like others and linked as similar"),
        (summary.skipped, "bad rows skipped"),
        (summary.threats, "blocked by the scan"),
        (summary.gated, "blocked by the write-gate"),
        (summary.confined, "confined to knowledge"),
        (summary.limited, "with less use, weight or time than they claim"),
        (summary.renamed, "under new ids (the stated ones are in metadata.original_id)"),
    ):
        if count:
            parts.append(f"{count:,} {what}")
    sources = "sources as stated" if trust else "as retrieved documents (--trust vouches for them)"
    return ", ".join(parts) + f"; {sources}"


def error_forms(summary: ImportSummary) -> list[dict[str, object]]:
    """Return what is wrong with the rows that were refused, the first hundred, for JSON."""
    return [
        {"line": line, "code": error.code, "message": error.message}
        for line, error in summary.errors
    ]


def _form(path: str, summary: ImportSummary, trust: bool) -> dict[str, object]:
    return {
        "file": path,
        "added": summary.added,
        "reinforced": summary.reinforced,
        "superseded": summary.superseded,
        "present": summary.present,
        "links": summary.links,
        "skipped": summary.skipped,
        "blocked": summary.blocked,
        "confined": summary.confined,
        "similar": summary.similar,
        "ignored": summary.not_taken,
        "limited": summary.limited,
        "renamed": summary.renamed,
        "source": "as_stated" if trust else "retrieved_document",
        "batch": summary.batch,
        "errors": error_forms(summary),
        "blocked_by": {"scan": summary.threats, "write_gate": summary.gated},
        "older": summary.older,
        "differing": summary.differing,
        "unresolved": [
            {"line": line, "reference": reference} for line, reference in summary.dangling
        ],
        "unresolved_count": summary.unresolved,
        "usurping": summary.usurping,
        "brought": summary.brought | {"used": summary.used, "copies": summary.ended},
        "forgotten": summary.forgotten,
        "before_1990": summary.early,
    }
