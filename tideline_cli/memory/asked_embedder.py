"""An embedder that is asked: an endpoint of the network, or a program. Texts leave this process.

Where they go is in the settings of the user, never in the memory file: a file that somebody else
made names no address and no program.
"""

from __future__ import annotations

from tideline_cli.errors import UnavailableError, UsageError
from tideline_cli.llm.client import vectors_of
from tideline_cli.llm.model_settings import Model, checked_model, key_from
from tideline_cli.model.record import record, replace
from tideline_cli.vector.arrays import np, unit_rows
from tideline_cli.vector.embedders.coded import CodedEmbedder, packed
from tideline_cli.vector.embedders.codes import MOST_DIMS
from tideline_cli.vector.embedders.names import floor_of, revision_of, vector_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray
    Settings = Callable[[str, Any], Any]  # the value of a setting, or what stands in for it

_DIMS = {"openai-256": 256}
_PATIENCE = 10.0  # seconds for one question; many texts have the model's own timeout


@record
class AskedSettings:
    """How to reach it. `dims`: values asked for, None for as many as there are. `instruction`:
    what stands before a question, for models that want that."""

    model: Model
    dims: int | None = None
    instruction: str = ""


class AskedEmbedder(CodedEmbedder):
    """Protocol `tideline_cli.vector.embedder.Embedder` over an endpoint or a program."""

    def __init__(self, spec: str, settings: AskedSettings, *, known_dims: int = 0) -> None:
        self._model = settings.model
        self._instruction = settings.instruction
        self._asked_dims = None if spec == "command" else settings.dims or _DIMS.get(spec)
        dims = self._asked_dims or known_dims or len(self._rows(["a"], self._model)[0])
        if not 0 < dims <= MOST_DIMS:
            raise UnavailableError(
                f"{spec} makes vectors of {dims} values, and {MOST_DIMS:,} are the most",
                hint="the setting embedder_dims asks for fewer",
            )
        what = self._model.command or self._model.name or ""
        revision = revision_of(what.encode())
        super().__init__(vector_name(spec, revision, dims), dims, floor_of(spec))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return unit rows (n, dims)."""
        return self._unit(self._rows(texts, self._model))

    def embed_query(self, text: str) -> NDArray[np.uint8]:
        """Return the code (dims + 2,) of a question; somebody waits for it."""
        quick = replace(self._model, timeout=min(_PATIENCE, self._model.timeout))
        rows = self._unit(self._rows([self._instruction + text], quick))
        code: NDArray[np.uint8] = packed(rows)[0]
        return code

    def _unit(self, rows: list[list[float]]) -> NDArray[np.float64]:
        made = np.array(rows, np.float64).reshape(len(rows), -1)
        if made.shape != (len(rows), self.dims):
            raise UnavailableError(
                f"the embedder gives vectors of {made.shape[1]} values, and gave {self.dims}",
                hint="is it another model now? `tideline embedder use` chooses it anew",
            )
        return unit_rows(made)

    def _rows(self, texts: Sequence[str], model: Model) -> list[list[float]]:
        return vectors_of(model, texts, dims=self._asked_dims) if texts else []


_OPENAI = "https://api.openai.com/v1"
_USUAL_MODEL = "text-embedding-3-small"
_PATIENCE_OF_MANY = 60.0


def asked_settings_of(spec: str, setting: Settings, environ: Mapping[str, str]) -> AskedSettings:
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
    return checked_model(Model(command, timeout=_PATIENCE_OF_MANY))


def _endpoint(setting: Settings, environ: Mapping[str, str]) -> Model:
    url = setting("embedder_url", None)
    name = setting("embedder_model", _USUAL_MODEL)
    model = checked_model(Model(None, url or _OPENAI, name, None, _PATIENCE_OF_MANY))
    key = key_from(environ, setting("embedder_key_file", None))
    if key is None and url is None:
        raise UsageError(
            "it needs a key, or the address of another endpoint",
            hint="set TIDELINE_API_KEY, embedder_key_file, or embedder_url (`tideline config`)",
        )
    return checked_model(replace(model, key=key))
