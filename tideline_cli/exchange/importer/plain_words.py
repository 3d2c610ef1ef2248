"""Texts of plain words: most rows have nothing else, and words come again. What is known of each
word tells in one pass that a text has no secret and no threat, and what its index terms are."""

from __future__ import annotations

from tideline_cli.memory.screening import are_harmless
from tideline_cli.model.text import WITH_FORMS, terms
from tideline_cli.policy import secret_cues
from tideline_cli.policy.threats.plain import is_cue, may_be_code, plain_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.text import Analyzer

_MOST = 200_000  # words that are kept
_SIGNS = ".,;:!?"  # of which a plain word may have one behind it
_ANALYZERS = ("standard", WITH_FORMS)  # those that look at each such word by itself


class PlainWords:
    """The plain words of one import, with the signs behind them, filled on demand."""

    def __init__(self) -> None:
        self._terms = _Terms()

    def terms(self, text: str) -> list[str] | None:
        """Return the index terms of a text of plain words with single blanks between them, in which
        no secret and no threat can be; None of any other text."""
        if len(self._terms) > _MOST:
            self._terms = _Terms()
        words = text.split(" ")
        found = [*map(self._terms.__getitem__, words)]
        if None in found:
            return None
        signed = len(words) - sum(map(str.isalpha, words))
        if 2 * signed >= len(words):
            return None
        if not self._terms.marked.isdisjoint(words) and not self._is_harmless(text, words, signed):
            return None
        return [term for term in found if term]

    def _is_harmless(self, text: str, words: list[str], signed: int) -> bool:
        """Say whether a text has no secret and no threat, though it has words of some."""
        if signed > (text[-1] in ".!?") and not self._terms.weak.isdisjoint(words):
            return False
        return are_harmless(text, frozenset(map(self._terms.starts.__getitem__, words)))


class _Terms(dict[str, str | None]):
    """The index term of each plain word: empty for a stop word, None for one that is not plain."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, tuple[str, str, bool] | None] = {}
        self.starts: dict[str, str] = {}
        self.weak: set[str] = set()
        self.marked: set[str] = set()
        """Those that are weak, and those that begin as words of attacks."""

    def __missing__(self, word: str) -> str | None:
        core = word[:-1] if word[-1:] in _SIGNS else word
        low = core.lower()
        if low not in self._known:
            self._known[low] = _known(low)
        known = self._known[low]
        if known is None or may_be_code(core) or not _is_cased_plainly(core, low):
            self[word] = None
            return None
        self[word], self.starts[word], is_weak = known
        if is_weak:
            self.weak.add(word)
        if is_weak or is_cue(known[1]):
            self.marked.add(word)
        return known[0]


def _known(low: str) -> tuple[str, str, bool] | None:
    """Return the term of a plain word, how it begins, and whether it is weak."""
    start = plain_start(low) if secret_cues.is_plain_word(low) else None
    if start is None:
        return None
    return "".join(terms(low, analyzer="standard")), start, secret_cues.is_weak(low)


def can_tell(analyzer: Analyzer) -> bool:
    """Say whether the terms of an analyser are those of the words, one by one."""
    return analyzer in _ANALYZERS


def _is_cased_plainly(core: str, low: str) -> bool:
    """Say whether no capital follows a small letter, as in a word that has further forms, nor as in
    a key."""
    if core == low or core[1:] == low[1:]:
        return True
    return core.isupper() and not secret_cues.is_marked(f"{core}.")
