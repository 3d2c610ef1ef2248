"""What the standard library has, without what it loads: for modules that a cold start imports.

CONTRIBUTING.md, "write a module here", has the other habits of such modules.
"""

from __future__ import annotations

from sys import version_info

# hashlib loads OpenSSL, 3 ms; this is 0.1 ms to load, and half as fast on what is short. A name
# that is not there costs a search of the whole path.
try:
    if version_info >= (3, 12):
        from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
    else:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    from hashlib import sha256

__all__ = ["sha256"]
