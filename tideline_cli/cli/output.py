"""Printing results: in which format, as JSON, as lines in a pipe, as a table on a terminal."""

from __future__ import annotations

import sys

from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.codec import dumps
from tideline_cli.model.fact import has_ended
from tideline_cli.policy.render import screen_json, screen_text, with_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Protocol, TypeVar

    class Telling(Protocol):
        """A fact, or what is read of one to tell it."""

        @property
        def title(self) -> str | None: ...
        @property
        def content(self) -> str: ...

    from tideline_cli.cli.filters import Formats
    from tideline_cli.cli.session import Session
    from tideline_cli.model.fact import Fact

    T = TypeVar("T")


def emit_json(value: object) -> None:
    """Print one JSON value on one line; on a terminal invisible characters are escapes in it."""
    text = dumps(value)
    if not text.isascii() and sys.stdout.isatty():
        text = screen_json(text)
    sys.stdout.write(text + "\n")


def emit_lines(lines: Sequence[str]) -> None:
    """Print lines; control characters in them are made visible, tabs between fields kept."""
    sys.stdout.write("".join(_screened(line) + "\n" for line in lines))


def emit_pages(session: Session, lines: Sequence[str]) -> None:
    """Print lines, on a terminal that has fewer by the pager."""
    text = "".join(_screened(line) + "\n" for line in lines)
    if sys.stdout.isatty():
        from tideline_cli.cli import terminal  # noqa: PLC0415  a pipe has none

        terminal.show_by_pager(session, text)
    else:
        sys.stdout.write(text)


def one_line(text: str) -> str:
    """Return a text as one line; a mark stands where it was folded."""
    if "\n" not in text:
        return " ".join(text.split())
    parts = (" ".join(line.split()) for line in text.split("\n"))
    mark = "⏎" if can_show("⏎") else "\\n"
    return f" {mark} ".join(part for part in parts if part)


def clipped(text: str, most: int = 60) -> str:
    """Return the beginning of a text on one line, for a message about it."""
    line = one_line(text)
    return line if len(line) <= most else line[: most - 1] + "…"


def told(fact: Telling) -> str:
    """Return a fact on one line, behind its title."""
    return one_line(with_title(fact.title, fact.content))


def brief(fact: Telling, most: int = 60) -> str:
    """Return the beginning of a fact, behind its title, for a message about it."""
    return one_line(with_title(fact.title, clipped(fact.content, most)))


def state(fact: Fact, *, now: int) -> str:
    """Return what a list says behind a fact that does not hold: archived, ended 20 Nov; else
    nothing."""
    if fact.lifecycle != "active":
        return fact.lifecycle
    if not has_ended(fact, now=now):
        return ""
    return f"ended {instant.short_day(fact.valid_to or 0, now=now)}"


def block(text: str) -> list[str]:
    """Return the lines of a text: one as it is, several indented, so that none of them passes for
    a line of ours."""
    if "\n" not in text:
        return [text]
    return [f"  {line}" if line else "" for line in text.split("\n")]


def can_show(signs: str) -> bool:
    """Say whether standard output has these signs in its encoding."""
    try:
        signs.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError, AttributeError):
        return False
    return True


def emit_exact(lines: Iterable[str]) -> None:
    """Print what another program reads, byte for byte; on a terminal, which would act on them,
    control characters are made visible."""
    is_seen = sys.stdout.isatty()
    for line in lines:
        if is_seen:
            body = line.removesuffix("\n")
            line = "\n".join(map(_screened, body.split("\n"))) + line[len(body) :]
        sys.stdout.write(line)


def visible(text: str) -> str:
    """Return a text as a terminal may show it, on one line."""
    return screen_text(text)


def emit_raw(text: str) -> None:
    """Print a text and nothing else: its bytes in UTF-8, whatever the locale; on a terminal as
    lines, with control characters made visible."""
    if sys.stdout.isatty():
        emit_lines(text.split("\n"))
        return
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    raw.write(text.encode("utf-8", "surrogateescape"))
    raw.flush()


def _screened(line: str) -> str:
    return "\t".join(map(screen_text, line.split("\t")))


def shown_origin(key: str) -> str:
    """Return the name of an origin for people; no two names may look the same."""
    if key.isascii():
        return key
    from tideline_cli.policy.origin_names import origin_name  # noqa: PLC0415  most names are ASCII

    return origin_name(key)


def labelled(lines: list[str], label: int) -> list[str]:
    """Return lines with a label of so many characters, on a terminal so that they fit: what goes on
    stands below the values."""
    if not sys.stdout.isatty():
        return lines
    from shutil import get_terminal_size  # noqa: PLC0415  on a terminal alone
    from textwrap import wrap  # noqa: PLC0415  re, on a terminal alone

    room = max(40, get_terminal_size().columns) - label
    return [
        f"{line[:label] if not place else ' ' * label}{part}"
        for line in lines
        for place, part in enumerate(wrap(line[label:], room, break_on_hyphens=False) or [""])
    ]


def is_terminal(session: Session) -> bool:
    """Say whether a person reads the results, so that a table is right."""
    return session.color == "always" or sys.stdout.isatty()


def deliver() -> None:
    """Flush what was printed, so that the reader need not wait for the work that follows."""
    sys.stdout.flush()


_FORM = "form:"  # before a form of tabulate


def named(options: Formats) -> str | None:
    """Return the format that options name, by `--format` or a short form."""
    if options.fmt is not None:
        return _FORM + options.fmt
    short = {"jsonl": options.jsonl or options.nl, "csv": options.csv, "tsv": options.tsv,
             "table": options.table}  # fmt: skip
    return next((name for name, is_on in short.items() if is_on), options.format)


def form_of(format: str) -> str:
    """Return the form of tabulate that a format means."""
    return {"table": "simple", "markdown": "github"}.get(format) or format.removeprefix(_FORM)


def chosen(session: Session, named: str | None, *, usual: str) -> str:
    """Return the format that a call asks for, by `--format` or a short form; else the usual one."""
    return named or ("json" if session.json else usual)


def of_rows(session: Session, options: Formats) -> str:
    """Return the format of rows: as the call says, else a table on a terminal."""
    return chosen(session, named(options), usual="table" if is_terminal(session) else "lines")


def is_json(session: Session, format: str) -> bool:
    """Say whether a call asks for one JSON object, which itself says when nothing was found."""
    return session.json or format == "json"


def check_beside_json(session: Session, format: str, allowed: Sequence[str]) -> None:
    """Raise UsageError for a format that is printed beside --json and is none of `allowed`."""
    if session.json and format not in allowed:
        raise UsageError(f"--json cannot go with --format {format}", hint="leave one of them out")


def show_list(
    session: Session, format: str, name: str, found: Sequence[T], *, none: str,
    form: Callable[[T], dict[str, Any]], line: Callable[[T], str], table: Callable[[], None],
) -> None:  # fmt: skip
    """Print rows that JSON has under one `name`; `none` is noted where there are none."""
    emit_rows(
        format, map(form, found), whole=lambda forms: {name: forms},
        lines=lambda: list(map(line, found)), table=table, is_empty=not found,
    )  # fmt: skip
    if not found and not is_json(session, format):
        session.note(none)


def emit_rows(
    format: str, forms: Iterable[dict[str, Any]], *, lines: Callable[[], Sequence[str]],
    whole: Callable[[list[dict[str, Any]]], dict[str, Any]],
    table: Callable[[], None] | None = None, is_empty: bool = False,
) -> None:  # fmt: skip
    """Print rows: as the one object that `whole` makes of their forms, as one object a row, as
    lines, or as a table, unless it were empty. Nothing is made that the format does not need."""
    if format == "json":
        emit_json(whole(list(forms)))
    elif format == "jsonl":
        for form in forms:
            emit_json(form)
    elif format == "table" and is_empty:
        emit_lines(lines())
    elif format == "table" and table is not None:
        table()
    elif format != "lines":
        from tideline_cli.cli import row_formats  # noqa: PLC0415  csv or tabulate

        if format in ("csv", "tsv"):
            emit_exact(row_formats.delimited(forms, tabs=format == "tsv"))
        else:
            emit_lines(row_formats.table(forms, form_of(format), one_line))
    else:
        emit_lines(lines())
