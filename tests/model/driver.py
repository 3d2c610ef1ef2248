"""Random histories, taken by the program and by the specification, compared after every step."""

from __future__ import annotations

import json
import traceback
from random import Random

from tests.model.door import Door
from tests.model.drawing import Drawer
from tests.model.foretelling import foretold
from tests.model.moving import Broken
from tests.model.program import Program
from tests.model.state import Memory, OneOf, Refused, differing
from tests.model.vocabulary import TEXTS
from tests.support import DAY, NOW, fresh_store
from tideline_cli.errors import TidelineError
from tideline_cli.model.origin import parse_origin
from tideline_cli.vector.embedder import cosines, resolve

WHOLE = 25
"""Every so many steps an export is read, and every boundary is asked about."""
_cosines = {}


class Different(Exception):
    """The program and the specification disagree."""


def cosine(one, other):
    """Return how alike the vectors of two texts are: arithmetic, no decision."""
    if not _cosines:
        pairs = [(a, b) for a in TEXTS for b in TEXTS]
        _cosines.update(zip(pairs, cosines(resolve("hrr-256"), pairs), strict=True))
    return _cosines[one, other]


class History:
    """One store, one specification of it, and the steps that both have taken."""

    def __init__(self, db, random, door=Program):
        self.program = door(db)
        self.memory = Memory(cosine)
        self.random = random
        self.steps = []
        self.batches = {}

    def take(self, step):
        """Take a step on both sides; raise Different where they part. An undo names a batch by the
        step that made it, so that a history stays itself when others of its steps are left out."""
        self.steps.append(step)
        if step["do"] == "undo" and step["batch"] is not None:
            if step["batch"] not in self.batches:
                return
            step = {**step, "batch": self.batches[step["batch"]][1]}
        known = len(self.memory.batches_of(step["by"]))
        self._take(step)
        number = len(self.memory.batches_of(step["by"]))
        if number > known:
            self.batches[step["step"]] = step["by"], number

    def _take(self, step):
        before = self.memory.facts
        self.memory.clock = step["at"]
        got, code = self._done(step)
        try:
            wanted, refused = foretold(self.memory, step, got), 0
        except Refused as error:
            wanted, refused = None, error.code
            why = str(error)
        except Broken as broken:
            raise Different(str(broken)) from broken
        if _class(step, code) != _class(step, refused):
            told = f"the program: exit {code} {got if code else ''}"
            raise Different(f"{told}; the specification: {why if refused else 'exit 0'}")
        if code == 0 and wanted is not None and got != wanted:
            raise Different(f"the program answers {got}, the specification {wanted}")
        self._compare(*self.program.held())
        self._ask(before)
        if len(self.steps) % WHOLE == 0:
            self.look_closely()

    def _done(self, step):
        """Return (answer, exit code) of the program."""
        try:
            return self.program.do(step), 0
        except TidelineError as error:
            return {"error": f"{error.code}: {error.message}"}, error.exit_code
        except Exception as error:
            raise Different(f"the program breaks down: {traceback.format_exc()}") from error

    def _compare(self, rows, edges):
        wanted = self.memory.exported()
        ids, known = [row["id"] for row in rows], [row["id"] for row in wanted]
        if ids != known:
            more, less = sorted({*ids} - {*known}), sorted({*known} - {*ids})
            raise Different(f"facts: the program has also {more} and lacks {less}")
        facts = [fact for _, fact in self.memory.in_order()]
        for row, fact, whole in zip(rows, facts, wanted, strict=True):
            if row == whole:
                continue
            for name, value in whole.items():
                if isinstance(value, OneOf) and row[name] in value:
                    fact[name] = row[name]  # left open: the program's choice is taken
                elif row[name] != value:
                    raise Different(
                        f"{row['id']} ({row['content']}): {name} is {row[name]!r}, "
                        f"the specification has {value!r}"
                    )
        if edges != (links := self.memory.exported_links()):
            key = sorted(differing(edges, links))[0]
            has, lacks = edges.get(key, "not there"), links.get(key, "none")
            raise Different(f"edge {key}: {has}, the specification has {lacks}")

    def _ask(self, before):
        """Ask both what held at a few instants: at random, and around whatever has changed."""
        instants = {NOW + self.random.randint(-400, 800) * DAY}
        for was, now in differing(before, self.memory.facts).values():
            for fact in (was, now):
                instants |= boundaries([fact] if fact else [])
        self._ask_at(sorted(instants)[:24])

    def _ask_at(self, instants):
        for origin in {fact["origin"] for fact in self.memory.facts.values()}:
            viewer = parse_origin(origin)
            for instant in instants:
                got, wanted = self.program.at(instant, viewer), self.memory.at(instant, origin)
                if got != wanted:
                    raise Different(
                        f"as of {instant} for {origin}: the program also {sorted(got - wanted)}, "
                        f"the specification also {sorted(wanted - got)}"
                    )

    def look_closely(self):
        """Compare with a whole export, and ask about every boundary of every fact."""
        self._compare(*self.program.exported())
        self._ask_at(sorted(boundaries(self.memory.facts.values())))


def boundaries(some):
    """Return the instants around the beginnings and ends of facts."""
    known = (fact[name] for fact in some for name in ("created_at", "valid_from", "valid_to"))
    return {at + by for at in known if at is not None for by in (-1, 0, 1)}


def _class(step, code):
    """Two refusals of an undo are alike: why nothing is taken back is said in words."""
    return 4 if step["do"] == "undo" and code == 2 else code


def door_of(seed):
    """Return how a history goes in: every thirtieth by the command line."""
    return Door if seed % 30 == 0 else Program


def play(steps, seed=1):
    """Take these steps in a fresh store; return what was different and after how many steps."""
    with fresh_store() as db:
        history = History(db, Random(seed), door_of(seed))
        try:
            for step in steps:
                history.take(step)
            history.look_closely()
        except Different as different:
            return str(different), len(history.steps)
    return None, len(steps)


def run(seed, count):
    """Take so many random steps; return (steps taken, what was different or None)."""
    with fresh_store() as db:
        random = Random(seed)
        history = History(db, random, door_of(seed))
        drawer = Drawer(random, NOW)
        try:
            for _ in range(count):
                history.take(json.loads(json.dumps(drawer.step(history.memory, history.batches))))
            history.look_closely()
        except Different as different:
            return history.steps, str(different)
    return history.steps, None


def shrunk(steps, seed=1):
    """Return the fewest of the steps that still end in a difference, by leaving some out."""
    _, until = play(steps, seed)
    steps = steps[:until]
    size = max(1, len(steps) // 2)
    while size:
        start = 0
        while start < len(steps):
            fewer = steps[:start] + steps[start + size :]
            different, until = play(fewer, seed)
            if different is not None:
                steps = fewer[:until]
            else:
                start += size
        size //= 2
    return _slimmed(steps, seed)


def _slimmed(steps, seed):
    """Leave out rows of imports that make no difference."""
    for place, step in enumerate(steps):
        for row in list(step.get("rows", ())):
            rows = [one for one in steps[place]["rows"] if one is not row]
            fewer = [*steps[:place], {**steps[place], "rows": rows}, *steps[place + 1 :]]
            if rows and play(fewer, seed)[0] is not None:
                steps = fewer
    return steps


def script(steps, seed, different):
    """Return a failing history as a small program that takes its steps again."""
    lines = [f"# seed {seed}: {different.splitlines()[0]}",
             "from tests.model.driver import play", "STEPS = ["]  # fmt: skip
    lines += [f"    {step!r}," for step in steps]
    return "\n".join([*lines, "]", f"print(play(STEPS, {seed}))"])
