"""Do all tests pass on every Python that the project names?

    python -m tests.pythons [PYTHON …] [-- PYTEST ARGUMENTS]

Each is a name or a path, such as python3.13; without one all of `NAMES` are tried. Each has an
environment of its own, `.venv-3.13`, with what requirements/dev.txt names for it. Those that were
not found are named at the end; the exit code says whether all that were found have passed, and
whether any was.
"""

from __future__ import annotations

import sys

from tests.pythons.environments import ROOT, environment, found, run_in, version_of

NAMES = ("python3.11", "python3.12", "python3.13", "python3.14")


def main(argv: list[str]) -> int:
    """Run the tests on each Python; return 0 when at least one was found and all passed."""
    split = argv.index("--") if "--" in argv else len(argv)
    names, arguments = argv[:split] or NAMES, argv[split + 1 :]
    rows: list[tuple[str, str, bool]] = []
    missing: list[str] = []
    for name in names:
        python = found(name)
        if python is None:
            missing.append(name)
            continue
        version = version_of(python)
        print(f"== {name}: {version}, {python}", flush=True)
        folder = environment(python, ROOT / f".venv-{version.rpartition('.')[0]}")
        if isinstance(folder, str):
            rows.append((name, f"{version}: {folder}", False))
            continue
        said, code = run_in(folder, ["-m", "pytest", *(arguments or ["-n", "2"])])
        rows.append((name, f"{version}: {said}", code == 0))
    return report(rows, missing)


def report(rows: list[tuple[str, str, bool]], missing: list[str]) -> int:
    """Say how each ended and which were not there; return the exit code."""
    print()
    for name, said, has_passed in rows:
        print(f"{'passed' if has_passed else 'FAILED'}   {name}  {said}")
    for name in missing:
        print(f"NOT RUN  {name}  not found here; PYTHONS=/path/to/{name} names one")
    if missing:
        count = len(rows) + len(missing)
        print(f"!! {len(missing)} of {count} Pythons were NOT TESTED", flush=True)
    return 0 if rows and all(has_passed for *_, has_passed in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
