"""A moving picture of an agent that answers from memory: PYTHONPATH=. python examples/recording.py

Claude Code is set up in an empty home, and a session is typed at it. Its model is the stand-in of
tests/doors, which answers with the facts that the hook has put into the request, so what is shown
is what reached the model. What the programs print becomes an SVG, light and dark: styles alone, no
scripts; who asks for less motion sees the whole session at once. Without Claude Code in
.venv-clients (`make recording` installs it by npm) the pictures stay as they are.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from moving_picture import COLUMNS, Row, picture
from pictures import THEMES
from rich.text import Text

from tests.doors.stand_in import standing_in

ROOT = Path(__file__).resolve().parents[1]
CLIENTS = ROOT / ".venv-clients" / "node_modules" / ".bin"
QUESTION = "When do we deploy billing?"
SESSION = (
    ("tideline", "setup", "claude-code"),
    ("tideline", "remember", "We deploy billing on Mondays", "--slot", "billing_day"),
    ("claude", "-p", QUESTION),
    ("tideline", "remember", "We deploy billing on Tuesdays", "--slot", "billing_day"),
    ("claude", "-p", QUESTION),
)
KEY, LONGEST_WAIT, READING, END = 0.03, 0.8, 0.8, 5.0  # seconds
_FACT = re.compile(r"^- \[\w+\] (.+)$", re.M)
_NO_STYLE = re.compile(r"\x1b\[[?>=][0-9;]*[a-zA-Z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>]|\r")


def main(folder: Path) -> int:
    """Record the session, and write both pictures."""
    if not (CLIENTS / "claude").exists():
        sys.stderr.write(f"no Claude Code in {CLIENTS}: `make recording` installs it, by npm; "
                         f"{folder}/agent-*.svg stay as they are\n")  # fmt: skip
        return 1
    rows, length = recorded()
    for name, theme in THEMES.items():
        (folder / f"agent-{name}.svg").write_text(picture(rows, length, theme), encoding="utf-8")
    return 0


def answer(request: str) -> str:
    """Return what the stand-in says: the facts about the question that its request holds."""
    facts = dict.fromkeys(_FACT.findall(_words(json.loads(request))))
    return f"From memory: {'; '.join(facts)}." if facts else "I do not know."


def _words(form: object) -> str:
    """Return all texts of a request."""
    if isinstance(form, str):
        return form
    parts = form.values() if isinstance(form, dict) else form if isinstance(form, list) else ()
    return "\n".join(map(_words, parts))


def recorded() -> tuple[list[Row], float]:
    """Run the session; return its lines, and how many seconds it takes. Waits are cut short."""
    rows: list[Row] = []
    now = 0.6
    with tempfile.TemporaryDirectory(prefix="t") as home, standing_in(answer) as server:
        environ = {
            "HOME": home, "PATH": f"{Path(sys.executable).parent}:{CLIENTS}:/usr/bin:/bin",
            "TERM": "xterm-256color", "LANG": "C.UTF-8", "PAGER": "cat",
            "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "dummy",
            "DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }  # fmt: skip
        work = Path(home) / "work"
        (work / ".git").mkdir(parents=True)
        for call in SESSION:
            typed = " ".join(json.dumps(word) if " " in word else word for word in call)
            rows.append(Row(Text.assemble(("$ ", "green"), (typed, "bold")), now, len(typed) * KEY))
            started = time.monotonic()
            told = _printed(call, environ, work).replace(home, "~")
            now += len(typed) * KEY + min(time.monotonic() - started, LONGEST_WAIT)
            for line in Text.from_ansi(_NO_STYLE.sub("", told).rstrip().expandtabs()).split("\n"):
                pieces = line.divide(range(COLUMNS, len(line), COLUMNS))  # as a terminal does
                rows += [Row(piece, now) for piece in pieces]
            rows.append(Row(Text(""), now))
            now += READING
    return rows[:-1], now + END


def _printed(call: tuple[str, ...], environ: dict[str, str], work: Path) -> str:
    """Run a command in a terminal of its own; return what it writes there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    process = subprocess.Popen(
        call, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environ, cwd=work,
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
    os.close(ours)
    if process.wait():
        raise SystemExit(f"{call} ended with {process.returncode}: {told.decode()}")
    return told.decode()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs" / "pictures")))
