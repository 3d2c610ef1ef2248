"""How an embedder is reached that is asked for vectors: by the settings of the user alone."""

from __future__ import annotations

from tideline_cli.errors import UnavailableError, UsageError
from tideline_cli.llm.model_settings import Model, checked_model, key_from
from tideline_cli.memory.asked_embedder import AskedSettings
from tideline_cli.model.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Settings = Callable[[str, Any], Any]  # the value of a setting, or what stands in for it

_OPENAI = "https://api.openai.com/v1"
_MODEL = "text-embedding-3-small"
_PATIENCE = 60.0


def settings_of(spec: str, setting: Settings, environ: Mapping[str, str]) -> AskedSettings:
    """Return how to reach an embedder; raises UnavailableError where the settings do not say."""
    try:
        model = _program(setting) if spec == "command" else _endpoint(setting, environ)
    except UsageError as error:
        message = f"{spec} cannot be asked: {error.message}"
        raise UnavailableError(message, hint=error.hint) from error
    instruction = setting("query_instruction", "")
    return AskedSettings(model, setting("embedder_dims", None), instruction)


def _program(setting: Settings) -> Model:
    command = setting("embedder_command", "")
    if not command.strip():
        raise UsageError(
            "no program is set", hint="tideline config set embedder_command 'PROGRAM ARGUMENTS'"
        )
    return checked_model(Model(command, timeout=_PATIENCE))


def _endpoint(setting: Settings, environ: Mapping[str, str]) -> Model:
    url = setting("embedder_url", None)
    name = setting("embedder_model", _MODEL)
    model = checked_model(Model(None, url or _OPENAI, name, None, _PATIENCE))
    key = key_from(environ, setting("embedder_key_file", None))
    if key is None and url is None:
        raise UsageError(
            "it needs a key, or the address of another endpoint",
            hint="set TIDELINE_API_KEY, embedder_key_file, or embedder_url (`tideline config`)",
        )
    return checked_model(replace(model, key=key))
