"""A made-up memory of any size: facts whose words are distributed as in real text (Zipf).

The first n facts of a bigger corpus are the n-fact corpus, on every machine and in every run.

    python bench/corpus.py 100000 > facts.jsonl        # what `tideline import` takes
    python bench/corpus.py --queries                   # the queries that the figures are made with
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from itertools import accumulate, chain, count, islice

SEED = 20_26_11
BLOCK = 1000  # facts that are made from one seed; a block can be made without those before it
FRESH = 10_000_000  # the first block of facts that are in no store
NEAR_DUPLICATES = 0.03
FUNCTION_SHARE = 0.35
VOCABULARY = 40_000
FLATTENED = 10  # Zipf-Mandelbrot: the weight of rank r is 1 / (r + FLATTENED)

# How often each stands among the function words of running English, roughly.
FUNCTION_WORDS = {
    "the": 20, "of": 10, "and": 10, "to": 9, "a": 8, "in": 7, "is": 4, "that": 4, "for": 4,
    "it": 3, "was": 3, "on": 3, "with": 3, "as": 2, "be": 2, "at": 2, "by": 2, "we": 2, "this": 2,
    "from": 2, "are": 1, "or": 1, "an": 1, "but": 1, "not": 1, "which": 1, "when": 1, "they": 1,
    "after": 1, "has": 1, "were": 1, "their": 1, "about": 1, "before": 1, "because": 1,
}  # fmt: skip
_COMMON = (
    "customer release friday meeting project deploy server database team budget report review "
    "schedule invoice contract design feature version update branch deadline manager office "
    "support account password backup network service request response message calendar travel "
    "flight hotel coffee breakfast dinner birthday garden kitchen family sister brother mother "
    "father doctor hospital school teacher student language music guitar piano concert museum "
    "library newspaper magazine camera picture holiday weekend morning evening winter summer "
    "mountain river island village station airport bicycle engine battery window document "
    "signature payment supplier warehouse shipment delivery inventory prototype experiment "
    "measurement laboratory analysis estimate proposal presentation workshop training interview "
    "candidate department director president committee agreement insurance medicine allergy "
    "vegetarian restaurant recipe chocolate temperature humidity pressure sensor controller "
)
COMMON_WORDS = _COMMON.split()
_ONSETS = "b br c ch cl cr d dr f fl fr g gl gr h j k l m n p ph pl pr qu r s sc sh sl sp st str"
_ONSETS_MORE = "t th tr v w wh"
_NUCLEI = "a a e e i i o o u ai au ea ee ie oa oo ou"
_CODAS = "b ck ct d ft g l ld ll m mp n nd ng nt p r rd rk rm rn rt s ss st t th v x"
_ENDINGS = ("", "", "", "s", "ed", "ing", "er", "or", "al", "ic", "ity", "ation", "ment", "ness")


def words() -> tuple[list[str], list[float]]:
    """Return the content words, commonest first, and their cumulative weights."""
    rng = random.Random(SEED)
    onsets = f"{_ONSETS} {_ONSETS_MORE}".split()
    nuclei, codas = _NUCLEI.split(), _CODAS.split()
    made = list(dict.fromkeys(COMMON_WORDS))
    seen = {*made, *FUNCTION_WORDS}
    while len(made) < VOCABULARY:
        syllables = rng.choices((1, 2, 3), (2, 6, 3))[0]
        stem = "".join(rng.choice(onsets) + rng.choice(nuclei) for _ in range(syllables))
        word = stem + rng.choice(codas) + rng.choice(_ENDINGS)
        if word not in seen:
            seen.add(word)
            made.append(word)
    return made, list(accumulate(1 / (rank + FLATTENED) for rank in range(1, VOCABULARY + 1)))


_WORDS, _WEIGHTS = words()
_FUNCTION = list(FUNCTION_WORDS)
_FUNCTION_WEIGHTS = list(accumulate(FUNCTION_WORDS.values()))


def _sentence(rng: random.Random) -> list[str]:
    length = rng.randint(8, 25)
    content = rng.choices(_WORDS, cum_weights=_WEIGHTS, k=length)
    function = rng.choices(_FUNCTION, cum_weights=_FUNCTION_WEIGHTS, k=length)
    return [
        f if rng.random() < FUNCTION_SHARE else c for c, f in zip(content, function, strict=True)
    ]


def _near(rng: random.Random, text: str) -> str:
    """Return the text with one word changed."""
    parts = text.split(" ")
    parts[rng.randrange(len(parts))] = rng.choices(_WORDS, cum_weights=_WEIGHTS)[0]
    return " ".join(parts)


def block(number: int) -> list[str]:
    """Return the facts number * BLOCK to number * BLOCK + BLOCK - 1."""
    rng = random.Random(SEED * 1_000_003 + number)
    made: list[str] = []
    for place in range(BLOCK):
        if place > 10 and rng.random() < NEAR_DUPLICATES:
            made.append(_near(rng, rng.choice(made)))
        else:
            made.append(" ".join(_sentence(rng)).capitalize() + ".")
    return made


def facts(n: int) -> Iterator[str]:
    """Yield the n facts of the corpus."""
    return islice(chain.from_iterable(map(block, count())), n)


def fresh(n: int) -> list[str]:
    """Return facts that no corpus holds: what is remembered while the clock runs."""
    return list(islice(chain.from_iterable(map(block, count(FRESH))), n))


def queries(n: int = 10, first: int = BLOCK) -> list[tuple[str, str]]:
    """Return queries of 3-6 words, and the fact that each is taken from: one of the first 1000.

    One of the words is a function word, as people type. A smaller `first` is for smaller stores.
    """
    rng = random.Random(SEED + 1)
    pool, found = block(0)[:first], []
    while len(found) < n:
        text = rng.choice(pool)
        parts = text.rstrip(".").lower().split(" ")
        function = [i for i, part in enumerate(parts) if part in FUNCTION_WORDS]
        content = [i for i, part in enumerate(parts) if part not in FUNCTION_WORDS]
        wanted = rng.randint(2, 5)
        if function and len(content) >= wanted:
            picked = sorted([rng.choice(function), *rng.sample(content, wanted)])
            found.append((" ".join(parts[i] for i in picked), text))
    return found


def common_queries(n: int = 5) -> list[str]:
    """Return queries of nine of the forty commonest content words."""
    rng = random.Random(SEED + 2)
    return [" ".join(rng.sample(_WORDS[:40], 9)) for _ in range(n)]


def fifty_common(n: int = 2) -> list[str]:
    """Return queries of fifty of the hundred commonest content words."""
    rng = random.Random(SEED + 3)
    return [" ".join(rng.sample(_WORDS[:100], 50)) for _ in range(n)]


def pasted(n: int = 2) -> list[str]:
    """Return texts of 200 words, as one pastes them."""
    return [" ".join(_words_of(SEED + 4 + number, 200)) for number in range(n)]


def unmatched() -> list[str]:
    """Return queries of which no fact holds a word."""
    return ["xyzzyq plughh frobnitz", "qwxzv zzkkyy"]


def long_texts(n: int = 3287, length: int = 1000) -> Iterator[str]:
    """Yield texts of so many words."""
    for number in range(n):
        yield " ".join(_words_of(SEED * 7 + number, length))[:8000]


def chinese(n: int = 1000) -> Iterator[str]:
    """Yield paragraphs of 300 to 700 characters without spaces, of made-up words of 1-3 of them."""
    rng = random.Random(SEED + 8)
    signs = [chr(0x4E00 + place) for place in rng.sample(range(6000), 3000)]
    made = ["".join(rng.choices(signs, k=rng.choice((1, 2, 2, 2, 3)))) for _ in range(20_000)]
    weights = list(accumulate(1 / (rank + FLATTENED) for rank in range(len(made))))
    for _ in range(n):
        length, text = rng.randint(300, 700), ""
        while len(text) < length:
            text += "".join(rng.choices(made, cum_weights=weights, k=rng.randint(5, 12))) + "，"
        yield text[:length]


def _words_of(seed: int, length: int) -> list[str]:
    rng = random.Random(seed)
    made: list[str] = []
    while len(made) < length:
        made += _sentence(rng)
    return made[:length]


def write_jsonl(path: str, n: int) -> None:
    """Write the n-fact corpus as JSON lines."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f'{{"content": {json.dumps(text)}}}\n' for text in facts(n))


def main() -> None:
    """Print the corpus or the queries as JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("n", nargs="?", type=int, default=1000)
    parser.add_argument("--queries", action="store_true")
    args = parser.parse_args()
    if args.queries:
        rows = [{"query": query, "fact": fact} for query, fact in queries()]
        rows += [{"query": query} for query in common_queries()]
        sys.stdout.writelines(json.dumps(row) + "\n" for row in rows)
    else:
        sys.stdout.writelines(json.dumps({"content": text}) + "\n" for text in facts(args.n))


if __name__ == "__main__":
    main()
