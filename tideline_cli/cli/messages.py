"""What goes to stderr: notes, warnings and errors, as lines for people or as JSON lines."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN = 50  # characters of a text beside its id
_BESIDE = 31  # columns of the id and what parts it from the text


def tell(text: str) -> None:
    """Write to stderr; where that cannot be done, nothing is written, and that is no error."""
    try:
        sys.stderr.write(text)
    except (OSError, ValueError):
        return


def tell_form(form: Mapping[str, object]) -> None:
    """Write one JSON object on a line of its own, with escapes for what acts on a terminal."""
    from tideline_cli.model.codec import dumps  # noqa: PLC0415  plain notes need no JSON

    text = dumps(form)
    if not text.isascii() and sys.stderr is not None and sys.stderr.isatty():
        from tideline_cli.policy.render import screen_json  # noqa: PLC0415  as above

        text = screen_json(text)
    tell(text + "\n")


def note(text: str, *, as_json: bool = False) -> None:
    """Tell the user one line that is not a result; control characters are made visible."""
    if as_json:
        tell_form({"note": {"message": text}})
    else:
        tell(f"tideline: {printable(text)}\n")


def warn(code: str, text: str, *, hint: str = "", as_json: bool = False) -> None:
    """Warn the user of what could do harm, with a hint what to do."""
    if as_json:
        tell_form({"warning": {"code": code, "message": text, "hint": hint}})
    else:
        note(f"{text}; {hint}" if hint else text)


def interrupted(how_far: str, *, hint: str, as_json: bool) -> None:
    """Tell how far work came that the user has stopped, and how to go on."""
    if as_json:
        told = {"code": "interrupted", "message": f"interrupted; {how_far}", "hint": hint}
        tell_form({"error": told})
    else:
        note(f"interrupted; {how_far}; {hint}")


def shows_progress(*, quiet: bool, as_json: bool) -> bool:
    """Say whether a progress bar is shown: on a terminal, where stderr is for a person."""
    return not (quiet or as_json) and sys.stderr.isatty()


def printable(text: str) -> str:
    """Return text as a terminal may show it; where no module can be loaded, as plain ASCII."""
    try:
        from tideline_cli.policy.render import screen_text  # noqa: PLC0415  an error may be that
    except (ImportError, OSError):
        return ascii(text)[1:-1]
    return screen_text(text)


def first_words(text: str) -> str:
    """Return the first words of a text, on one line that fits the terminal beside an id."""
    try:
        room = max(_SHOWN // 2, min(_SHOWN, os.get_terminal_size(2).columns - _BESIDE))
    except OSError:
        room = _SHOWN
    line = " ".join(text[:200].split())
    if line.isascii():
        return line if len(line) <= room else line[: room - 1] + "…"
    widths = list(map(_columns, line))
    if sum(widths) <= room:
        return line
    while sum(widths) >= room:
        widths.pop()
    return line[: len(widths)] + "…"


def _columns(char: str) -> int:
    """Return how many columns a terminal has for a character."""
    from unicodedata import east_asian_width  # noqa: PLC0415  plain words are one column a letter

    return 2 if east_asian_width(char) in "WF" else 1


def tell_fact(fact_id: str, text: str) -> None:
    """Write the id of a fact and its first words, on a line below a note; it fits the terminal."""
    tell(f"  {fact_id}  {printable(first_words(text))}\n")


def traceback_lines() -> list[str]:
    """Return the traceback of the error that is being handled."""
    import traceback  # noqa: PLC0415  only --debug

    return traceback.format_exc().split("\n")
