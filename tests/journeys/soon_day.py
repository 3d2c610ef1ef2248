"""A working day with sessions kept and conversations distilled soon: two clients, compactions,
forks, resumes, kills of the process that distils at every step, a disk that is full for a while.

    python -m tests.journeys.soon_day [SESSIONS] [PROMPTS of each]      part of `make day`
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.doors.payloads import ENDS, START
from tests.journeys.conversations import Conversation
from tests.journeys.day import OTHER, OWNER, PROJECTS, Day, Figures, lived

_CLIENTS = ("claude-code", "codex")
_WAIT = 300.0  # seconds in which what has settled is distilled
_KILLED = 0.5  # the share of the processes that are ended while they work


class SoonDay(Day):
    """One such day. Nothing waits: each hook returns at once, whatever is distilled beside it."""

    writes_nothing = False

    def __init__(self, folder: Path, *, seed: int = 1, planted: str = "") -> None:
        super().__init__(folder, seed=seed, planted=planted)
        self.memory.environ |= {"TIDELINE_SESSIONS": "turns", "TIDELINE_EXTRACT_SOON": "on"}
        self.talks: list[Conversation] = []
        self.turns: Counter[tuple[str, str]] = Counter()  # what was said, by session

    def run(self, sessions: int, prompts: int) -> Figures:
        """Live the day beside the one who kills, then wait for what has settled, and judge."""
        done = threading.Event()
        killer = threading.Thread(target=self._kill, args=(done,))
        killer.start()
        try:
            for number in range(sessions):
                self._session(number, prompts)
                if number == sessions // 2:
                    self._full_disk()
        finally:
            done.set()
            killer.join()
        self._settle()
        self._foretold()
        self._night()
        self._judge()
        self._turns_once()
        return self.figures

    def _session(self, number: int, prompts: int) -> None:
        origin = OTHER if number % 7 == 5 else OWNER
        folder = self.folders[PROJECTS[number // 2 % 2]]
        talk = Conversation(_CLIENTS[number % 2], f"s{number}", folder, origin)
        self.talks.append(talk)
        self.figures.counts["sessions"] += 1
        self._start(talk, "startup")
        for turn in range(prompts):
            self._turn(talk)
            if turn == prompts // 2:
                self._between(talk, number)
        if number % 3:  # else it is left as it is
            self._hook(talk, ENDS[talk.client][2], "end", reason="exit")

    def _prompt(self, talk: Conversation) -> str:
        said = f"{super()._prompt(talk)} (turn {talk.number} of {talk.name})"
        self.turns[talk.name, said] += 1
        return said

    def _workers(self) -> list[int]:
        """Return the processes that distil for this memory."""
        found = []
        home = f"TIDELINE_HOME={self.memory.environ['TIDELINE_HOME']}".encode()
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes()
                if b"--settled" in words and home in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def _kill(self, done: threading.Event) -> None:
        """End processes that distil, at any moment of their work."""
        chance = random.Random(7)
        while not done.wait(chance.uniform(0.02, 0.3)):
            for pid in self._workers():
                self.figures.counts["distilling seen"] += 1
                if chance.random() < _KILLED:
                    try:
                        os.kill(pid, signal.SIGKILL)
                        self.figures.counts["distilling killed"] += 1
                    except ProcessLookupError:
                        continue

    def _full_disk(self) -> None:
        """A run that cannot write a byte more to any file loses nothing."""
        def small() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        done = subprocess.run(
            [*self.memory.program, "extract", "--pending", "--quiet"], env=self.memory.environ,
            capture_output=True, text=True, check=False, preexec_fn=small, cwd="/",
        )  # fmt: skip
        self.figures.counts["full disks"] += 1
        if "Traceback" in done.stderr:
            self.figures.faults.append(f"a full disk: {done.stderr[:300]}")

    def _pending(self, origin: str) -> dict[str, Any]:
        told = self.memory.run("extract", "--pending", "--dry-run", "--json", "--origin", origin)
        form: dict[str, Any] = json.loads(told)
        return form

    def _settle(self) -> None:
        """What has ended is distilled within some minutes of the next hook."""
        began = time.monotonic()
        talk = Conversation("codex", "last", self.folders["alpha"], OWNER)
        over = {str(one.transcript) for number, one in enumerate(self.talks)
                if number % 3 and one.origin == OWNER}  # fmt: skip
        while time.monotonic() - began < _WAIT:
            self._hook(talk, START["codex"], "start", source="startup")
            waits = over & set(self._pending(OWNER)["pending"])
            if not waits and not self._workers():
                break
            time.sleep(2)
        took = time.monotonic() - began
        self.figures.lines.append(f"settled within {took:.0f} s of the next hook: {len(over)}")
        self.figures.faults += [f"not distilled within {_WAIT:.0f} s: {one}" for one in waits]

    def _foretold(self) -> None:
        """What a dry run foretells is what asking costs then, within a tenth."""
        def spent() -> dict[str, Any]:
            form: dict[str, Any] = json.loads(self.memory.run("status", "--json"))["models"]
            return form

        foretold, before = self._pending(OWNER)["cost"], spent()
        self.memory.run("extract", "--pending", "--all-now", "--quiet")
        after = spent()
        real = {name: after[name] - before[name] for name in ("requests", "tokens_in")}
        self.figures.lines.append(f"foretold {foretold}, spent {real}")
        for name, number in real.items():
            if abs(number - foretold[name]) > 0.1 * max(number, foretold[name]):
                self.figures.faults.append(f"{name}: foretold {foretold[name]}, spent {number}")

    def _turns_once(self) -> None:
        """Each turn of the user's is kept once, in its own session, for its own origin."""
        kept: Counter[tuple[str, str]] = Counter()
        for origin in (OWNER, OTHER):
            told = self.memory.run("sessions", "export", "--all-scopes", "--origin", origin)
            rows = map(json.loads, told.splitlines())
            kept.update((row["session"], row["content"]) for row in rows if row["role"] == "user")
        text = {(name, said.strip()) for name, said in self.turns}
        twice = [one for one, count in kept.items() if count > 1]
        own = {said: name for name, said in text}
        missing = [one for one in own if one not in {said for _, said in kept}
                   and "password" not in one and "key is" not in one]  # fmt: skip
        self.figures.counts["turns kept"] = sum(kept.values())
        self.figures.faults += [f"kept twice: {one}" for one in twice[:5]]
        self.figures.faults += [f"a turn is not kept: {one}" for one in missing[:5]]


if __name__ == "__main__":
    sys.exit(lived(SoonDay, sys.argv[1:]))
