"""What the standard library has, without what it loads: for modules that a cold start imports.

CONTRIBUTING.md, "write a module here", has the other habits of such modules.
"""

from __future__ import annotations

from sys import version_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime, timedelta
    from hashlib import blake2b, sha256
    from json.encoder import encode_basestring
    from json.scanner import make_scanner
    from typing import Any, TypeVar

    Made = TypeVar("Made")

__all__ = [
    "blake2b", "date", "datetime", "encode_basestring", "make_scanner", "once", "sha256",
    "timedelta",
]  # fmt: skip
_OF_DATES = ("date", "datetime", "timedelta")


def __getattr__(name: str) -> Any:
    """Load one of the names above when a module imports it from here, and no other.

    CPython takes them from private modules, 0.1 ms each. The public ones load more: hashlib loads
    OpenSSL, 3 ms, json loads re, 12 ms, and datetime of Python 3.11 has all of its classes a second
    time in Python, 1 ms. To look for a module that is not there searches the
    whole path.
    """
    if name == "sha256":
        return _sha256()
    if name == "blake2b":
        try:
            from _blake2 import blake2b  # noqa: PLC0415  each name alone
        except ImportError:
            from hashlib import blake2b  # noqa: PLC0415  as above
        return blake2b
    if name == "encode_basestring":
        try:
            from _json import encode_basestring  # noqa: PLC0415  as above
        except ImportError:
            from json.encoder import encode_basestring  # noqa: PLC0415  as above
        return encode_basestring
    if name == "make_scanner":
        try:
            from _json import make_scanner  # noqa: PLC0415  as above
        except ImportError:
            from json.decoder import JSONDecoder  # noqa: PLC0415  as above

            return lambda _: JSONDecoder().scan_once  # type: ignore[attr-defined]
        return make_scanner
    if name in _OF_DATES:
        return getattr(_dates(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _sha256() -> Any:
    """Return SHA-256, which on short texts is half as fast as that of hashlib."""
    try:
        if version_info >= (3, 12):
            from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415  as above
        else:
            from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415  as above
    except ImportError:
        from hashlib import sha256  # noqa: PLC0415  as above
    return sha256


def _dates() -> Any:
    try:
        import _datetime as dates  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415  as above
    except ImportError:
        import datetime as dates  # noqa: PLC0415  as above
    return dates


def once(make: Callable[[], Made]) -> Callable[[], Made]:
    """Return a function that calls `make` the first time, and then returns the same value.

    For a table or a library that few commands need. `functools.cache` does this too, and loads
    `functools` and `collections`, 1 ms.
    """
    made: list[Made] = []

    def get() -> Made:
        if not made:
            made.append(make())
        return made[0]

    return get
