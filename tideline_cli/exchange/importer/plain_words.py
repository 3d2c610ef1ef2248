"""Texts of plain words: most rows have nothing else, and words come again. What is known of each
word tells in one pass that a text has no secret and no threat, and what its index terms are."""

from __future__ import annotations

from tideline_cli.memory.screening import are_harmless
from tideline_cli.model.text import WITH_FORMS, terms
from tideline_cli.policy.threats.plain import is_cue, may_be_code, plain_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.text import Analyzer

_MOST = 200_000  # words that are kept
_LEAST_KEY = 16  # letters of a key
_SIGNS = ".,;:!?"  # of which a plain word may have one behind it
_TAILS = frozenset(("s", "t", "m", "d", "re", "ve", "ll"))  # behind an apostrophe
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
        contracted = text.count("'")  # one in a word at most
        signed = len(words) - sum(map(str.isalpha, words)) - contracted
        if 2 * signed >= len(words):
            return None
        if not self._terms.marked.isdisjoint(words) and not self._is_harmless(
            text, words, contracted
        ):
            return None
        if contracted:  # `don't` has two terms
            return " ".join([term for term in found if term]).split()
        return [term for term in found if term]

    def _is_harmless(self, text: str, words: list[str], contracted: int) -> bool:
        """Say whether a text has no threat, though it has words of some."""
        starts = frozenset(map(self._terms.starts.__getitem__, words))
        return are_harmless(text, starts | _TAILS if contracted else starts)


class _Terms(dict[str, str | None]):
    """The index terms of each plain word, with blanks between: empty for a stop word, None for one
    that is not plain."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, tuple[str, str] | None] = {}
        self.starts: dict[str, str] = {}
        self.marked: set[str] = set()
        """Those that begin as words of attacks."""

    def __missing__(self, word: str) -> str | None:
        core, quote, tail = word.partition("'")
        if quote and not _is_contracted(core, tail):
            self[word] = None
            return None
        if core[-1:] in _SIGNS:
            core = core[:-1]
        low = core.lower()
        if low not in self._known:
            self._known[low] = _known(low)
        known = self._known[low]
        if known is None or may_be_code(core) or not _is_cased_plainly(core, low):
            self[word] = None
            return None
        found, self.starts[word] = known
        if is_cue(known[1]) or is_cue(tail):
            self.marked.add(word)
        if quote:
            found = " ".join(terms(word, analyzer="standard"))
        self[word] = found
        return found


def _is_contracted(core: str, tail: str) -> bool:
    """Say whether a word such as `Anna's` and `don't` has no sign but the apostrophe."""
    return core.isalpha() and tail in _TAILS and (tail != "t" or core[-1] == "n")


def _known(low: str) -> tuple[str, str] | None:
    """Return the term of a plain word, and how it begins."""
    start = plain_start(low)
    return None if start is None else ("".join(terms(low, analyzer="standard")), start)


def can_tell(analyzer: Analyzer) -> bool:
    """Say whether the terms of an analyser are those of the words, one by one."""
    return analyzer in _ANALYZERS


def _is_cased_plainly(core: str, low: str) -> bool:
    """Say whether no capital follows a small letter, as in a word that has further forms. A secret
    of letters alone is a long word of capitals, or has both."""
    return core == low or core[1:] == low[1:] or (core.isupper() and len(core) < _LEAST_KEY)
