"""Transformer models by onnxruntime: MiniLM, and folders as sentence-transformers keeps them."""

from __future__ import annotations

from tideline_cli.errors import UnavailableError
from tideline_cli.vector.arrays import np, thread_count, unit_rows
from tideline_cli.vector.embedders.coded import CodedEmbedder, packed
from tideline_cli.vector.embedders.codes import MOST_DIMS
from tideline_cli.vector.embedders.names import floor_of, vector_name
from tideline_cli.vector.embedders.onnx_folder import minilm, read_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from tideline_cli.vector.embedders.tokenizer import Tokenizer

_AT_ONCE = 16
_MANY = 64  # texts from which on it pays to have the graph rewritten, which takes 0.3 s
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class OnnxEmbedder(CodedEmbedder):
    """Protocol `tideline_cli.vector.embedder.Embedder` over a transformer model.

    Rewriting the graph changes a cosine by less than 1e-9, far less than a code keeps.
    """

    def __init__(self, spec: str) -> None:
        folder = spec.partition(":")[2]
        self._folder = read_folder(folder) if folder else minilm()
        self._tokenizer: Tokenizer = self._folder.read_tokenizer()
        self._session: Any = None
        self._is_large = False
        self._open(large=False)
        dims = self._run([self._ids("a")]).shape[1]
        if not 0 < dims <= MOST_DIMS:
            raise UnavailableError(f"{self._folder.model} makes vectors of {dims} values")
        super().__init__(vector_name(spec, self._folder.revision(), dims), dims, floor_of(spec))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return unit rows (n, dims)."""
        if len(texts) >= _MANY and not self._is_large:
            self._open(large=True)
        made = np.zeros((len(texts), self.dims))
        ids = [self._ids(text) for text in texts]
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        for start in range(0, len(order), _AT_ONCE):
            part = order[start : start + _AT_ONCE]
            made[part] = self._run([ids[place] for place in part])
        return unit_rows(made)

    def embed_query(self, text: str) -> NDArray[np.uint8]:
        """Return the code (dims + 2,) of a question."""
        code: NDArray[np.uint8] = packed(self.embed([self._folder.query + text]))[0]
        return code

    def _ids(self, text: str) -> list[int]:
        return self._tokenizer.marked(text, self._folder.most_tokens)

    def _open(self, *, large: bool) -> None:
        try:
            import onnxruntime  # noqa: PLC0415  0.1 to 0.5 s
        except ImportError as error:
            raise UnavailableError(
                "the package onnxruntime, which runs the model, is not installed",
                hint="pip install '.[minilm]' in the clone",
            ) from error
        try:
            onnxruntime.set_default_logger_severity(4)
            options = onnxruntime.SessionOptions()
            levels = onnxruntime.GraphOptimizationLevel
            options.graph_optimization_level = (
                levels.ORT_ENABLE_BASIC if large else levels.ORT_DISABLE_ALL
            )
            options.intra_op_num_threads = thread_count() if large else 1
            options.inter_op_num_threads = 1
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            self._session = onnxruntime.InferenceSession(
                self._folder.model, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise self._failure(error) from error
        self._is_large = large

    def _run(self, rows: list[list[int]]) -> NDArray[np.float64]:
        """Return the pooled rows (n, dims) of texts."""
        width = max(map(len, rows))
        ids = np.zeros((len(rows), width), np.int64)
        mask = np.zeros((len(rows), width), np.int64)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = row
            mask[place, : len(row)] = 1
        given = dict(zip(_INPUTS, (ids, mask, np.zeros_like(ids)), strict=True))
        try:
            wanted = {one.name: given[one.name] for one in self._session.get_inputs()}
            found = np.asarray(self._session.run(None, wanted)[0], np.float64)
        except Exception as error:
            raise self._failure(error) from error
        return found if found.ndim == 2 else self._pooled(found, mask)

    def _pooled(self, states: NDArray[np.float64], mask: NDArray[np.int64]) -> NDArray[np.float64]:
        if self._folder.pooling == "cls":
            return states[:, 0]
        weights = mask[..., None].astype(np.float64)
        pooled: NDArray[np.float64] = (states * weights).sum(axis=1) / weights.sum(axis=1)
        return pooled

    def _failure(self, error: Exception) -> UnavailableError:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        return UnavailableError(
            f"{self._folder.model} cannot be run: {said:.200}",
            hint="is the file whole, and a sentence-transformers model as ONNX?",
        )
