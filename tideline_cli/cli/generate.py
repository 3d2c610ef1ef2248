"""man/, completions/, docs/schema.md and the README's command list, from the live tables.

`python -m tideline_cli.cli.generate` writes them into the checkout; `--check` names what is stale.
"""

from __future__ import annotations

import os
import sys

from tideline_cli.cli.app import PANELS
from tideline_cli.cli.commands import COMMANDS
from tideline_cli.cli.generate_completions import files as completion_files
from tideline_cli.cli.generate_man import pages, usage
from tideline_cli.store import schema

_ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
_BEGIN, _END = "<!-- commands:begin -->", "<!-- commands:end -->"


def generated(root: str) -> dict[str, str]:
    """Return every generated file of a checkout by its path below `root`."""
    made = {f"man/{name}": text for name, text in pages().items()}
    made |= {f"completions/{name}": text for name, text in completion_files().items()}
    made["docs/schema.md"] = schema_page()
    readme = _read(os.path.join(root, "README.md"))
    if _BEGIN in readme and _END in readme:
        head, _, rest = readme.partition(_BEGIN)
        made["README.md"] = f"{head}{_BEGIN}\n{command_list()}\n{_END}{rest.partition(_END)[2]}"
    return made


def stale(root: str) -> list[str]:
    """Return the paths of the generated files that are not what they would be now.

    A page whose command is gone is one of them.
    """
    made = generated(root)
    old = [path for path, text in made.items() if _read(os.path.join(root, path)) != text]
    return [*old, *(path for path in _pages_of(root) if path not in made)]


def command_list() -> str:
    """Return the commands as a Markdown table, panel by panel."""
    lines = ["", "| | Command | What it does |", "| --- | --- | --- |"]
    shown = ""
    places = {panel: place for place, panel in enumerate(PANELS)}
    for name, command in sorted(COMMANDS.items(), key=lambda item: places[item[1].panel]):
        panel = f"**{command.panel}**" if command.panel != shown else ""
        shown = command.panel
        typed = f"{name} {usage(name)}".rstrip().replace("|", "\\|")
        lines.append(f"| {panel} | `{typed}` | {command.summary} |")
    return "\n".join([*lines, ""])


def schema_page() -> str:
    """Return the page of the schema: each statement behind the comment that stands above it."""
    lines = [
        "# The schema",
        "",
        f"Version {schema.VERSION}; made from `tideline_cli/store/schema.py`. Settings, pragmas "
        "and how to read the file: [file-format.md](file-format.md).",
    ]
    comment: list[str] = []
    statement: list[str] = []
    for line in schema.script().strip().split("\n"):
        if line.startswith("--") and not statement:
            comment.append(line.removeprefix("--").strip())
        elif line.strip() or statement:
            statement.append(line)
            if _ends(statement):
                lines += _section(comment, statement)
                comment, statement = [], []
    return "\n".join([*lines, ""])


def main(argv: list[str]) -> int:
    """Write the files, or with --check say which are stale; return the exit code."""
    if not os.path.isfile(os.path.join(_ROOT, "pyproject.toml")):
        sys.stderr.write(f"{_ROOT} is not a checkout of tideline\n")
        return 2
    return _check(_ROOT) if "--check" in argv else _write(_ROOT)


def _check(root: str) -> int:
    old = stale(root)
    for path in old:
        sys.stderr.write(f"stale: {path} (make generate)\n")
    return 1 if old else 0


def _write(root: str) -> int:
    made = generated(root)
    for path in stale(root):
        place = os.path.join(root, path)
        if path not in made:
            os.remove(place)
            sys.stderr.write(f"removed {path}\n")
            continue
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(made[path])
        sys.stderr.write(f"wrote {path}\n")
    return 0


def _pages_of(root: str) -> list[str]:
    """Return the paths of the manual pages that are there."""
    try:
        return [f"man/{name}" for name in sorted(os.listdir(os.path.join(root, "man")))]
    except FileNotFoundError:
        return []


def _ends(statement: list[str]) -> bool:
    if not statement[-1].rstrip().endswith(";"):
        return False
    is_trigger = statement[0].startswith("CREATE TRIGGER")
    return statement[-1].strip() == "END;" if is_trigger else True


def _section(comment: list[str], statement: list[str]) -> list[str]:
    lines: list[str] = []
    words = statement[0].split()
    if words[:2] in (["CREATE", "TABLE"], ["CREATE", "VIEW"], ["CREATE", "VIRTUAL"]):
        name = words[3] if words[1] == "VIRTUAL" else words[2]
        lines += ["", f"## {name.strip('(')}"]
    if comment:
        lines += ["", " ".join(comment)]
    return [*lines, "", "```sql", *statement, "```"]


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
