"""Dreams, curator rounds and decay sweeps against the reference's results and final stores."""

from __future__ import annotations

import pytest

from tests.support import (
    NOW,
    deviation,
    fact,
    fresh_store,
    golden,
    joined,
    put,
    reference_fact,
    reference_origin,
)
from tideline_cli.dream.plan import ALL_STAGES, STAGES, SWEEP, Settings
from tideline_cli.dream.run import dream
from tideline_cli.model.origin import EVERYONE, OWNER, parse_origin
from tideline_cli.store import facts, links, stats
from tideline_cli.store.connection import writing

DREAM = golden("dream")
SWEEPS = golden("decay_gc")
CURATOR = golden("curator")
STATED = (
    "id", "content", "segment", "tier", "importance", "decay_rate", "access_count",
    "last_accessed_at", "created_at", "lifecycle", "valid_to", "status", "confidence", "slot",
)  # fmt: skip


def stored(db, forms):
    """Put the reference's records into a store, with those of their links that lead somewhere."""
    put(db, [reference_fact(form) for form in forms])
    there = {form["memoryId"] for form in forms}
    with writing(db):
        for form in forms:
            for edge in form.get("links", ()):
                if edge["target"] in there:
                    link = links.Link(form["memoryId"], edge["kind"], edge["target"])
                    links.add(db, link)
                else:
                    assert deviation("dangling_links")


def compare(db, forms, *, valid_to=True):
    """Compare what the store holds with the reference's records."""
    there = {form["memoryId"] for form in forms}
    for form in forms:
        ours = facts.find(db, form["memoryId"], viewer=EVERYONE)
        theirs = reference_fact(form)
        names = [name for name in STATED if valid_to or name != "valid_to"]
        assert {name: getattr(ours, name) for name in names} == {
            name: getattr(theirs, name) for name in names
        }
        edges = [(e.kind, e.target) for e in links.leaving(db, ours.id, viewer=EVERYONE)]
        assert edges == [
            (e["kind"], e["target"]) for e in form.get("links", ()) if e["target"] in there
        ]


def settings_of(opts, **more):
    """Return our settings for the reference's options."""
    names = {
        "confirmCount": "confirm_count", "consolidateThreshold": "merge_at",
        "relatesThreshold": "relate_at", "evictBelowScore": "evict_below",
    }  # fmt: skip
    given = {names[name]: value for name, value in opts.items() if name in names}
    if "evictMinAgeDays" in opts:
        given["evict_after_ms"] = opts["evictMinAgeDays"] * 86_400_000
    assert set(opts) <= {*names, "evictMinAgeDays", "origin", "now"}
    return Settings(max_loss=1.0, evict_after_owner_ms=0, **given, **more)


def result_of(done):
    """Return a plan as the reference reports it."""
    plan = done.plan
    return {
        "reflected": plan.reflected,
        "confirmed": [item.before.id for item in plan.confirms],
        "consolidated": [{"kept": m.keeper.id, "merged": m.loser.id} for m in plan.merges],
        "evicted": [item.fact.id for item in plan.fades],
        "related": len(plan.relates),
    }


def test_defaults():
    """The thresholds are those of the reference."""
    ours, theirs = Settings(), DREAM["defaults"]
    assert (ours.confirm_count, ours.merge_at, ours.relate_at, ours.evict_below) == (
        theirs["confirmCount"], theirs["consolidateThreshold"], theirs["relatesThreshold"],
        theirs["evictBelowScore"],
    )  # fmt: skip
    assert ours.evict_after_ms == theirs["evictMinAgeDays"] * 86_400_000


@joined("case", DREAM["cases"])
def test_dream(case):
    """A dream proposes what the reference does, the store ends as it does there, and it
    comes to rest."""
    with fresh_store() as db:
        stored(db, case["input"])
        viewer = reference_origin(case["opts"].get("origin"))
        given = {"viewer": viewer, "now": case["now"]}
        settings = settings_of(case["opts"])
        planned = dream(db, settings, dry_run=True, **given)
        done = dream(db, settings, dry_run=False, **given)
        expected = case["result"] | {
            "confirmed": [item["memoryId"] for item in case["result"]["confirmed"]]
        }
        assert result_of(done) == expected
        assert planned.plan == done.plan
        compare(db, case["output"])
        dream(db, settings, dry_run=False, **given)  # a keeper may have inherited many uses
        at_rest = dream(db, settings, dry_run=False, **given)
        assert at_rest.plan.proposals == ()


@pytest.mark.parametrize("case", SWEEPS["cases"], ids=lambda case: case["name"])
def test_sweep(case):
    """The decay sweep archives, prunes and keeps what the reference does."""
    assert deviation("sweep_ends")
    with fresh_store() as db:
        stored(db, case["input"])
        done = dream(
            db, Settings(stages=(SWEEP,), max_loss=1.0, evict_after_owner_ms=0), viewer=OWNER,
            now=case["now"], dry_run=False, verb="gc",
        )  # fmt: skip
        swept = [item.becomes for item in done.plan.swept]
        assert case["result"] == {
            "archived": swept.count("archived"),
            "pruned": swept.count("pruned"),
            "kept": done.plan.reflected - len(swept),
        }
        compare(db, case["output"], valid_to=False)


@pytest.mark.parametrize("case", CURATOR["cases"], ids=lambda case: case["name"])
def test_curator(case):
    """A round over the origins dreams in each by itself."""
    with fresh_store() as db:
        stored(db, case["input"])
        explicit = case["opts"].get("origins")
        origins = [parse_origin(key) for key, active in stats.origins(db) if active]
        if explicit is not None:
            origins = [reference_origin(form) for form in explicit]
        done = [
            dream(db, settings_of(case["opts"]["dream"]), viewer=origin, now=NOW, dry_run=False)
            for origin in origins
        ]
        assert case["result"] == {
            "origins": len(done),
            "confirmed": sum(len(one.plan.confirms) for one in done),
            "consolidated": sum(len(one.plan.merges) for one in done),
            "evicted": sum(len(one.plan.fades) for one in done),
            "activeAfter": sum(active for _, active in stats.origins(db)),
        }
        compare(db, case["output"])


def test_facts_that_differ_in_a_number_stay():
    """Two ports, two dates, two addresses are two facts, however alike the rest is."""
    assert deviation("sameness")
    text = "The staging server of project Atlas behind the old proxy listens on port 80{}"
    email = "用户邮箱: dong_sheng_{}@mail.example.com"
    with fresh_store() as db:
        put(db, [fact(text.format(n), f"PORT{n}") for n in (80, 81)])
        put(db, [fact(email.format(c), f"MAIL{c}", kind="entity", tags=("email",))
                 for c in ("wei", "wie")])  # fmt: skip
        found = dream(db, Settings(max_loss=1.0), viewer=OWNER, now=NOW, dry_run=True).plan
        assert found.merges == ()
        assert {item.source.id for item in found.relates} == {
            "PORT80", "PORT81", "MAILwei", "MAILwie"
        }  # fmt: skip


def test_stages():
    """The sweep runs only when it is named."""
    assert (*STAGES, SWEEP) == ALL_STAGES
    assert Settings().stages == STAGES
