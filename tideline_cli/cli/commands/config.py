"""tideline config."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.cli import config_databases, file_settings, output, which_database
from tideline_cli.cli.file_settings import OF_FILE
from tideline_cli.cli.model_options import NO_MODEL
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.config import settings
from tideline_cli.errors import UsageError
from tideline_cli.model.record import record
from tideline_cli.store.folders import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

HELP = """Show and change settings.

ACTION is list (with where each value comes from), get NAME, set NAME VALUE, unset NAME, edit (in
$VISUAL or $EDITOR; the file changes only when what you leave is allowed), path, profiles, trust
[DIR] or untrust [DIR]. `profiles` prints the ways of ranking and showing that --profile and the
setting `profile` name, and marks the one that holds. A flag wins over the environment, that over
the project's .tideline.toml, that over your config.toml.

A project file (in the working folder or above it) may set tags, fading, a scope, and limits lower
than yours. A scope says which facts of your memory are written and seen there, those of other
projects too: what sees them says so until you trust the file with `trust`, and doors for programs
take it until then only where it shows no more. The origin that a file names counts only once you
trust it, and no more when the file changes or moves. A file is ignored where it is not yours or
others may write it. `context --auto` takes no origin from it.

An origin may have a database of its own: `set database ADDRESS --origin NAME` writes a row of the
table origin_databases in your config.toml, `unset database --origin NAME` takes it out. Commands of
that origin open that database; --db and TIDELINE_DB win over the table. Passwords in it are not
shown, and another origin than the owner sees its own row alone.

Three settings belong to the memory file. `analyzer` is standard or reference; setting it analyses
all facts anew, also those of a file that an older version has made. `language` names, by codes with
commas (de, fr, pl …), languages in Latin letters whose words shall be found in any of their forms;
none is none. English and other scripts need no name. `sameness` is strict or reference: whether two
texts with nearly the same words must also agree in order, names, figures and negations before one
of them counts as a restatement."""
EXAMPLES = (("list", ""), ("set limit 5", ""), ("trust", "."),
            ("set database ~/ops.db --origin channel:chat/ops/board", ""))
ARGUMENTS = (
    Argument("words", "ACTION", "list, get NAME, set NAME VALUE, unset NAME, edit, path, "
             "profiles, trust [DIR], untrust [DIR].", "word", True, 0,
             ("list", "get", "set", "unset", "edit", "path", "profiles", "trust", "untrust"),
             ("", "setting", "setting", "")),
)  # fmt: skip
OPTIONS: tuple[Option, ...] = ()
_PATIENCE = 60.0
_DATABASE = ("home", "db", "path", "file", "folder", "store", "memory", "data")
_EMBEDDER = ("embedder", "embed_model", "embedding", "embeddings", "embedding_model", "vectors")


@record
class Options:
    """The options of a call: none but the global ones."""


def run(session: Session, words: list[str], _: Options) -> int:
    """Run one action."""
    match words or ["list"]:
        case ["list"]:
            _list(session)
        case ["path"]:
            _say(session, "path", config.config_file(os.environ))
        case ["profiles"]:
            from tideline_cli.cli import profile_list  # noqa: PLC0415  one action alone

            profile_list.run(session)
        case ["get", settings.TABLE]:
            config_databases.show(session)
        case ["get", name]:
            _say(session, "value", _get(session, name))
        case ["set", name, value]:
            _set(session, name, value)
        case ["unset", name]:
            _unset(session, name)
        case ["edit"]:
            from tideline_cli.cli import config_edit  # noqa: PLC0415  tomlkit, 50 ms

            config_edit.run(session, _own_folder())
        case ["trust", *folder] if len(folder) < 2:
            _trust(session, *folder)
        case ["untrust", *folder] if len(folder) < 2:
            _untrust(session, *folder)
        case _:
            raise UsageError(
                "config takes list, get NAME, set NAME VALUE, unset NAME, edit, path, profiles, "
                "trust [DIR] or untrust [DIR]",
                hint="tideline config list",
            )
    return 0


def _list(session: Session) -> None:
    found = session.config
    rows = {name: _effective(name, value.value) for name, value in found.values.items()}
    rows |= config_databases.rows(session)
    if session.json:
        project = {
            "file": found.project_file,
            "ignored": [
                {"name": one.name or None, "value": _plain(one.value), "code": one.code,
                 "message": one.message, "hint": one.hint}
                for one in found.ignored
            ],
        }  # fmt: skip
        plain: dict[str, Any] = {name: _plain(value) for name, value in rows.items()}
        plain |= file_settings.values(session)
        output.emit_json(plain | {"project": project if found.project_file else None})
        return
    kept_in = "memory" if session.may_collide else "memory file"
    shown = [
        *((name, _seen(name, rows[name]), _came_from(session, value, rows[name]))
          for name, value in found.values.items() if not isinstance(rows[name], dict)),
        *config_databases.lines(session),
        *((one.name or "project", _text(one.value), f"ignored: {one.message}")
          for one in found.ignored),
        *((name, *((value, kept_in) if value is not None else ("", "not known")))
          for name, value in file_settings.values(session).items()),
    ]  # fmt: skip
    if output.is_terminal(session):
        from tideline_cli.cli import tables  # noqa: PLC0415  rich, 20 ms

        tables.settings(session, shown)
    else:
        output.emit_lines([f"{name}\t{value}\t({place})" for name, value, place in shown])


def _effective(name: str, value: Any) -> Any:
    """Return what holds, also where nothing is set."""
    setting = settings.SETTINGS[name]
    return settings.shown(name, setting.top or setting.usual if value is None else value)


def _came_from(session: Session, value: settings.Value, shown: Any) -> str:
    if value is session.config.values["database"] and config_databases.own(session):
        return which_database.named_by(session)
    return "not set" if value.came_from == "default" and shown in (None, ()) else value.came_from


def _trust(session: Session, folder: str = ".") -> None:
    """Trust the project file that counts in a folder, as it is now."""
    from tideline_cli.config import project, trust  # noqa: PLC0415  tomllib, 10 ms

    path = _project_file(folder)
    why, remedy = project.distrust(path)
    if why:
        raise UsageError(f"{path} cannot be trusted: {why}", hint=remedy)
    file = project.read_file(path)
    trust.set_trusted_digest(_own_folder(), path, trust.digest(file.raw))
    if session.json:
        values = {name: _plain(value) for name, value in file.values.items()}
        output.emit_json({"file": path, "trusted": True, "settings": values})
        return
    output.emit_lines([f"trusted {path}"])
    output.emit_lines([f"{name}\t{_text(value)}" for name, value in file.values.items()])


def _untrust(session: Session, folder: str = ".") -> None:
    from tideline_cli.config import trust  # noqa: PLC0415  only here

    path = _project_file(folder, is_gone=True)
    changed = trust.set_trusted_digest(_own_folder(), path, "")
    if session.json:
        output.emit_json({"file": path, "trusted": False, "changed": changed})
    else:
        output.emit_lines([f"{path} is trusted no more" if changed else f"{path} was not trusted"])


def _own_folder() -> str:
    folder = os.path.dirname(config.config_file(os.environ))
    make_folder(folder)
    return folder


def _project_file(folder: str, *, is_gone: bool = False) -> str:
    """Return the project file that counts in a folder; where it may be gone, that of the folder."""
    if "\x00" in folder:
        raise UsageError("the name of the folder is none", hint="tideline config trust DIR")
    folder = os.path.abspath(os.path.expanduser(folder))
    if os.path.basename(folder) == config.PROJECT_FILE:
        folder = os.path.dirname(folder)
    path = config.project_file(folder)
    if path is None and is_gone:
        return os.path.join(folder, config.PROJECT_FILE)
    if path is None:
        raise UsageError(
            f"there is no {config.PROJECT_FILE} in {folder} or above it",
            hint="name the folder of the project",
        )
    return path


def _check_name(name: str, known: Sequence[str]) -> None:
    """Raise UsageError for a name that no setting has, with those that are meant."""
    if name in known:
        return
    if name.lower().replace("-", "_") in _EMBEDDER:
        raise UsageError(
            f"{name} is no setting: each memory file has an embedder of its own",
            hint="tideline embedder use NAME; `tideline embedder list` has the names",
        )
    if name.lower().replace("-", "_").removeprefix("tideline_") in _DATABASE:
        raise UsageError(
            f"unknown setting: {name!r}", hint="did you mean database? It is the path of the memory"
            " file; TIDELINE_HOME moves the settings and all else as well",
        )  # fmt: skip
    from difflib import get_close_matches  # noqa: PLC0415  a wrong name alone

    near = get_close_matches(name.lower().replace("-", "_"), known)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise UsageError(f"unknown setting: {name!r}", hint=f"{hint}`tideline config list` has all")


def _get(session: Session, name: str) -> str:
    if name in OF_FILE:
        return file_settings.value_of(session, name)
    _check_name(name, (*settings.SETTINGS, *OF_FILE))
    rows = {name: _effective(name, session.config.get(name))} | config_databases.rows(session)
    return _text(rows[name])


def _set(session: Session, name: str, value: str) -> None:
    if name in OF_FILE:
        checked = file_settings.change(session, name, value)
        _put(session, name, checked, session.database)
        return
    _check_name(name, (*settings.SETTINGS, *OF_FILE))
    _check_model(name, value)
    config_databases.check(name, value)
    from tideline_cli.config import saving  # noqa: PLC0415  tomlkit, 50 ms

    _own_folder()
    path = config.config_file(os.environ)
    if config_databases.is_meant(session, name):
        name, value = config_databases.put(session, value)
    else:
        saving.save_setting(path, name, value)
    _put(session, name, value, path)


def _unset(session: Session, name: str) -> None:
    if name in OF_FILE:
        raise UsageError(
            f"{name} belongs to the memory file, and has always a value",
            hint=f"tideline config set {name} {OF_FILE[name][0]}",
        )
    _check_name(name, tuple(settings.SETTINGS))
    from tideline_cli.config import saving  # noqa: PLC0415  tomlkit, 50 ms

    _own_folder()
    path = config.config_file(os.environ)
    if config_databases.is_meant(session, name):
        name, changed = config_databases.take_back(session)
    else:
        changed = saving.remove_setting(path, name)
    if session.json:
        output.emit_json({"name": name, "changed": changed, "file": path})
    elif not changed:
        session.note(f"{name} is not set in {path}")
    session.detail(f"{name} is not set in {path} any more")


def _check_model(name: str, value: str) -> None:
    """Raise UsageError for a command or an address that cannot be asked; empty is not set."""
    from tideline_cli.llm.model_settings import Model, checked_model  # noqa: PLC0415  urllib, 10 ms

    if name == "llm" and value.strip() and value.strip().lower() != NO_MODEL:
        checked_model(Model(value, None, None, None, _PATIENCE))
    if name == "base_url" and value.strip():
        checked_model(Model(None, value, "any", None, _PATIENCE))


def _put(session: Session, name: str, value: str, path: str) -> None:
    """Say what was set where, with --json or --verbose."""
    if session.json:
        output.emit_json({"name": name, "value": value, "file": path})
    session.detail(f"{name} is set in {path}")


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
