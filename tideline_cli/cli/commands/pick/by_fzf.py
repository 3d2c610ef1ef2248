"""The list by fzf: it asks this program anew with each letter, by `tideline __pick`; and the
clipboard, which a key of it fills."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from tempfile import TemporaryDirectory

from tideline_cli.cli.commands.pick import offer
from tideline_cli.model import codec
from tideline_cli.model.record import as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.options import GlobalOptions, OptionSet
    from tideline_cli.model.fact import Fact

_KEYS = "enter take · ^x forget · ^t pin · ^y copy id · esc leave"
_LEAST = (0, 36)  # of the event `load`
_PATIENCE = 5  # seconds
_LEFT, _NO_MATCH = 130, 1
_CALL = '"$_TIDELINE_PYTHON" -P "$_TIDELINE_SCRIPT" __pick'
_FULL = 26  # letters of an id


def program() -> tuple[str | None, str]:
    """Return fzf, and why it is not taken where it is there but cannot be."""
    path = shutil.which("fzf")
    if path is None:
        return None, ""
    try:
        done = subprocess.run(  # noqa: S603  a program of the user's PATH, without a shell
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None, "fzf cannot be run"
    version = done.stdout.split()[0] if done.stdout.split() else "?"
    parts = version.split(".")
    if not all(part.isdigit() for part in parts[:2]) or tuple(map(int, parts[:2])) < _LEAST:
        return None, f"fzf {version} is older than {'.'.join(map(str, _LEAST))}"
    return path, ""


def handed(options: OptionSet, global_options: GlobalOptions, told: str) -> str:
    """Return what the processes that fzf starts have to know of a call; `told` is a file where
    they leave what is to be said afterwards."""
    form = {"options": as_dict(options), "global": as_dict(global_options), "told": told}
    return codec.dumps(form)


class FzfFailed(Exception):  # noqa: N818  another list takes its place
    """fzf could not be used; the text says why."""


def chosen(
    path: str, facts: list[Fact], text: str, handle: int, options: OptionSet,
    global_options: GlobalOptions, *, is_styled: bool, now: int,
) -> tuple[str | None, list[str]]:  # fmt: skip
    """Let a reader choose by fzf at the terminal `handle`; return the id of the fact, None for
    none, and what is to be said. Raises FzfFailed where fzf fails."""
    with TemporaryDirectory(prefix="tideline-") as folder:
        told = os.path.join(folder, "told")
        environ = os.environ | {
            offer.HANDED: handed(options, global_options, told), "_TIDELINE_PYTHON": sys.executable,
            "_TIDELINE_SCRIPT": os.path.abspath(shutil.which(sys.argv[0]) or sys.argv[0]),
            "SHELL": "/bin/sh", "FZF_DEFAULT_COMMAND": "",
        }  # fmt: skip
        done = subprocess.run(  # noqa: S603  no shell; fzf quotes what it puts into ours
            [path, *_flags(text, is_styled=is_styled)],
            input="".join(offer.row_of(fact, now=now) for fact in facts),
            stdout=subprocess.PIPE, stderr=handle, env=environ, encoding="utf-8",
            errors="backslashreplace", check=False,
        )  # fmt: skip
        notes = _lines(told)
    if done.returncode in (_LEFT, _NO_MATCH):
        return None, notes
    fact_id = done.stdout.rstrip("\n").rpartition("\n")[2].partition("\t")[0]
    if done.returncode or len(fact_id) != _FULL:
        raise FzfFailed(f"fzf ended with {done.returncode}")
    return fact_id, notes


def _flags(text: str, *, is_styled: bool) -> list[str]:
    """Return the flags of fzf, behind those of its user; what would change the result is undone."""
    again = f"reload({_CALL} rows {{q}})"
    keys = {
        "change": again,
        "ctrl-x": f"execute({_CALL} forget {{1}})+{again}",
        "ctrl-t": f"execute-silent({_CALL} pin {{1}})+{again}",
        "ctrl-y": f"execute-silent({_CALL} copy {{1}})",
        "enter": "accept",
        "load": "refresh-preview",
    }
    return [
        "--disabled", "--no-multi", "--no-print-query", "--no-expect", "--no-read0", "--no-print0",
        "--no-select-1", "--no-exit-0", "--no-sort", "--no-tac", "--no-ansi", "--delimiter=\t",
        "--with-nth=2..", "--layout=reverse", f"--query={text}", "--prompt=> ",
        f"--header={_KEYS}", f"--preview={_CALL} show {{1}}",
        "--preview-window=down,50%,wrap", *([] if is_styled else ["--color=bw"]),
        *(f"--bind={key}:{action}" for key, action in keys.items()),
    ]  # fmt: skip


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except OSError:
        return []


_CLIPBOARD_PATIENCE = 2  # seconds
# Each with what it needs of the environment; the first that is there is taken.
_PROGRAMS = (
    ("pbcopy", "", ()),
    ("wl-copy", "WAYLAND_DISPLAY", ()),
    ("xclip", "DISPLAY", ("-selection", "clipboard")),
    ("xsel", "DISPLAY", ("--clipboard", "--input")),
    ("clip.exe", "WSL_DISTRO_NAME", ()),
)


def copy_to_clipboard(text: str, terminal: int) -> str:
    """Copy a text; `terminal` is a file descriptor of the terminal. Return by what: the name of a
    program, or `terminal`, of which nobody knows whether it obeys."""
    coded = base64.b64encode(text.encode()).decode()
    os.write(terminal, f"\x1b]52;c;{coded}\x07".encode())
    for name, needed, flags in _PROGRAMS:
        program = shutil.which(name)
        is_wanted = program and (not needed or os.environ.get(needed))
        if program and is_wanted and _is_given([program, *flags], text):
            return name
    return "terminal"


def _is_given(argv: list[str], text: str) -> bool:
    """Say whether a program has taken the text. Some stay behind to serve it: their output is
    nobody's, so that none waits for its end."""
    try:
        done = subprocess.run(  # noqa: S603  no shell, a name of ours
            argv, input=text.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=_CLIPBOARD_PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
