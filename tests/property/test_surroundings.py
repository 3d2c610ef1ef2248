"""The second stage of ranking against a plain slow formula: every fact read, nothing bounded."""

from __future__ import annotations

from datetime import datetime
from math import log
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.test_lexical import brute_force, holds, modulator
from tests.support import DAY, NOW, fact, fresh_store, often, put
from tideline_cli.memory.query import ALL, Query
from tideline_cli.memory.recall import recall
from tideline_cli.model.origin import OWNER, Origin
from tideline_cli.model.source import STANDING, is_trusted
from tideline_cli.model.times_in_text import windows
from tideline_cli.ranking import surroundings
from tideline_cli.ranking.question_words import weights
from tideline_cli.store.facts import Filter

GUEST = Origin("channel:a/b/c")
NAMES = ("ann", "bob", None, None)
WORDS = ("tea", "garden", "pear", "boat", "lamp", "ann", "bob")
TODAY = datetime.fromtimestamp(NOW // 1000)
QUESTIONS = (
    "tea garden", "ann pear boat", "lamp yesterday", "tea and pear 3 days ago, said bob",
    f"garden tea in {TODAY.year}", f"boat tea, {TODAY.strftime('%B').lower()} {TODAY.day}",
)  # fmt: skip
drawn = st.lists(
    st.fixed_dictionaries({
        "content": st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join),
        "origin": st.sampled_from((OWNER, OWNER, OWNER, GUEST)),
        "session": st.sampled_from(("s", "s", "t", None)),
        "turn": st.integers(0, 6),
        "speaker": st.sampled_from(NAMES),
        "role": st.sampled_from((None, "user", "assistant")),
        "source": st.sampled_from(("owner_message", "owner_message", "extraction", "tool_output")),
        "scope": st.sampled_from((None, None, None, "x")),
        "lifecycle": st.sampled_from(("active",) * 5 + ("archived",)),
        "segment": st.sampled_from(("knowledge", "project")),
        "days": st.integers(0, 5),
    }),
    min_size=1, max_size=12,
)  # fmt: skip


def stored(rows):
    return [
        fact(row["content"], f"ID{n:024d}", now=NOW - row["days"] * DAY - n,
             **{name: value for name, value in row.items() if name not in ("content", "days")})
        for n, row in enumerate(rows)
    ]  # fmt: skip


def beside(every, one, moment):
    """Return the facts next to one in its session, by looking at all facts."""

    def group(other):
        return other.origin, other.session, other.scope, is_trusted(other.source)

    row = sorted(
        (other.turn, number) for number, other in enumerate(every)
        if other.session is not None and group(other) == group(one) and holds(other, moment)
    )  # fmt: skip
    at = row.index((one.turn, every.index(one))) if one.session is not None else 0
    near = [*row[max(at - 1, 0) : at], *row[at + 1 : at + 2]] if one.session is not None else []
    return [every[number] for _, number in near]


def expected(every, text, *, origin, wanted, count):
    """Return the score of each fact that is found, by its id."""
    asked = weights([word for word in text.replace(",", "").split() if word != "in"], text)
    asked = {term: weight for term, weight in asked.items() if term not in ("and",)}
    words = {}
    for term, weight in asked.items():
        words[{"days": "day"}.get(term, term)] = weight
    mine = [one for one in every if one.origin == origin and holds(one, wanted)]
    open_filter = Filter(as_of=wanted.as_of)
    alone = dict(brute_force(every, words, origin=origin, limit=99, wanted=open_filter))
    ranked = brute_force(every, words, origin=origin, limit=count, wanted=wanted)
    moment = NOW if wanted.as_of is None else wanted.as_of
    mean = max(1.0, sum(len(one.content.split()) for one in mine) / max(len(mine), 1))
    named = windows(text, now=NOW)
    candidates = {fact_id for fact_id, _ in ranked}
    near = {one.id: beside(every, one, wanted) for one in mine}
    pool = [
        one for one in mine
        if one.id in candidates or any(other.id in candidates for other in near[one.id])
    ]  # fmt: skip
    own = {one.id: worth(one, words, named, alone, every, moment, mean, origin) for one in pool}
    weight = {one.id: STANDING[one.source].weight * (0.65 if one.role == "assistant" else 1.0)
              for one in pool}  # fmt: skip
    scores = {}
    for one in pool:
        shares = [
            own[other.id] * weight[other.id] for other in near[one.id]
            if other.id in own and (one.id in candidates or other.id in candidates)
        ]  # fmt: skip
        length = len(one.content.split())
        around = 0.4 * max(shares, default=0.0) * min(1.0, 40 / length)
        if one.session is not None:
            around += 0.2 * max(
                (own[other.id] * weight[other.id] for other in pool if other.id in candidates
                 and (other.session, other.scope, is_trusted(other.source))
                 == (one.session, one.scope, is_trusted(one.source))), default=0.0,
            )  # fmt: skip
        score = (own[one.id] + around) * weight[one.id] * modulator(one, moment)
        if score > 0 and (not wanted.segments or one.segment in wanted.segments):
            scores[one.id] = score
    trusted = {one.id: is_trusted(one.source) for one in pool}
    return {
        fact_id: score if trusted[fact_id] else min([
            score,
            *(max(alone.get(fact_id, 0.0), other * (1 - 1e-9)) for at, other in scores.items()
              if trusted[at] and alone.get(at, 0.0) >= alone.get(fact_id, 0.0)),
        ])
        for fact_id, score in scores.items()
    }  # fmt: skip


def worth(one, words, named, alone, every, moment, mean, origin):
    """Return what a fact is worth by its words, its date, its speaker and its time."""
    weight = STANDING[one.source].weight * (0.65 if one.role == "assistant" else 1.0)
    own = alone.get(one.id, 0.0) / weight / modulator(one, moment)
    made = [datetime.fromtimestamp(x.created_at // 1000) for x in every
            if x.origin == origin and x.lifecycle == "active"]  # fmt: skip
    day = datetime.fromtimestamp(one.created_at // 1000)
    if own:
        norm = 1.2 * (0.25 + 0.75 * len(one.content.split()) / mean)
        for part, value in {part for window in named for part in window.parts}:
            if getattr(day, part) == value:
                n = sum(getattr(x, part) == value for x in made)
                own += log(1 + (max(len(made), n) - n + 0.5) / (n + 0.5)) * 2.2 / (1 + norm)
    nearest = 0.0
    for window in named:
        away = max(window.start - one.created_at, one.created_at - window.end, 0)
        nearest = max(nearest, 1 - away / window.edge)
    speaker = 1.5 if one.speaker is not None and one.speaker in words else 1.0
    return own * speaker * (1 + 2 * nearest)


@settings(max_examples=often(30, 120))
@given(
    rows=drawn, text=st.sampled_from(QUESTIONS), origin=st.sampled_from((OWNER, OWNER, GUEST)),
    wanted=st.sampled_from((Filter(), Filter(), Filter(segments=("project",)),
                            Filter(as_of=NOW - 2 * DAY))),
    count=st.sampled_from((1, 3, 50)), limit=st.sampled_from((1, 4, ALL)),
)  # fmt: skip
def test_the_second_stage_equals_a_plain_formula(rows, text, origin, wanted, count, limit):
    """For any sessions, speakers, roles, times, scopes and filters the scores are those of the
    formula, and what is shown multiplies and adds up to them."""
    every = stored(rows)
    with (
        fresh_store() as db,
        mock.patch.object(surroundings, "CANDIDATES", count),
        mock.patch.object(surroundings, "DATED", count),
    ):
        put(db, every)
        asked = Query(text, limit=limit, mode="keyword", wanted=wanted)
        hits = recall(db, asked, viewer=origin, now=NOW).hits
    many = max(count, limit)
    has_stage = any(one.origin == origin and (one.session or one.speaker) for one in every)
    if not (has_stage or windows(text, now=NOW)):
        return
    scores = expected(every, text, origin=origin, wanted=wanted, count=many)
    best = sorted(scores.values(), reverse=True)[:limit]
    assert [hit.score for hit in hits] == pytest.approx(best, abs=1e-12)
    for hit in hits:
        assert hit.score == pytest.approx(scores[hit.fact.id], abs=1e-12)
        why = hit.why
        own = ((why.bm25 or 0.0) + why.date) * why.speaker * why.time
        total = (own + why.neighbour + why.session) * why.trust * why.modulator * why.role
        assert hit.score == pytest.approx(total * why.held, abs=1e-12)
