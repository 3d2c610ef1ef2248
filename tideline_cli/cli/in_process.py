"""Commands run inside this process, for a door that asks many: one at a time, as with `--json`."""

from __future__ import annotations

import io
import json
import sys
from contextlib import contextmanager
from threading import Lock

from tideline_cli.cli.commands import options_of
from tideline_cli.cli.perform import perform
from tideline_cli.serve.http.answers import Printed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from tideline_cli.cli.options import Option

_YES, _NO = ("", "1", "true", "yes", "on"), ("0", "false", "no", "off")
_USAGE = 2
_ONE_AT_A_TIME = Lock()


class InProcess:
    """Runs commands with the same global options. They print into memory: standard streams belong
    to the whole process, so one waits for the other."""

    def __init__(self, *, db: str, origin: str) -> None:
        self._beside = {"db": db, "origin": origin, "json": True, "no_input": True}

    def __call__(self, name: str, words: list[str], options: Mapping[str, Any]) -> Printed:
        given: dict[str, Any] = {}
        for option in options_of(name):
            if option.name in options:
                try:
                    given[option.name] = _given(option, options[option.name])
                except ValueError as error:
                    return _refused(str(error))
        if self._beside.keys() & given.keys():
            return _refused("not an option of a request")
        given = {key: value for key, value in given.items() if value is not None}
        with _ONE_AT_A_TIME, _captured() as (out, err):
            code = perform(name, {"words": words, **given, **self._beside}, lambda _: None)
        return Printed(code, _text(out), tuple(_objects(_text(err))))


def _given(option: Option, value: Any) -> Any:
    """Return what a parser would give for an option: a flag, or its texts."""
    if value is True:
        return True
    texts = list(value)
    if option.kind == "flag":
        if texts[-1].lower() not in (*_YES, *_NO):
            raise ValueError(f"{option.name} is true or false")
        return True if texts[-1].lower() in _YES else None
    if option.many:
        return texts
    if len(texts) > 1:
        raise ValueError(f"{option.name} stands there more than once")
    return texts[0]


def _refused(message: str) -> Printed:
    error = {"code": "usage", "message": message, "hint": ""}
    return Printed(_USAGE, "", ({"error": error},))


@contextmanager
def _captured() -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Let the standard streams be memory, in UTF-8, and standard input empty."""
    kept = sys.stdin, sys.stdout, sys.stderr
    out, err = _stream(), _stream()
    sys.stdin, sys.stdout, sys.stderr = _stream(), out, err
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="\n")


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that a command has told on stderr, one a line."""
    for line in text.rstrip("\n").split("\n") if text else ():
        try:
            form = json.loads(line)
        except ValueError:
            form = None
        yield form if isinstance(form, dict) else {"note": {"message": line}}
