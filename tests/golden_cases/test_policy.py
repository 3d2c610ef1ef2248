"""Write-gate, richness, strength, origins, defaults."""

from __future__ import annotations

import pytest

from tests.support import (
    NOW,
    deviation,
    fact,
    fresh_store,
    golden,
    reference_fact,
    reference_origin,
)
from tideline_cli.errors import UsageError, WriteBlockedError
from tideline_cli.memory.remember import remember, remember_in_batch
from tideline_cli.model.fact import SEGMENTS, NewFact, clamped
from tideline_cli.model.origin import OWNER, parse_origin
from tideline_cli.model.record import replace
from tideline_cli.model.source import SOURCES, UNTRUSTED, parse_source
from tideline_cli.policy import gate
from tideline_cli.policy.survivor import richness
from tideline_cli.ranking import decay
from tideline_cli.store import journal, writes

GATE = golden("write_gate")
BOGUS = "bogus_source"
REASONS = {"rule1_segment": "rule 1", "rule2_supersede": "rule 2"}


def known_gate_rows():
    return [row for row in GATE["items"] if row["source"] != BOGUS]


def source_of(form, key="sourceType"):
    return form.get(key) or "owner_message"


def test_who_is_untrusted_and_what_is_protected():
    """The untrusted sources and the protected segments of the reference are so here too, and no
    others of its own."""
    theirs = {row["source"] for row in known_gate_rows()} - {None}
    assert set(UNTRUSTED) & theirs == set(GATE["untrusted"])
    known = {row["segment"] for row in GATE["items"]}
    protected = {name for name, s in SEGMENTS.items() if s.protected}
    assert protected & known == set(GATE["protected"])


def test_an_unknown_source_is_refused():
    """A source that the reference would trust because nobody knows it is a usage error."""
    assert deviation("unknown_source")
    assert {row["allow"] for row in GATE["items"] if row["source"] == BOGUS} == {True}
    with pytest.raises(UsageError):
        parse_source(BOGUS)
    assert {row["source"] for row in known_gate_rows()} - {None} <= set(SOURCES)


def test_gate():
    """The gate allows and refuses all rows of the reference, by the same rule."""
    assert len(GATE["items"]) == 490
    for row in known_gate_rows():
        source = source_of(row, "source")
        targets = [source_of(target) for target in row["targets"]]
        if row["allow"]:
            gate.check(row["segment"], source, targets)
        else:
            with pytest.raises(WriteBlockedError) as caught:
                gate.check(row["segment"], source, targets)
            assert caught.value.reason.startswith(REASONS[row["reason"]]), row
            assert (caught.value.code, caught.value.exit_code) == ("write_gate_blocked", 4)
        assert gate.confined(row["segment"], source) == row["confined_to"], row


class _TakeBackError(Exception):
    pass


def test_gate_through_a_store():
    """A write that names its targets passes or is refused as the reference's table says."""
    with fresh_store() as db, journal.batch(db, verb="remember", by=OWNER, now=NOW) as batch:
        for row in known_gate_rows():
            outcome = _outcome(db, batch, row)
            assert outcome == (row["allow"], [t["memoryId"] for t in row["targets"]]), row


def _outcome(db, batch, row):
    """Return whether the row's write passes, and which targets it archives (else would have)."""
    named = [target["memoryId"] for target in row["targets"]]
    new = NewFact(
        "an entirely new text", row["segment"], source_of(row, "source"), OWNER,
        supersedes=tuple(named),
    )  # fmt: skip
    try:
        with db:
            for target in row["targets"]:
                one = fact("what was there", target["memoryId"], source=source_of(target))
                put_open(db, one)
            try:
                done = remember_in_batch(db, new, batch=batch, fact_id="NEW", now=NOW, screen=None)
            except WriteBlockedError:
                outcome = False, named
            else:
                outcome = True, list(done.superseded)
            raise _TakeBackError
    except _TakeBackError:
        return outcome


def put_open(db, one):
    """Store a fact inside the transaction that is open."""
    from tideline_cli.model.text import index_terms

    listed = index_terms(one.content, analyzer="standard")
    assert writes.insert(db, one, origin_number=1, terms=listed)


def test_richness():
    """Of every pair the richer is the reference's, and the survivor too."""
    case = golden("richness")
    records = {form["memoryId"]: reference_fact(form) for form in case["records"]}
    for item in case["items"]:
        a, b = records[item["a"]], records[item["b"]]
        mine, theirs = richness(a)[:-1], richness(b)[:-1]  # the last part, age, only breaks ties
        assert (mine > theirs) - (mine < theirs) == item["cmp"], item
        assert max(a, b, key=richness).id == item["survivor"], item


def test_strength():
    """The strength is that of the reference over its whole grid."""
    case = golden("effective_score")
    assert (case["base_half_life_days"], case["beta"]) == (decay.HALF_LIFE_DAYS, decay.RATE)
    for item in case["items"]:
        value = decay.strength(
            item["importance"], item["decayRate"], item["accessCount"],
            item["days_since_access"], immune=decay.is_immune(item["tier"], False),
        )  # fmt: skip
        assert value == pytest.approx(item["effective"], abs=1e-12), item


def test_origins():
    """Two origins are the same exactly where the reference says so, and their keys read back."""
    case = golden("origins")
    origins = [reference_origin(item["origin"]) for item in case["origins"]]
    for pair in case["same"]:
        assert (origins[pair["a"]] == origins[pair["b"]]) == pair["same"], pair
    buckets = {(item["bucket"], o.key) for item, o in zip(case["origins"], origins, strict=True)}
    assert len(buckets) == len({b for b, _ in buckets}) == len({key for _, key in buckets})
    assert [parse_origin(origin.key) for origin in origins] == origins


@pytest.mark.parametrize("item", golden("auto_recall")["resolve_origin"])
def test_auto_recall_without_an_origin_is_unknown(item):
    """Whoever can be identified has an origin that reads back; nobody else is made one up for."""
    if item["origin"] is not None:
        origin = reference_origin(item["origin"])
        assert parse_origin(origin.key) == origin


def test_segment_defaults():
    """Tier, importance and decay rate of a segment are those of the reference."""
    wanted = golden("misc")["segment_defaults"]
    found = {
        name: {"tier": s.tier, "importance": s.importance, "decayRate": s.decay_rate}
        for name, s in SEGMENTS.items()
    }
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize("item", golden("misc")["clamp_importance"])
def test_importance(run, item):
    """Importance is clamped to 0..1; what is not finite gives the default."""
    if item["v"] == "x":
        assert deviation("importance_text")
        assert run("remember", "something", "--importance", "x").code == 2
        return
    value = None if item["v"] == "null" else float(item["v"])
    assert clamped(value, item["fallback"]) == item["out"]


def test_no_untrusted_fact_buries_what_a_trusted_source_says():
    """No untrusted copy swallows the owner's statement, be it doubted, ending, unimportant or
    plain."""
    assert deviation("buried")
    said = NewFact("the deploy key lives in the vault", "knowledge", "owner_message", OWNER)
    traps = ({"confidence": 0.01}, {"valid_to": NOW + 5}, {"importance": 0.0}, {})
    for trap in traps:
        with fresh_store() as db:
            planted = replace(said, source="tool_output", **trap)
            remember(db, planted, fact_id="TRAP", now=NOW)
            done = remember(db, said, fact_id="MINE", now=NOW + 1)
            assert (done.fact.id, done.fact.source) == ("MINE", "owner_message")
