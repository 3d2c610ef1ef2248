"""`python -m generate` writes the generated files of a checkout: man/,
completions/, pages of reference, and the patterns as the scan loads them. `--check` names what is
stale."""

from __future__ import annotations

import os
import sys

from generate.patterns import modules
from generate.reference import (
    STORAGE_FORMAT,
    commands_page,
    exit_codes_page,
    json_page,
    settings_page,
    storage_page,
)
from tideline_cli.cli.generate.completions import files as completion_files
from tideline_cli.cli.generate.man import pages

_ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))


def main(argv: list[str]) -> int:
    """Write the files, or with --check say which are stale; return the exit code."""
    if "--check" in argv:
        old = stale(_ROOT)
        for path in old:
            sys.stderr.write(f"stale: {path} (make generate)\n")
        return 1 if old else 0
    write_file(_ROOT)
    return 0


def generated(root: str) -> dict[str, str]:
    """Return every generated file of a checkout by its path below `root`."""
    made = {f"man/{name}": text for name, text in pages().items()}
    made |= {f"completions/{name}": text for name, text in completion_files().items()}
    made |= modules(root)
    made[STORAGE_FORMAT] = storage_page(root)
    made["docs/json.md"] = json_page()
    made["docs/commands.md"] = commands_page()
    made["docs/settings.md"] = settings_page()
    made["docs/exit-codes.md"] = exit_codes_page(root)
    return made


def stale(root: str) -> list[str]:
    """Return the paths of the generated files that are not what they would be now.

    A page whose command is gone is one of them.
    """
    return _stale(root, generated(root))


def _stale(root: str, made: dict[str, str]) -> list[str]:
    old = [path for path, text in made.items() if _text_of(os.path.join(root, path)) != text]
    return [*old, *(path for path in _pages_of(root) if path not in made)]


def write_file(root: str) -> None:
    """Write what is stale, and remove the pages of commands that are gone."""
    made = generated(root)
    for path in _stale(root, made):
        place = os.path.join(root, path)
        if path not in made:
            os.remove(place)
            sys.stderr.write(f"removed {path}\n")
            continue
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8", newline="\n") as file:
            file.write(made[path])
        sys.stderr.write(f"wrote {path}\n")


def _pages_of(root: str) -> list[str]:
    """Return the paths of the manual pages that are there."""
    try:
        return [f"man/{name}" for name in sorted(os.listdir(os.path.join(root, "man")))]
    except FileNotFoundError:
        return []


def _text_of(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
