"""Texts of plain words: most rows have nothing else, and words come again. What is known of each
word tells in one pass that a text has no secret and no threat, and what its index terms are."""

from __future__ import annotations

from tideline_cli.memory.screening import are_harmless
from tideline_cli.model.text import WITH_FORMS, index_terms
from tideline_cli.policy import secret_cues
from tideline_cli.policy.threats.plain import is_cue, plain_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.text import Analyzer

_MOST = 200_000  # words that are kept
_ANALYZERS = ("standard", WITH_FORMS)  # those that look at each such word by itself


class PlainWords:
    """The plain words of one import, with the signs behind them, filled on demand."""

    def __init__(self) -> None:
        self._terms = _Terms()

    def terms(self, text: str) -> list[str] | None:
        """Return the index terms of a text of plain words with single blanks between them, in which
        no secret and no threat can be; None of any other text."""
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
        self.starts: dict[str, str] = {}
        self.weak: set[str] = set()
        self.marked: set[str] = set()
        """Those that are weak, and those that begin as words of attacks."""

    def __missing__(self, word: str) -> str | None:
        if len(self) > _MOST:
            self.clear()
        start = plain_start(word) if secret_cues.is_plain_word(word) else None
        if start is None or not _is_cased_plainly(word):
            self[word] = None
            return None
        self.starts[word] = start
        if secret_cues.is_weak(word):
            self.weak.add(word)
            self.marked.add(word)
        elif is_cue(start):
            self.marked.add(word)
        found = self[word] = "".join(index_terms(word, analyzer="standard"))
        return found


def can_tell(analyzer: Analyzer) -> bool:
    """Say whether the terms of an analyser are those of the words, one by one."""
    return analyzer in _ANALYZERS


def _is_cased_plainly(word: str) -> bool:
    """Say whether no capital follows a small letter, as in a word that has further forms."""
    core = word.rstrip(".,;:!?")
    return core.isupper() or core[1:].islower() or len(core) == 1
