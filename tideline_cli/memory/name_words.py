"""Questions of stop words alone, which may be a name."""

from __future__ import annotations

ENDS = "\"'()[]{}<>.,;:!?*`~|=“”„‘’«»…"
"""What may stand at the ends of a word."""


def asked_name(text: str) -> list[str]:
    """Return the words of a question whose every word is a stop word, where they may be a name: one
    word, or several that end in a capital letter's word."""
    words = [core for word in text.split() if (core := word.strip(ENDS))]
    is_name = len(words) == 1 or (1 < len(words) <= 3 and words[-1][:1].isupper())
    return words if is_name and all(map(str.isalpha, words)) else []
