"""The syntax trees of files, each parsed once for all rules."""

from __future__ import annotations

import ast
from functools import cache


@cache
def tree(path):
    """Return the syntax tree of a file. Nobody changes it."""
    return ast.parse(path.read_text("utf-8"))
