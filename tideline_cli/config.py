"""Settings: flag > environment > project file > user file > default, in one table."""

from __future__ import annotations

import os
import sys

from tideline_cli.errors import UsageError
from tideline_cli.model.instant import DAY_MS, parse_duration
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PROJECT_FILE = ".tideline.toml"
_UNITS = (("d", DAY_MS), ("h", 3_600_000), ("m", 60_000), ("s", 1000))


@record
class Setting:
    """One setting: what it is called, what type it has, whether a project file may set it."""

    name: str
    env: str
    kind: str  # text, count, texts, duration (milliseconds inside)
    default: Any
    help: str
    in_project: bool = False


SETTINGS: Mapping[str, Setting] = {
    setting.name: setting
    for setting in (
        Setting("database", "TIDELINE_DB", "text", None, "the memory file"),
        Setting("origin", "TIDELINE_ORIGIN", "text", "owner", "whose memory it is", True),
        Setting("limit", "TIDELINE_LIMIT", "count", None, "hits of a recall", True),
        Setting("max_chars", "TIDELINE_MAX_CHARS", "count", None, "budget of a context", True),
        Setting("tags", "TIDELINE_TAGS", "texts", (), "tags of every new fact", True),
        Setting("color", "TIDELINE_COLOR", "text", "auto", "auto, always or never"),
        Setting("dream_interval", "TIDELINE_DREAM_INTERVAL", "duration", DAY_MS,
                "time between two dreams, such as 12h or 7d"),
        Setting("llm", "TIDELINE_LLM", "text", None, "the command that asks a model, or none"),
        Setting("model", "TIDELINE_MODEL", "text", None, "the model to ask at the base URL"),
        Setting("base_url", "TIDELINE_BASE_URL", "text", None, "an OpenAI-compatible endpoint"),
        Setting("key_file", "TIDELINE_KEY_FILE", "text", None,
                "a file that holds the API key, mode 0600"),
    )
}  # fmt: skip


@record
class Value:
    """A setting's value and where it comes from."""

    value: Any
    origin: str


@record
class Config:
    """The settings of one run."""

    values: Mapping[str, Value]

    def get(self, name: str) -> Any:
        """Return a setting's value."""
        return self.values[name].value


def load(environ: Mapping[str, str], folder: str | None) -> Config:
    """Return the settings from the environment, the project file above `folder`, the user's file.

    Raises UsageError for a file that cannot be read or says what it may not.
    """
    user_file = config_file(environ)
    user = _read(user_file)
    project_file = _project_file(folder) if folder else None
    project = _read(project_file) if project_file else {}
    for name in project:
        if name in SETTINGS and not SETTINGS[name].in_project:
            raise UsageError(
                f"{project_file} may not set {name}", hint="set it in your own config.toml"
            )
    values: dict[str, Value] = {}
    for setting in SETTINGS.values():
        if environ.get(setting.env):
            raw: Any = environ[setting.env]
            raw = raw.split(",") if setting.kind == "texts" else raw
            values[setting.name] = Value(_checked(setting, raw, setting.env), setting.env)
        elif setting.name in project:
            values[setting.name] = Value(
                _checked(setting, project[setting.name], str(project_file)), str(project_file)
            )
        elif setting.name in user:
            values[setting.name] = Value(
                _checked(setting, user[setting.name], user_file), user_file
            )
        else:
            values[setting.name] = Value(setting.default, "default")
    if values["database"].value is None:
        values["database"] = Value(os.path.join(data_folder(environ), "tideline.db"), "default")
    return Config(values)


def data_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of the memory file."""
    return _folder(environ, "XDG_DATA_HOME", ".local/share", "user_data_dir")


def config_file(environ: Mapping[str, str]) -> str:
    """Return the path of the user's settings."""
    return os.path.join(
        _folder(environ, "XDG_CONFIG_HOME", ".config", "user_config_dir"), "config.toml"
    )


def state_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of what may be lost: the hits of the last recall."""
    return _folder(environ, "XDG_STATE_HOME", ".local/state", "user_state_dir")


def write(path: str, name: str, value: str) -> None:
    """Set one value in the settings file, which is replaced as a whole; comments are kept.

    Raises UsageError for a value that the setting cannot have.
    """
    setting = SETTINGS[name]
    raw: Any = value.split(",") if setting.kind == "texts" else value
    line = f"{name} = {_toml(shown(name, _checked(setting, raw, name)))}\n"
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
    except FileNotFoundError:
        lines = []
    tables = next((i for i, old in enumerate(lines) if old.lstrip().startswith("[")), len(lines))
    kept = [old for old in lines[:tables] if old.partition("=")[0].strip() != name]
    fresh = path + ".new"
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    os.fchmod(handle, 0o600)  # whatever the umask
    with open(handle, "w", encoding="utf-8") as file:
        file.writelines([line, *kept, *lines[tables:]])
    os.replace(fresh, path)


def shown(name: str, value: Any) -> Any:
    """Return a setting's value as a user writes it: a duration as 90s, 30m, 24h, 7d."""
    if SETTINGS[name].kind != "duration":
        return value
    units = _UNITS[1:] if value <= DAY_MS else _UNITS
    unit, ms = next((unit, ms) for unit, ms in units if value % ms == 0)
    return f"{value // ms}{unit}"


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, int):
        return str(value)
    from json import dumps  # noqa: PLC0415  a JSON string is a TOML string

    return dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _folder(environ: Mapping[str, str], variable: str, fallback: str, elsewhere: str) -> str:
    if environ.get("TIDELINE_HOME"):
        return os.path.abspath(environ["TIDELINE_HOME"])
    if sys.platform != "linux":
        import platformdirs  # noqa: PLC0415  15 ms; on Linux the rule is the two lines below

        return str(getattr(platformdirs, elsewhere)("tideline", appauthor=False))
    base = environ.get(variable, "").strip()
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), fallback)
    return os.path.join(base, "tideline")


def _project_file(folder: str) -> str | None:
    while True:
        path = os.path.join(folder, PROJECT_FILE)
        if os.path.isfile(path):
            return path
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    import tomllib  # noqa: PLC0415  10 ms that only a settings file costs

    try:
        return tomllib.loads(raw.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from error


def _checked(setting: Setting, raw: Any, where: str) -> Any:
    match setting.kind:
        case "count":
            text = str(raw)
            if text.isascii() and text.isdigit() and 0 < int(text) <= 1_000_000:
                return int(text)
        case "texts":
            if isinstance(raw, list) and all(isinstance(item, str) for item in raw):
                return tuple(item.strip() for item in raw if item.strip())
        case "duration":
            if isinstance(raw, str):
                try:
                    return parse_duration(raw)
                except UsageError as error:
                    raise UsageError(f"{where}: {error.message}", hint=error.hint) from error
        case _:
            if isinstance(raw, str):
                return raw
    raise UsageError(f"{where}: {setting.name} cannot be {raw!r}", hint=setting.help)
