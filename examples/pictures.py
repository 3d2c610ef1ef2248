"""Pictures of a terminal, from what the program prints: python examples/pictures.py [FOLDER]

A small memory is made in a folder of its own, every command is run in a terminal of 80 and of 50
columns, and what it prints becomes an SVG, light and dark. Needs `tideline` on the PATH.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI, TerminalTheme
from rich.text import Text

NOW = "2026-03-02T09:00:00Z"
WIDTHS = (80, 50)
LIGHT = TerminalTheme(
    (255, 255, 255), (36, 41, 47),
    [(36, 41, 47), (207, 34, 46), (17, 99, 41), (77, 45, 0), (9, 105, 218), (130, 80, 223),
     (27, 124, 131), (110, 119, 129)],
)  # fmt: skip
THEMES = {"light": LIGHT, "dark": MONOKAI}
SAID = (
    ("2026-01-05", "I deploy on Fridays", "--slot", "deploy_day"),
    ("2026-01-12", "Lena's birthday is 12 May", "-s", "relationship"),
    ("2026-01-20", "The boiler needs 1.5 bar; top it up at the blue tap", "--tag", "house"),
    ("2026-02-02", "PostgreSQL 15 is what production runs", "--slot", "pg_version"),
    ("2026-02-20", "PostgreSQL 16 is what production runs", "--slot", "pg_version"),
    ("2026-02-27", "I deploy on Mondays", "--slot", "deploy_day"),
    ("2026-03-01", "I keep a strict vegetarian diet", "-s", "preference", "--pin"),
)
SCENES = {
    "start": ((),),
    "recall": (("recall", "when do I deploy"), ("recall", "production PostgreSQL", "--explain")),
    "history": (("history", "--limit", "4"),),
    "timeline": (("timeline", "--slot", "pg_version"),),
    "status": (("status",),),
}


def main(folder: Path) -> None:
    """Write all pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        environ = {"HOME": home, "TIDELINE_NOW": NOW, "LANG": "C.UTF-8", "TERM": "xterm-256color",
                   "PATH": os.environ["PATH"], "PAGER": "cat"}  # fmt: skip
        for day, *words in SAID:
            subprocess.run(["tideline", "remember", "--quiet", *words, "--now", day], env=environ,
                           check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        for name, calls in SCENES.items():
            for columns in WIDTHS:
                told = "".join(_scene(call, environ, columns) for call in calls)
                told = told.replace(home, "/home/you")
                for theme in THEMES:
                    picture = folder / f"{name}-{columns}-{theme}.svg"
                    picture.write_text(_svg(told, columns, theme, picture.stem))


def _scene(call: tuple[str, ...], environ: dict[str, str], columns: int) -> str:
    """Return a prompt, a command and what it prints."""
    typed = " ".join(f'"{word}"' if " " in word else word for word in ("tideline", *call))
    return f"\x1b[32m$\x1b[0m \x1b[1m{typed}\x1b[0m\n{_printed(call, environ, columns)}\n"


def _printed(call: tuple[str, ...], environ: dict[str, str], columns: int) -> str:
    """Run a command in a terminal of its own; return what it writes there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        ["tideline", *call], stdin=theirs, stdout=theirs, stderr=theirs, env=environ,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    told = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        told += piece
    process.wait()
    os.close(ours)
    return told.decode().replace("\r\n", "\n")


def _svg(told: str, columns: int, theme: str, unique: str) -> str:
    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True)
    for whole in Text.from_ansi(told.rstrip()).split("\n"):
        for piece in whole.divide(range(columns, len(whole), columns)):  # as a terminal breaks it
            console.print(piece, soft_wrap=True)
    return console.export_svg(title="tideline", theme=THEMES[theme], unique_id=unique)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
