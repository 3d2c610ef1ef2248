"""A name, a code, a number or a rare word of a prompt is enough to bring its fact; an everyday word
never is, in a memory of three facts as in one of thousands."""

from __future__ import annotations

import random

import pytest

from tests.doors import payloads
from tests.support import NOW, fact, fresh_store, named_id, put
from tideline_cli.memory import silence
from tideline_cli.memory.query import Query
from tideline_cli.model.origin import OWNER
from tideline_cli.ranking.silence import is_everyday

THREE = (
    "The switches of the release are in flags.py",
    "The best man at my wedding was good old Otto",
    "The early train to Linz leaves at 5:48 from platform 3",
)
# To the three, and to any number of facts of everyday words.
QUIET = """
fix utils.py please
looks good to me
best way to sort a list
can you make it early?
good, carry on with the next one
is this the best you can do
train a small model on my data
we leave it as it is
please release the lock when done
that platform is too old
what a good idea
how early is too early for tulips
the wedding of my cousin was loud
the old man and the sea, who wrote it
one man one vote, explain the phrase
3 of 5 tests fail, why
sehr gut, weiter so
das ist die beste Lösung
c'est bon pour moi
está bien, sigue
很好,继续
perfect
""".strip().splitlines()
NAMED = """
should I use MySQL for the new service, or is there a reason to stay with what we have|MySQL
write to Quentin about the contract|Quentin
what was ERR-4071 again|ERR-4071
who answers at 48815?|48815
the zeppelin poster, where did I put it|zeppelin
does Oksana eat fish|Oksana
add a step to the Woodpecker pipeline|Woodpecker
is traefik still in front of everything|Traefik
rename resolve_ledger_row and its callers|resolve_ledger_row
set LEDGER_TTL to an hour|LEDGER_TTL
which visa do I need for Bhutan|Bhutan
my pollen allergy is back|pollen
read invoice_2291.pdf and sum it up|invoice_2291
muss ich für Graz ein Hotel buchen?|Graz
quand est-ce que Thibault arrive ?|Thibault
¿qué dijo Quispe de la factura?|Quispe
姫路に行く時は何を持つ|姫路
Redis 的过期时间是多少|Redis
Otto called|Otto
the gasket leaks again|gasket
""".strip().splitlines()
HELD = (
    *THREE,
    "MySQL was turned down because it locks tables for changes of the schema",
    "Quentin signs contracts on Mondays",
    "ERR-4071 means that the disk of the scanner is full",
    "The extension of the porter is 48815",
    "The zeppelin poster hangs in the cellar",
    "Oksana is a vegan",
    "The pipeline runs on Woodpecker",
    "Traefik stands before each service",
    "resolve_ledger_row may be called twice and must change nothing",
    "LEDGER_TTL is thirty minutes",
    "The visa for Bhutan costs 40 dollars",
    "I take cetirizine against pollen",
    "invoice_2291 was paid in May",
    "In Graz I stay with my sister",
    "Thibault comes on the ninth",
    "Quispe sends the bills of March late",
    "姫路では自転車を借りる",
    "Redis keeps sessions for half an hour",
    "The gasket of the boiler is a G12",
)
LOREM = (
    "The report of the team has a part about the plan for the year, and I want you to read it. "
    "Tell me what is missing there, which words are too long, and whether a list would be better. "
) * 9
CODE = "\n```py\nfor gasket in gaskets:\n    Redis(gasket).close()\n```\n"


def filler(count):
    """Return facts of ten everyday words each, always the same."""
    chance = random.Random(5)
    words = ("man train leave best good early list sort work team report plan part house water "
             "office table number old call idea week model data lock test switch sea cousin loud "
             "street letter music paper color school doctor phone market "
             "build").split()  # fmt: skip
    return [" ".join(chance.sample(words, 10)) for _ in range(count)]


@pytest.fixture(scope="module", params=(0, 4000), ids=("few", "thousands"))
def more(request):
    return filler(request.param)


def stored(db, texts):
    put(db, [fact(text, named_id(f"{n:05}"), now=NOW - n * 1000) for n, text in enumerate(texts)])


def heard(db, prompt):
    query = Query(silence.asked(prompt), limit=5)
    said, _ = silence.told(db, query, viewer=OWNER, now=NOW)
    return [hit.fact.content for hit in said.hits]


def test_everyday_words_bring_nothing(more):
    """No everyday word that a prompt shares with a fact brings it, in whatever form."""
    with fresh_store() as db:
        stored(db, (*THREE, *more))
        loud = {prompt: found for prompt in QUIET if (found := heard(db, prompt))}
        assert len(QUIET) == 22 and not loud


def test_a_name_brings_its_fact(more):
    """One name, code, number or rare word brings the fact that has it, in a long prompt and before
    code too, and no more than two others."""
    with fresh_store() as db:
        stored(db, (*HELD, *more))
        rows = [row.split("|") for row in NAMED]
        for shape in ("{}", LOREM + "{}\n" + LOREM, "{}" + CODE):
            for prompt, mark in rows:
                found = heard(db, shape.format(prompt))
                assert any(mark.lower() in text.lower() for text in found), (shape[:9], prompt)
                assert len(found) <= 3, (prompt, found)
    assert len(rows) == 20


def test_two_everyday_words_have_to_be_rare_together():
    """Two everyday words bring the one fact that has both; not one of many that have."""
    with fresh_store() as db:
        stored(db, (*THREE, "My shoe size is 43"))
        assert heard(db, "what is the size of my shoe?") == ["My shoe size is 43"]
        many = [f"Row {n} of the store has a shoe in a box of every size and color"
                for n in range(1000, 1040)]  # fmt: skip
        put(db, [fact(text, named_id(f"9{n:05}")) for n, text in enumerate(many)])
        assert heard(db, "what size of shoe would fit my cousin?") == []


def test_code_asks_nothing():
    """What stands in code, and a command to the client, asks nothing."""
    with fresh_store() as db:
        stored(db, HELD)
        assert heard(db, "tidy this up" + CODE) == []
        assert heard(db, "/Redis gasket") == heard(db, "!redis-cli Redis") == []


def test_hook_and_context_say_the_same(run, home):
    """A hook and `context --auto` cut a prompt alike and say the same facts."""
    for text in HELD:
        run("remember", text)
    prompts = (f"{LOREM} is MySQL fine? {LOREM}{CODE}", "Otto called", f"go on{CODE}")
    for n, prompt in enumerate(prompts):
        by_hook = run("hook", "codex", stdin=payloads.prompt("codex", prompt, session=f"s{n}")).out
        by_context = run("context", "--auto", stdin=prompt).out
        facts = [[line for line in out.replace("\\n", "\n").splitlines() if line.startswith("- [")]
                 for out in (by_hook, by_context)]  # fmt: skip
        assert facts[0] == facts[1] and len(facts[0]) == (0 if prompt.startswith("go") else 1)


def test_forms_are_everyday_and_names_are_not():
    """Each form of an everyday word is one; given names are none."""
    assert all(map(is_everyday, ("good", "test", "leav", "weiter", "très", "tengo", "время")))
    assert not any(map(is_everyday, ("otto", "mysql", "anna", "david", "kubernet", "4071")))


def test_likeness_that_counts_is_heard(run, home):
    """A prompt without a shared word hears by meaning what a learned embedder takes for alike
    (cosines of 0.42 to 0.47), by hook and by `context --auto`, and not what is less so (0.34)."""
    pytest.importorskip("wordllama")
    told = {"attorney fees": "our lawyer is expensive",
            "buy feed for my kitten": "the cat eats tuna"}  # fmt: skip
    for text in (*told.values(), "the doctor has a free hour on Monday"):
        run("remember", text)
    assert run("embedder", "use", "static").code == 0
    for prompt, text in told.items():
        assert text in run("context", "--auto", prompt).out
        call = payloads.prompt("codex", prompt, session=prompt[:3])
        assert text in run("hook", "codex", stdin=call).out
    assert run("context", "--auto", "a physician").out == ""
