"""Chinese, Japanese: characters in their simplified form, katakana as hiragana."""

from __future__ import annotations

from tideline_cli.model.lean import once

_HAN = "\u3400"
_KATAKANA = range(0x30A1, 0x30F7)
_TO_HIRAGANA = 0x60


def simple(text: str) -> str:
    """Return a text in simplified characters and hiragana; one character for each."""
    return text.translate(_table())


@once
def _table() -> dict[int, str]:
    from tideline_cli.model.forms.han_variants import SIMPLE  # noqa: PLC0415  these scripts alone

    return SIMPLE | {code: chr(code - _TO_HIRAGANA) for code in _KATAKANA}
