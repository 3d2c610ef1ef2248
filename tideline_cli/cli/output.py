"""Printing results: JSON, plain lines in a pipe, a table on a terminal."""

from __future__ import annotations

import sys

from tideline_cli.model.codec import dumps
from tideline_cli.policy.render import screen_json, screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tideline_cli.cli.session import Session


def emit_json(value: object) -> None:
    """Print one JSON value on one line; on a terminal invisible characters are escapes in it."""
    text = dumps(value)
    if not text.isascii() and sys.stdout.isatty():
        text = screen_json(text)
    sys.stdout.write(text + "\n")


def emit_lines(lines: Sequence[str]) -> None:
    """Print lines; control characters in them are made visible, tabs between fields kept."""
    sys.stdout.write("".join(_screened(line) + "\n" for line in lines))


def emit_exact(lines: Iterable[str]) -> None:
    """Print what another program reads, byte for byte; on a terminal, which would act on them,
    control characters are made visible."""
    is_seen = sys.stdout.isatty()
    for line in lines:
        if is_seen:
            body = line.removesuffix("\n")
            line = "\n".join(map(_screened, body.split("\n"))) + line[len(body) :]
        sys.stdout.write(line)


def _screened(line: str) -> str:
    return "\t".join(map(screen_text, line.split("\t")))


def shown_origin(key: str) -> str:
    """Return the name of an origin for people; no two names may look the same."""
    if key.isascii():
        return key
    from tideline_cli.policy.origin_names import origin_name  # noqa: PLC0415  most names are ASCII

    return origin_name(key)


def is_terminal(session: Session) -> bool:
    """Say whether a person reads the results, so that a table is right."""
    return session.color == "always" or (sys.stdout.isatty() and session.color != "never")


def deliver() -> None:
    """Flush what was printed, so that the reader need not wait for the work that follows."""
    sys.stdout.flush()
