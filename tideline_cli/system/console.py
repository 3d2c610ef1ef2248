"""What our streams carry where the system is Windows: UTF-8, and lines that end with LF."""

from __future__ import annotations

import sys


def prepare() -> None:
    """Let the standard streams be UTF-8, whatever the code page of the console is; in a pipe or a
    file a line ends with LF, as on other systems. A console is left to Python, which asks it for
    Unicode itself."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None and not stream.isatty():
            newline = None if stream is sys.stdin else "\n"
            reconfigure(encoding="utf-8", newline=newline)
