"""Text from outside, made fit to keep and to print."""

from __future__ import annotations

_CLIP = 200


def scalar(text: str) -> str:
    """Return `text` with each lone surrogate, which UTF-8 cannot say, as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def excerpt(text: str, key: str | None) -> str:
    """Return the beginning of a text as one printable line without the key."""
    if key:
        text = text.replace(key, "[key]")
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 20 * _CLIP]).split())
    return line if len(line) <= _CLIP else line[: _CLIP - 1] + "…"
