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


def is_binary(raw: bytes) -> bool:
    """Say whether bytes are no text: they hold a zero, and no mark says that they are UTF-16."""
    return _marked(raw) is None and b"\0" in raw[:_LOOKED_AT]


def decoded(raw: bytes, encoding: str | None, *, said: str | None = None) -> str:
    """Return the text of a file: by the mark at its beginning, else by the `encoding` of the user,
    else by what the file has `said` of itself, else as UTF-8.

    Raises UsageError for bytes that are none of it: a wrong guess would be stored as it is.
    """
    name = _marked(raw) or encoding or said or "utf-8"
    try:
        text = raw.decode(name)
    except LookupError:
        raise UsageError(f"no such encoding: {name}", hint="such as latin-1 or gb18030") from None
    except UnicodeDecodeError as error:
        shown = name.upper() if name == "utf-8" else name
        raise UsageError(
            f"not {shown} (byte {error.start:,})",
            hint="--encoding says what it is, such as latin-1 or gb18030",
            code="encoding",
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _marked(raw: bytes) -> str | None:
    return next((name for mark, name in _MARKS if raw.startswith(mark)), None)
