"""From the bytes of a file to its text: by its mark, by what is said of it, or as UTF-8."""

from __future__ import annotations

import codecs

from tideline_cli.errors import UsageError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_LOOKED_AT = 8192
_NO_CHARSETS = (
    "utf-7", "undefined", "unicode-escape", "raw-unicode-escape", "idna", "punycode", "mbcs", "oem",
    "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be",
)  # fmt: skip
"""What a file cannot say of itself: a statement in ASCII letters is no UTF-16, and the rest are
codings of names or of programs."""


def is_binary(raw: bytes) -> bool:
    """Say whether bytes are no text: they hold a zero, and no mark says that they are UTF-16."""
    return _marked(raw) is None and b"\0" in raw[:_LOOKED_AT]


def decoded(raw: bytes, encoding: str | None, *, said: str | None = None) -> str:
    """Return the text of a file: by the mark at its beginning, else by the `encoding` of the user,
    else by what the file has `said` of itself, else as UTF-8.

    Raises UsageError for bytes that are none of it: a wrong guess would be stored as it is.
    """
    name = _marked(raw) or encoding or _said_name(said) or "utf-8"
    try:
        text = raw.decode(name)
    except LookupError:
        raise UsageError(f"no such encoding: {name}", hint="such as latin-1 or gb18030") from None
    except UnicodeError as error:
        shown = name.upper() if name == "utf-8" else name
        where = f" (byte {error.start:,})" if isinstance(error, UnicodeDecodeError) else ""
        raise UsageError(
            f"not {shown:.40}{where}",
            hint="--encoding says what it is, such as latin-1 or gb18030",
            code="encoding",
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _said_name(said: str | None) -> str | None:
    """Return the encoding that a file says of itself, None for one that it cannot have."""
    try:
        return None if said and codecs.lookup(said).name in _NO_CHARSETS else said
    except LookupError:
        return said  # told as such


def _marked(raw: bytes) -> str | None:
    return next((name for mark, name in _MARKS if raw.startswith(mark)), None)
