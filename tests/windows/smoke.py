"""What is looked at on Windows: each check uses tideline.exe on a memory of its own."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.windows.place import HERE, IS_WINE, Place, windows_path

if TYPE_CHECKING:
    from collections.abc import Callable

UMLAUTS = "Zoë's flat is in Zürich 🏔"
WRITERS, WRITES = 3, 6
CRANES = [f"the harbour crane number {n} is painted yellow" for n in range(40)]


class Done(NamedTuple):
    """What a command did: its exit code, and what it printed."""

    code: int
    out: str
    err: str


class Memory:
    """A home folder of its own, and the commands on it."""

    def __init__(self, windows: Place) -> None:
        self.windows = windows

    def __enter__(self) -> Memory:
        self.folder = Path(tempfile.mkdtemp(prefix="home-", dir=HERE))
        self.home = windows_path(self.folder / "memory")
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder)

    def __call__(self, *argv: str, code: int = 0, given: str = "", **environ: str) -> Done:
        """Run a command; what it prints is UTF-8 with lines that end with LF."""
        done = self.windows.run(
            str(self.windows.tideline), *argv, given=given.encode(), TIDELINE_HOME=self.home,
            **environ,
        )  # fmt: skip
        assert b"\r" not in done.stdout, done.stdout
        found = Done(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert found.code == code, (argv, found)
        return found

    def python(self, code: str, *, given: str = "") -> Done:
        """Run a script on Windows' Python."""
        path = self.folder / "script.py"
        path.write_text(code, encoding="utf-8")
        done = self.windows.run(
            str(self.windows.python), windows_path(path), given=given.encode(),
            TIDELINE_HOME=self.home,
        )  # fmt: skip
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace"))

    def path(self, name: str) -> str:
        """Return a file beside the memory as Windows sees it."""
        return windows_path(self.folder / name)

    def facts(self) -> set[str]:
        """Return the texts of all facts."""
        return {json.loads(line)["content"] for line in self("export").out.splitlines()}


def remembers(memory: Memory) -> None:
    """What is remembered is found again, in UTF-8, by argument and by pipe."""
    assert memory("--version").out.startswith("tideline ")
    memory("remember", UMLAUTS)
    memory("remember", "-", given="a café in Łódź\n")
    assert UMLAUTS in memory("recall", "zürich").out
    assert "a café in Łódź" in memory("recall", "łódź").out
    assert memory("recall", "nothing-of-that-kind", code=1).out == ""
    assert json.loads(memory("recall", "flat", "--json").out)["hits"][0]["content"] == UMLAUTS
    assert UMLAUTS in memory("context", "zürich").out
    assert json.loads(memory("status", "--json").out)["facts"]["active"] == 2


def dreams(memory: Memory) -> None:
    """A dream finds facts that are alike, by numpy; undo takes back what it did."""
    rows = "".join(json.dumps({"content": text}) + "\n" for text in CRANES)
    memory("import", "-", given=rows)
    before = memory("export").out
    memory("dream")
    links = [json.loads(line)["links"] for line in memory("export").out.splitlines()]
    assert sum(map(len, links)) >= 2 * len(CRANES), links
    batch = json.loads(memory("history", "--json").out)["changes"][0]["batch"]
    memory("undo", str(batch))
    assert memory("export").out == before
    memory("doctor", "--deep")


def moves_out_and_in(memory: Memory) -> None:
    """An export is the same after an import, as a file and in a pipe."""
    for text in (UMLAUTS, "line one\nline two", "C:\\Users\\me"):
        memory("remember", "-", given=text)
    memory("export", "--output", memory.path("facts.jsonl"))
    raw = (memory.folder / "facts.jsonl").read_bytes()
    assert raw.decode() == memory("export").out
    assert b"\r" not in raw
    other = memory.path("other.db")
    memory("--db", other, "import", memory.path("facts.jsonl"), "--trust")
    assert memory("--db", other, "export").out.encode() == raw
    memory("export", "--format", "csv", "--output", memory.path("facts.csv"))
    memory("--db", memory.path("third.db"), "import", memory.path("facts.csv"))


def is_saved(memory: Memory) -> None:
    """A backup replaces itself and restores what was forgotten; a program that has the file open
    makes a move wait, and end with 75."""
    memory("remember", "the spare key is in the shed")
    copy = memory.path("copy.db")
    memory("backup", copy)
    memory("backup", copy, "--force")
    memory("remember", "a fact of later")
    memory("restore", "--from", copy, "--yes")
    assert memory.facts() == {"the spare key is in the shed"}
    assert list((memory.folder / "memory").glob("*before-restore*"))
    memory("doctor", "--deep")
    held = memory.windows.started(
        str(memory.windows.python), "-c",
        f"import sys; f = open({copy!r}, 'rb'); print('open', flush=True); sys.stdin.read()",
    )  # fmt: skip
    assert held.stdout is not None
    held.stdout.readline()
    start = time.monotonic()
    assert "in use by another program" in memory("backup", copy, "--force", code=75).err
    assert time.monotonic() - start > 1
    held.communicate()
    memory("backup", copy, "--force")


def is_scheduled(memory: Memory) -> None:
    """The task starts this very program on this memory; it is put in place and taken out."""
    text = memory("schedule").out
    assert f'"{windows_path(memory.windows.tideline)}"'.lower() in text.lower()
    assert f'--db" "{memory.home}\\tideline.db"' in text
    assert "T03:30:00" in text
    assert "every day at 02:15" in memory("schedule", "--install", "--at", "02:15").err
    assert "no more dreams" in memory("schedule", "--remove").err
    memory("schedule", "--remove", code=6 if IS_WINE else 0)  # wine's says that each is there
    assert "crontab" in memory("schedule", "--cron", "--install", code=6).err


def is_configured(memory: Memory) -> None:
    """Settings are written, read and listed; a key file needs no mode."""
    memory("config", "set", "limit", "3")
    memory("config", "set", "llm", "C:\\Tools\\ask me.exe --quick")
    assert "limit\t3" in memory("config", "list").out
    assert 'limit = 3' in (memory.folder / "memory" / "config.toml").read_text()
    memory("config", "unset", "limit")
    assert "limit\t3" not in memory("config", "list").out


def serves_hooks(memory: Memory) -> None:
    """A hook answers a prompt with what is known, and notes the end of a conversation."""
    memory("remember", "the harbour crane is painted yellow", "--pin")
    call: dict[str, Any] = {"session_id": "s", "cwd": "C:\\", "hook_event_name": "UserPromptSubmit",
                            "prompt": "which colour has the harbour crane"}  # fmt: skip
    answer = json.loads(hooked(memory, call).out)
    assert "painted yellow" in answer["hookSpecificOutput"]["additionalContext"]
    (memory.folder / "talk.jsonl").write_text("{}\n")
    end = {**call, "hook_event_name": "Stop", "transcript_path": memory.path("talk.jsonl")}
    hooked(memory, end)
    (queue,) = (memory.folder / "memory" / "hooks").glob("queue-*.jsonl")
    assert "talk.jsonl" in queue.read_text()


def hooked(memory: Memory, call: dict[str, Any]) -> Done:
    """Return the answer of a hook that has a minute: below wine a second is too short for it."""
    code = (
        "import sys\nfrom tideline_cli.serve import deadline\n"
        "deadline.begin.__defaults__ = (60.0,)\nsys.argv = ['tideline', 'hook', 'codex']\n"
        "from tideline_cli.__main__ import enter\nenter()\n"
    )
    return memory.python(code, given=json.dumps(call))


def takes_two_writers(memory: Memory) -> None:
    """Writers at once lose nothing; one that is killed with the lock lets the next one in."""
    memory("remember", "a first fact")
    code = (
        "import subprocess, sys\n"
        f"for n in range({WRITES}):\n"
        "    argv = [sys.argv[1], 'remember', f'writer {sys.argv[2]} says {n}']\n"
        "    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True)\n"
        "    assert done.returncode == 0, done\n"
    )
    path = memory.folder / "writer.py"
    path.write_text(code)
    windows, home = memory.windows, memory.home
    exe = windows_path(windows.tideline)
    running = [
        windows.started(str(windows.python), windows_path(path), exe, str(n), TIDELINE_HOME=home)
        for n in range(WRITERS)
    ]
    for one in running:
        said = one.communicate()
        assert one.returncode == 0, said
    wanted = {f"writer {who} says {n}" for who in range(WRITERS) for n in range(WRITES)}
    assert memory.facts() == wanted | {"a first fact"}
    memory("doctor", "--deep")


def frees_locks(memory: Memory) -> None:
    """A lock holds others out for as long as its process lives, and no longer."""
    memory("remember", "a first fact")
    store = memory.home + "\\tideline.db"
    holder = memory.windows.started(
        str(memory.windows.python), "-c",
        "import os, sys\nfrom tideline_cli.store import locks\n"
        f"held = locks.attempt({store!r}, locks.DREAM)\n"
        "print('held' if held is not None else 'none', flush=True)\nsys.stdin.read()\nos._exit(9)",
    )  # fmt: skip
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == b"held"
    assert "another pass is running" in memory("dream").err
    holder.communicate()
    assert "another pass is running" not in memory("dream").err


def asks_models(memory: Memory) -> None:
    """A model that is a program is asked through pipes, and ended in time with all it started."""
    code = """
import sys, time
from tideline_cli.errors import UnavailableError
from tideline_cli.llm.command import ask
from tideline_cli.llm.model_settings import Model
own = sys.executable.replace("\\\\", "/")
echo = f'"{own}" -c "import sys; d = sys.stdin.buffer.read(); sys.stdout.buffer.write(d * 2)"'
text = "ä" * 100_000
assert ask(Model(command=echo, timeout=60.0), text, system=None) == text * 2
sleep = f'"{own}" -c "import time; time.sleep(600)"'
inner = "import subprocess as s, sys; s.run([sys.executable, '-c', 'import time; time.sleep(600)'])"
parent = f'"{own}" -c "{inner}"'
start = time.monotonic()
for words in (sleep, parent):
    try:
        ask(Model(command=words, timeout=3.0), "x", system=None)
    except UnavailableError as error:
        print(error.message.rpartition("gave")[2])
print(time.monotonic() - start < 30)
"""
    done = memory.python(code)
    wanted = [" no answer within 3 s"] * 2 + ["True"]
    assert (done.code, done.out.splitlines()) == (0, wanted), done


CHECKS: dict[str, Callable[[Memory], None]] = {
    check.__name__: check
    for check in (
        remembers, dreams, moves_out_and_in, is_saved, is_scheduled, is_configured, serves_hooks,
        takes_two_writers, frees_locks, asks_models,
    )
}  # fmt: skip
