"""The specification of slots, and random histories of one slot that compare the program with it.

A slot is a list of statements. `value_at` says in a dozen lines what it holds at a time.
"""

from __future__ import annotations

import copy
import random
import re

from tests.support import DAY, NOW

EVER = 1 << 60
VALUES = ("Rome", "Oslo", "Bern", "Kyiv")


class Statement:
    """One saying of a value: when it was said, from when to when, and when somebody ended it."""

    def __init__(self, fact_id, value, said, start, stop=None):
        self.id, self.value, self.said, self.start, self.stop = fact_id, value, said, start, stop
        self.until = self.again = self.back = None

    def __repr__(self):
        return f"{self.value} said {self.said} [{self.start}, {self.stop}) until {self.until}"


class Stroke:
    """What a statement says of a time: that its value holds, or that nothing does."""

    def __init__(self, one, start, end, *, said, after=EVER, holds=True, fills=False):
        self.id, self.start, self.end, self.holds = one.id, start, end, holds
        self.after, self.fills, self.said = after, fills, said


def strokes(statements):
    """Return what statements say, in the order in which it was said: again, of the time from then
    on. What was taken back before it began was never said; behind an end that was set later nothing
    holds; what was restored holds where nothing else did."""
    found = []
    for one in statements:
        stop, until = one.stop or EVER, EVER if one.until is None else one.until
        end = min(stop, until)
        if until <= one.start:
            continue
        sayings = [(one.said, one.start)]
        if one.again is not None and one.again < end:
            sayings.append((one.again, max(one.start, one.again)))
        for said, start in sayings:
            after = max(start, said) if one.stop is None else EVER
            found.append(Stroke(one, start, end, after=after, said=said))
            if until < EVER:
                after = min(after, max(until, said))
                found.append(Stroke(one, until, EVER, after=after, holds=False, said=said))
        if one.back is not None:
            found.append(Stroke(one, one.start, end, fills=True, said=one.back))
    return sorted(found, key=lambda stroke: stroke.said)


def value_at(line, at):
    """Return what a slot shows at a time: of what was said of the time the last; but what has no
    stated end gives way to what was planned before it, and what fills to all that holds."""
    shown = None
    for one in line:
        if not one.start <= at < one.end:
            continue
        if shown is not None and (
            shown.holds if one.fills else first_time(_before(line, one), shown.id) > one.after
        ):
            continue
        shown = one
    return shown


def _before(line, one):
    """Return what was said before a statement, of which no part is."""
    saying = one.said, one.id
    return [other for other in line[: line.index(one)] if (other.said, other.id) != saying]


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


WEIGHTS = {"say": 4, "plan": 3, "stay": 4, "past": 1, "again": 3, "forget": 3, "end": 2,
           "restore": 3, "purge": 1, "reword": 1, "go on": 2, "undo": 1}  # fmt: skip


def drawn(seed, length=12):
    """Yield random steps of a history, one a day: (day, verb, which, from, to)."""
    chance = random.Random(seed)
    for day in range(length):
        verb = chance.choices(*zip(*WEIGHTS.items(), strict=True))[0]
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
    history = History(run)
    for number, (day, verb, which, start, stop) in enumerate(steps):
        history.now = NOW + day * DAY
        if verb in ("say", "plan", "stay", "past"):
            start, stop = (None if at is None else NOW + at * DAY for at in (start, stop))
            history.say(f"I live in {VALUES[which % len(VALUES)]} {number}", start, stop)
        elif verb == "undo":
            history.undo()
        elif there := history.of_state("archived" if verb == "restore" else "active"):
            one = there[which % len(there)]
            before = copy.deepcopy(history.statements)
            more = (NOW + stop * DAY,) if verb == "end" else ()
            done = getattr(history, verb.replace(" ", "_"))(one, *more)
            if done and verb != "purge":
                history.before = before
            elif done:
                history.before = None
    return history.statements


class History:
    """The program and the statements of one slot, changed by the same words."""

    def __init__(self, run):
        self.run, self.statements, self.now, self.before = run, [], NOW, None

    def call(self, *words, code=0):
        done = self.run(*words, "--now", str(self.now))
        assert done.code == code, (words, self.statements, done.err)
        return done

    def of_state(self, lifecycle):
        return [one for one in self.statements
                if self.call("show", one.id, "--json").json["fact"]["lifecycle"] == lifecycle]

    def say(self, value, start=None, stop=None):
        words = [] if start is None else ["--valid-from", str(start)]
        words += [] if stop is None else ["--valid-to", str(stop)]
        before = copy.deepcopy(self.statements)
        form = self.call("remember", value, "--slot", "town", "--json", *words).json
        start = self.now if start is None else start
        self.before = before
        self.statements.append(Statement(form["id"], value, self.now, start, stop))

    def again(self, one):
        """What holds now is said again; any other value of the same words is another statement."""
        is_held = holder(self.statements, self.now) == one.id
        if is_held and (one.stop is not None or one.again is not None):
            return False
        if not is_held:
            self.say(one.value)
            return False
        form = self.call("remember", one.value, "--slot", "town", "--json").json
        assert form["id"] == one.id, (one, self.statements)
        one.until, one.again = None, self.now
        return True

    def forget(self, one):
        self.call("forget", one.id)
        if one.stop is None or one.stop > self.now:  # else it was over
            one.until = min(one.until or EVER, max(self.now, one.start))
        return True

    def end(self, one, at):
        at = max(at, one.start + 1)
        self.call("edit", one.id, "--valid-to", str(at))
        if one.stop is not None and one.until is None:
            one.stop = at
        else:
            one.until = at
        return True

    def restore(self, one):
        """It takes the forget back, but not the place of what holds now, nor to no avail."""
        held, was = holder(self.statements, self.now), (one.until, one.back)
        one.until, one.back = None, self.now
        times = {at for each in self.statements for at in (each.start, each.stop, each.until)}
        times = {self.now, *(at for at in times if at is not None and at > self.now)}
        lasts = any(holder(self.statements, at) == one.id for at in times)
        if lasts and holder(self.statements, self.now) in (held, None if held else one.id):
            self.call("restore", one.id)
            return True
        self.call("restore", one.id, code=4)
        one.until, one.back = was
        return False

    def purge(self, one):
        """Archived values of the same words go with it."""
        active = self.of_state("active")
        self.call("purge", one.id, "--yes")
        self.statements = [each for each in self.statements
                           if each.value != one.value or (each is not one and each in active)]
        return True

    def reword(self, one):
        """Other words of the same statement."""
        value = f"{one.value} then"
        form = self.call("edit", one.id, value, "--json").json
        other = copy.copy(one)
        other.id, other.value = form["id"], value
        self.statements.insert(self.statements.index(one) + 1, other)
        one.until = one.start
        return True

    def go_on(self, one):
        """Other words from now on, to the end that was stated."""
        stop = one.stop if one.until is None else one.until
        if stop is not None and stop <= self.now:
            return False
        value = f"{one.value} now"
        form = self.call("edit", one.id, value, "--from", str(self.now), "--json").json
        self.statements.append(Statement(form["id"], value, self.now, self.now, stop))
        if one.start >= self.now:
            one.until = one.start
        return True

    def undo(self):
        if self.before is not None:
            self.call("undo")
            self.statements, self.before = self.before, None


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
            found = re.findall(r"I live in \w+ \d+(?: then| now)*", block)
            assert found == ([texts[wanted]] if wanted else []), told
