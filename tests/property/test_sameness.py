"""Two texts that are two statements both stay, by every way in; one said twice is one fact."""

from __future__ import annotations

import json
import shlex
from itertools import islice, permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support import NOW, fact, fresh_store, often, put
from tests.truth.pairs_of_texts import SAME, UNLIKE
from tideline_cli.dream.plan import Settings
from tideline_cli.dream.run import dream
from tideline_cli.errors import UsageError
from tideline_cli.exchange.extract.store_reply import store_reply
from tideline_cli.exchange.extract.types import ExtractContext, Proposal, Tally
from tideline_cli.exchange.importer.import_rows import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.memory import doctor
from tideline_cli.memory.remember import checked_text, remember
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import replace
from tideline_cli.policy.sameness import distilled_words, stated_text
from tideline_cli.store import facts

WORDS = (
    "Anna Boris Kafka port 8080 -5 1.5 5.1 is is-not not never the a an at in yesterday /user "
    "README.md aBc C++ C é e\u0301 ß 東京 不 deploys deploy! (x) \"q\" “q” ’ 👍 few a few . , ? -"
).split()
CHARS = st.sampled_from("abzAB019 .,!?-_/'\"“’éßß東不👍\n\t\u00a0\u200b$#")
SPOKEN = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


@st.composite
def pairs(draw):
    """A text, and one that differs from it by a little: a sign, a word, its order, its case."""
    text = draw(SPOKEN)
    change = draw(st.sampled_from(("put", "drop", "swap", "case", "word", "order", "lines")))
    place = draw(st.integers(0, len(text) - 1))
    if change == "put":
        other = text[:place] + draw(CHARS) + text[place:]
    elif change == "drop":
        other = text[:place] + text[place + 1 :]
    elif change == "swap":
        other = text[:place] + draw(CHARS) + text[place + 1 :]
    elif change == "case":
        other = text[:place] + text[place].swapcase() + text[place + 1 :]
    else:
        words = text.split()
        at = draw(st.integers(0, len(words) - 1))
        if change == "word":
            words[at] = draw(st.sampled_from(WORDS))
        elif change == "order":
            words.append(words.pop(at))
        other = ("\n" if change == "lines" else " ").join(words)
    return text, other


def is_kept(pair):
    """Say whether both can be stored, and are two statements."""
    try:
        one, other = map(checked_text, pair)
    except UsageError:
        return False
    return stated_text(one) != stated_text(other)


unlike = pairs().filter(is_kept)
DOORS = ("remember", "import", "merge", "extract")


def said_by(door, db, texts):
    """Let texts come in by a door, in the order given."""
    context = ImportContext(OWNER, NOW, True)
    if door in ("import", "merge"):
        rows = [(n, {"content": text}) for n, text in enumerate(texts, 1)]
        import_rows(db, rows, context, merge=door == "merge")
        return
    if door == "extract":
        ids = iter(f"E{n}" for n in range(len(texts)))
        how = ExtractContext("talk", OWNER, NOW, lambda: next(ids))
        proposals = [Proposal(text, "knowledge") for text in texts]
        for start in range(0, len(proposals), 50):
            store_reply(db, how, Tally(), proposals[start : start + 50], step=None)
        return
    for n, text in enumerate(texts):
        new = NewFact(text, "knowledge", "owner_message", OWNER)
        remember(db, new, fact_id=f"F{n}", now=NOW)


def active(db):
    return [row[0] for row in db.execute(
        "SELECT content FROM fact WHERE lifecycle = 'active' ORDER BY seq")]  # fmt: skip


@settings(max_examples=often(20, 60))
@given(unlike, st.sampled_from(DOORS))
def test_both_stay_through_ten_dreams(pair, door):
    """Whichever way they came, both are there after ten dreams, unless a model worded the two with
    the same words."""
    with fresh_store() as db:
        said_by(door, db, pair)
        for night in range(10):
            dream(db, Settings(max_loss=1.0), viewer=OWNER, now=NOW + night, dry_run=False)
        texts = [checked_text(text) for text in pair]
        if door == "extract" and distilled_words(texts[0]) == distilled_words(texts[1]):
            assert len(active(db)) >= 1
        else:
            assert sorted(active(db)) == sorted(texts)


@settings(max_examples=often(20, 60))
@given(SPOKEN, st.sampled_from(("remember", "merge", "extract")))
def test_said_twice_is_one_fact(text, door):
    """Whoever says the same sentence twice has one fact."""
    assume(any(char.isalnum() or char == "👍" for char in text))
    with fresh_store() as db:
        said_by(door, db, (text, text.replace(" ", "  ")))
        assert len(active(db)) == 1


@settings(max_examples=20)
@given(unlike)
def test_in_a_slot_the_later_one_holds(pair):
    """In a slot the second text replaces the first."""
    with fresh_store() as db:
        for n, text in enumerate(pair):
            new = NewFact(text, "knowledge", "owner_message", OWNER, slot="it")
            done = remember(db, new, fact_id=f"F{n}", now=NOW + n)
        assert (done.action, active(db)) == ("superseded", [checked_text(pair[1])])


def test_what_is_much_alike_is_named_and_linked(run):
    """It is stored, linked to what it is much like, and named with a call that can be pasted."""
    first = run("remember", "Anna owes Ben 50 euros", "--json").json
    second = run("remember", "Ben owes Anna 50 euros")
    assert second.code == 0
    assert second.err.count(first["id"]) == 2
    note = second.err.strip()
    assert note.startswith(f'tideline: much like {first["id"]} "Anna owes Ben 50 euros"; ')
    form = run("remember", "Owes Ben Anna 50 euros", "--json").json
    assert (form["action"], len(form["similar"])) == ("created", 2)
    links = run("show", form["id"], "--json").json["links"]
    assert {link["kind"] for link in links} == {"similar"}
    call = shlex.split(note.rpartition(": ")[2])
    assert call[0] == "tideline"
    assert run(*call[1:]).code == 0
    assert first["id"] not in {one["id"] for one in run("list", "--json").json["facts"]}


def test_at_most_five_are_named(run):
    """Of many that are much alike the nearest five are named and linked."""
    words = "sensor hall north reads degrees noon today there again".split()
    for n in range(8):
        run("remember", " ".join([*words[n:], *words[:n]]))
    done = run("remember", " ".join(words[::-1]), "--json")
    assert len(done.json["similar"]) == 5
    assert done.err == ""


@pytest.mark.file_alone("it names a file with --db")
def test_what_stands_beside_a_fact_is_few_lines(run, tmp_path):
    """What a fact is like and what it may contradict are a line each, with one command that names
    the memory once; nothing is named twice."""
    where = ("--db", str(tmp_path / "my notes.db"))
    ids = [
        run(*where, "remember", text, "--json").json["id"] for text in (
            "The weekly standup of the harbour team is at 9", "at 10 is the standup of the harbour "
            "team the weekly", "The standup weekly of the team harbour is at 10",
            "The weekly standup of the harbour team is at 11",
        )
    ]  # fmt: skip
    done = run(*where, "remember", "The weekly standup of the harbour team is at 10")
    doubts, like = done.err.splitlines()
    assert doubts.startswith("tideline: may contradict: The weekly standup")
    assert like.startswith(f"tideline: much like {ids[2]} ") and '"; if' in like
    named = [shlex.split(line.rpartition(": ")[2]) for line in (doubts, like)]
    assert [words[:4] for words in named] == [["tideline", *where, "forget"]] * 2
    assert [{*words[4:]} for words in named] == [{ids[0], ids[3]}, {ids[1], ids[2]}]


def test_a_batch_says_how_many(run):
    """Each line of a batch names what it is like, and one note counts them."""
    rows = "".join(json.dumps({"content": text}) + "\n" for text in (
        "Anna owes Ben 50 euros", "Ben owes Anna 50 euros", "Anna owes ben 50 euros",
    ))  # fmt: skip
    done = run("remember", "--batch", stdin=rows)
    forms = [json.loads(line) for line in done.out.splitlines()]
    assert [form["action"] for form in forms] == ["created", "created", "created"]
    assert [len(form["similar"]) for form in forms] == [0, 1, 2]
    assert "2 of them are much like other facts" in done.err


def test_an_import_says_how_many(run):
    """import --merge counts what it stored beside something much alike."""
    rows = "".join(json.dumps({"content": text}) + "\n" for text in (
        "ours: Anna owes Ben", "ours: Ben owes Anna", "ours: Anna owes  Ben.",
    ))  # fmt: skip
    done = run("import", "-", "--merge", "--json", stdin=rows)
    form = done.json
    assert (form["added"], form["reinforced"], form["similar"]) == (2, 1, 1)


def test_the_pairs_of_the_table_in_every_door():
    """All pairs of the table come in by each door and stay what they are through a night."""
    for door in DOORS:
        with fresh_store() as db:
            texts = [checked_text(text) for pair in UNLIKE for text in pair]
            if door == "extract":  # which refuses hidden signs
                texts = [text for text in texts if "\u200b" not in text]
            said_by(door, db, texts)
            held = set(active(db))
            for text in texts:
                assert text in held or stated_text(text) in {stated_text(one) for one in held}, text
            dream(db, Settings(max_loss=1.0), viewer=OWNER, now=NOW, dry_run=False)
            kept = set(active(db))
            lost = [text for text in held - kept
                    if stated_text(text) not in {stated_text(one) for one in kept}]  # fmt: skip
            if door != "extract":
                assert lost == []
            assert list(doctor.merges(db)) == []
    for door in ("remember", "merge", "extract"):
        with fresh_store() as db:
            said_by(door, db, [text for pair in SAME for text in pair])
            texts = [checked_text(text) for pair in SAME for text in pair]
            assert len(active(db)) == len({stated_text(text) for text in texts})


def test_the_reference_rule_is_a_setting(run):
    """With sameness = reference the plain share of terms decides, as in the reference."""
    assert run("config", "get", "sameness").out == "strict\n"
    assert run("config", "set", "sameness", "loose").code == 2
    run("config", "set", "sameness", "reference")
    assert run("config", "get", "sameness").out == "reference\n"
    run("remember", "Anna owes Ben 50 euros")
    assert run("remember", "Ben owes Anna 50 euros", "--json").json["action"] == "reinforced"
    run("config", "set", "sameness", "strict")
    assert run("remember", "Ben owes Anna 50 euros", "--json").json["action"] == "created"


def test_thousands_of_one_pattern():
    """Facts of one pattern with other figures are all kept; the newest of them are named."""
    with fresh_store() as db:
        put(db, [fact(f"sensor in hall {n} reads {n + 7} degrees at noon today there", f"S{n:05}")
                 for n in range(2000)])  # fmt: skip
        new = NewFact("sensor in hall 5 reads 12 degrees at noon today there", "knowledge",
                      "owner_message", OWNER)  # fmt: skip
        assert remember(db, new, fact_id="again", now=NOW).fact.id == "S00005"


def test_a_crowd_that_is_much_alike(monkeypatch):
    """Of a crowd that shares nearly all words a few are read and compared, and the fact that says
    the same is found; a text in other words costs no more."""
    read = []
    told = facts.with_terms
    monkeypatch.setattr(
        facts, "with_terms", lambda db, seqs, **how: (read.extend(seqs), told(db, seqs, **how))[1]
    )
    head = "platform group weekly meeting: access to cluster, gateway, budget report, review of "
    names = ["".join(chr(97 + n // 26**k % 26) for k in range(3)) for n in range(1500)]
    with fresh_store() as db:
        put(db, [fact(head + name.title(), f"S{n:05}") for n, name in enumerate(names)])
        for text, known in ((head + names[700].title(), "S00700"),
                            (head.capitalize() + names[900].title() + ".", "S00900")):  # fmt: skip
            new = NewFact(text, "knowledge", "owner_message", OWNER)
            assert remember(db, new, fact_id="again", now=NOW).fact.id == known
        new = NewFact(head + "Zyxw", "knowledge", "owner_message", OWNER)
        assert remember(db, new, fact_id="new", now=NOW).action == "created"
    assert len(read) <= 3 * 16


def test_the_very_text_among_thousands_of_the_same_words():
    """Where thousands hold the same words in another order, what comes next still costs little."""
    words = "shelf hall library books garden cooking painting sailing".split()
    with fresh_store() as db:
        put(db, [fact(" ".join(order), f"S{n:05}")
                 for n, order in enumerate(islice(permutations(words), 3000))])  # fmt: skip
        new = NewFact(" ".join(words[::-1]), "knowledge", "owner_message", OWNER)
        done = remember(db, new, fact_id="new", now=NOW)
        assert (done.action, len(done.similar)) == ("created", 5)
        again = replace(new, content=new.content.capitalize() + ".")
        assert remember(db, again, fact_id="again", now=NOW).fact.id == "new"


def test_a_dream_merges_no_two_ends():
    """A fact that ends on a day is not the same as one that does not: one of the two would go."""
    with fresh_store() as db:
        put(db, [fact("Bob runs the archive", "A" * 26),
                 fact("Bob runs the archive", "B" * 26, valid_to=NOW + 10**9)])  # fmt: skip
        found = dream(db, Settings(max_loss=1.0), viewer=OWNER, now=NOW, dry_run=False)
        assert found.plan.merges == ()
