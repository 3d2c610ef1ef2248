"""Does the program work on Windows' own Python? Below wine; on Windows, as it is installed there.

    python -m tests.windows [NAME ...]

Runs the checks of `smoke`, or those that are named, on a fresh memory each, and prints what each
says. The exit code says whether any failed.
"""

from __future__ import annotations

import sys
import traceback

from tests.windows import place, smoke


def main(names: list[str]) -> int:
    """Run the checks; return 0 when none fails."""
    try:
        windows = place.ready()
    except place.NoWineError as error:
        print(error, file=sys.stderr)
        return 1
    failed = []
    checks = {name: check for name, check in smoke.CHECKS.items() if name in names or not names}
    with place.Awake():
        for name, check in checks.items():
            with smoke.Memory(windows) as memory:
                try:
                    check(memory)
                    print(f"{name}: passed", flush=True)
                except Exception:
                    failed.append(name)
                    print(f"{name}: FAILED", flush=True)
                    traceback.print_exc()
        version = windows.run(str(windows.python), "-VV").stdout.decode().strip()
    print(f"{len(checks) - len(failed)} of {len(checks)} checks passed on {version}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
