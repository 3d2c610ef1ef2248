"""From bytes to text: by the mark at their beginning, by what is said of them, as UTF-8, and last
by what the bytes themselves look like."""

from __future__ import annotations

import codecs

from tideline_cli.errors import UsageError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_LOOKED_AT = 8192
_GUESSED_BY = 1 << 20  # bytes
_WESTERN = "cp1252"  # of equals the most likely
_COMMON = [_WESTERN, "cp1250", "cp1251", "cp1253", "cp1254", "koi8_r", "gb18030", "big5", "cp932",
           "euc_jp", "euc_kr"]  # fmt: skip
_NO_CHARSETS = (
    "utf-7", "undefined", "unicode-escape", "raw-unicode-escape", "idna", "punycode", "mbcs", "oem",
    "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be",
)  # fmt: skip
"""What a file cannot say of itself: a statement in ASCII letters is no UTF-16, and the rest are
codings of names or of programs."""


def is_binary(raw: bytes) -> bool:
    """Say whether bytes are no text: they hold a zero, and no mark says that they are UTF-16."""
    return marked(raw) is None and b"\0" in raw[:_LOOKED_AT]


def marked(raw: bytes) -> str | None:
    """Return the encoding that the mark at the beginning of a text says, None without a mark."""
    return next((name for mark, name in _MARKS if raw.startswith(mark)), None)


def decoded(
    raw: bytes, encoding: str | None, *, said: str | None = None
) -> tuple[str, str | None]:
    """Return a text, and the encoding where it is guessed: by the mark at its beginning, else by
    the `encoding` of the user, else by what the file has `said` of itself, else as UTF-8; what is
    none of it is guessed, unless somebody said what it is.

    Raises UsageError for bytes that are no text in it.
    """
    name = marked(raw) or encoding or _said_name(said) or "utf-8"
    guessed = None
    try:
        text = raw.decode(name)
    except LookupError:
        raise UsageError(f"no such encoding: {name}", hint="such as latin-1 or gb18030") from None
    except UnicodeError as error:
        found = guess(raw) if name == "utf-8" and encoding is None else None
        if found is None:
            shown = name.upper() if name == "utf-8" else name
            where = f" (byte {error.start:,})" if isinstance(error, UnicodeDecodeError) else ""
            raise UsageError(
                f"not {shown:.40}{where}",
                hint="--encoding says what it is, such as latin-1 or gb18030",
                code="encoding",
            ) from None
        text, guessed = raw.decode(found, "replace"), found
    return text.replace("\r\n", "\n").replace("\r", "\n"), guessed


def guess(raw: bytes) -> str | None:
    """Return the encoding that bytes seem to be in; None where they seem to be no text, or UTF-8
    that is damaged."""
    read = raw.decode("utf-8", "replace")
    bad = read.count("\ufffd")
    if is_binary(raw) or sum(not char.isascii() for char in read) - bad >= bad:
        return None
    from charset_normalizer import from_bytes  # noqa: PLC0415  40 ms, for what is no UTF-8

    found = from_bytes(raw[:_GUESSED_BY], cp_isolation=_COMMON)
    best = found.best()
    if best is None:
        return None
    equal = [one for one in found if (one.chaos, one.coherence) == (best.chaos, best.coherence)]
    names = {name for one in equal for name in (one.encoding, *one.could_be_from_charset)}
    return _WESTERN if _WESTERN in names else best.encoding


def _said_name(said: str | None) -> str | None:
    """Return the encoding that a file says of itself, None for one that it cannot have."""
    try:
        return None if said and codecs.lookup(said).name in _NO_CHARSETS else said
    except LookupError:
        return said  # told as such
