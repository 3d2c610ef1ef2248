"""The hrr-256 embedder against the reference's numbers, and its packed form against itself."""

from __future__ import annotations

import json
import random
from hashlib import sha256
from math import atan2, cos, pi, sin, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tideline_cli.vector import hrr
from tideline_cli.vector.features import features, words
from tideline_cli.vector.hrr import HrrEmbedder

GOLDEN = Path(__file__).parents[1] / "golden"
ANY_TEXT = st.text(st.characters(), max_size=60)  # lone surrogates too
WORDS = ["the", "deploy", "deploys", "on", "fridays", "a", "I", "ёлка", "素食", "naïve", "𝕏𝕐", "42"]
PROSE = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)
EMBEDDER = HrrEmbedder()


def by_hand(text: str) -> list[float]:
    """The published formula, one number at a time."""
    names = []
    for word in words(text):
        units = np.frombuffer(f"^{word}$".encode("utf-16-le"), "<u2").tolist()
        names.append(f"w:{word}".encode())
        names += [b"g:" + utf8(units[i : i + 3]) for i in range(len(units) - 2)]
    sums = [[0.0, 0.0] for _ in range(128)]
    for name in names or [b"w:__hrr_empty__"]:
        digests = b"".join(sha256(name + b":%d" % number).digest() for number in range(8))
        for index, pair in enumerate(sums):
            phase = int.from_bytes(digests[2 * index : 2 * index + 2], "little") * 2 * pi / 65536
            pair[0] += cos(phase)
            pair[1] += sin(phase)
    phases = [atan2(y, x) for x, y in sums]
    return [part(phase) / sqrt(128) for phase in phases for part in (cos, sin)]


def utf8(units: list[int]) -> bytes:
    """UTF-8 of UTF-16 units; a surrogate without its other half is EF BF BD."""
    out, index = b"", 0
    while index < len(units):
        unit, after = units[index], units[index + 1 : index + 2]
        if 0xD800 <= unit < 0xDC00 and after and 0xDC00 <= after[0] < 0xE000:
            out += chr(0x10000 + (unit - 0xD800) * 1024 + after[0] - 0xDC00).encode()
            index += 1
        else:
            out += b"\xef\xbf\xbd" if 0xD800 <= unit < 0xE000 else chr(unit).encode()
        index += 1
    return out


def level_distance(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    ahead = left - right
    return np.asarray(np.minimum(ahead, -ahead))


def golden() -> tuple[list[str], np.ndarray]:
    items = json.loads((GOLDEN / "hrr_vectors.json").read_text("utf-8"))["items"]
    return [item["text"] for item in items], np.array([item["vector"] for item in items])


def test_vectors_equal_the_reference() -> None:
    """Every vector of the reference is met to 1e-9."""
    texts, vectors = golden()
    assert np.abs(EMBEDDER.embed(texts) - vectors).max() < 1e-9


def test_reference_texts_pack_within_tolerance() -> None:
    """Approximate cosines of the reference's texts are off by no more than the tolerance."""
    texts, vectors = golden()
    codes = EMBEDDER.embed_packed(texts)
    approximate = np.array([EMBEDDER.similarities(vector, codes) for vector in vectors])
    assert np.abs(approximate - vectors @ vectors.T).max() <= EMBEDDER.tolerance


@pytest.mark.parametrize("text", ["𝕏", "a𝕏b", "𠮷野家", "x𝟘", "😀 deploy 😀"])
def test_windows_cut_astral_characters(text: str) -> None:
    """A trigram is three UTF-16 units, and half a character hashes as U+FFFD."""
    assert np.abs(EMBEDDER.embed([text])[0] - by_hand(text)).max() < 1e-9


def test_features_of_an_astral_word() -> None:
    """A word beyond U+FFFF has one window for each of its UTF-16 units."""
    assert features("𝟘a") == ["w:𝟘a", "g:^𝟘", "g:𝟘a", "g:\udfd8a$"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Deploys, never on Fridays!", ["deploys", "never", "on", "fridays"]),
        ("snake_case v2.0 ½", ["snake", "case", "v2", "0", "½"]),
        ("ÉTÉ cafe\u0301s", ["été", "cafe", "s"]),
        ("用户喜欢素食。Да", ["用户喜欢素食", "да"]),
        ("a\ud800b", ["a", "b"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    """Words are lower-case runs of letters and numbers; all else separates, marks included."""
    assert words(text) == expected


def test_texts_without_words_are_one_and_the_same() -> None:
    """Empty and symbol-only texts share one unit vector."""
    empty, blank, symbols = EMBEDDER.embed(["", " \n", "!!! ... ???"])
    assert (empty == blank).all()
    assert (empty == symbols).all()


def test_no_texts() -> None:
    """No texts give no rows, in either form."""
    assert EMBEDDER.embed([]).shape == (0, 256)
    assert EMBEDDER.embed_packed([]).shape == (0, 128)


@settings(deadline=None)
@given(ANY_TEXT)
def test_any_text_has_a_unit_vector(text: str) -> None:
    """Any text becomes 256 finite numbers of length 1."""
    (vector,) = EMBEDDER.embed([text])
    assert vector.shape == (256,)
    assert np.isfinite(vector).all()
    assert abs(np.linalg.norm(vector) - 1) < 1e-12


@settings(deadline=None, max_examples=30)
@given(PROSE)
def test_formula(text: str) -> None:
    """The vector is that of the formula, computed number by number."""
    assert np.abs(EMBEDDER.embed([text])[0] - by_hand(text)).max() < 1e-9


@settings(deadline=None, max_examples=50)
@given(st.lists(st.one_of(ANY_TEXT, PROSE), min_size=8, max_size=30), PROSE)
def test_bulk_agrees_with_single(texts: list[str], query: str) -> None:
    """The fast path gives the single path's codes to one level, and cosines within tolerance."""
    vectors = EMBEDDER.embed(texts)
    bulk = EMBEDDER.embed_packed(texts)
    assert level_distance(bulk, EMBEDDER.pack(vectors)).max() <= 1
    (asked,) = EMBEDDER.embed([query])
    exact = vectors @ asked
    for codes in (bulk, EMBEDDER.pack(vectors)):
        assert np.abs(EMBEDDER.similarities(asked, codes) - exact).max() <= EMBEDDER.tolerance


def test_bulk_of_one_character_words() -> None:
    """Where two waves all but cancel, the fast path still has the single path's phases."""
    texts = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]
    packed = EMBEDDER.pack(EMBEDDER.embed(texts))
    assert level_distance(EMBEDDER.embed_packed(texts), packed).max() <= 1


def test_bulk_of_long_texts_and_words() -> None:
    """Texts and words beyond the fast path's limits are packed all the same."""
    texts = ["x" * length for length in range(35, 45)]
    texts += [" ".join(["deploy on friday"] * count) for count in (50, 60, 400, 800)]
    packed = EMBEDDER.pack(EMBEDDER.embed(texts))
    assert level_distance(EMBEDDER.embed_packed(texts), packed).max() <= 1


def test_bulk_with_a_full_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """More words than the table holds change nothing but the time."""
    monkeypatch.setattr(hrr, "_MOST_SUMS", 32)
    texts = [" ".join(f"word{number % 97}" for number in range(k, k + 20)) for k in range(200)]
    assert (HrrEmbedder().embed_packed(texts) == EMBEDDER.embed_packed(texts)).all()


@pytest.mark.parametrize("most", [60, 500])
def test_few_sums_of_words_are_kept(monkeypatch, most):
    """The codes of many texts are the same however few words are remembered, and whatever texts
    stand beside them."""
    rng = random.Random(2)
    many = [f"word{n} of {n * n}" for n in range(300)]
    texts = [" ".join(rng.choices(many, k=rng.randint(1, 12))) for _ in range(700)]
    texts[5:5] = ["", "naïve ёлка", "𝕏𝕐 word1", "x" * 50, "long " * 400]
    wanted = HrrEmbedder().embed_packed(texts)
    monkeypatch.setattr(hrr, "_MOST_SUMS", most)
    assert np.array_equal(HrrEmbedder().embed_packed(texts), wanted)
    embedder = HrrEmbedder()
    parts = [embedder.embed_packed(texts[start : start + 50]) for start in range(0, 705, 50)]
    assert np.array_equal(np.concatenate(parts)[:700], wanted[:700])
    assert np.array_equal(wanted[:5], HrrEmbedder().embed_packed(texts[:20])[:5])
