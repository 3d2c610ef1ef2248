"""A fresh machine at length: `python -m tests.vector.journey [FACTS]` chooses minilm for a store of
10,000 facts, kills `reembed` twice, recalls meanwhile, and opens the file where the model is
missing.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_WORDS = "deploy server friday automobile kitchen invoice garden doctor music budget".split()
_ABSENT = """
import sys
from tideline_cli.vector.embedders import onnx_folder
onnx_folder._MINILM = ("absent",)
from tideline_cli.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def main(count: int) -> None:
    """Make the journey, and print what each step took."""
    with tempfile.TemporaryDirectory(prefix="tideline-journey-") as home:
        os.environ["TIDELINE_HOME"] = home
        facts = Path(home) / "facts.jsonl"
        chance = random.Random(1)
        facts.write_text("".join(
            json.dumps({"content": f"note {n}: " + " ".join(chance.choices(_WORDS, k=8))}) + "\n"
            for n in range(count)
        ))  # fmt: skip
        told(["import", "--trust", str(facts)])
        told(["embedder", "use", "minilm"])
        for _ in range(2):
            killed(home)
            told(["recall", "automobile", "--limit", "1"])
            assert state()["pending"]["embedder"] == "minilm"
            told(["doctor", "--deep"])
        told(["reembed"])
        assert state() | {"revision": ""} == {
            "embedder": "minilm", "revision": "", "dims": 384, "missing": 0, "pending": None,
            "unavailable": None,
        }  # fmt: skip
        assert "automobile" in told(["recall", "car", "--mode", "semantic", "--limit", "3"])
        told(["doctor", "--deep"])
        absent = subprocess.run(
            [sys.executable, "-c", _ABSENT, "recall", "automobile", "--mode", "semantic"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        print(absent.stdout, absent.stderr, sep="")
        assert absent.stderr.count("answered by words alone") == 1


def killed(home: str) -> None:
    """Begin to embed, and kill that when some more vectors are stored."""
    before = state()["missing"]
    process = subprocess.Popen([*_call(), "reembed"])
    while state()["missing"] > before - 600:
        time.sleep(0.2)
    process.kill()
    process.wait()
    print(f"killed: {state()['missing']:,} facts wait")


def state() -> dict:
    """Return what `embedder status` says."""
    words = ("embedder", "status", "--json")
    done = subprocess.run([*_call(), *words], capture_output=True, check=True)
    return json.loads(done.stdout)


def told(words: list[str]) -> str:
    """Run a command that must end well; print what it says and how long it took."""
    began = time.perf_counter()
    done = subprocess.run([*_call(), *words], capture_output=True, text=True, check=True)
    print(f"{time.perf_counter() - began:7.2f} s  tideline {' '.join(words)[:50]}")
    for line in (done.stdout + done.stderr).splitlines():
        print(f"           {line}")
    return done.stdout


def _call() -> list[str]:
    return [sys.executable, "-m", "tideline_cli"]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
