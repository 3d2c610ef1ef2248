"""Consolidation against the reference's prompts, results and final stores."""

from __future__ import annotations

import json

import pytest

from tests.golden_cases.test_dream import compare, stored
from tests.support import NOW, deviation, fresh_store, golden, numbered
from tideline_cli.dream import consolidate
from tideline_cli.errors import UnavailableError
from tideline_cli.llm.model_settings import Model
from tideline_cli.model.origin import parse_origin
from tideline_cli.store import stats
from tideline_cli.store.connection import put_setting

DATA = golden("consolidation")
MODEL = Model(command="nobody")


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["name"])
def test_consolidation(case, monkeypatch):
    """Each origin's model sees the reference's lines; its wishes leave the reference's store."""
    said = iter(_replies(case))
    prompts = []

    def complete(model, prompt, *, system):
        prompts.append(prompt)
        answer = next(said)
        if answer is None:
            raise UnavailableError("nobody there")
        return answer

    monkeypatch.setattr(consolidate, "complete", complete)
    with fresh_store() as db:
        put_setting(db, "analyzer", "reference")
        stored(db, case["input"])
        done = []
        for key, _ in stats.origins(db):
            viewer = parse_origin(key)
            bucket = consolidate.gather(db, viewer=viewer)
            if bucket.active < DATA["min_facts"]:
                done.append(consolidate.Judged(bucket))
                continue
            done.append(consolidate.consolidate(
                db, bucket, MODEL, viewer=viewer, now=NOW, max_loss=1.0, dry_run=False
            ))  # fmt: skip
        assert deviation("prompt_wording")
        assert prompts == [*map(numbered, case["prompts"])]
        assert case["result"] == {
            "ran": any(one.ran for one in done),
            "archived": sum(len(one.verdict.granted) for one in done),
            "considered": sum(one.bucket.active for one in done),
        }
        assert deviation("consolidation_links")
        ours = [form | {"links": _links(db, form)} for form in case["output"]]
        if case["name"] == "richness_ok":
            assert deviation("untrusted_twin")
            assert ours[0]["confidence"] == case["input"][1]["confidence"]
            ours[0] = {name: ours[0][name] for name in ours[0] if name != "confidence"}
        compare(db, ours)


def _replies(case):
    """Return what the model said, which the case tells by its events."""
    if case["name"] == "throws":
        return [None]
    if case["name"] == "garbage":
        return ["I could not find anything."]
    gone = [event["memoryId"] for event in case["events"]]
    buckets = [[line.split("]")[0][1:] for line in p.split("\n")] for p in case["prompts"]]
    return [json.dumps({"archive": [one for one in gone if one in ids]}) for ids in buckets]


def _links(db, form):
    """Return our edges of a survivor, which the reference does not store."""
    rows = db.execute(
        "SELECT link.kind, b.id FROM link JOIN fact AS a ON a.seq = from_fact "
        "JOIN fact AS b ON b.seq = to_fact WHERE a.id = ? ORDER BY link.number",
        (form["memoryId"],),
    )
    return [{"kind": kind, "target": target} for kind, target in rows]


def test_throttle():
    """A run is due when there was none, or when the interval has passed to the millisecond."""
    assert DATA["interval_ms"] == consolidate.INTERVAL_MS
    half_hour = consolidate.INTERVAL_MS
    found = [
        consolidate.is_due(None, now=NOW),
        consolidate.is_due(NOW, now=NOW + 999, interval=1000),
        consolidate.is_due(NOW, now=NOW + 1000, interval=1000),
        consolidate.is_due(NOW, now=NOW + half_hour - 1),
        consolidate.is_due(NOW, now=NOW + half_hour),
    ]
    assert found == DATA["throttle"]["eligible"]
