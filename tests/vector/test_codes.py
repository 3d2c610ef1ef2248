"""Codes of learned embedders: the same with numpy and without, and near to the vectors."""

from __future__ import annotations

import numpy as np
import pytest

from tideline_cli.vector.embedders import coded, codes


def vectors(dims, count=700):
    return np.random.default_rng(dims).normal(size=(count, dims))


@pytest.mark.parametrize("dims", [1, 2, 64, 256, 384, 1536])
def test_codes_are_the_same_with_numpy_and_without(dims):
    """Both make the same bytes of a vector, and the same cosines of two codes, to the last bit."""
    rows = vectors(dims)
    made = coded.packed(rows)
    assert [bytes(one) for one in made] == [codes.code(row.tolist()) for row in rows]
    wanted = coded.code_cosines(made[3], made)
    found = dict(codes.near(bytes(made[3]), made.tobytes(), least=-1.0))
    assert [found[row] for row in range(len(rows))] == wanted.tolist()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("dims", [3, 64, 256, 384, 1536])
@pytest.mark.parametrize("least", [0.0, 0.05, 0.3, 0.9])
def test_nothing_near_is_passed_over(dims, least):
    """What is looked at by sums of columns holds every row that reaches the least cosine."""
    rows = vectors(dims, 5000)
    rows[::7] += 0.7 * rows[11]
    made = coded.packed(rows)
    wanted = coded.code_cosines(made[11], made)
    found = codes.near(bytes(made[11]), made.tobytes(), least=least)
    assert found == [(row, one) for row, one in enumerate(wanted.tolist()) if one >= least]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dims", [3, 256, 1536])
@pytest.mark.parametrize("most", [1, 100, 9000])
def test_the_nearest_are_found_with_their_equals(dims, most):
    """Of more rows than are summed at once those of the highest cosines come, and all that tie."""
    rows = vectors(dims, 8600)
    rows[::7] += 0.7 * rows[11]
    rows[8500] = rows[8100] = rows[11]
    rows[20:24] = 0.0
    made = coded.packed(rows)
    wanted = coded.code_cosines(made[11], made)
    lowest = max(0.05, sorted(wanted, reverse=True)[min(most, len(rows)) - 1])
    found = codes.near(bytes(made[11]), made.tobytes(), least=0.05, most=most)
    assert found == [(row, one) for row, one in enumerate(wanted.tolist()) if one >= lowest]


def test_a_cosine_of_codes_is_near_that_of_the_vectors():
    """A code of 256 values moves a cosine by less than 0.01."""
    rows = vectors(256)
    norms = np.linalg.norm(rows, axis=1)
    exact = rows @ rows[0] / norms / norms[0]
    made = coded.packed(rows)
    assert np.abs(coded.code_cosines(made[0], made) - exact).max() < 0.01


@pytest.mark.parametrize("odd", [0.0, float("nan"), float("inf"), 5e-324])
def test_a_vector_that_says_nothing_is_like_nothing(odd):
    """Zeros, and what is no number, have a code of zeros, whose cosine is 0."""
    row = [odd] * 8
    made = codes.code(row)
    assert made == bytes(10) == bytes(coded.packed(np.array([row]))[0])
    other = codes.code([1.0, 2.0] * 4)
    assert codes.cosine(made, other) == codes.cosine(other, made) == 0.0
    assert codes.near(made, other, least=0.3) == []
    assert codes.near(made, other, least=0.0) == [(0, 0.0)]
