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
        self.until = self.back = None

    def __repr__(self):
        return f"{self.value} said {self.said} [{self.start}, {self.stop}) until {self.until}"


class Stroke:
    """What a statement says of a time: that its value holds, or that nothing does."""

    def __init__(self, one, start, end, *, after=EVER, holds=True, fills=False, said=None):
        self.id, self.start, self.end, self.holds = one.id, start, end, holds
        self.after, self.fills, self.said = after, fills, one.said if said is None else said


def strokes(statements):
    """Return what statements say, in the order in which it was said. What was taken back before it
    began was never said; behind an end that was set later nothing holds; what was restored holds
    where nothing else did."""
    found = []
    for one in statements:
        stop, until = one.stop or EVER, EVER if one.until is None else one.until
        after = max(one.start, one.said) if one.stop is None else EVER
        if until <= one.start:
            continue
        found.append(Stroke(one, one.start, min(stop, until), after=after))
        if until < EVER:
            after = min(after, max(until, one.said))
            found.append(Stroke(one, until, EVER, after=after, holds=False))
        if one.back is not None:
            found.append(Stroke(one, one.start, min(stop, until), fills=True, said=one.back))
    return sorted(found, key=lambda stroke: stroke.said)


def value_at(line, at):
    """Return what a slot shows at a time: of what was said of the time the last; but what has no
    stated end gives way to what was planned before it, and what fills to all that holds."""
    shown = None
    for place, one in enumerate(line):
        if not one.start <= at < one.end:
            continue
        if shown is not None and (
            shown.holds if one.fills else first_time(line[:place], shown.id) > one.after
        ):
            continue
        shown = one
    return shown


def first_time(line, fact_id):
    """Return when a value is first shown."""
    for at in sorted({at for one in line for at in (one.start, one.end)}):
        shown = value_at(line, at)
        if shown is not None and shown.id == fact_id:
            return at
    return -EVER


def holder(statements, at):
    """Return the id of what holds at a time, None where nothing does."""
    shown = value_at(strokes(statements), at)
    return shown.id if shown is not None and shown.holds else None


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
        if one.stop is None or one.stop > now:  # else it was over
            one.until = min(one.until or EVER, max(now, one.start))
        return
    at = max(NOW + stop * DAY, one.start + 1)
    done = run("edit", one.id, "--valid-to", str(at), "--now", str(now))
    assert done.code == 0, done.err
    if one.stop is not None and one.until is None:
        one.stop = at
    else:
        one.until = at


def compare(run, statements, last):
    """Compare as-of, recall, context, slots and the time line with the specification, at every
    beginning and end and between them."""
    times = sorted({at for one in statements for at in (one.start, one.stop, one.until)
                    if at is not None} | {last})  # fmt: skip
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
