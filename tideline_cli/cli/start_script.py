"""The script that a shell reads when it starts: what it needs of keys and manual pages put in."""

from __future__ import annotations

import os
import sys

from tideline_cli.errors import UsageError

USUAL_KEY = "alt-m"
_FOLDER = os.path.join(os.path.dirname(__file__), "shell_start")
_USUAL_PREFIXES = ("/usr", "/usr/local")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_MOST_KEYS = 3
# Without these a line cannot be ended, left, completed or stopped; ctrl-[ begins all other keys.
_NEEDED = frozenset("cijmz[")
_KEY_HINT = "such as alt-m, ctrl-o, or `ctrl-x m` for one after the other"


def script_of(shell: str, *, key: str | None) -> str:
    """Return the script for a shell; without a key nothing is bound."""
    parts = {"#@MANPATH@": _manual_lines(shell), "#@KEY@": ""}
    if key is not None:
        parts["#@KEY@"] = _file(f"key.{shell}").replace("@KEYS@", typed_keys(key, shell))
    lines = []
    for line in _file(f"init.{shell}").splitlines(keepends=True):
        lines.append(parts.get(line.strip(), line))
    return "".join(lines)


def typed_keys(key: str, shell: str) -> str:
    """Return keys in the spelling of a shell; raise UsageError for what is none."""
    named = key.lower().split()
    if not named or len(named) > _MOST_KEYS:
        raise UsageError(f"not a key: {key!r}", hint=_KEY_HINT)
    spelled = [_spelled(one, key, shell, is_first=not place) for place, one in enumerate(named)]
    return "".join(spelled)


def _spelled(one: str, key: str, shell: str, *, is_first: bool) -> str:
    *modifiers, letter = one.split("-")
    is_known = set(modifiers) <= {"ctrl", "alt"} and len(set(modifiers)) == len(modifiers)
    if letter not in _LETTERS or not is_known or (is_first and not modifiers):
        raise UsageError(f"not a key: {key!r}", hint=_KEY_HINT)
    if is_first and modifiers == ["ctrl"] and letter in _NEEDED:
        raise UsageError(f"{one} is needed in every line", hint=f"take another, {_KEY_HINT}")
    alt, ctrl = "alt" in modifiers, "ctrl" in modifiers
    if shell == "fish":
        return ("\\e" if alt else "") + ("\\c" if ctrl else "") + letter
    if shell == "zsh":
        return ("^[" if alt else "") + (f"^{letter.upper()}" if ctrl else letter)
    return ("\\e" if alt else "") + ("\\C-" if ctrl else "") + letter


def _file(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _manual_lines(shell: str) -> str:
    """Return the lines that let `man tideline` find the pages that were installed beside this
    program; none where `man` looks anyway, or where there are none."""
    folder = os.path.join(sys.prefix, "share", "man")
    page = os.path.join(folder, "man1", "tideline.1")
    if sys.prefix in _USUAL_PREFIXES or not os.path.isfile(page) or not _is_tame(folder):
        return ""
    if shell == "fish":
        return (
            "    set -q MANPATH; or set -gx MANPATH ''\n"
            f"    contains -- '{folder}' $MANPATH; or set -gx MANPATH $MANPATH '{folder}'\n"
        )
    return (
        f"    case :${{MANPATH-}}: in *:'{folder}':*) ;;"
        f" *) export MANPATH=\"${{MANPATH-}}\":'{folder}' ;; esac\n"
    )


def _is_tame(path: str) -> bool:
    """Say whether a path is the same between single quotes in each shell, and one of a list."""
    return path.isprintable() and not any(char in path for char in "'\\:!")
