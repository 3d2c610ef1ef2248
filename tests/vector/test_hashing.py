"""The hash-256 embedder against the reference's numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tideline_cli.vector.embedder import HashingEmbedder
from tideline_cli.vector.features import words

GOLDEN = Path(__file__).parents[1] / "golden"
EMBEDDER = HashingEmbedder()


def test_vectors_equal_the_reference() -> None:
    """Every vector of the reference is met to 1e-12."""
    items = json.loads((GOLDEN / "hashing_vectors.json").read_text("utf-8"))["items"]
    vectors = EMBEDDER.embed([item["text"] for item in items])
    assert np.abs(vectors - [item["vector"] for item in items]).max() < 1e-12


def test_a_text_without_words_is_zero() -> None:
    """A text without words has the zero vector, which resembles nothing."""
    vectors = EMBEDDER.embed(["", "?!", "deploy"])
    assert not vectors[:2].any()
    codes = EMBEDDER.pack(vectors)
    assert EMBEDDER.similarities(vectors[0], codes).tolist() == [0, 0, 0]
    assert EMBEDDER.similarities(vectors[2], codes)[:2].tolist() == [0, 0]


def test_no_texts() -> None:
    """No texts give no rows, in either form."""
    assert EMBEDDER.embed([]).shape == (0, 256)
    assert EMBEDDER.embed_packed([]).shape == (0, 512)


@settings(deadline=None)
@given(st.text(st.characters(), max_size=60))
def test_any_text_has_a_unit_or_zero_vector(text: str) -> None:
    """A text with words becomes 256 finite numbers of length 1, unless its signs cancel out."""
    (vector,) = EMBEDDER.embed([text])
    assert vector.shape == (256,)
    assert np.isfinite(vector).all()
    length = float(np.linalg.norm(vector))
    assert abs(length - 1) < 1e-12 or (length == 0 and len(words(text)) != 1)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=20), st.text(max_size=60))
def test_packing(texts: list[str], query: str) -> None:
    """Bulk and single codes are equal, and approximate cosines are within the tolerance."""
    vectors = EMBEDDER.embed(texts)
    (asked,) = EMBEDDER.embed([query])
    codes = EMBEDDER.embed_packed(texts)
    assert (codes == EMBEDDER.pack(vectors)).all()
    assert np.abs(EMBEDDER.similarities(asked, codes) - vectors @ asked).max() <= EMBEDDER.tolerance
