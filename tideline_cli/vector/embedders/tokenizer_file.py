"""Reading tokenizer.json: the two common kinds at once, all others by the library `tokenizers`.

Reading the whole file is most of a cold question, so what is not needed is passed over: of two
megabytes, the vocabulary alone is read, or a part of it.
"""

from __future__ import annotations

from tideline_cli.errors import UnavailableError
from tideline_cli.model import codec
from tideline_cli.vector.embedders.bytepairs import BLANK, BytePairs
from tideline_cli.vector.embedders.ranks import Ranks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    class Tokenizer(Protocol):
        """Cuts a text into the numbers of pieces. `cuts_words`: the pieces of a text are those of
        its words."""

        cuts_words: bool

        def ids(self, text: str) -> list[int]:
            """Return the numbers of the pieces of a text, without special ones."""

        def marked(self, text: str, most: int) -> list[int]:
            """Return the same, `most` at most, with those that mark its beginning and its end."""


_MOST_TABLE = 1 << 20  # bytes that hold most vocabularies; what stands behind them is not needed
_MODEL, _VOCABULARY, _MERGES = b'"model":', b'"vocab":', b'"merges":'


def read_tokenizer(path: str, *, marks: bool = False) -> Tokenizer:
    """Return the tokenizer that a file describes, one that can mark ends if that is asked for;
    raises UnavailableError where it cannot be had."""
    try:
        with open(path, "rb") as file:
            held = file.read(_MOST_TABLE)
            end = _end(held)
            if end == len(held):
                held += file.read()
                end = _end(held)
            found = _own(held, end)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UnavailableError(
            f"{path} is no tokenizer: {error}", hint="it is the tokenizer.json of the model"
        ) from error
    if found is None or (marks and isinstance(found, BytePairs)):
        return _Library(path)
    return found


def _own(held: bytes, end: int) -> Tokenizer | None:
    """Return a tokenizer of a kind that is known here."""
    start = _start(held)
    # What stands before the vocabulary is all that says what kind it is.
    form = codec.loads(held[:start].decode() + "{}}}")
    model = form["model"]
    steps = _steps(form.get("normalizer"))
    cut = form.get("pre_tokenizer")
    if model["type"] == "WordPiece" and [step["type"] for step in steps] == ["BertNormalizer"]:
        if cut is not None and cut["type"] == "BertPreTokenizer":
            return _wordpiece(model, steps[0], _vocabulary(held, start, end))
    elif model["type"] == "BPE" and model.get("byte_fallback") and _is_sentencepiece(steps, cut):
        ranks = Ranks(held, start, end, lambda: _vocabulary(held, start, end))
        return BytePairs(ranks, unknown=model.get("unk_token") or "<unk>")
    return None


def _wordpiece(model: Any, step: Any, vocabulary: Mapping[str, int]) -> Tokenizer:
    from tideline_cli.vector.embedders.wordpiece import WordPiece  # noqa: PLC0415  one kind of two

    lower = bool(step.get("lowercase", True))
    strip = step.get("strip_accents")
    return WordPiece(
        vocabulary,
        unknown=model["unk_token"],
        prefix=model["continuing_subword_prefix"],
        longest=model["max_input_chars_per_word"],
        lower=lower,
        strip=lower if strip is None else bool(strip),
        han=bool(step.get("handle_chinese_chars", True)),
    )


def _is_sentencepiece(steps: list[Any], cut: Any) -> bool:
    wanted = [
        {"type": "Prepend", "prepend": BLANK},
        {"type": "Replace", "pattern": {"String": " "}, "content": BLANK},
    ]
    return cut is None and steps == wanted


def _steps(normalizer: Any) -> list[Any]:
    if normalizer is None:
        return []
    return list(normalizer["normalizers"]) if normalizer["type"] == "Sequence" else [normalizer]


def _vocabulary(held: bytes, start: int, end: int) -> dict[str, int]:
    found: dict[str, int] = codec.value_at(held[start:end].decode(), 0)
    if not isinstance(found, dict):
        raise ValueError("its vocabulary is a list")
    return found


def _end(held: bytes) -> int:
    """Return where the vocabulary ends, or any place behind it. What follows is called merges and
    is a list, more than half of such a file; it may be the name of a piece, too."""
    end = held.find(_MERGES)
    while end > 0 and held[end + len(_MERGES) : end + len(_MERGES) + 2].lstrip()[:1] != b"[":
        end = held.find(_MERGES, end + 1)
    return end if end > 0 else len(held)


def _start(held: bytes) -> int:
    """Return where the vocabulary begins: `vocab` is the last short key of `model`."""
    model = held.find(_MODEL)
    start = held.find(_VOCABULARY, model) + len(_VOCABULARY)
    if model < 0 or start < model:
        raise LookupError("it has no model with a vocabulary")
    return start + (held[start : start + 1] == b" ")


class _Library:
    """Any other kind, by the library `tokenizers`."""

    cuts_words = False

    def __init__(self, path: str) -> None:
        try:
            from tokenizers import Tokenizer as Loaded  # noqa: PLC0415  rare kinds alone
        except ImportError as error:
            raise UnavailableError(
                f"{path} is of a kind that needs the package tokenizers",
                hint="pip install tokenizers",
            ) from error
        try:
            self._inner = Loaded.from_file(path)
        except Exception as error:
            raise UnavailableError(f"{path} is no tokenizer: {error}") from error
        self._inner.no_truncation()
        self._inner.no_padding()

    def ids(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text, without special ones."""
        found: list[int] = self._inner.encode(text, add_special_tokens=False).ids
        return found

    def marked(self, text: str, most: int) -> list[int]:
        """Return the same, `most` at most, with those that mark its beginning and its end."""
        found: list[int] = self._inner.encode(text).ids
        return found if len(found) <= most else [*found[: most - 1], found[-1]]
