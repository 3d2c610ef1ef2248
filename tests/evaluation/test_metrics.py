"""The measures of a ranking, by hand and against the reference."""

from __future__ import annotations

import json
from math import log2, nan

import pytest

from tests.support import GOLDEN as FOLDER
from tideline_cli.evaluation import metrics
from tideline_cli.model.record import as_dict

GOLDEN = json.loads((FOLDER / "metrics.json").read_text("utf-8"))


@pytest.mark.parametrize("case", GOLDEN["items"])
def test_ranking_metrics_agree_with_the_reference(case):
    """Ranking metrics agree with the reference."""

    retrieved, gold, k = case["retrieved"], case["relevant"], case["k"]

    assert metrics.recall_at(retrieved, gold, k) == pytest.approx(case["recall"])
    assert metrics.hit_at(retrieved, gold, k) == case["hit"]
    assert metrics.reciprocal_rank(retrieved, gold) == pytest.approx(case["rr"])
    assert metrics.ndcg(retrieved, gold, k) == pytest.approx(case["ndcg"])


@pytest.mark.parametrize("case", GOLDEN["percentile"])
def test_percentile_is_the_nearest_rank(case):
    """Percentile is the nearest rank."""

    assert metrics.percentile(case["v"], case["p"]) == case["out"]


@pytest.mark.parametrize("case", GOLDEN["mean"])
def test_mean_leaves_out_what_is_no_number(case):
    """Mean leaves out what is no number."""

    assert metrics.mean([float(value) for value in case["v"]]) == case["out"]


@pytest.mark.parametrize("case", GOLDEN["bootstrap"])
def test_bootstrap_agrees_with_the_reference(case):
    """Bootstrap agrees with the reference."""

    names = {"iterations": "rounds", "ci": "share", "seed": "seed"}
    options = {names[name]: value for name, value in case["opts"].items()}

    assert as_dict(metrics.bootstrap(case["v"], **options)) == pytest.approx(case["out"])


def test_reciprocal_rank_sees_only_the_first_k():
    """Reciprocal rank sees only the first k."""

    assert metrics.reciprocal_rank(["a", "b", "c"], ["c"], 3) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank(["a", "b", "c"], ["c"], 2) == 0


def test_ndcg_takes_its_gains_from_the_gold():
    """nDCG takes its gains from the gold."""

    gold = {"a": 3, "b": 1}

    assert metrics.ndcg(["a", "b"], gold, 10) == 1
    best = 3 + 1 / log2(3)
    assert metrics.ndcg(["b", "a"], gold, 10) == pytest.approx((1 + 3 / log2(3)) / best)
    assert metrics.ndcg(["b"], gold, 1) == pytest.approx(1 / 3)


def test_gold_that_was_not_found_lowers_ndcg():
    """Gold that was not found lowers nDCG."""

    assert metrics.ndcg(["a"], ["a", "b"], 10) == pytest.approx(1 / (1 + 1 / log2(3)))


def test_gold_without_gain_is_worth_nothing():
    """Gold without gain is worth nothing."""

    assert metrics.ndcg(["a"], {"a": 0}, 10) == 0


def test_random_numbers_repeat_and_spread():
    """Random numbers repeat and spread."""

    first = metrics.mulberry32(7, 1000)

    assert (first == metrics.mulberry32(7, 1000)).all()
    assert 0 <= first.min() < 0.01
    assert 0.99 < first.max() < 1
    assert first.mean() == pytest.approx(0.5, abs=0.03)


def test_bootstrap_interval_narrows_with_more_values():
    """Bootstrap interval narrows with more values."""

    few, many = metrics.bootstrap([0, 1] * 5), metrics.bootstrap([0, 1] * 500)

    assert few.mean == many.mean == 0.5
    assert few.hi - few.lo > 5 * (many.hi - many.lo)


def test_mean_of_numbers_and_nan():
    """Mean of numbers and nan."""

    assert metrics.mean([1.0, nan, 2.0]) == 1.5
