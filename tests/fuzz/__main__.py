"""The long runs behind `make fuzz`: the command line by random calls, the readers by atheris.

    python -m tests.fuzz command-line [CALLS] [SEED]
    python -m tests.fuzz target NAME SECONDS [FOLDER]     needs atheris
    python -m tests.fuzz all SECONDS                      needs atheris; each target, one by one
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CALLS = 10_000
_LONGEST_INPUT = 4096


def main(argv: list[str]) -> int:
    """Run what `argv` names and return 0 when every promise was kept."""
    match argv:
        case ["command-line", *numbers]:
            from tests.fuzz import command_line

            count, seed = ([int(number) for number in numbers] + [CALLS, 4][len(numbers) :])[:2]
            figures = command_line.fuzzed(count, seed=seed)
            sys.stdout.write(command_line.told(figures) + "\n")
            return int(bool(figures.found))
        case ["target", name, seconds, *folder]:
            _follow(name, int(seconds), folder[0] if folder else None)
        case ["all", seconds]:
            from tests.fuzz.targets import SEEDS, TARGETS

            return sum(_target(name, int(seconds), SEEDS.get(name, ())) for name in TARGETS)
    sys.stderr.write(__doc__ or "")
    return 2


def _target(name: str, seconds: int, seeds: Sequence[bytes]) -> int:
    """Fuzz one target in a process of its own, print how far it came, and return 1 if it broke."""
    with tempfile.TemporaryDirectory(prefix="tideline-fuzz-") as folder:
        for number, seed in enumerate(seeds):
            with open(os.path.join(folder, f"seed-{number}"), "wb") as file:
                file.write(seed)
        argv = [sys.executable, "-m", "tests.fuzz", "target", name, str(seconds), folder]
        done = subprocess.run(argv, stderr=subprocess.PIPE, errors="replace", check=False)
    lines = done.stderr.splitlines()
    last = next((line for line in reversed(lines) if "cov:" in line or "Done" in line), "")
    sys.stdout.write(f"{name}: {'broken' if done.returncode else 'kept'}; {last.strip()}\n")
    if done.returncode:
        sys.stdout.write("\n".join(lines[-40:]) + "\n")
    return int(done.returncode != 0)


def _follow(name: str, seconds: int, folder: str | None) -> None:
    """Let atheris look for inputs that break a target; it ends the process."""
    import atheris  # type: ignore[import-not-found]

    # Only what is imported here is followed: nothing may have imported the package before.
    with atheris.instrument_imports(include=["tideline_cli"]):
        from tests.fuzz.targets import TARGETS

    options = [
        f"-max_total_time={seconds}", f"-max_len={_LONGEST_INPUT}", "-timeout=5",
        "-rss_limit_mb=1024", f"-artifact_prefix={tempfile.gettempdir()}/tideline-{name}-",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, *([folder] if folder else [])], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
