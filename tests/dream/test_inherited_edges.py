"""What a fact inherits in a dream, as doctor reads it."""

from __future__ import annotations

import json

from tests import support

TEXT = "The staging database runs on PostgreSQL"


def test_an_inherited_edge_is_no_merge(run, tmp_path):
    """A fact that a dream keeps gets the edges of its twin. One of them may lead to a fact that was
    archived earlier, for another reason: doctor does not take that one for merged away."""
    later = support.NOW + support.DAY
    rows = [
        {"id": "01A00000000000000000000000", "content": "Nobody runs a staging database",
         "lifecycle": "archived", "valid_to": "2025-09-02T00:00:00Z"},
        {"id": "01B00000000000000000000000", "content": TEXT, "importance": 0.9},
        {"id": "01C00000000000000000000000", "content": f"{TEXT}.",
         "links": [{"kind": "contradicts", "target": "01A00000000000000000000000"}]},
    ]  # fmt: skip
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row | {"created_at": "2025-09-01T00:00:00Z"}) + "\n"
                            for row in rows))  # fmt: skip
    assert run("import", str(file), "--trust").err == ""
    done = json.loads(run("dream", "--json", "--now", str(later), "--max-loss", "1").out)
    merged = done["origins"][0]["consolidated"]
    assert [one["merged"] for one in merged] == ["01C00000000000000000000000"]
    kept = json.loads(run("show", "01B00000000000000000000000", "--json").out)
    assert "01A00000000000000000000000" in json.dumps(kept["links"])
    found = json.loads(run("doctor", "--deep", "--json").out)["findings"]
    assert [one["check"] for one in found if one["check"] == "merges"] == []


def test_an_inherited_edge_is_no_merge_of_what_fades(run, tmp_path):
    """The edge that a fact inherits may lead to one that fades in the same dream. That one was not
    merged into anything, and doctor does not look for its text there."""
    later = support.NOW + 4 * 365 * support.DAY
    rows = [
        {"id": "01A00000000000000000000000", "content": "Nobody runs a staging database",
         "importance": 0.1, "agent": "codex"},
        {"id": "01B00000000000000000000000", "content": TEXT, "importance": 0.9, "pinned": True},
        {"id": "01C00000000000000000000000", "content": f"{TEXT}.",
         "links": [{"kind": "contradicts", "target": "01A00000000000000000000000"}]},
    ]  # fmt: skip
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row | {"created_at": "2025-09-01T00:00:00Z"}) + "\n"
                            for row in rows))  # fmt: skip
    assert run("import", str(file), "--trust").err == ""
    done = json.loads(run("dream", "--json", "--now", str(later), "--max-loss", "1").out)
    assert [one["merged"] for one in done["origins"][0]["consolidated"]] == [rows[2]["id"]]
    told = {row["id"]: row for row in map(json.loads, run("export").out.splitlines())}
    assert {one: told[one]["archived_reason"] for one in (rows[0]["id"], rows[2]["id"])} == {
        rows[0]["id"]: "faded", rows[2]["id"]: "merged",
    }  # fmt: skip
    found = json.loads(run("doctor", "--deep", "--json").out)["findings"]
    assert [one["check"] for one in found if one["check"] == "merges"] == []
