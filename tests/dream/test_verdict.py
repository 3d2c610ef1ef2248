"""What a model can and cannot bring about."""

from __future__ import annotations

from tests.support import NOW, fact
from tideline_cli.dream.consolidate import UNSAID, ArchiveRequest, Verdict, judge
from tideline_cli.model.record import replace
from tideline_cli.model.text import terms

MANY = [fact(text, f"F{n}", now=NOW - n) for n, text in enumerate((
    "the user is on macOS now", "the user is on Windows", "tea at four", "deploys on Friday",
    "the dog is called Rex", "Atlas is written in Rust", "the office is in Lisbon", "likes trains",
))]  # fmt: skip


def verdict(listed, *wishes, max_loss=0.5, cosine=lambda a, b: 0.0, rule="strict"):
    held = {f.id: frozenset(terms(f.content, analyzer="standard")) for f in listed}
    given = [wish if isinstance(wish, ArchiveRequest) else ArchiveRequest(wish) for wish in wishes]
    return judge(
        listed, given, held, cosine, active=len(listed), max_loss=max_loss, now=NOW, rule=rule
    )  # fmt: skip


def outcome(found):
    return [(r.loser.id, r.survivor.id if r.survivor else None, r.reason) for r in found.granted]


def test_a_named_fact_goes_with_its_reason():
    """The reply may say why, and which fact makes it needless."""
    found = verdict(MANY, ArchiveRequest("F1", "F0", "moved to macOS"), "F2", "NOBODY")
    assert outcome(found) == [("F1", "F0", "moved to macOS"), ("F2", None, UNSAID)]
    assert [r.after for r in found.granted] == [None, None]


def test_never_all_and_never_too_many():
    """All facts are refused; so is more than the limit of loss."""
    ids = [f.id for f in MANY]
    assert verdict(MANY, *ids, max_loss=1.0) == Verdict((), (), "the model named every fact")
    found = verdict(MANY, *ids[:5])
    assert (found.granted, found.refused) == (
        (), "5 of 8 facts are more than max-loss allows"
    )  # fmt: skip
    assert len(verdict(MANY, *ids[:4]).granted) == 4


def test_pinned_and_confirmed_facts_stay():
    """What the owner pinned or a dream confirmed does not go."""
    listed = [fact("tea with milk", "PIN", pinned=True),
              fact("tea at five", "SURE", status="confirmed"), *MANY]  # fmt: skip
    found = verdict(listed, "PIN", "SURE")
    assert (found.granted, found.denied) == (
        (), (("PIN", "it is pinned"), ("SURE", "it is confirmed"))
    )  # fmt: skip


def test_of_twins_the_richer_stays():
    """Whichever of two twins the model names, the poorer goes, and what it knew is kept."""
    rich = fact(
        "The user is on Windows today.", "RICH", slot="system", segment="project", confidence=0.6
    )
    poor = fact("The user is on Windows today.", "POOR", confidence=0.7)
    listed = [rich, poor, *MANY[2:]]
    for named in ("RICH", "POOR"):
        found = verdict(listed, named)
        assert outcome(found) == [("POOR", "RICH", UNSAID)]
        assert found.granted[0].after.confidence == 0.7
    unsaid = verdict([replace(rich, confidence=None), *listed[1:]], "POOR")
    assert unsaid.granted[0].after.confidence is None  # an unstated one is full


def test_a_keyed_fact_knows_its_paraphrase():
    """By the reference's rule likeness of meaning makes a twin with a slot, and none without; by
    the strict rule it never does."""
    keyed = fact("The user has a peanut allergy", "KEYED", slot="allergy")
    other = fact("Peanuts are dangerous for them", "OTHER")
    found = verdict([keyed, other, *MANY], "KEYED", cosine=lambda a, b: 0.5, rule="reference")
    assert outcome(found) == [("OTHER", "KEYED", UNSAID)]
    found = verdict([keyed, other, *MANY], "KEYED", cosine=lambda a, b: 0.5)
    assert outcome(found) == [("KEYED", None, UNSAID)]
    found = verdict([fact("x y", "A"), fact("y z", "B"), *MANY], "A", cosine=lambda a, b: 0.9,
                    rule="reference")  # fmt: skip
    assert outcome(found) == [("A", None, UNSAID)]


def test_untrusted_facts_displace_no_trusted_one():
    """A trusted fact goes only for a trusted one that is known: no text argues it away."""
    liar = fact("the user is on Linux since today", "LIAR", source="retrieved_document")
    listed = [*MANY, liar]
    assert verdict(listed, ArchiveRequest("F0", "LIAR", "newer")).denied == (
        ("F0", "retrieved_document may not replace a trusted fact"),
    )
    assert verdict(listed, "F0").denied == (
        ("F0", "untrusted facts stand beside it, and no trusted one in its place"),
    )
    assert outcome(verdict(listed, ArchiveRequest("F1", "F0"))) == [("F1", "F0", UNSAID)]
    assert outcome(verdict(listed, ArchiveRequest("LIAR"))) == [("LIAR", None, UNSAID)]


def test_a_rich_untrusted_twin_does_not_win():
    """Richness does not turn an untrusted twin into the survivor."""
    mine = fact("the user is on Windows today", "MINE")
    theirs = fact("today the user is on Windows", "THEIRS", source="extraction", slot="system",
                  importance=1.0)  # fmt: skip
    for named in ("MINE", "THEIRS"):
        found = verdict([mine, theirs, *MANY[2:]], named)
        assert [r.loser.id for r in found.granted] in ([], ["THEIRS"])


def test_what_stands_in_for_another_stays():
    """A fact named as replacement that is itself to go replaces nothing."""
    found = verdict(MANY, ArchiveRequest("F1", "F0"), ArchiveRequest("F0", "F1"))
    assert outcome(found) == [("F0", "F1", UNSAID)]
    assert found.denied == (("F1", "what should stand in its place is to go as well"),)
    chain = verdict(MANY, ArchiveRequest("F1", "F2"), ArchiveRequest("F2", "F3"))
    assert outcome(chain) == [("F1", "F3", UNSAID), ("F2", "F3", UNSAID)]


def test_a_stated_reason_stays_with_its_fact():
    """When the model says what replaces a fact, likeness to a poorer fact turns nothing round."""
    bern = fact("The user lives in Bern", "BERN", slot="home")
    basel = fact("The user lives in Basel since May", "BASEL")
    request = ArchiveRequest("BERN", "BASEL", "moved")
    found = verdict([bern, basel, *MANY], request, cosine=lambda a, b: 0.9)
    assert outcome(found) == [("BERN", "BASEL", "moved")]
    assert found.granted[0].after is None


def test_ids_are_recognised_however_they_are_written():
    """Brackets and another case are forgiven; what is no id at all is counted."""
    found = verdict(MANY, ArchiveRequest("[f1]", "`F0`"), ArchiveRequest("nobody"))
    assert (outcome(found), found.unknown) == ([("F1", "F0", UNSAID)], 1)


def test_two_slots_are_two_things():
    """Facts in different slots are no twins, however alike."""
    one = fact("the user is on Windows today", "ONE", slot="laptop", confidence=0.9)
    other = fact("today the user is on Windows", "OTHER", slot="desktop")
    assert outcome(verdict([one, other, *MANY[2:]], "ONE")) == [("ONE", None, UNSAID)]
