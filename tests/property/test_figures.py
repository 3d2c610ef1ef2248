"""Figures are sequences with signs, units and separators: what differs in one is another fact."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import NOW, fresh_store
from tideline_cli.dream.plan import Settings
from tideline_cli.dream.run import dream
from tideline_cli.exchange.importer.import_rows import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.policy.difference import difference

DIGITS = st.text("0123456789", min_size=1, max_size=4)
FRAME = (
    "the platform group of the river project has noted in its weekly report on the archive "
    "server {} that the owner of the gateway reads and keeps as the value for every later review"
)


@st.composite
def figures(draw):
    """Return what a figure is, as a value that equal ones share, and one way to write it."""
    shape = draw(st.sampled_from(("date", "version", "number", "signed", "row", "units", "time")))
    if shape == "date":
        parts = (str(draw(st.integers(1000, 2999))),
                 *(f"{draw(st.integers(1, 12)):02}" for _ in range(2)))  # fmt: skip
        mark = draw(st.sampled_from("-/."))
        return (shape, mark, parts), mark.join(parts)
    if shape in ("version", "time"):
        parts = tuple(draw(st.lists(DIGITS, min_size=2, max_size=2)))
        mark = "." if shape == "version" else ":"
        return (shape, parts), mark.join(parts)
    if shape == "row":
        parts = tuple(draw(st.lists(st.text("123456789", min_size=1, max_size=2), min_size=2,
                                    max_size=3)))  # fmt: skip
        return ("row", parts), " ".join(parts)
    if shape == "units":
        first, second = draw(st.integers(1, 40)), draw(st.integers(1, 40))
        left, right = draw(st.permutations(("days", "weeks")))
        return ("units", first, left, second, right), f"{first} {left} and {second} {right}"
    value = draw(st.integers(0, 2_000_000))
    sign = draw(st.sampled_from(("", "-", "\u2212"))) if shape == "signed" else ""
    mark = draw(st.sampled_from(("", ",", " ", "'", "\u202f")))
    plain = "row" if 0 < value < 100 and not sign else "number"
    text = f"{value:,}".replace(",", mark)
    if plain == "row":
        return ("row", (text,)), text
    return ("number", bool(sign), value), sign + text


@st.composite
def pairs(draw):
    """Two figures, often the second made of the characters of the first."""
    one = draw(figures())
    return one, draw(figures())


@st.composite
def reordered(draw):
    """A written figure, and one of the same digits and marks in another order."""
    (what, text) = draw(figures().filter(lambda pair: pair[0][0] in ("date", "version", "time")))
    mark = next(char for char in text if not char.isdigit())
    other = mark.join(draw(st.permutations(text.split(mark))))
    return (what, text), ((what[0], mark, tuple(other.split(mark))), other)


def written(pair):
    return [FRAME.format(text) for _, text in pair]


@settings(max_examples=300)
@given(pairs())
def test_the_rule_knows_figures(pair):
    """Two figures are the same when they are one value, however its thousands are written."""
    (one, _), (other, _) = pair
    texts = written(pair)
    for both in (texts, texts[::-1]):
        assert (difference(*both) is None) == (one == other), texts


@settings(max_examples=150)
@given(reordered())
def test_the_order_of_parts_counts(pair):
    """A date, a version or a time with its parts in another order is another one."""
    texts = written(pair)
    assert (difference(*texts) is None) == (texts[0] == texts[1])


def active(db):
    return [row[0] for row in db.execute(
        "SELECT content FROM fact WHERE lifecycle = 'active' ORDER BY seq")]  # fmt: skip


@settings(max_examples=40)
@given(st.one_of(pairs(), reordered()), st.booleans())
def test_both_stay_by_every_door(pair, by_import):
    """After remember or import --merge, and a dream, two figures are two facts, and one figure is
    one."""
    texts = written(pair)
    wanted = 1 if texts[0] == texts[1] else 2
    if pair[0][0] == pair[1][0] and wanted == 2:
        return  # two ways to write one value: candidates or not
    with fresh_store() as db:
        if by_import:
            rows = [(n, json.loads(json.dumps({"content": text}))) for n, text in enumerate(texts)]
            done = import_rows(db, rows, ImportContext(OWNER, NOW, True), merge=True)
            assert done.added == wanted
        else:
            for n, text in enumerate(texts):
                new = NewFact(text, "knowledge", "owner_message", OWNER)
                remember(db, new, fact_id=f"F{n}", now=NOW)
        found = dream(db, Settings(max_loss=1.0), viewer=OWNER, now=NOW, dry_run=False)
        assert found.plan.merges == ()
        assert active(db) == texts[:wanted]
