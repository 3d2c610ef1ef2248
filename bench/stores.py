"""Memories of n facts, made by `tideline import` and kept under bench/.work.

A store is made anew when the schema or the analyser changes. Whoever writes works on a copy.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from zlib import crc32

import corpus
import timing

from tideline_cli.model import letters, text
from tideline_cli.store import schema


@dataclass
class Made:
    """One finished import."""

    path: str
    facts: int
    seconds: float
    rss: float  # MiB
    size: int  # bytes, after a checkpoint

    @property
    def rate(self) -> float:
        """Facts per second, start of the process included."""
        return self.facts / self.seconds

    @property
    def bytes_per_fact(self) -> float:
        """Bytes on disk per fact."""
        return self.size / self.facts


def name_of(n: int) -> str:
    """Return '10k' for 10000."""
    return f"{n // 1_000_000}M" if n % 1_000_000 == 0 else f"{n // 1000}k" if n >= 1000 else str(n)


def rows(n: int) -> str:
    """Return the path of the n-fact corpus."""
    os.makedirs(timing.WORK, exist_ok=True)
    path = os.path.join(timing.WORK, f"facts-{_sum_of(corpus.__file__):08x}-{name_of(n)}.jsonl")
    if not os.path.exists(path):
        corpus.write_jsonl(path + ".part", n)
        os.replace(path + ".part", path)
    return path


def remove(path: str) -> None:
    """Delete a memory file and what lies beside it."""
    for part in glob.glob(glob.escape(path) + "*"):
        os.remove(part)


def store_path(n: int) -> str:
    """Return where the n-fact store of this schema is kept."""
    analyser = _sum_of(text.__file__) ^ _sum_of(letters.__file__)
    made_by = crc32(schema.SCHEMA.encode(), analyser)
    name = f"store-v{schema.VERSION}-{made_by:08x}-{_sum_of(corpus.__file__):08x}-{name_of(n)}.db"
    return os.path.join(timing.WORK, name)


def _sum_of(path: str) -> int:
    with open(path, "rb") as file:
        return crc32(file.read())


def make(n: int, path: str | None = None) -> Made:
    """Import n facts into a new store, which becomes the kept one; return how that went."""
    target = path or store_path(n)
    source = rows(n)
    for old in [] if path else glob.glob(os.path.join(timing.WORK, f"store-*-{name_of(n)}.db")):
        remove(old)
    part = target + ".part"
    remove(part)
    argv = [timing.TIDELINE, "import", source]
    begin = time.perf_counter()
    rss = timing.peak_rss(argv, timing.clean_env(TIDELINE_DB=part))
    seconds = time.perf_counter() - begin
    found = checkpointed(part)
    if found != n:
        raise SystemExit(f"import of {n} facts left {found}")
    os.replace(part, target)
    remove(part)
    return Made(target, n, seconds, rss, os.path.getsize(target))


def checkpointed(path: str) -> int:
    """Write the log back into the file and return how many facts it holds."""
    import apsw

    db = apsw.Connection(path)
    db.setbusytimeout(10_000)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    found = db.execute("SELECT count(*) FROM fact").get
    db.close()
    return int(found)


def kept(n: int) -> str:
    """Return a store of n facts; make it when there is none."""
    path = store_path(n)
    return path if os.path.exists(path) else make(n).path


def copy(n: int, name: str = "scratch") -> str:
    """Return a copy of the n-fact store that may be written to."""
    source = kept(n)
    target = os.path.join(timing.WORK, f"{name}-{name_of(n)}.db")
    remove(target)
    shutil.copyfile(source, target)
    os.chmod(target, 0o600)
    with open(target, "rb+") as file:
        os.fsync(file.fileno())  # or the first commit that is measured pays for it
    return target


def count(path: str) -> int:
    """Return how many facts a file holds that may have been cut short; the file is left alone."""
    scratch = os.path.join(timing.WORK, "count.db")
    remove(scratch)
    for end in ("", "-wal"):
        if os.path.exists(path + end):
            shutil.copyfile(path + end, scratch + end)
    found = checkpointed(scratch)
    remove(scratch)
    return found


def tideline(*args: str, db: str, stdin: bytes | None = None) -> bytes:
    """Run one command and return its output; stop when it fails."""
    done = subprocess.run(
        [timing.TIDELINE, *args],
        env=timing.clean_env(TIDELINE_DB=db), cwd=timing.WORK, capture_output=True, input=stdin,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"tideline {args[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def sizes_from(texts: list[str]) -> list[int]:
    """Return [1000, 100000] for ['1k', '100k']."""
    units = {"k": 1000, "m": 1_000_000}
    return [
        int(word[:-1]) * units[word[-1].lower()] if word[-1].lower() in units else int(word)
        for word in texts
    ]
