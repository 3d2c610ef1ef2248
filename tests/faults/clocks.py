"""Clocks that go wrong: years before 1970 and far ahead, both hours of a DST change, steps back,
two machines that disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.faults.figures import Figures, problem, state, text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.nursery import Nursery

HOUR = 3_600_000
_NOW = 1_760_000_000_000
TIMES = {
    "1969": "1969-07-20T20:17:40Z", "1970": "0", "2038": "2038-01-19T03:14:08Z",
    "9999": "9999-12-31T23:59:59.999Z", "DST first": "2026-10-25T02:30:00+02:00",
    "DST second": "2026-10-25T02:30:00+01:00", "DST gap": "2026-03-29T02:30:00+01:00",
}  # fmt: skip
PAIRS = {
    "an hour back": (_NOW, _NOW - HOUR), "ten minutes apart": (_NOW, _NOW + HOUR // 6),
    "ten minutes back": (_NOW, _NOW - HOUR // 6), "from 9999 to now": (253_402_300_799_999, _NOW),
    "from now to 1969": (_NOW, -14_182_940_000),
}  # fmt: skip


def go_wrong(nursery: Nursery, folder: Path, *, every: int = 1) -> Figures:
    """Run commands under every n-th clock, and under such pairs of clocks in turn."""
    figures = Figures("clocks")
    cases = {name: (time, time) for name, time in TIMES.items()}
    cases |= {name: (str(first), str(then)) for name, (first, then) in PAIRS.items()}
    for number, (name, clocks) in enumerate([*cases.items()][::every]):
        home = folder / f"clock-{number}"
        home.mkdir()
        found = _run(nursery, home, clocks)
        figures.counts["clocks"] += 1
        figures.violations += [f"{name}: {one}" for one in found]
    return figures


def _run(nursery: Nursery, home: Path, clocks: tuple[str, str]) -> list[str]:
    wrong: list[str] = []

    def say(clock: str, *argv: str) -> Any:
        environ = {"TIDELINE_NOW": clock, "TZ": "Europe/Berlin"}
        done = nursery.run(*argv, "--json", home=home, environ=environ)
        if done.code != 0:
            wrong.append(f"{argv[0]} at {clock}: {done.code} {done.err}")
        return done.json if done.out else {}

    made = []
    for number in range(6):
        # Every other command is by the other clock.
        told = say(clocks[number % 2], "remember", text(number), "--slot", f"slot{number // 2}")
        made.append(told.get("id"))
    for clock in clocks:
        hits = say(clock, "recall", text(5), "--explain").get("hits", [])
        if not hits:
            wrong.append(f"recall at {clock} finds nothing")
        for hit in hits:
            why = hit["explain"]
            if not (0 <= why["strength"] <= 1 and 0 < hit["score"] < 1e6):
                wrong.append(f"at {clock}: strength {why['strength']}, score {hit['score']}")
        status = say(clock, "status")
        if status["facts"]["active"] != 3 or "-" in str(status["added_last_7d"]):
            wrong.append(f"status at {clock}: {status}")
        say(clock, "context", text(5))
        say(clock, "show", made[-1])
        say(clock, "list")
        say(clock, "history")
    wrong += _dreams(say, clocks)
    try:
        facts = state(home)
        # The newest in a slot holds, whatever the clock said: order is that of arrival.
        if [facts[one][1] for one in made] != ["archived", "active"] * 3:
            wrong.append(f"slots: {[facts[one] for one in made]}")
    except Exception as error:
        wrong.append(problem(error))
    return wrong


def _dreams(say: Any, clocks: tuple[str, str]) -> list[str]:
    """What one dream did, the next one does not do again, by either clock."""
    again = []
    for number, clock in enumerate((clocks[0], clocks[1], clocks[1])):
        done = say(clock, "dream")
        for mine in done.get("origins", []):
            did = [mine[key] for key in ("confirmed", "consolidated", "related", "evicted")]
            if any(did) and number:
                again.append(f"dream {number + 1} at {clock} does again: {did}")
    say(clocks[0], "dream", "--if-due")
    return again
