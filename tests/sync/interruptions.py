"""A sync that is cut short at each of its steps: the next ones bring all machines to the same."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tests.faults.figures import Figures, problem, text
from tests.sync.homes import NAMES, World, holds, lived_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.faults.nursery import Done, Nursery

SECRET = "zinnober4477"  # a word of the fact that is purged
FAULTS = (
    "step:kill", "write:kill", "sync:kill", "step:enospc", "step:eio", "step:enospc:sticky",
    "step:erofs:sticky", "write:enospc", "write:eio:sticky", "sync:eio",
)  # fmt: skip
_CODES = {0, 5, 6, 73, 75}
_LONGEST = 400


def _news(world: World, ids: dict[str, str]) -> str:
    """Something is new on two machines, also a slot of which both have a value."""
    world.say("birch", text(301), "--slot", "editor")
    world.do("birch", "forget", ids["ash 1"])
    world.sync("birch")
    world.say("ash", text(302), "--slot", "editor")
    world.do("ash", "edit", ids["birch 1"], text(303))
    return "ash"


def _first(world: World, ids: dict[str, str]) -> str:
    """A machine with facts of its own comes to a place for the first time."""
    shutil.rmtree(world.home("cedar"))
    world.home("cedar").mkdir()
    world.say("cedar", text(304))
    world.carry("ash", "cedar")
    return "cedar"


def _purge(world: World, ids: dict[str, str]) -> str:
    """A fact is purged that all machines have."""
    gone = world.say("ash", f"The {SECRET} is not to be known")
    assert world.settle() == []
    world.do("ash", "purge", gone, "--yes")
    return "ash"


def _purged(world: World, ids: dict[str, str]) -> str:
    """A purge of another machine arrives."""
    world.sync(_purge(world, ids))
    return "birch"


def _erase(world: World, ids: dict[str, str]) -> str:
    """A purge arrives at the last machine, after which nothing needs the old key."""
    world.sync(_purged(world, ids))
    return "cedar"


def _emptied(world: World, ids: dict[str, str]) -> str:
    """The place has lost all that was in it."""
    shutil.rmtree(world.folder / "place")
    (world.folder / "place").mkdir(mode=0o700)
    return "ash"


SCENES: dict[str, Callable[[World, dict[str, str]], str]] = {
    "news": _news, "first": _first, "purge": _purge, "purged": _purged, "erase": _erase,
    "emptied": _emptied,
}  # fmt: skip


def sweep(
    nursery: Nursery, folder: Path, *, scenes: Iterable[str] = tuple(SCENES),
    faults: Iterable[str] = FAULTS, first: int = 1, stride: int = 1,
    control: str = "",
) -> Figures:  # fmt: skip
    """Let each step of a sync fail, every `stride`th of them from `first` on."""
    figures = Figures("a sync cut short")
    for scene in scenes:
        world = World(nursery, folder / scene)
        ids = lived_in(world, more=("--encrypt",))
        name = SCENES[scene](world, ids)
        said = set().union(*(world.contents(one) for one in NAMES if one != name))
        said |= world.contents(name)
        kept, now = world.keep(), world.now
        for fault in faults:
            for n in range(first, _LONGEST, stride):
                world.back(kept)
                world.now = now
                done = world.run(name, "sync", world.address, "--json", fault=fault, n=n,
                                 control=control)  # fmt: skip
                if done.report.get("reached") is False:
                    if done.code != 0:
                        figures.violations.append(f"{scene} {fault}: fails by itself: {done}")
                    break
                figures.counts["runs"] += 1
                figures.counts["killed" if done.code < 0 else f"code {done.code}"] += 1
                where = f"{scene} {fault} n={n}"
                figures.violations += [f"{where}: {one}" for one in _judged(done)]
                figures.violations += [f"{where}: {one}" for one in _after(world, name, said)]
            if len(figures.violations) > 50:
                return figures
    return figures


def _judged(done: Done) -> list[str]:
    wrong = []
    if done.code >= 0 and done.code not in _CODES:
        wrong.append(f"exit code {done.code}: {done.err}")
    if "Traceback" in done.err or "internal error" in done.err:
        wrong.append(f"traceback: {done.err[-600:]}")
    if done.code > 0 and '"hint": "' not in done.err:
        wrong.append(f"an error without a hint: {done.err}")
    return wrong


def _after(world: World, name: str, said: set[str]) -> list[str]:
    """Return what is wrong once all have synced again."""
    try:
        wrong = world.settle()
        if any("another machine writes as this one" in note for note in world.notes):
            wrong.append("a machine takes itself for another one")
        lost = {one for one in said if SECRET not in one} - world.contents(name)
        wrong += [f"lost: {sorted(lost)}"] if lost else []
        wrong += world.well(name)
        if not wrong and any(SECRET in one for one in said):
            wrong += [f"still there: {path}" for path in holds(world.folder, SECRET.encode())]
    except Exception as error:
        return [problem(error)]
    return wrong
