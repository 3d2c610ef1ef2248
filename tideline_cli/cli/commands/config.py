"""tideline config."""

from __future__ import annotations

import os
from difflib import get_close_matches

from tideline_cli import config
from tideline_cli.cli import output, terminal
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.options import Argument, OptionSet
from tideline_cli.cli.scopes import AUTO
from tideline_cli.cli.session import Session
from tideline_cli.config import origin_databases, project, replacing, saving, settings
from tideline_cli.config.settings import NO_MODEL, PROFILES, SETTINGS, TABLE, shown
from tideline_cli.errors import BusyError, CannotWriteError, StoreError, UsageError
from tideline_cli.llm.model_settings import Model, checked_model
from tideline_cli.memory.doctor import analyse_anew
from tideline_cli.model.forms.stems import LANGUAGES
from tideline_cli.model.record import as_dict
from tideline_cli.model.server_address import is_server, refuse_other, without_password
from tideline_cli.model.short_text import one_of
from tideline_cli.model.text import ANALYZERS, WITH_FORMS, languages_of
from tideline_cli.policy.sameness import SAMENESS
from tideline_cli.store import remote
from tideline_cli.store.connection import put_setting, setting, writing
from tideline_cli.store.private_files import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from tideline_cli.config.settings import Profile


    Offer = tuple[str, str]

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
_PATIENCE = 60.0
_DATABASE = ("home", "db", "path", "file", "folder", "store", "memory", "data")
_EMBEDDER = ("embedder", "embed_model", "embedding", "embeddings", "embedding_model", "vectors")
Options = OptionSet


def run(session: Session, words: list[str], _: OptionSet) -> int:
    """Run one action."""
    match words or ["list"]:
        case ["list"]:
            _list(session)
        case ["path"]:
            _say(session, "path", config.config_file(os.environ))
        case ["profiles"]:
            _show_profiles(session)
        case ["get", settings.TABLE]:
            _show_databases(session)
        case ["get", name]:
            _say(session, "value", _get(session, name))
        case ["set", name, value]:
            _set(session, name, value)
        case ["unset", name]:
            _unset(session, name)
        case ["edit"]:
            _edit(session, _own_folder())
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
    rows |= _database_rows(session)
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
        plain |= file_settings(session)
        output.emit_json(plain | {"project": project if found.project_file else None})
        return
    kept_in = "memory" if session.may_collide else "memory file"
    shown = [
        *((name, _seen(name, rows[name]), _came_from(session, value, rows[name]))
          for name, value in found.values.items() if not isinstance(rows[name], dict)),
        *_database_lines(session),
        *((one.name or "project", _text(one.value), f"ignored: {one.message}")
          for one in found.ignored),
        *((name, *((value, kept_in) if value is not None else ("", "not known")))
          for name, value in file_settings(session).items()),
    ]  # fmt: skip
    if output.is_terminal(session):
        drawer(session).settings(shown)
    else:
        output.emit_lines([f"{name}\t{value}\t({place})" for name, value, place in shown])


def _effective(name: str, value: Any) -> Any:
    """Return what holds, also where nothing is set."""
    setting = settings.SETTINGS[name]
    return settings.shown(name, setting.top or setting.usual if value is None else value)


def _came_from(session: Session, value: settings.Value, shown: Any) -> str:
    if value is session.config.values["database"] and _own_address(session):
        return session.named_by
    return "not set" if value.came_from == "default" and shown in (None, ()) else value.came_from


def _trust(session: Session, folder: str = ".") -> None:
    """Trust the project file that counts in a folder, as it is now."""
    path = _project_file(folder)
    why, remedy = project.distrust(path)
    if why:
        raise UsageError(f"{path} cannot be trusted: {why}", hint=remedy)
    file = project.read_file(path)
    project.set_trusted_digest(_own_folder(), path, project.digest(file.raw))
    if session.json:
        values = {name: _plain(value) for name, value in file.values.items()}
        output.emit_json({"file": path, "trusted": True, "settings": values})
        return
    output.emit_lines([f"trusted {path}"])
    output.emit_lines([f"{name}\t{_text(value)}" for name, value in file.values.items()])


def _untrust(session: Session, folder: str = ".") -> None:
    path = _project_file(folder, is_gone=True)
    changed = project.set_trusted_digest(_own_folder(), path, "")
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
    near = get_close_matches(name.lower().replace("-", "_"), known)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise UsageError(f"unknown setting: {name!r}", hint=f"{hint}`tideline config list` has all")


def _get(session: Session, name: str) -> str:
    if name in OF_FILE:
        return file_setting(session, name)
    _check_name(name, (*settings.SETTINGS, *OF_FILE))
    rows = {name: _effective(name, session.config.get(name))} | _database_rows(session)
    return _text(rows[name])


def _set(session: Session, name: str, value: str) -> None:
    if name in OF_FILE:
        checked = change_file_setting(session, name, value)
        _put(session, name, checked, session.database)
        return
    _check_name(name, (*settings.SETTINGS, *OF_FILE))
    _check_model(name, value)
    _check_database(name, value)
    _own_folder()
    path = config.config_file(os.environ)
    if _names_one_origin(session, name):
        name, value = _put_database(session, value)
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
    _own_folder()
    path = config.config_file(os.environ)
    if _names_one_origin(session, name):
        name, changed = _take_back_database(session)
    else:
        changed = saving.remove_setting(path, name)
    if session.json:
        output.emit_json({"name": name, "changed": changed, "file": path})
    elif not changed:
        session.note(f"{name} is not set in {path}")
    session.detail(f"{name} is not set in {path} any more")


def _check_model(name: str, value: str) -> None:
    """Raise UsageError for a command or an address that cannot be asked; empty is not set."""
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


def _database_rows(session: Session) -> dict[str, Any]:
    """Return what a call sees of `database` and the table, where it is not as the settings say."""
    found: dict[str, Any] = {}
    if table := session.config.get(TABLE):
        found[TABLE] = _visible_table(session, table)
        if address := _own_address(session):
            found["database"] = address
    return found


def _database_lines(session: Session) -> list[tuple[str, str, str]]:
    """Return a row for each origin that has a database of its own: its name, its address, where it
    is said."""
    table = session.config.get(TABLE) or {}
    place = session.config.values[TABLE].came_from
    seen = _visible_table(session, table)
    return [(_database_name(key), address, place) for key, address in seen.items()]


def _show_databases(session: Session) -> None:
    """Print the table."""
    table = _visible_table(session, session.config.get(TABLE) or {})
    if session.json:
        output.emit_json({"value": table})
    else:
        output.emit_lines([f"{key}\t{address}" for key, address in table.items()])


def _own_address(session: Session) -> str:
    """Return the address that this origin has of its own, as it may be shown; empty for none."""
    if not session.named_by.startswith(TABLE):
        return ""
    return without_password(session.stated_database)


def _check_database(name: str, value: str) -> None:
    """Raise UsageError for an address of a database that no command would take."""
    if name != "database":
        return
    refuse_other(value)
    if is_server(value):
        remote.for_library(value)


def _names_one_origin(session: Session, name: str) -> bool:
    """Say whether a call is about the database of one origin: it names another than the owner."""
    return name == "database" and bool(session.options.origin) and not session.viewer.is_owner


def _put_database(session: Session, address: str) -> tuple[str, str]:
    """Give an origin a database of its own, and return what was set, and its address as it may be
    shown. Say what this origin has left where it wrote before."""
    from tideline_cli.cli import own_databases  # noqa: PLC0415  subprocess; one action alone
    if not is_server(address):
        if not address.strip():
            raise UsageError("not a path: the database's name is empty", hint="name a file")
        address = os.path.abspath(os.path.expanduser(address))
    key = _origin_key(session)
    saving.save_origin_database(config.config_file(os.environ), key, address)
    own_databases.tell_of_change(session)
    return _database_name(key), without_password(address)


def _take_back_database(session: Session) -> tuple[str, bool]:
    """Take the database of an origin back, and say that its facts stay there; return what was
    unset, and whether it was set."""
    key = _origin_key(session)
    gone = without_password(saving.remove_origin_database(config.config_file(os.environ), key))
    if gone:
        session.note(f"what {key} has stored in {gone} stays there, and is not seen without "
                     "--db any more")  # fmt: skip
    return _database_name(key), bool(gone)


def _visible_table(session: Session, table: Any) -> dict[str, str]:
    """Return the table as this origin may see it: without passwords, and but for the owner without
    the rows of others."""
    viewer = session.viewer
    found: dict[str, str] = shown(TABLE, table) or {}
    return {key: one for key, one in found.items() if viewer.is_owner or key == viewer.key}


def _database_name(key: str) -> str:
    return f"database of {output.shown_origin(key)}"


def _origin_key(session: Session) -> str:
    return origin_databases.origin_key(session.viewer.key)


_USUAL = "append"


def _show_profiles(session: Session) -> None:
    """Print the profiles, and which one holds."""
    chosen = session.profile(None) or "tideline"
    if session.json:
        rows = [as_dict(row) for row in PROFILES.values()]
        output.emit_json({"profiles": rows, "profile": chosen})
        return
    on_terminal = output.is_terminal(session)
    lines: list[str] = []
    for row in PROFILES.values():
        mark = "chosen" if row.name == chosen else ""
        in_one_line = "\t".join(_profile_cells(row, mark)).rstrip()
        lines += _profile_lines(row, mark) if on_terminal else [in_one_line]
    output.emit_lines(lines)


def _profile_lines(row: Profile, mark: str) -> list[str]:
    """Return lines that fit a narrow terminal."""
    name, mode, fusion, decay, use, limit, block, budget, _ = _profile_cells(row, mark)
    return [
        f"{name}{' (chosen)' if mark else ''}: {row.help}",
        f"  mode {mode}, fusion {fusion}, decay {decay}",
        f"  {limit} hits, use {use}",
        f"  block {block}, {budget}",
    ]


def _profile_cells(row: Profile, mark: str) -> tuple[str, ...]:
    budget = f"{row.max_chars} characters"
    if row.max_tokens is not None:
        budget += f", {row.max_tokens} tokens"
    return (
        row.name, row.mode, row.fusion or _USUAL, row.decay,
        "counts" if row.touches else "does not count", str(row.limit), row.block, budget, mark,
    )  # fmt: skip


_DRAFT = ".draft"
_EDITOR_HINT = "set VISUAL or EDITOR, or use `tideline config set NAME VALUE`"


def _edit(session: Session, folder: str) -> None:
    """Have the settings edited. What is not allowed is kept beside the file as a draft, which the
    next edit begins with; the settings stay as they are."""
    if session.no_input:
        raise UsageError("an editor needs somebody to type", hint=_EDITOR_HINT)
    path = config.config_file(os.environ)
    draft = os.path.join(folder, os.path.basename(path) + _DRAFT)
    before = saving.current(path)
    # What the last edit left and was not allowed comes first.
    begun = saving.current(draft) or before or _template()
    text = terminal.edited(begun, name="config.toml", hint=_EDITOR_HINT)
    changed = text != before and text != _template()
    if changed:
        _save_edited(path, text, before, draft)
    if os.path.lexists(draft):
        os.unlink(draft)
    if not changed:
        session.note("nothing changed")
    session.detail(f"the settings are in {path}")


def _save_edited(path: str, text: str, before: str, draft: str) -> None:
    try:
        saving.save_text(path, text, before=before)
    except UsageError as error:
        with replacing.FolderLock(draft):
            replacing.replace_file(draft, text)
        raise UsageError(
            f"not saved: {error.message}",
            hint=f"{error.hint}; `tideline config edit` goes on with your text, kept in {draft}",
        ) from error


def _template() -> str:
    """Return the text to begin with where there is no file: each setting, as a comment."""
    return "".join(f"# {name}: {setting.help}\n" for name, setting in SETTINGS.items())


NO_LANGUAGE = "none"
OF_FILE: dict[str, tuple[str, ...]] = {
    "analyzer": ANALYZERS, "language": (NO_LANGUAGE, *LANGUAGES), "sameness": SAMENESS
}  # fmt: skip

_OF_ANALYZER: dict[str, Callable[[str], str]] = {
    "analyzer": lambda held: held.partition("/")[0],
    "language": lambda held: ",".join(languages_of(held)) or NO_LANGUAGE,
}
"""The settings that the analyser of a file says."""


def file_setting(session: Session, name: str) -> str:
    """Return the value of a setting of the file, the usual one where there is no file yet."""
    db = session.reading()
    if name in _OF_ANALYZER:
        held = WITH_FORMS if db is None else setting(db, "analyzer", "standard")
        return _OF_ANALYZER[name](held)
    default = OF_FILE[name][0]
    return default if db is None else setting(db, name, default)


def file_settings(session: Session) -> dict[str, str | None]:
    """Return the settings of the memory by their names, None for each where the memory cannot be
    opened: then somebody looks what the settings name. That is told."""
    try:
        return {name: file_setting(session, name) for name in OF_FILE}
    except (StoreError, CannotWriteError, BusyError, UsageError) as error:
        session.caution(error.code, error.message, hint=error.hint)
        return dict.fromkeys(OF_FILE)


def change_file_setting(session: Session, name: str, value: str) -> str:
    """Set a setting of the file, and return its value as it is kept."""
    session.needs_owner("only the owner may change the memory file")
    checked = _languages(value) if name == "language" else one_of(value, OF_FILE[name], name)
    db = session.writing()
    if name in _OF_ANALYZER:
        count = analyse_anew(db, _analyzer(setting(db, "analyzer", "standard"), name, checked))
        session.note(f"{count:,} facts analysed anew")
    else:
        with writing(db):
            put_setting(db, name, checked)
    return checked


def _languages(value: str) -> str:
    """Return codes of languages with commas, each once, as the analyser has them."""
    codes = [code.strip().lower() for code in value.split(",") if code.strip()]
    if codes in ([], [NO_LANGUAGE]):
        return NO_LANGUAGE
    return ",".join(sorted({one_of(code, tuple(LANGUAGES), "language") for code in codes}))


def _analyzer(held: str, name: str, value: str) -> str:
    """Return the analyser that a setting makes of the one that a file has."""
    if name == "analyzer" and value == "reference":
        return value
    if name == "language" and held == "reference":
        raise UsageError(
            "the reference analyser knows no language", hint="tideline config set analyzer standard"
        )
    named = value if name == "language" else ",".join(languages_of(held)) or NO_LANGUAGE
    return WITH_FORMS if named == NO_LANGUAGE else f"{WITH_FORMS}:{named}"


def setting_offers(
    start: str, words: Sequence[str], scopes: Callable[[], Iterable[Offer]]
) -> list[Offer]:
    """Return what begins so and may follow the words of a line; `scopes` are those there are."""
    said = [word for word in words if not word.startswith("-")]
    match said[said.index("config") + 1 :]:
        case ["get" | "set" as action] | ["unset" as action]:
            found = _setting_names(of_file=action != "unset")
        case ["set", "scope"]:
            found = [(AUTO, "the git repository"), *scopes()]
        case ["set", name]:
            found = [(value, "") for value in _SETTING_VALUES.get(name, ())]
        case _:
            found = []
    return [offer for offer in found if offer[0].startswith(start)]


_SETTING_VALUES = {
    "llm": (NO_MODEL,), **OF_FILE,
    **{name: setting.words for name, setting in SETTINGS.items() if setting.words},
}  # fmt: skip


def _setting_names(*, of_file: bool) -> list[Offer]:
    names = [(name, setting.help) for name, setting in SETTINGS.items()]
    return names + [(name, "of the memory file") for name in OF_FILE if of_file]
