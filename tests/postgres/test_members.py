"""Two people on one server: neither sees the other, by any verb or by psql."""

from __future__ import annotations

import json
import os
import random

import apsw
import pytest

from tests.postgres.people import as_role, new_role, own, psql, rows_of
from tests.postgres.test_same import rows as facts
from tests.postgres.test_same import step
from tests.support import DAY, NOW, often
from tideline_cli.store.postgres import opening

SECRET = "zzyzx"
"""A word that one of the two writes everywhere where a text can stand."""
WRITES = (
    ("remember", f"the {SECRET} lamp is of brass", "--slot", f"{SECRET}-slot", "--tag", SECRET),
    ("remember", f"the {SECRET} lamp is of glass", "--slot", f"{SECRET}-slot"),
    ("remember", f"a {SECRET} bridge spans the river", "--title", f"{SECRET} title"),
    ("remember", f"a {SECRET} bridge spans the river today", "--session", SECRET),
    ("remember", f"{SECRET} ends soon", "--valid-to", "2099-01-01", "--scope", f"{SECRET}/x"),
    ("remember", "--source", "tool_output", "--segment", "preference", f"{SECRET} blocked"),
    ("dream",),
    ("context", f"{SECRET} lamp"),
    ("recall", f"{SECRET} lamp"),
    ("gc",),
)


@pytest.fixture
def team(run, address, server, monkeypatch):
    """A memory of an owner, and two people in it: what runs a command as each of them."""
    place = address()
    roles = new_role(server), new_role(server)

    def call(who, *argv, **given):
        monkeypatch.setenv("TIDELINE_DB", place if who is None else as_role(place, who))
        return run(*argv, **given)

    assert call(None, "remember", f"the owner has a {SECRET} lamp of {SECRET}").code == 0
    for role in roles:
        done = call(None, "member", "add", role, own(role))
        assert done.code == 0 and role in done.out, done.err
    call.place, call.roles = place, roles
    return call


@pytest.fixture
def written(team, tmp_path):
    """The same, where one of the two has written in every way."""
    who = team.roles[1]
    for argv in WRITES:
        assert team(who, own(who), *argv).code in (0, 4), argv
    (tmp_path / "notes.md").write_text(f"# {SECRET}\n\nThe {SECRET} page.\n")
    assert team(who, own(who), "ingest", "notes.md").code == 0
    (tmp_path / "rows.jsonl").write_text(
        "\n".join(json.dumps({"content": f"{SECRET} row {number}"}) for number in range(9))
    )
    assert team(who, own(who), "import", "rows.jsonl").code == 0
    named = team(who, own(who), "list", "--json", "--limit", "3").json["facts"]
    team(who, own(who), "link", named[0]["id"], named[1]["id"], "--kind", "causes")
    team(who, own(who), "pin", named[2]["id"])
    team(who, own(who), "forget", named[1]["id"])
    team(who, own(who), "undo")
    return team


def verbs(known):
    """Command lines of all verbs that read or change a memory."""
    words = SECRET
    yield from (
        ("recall", words), ("recall", words, "--mode", "semantic"), ("recall", words, "--archived"),
        ("recall", words, "--as-of", "2026-01-01"), ("recall", "--tag", words, words),
        ("recall", words, "--session", words), ("context", words), ("context", "--auto", words),
        ("list", "--lifecycle", "all"), ("list", "--tag", words), ("slots",), ("tags",),
        ("slots", "--history"), ("status",), ("status", "--by", "tag"), ("history",),
        ("fading", "--within", "9999d"), ("contradictions",),
        ("timeline", "--slot", f"{words}-slot"),
        ("library",), ("library", "show", "notes.md"), ("graph",), ("export",),
        ("export", "--format", "markdown"), ("dream", "--dry-run"), ("gc", "--dry-run"),
        ("retention", "--days", "1", "--dry-run"), ("show", known), ("show", known[:10]),
        ("history", known), ("timeline", known), ("forget", known), ("restore", known),
        ("edit", known, "other words"), ("pin", known), ("unpin", known), ("feedback", known, "up"),
        ("purge", known, "--yes"), ("link", known, known, "--kind", "causes"), ("undo",), ("redo",),
        ("forget", "--query", f"the {words} lamp is of brass", "--yes"), ("dream",), ("gc",),
        ("library", "rm", "notes.md"), ("reembed",), ("member", "list"),
    )  # fmt: skip


def test_no_verb_tells_of_another(written):
    """Nothing that one of the two prints holds a word of the other, nor of the owner, with their
    own origin, with another's, and with the owner's; and nothing of the other's has changed."""
    me, other = written.roles
    known = written(other, own(other), "list", "--json", "--limit", "1").json["facts"][0]["id"]
    before = written(None, own(other), "export").out, written(None, "export").out
    assert before[0].count(SECRET) > 9
    ran = 0
    for argv in verbs(known):
        for whose in (own(me), own(other), "--origin=owner"):
            done = written(me, whose, *argv)
            assert done.code != 70, (argv, done.err)
            # What the command line itself said is no news.
            said = (done.out + done.err).replace(f"{SECRET}-slot", "").replace(f"'{SECRET}'", "")
            said = said.replace(f"the {SECRET} lamp is of brass", "")
            assert SECRET not in said, (whose, argv, said)
            ran += done.code in (0, 1)
    assert ran > 60
    assert (written(None, own(other), "export").out, written(None, "export").out) == before


def tables(place):
    """The tables and views of a memory, as the server lists them."""
    schema = place.partition("&schema=")[2]
    found = psql(
        place.partition("&schema=")[0],
        "SELECT table_name FROM information_schema.tables"
        f" WHERE table_schema = '{schema}' ORDER BY 1",
    ).split()
    assert len(found) > 25
    return found


def test_psql_shows_no_row_of_another(written):
    """In no table or view does a role see a row that it sees no less of while it is alone."""
    me, other = written.roles
    place = written.place
    assert written(me, own(me), "remember", "my own small lamp").code == 0
    shared = {"setting", "sqlite_schema"}
    theirs = 0
    for table in tables(place):
        mine = rows_of(as_role(place, me), table)
        everything = rows_of(place, table)
        assert set(mine) <= set(everything) or table == "fact_vocabulary", table
        assert not any(SECRET in row for row in mine), table
        if table not in shared:
            seen = rows_of(as_role(place, other), table)
            assert not set(mine) & set(seen), table
            theirs += bool(seen)
    assert theirs > 20, "the other has rows in most tables"
    psql(place, "ANALYZE")
    known = f"SELECT * FROM pg_stats WHERE schemaname = '{place.partition('&schema=')[2]}'"
    assert SECRET in psql(place, known), "the owner sees what the planner knows of values"
    assert SECRET not in psql(as_role(place, me), known)


def test_psql_changes_no_row_of_another(written):
    """Nor can a role change or delete one, or put one beside it."""
    place, mine = written.place, as_role(written.place, written.roles[0])
    names = [name for name in tables(place) if name not in ("sqlite_schema", "fact_vocabulary")]
    before = {name: rows_of(place, name) for name in names}
    for name in names:
        columns = psql(
            place.partition("&")[0],
            "SELECT column_name FROM information_schema.columns WHERE is_generated = 'NEVER' AND"
            f" table_schema = '{place.partition('&schema=')[2]}' AND table_name = '{name}'",
        ).split()
        tries = [f"DELETE FROM {name}", f"INSERT INTO {name} SELECT * FROM {name}",
                 f"TRUNCATE {name}", f"DROP TABLE {name}",
                 f"ALTER TABLE {name} DISABLE TRIGGER ALL",
                 f"ALTER TABLE {name} DISABLE ROW LEVEL SECURITY"]  # fmt: skip
        tries += [f"UPDATE {name} SET {column} = {column}" for column in columns]
        for one in tries:
            attempt(mine, f"BEGIN IMMEDIATE; {one}; COMMIT")
    assert {name: rows_of(place, name) for name in names} == before


def attempt(address, *statements):
    """Run statements that may be refused, as a role."""
    db = opening.connected(address)
    try:
        for one in statements:
            for part in one.split("; "):
                try:
                    db.execute(part).fetchall()
                except apsw.Error as error:
                    last = error
                    if not db.get_autocommit():
                        db.execute("ROLLBACK")
                    return last
    finally:
        db.close()
    return None


ATTACKS = {
    "a list of members of one's own": (
        "CREATE TEMP TABLE member (role name, origin bigint); "
        "INSERT INTO pg_temp.member SELECT current_user, n FROM generate_series(1, 9) AS n; "
        "SELECT count(*) FROM fact WHERE origin <> {mine}"
    ),
    "a trigger's function on a table of one's own": (
        "CREATE TEMP TABLE other (LIKE fact); "
        "CREATE TRIGGER t AFTER INSERT ON other FOR EACH ROW EXECUTE FUNCTION fact_inserted()"
    ),
    "a batch that stays open": (
        "INSERT INTO batch (origin, ordinal, at, verb, open) VALUES ({mine}, 9999, 0, 'x', 1)"
    ),
    "an undo of another's batch": (
        "INSERT INTO batch (origin, ordinal, at, verb, undoes) VALUES ({mine}, 9998, 0, 'x', 1)"
    ),
    "a fact of another's": (
        "INSERT INTO fact (id, origin, created_at, segment, tier, heat, importance, source, length,"
        " content, terms) VALUES ('forged', 1, 0, 'knowledge', 'long', 'core', 1, 'owner_message',"
        " 1, 'forged', 'forged')"
    ),
    "a number that is not given yet": (
        "INSERT INTO fact (seq, id, origin, created_at, segment, tier, heat, importance, source,"
        " length, content, terms) VALUES (999999999, 'forged', {mine}, 0, 'knowledge', 'long',"
        " 'core', 1, 'owner_message', 1, 'forged', 'forged')"
    ),
    "a change with an image": (
        "INSERT INTO change (batch, entity, row, act, image) SELECT max(number), 'fact', 1, '-',"
        " '{{}}' FROM batch"
    ),
    "a change of another's batch": (
        "INSERT INTO change (batch, entity, row, act) VALUES (1, 'fact', 1, '+')"
    ),
    "a posting": "INSERT INTO posting VALUES ({mine}, 'lamp', 1)",
    "a use of another's fact": "INSERT INTO usage VALUES (1, 99, 99)",
    "an edge from another's fact": (
        "INSERT INTO link (from_fact, to_fact, kind, created_at)"
        " SELECT 1, min(seq), 'causes', 0 FROM fact"
    ),
    "a fading of another's fact": "INSERT INTO fade VALUES (1, {mine}, 0)",
    "a count of another's batch": (
        "INSERT INTO batch_count VALUES (1, {mine}, 1, 1, 1, 1, 1, 1, 1, 1)"
    ),
    "a setting": "UPDATE setting SET value = 'x' WHERE name = 'analyzer' RETURNING name",
    "a membership": "INSERT INTO member VALUES (current_user, 1, 0)",
    "an origin": "INSERT INTO origin (key) VALUES ('channel:a/b/c')",
    "the next number": "SELECT last_value FROM fact_seq",
    "a number taken": "SELECT nextval('change_number')",
    "a table in the schema": "CREATE TABLE mine (a int)",
    "a wider policy": "CREATE POLICY wide ON fact USING (true)",
}


def test_a_role_gains_nothing(written):
    """What a member with psql may try: it fails, or changes and shows nothing."""
    me = written.roles[0]
    mine = as_role(written.place, me)
    assert written(me, own(me), "remember", "my own small lamp").code == 0
    number = rows_of(mine, "(SELECT number FROM origin)")[0].strip("()")
    before = {name: rows_of(written.place, name) for name in tables(written.place)}
    done = []
    for how, statements in ATTACKS.items():
        db = opening.connected(mine)
        try:
            db.execute("BEGIN IMMEDIATE")
            for one in statements.format(mine=number).split("; "):
                seen = db.execute(one).fetchall()
            assert seen in ([(0,)], []), (how, seen)
            db.execute("COMMIT")
            done.append(how)
        except apsw.Error as error:
            assert getattr(error, "state", "") in ("42501", "23514"), (how, error)
        finally:
            db.close()
    assert done == ["a list of members of one's own", "a setting"], "these alone do nothing"
    assert {name: rows_of(written.place, name) for name in tables(written.place)} == before


def test_no_trigger_is_deceived(team):
    """By a table of the session's own, in the place of one that triggers read."""
    me = team.roles[0]
    psql(
        as_role(team.place, me),
        "CREATE TEMP TABLE batch (number bigint, open bigint, at bigint)",
        "INSERT INTO pg_temp.batch VALUES (1, 1, 0)",
        "INSERT INTO fact (id, origin, created_at, segment, tier, heat, importance, source, length,"
        " content, terms) SELECT 'mine', number, 0, 'knowledge', 'long', 'core', 1,"
        " 'owner_message', 1, 'lamp', number || '_lamp' FROM origin",
    )
    told = "SELECT batch FROM change JOIN fact ON seq = row WHERE id = 'mine'"
    assert psql(team.place, told) == "0\n", "a change from outside, and of nobody's batch"
    assert psql(team.place, "SELECT count(*) FROM posting JOIN fact ON seq = fact"
                " WHERE id = 'mine'") == "1\n"  # fmt: skip


def test_a_removed_member_sees_nothing(written):
    """From then on, in a connection that is open too."""
    me, other = written.roles
    place = as_role(written.place, other)
    db = opening.open_if_there(place)
    assert db.execute("SELECT count(*) FROM fact").get > 9
    done = written(None, "member", "remove", other)
    assert done.code == 0 and done.out.count("\n") == 1
    with pytest.raises(apsw.Error, match=r"permission denied|does not exist"):
        db.execute("SELECT count(*) FROM fact").fetchall()
    db.close()
    for argv in (("recall", SECRET), ("remember", "x"), ("list",), ("member", "list")):
        done = written(other, own(other), *argv)
        assert done.code == 73 and SECRET not in done.out and "may not use" in done.err
    assert written(None, own(other), "list").out.count(SECRET) > 9
    assert written(me, own(me), "remember", "I am still here").code == 0
    assert written(None, "member", "add", other, own(other)).code == 0
    assert SECRET in written(other, own(other), "recall", f"{SECRET} lamp").out


def test_one_of_two_origins_is_taken(team):
    """Two people share an origin, and one of them leaves it."""
    me, other = team.roles
    shared = "--origin=channel:team/all/notes"
    for role in team.roles:
        assert team(None, "member", "add", role, shared).code == 0
    assert team(me, shared, "remember", "the meeting is on Monday").code == 0
    assert "Monday" in team(other, shared, "recall", "meeting").out
    assert team(other, shared, "forget", "--query", "the meeting is on Monday", "--yes").code == 0
    assert team(me, shared, "undo").code == 0, "one journal for both"
    assert team(None, "member", "remove", other, shared).code == 0
    assert team(other, shared, "recall", "meeting").code == 1
    assert team(other, own(other), "remember", "mine").code == 0
    assert "Monday" in team(me, shared, "recall", "meeting").out


def test_the_owner_alone_says_who_is_a_member(team, server):
    """And each refusal says what to do."""
    me, other = team.roles
    for argv in (("add", other, own(me)), ("remove", other)):
        done = team(me, "member", *argv)
        assert done.code == 73 and "its owner alone" in done.err
    assert team(None, "member", "add", "nobody at all", own(me)).code == 3
    assert team(None, "member", "add", "tideline", own(me)).code == 73, "it sees all anyway"
    assert team(None, "member", "add", other).code == 2
    assert team(None, "member", "remove", other, own(me)).code == 3
    assert team(None, "member", "add", other, own(other), "--json").json["added"] is False
    listed = team(None, "member", "list", "--json").json["members"]
    assert {one["role"] for one in listed} == {me, other}
    assert [one["role"] for one in team(me, "member", "list", "--json").json["members"]] == [me]
    assert team(me, "--db", "file.db", "member", "list").code == 2
    assert new_role(server) not in team(None, "member", "list").out


def test_a_member_finds_what_the_owner_finds(team, tmp_path, now):
    """With the same scores, where many facts of others stand between."""
    me, other = team.roles
    for seed, who in enumerate((me, other, me, other)):
        lines = [
            json.dumps({**json.loads(line), "id": None, "links": []} | {"links": None})
            for line in facts(random.Random(seed), 90)
        ]
        (tmp_path / "rows.jsonl").write_text("\n".join(lines))
        assert team(who, own(who), "import", "rows.jsonl").code == 0
    for question in ("deploy friday", "lamp of brass", "redis cache night", "北京"):
        argv = (own(me), "recall", question, "--json", "--explain", "--no-touch")
        mine = team(me, *argv)
        assert mine.code == 0, mine.err
        assert mine.out == team(None, *argv).out


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(often(1, 20)))
def test_a_walk_of_all_verbs_as_a_member(run, address, server, tmp_path, monkeypatch, seed):
    """A member on a server is told what the same origin in a file is told, while the owner of both
    writes between; and both export the same, byte for byte."""
    chance = random.Random(seed)
    role, owned = new_role(server), address()
    key = own(role).partition("=")[2]
    file = str(tmp_path / "file.db")
    counts = [0, 0]

    def same(*argv, is_member=True):
        places = (file, as_role(owned, role) if is_member else owned)
        results = []
        for place, database in enumerate(places):

            def numbered(size, place=place):
                counts[place] += 1
                return counts[place].to_bytes(size, "big")

            with monkeypatch.context() as patch:
                patch.setattr(os, "urandom", numbered)
                patch.setenv("TIDELINE_DB", database)
                patch.setenv("TIDELINE_ORIGIN", key if is_member else "owner")
                results.append(run(*argv))
        assert (results[1].code, results[1].out) == (results[0].code, results[0].out), argv
        return results[0]

    same("remember", "the owner was here first", is_member=False)
    with monkeypatch.context() as patch:
        patch.setenv("TIDELINE_DB", owned)
        assert run("member", "add", role, own(role)).code == 0
    same("remember", "the first word of the member")
    known = []
    for number in range(30):
        monkeypatch.setenv("TIDELINE_NOW", str(NOW + number * DAY))
        same(*step(chance, known))
        exported = same("export")
        known = [fact["id"] for fact in exported.lines]
        same("history", "--limit", "1")
        same("slots", "--json")
        if number % 3 == 0:
            same(*step(chance, []), is_member=False)
            same("export", is_member=False)
    assert known


def test_members_or_a_sync(team, tmp_path, run, address, server, monkeypatch):
    """A memory that has members does not sync, and one that syncs takes no members."""
    place = str(tmp_path / "place")
    (tmp_path / "place").mkdir()
    done = team(None, "sync", place, "--plain")
    assert done.code != 0 and "a memory with members does not sync" in done.err
    assert team(None, "list").code == 0
    monkeypatch.setenv("TIDELINE_DB", address())
    assert run("remember", "the first").code == 0
    assert run("sync", place, "--plain").code == 0
    role = new_role(server)
    done = run("member", "add", role, own(role))
    assert done.code == 73 and "a memory that syncs takes no members" in done.err
    assert run("member", "list", "--json").json == {"members": []}


def test_what_a_member_tends_who_names_no_origin(team):
    """All of theirs, though they do not see the owner's; a night of theirs would do nothing."""
    one, two = team.roles
    assert team(None, "member", "add", one, own(two)).code == 0
    assert team(one, own(one), "remember", "a lamp of brass").code == 0
    assert team(two, own(two), "remember", "a lamp of glass").code == 0
    for verb in ("dream", "gc"):
        tended = {origin["origin"] for origin in team(one, verb, "--json").json["origins"]}
        assert tended == {own(one).partition("=")[2], own(two).partition("=")[2]}
    assert len(team(two, "dream", "--json").json["origins"]) == 1


def test_a_member_who_asks_for_what_they_do_not_see(team):
    """It is said, and not that the memory is empty; where they are one, it is not said."""
    one, two = team.roles
    for origin in ((), (own(two),)):
        done = team(one, *origin, "recall", SECRET)
        assert (done.code, done.out) == (1, "") and "your role is no member of" in done.err
        assert "holds nothing" not in done.err and SECRET not in done.err
    assert "no member" not in team(one, own(one), "recall", SECRET).err
    assert "no member" not in team(None, own("nobody"), "recall", SECRET).err


def test_every_verb_that_reads_says_whose_it_is_not(team):
    """Also where it finds no such fact, and once; the answer on stdout is the same."""
    one, two = team.roles
    known = team(None, "list", "--json").json["facts"][0]["id"]
    for argv in (
        ("list",), ("slots",), ("tags",), ("status",), ("history",), ("show", known), ("export",),
        ("history", known), ("context", SECRET), ("timeline", known), ("fading",), ("library",),
        ("contradictions",), ("list", "--json"), ("recall", SECRET), ("edit", known, "words"),
        ("purge", known, "--yes"), ("undo",), ("redo",), ("relink", "--dry-run"), ("pin", known),
        ("retention", "--days", "1", "--dry-run"), ("forget", known), ("feedback", known, "up"),
    ):  # fmt: skip
        for origin in ((), (own(two),)):
            done = team(one, *origin, *argv)
            assert done.err.count("your role is no member of") == 1, (argv, done.err)
        assert "no member" not in team(one, own(one), *argv).err
        assert "no member" not in team(None, own("nobody"), *argv).err
    for argv in (
        ("context", "--auto", SECRET), ("dream",), ("member", "list"), ("export", "--all-origins"),
        ("status", "--all-origins"),
    ):  # fmt: skip
        assert "your role is no member" not in team(one, *argv).err


def test_a_role_that_may_read_everything_is_no_member(team, server):
    """pg_read_all_data reads tables; the functions that a question needs are for members."""
    role = new_role(server)
    psql(server, f"GRANT pg_read_all_data TO {role}")
    done = team(role, "recall", SECRET)
    assert (done.code, done.out) == (73, "") and "tideline member add" in done.err
