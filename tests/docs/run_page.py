"""Running a page: its blocks in order, in one shell, in a home where nothing is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.docs.pages import blocks, steps
from tests.docs.prepared import BEFORE, ENDS, NOW, STUBS
from tests.exchange.test_chats import chatgpt
from tests.exchange.test_other_memories import claude_mem, rsclaw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.docs.pages import Block

_BIN = Path(sys.executable).parent
_MARK = "\x1d"
_HOME = "/home/you"
_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b|\b[0-9A-HJKMNP-TV-Z]{8}…")
_HERE = re.compile(r"<<'(\w+)'$")
_NONCE = re.compile(r"\b[0-9a-f]{16}\b")
_SQLITE3 = """\
import sqlite3, sys
words = [word for word in sys.argv[1:] if not word.startswith("-")]
file = sqlite3.connect(f"file:{words[0]}?mode=ro", uri=True)
for row in file.execute(words[1]):
    print("|".join(str(value) for value in row))
"""


def complaints(page: Path, home: Path) -> Iterator[str]:
    """Yield every command of a page that ends or prints otherwise than the page says."""
    _furnish(home)
    script: list[str] = ["cd ~/work"]
    expected: list[tuple[str, tuple[int, ...], str | None]] = []
    headings: set[str] = set()
    for block in blocks(page.read_text()):
        if block.language not in ("sh", "console"):
            continue
        if block.heading not in headings:
            headings.add(block.heading)
            before = BEFORE.get((page.name, block.heading), ":")
            script.append(f"{{ {before}\n}} > /dev/null 2>&1")
        for command, ends, printed in _commands(block):
            expected.append((f"{page.name}:{block.line}: {command}", ends, printed))
            # Notes come behind the result, as on a terminal; before an exit code that is shown.
            notes = "2>&1" if "echo $?" in command else "2> ~/notes"
            told = f"cat ~/notes; printf '{_MARK}%s{_MARK}' $code"
            script.append(f": > ~/notes; {{ {command}\n}} {notes}; code=$?; {told}")
    told = _shell("\n".join(script), home)
    pieces = told.replace(str(home), _HOME).split(_MARK)
    if len(pieces) != 2 * len(expected) + 1:
        yield f"{page.name}: the shell ended early: {told[-500:]}"
        return
    for (name, ends, printed), out, code in zip(
        expected, pieces[0::2], pieces[1::2], strict=False
    ):
        if int(code) not in ends:
            yield f"{name}\n  ended with {code}: {out.strip()}"
        elif printed is not None and _shown(out) != _shown(printed):
            yield f"{name}\n  printed:\n{out.strip()}\n  and the page says:\n{printed}"


def _commands(block: Block) -> Iterator[tuple[str, tuple[int, ...], str | None]]:
    if block.language == "console":
        for step in steps(block):
            yield step.command, _ends(step.command), step.printed
        return
    for command in _whole_commands(block.text.split("\n")):
        yield command, _ends(command), None


def _ends(command: str) -> tuple[int, ...]:
    return next((ENDS[line] for line in ENDS if command.startswith(line)), (0,))


def _whole_commands(lines: list[str]) -> Iterator[str]:
    """Yield the commands of a shell block; one may take several lines: inside quotes, behind a
    backslash, or up to the end of a here-document. A line that is a comment is none."""
    gathered = end = ""
    for line in lines:
        if not gathered and line.startswith("#"):
            continue
        gathered += line + "\n"
        if found := _HERE.search(line):
            end = found[1]
        if end and line != end:
            continue
        is_whole = gathered.count('"') % 2 == 0 and not gathered.endswith("\\\n")
        if end or is_whole:
            if gathered.strip():
                yield gathered.strip()
            gathered = end = ""


def _shown(text: str) -> str:
    """Return a text with what differs from run to run made equal."""
    text = _NONCE.sub("NONCE", _ID.sub("ID", text.replace("\t", "  ")))
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def _furnish(home: Path) -> None:
    """Make the programs that are not ours, the folder of work, and files of other memories."""
    (home / "work").mkdir(parents=True)
    (home / ".claude-mem").mkdir()
    claude_mem(home / ".claude-mem")
    rsclaw(home)
    with zipfile.ZipFile(home / "work" / "chatgpt-export.zip", "w") as file:
        file.writestr("conversations.json", json.dumps([chatgpt(update_time=1_772_400_000)]))
    programs = home / "programs"
    programs.mkdir()
    for name, script in STUBS.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
    (programs / "sqlite3").write_text(f"#!{sys.executable}\n{_SQLITE3}")
    for program in programs.iterdir():
        program.chmod(0o755)


def _shell(script: str, home: Path) -> str:
    environ = {
        "HOME": str(home), "TIDELINE_NOW": NOW, "LANG": "C.UTF-8", "TZ": "UTC",
        "PATH": f"{home / 'programs'}:{_BIN}:/usr/bin:/bin",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-c", script], env=environ, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, check=False, timeout=300, cwd=os.fspath(home),
    )  # fmt: skip
    return done.stdout + done.stderr
