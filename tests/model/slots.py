"""The specification of slots, and random histories of one slot that compare the program with it.

A slot is a list of statements. `value_at` says in a dozen lines what it holds at a time.
"""

from __future__ import annotations

import random
import re

from tests.support import DAY, NOW

EVER = 1 << 60
VALUES = ("Rome", "Oslo", "Bern", "Kyiv")


class Statement:
    """One saying of a value: when it was said, from when to when, and when somebody ended it."""

    def __init__(self, fact_id, value, said, start, stop=None):
        self.id, self.value, self.said, self.start, self.stop = fact_id, value, said, start, stop
        self.until, self.gone = EVER, False

    @property
    def is_open(self):
        return self.stop is None or self.until < EVER

    def __repr__(self):
        return f"{self.value} said {self.said} [{self.start}, {self.stop}) until {self.until}"


def value_at(statements, at):
    """Return the statement that a slot shows at a time: of those whose interval holds the time the
    one that was said last; but one without a stated end gives way to what was planned before it."""
    shown = None
    for place, one in enumerate(statements):
        holds = one.start <= at and (one.is_open or at < one.stop)
        if not holds or one.until <= one.start:  # what was taken back in time was never said
            continue
        if shown is not None and one.is_open:
            begins = first_time(statements[:place], shown)
            if begins is not None and begins > max(one.start, one.said):
                continue
        shown = one
    return shown


def first_time(statements, one):
    """Return when a statement is first shown, among those said before and it."""
    times = {one.start, *(x for other in statements for x in (other.start, other.stop or EVER))}
    return next((at for at in sorted(times)
                 if at >= one.start and value_at(statements, at) is one), None)  # fmt: skip


def holder(statements, at):
    """Return the id of what holds at a time: nothing, behind an end that was set later."""
    shown = value_at(statements, at)
    return None if shown is None or at >= shown.until else shown.id


def drawn(seed, length=9):
    """Yield random steps of a history, one a day: (day, verb, which, from, to)."""
    chance = random.Random(seed)
    for day in range(length):
        verb = chance.choices(("say", "plan", "stay", "past", "forget", "end"),
                              (4, 3, 4, 1, 3, 1))[0]  # fmt: skip
        start = {"plan": day + chance.randint(1, 6), "past": day - chance.randint(1, 4)}.get(verb)
        stop = None
        if verb == "stay":
            start = day + chance.randint(0, 4)
            stop = start + chance.randint(1, 5)
        if verb == "end":
            stop = day + chance.randint(0, 3)
        yield day, verb, chance.randrange(100), start, stop


def play(run, steps):
    """Say what the steps say, to the program and to the specification; return the latter."""
    statements = []
    for number, (day, verb, which, start, stop) in enumerate(steps):
        now = NOW + day * DAY
        if verb in ("forget", "end"):
            active = [one for one in statements if is_active(run, one.id, now)]
            if active:
                _close(run, active[which % len(active)], verb, now, stop)
            continue
        value = f"I live in {VALUES[which % len(VALUES)]} {number}"  # never the same twice
        words = [] if start is None else ["--valid-from", str(NOW + start * DAY)]
        words += [] if stop is None else ["--valid-to", str(NOW + stop * DAY)]
        form = run("remember", value, "--slot", "town", "--json", "--now", str(now), *words).json
        statements.append(Statement(
            form["id"], value, now, now if start is None else NOW + start * DAY,
            None if stop is None else NOW + stop * DAY,
        ))  # fmt: skip
    return statements


def is_active(run, fact_id, now):
    return run("show", fact_id, "--json", "--now", str(now)).json["fact"]["lifecycle"] == "active"


def _close(run, one, verb, now, stop):
    if verb == "forget":
        assert run("forget", one.id, "--now", str(now)).code == 0
        if one.stop is not None and one.until == EVER and one.stop <= now:
            return  # it was over
        one.until = min(one.until, max(now, one.start))
        return
    at = max(NOW + stop * DAY, one.start + 1)
    done = run("edit", one.id, "--valid-to", str(at), "--now", str(now))
    assert done.code == 0, done.err
    if one.stop is not None and one.until == EVER:
        one.stop = at
    else:
        one.until = at


def compare(run, statements, last):
    """Compare as-of, recall, context, slots and the time line with the specification, at every
    beginning and end and between them."""
    times = sorted({at for one in statements for at in (one.start, one.stop, one.until)
                    if at is not None and at < EVER} | {last})  # fmt: skip
    texts = {one.id: one.value for one in statements}
    line = run("timeline", "--slot", "town", "--json", "--now", str(last)).json["facts"]
    for at in sorted({*times, *(at + DAY // 2 for at in times), *(at - 1 for at in times)}):
        wanted = holder(statements, at)
        then = run("recall", "I live in", "--as-of", str(at), "--json", "--now", str(last),
                   "--limit", "99").json["hits"]  # fmt: skip
        told = (at - NOW) / DAY, statements
        assert [hit["id"] for hit in then] == ([wanted] if wanted else []), told
        from tideline_cli.model.instant import iso
        held = [step["id"] for step in line
                if step["since"] <= iso(at) and (step["until"] is None or iso(at) < step["until"])]
        assert held == ([wanted] if wanted else []), told
        if at >= last:
            now = run("recall", "I live in", "--json", "--now", str(at)).json["hits"]
            assert [hit["id"] for hit in now] == ([wanted] if wanted else []), told
            (slot,) = run("slots", "--json", "--now", str(at)).json["slots"]
            assert slot["id"] == wanted, told
            block = run("context", "where do I live", "--now", str(at)).out
            found = re.findall(r"I live in \w+ \d+", block)
            assert found == ([texts[wanted]] if wanted else []), told
