"""The copy of libpq that the wheel of psycopg carries: the extra `postgres` installs it."""

from __future__ import annotations

import os
import sys


def path() -> str | None:
    """Return the path of that copy, None where the wheel is not installed."""
    for folder in sys.path:
        libraries = os.path.join(folder, "psycopg_binary.libs")
        try:
            names = os.listdir(libraries)
        except OSError:
            continue
        for name in names:
            if name.startswith("libpq-") and ".so" in name:
                return os.path.join(libraries, name)
    return None
