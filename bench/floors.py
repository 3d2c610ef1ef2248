"""From which cosine two texts are alike, by each embedder that is installed.

    python bench/floors.py [NAME ...]

Pairs of texts of our own: questions and the facts that answer them without sharing a word, facts
that say the same in other words, facts about one thing, and all of them with one another, which
have nothing to do with each other. A floor lies between: most of what is related above it, little
of what is not.
"""

from __future__ import annotations

import sys

import numpy as np

from tideline_cli.errors import UnavailableError
from tideline_cli.vector.embedder import resolve

# A question of few words, and a fact that answers it.
ASKED = (
    ("hound", "the dog sleeps in the kitchen"), ("automobile", "the car is parked in the garage"),
    ("physician", "the doctor has a free hour on Monday"), ("beverage", "she drinks tea at night"),
    ("infant", "the baby sleeps through the night"), ("residence", "they bought a house in town"),
    ("salary", "her wages go up in May"), ("spouse", "his wife works at the bank"),
    ("vacation", "we go on holiday in August"), ("attorney", "our lawyer has read the contract"),
    ("footwear", "new shoes for the wedding"), ("film", "we saw a good movie on Friday"),
    ("kitten", "the cat had four young ones"), ("meal", "dinner is at seven"),
    ("illness", "he was sick for a week"), ("ocean", "they sailed across the sea"),
    ("instructor", "the teacher praised her essay"), ("present", "she gave him a gift for Easter"),
    ("aircraft", "the plane to Oslo was late"), ("cash", "he keeps money in a jar"),
    ("bicycle repair", "the mechanic fixed my bike"), ("pet food", "buy a bag for the cat"),
    ("learning to cook", "she takes a class about French cuisine"),
    ("broken laptop", "the computer does not start any more"),
    ("favourite music", "he likes to listen to jazz"), ("bad weather", "storms and rain all week"),
    ("kids' school", "the children start class at eight"),
    ("job interview", "she applied for a position at the museum"),
    ("garden plants", "we grow tomatoes and roses"), ("health check", "see the doctor once a year"),
)  # fmt: skip
# Facts about one thing, which say different things of it.
RELATED = (
    ("the server runs Debian 12", "the server is backed up every night"),
    ("Anna plays the violin", "Anna's violin is from Cremona"),
    ("the office opens at nine", "the office is closed on Sundays"),
    ("he is allergic to nuts", "he cannot eat cake with almonds"),
    ("the project is due in May", "the deadline of the project has moved"),
    ("we deploy on Tuesdays", "the last deployment broke the login page"),
    ("her dog is called Rex", "Rex has to see the vet"),
    ("the flat has three rooms", "the rent of the flat went up"),
    ("Tom is learning Spanish", "Tom's Spanish lessons are on Monday"),
    ("the database is PostgreSQL", "the database needs an index on dates"),
    ("she runs ten miles a week", "she wants to run a marathon"),
    ("the bakery sells rye bread", "the bakery on the corner has a new owner"),
)  # fmt: skip
# Facts that say the same in other words.
SAME = (
    ("I deploy on Fridays", "I always deploy on Fridays"),
    ("the user likes dark mode", "the user prefers dark mode"),
    ("my dog is called Rex", "my dog's name is Rex"),
    ("the meeting starts at ten", "the meeting begins at ten"),
    ("he lives in Berlin", "he is living in Berlin"),
    ("she bought a new car", "she purchased a new car"),
    ("the build takes five minutes", "the build needs five minutes"),
    ("our office is in Oslo", "our office is located in Oslo"),
    ("Anna is a doctor", "Anna works as a doctor"),
    ("the user is a vegetarian", "the user does not eat meat"),
    ("the password changes every month", "the password is changed monthly"),
    ("we use tabs, not spaces", "we indent with tabs and not with spaces"),
)  # fmt: skip


def measure(name: str) -> dict[str, np.ndarray]:
    """Return the cosines of each kind of pair by an embedder."""
    embedder = resolve(name)
    questions = embedder.embed([question for question, _ in ASKED])
    facts = embedder.embed([fact for _, fact in ASKED])
    across = questions @ facts.T
    away = ~np.eye(len(ASKED), dtype=bool)
    found = {"answered": np.diag(across), "unanswered": across[away]}
    stated = [fact for pair in RELATED + SAME for fact in pair]
    every = embedder.embed(stated)
    beside = every @ every.T
    place = np.arange(len(stated))
    own = np.equal.outer(place // 2, place // 2)
    pairs = beside[place[::2], place[1::2]]
    found["same"], found["related"] = pairs[len(RELATED) :], pairs[: len(RELATED)]
    found["unrelated"] = beside[~own]
    return found


def main() -> None:
    """Print the quantiles of each kind of pair, and what passes some floors."""
    names = sys.argv[1:] or ["hrr-256", "static", "minilm"]
    for name in names:
        try:
            found = measure(name)
        except UnavailableError as error:
            print(f"{name}: {error}")
            continue
        print(f"{name:<12}   n    5 %   25 %   50 %   75 %   95 %   99 %")
        for kind, values in found.items():
            cells = " ".join(f"{value:6.2f}" for value in
                             np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)))  # fmt: skip
            print(f"  {kind:<10} {len(values):>4} {cells}")
        for floor in (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4):
            kept, passed = (float((found[kind] >= floor).mean())
                            for kind in ("answered", "unanswered"))  # fmt: skip
            print(f"  floor {floor:.2f}: {kept:4.0%} answered, {passed:5.1%} unanswered")


if __name__ == "__main__":
    main()
