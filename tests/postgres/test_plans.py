"""Behind the wall too, a recall looks its facts up: it reads no table from end to end."""

from __future__ import annotations

import json
import random

from tests.postgres.people import as_role, new_role, own, psql, rows_of
from tests.postgres.test_same import WORDS
from tideline_cli.store.postgres import driver, opening

FACTS = 3_000
OF_MEMBER = 300
LARGE = ("fact", "posting", "posting_block")
"""Tables that grow with the facts; the planner reads one of a few pages as a whole, and may."""
QUESTIONS = (
    ("recall", "deploy friday lamp"),
    ("recall", "which port is the backup on"),
    ("recall", "number 17", "--mode", "keyword"),
    ("context", "deploy lamp"),
    ("remember", "a lamp that nobody had"),
)


def filled(run, address, server, monkeypatch, tmp_path):
    """A memory of which a member has a tenth, and the member's address."""
    place, role = address(), new_role(server)
    monkeypatch.setenv("TIDELINE_DB", place)
    assert run("remember", "the first").code == 0
    assert run("member", "add", role, own(role)).code == 0
    chance = random.Random(3)
    loads = ((), FACTS, place), ((own(role),), OF_MEMBER, as_role(place, role))
    for whose, count, where in loads:
        lines = [
            json.dumps({"content": " ".join(chance.choices(WORDS, k=6)) + f" number {number}"})
            for number in range(count)
        ]
        (tmp_path / "rows.jsonl").write_text("\n".join(lines))
        monkeypatch.setenv("TIDELINE_DB", where)
        assert run(*whose, "import", "rows.jsonl").code == 0
    # What waits to be folded is large too.
    psql(place, "INSERT INTO posting SELECT * FROM indexed_term WHERE length(term) % 2 = 0",
         "DELETE FROM posting_block WHERE length(term) % 2 = 0", "ANALYZE")  # fmt: skip
    return place, role


def test_no_table_is_read_from_end_to_end(run, address, server, monkeypatch, tmp_path):
    """As the server counts it, and as it plans each statement that a member's verbs send."""
    place, role = filled(run, address, server, monkeypatch, tmp_path)
    sent = []
    send = driver.Wire.send

    def noted(self, sql, types, values):
        sent.append((sql, types, values))
        return send(self, sql, types, values)

    run(own(role), *QUESTIONS[0])  # which makes what is made late
    before = scans(place)
    with monkeypatch.context() as patch:
        patch.setattr(driver.Wire, "send", noted)
        for argv in QUESTIONS:
            assert run(own(role), *argv).code == 0, argv
    assert scans(place) == before
    asked = [one for one in sent if one[0].lstrip().startswith((b"SELECT", b"WITH"))]
    asked = [one for one in asked if b"pg_advisory" not in one[0] and b"nextval" not in one[0]]
    assert len(asked) > 20
    db = opening.connected(as_role(place, role))
    db.execute("BEGIN")
    whole = 0
    for sql, types, values in asked:
        if b"set_config" in sql:  # a list that later statements read
            cursor = db.execute("SELECT 1")
            db._waiting.append(((sql, types, values), cursor))
            cursor.fetchall()
        cursor = db.execute("SELECT 1")
        cursor.fetchall()
        db._waiting.append(((b"EXPLAIN " + sql, types, values), cursor))
        plan = [line for (line,) in cursor.fetchall()]
        whole += any("member" in line for line in plan)
        for line in plan:
            assert not any(f"Seq Scan on {name}" in line for name in LARGE), (sql, plan)
    assert whole, "the plans are those of a member"
    db.close()
    assert rows_of(as_role(place, role), "(SELECT count(*) FROM fact)") == [f"({OF_MEMBER + 1})"]


def scans(place):
    """How often each large table was read from end to end."""
    psql(place, "SELECT pg_stat_force_next_flush()")
    names = ", ".join(f"'{name}'" for name in LARGE)
    schema = place.partition("&schema=")[2]
    return psql(
        place,
        "SELECT relname, seq_scan FROM pg_stat_user_tables"
        f" WHERE schemaname = '{schema}' AND relname IN ({names}) ORDER BY 1",
    )
