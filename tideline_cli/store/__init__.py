"""The only SQL and the only apsw; no rules of its own.

The constants that identify a memory file stand here, so that opening a file loads no schema.
"""

import sys

SCHEMA_VERSION = 1
APPLICATION_ID = 0x74_64_6C_6E  # "tdln"
DRAFT_ID = 0x74_69_64_65  # "tide", of files that were written before the first release
FROM_DRAFT = (
    "with the program that wrote it, `tideline export --all-origins > all.jsonl`; with this one, "
    "`tideline import all.jsonl --trust` into a new memory"
)
ALLOW_NETWORK = "TIDELINE_ALLOW_NETWORK_FS"  # the variable that allows a file on a network
SERVERS = ("postgresql://", "postgres://")
"""How the address of a memory on a server begins; everything else is the path of a file."""
SETTING = "SELECT value FROM setting WHERE name = ?"
ORIGIN_NUMBER = "SELECT number FROM origin WHERE key = ?"
_ABSTRACT = "_collections_abc"  # Python has loaded it when it starts


def _load_apsw() -> None:
    """Load apsw, which asks for nothing of `collections` but its abstract classes.

    They stand in a module that is there already; the package would load five others for them,
    1.3 ms. It is left to whoever imports it later. What goes wrong here does so again, and is told,
    where a module of this package imports apsw.
    """
    borrowed = [name for name in ("collections", "collections.abc") if name not in sys.modules]
    if _ABSTRACT in sys.modules:
        sys.modules.update(dict.fromkeys(borrowed, sys.modules[_ABSTRACT]))
    try:
        import apsw  # noqa: PLC0415, F401  while the classes are lent
    except (ImportError, AttributeError):  # told by the next import
        return
    finally:
        for name in borrowed:
            sys.modules.pop(name, None)


_load_apsw()
