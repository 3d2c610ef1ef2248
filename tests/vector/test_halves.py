"""Codes in halves: nothing is lost by the cut, and a search among high halves finds what one among
whole codes finds, in the same order, with the same cosines."""

from __future__ import annotations

from math import cos, pi, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import fact, put, rows
from tideline_cli.memory import semantic
from tideline_cli.model import code_halves
from tideline_cli.store import vectors
from tideline_cli.store.connection import writing
from tideline_cli.vector import hrr_halves, hrr_plain
from tideline_cli.vector.hrr import HrrEmbedder

HRR = HrrEmbedder()
WORDS = "deploy deploys deployed friday fridays on tabs never vegetarian diet ёлка 素食 42".split()
PROSE = st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join)
ANY_TEXT = st.text(st.characters(), max_size=60)
TEXTS = st.lists(st.one_of(PROSE, ANY_TEXT), min_size=1, max_size=60)


def numbers_of(numbers):
    """Numbers of facts as a chunk has them."""
    return b"".join(number.to_bytes(4, "little") for number in numbers)


class Chunks:
    """Chunks in halves, of so many rows each; it counts which are read whole."""

    def __init__(self, codes, size):
        self.cut = [codes[start : start + size] for start in range(0, len(codes), size)]
        self.size = size
        self.read = []

    def halves(self):
        return hrr_halves.Halves(self._high(), self._whole)

    def _high(self):
        for number, part in enumerate(self.cut):
            first = number * self.size
            facts = numbers_of(range(first, first + len(part)))
            yield number, facts, code_halves.split(b"".join(part))[0]

    def _whole(self, numbers):
        for number in numbers:
            self.read.append(number)
            yield code_halves.split(b"".join(self.cut[number]))


@given(codes=st.lists(st.binary(min_size=128, max_size=128), max_size=9).map(b"".join))
def test_halves_are_joined_again(codes):
    """Both halves together are the codes, and the high one has the high bits."""
    high, low = code_halves.split(codes)
    assert len(high) == len(low) == len(codes) // 2
    assert code_halves.joined(high, low) == codes
    count = len(codes) // 128
    for row in range(count):
        code = codes[128 * row : 128 * row + 128]
        first, second = code_halves.pair(high[row::count], low[row::count])
        assert (first, second) == (code[::2], code[1::2])
        assert high[row::count] == bytes(
            a & 0xF0 | b >> 4 for a, b in zip(code[::2], code[1::2], strict=True)
        )


@given(
    query=st.one_of(PROSE, ANY_TEXT), texts=TEXTS, size=st.integers(1, 70),
    least=st.sampled_from((-1.0, 0.0, 0.1, 0.291, 0.5, 0.9, 1.0)), fresh=st.booleans(),
)  # fmt: skip
def test_a_search_among_halves_is_one_among_codes(query, texts, size, least, fresh):
    """Whatever the chunks are: the same rows, the same cosines, the nearest first, then the lower
    number; also with rows that are known beside them."""
    asked = hrr_plain.embed(query)
    codes = [hrr_plain.pack(hrr_plain.embed(text)) for text in texts]
    found = hrr_plain.near(asked, b"".join(codes), least)
    wanted = sorted(found, key=lambda row: (-row[1], row[0]))
    kept = codes[: len(codes) // 2] if fresh else codes
    more = [row for row in wanted if row[0] >= len(kept)]
    found = hrr_halves.near(asked, Chunks(kept, size).halves(), least, more)
    assert list(found) == wanted


@given(query=st.one_of(PROSE, ANY_TEXT), texts=TEXTS)
def test_guesses_keep_the_margin(query, texts):
    """What the high half says of a row is within the margin of what the whole code says."""
    asked = hrr_plain.embed(query)
    codes = HRR.embed_packed(texts * 8).tobytes()[: 128 * len(texts)]
    exact = [cosine for _, cosine in hrr_plain.near(asked, codes, -2.0)]
    chunks = Chunks([codes[i : i + 128] for i in range(0, len(codes), 128)], 40)
    guessed = list(hrr_halves._guesses(asked, chunks._high(), -1.5, {}))
    assert len(guessed) == len(texts)
    for guess, number, place in guessed:
        assert guess == pytest.approx(exact[40 * number + place], abs=hrr_halves.MARGIN)


@pytest.mark.parametrize("apart", [0.0, 0.1, pi / 2, 3.0])
def test_guesses_of_random_codes_lie_around_the_cosines(apart):
    """Over all levels of a code the errors cancel: guesses are not shifted to one side."""
    query = tuple(2 * pi * index / 128 - pi for index in range(128))
    errors = []
    for turn in range(256):
        code = hrr_plain.pack(tuple(phase + apart + 2 * pi * turn / 256 for phase in query))
        ((guess, _, _),) = hrr_halves._guesses(query, Chunks([code], 1)._high(), -1.5, {})
        errors.append(guess - cos(apart + 2 * pi * turn / 256))
    assert sum(errors) / 256 == pytest.approx(0, abs=0.002)
    assert max(map(abs, errors)) < hrr_halves.MARGIN


def test_who_stops_early_reads_few_chunks():
    """Chunks are read whole as their rows are asked for, not before."""
    texts = [f"the plan of week {n} for house {n * 7}" for n in range(300)]
    texts[170] = "zebra crossing"
    asked = hrr_plain.embed("zebra crossings")
    chunks = Chunks([hrr_plain.pack(hrr_plain.embed(text)) for text in texts], 10)
    found = hrr_halves.near(asked, chunks.halves(), 0.291)
    assert chunks.read == []
    assert next(found)[0] == 170
    assert 17 in chunks.read
    assert len(chunks.read) < 30


def test_a_torn_chunk_is_passed_by():
    """A chunk whose halves do not fit its facts is left out, and no other."""
    asked = hrr_plain.embed("tabs")
    high, low = code_halves.split(hrr_plain.pack(asked))
    chunks = [(1, numbers_of([5]), high[:-1]), (2, b"", b""), (3, numbers_of([7]), high)]
    found = hrr_halves.near(asked, hrr_halves.Halves(chunks, lambda _: [(high, low)]), 0.5)
    assert [number for number, _ in found] == [7]


def test_the_file_keeps_halves(db):
    """What is appended, taken out and put back is kept in halves; readers get whole codes."""
    texts = [f"fact {n} of the {'week' * (n % 3)}" for n in range(9)]
    seqs = put(db, [fact(text, f"F{n}") for n, text in enumerate(texts)])
    codes = [hrr_plain.pack(hrr_plain.embed(text)) for text in texts]
    made = dict(zip(seqs, codes, strict=True))
    with writing(db):
        for limit in (4, 1, 100):
            semantic.embed_backlog(db, origin_number=1, limit=limit)

    def held():
        ((_, _, _, facts, codes, lows),) = rows(db, "vector_chunk")
        assert len(codes) == len(lows) == 64 * (len(facts) // 4)
        ((numbers, joined),) = vectors.chunks(db, origin_number=1, embedder="hrr-256")
        assert numbers == facts
        return {
            int.from_bytes(numbers[4 * i : 4 * i + 4], "little"): joined[128 * i : 128 * i + 128]
            for i in range(len(numbers) // 4)
        }

    assert held() == made
    gone = seqs[3]
    with writing(db):
        vectors.remove(db, [gone])
    assert held() == {seq: code for seq, code in made.items() if seq != gone}
    with writing(db):
        vectors.insert(db, {gone: made[gone]}, origin_number=1, embedder="hrr-256")
    assert held() == made


def test_the_waves_are_those_of_their_formulas():
    """The runs of levels stand for the cosines, rounded; those of a sector for their mean."""
    mean = sin(pi / 16) / (pi / 16)
    for runs, most, scale in ((hrr_plain._RUNS, 63, 1.0), (hrr_halves._RUNS, 15, mean)):
        half = [round(most / 2 * (1 + scale * cos(pi * level / 1024))) for level in range(1025)]
        assert hrr_plain.wave_of(runs) == bytes(half + half[-2:0:-1]) * 2
