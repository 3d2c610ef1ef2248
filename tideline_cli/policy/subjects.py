"""What a sentence is about: the words before its first `is`, without those that say little. Pure.

Source: VectorMemory, smart update.
"""

from __future__ import annotations

_VERBS = frozenset(("is", "are", "was", "were"))
_IDLE = frozenset((
    "a", "an", "the", "my", "your", "his", "her", "its", "our", "their", "user", "users", "user's",
    "of", "in", "on", "at", "for", "to", "and", "or", "that", "this",
))  # fmt: skip


def subject_key(text: str) -> frozenset[str]:
    """Return the telling words before the first form of `be`; empty where there are none."""
    words = [_bare(word) for word in text.lower().split()]
    for place, word in enumerate(words):
        if word in _VERBS:
            return frozenset(word for word in words[:place] if word and word not in _IDLE)
    return frozenset()


def _bare(word: str) -> str:
    """Return a word without marks around it and without a possessive ending."""
    while word and not word[0].isalnum():
        word = word[1:]
    while word and not word[-1].isalnum():
        word = word[:-1]
    return word if word in _IDLE else word.removesuffix("'s").removesuffix("’s")
