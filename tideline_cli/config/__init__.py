"""The settings of one run: flag > environment > project file > user file > default."""

from __future__ import annotations

import os
import sys

from tideline_cli.config.settings import SETTINGS, Value, parse_value
from tideline_cli.errors import UsageError
from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tideline_cli.config.project import Ignored, Project

_UNSET = Value(None, "default")  # of most settings: one for all of them
PROJECT_FILE = ".tideline.toml"
_YES = ("1", "true", "yes", "on", "y", "t")
_NO = ("", "0", "false", "no", "off", "n", "f")
_OURS = "TIDELINE_"
SWITCHES = ("TIDELINE_DISABLE_EXTRACT", "TIDELINE_ALLOW_NETWORK_FS", "TIDELINE_HOOKS")
_KNOWN = frozenset((*(setting.env for setting in SETTINGS.values()), *SWITCHES, "TIDELINE_HOME",
                    "TIDELINE_NOW", "TIDELINE_API_KEY", "TIDELINE_SYNC_KEY"))  # fmt: skip


class Config(Record):
    """The settings of one run.

    `own_origin` is the origin without the project file. `ignored` is what a project file says and
    what is not taken, `offered` the scope of one that is not trusted, for a program. `strays` are
    variables of the environment that begin like ours and are unknown. `own_scope` is the scope
    without the project file, where that one is not trusted and names one that is taken.
    """

    values: Mapping[str, Value]
    own_origin: str
    project_file: str | None = None
    ignored: tuple[Ignored, ...] = ()
    strays: tuple[str, ...] = ()
    offered: Ignored | None = None
    own_scope: Value | None = None

    def get(self, name: str) -> Any:
        """Return a setting's value."""
        return self.values[name].value


def load(environ: Mapping[str, str], folder: str | None, *, lenient: bool = False) -> Config:
    """Return the settings from the environment, the project file above `folder`, the user's file.
    Raises UsageError for a file that cannot be read or says what it may not; where `lenient`, a
    project file of that kind is ignored."""
    user_file = config_file(environ)
    ours = [name for name in environ if name.startswith(_OURS)]
    from_environment = _from_environment(environ, ours)
    values = {
        name: _UNSET if setting.default is None else Value(setting.default, "default")
        for name, setting in SETTINGS.items()
    }
    if _is_there(user_file):
        from tideline_cli.config import reading  # noqa: PLC0415  tomllib, where there is a file

        values |= reading.user_settings(user_file)
    values |= from_environment
    own_origin: str = values["origin"].value
    path = project_file(folder) if folder else None
    ignored: tuple[Ignored, ...] = ()
    offered: Ignored | None = None
    own_scope: Value | None = None
    if path is not None:
        from tideline_cli.config import project  # noqa: PLC0415  as above

        held = frozenset(from_environment)
        found: Project = project.overrides(
            path, values, held, folder=os.path.dirname(user_file), lenient=lenient
        )
        own_scope = values["scope"] if found.is_strange else None
        values |= found.values
        ignored, offered = found.ignored, found.offered
    if values["database"].value is None:
        values["database"] = Value(os.path.join(data_folder(environ), "tideline.db"), "default")
    strays = tuple(name for name in ours if name not in _KNOWN)
    return Config(values, own_origin, path, ignored, strays, offered, own_scope)


def _is_there(path: str) -> bool:
    """Say whether there is a file, also where it may not be read."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _from_environment(environ: Mapping[str, str], ours: Sequence[str]) -> dict[str, Value]:
    """Return the settings of the environment; `ours` are its variables that begin like ours."""
    values: dict[str, Value] = {}
    for setting in SETTINGS.values() if ours else ():
        if setting.env in ours and environ[setting.env]:
            raw: Any = environ[setting.env]
            if setting.kind == "texts":
                from tideline_cli.model.short_text import parted  # noqa: PLC0415  few set a list

                raw = parted(raw)
            values[setting.name] = Value(parse_value(setting, raw, setting.env), setting.env)
    return values


def switch(environ: Mapping[str, str], name: str) -> bool:
    """Return whether a variable of the environment says yes; raise UsageError where it says neither
    yes nor no."""
    word = environ.get(name, "").strip().lower()
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise UsageError(
        f"{name} is neither yes nor no: {word!r:.60}", hint="say 1 or 0, true or false, on or off"
    )


def is_off(environ: Mapping[str, str], name: str) -> bool:
    """Say whether a variable of the environment switches off what is on without it."""
    word = environ.get(name, "").strip().lower()
    return bool(word) and word in _NO


def data_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of the memory file."""
    return _folder(environ, "XDG_DATA_HOME", ".local/share")


def config_file(environ: Mapping[str, str]) -> str:
    """Return the path of the user's settings."""
    return os.path.join(_folder(environ, "XDG_CONFIG_HOME", ".config"), "config.toml")


def state_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of files that may be lost: the facts shown last."""
    return _folder(environ, "XDG_STATE_HOME", ".local/state")


def door_files(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return what is there only where a client was set up, or has called: the record of `setup`,
    and the folder of the hooks."""
    of_data, of_state = data_folder(environ), state_folder(environ)
    return os.path.join(of_data, "doors"), os.path.join(of_state, "hooks")


def _folder(environ: Mapping[str, str], variable: str, fallback: str) -> str:
    if environ.get("TIDELINE_HOME"):
        return os.path.abspath(environ["TIDELINE_HOME"])
    if sys.platform in ("darwin", "win32"):
        from tideline_cli.config import places  # noqa: PLC0415  all others share the lines below

        return places.folder(environ, variable, platform=sys.platform)
    base = environ.get(variable, "").strip()
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), fallback)
    return os.path.join(base, "tideline")


def project_file(folder: str) -> str | None:
    """Return the path of the .tideline.toml in a folder, or in the nearest one above it that has
    one; None where there is none."""
    while True:
        path = os.path.join(folder, PROJECT_FILE)
        if os.path.lexists(path):
            return path
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
