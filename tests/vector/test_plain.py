"""The vector lane in plain Python: the numbers of hrr.py, and the hits of the lane of arrays."""

from __future__ import annotations

import subprocess
import sys
from math import cos, pi, prod, sin, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import backends
from tests.support import NOW, fact, fresh_store, golden, joined, put, rows, view_at
from tideline_cli.memory import lanes, nearest, semantic
from tideline_cli.memory.query import Query, weights_of
from tideline_cli.memory.recall import recall, write_back
from tideline_cli.model.origin import OWNER
from tideline_cli.store import facts, vectors
from tideline_cli.store.connection import writing
from tideline_cli.vector import hrr_plain
from tideline_cli.vector.hrr import HrrEmbedder

HRR = HrrEmbedder()
ITEMS = golden("hrr_vectors")["items"]
WORDS = (
    "deploy deploys deployed friday fridays on tabs never vegetarian diet ёлка 素食 𝕏𝕐 42".split()
)
PROSE = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)
ANY_TEXT = st.text(st.characters(), max_size=60)  # lone surrogates too
TEXT = st.one_of(PROSE, ANY_TEXT)
MANY_TEXTS = st.lists(TEXT, min_size=1, max_size=40)
WORST = 0.031  # what the docstring of plain.near derives, rounded up
SOURCES = ("owner_message", "channel_message", "tool_output", "retrieved_document")


def values(phases: hrr_plain.Phases) -> list[float]:
    """The 256 values of a vector."""
    return [part(phase) / sqrt(128) for phase in phases for part in (cos, sin)]


def similarities(query: hrr_plain.Phases, codes: bytes) -> list[float]:
    """The approximate cosines of all codes."""
    return [cosine for _, cosine in hrr_plain.near(query, codes, -2.0)]


@joined("item", ITEMS)
def test_golden_vectors(item):
    """A text's phases make the reference's vector."""
    assert values(hrr_plain.embed(item["text"])) == pytest.approx(item["vector"], abs=1e-9)


@given(text=TEXT)
def test_vectors_are_those_of_hrr(text):
    """Both embedders make the same vector and the same code of any text."""
    (vector,) = HRR.embed([text])
    phases = hrr_plain.embed(text)
    assert values(phases) == pytest.approx(vector.tolist(), abs=1e-12)
    assert hrr_plain.pack(phases) == HRR.pack(vector[None]).tobytes()


@pytest.mark.parametrize("kept", [1, 2048])
def test_long_texts(monkeypatch, kept):
    """A text of more features than are summed at once has the vector that it has in hrr."""
    monkeypatch.setattr(hrr_plain, "_MOST_WAVES", kept)
    text = " ".join(f"word{n % 150} the {'never' * (n % 3)}" for n in range(300))
    assert values(hrr_plain.embed(text)) == pytest.approx(HRR.embed([text])[0].tolist(), abs=1e-12)


@given(query=TEXT, texts=MANY_TEXTS)
def test_similarities_keep_the_margin(query, texts):
    """Approximate cosines are within the margin of exact ones, whichever way codes were made."""
    asked = hrr_plain.embed(query)
    phases = [hrr_plain.embed(text) for text in texts]
    exact = [hrr_plain.cosine(asked, other) for other in phases]
    assert exact == pytest.approx((HRR.embed(texts) @ HRR.embed([query])[0]).tolist(), abs=1e-12)
    for codes in (b"".join(map(hrr_plain.pack, phases)), HRR.embed_packed(texts * 8).tobytes()):
        found = similarities(asked, codes[: 128 * len(texts)])
        assert found == pytest.approx(exact, abs=hrr_plain.MARGIN)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("apart", [0.0, 0.3, pi / 2, 3.0, pi])
def test_the_worst_case_is_bounded(apart, sign):
    """Even if all roundings are at their largest and of one sign, the error is within WORST."""
    edge = sign * (pi / 256 - 1e-9)
    query = (sign * (pi / 2048 - 1e-9),) * 128
    for level in range(256):
        phases = tuple([level * 2 * pi / 256 + apart + edge] * 128)
        (found,) = similarities(query, hrr_plain.pack(phases))
        assert found == pytest.approx(hrr_plain.cosine(query, phases), abs=WORST)
    assert hrr_plain.MARGIN < WORST


@given(texts=st.lists(PROSE, max_size=20), at_once=st.integers(1, 9))
def test_a_similarity_does_not_depend_on_other_rows(texts, at_once):
    """A row has the same value alone and among others, however rows are cut into blocks."""
    asked = hrr_plain.embed("never deploy on fridays")
    codes = [hrr_plain.pack(hrr_plain.embed(text)) for text in texts]
    alone = [similarities(asked, code)[0] for code in codes]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hrr_plain, "_ROWS_AT_ONCE", at_once)
        assert similarities(asked, b"".join(codes)) == alone
        near = [(n, one) for n, one in enumerate(alone) if one >= 0.3]
        assert hrr_plain.near(asked, b"".join(codes), 0.3) == near


@st.composite
def stores(draw):
    """Facts of few words, so that many are equally or almost equally near, and a query."""
    count = draw(st.integers(30, 200))
    chance = draw(st.randoms(use_true_random=False))
    confidences = draw(st.sampled_from(((None, 0.9, 0.3, 0.0), (0.9, *[0.01] * 30))))
    made = [
        fact(
            " ".join(chance.choices(WORDS, k=chance.randint(1, 5))),
            f"F{number:03}",
            now=NOW - chance.choice((0, 1000, 10**9)),
            source=chance.choice(SOURCES),
            confidence=chance.choice(confidences),
            lifecycle=chance.choice(("active",) * 9 + ("archived",)),
            valid_to=chance.choice((None, None, None, NOW - 1)),
            role=chance.choice((None, None, "user", "assistant", "tool")),
        )
        for number in range(count)
    ]
    query = Query(
        draw(st.sampled_from(("vegetarian", "tabs deployed", "deploying fridayy", "nevermore 4"))),
        limit=draw(st.sampled_from((1, 3, 8, 20, 60))),
        mode=draw(st.sampled_from(("hybrid", "semantic"))),
        min_sim=draw(st.sampled_from((0.05, 0.2, 0.3, 0.5))),
        mmr=draw(st.sampled_from((1.0, 1.0, 0.6))),
    )
    return made, query


def answers(db, query, *, as_plain: bool):
    """The hits of one of the lanes, as id, score, lane and cosine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lanes, "HRR", lanes.HRR if as_plain else "")
        patch.setattr(semantic, "PLAIN_TEXTS", 1000)
        patch.setattr(semantic, "PLAIN_CHARS", 10**6)
        patch.setattr(semantic, "PLAIN_HITS", 1000)
        if as_plain:
            patch.setattr(lanes, "ArrayLane", None)
            patch.setattr(nearest, "_FIRST_READ", 4)
        hits = recall(db, query, viewer=OWNER, now=NOW).hits
    return [(hit.fact.id, hit.score, hit.why) for hit in hits]


@settings(max_examples=40)
@given(given_=stores(), embedded=st.sampled_from((0, 20, 1000)))
def test_both_lanes_answer_alike(given_, embedded):
    """The lane in plain Python returns the hits of the lane of arrays, in order, with scores."""
    made, query = given_
    with fresh_store() as db:
        put(db, made)
        if embedded:
            with writing(db):
                semantic.embed_backlog(db, origin_number=1, limit=embedded)
        found = answers(db, query, as_plain=True)
        wanted = answers(db, query, as_plain=False)
    assert [item[0] for item in found] == [item[0] for item in wanted]
    for (_, score, why), (_, wanted_score, wanted_why) in zip(found, wanted, strict=True):
        assert score == pytest.approx(wanted_score, abs=1e-12)
        assert why.cosine == pytest.approx(wanted_why.cosine, abs=1e-12)
        assert (why.lane, why.damping, why.base) == (
            wanted_why.lane, wanted_why.damping, wanted_why.base,
        )  # fmt: skip


@given(given_=stores(), mode=st.sampled_from(("hybrid", "semantic")))
def test_the_search_that_ends_early_misses_nothing(given_, mode):
    """The hits are those of ranking each fact by its exact cosine."""
    made, query = given_
    query = Query("deploymint nevermor", query.limit, mode, min_sim=query.min_sim)
    with fresh_store() as db:
        numbers = put(db, made)
        found = answers(db, query, as_plain=True)
        there = facts.among(db, numbers, viewer=OWNER, wanted=query.wanted, now=NOW).values()
    asked = hrr_plain.embed(query.text)
    phases = {one.id: hrr_plain.embed(one.content) for one in there}
    cosines = {key: round(hrr_plain.cosine(asked, made), 10) for key, made in phases.items()}
    near = [one for one in there if cosines[one.id] >= query.min_sim]
    near.sort(key=lambda one: (-cosines[one.id], -one.created_at, one.id))
    scores = [
        (cosines[one.id] if mode == "semantic" else 0.5 * 0.9**rank)
        * prod(weights_of(one, query, now=NOW, weighs_roles=True)[1:])
        for rank, one in enumerate(near)
    ]
    wanted = sorted(
        (-score, -one.created_at, one.id) for score, one in zip(scores, near, strict=True)
    )[: query.limit]
    assert [item[0] for item in found] == [key[2] for key in wanted]
    assert [item[1] for item in found] == pytest.approx([-key[0] for key in wanted], abs=1e-12)


def test_a_backlog_is_kept(db):
    """The vectors that a recall makes of facts that had none are stored after its answer."""
    seqs = put(db, [fact("I deploy on Fridays", "A"), fact("a vegetarian diet", "B")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lanes, "ArrayLane", None)
        answer = recall(db, Query("vegetation"), viewer=OWNER, now=NOW)
        assert [hit.fact.id for hit in answer.hits] == ["B"]
        write_back(db, answer, touch=False, now=NOW)
        assert recall(db, Query("vegetation"), viewer=OWNER, now=NOW).backlog is None
    ((_, _, _, numbers, *kept),) = rows(db, "vector_chunk")
    assert np.frombuffer(numbers, "<u4").tolist() == seqs
    made = HRR.embed(["I deploy on Fridays", "a vegetarian diet"])
    assert vectors.whole(*kept) == HRR.pack(made).tobytes()


@pytest.mark.parametrize(
    ("count", "text", "limit", "is_plain"),
    [
        (32, "short", 8, True),
        (33, "short", 8, False),
        (3, "long " * 1000, 8, False),
        (32, "short", 100, True),
    ],
)
def test_the_lane_that_ends_sooner_is_taken(db, monkeypatch, count, text, limit, is_plain):
    """Many facts or long ones that wait for vectors are embedded by arrays; so are many hits."""
    put(db, [fact(f"{text} {number}", f"F{number}") for number in range(count)])
    lane, _, backlog, _ = semantic._gathered(view_at(db), limit)
    assert isinstance(lane, lanes.ArrayLane) is not is_plain
    assert len(backlog.numbers) == count
    monkeypatch.setattr(semantic, "PLAIN_HITS", min(limit, count) - 1)
    assert isinstance(semantic._gathered(view_at(db), limit)[0], lanes.ArrayLane)


def test_a_recall_by_likeness_loads_no_numpy(run):
    """What was just remembered is found by likeness in a process that never loads numpy."""
    assert run("remember", "I deploy on Fridays").code == 0
    assert run("remember", "a vegetarian diet").code == 0
    heavy = {"numpy"} if backends.is_server() else {"numpy", "typing"}  # a driver loads typing
    for query, text in (("deploys Frida", "I deploy on Fridays"), ("vegetation", "vegetarian")):
        script = (
            "import sys; from tideline_cli.__main__ import main;"
            f"code = main(['recall', '--mode', 'semantic', {query!r}]); sys.stdout.flush();"
            f"assert not {heavy} & sys.modules.keys(); sys.exit(code)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        assert text in done.stdout
