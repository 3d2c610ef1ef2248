"""tideline config."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.memory.analysis import analyse_anew
from tideline_cli.model.fact import one_of
from tideline_cli.model.text import ANALYZERS
from tideline_cli.policy.sameness import SAMENESS
from tideline_cli.store.connection import put_setting, setting, writing
from tideline_cli.store.folders import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HELP = """Show and change settings.

ACTION is list (with where each value comes from), get NAME, set NAME VALUE, or path. A flag wins
over the environment, that over the project's .tideline.toml, that over your config.toml.

Two settings belong to the memory file. `analyzer` is standard or reference; changing it makes the
index anew. `sameness` is strict or reference: whether two texts with nearly the same words must
also agree in order, names, figures and negations before one of them counts as a restatement."""
EXAMPLES = (("list", ""), ("set limit 5", ""))
ARGUMENTS = (
    Argument("words", "ACTION", "list, get NAME, set NAME VALUE, path.", "word", True, 0,
             ("list", "get", "set", "path")),
)  # fmt: skip
OPTIONS: tuple[Option, ...] = ()
_OF_FILE: dict[str, tuple[str, ...]] = {"analyzer": ANALYZERS, "sameness": SAMENESS}


def run(session: Session, *, words: list[str]) -> int:
    """Run one action."""
    match words or ["list"]:
        case ["list"]:
            _list(session)
        case ["path"]:
            _say(session, "path", config.config_file(os.environ))
        case ["get", name]:
            _say(session, "value", _get(session, name))
        case ["set", name, value]:
            _set(session, name, value)
        case _:
            raise UsageError(
                "config takes list, get NAME, set NAME VALUE, or path", hint="tideline config list"
            )
    return 0


def _list(session: Session) -> None:
    values = session.config.values
    rows = {name: config.shown(name, value.value) for name, value in values.items()}
    if session.json:
        output.emit_json({name: _plain(value) for name, value in rows.items()})
        return
    output.emit_lines(
        [
            f"{name}\t{_seen(name, rows[name])}\t({value.origin})"
            for name, value in values.items()
        ]
        + [f"{name}\t{_get(session, name)}\t(memory file)" for name in _OF_FILE]
    )


def _get(session: Session, name: str) -> str:
    if name in _OF_FILE:
        db = session.reading()
        default = _OF_FILE[name][0]
        return default if db is None else setting(db, name, default)
    one_of(name, (*config.SETTINGS, *_OF_FILE), "setting")
    return _text(config.shown(name, session.config.get(name)))


def _set(session: Session, name: str, value: str) -> None:
    if name in _OF_FILE:
        if not session.viewer.is_owner:
            raise UsageError("only the owner may change the memory file", hint="leave out --origin")
        _set_of_file(session, name, one_of(value, _OF_FILE[name], name))
        return
    one_of(name, (*config.SETTINGS, *_OF_FILE), "setting")
    path = config.config_file(os.environ)
    make_folder(os.path.dirname(path))
    config.write(path, name, value)


def _set_of_file(session: Session, name: str, value: Any) -> None:
    db = session.writing()
    if name == "analyzer":
        session.note(f"{analyse_anew(db, value):,} facts analysed anew")
        return
    with writing(db):
        put_setting(db, name, value)


def _say(session: Session, key: str, value: str) -> None:
    if session.json:
        output.emit_json({key: value})
    else:
        output.emit_lines([value])


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _seen(name: str, value: Any) -> str:
    return output.shown_origin(_text(value)) if name == "origin" else _text(value)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return ",".join(value) if isinstance(value, tuple) else str(value)
