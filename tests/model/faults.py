"""Is the specification able to notice anything? Faults of one line, planted one at a time in a copy
of the program: `python -m tests.model.faults [NAME …]` says after how many histories each is found.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.support import ROOT

MOST, LENGTH = 300, 60
"""So many histories of so many steps are run before a fault counts as not found."""
MISSABLE = 1

# name -> (file, what stands there, what stands there instead)
FAULTS = {
    "figures are a bag of digits": (
        "policy/sameness.py",
        '    return rule == "reference" or one == other or stated_text(one) == stated_text(other)',
        "    bags = [sorted(filter(str.isdigit, text)) for text in (one, other)]\n"
        "    return bags[0] == bags[1]",
    ),
    "a restatement drops the pin": (
        "policy/survivor.py",
        "pinned = known.pinned or other.pinned",
        "pinned = known.pinned",
    ),
    "restore looks at one edge": (
        "memory/amend.py",
        "                waiting.append(source)",
        "                continue",
    ),
    "undo leaves uses as they are": (
        "memory/undo.py",
        "    uses = _uses(trails.uses, there=trails.used.keys() - facts.gone | facts.back.keys())",
        "    uses: dict[int, Row | None] = {}",
    ),
    "an edit leaves the past as it was": (
        "policy/survivor.py",
        "    return replace(said, valid_from=holds_from(fact))",
        "    return said",
    ),
    "dream merges twins of other times": (
        "policy/periods.py", "return one.valid_to == other.valid_to and all(begun)", "return True",
    ),
    "a merging import revives": (
        "exchange/importer/merge.py",
        'if fact.lifecycle != "active":',
        'if ready.fact.lifecycle == "pruned":',
    ),
    "as of an instant is off by one": (
        "store/facts.py",
        '"ifnull(valid_from, fact.created_at) <= ? AND (valid_to IS NULL OR valid_to > ?)"',
        '"ifnull(valid_from, fact.created_at) <= ? AND (valid_to IS NULL OR valid_to >= ?)"',
    ),
    "the sweep begins at 0.06": (
        "dream/plan.py", "    if power < FLOOR:", "    if power < FLOOR + 0.01:",
    ),
    "what a person typed fades": (
        "ranking/fading.py", "or not is_typed(traits.source, traits.agent):", "or True:",
    ),
    "praise sets the last use back": (
        "policy/transitions.py",
        "    last = max(fact.last_accessed_at, now)",
        "    last = now",
    ),
    "what is merged away keeps its edges to itself": (
        "dream/plan.py",
        "inherited = _inherited(own, theirs, keeper, loser)",
        "inherited = ()",
    ),
    "a recall is no use": (
        "memory/recall.py", "derive, touch=touch, now=now)", "derive, touch=False, now=now)",
    ),
}  # fmt: skip
# Of these the histories of a slot are asked.
OF_SLOTS = {
    "a plan gives way to what is said of now": (
        "policy/slots.py",
        'after = _EVER if "to" in known else max(since, at)',
        "after = _EVER",
    ),
    "what held before holds behind a forget": (
        "policy/slots.py", "        if until != _EVER:\n", "        if until == 0:\n",
    ),
    "a purge leaves its slot as it is": (
        "memory/purge.py", "        repaint(db, one, now=now, by=None, but=leaving)\n", "",
    ),
    "an old end survives a restatement": (
        "policy/survivor.py",
        "return _Validity(from_now, end)",
        "return _Validity(from_now, until if end is None else end)",
    ),
    "a restored value paints over what was said since": (
        "policy/slots.py", "if holds if stroke.fills else", "if False if stroke.fills else",
    ),
}  # fmt: skip


def planted(folder, name):
    """Put a copy of the program with this fault into a folder, beside the tests."""
    file, there, instead = (FAULTS | OF_SLOTS)[name]
    shutil.copytree(ROOT / "tideline_cli", folder / "tideline_cli",
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    (folder / "tests").symlink_to(ROOT / "tests")
    path = folder / "tideline_cli" / file
    text = path.read_text("utf-8")
    assert text.count(there) == 1, f"{name}: {file} has not exactly one {there!r}"
    path.write_text(text.replace(there, instead), "utf-8")


def found_after(name, *, most=MOST):
    """Return how many histories it takes to notice a fault, None where it is not noticed."""
    with tempfile.TemporaryDirectory(prefix="tideline-fault-") as folder:
        planted(Path(folder), name)
        done = subprocess.run(
            [sys.executable, "-c",
             f"from tests.model import faults; faults.hunt({most}, of_slots={name in OF_SLOTS})"],
            cwd=folder, env={**os.environ, "PYTHONPATH": folder, "TIDELINE_HOME": folder},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    said = done.stdout.split()[-1]
    return None if said == "none" else int(said)


def hunt(most, *, of_slots=False):
    """Print after how many histories the program and the specification differ, or none."""
    import tideline_cli
    from tests.model import driver

    assert Path(tideline_cli.__file__).parents[1] == Path.cwd(), tideline_cli.__file__
    for seed in range(1, most + 1):
        if is_slot_different(seed) if of_slots else driver.run(seed, LENGTH)[1] is not None:
            print(seed)
            return
    print("none")


def is_slot_different(seed):
    """Say whether the program and the specification differ in a history of a slot."""
    from tests.conftest import run_main
    from tests.model import slots
    from tests.support import DAY, NOW

    with tempfile.TemporaryDirectory(prefix="tideline-slot-") as folder:
        run = partial(_run_at, run_main, f"{folder}/t.db")
        try:
            steps = list(slots.drawn(seed))
            slots.compare(run, slots.play(run, steps), NOW + len(steps) * DAY)
        except AssertionError:
            return True
    return False


def _run_at(run, path, *words):
    return run(*words, "--db", path)


def main():
    """Hunt for each fault; exit with 1 when more than one is not found."""
    missed = 0
    for name in sys.argv[1:] or FAULTS | OF_SLOTS:
        after = found_after(name)
        missed += after is None
        said = "not found" if after is None else f"found after {after}"
        print(f"{name:<48} {said}", flush=True)
    count = len(sys.argv[1:] or FAULTS | OF_SLOTS)
    print(f"{count} faults, {missed} not found in {MOST} histories")
    sys.exit(missed > MISSABLE)


if __name__ == "__main__":
    main()
