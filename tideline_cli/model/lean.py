"""What the standard library has, without what it loads: for modules that a cold start imports.

CONTRIBUTING.md, "write a module here", has the other habits of such modules.
"""

from __future__ import annotations

from sys import version_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from hashlib import blake2b, sha256
    from json.encoder import encode_basestring
    from typing import Any, TypeVar

    Made = TypeVar("Made")

__all__ = ["blake2b", "encode_basestring", "once", "sha256"]

# For each name: the module that CPython itself takes it from, and the public one. hashlib loads
# OpenSSL, 3 ms, and json loads re, 12 ms; the private ones take 0.1 ms. The private sha256 is half
# as fast on short texts. To look for a module that is not there searches the whole path.
_HOMES = {
    "blake2b": ("_blake2", "hashlib"),
    "encode_basestring": ("_json", "json.encoder"),
    "sha256": ("_sha2" if version_info >= (3, 12) else "_sha256", "hashlib"),
}


def __getattr__(name: str) -> Any:
    """Load one of these names when a module imports it from here, and no other."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    private, public = _HOMES[name]
    try:
        home = __import__(private)
    except ImportError:
        home = __import__(public, fromlist=[name])
    return getattr(home, name)


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
