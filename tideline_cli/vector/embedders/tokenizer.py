"""Texts cut into the pieces of a vocabulary, as tokenizer.json describes it: the two common kinds
here, all others by the library `tokenizers`, which takes ten times as long for a cold question.

Reading the whole file is most of a cold question, so what is not needed is passed over: of two
megabytes, the vocabulary alone is read, or a part of it.

Byte pairs as SentencePiece has them: letters joined to the pieces of a vocabulary, the commonest
first. Sennrich et al. (2016); Kudo and Richardson (2018). WordPiece: the words of a text, cut into
the longest pieces that a vocabulary has. Devlin et al., BERT (2019): clean, part, fold to lower
case without accents, then match greedily.
"""

from __future__ import annotations

from itertools import pairwise

from tideline_cli.errors import UnavailableError
from tideline_cli.model import codec
from tideline_cli.model.lean import encode_basestring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    class Tokenizer(Protocol):
        """Cuts a text into the numbers of pieces. `cuts_words`: they are those of its words."""

        cuts_words: bool

        def ids(self, text: str) -> list[int]:
            """Return the numbers of the pieces of a text, without special ones."""

        def marked(self, text: str, most: int) -> list[int]:
            """Return the same, `most` at most, with those that mark its beginning and its end."""

_FIRST = 1 << 16  # bytes, some 3,000 pieces: 1 ms
_SOUGHT = 24  # of 0.3 ms each; a whole table of 32,000 pieces takes 12 ms
_NUMBER = 12  # bytes behind a piece
_TRIES = 4
_BEFORE = b" \t\r\n,{"  # what the mark in front of a piece stands behind


class Ranks:
    """The ranks of the pieces in a table, which `held` has from `start` to `end`. `first` are those
    of the lowest ranks, without a gap; `whole` reads all."""

    def __init__(
        self, held: bytes, start: int, end: int, whole: Callable[[], Mapping[str, int]]
    ) -> None:
        self._held = held
        self._start, self._end = start, end
        self._whole = whole
        self._sought: dict[str, int | None] = {}
        first = _first(held[start : min(end, start + _FIRST)])
        self._is_whole = first is None
        self.first: Mapping[str, int] = whole() if first is None else first

    def get(self, piece: str) -> int | None:
        """Return the rank of a piece, None where it is none."""
        rank = self.first.get(piece)
        if rank is not None or self._is_whole:
            return rank
        if piece not in self._sought:
            if len(self._sought) >= _SOUGHT:
                self.first, self._is_whole = self._whole(), True
                return self.first.get(piece)
            self._sought[piece] = self._seek(piece)
        return self._sought[piece]

    def _seek(self, piece: str) -> int | None:
        key = encode_basestring(piece).encode("utf-8", "surrogatepass") + b":"
        at = self._held.find(key, self._start, self._end)
        while at >= 0:
            if self._held[at - 1] in _BEFORE:  # else the end of a longer piece with a mark in it
                end = at + len(key)
                return _number(self._held[end : end + _NUMBER])
            at = self._held.find(key, at + 1, self._end)
        return None


def _number(text: bytes) -> int | None:
    text = text.lstrip()
    digits = text[: len(text) - len(text.lstrip(b"0123456789"))]
    return int(digits) if digits else None


def _first(held: bytes) -> dict[str, int] | None:
    """Return the pieces at the beginning of a table; None where it is short, or not written in the
    way that pieces are looked for: ranks in order, letters as they are, no blank after a piece."""
    if len(held) < _FIRST:
        return None
    text = held.decode("utf-8", "ignore")
    found = None
    end = len(text)
    for _ in range(_TRIES):
        end = text.rfind(",", 0, end)  # it may be a piece itself
        try:
            found = codec.value_at(text[: max(end, 0)] + "}", 0)
            break
        except ValueError:
            continue
    if not isinstance(found, dict) or list(found.values()) != list(range(len(found))):
        return None
    return None if text.isascii() or text.count('":') < len(found) else found


BLANK = "▁"
_MOST_KNOWN = 1 << 16
_LONGEST = 200  # letters of one word; what is longer is cut


class BytePairs:
    """Cuts texts into the numbers of pieces. The number of a piece is its rank: lower is joined
    first. No piece reaches over a blank, so words are cut one by one."""

    cuts_words = True

    def __init__(self, ranks: Ranks, *, unknown: str = "<unk>") -> None:
        self._ranks = ranks
        rank = ranks.get(unknown)
        if rank is None:
            raise LookupError(f"no piece {unknown}")
        self._unknown = rank
        self._known: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text, without special ones."""
        found: list[int] = []
        for word in text.replace(BLANK, " ").split(" ") if text else ():
            pieces = self._known.get(word)
            if pieces is None:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                pieces = self._known[word] = self._pieces_of(BLANK + word)
            found += pieces
        return found

    def marked(self, text: str, most: int) -> list[int]:
        """Return the same, `most` at most, with the one that marks the beginning."""
        return [self._known_or("<s>"), *self.ids(text)][:most]

    def _pieces_of(self, word: str) -> list[int]:
        if len(word) <= _LONGEST:
            return self._pieces(word)
        parts = [word[start : start + _LONGEST] for start in range(0, len(word), _LONGEST)]
        return [number for part in parts for number in self._pieces(part)]

    def _pieces(self, word: str) -> list[int]:
        parts = list(word)
        while len(parts) > 1:
            joined = [left + right for left, right in pairwise(parts)]
            at = self._lowest(joined)
            if at is None:
                break
            parts[at : at + 2] = [joined[at]]
        return [number for part in parts for number in self._numbers(part)]

    def _lowest(self, pieces: list[str]) -> int | None:
        """Return the place of the piece with the lowest rank; the first ranks are asked first."""
        for rank in (self._ranks.first.get, self._ranks.get):
            found = list(map(rank, pieces))
            best = min((number for number in found if number is not None), default=None)
            if best is not None:
                return found.index(best)
        return None

    def _known_or(self, piece: str) -> int:
        number = self._ranks.get(piece)
        return self._unknown if number is None else number

    def _numbers(self, part: str) -> list[int]:
        """Return the number of a piece; of a letter that is in none, those of its bytes."""
        number = self._ranks.get(part)
        if number is not None:
            return [number]
        raw = part.encode("utf-8", "replace")
        return [self._known_or(f"<0x{byte:02X}>") for byte in raw]


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


_LONGEST_WORD = 100
_MOST_KNOWN_WORDS = 1 << 16
_SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
# Signs stand alone, blanks part words, and other control characters go.
_ASCII: dict[int, str | None] = dict.fromkeys((*range(32), 127))
_ASCII |= {ord(char): f" {char} " for char in _SIGNS}
_ASCII |= dict.fromkeys(map(ord, "\t\n\r"), " ")
_HAN = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """Cuts texts into the numbers of pieces. `lower` folds case; `strip` takes accents off; `han`
    makes a word of each Chinese character."""

    cuts_words = True

    def __init__(
        self, vocabulary: Mapping[str, int], *, unknown: str = "[UNK]", prefix: str = "##",
        longest: int = _LONGEST_WORD, lower: bool = True, strip: bool = True, han: bool = True,
    ) -> None:  # fmt: skip
        self._vocabulary = vocabulary
        self._unknown = vocabulary[unknown]
        self._prefix = prefix
        self._longest = longest
        self._lower, self._strip, self._han = lower, strip, han
        self._known: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text, without special ones."""
        found: list[int] = []
        for word in self._words(text):
            pieces = self._known.get(word)
            if pieces is None:
                if len(self._known) >= _MOST_KNOWN_WORDS:
                    self._known.clear()
                pieces = self._known[word] = self._pieces(word)
            found += pieces
        return found

    def marked(self, text: str, most: int) -> list[int]:
        """Return the same, `most` at most, with those that mark its beginning and its end."""
        begin, end = self._vocabulary["[CLS]"], self._vocabulary["[SEP]"]
        return [begin, *self.ids(text)[: most - 2], end]

    def _words(self, text: str) -> list[str]:
        if text.isascii():
            parted = text.translate(_ASCII)
            return (parted.lower() if self._lower else parted).split()
        from unicodedata import category, normalize  # noqa: PLC0415  ASCII texts need none of it

        table = {ord(char): _parted(char, category(char), self._han) for char in set(text)}
        text = text.translate(table)
        if self._strip:
            text = normalize("NFD", text)
            marks = {ord(char): None for char in set(text) if category(char) == "Mn"}
            text = text.translate(marks)
        text = text.lower() if self._lower else text
        signs = {ord(char): f" {char} " for char in set(text) if _is_sign(char, category(char))}
        return text.translate(signs).split()

    def _pieces(self, word: str) -> list[int]:
        """Return the pieces of one word; that for the unknown where some part is in none."""
        if len(word) > self._longest:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            prefix = self._prefix if start else ""
            for end in range(len(word), start, -1):
                number = self._vocabulary.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return [self._unknown]
            found.append(number)
            start = end
        return found


def _parted(char: str, kind: str, han: bool) -> str | None:
    """Return what stands for a character before its text is folded."""
    if char in "\t\n\r" or kind in ("Zs", "Zl", "Zp"):
        return " "
    if char == "\ufffd" or kind[0] == "C":
        return None
    if han and any(first <= ord(char) <= last for first, last in _HAN):
        return f" {char} "
    return char


def _is_sign(char: str, kind: str) -> bool:
    return char in _SIGNS if char.isascii() else kind[0] == "P"
