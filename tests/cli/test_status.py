"""status: what the passes did and when they are due, what came and went, and the new settings."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import DAY, NOW, PEER, fact, fresh_store, rows
from tideline_cli.config import settings
from tideline_cli.errors import UsageError
from tideline_cli.model.instant import iso
from tideline_cli.model.origin import OWNER
from tideline_cli.model.text import IndexTerms
from tideline_cli.model.time_words import parse_duration
from tideline_cli.store import journal, visibility, writes
from tideline_cli.store.opening import open_for_writing
from tideline_cli.store.stats import by_day

TODAY = NOW // DAY


@pytest.fixture
def store(home):
    db = open_for_writing(str(home / "tideline.db"))
    yield db
    db.close()


def bring(db, *ids, at, by=OWNER, origin=OWNER, verb="remember", created=None, **given):
    """Write facts in one batch at a moment."""
    with journal.batch(db, verb=verb, by=by, now=at):
        for one in ids:
            number = visibility.ensure_number(db, origin)
            made = fact(f"text {one}", one, origin=origin, now=at if created is None else created,
                        **given)  # fmt: skip
            listed = IndexTerms(["text", one.lower()])
            assert writes.insert(db, made, origin_number=number, terms=listed)


def change(db, sql, *ids, at, by=OWNER, verb="forget"):
    with journal.batch(db, verb=verb, by=by, now=at):
        for one in ids:
            db.execute(f"UPDATE fact SET {sql} WHERE id = ?", (one,))


def passed(db, verb, at, reason, by=OWNER):
    with journal.batch(db, verb=verb, by=by, now=at) as batch:
        whole = reason is not None and not reason.startswith("some stages: ")
        batch.explain(reason, whole=whole)


def activity(run, *argv):
    """Return what status says of the days on which something happened."""
    days = run("status", "--json", *argv).json["activity"]
    assert [day["day"] for day in days] == [
        iso(day * DAY)[:10] for day in range(TODAY - 29, TODAY + 1)
    ]
    return {
        TODAY - 29 + n: (day["added"], day["archived"])
        for n, day in enumerate(days)
        if day["added"] or day["archived"]
    }


# activity


def test_added_means_arrived(run, store):
    """Facts count on the day they came into the store, whatever time they carry."""
    bring(store, "A", "B", at=NOW - 3 * DAY)
    bring(store, "OLD", at=NOW - DAY, verb="import", created=NOW - 900 * DAY)
    bring(store, "GONE", at=NOW - DAY, verb="import", lifecycle="archived")
    assert activity(run) == {TODAY - 3: (2, 0), TODAY - 1: (2, 0)}


def test_the_window_is_thirty_days(run, store):
    """Today and the 29 days before it count from midnight UTC; what was before or will be does
    not."""
    first = (TODAY - 29) * DAY
    bring(store, "A", at=first - 1)
    bring(store, "B", at=first)
    bring(store, "C", at=(TODAY + 1) * DAY - 1)
    bring(store, "D", at=(TODAY + 1) * DAY)
    bring(store, "E", at=first + 5)
    assert activity(run) == {TODAY - 29: (2, 0), TODAY: (1, 0)}


def test_archived_means_no_longer_active(run, store):
    """Each time a fact leaves the active ones counts once; other changes do not."""
    bring(store, *"ABCD", at=NOW - 9 * DAY)
    change(store, "importance = 0.9, pinned = 1", *"ABCD", at=NOW - 8 * DAY)
    change(store, "lifecycle = 'archived'", "A", "B", at=NOW - 7 * DAY)
    change(store, "importance = 0.1", "A", at=NOW - 6 * DAY)
    change(store, "lifecycle = 'active'", "A", at=NOW - 5 * DAY, verb="restore")
    change(store, "lifecycle = 'pruned'", "A", "C", at=NOW - 4 * DAY, verb="gc")
    change(store, "lifecycle = 'pruned'", "B", at=NOW - 4 * DAY, verb="gc")
    assert activity(run) == {TODAY - 9: (4, 0), TODAY - 7: (0, 2), TODAY - 4: (0, 2)}


def test_a_text_that_looks_like_the_journal(run, store):
    """A fact whose values quote the journal's words is counted like any other."""
    bring(store, "A", at=NOW, lifecycle="archived", title='"lifecycle":"active"')
    change(store, "importance = 0.1", "A", at=NOW)
    bring(store, "B", at=NOW, title='"lifecycle":"archived"')
    change(store, "lifecycle = 'archived'", "B", at=NOW)
    assert activity(run) == {TODAY: (2, 1)}


def test_facts_that_are_gone_are_not_counted(run, store):
    """A fact that was deleted leaves no trace in the numbers."""
    bring(store, "A", "B", at=NOW - DAY)
    change(store, "lifecycle = 'archived'", "A", at=NOW)
    with journal.batch(store, verb="undo", by=OWNER, now=NOW):
        store.execute("DELETE FROM fact WHERE id = 'A'")
    assert activity(run) == {TODAY - 1: (1, 0)}


def test_activity_is_that_of_one_origin(run, store):
    """An owner's import of others' facts counts for the others; nobody sees another's numbers."""
    bring(store, "A", at=NOW)
    bring(store, "B", "C", at=NOW, by=OWNER, origin=PEER, verb="import")
    change(store, "lifecycle = 'archived'", "B", at=NOW, by=PEER)
    assert activity(run) == {TODAY: (1, 0)}
    assert activity(run, "--origin", PEER.key) == {TODAY: (2, 1)}
    assert activity(run, "--origin", "channel:wa/other/s") == {}
    assert activity(run, "--origin", "unknown") == {}


def test_batches_of_several_transactions(run, store):
    """A pass that shares the journal with others keeps its own day, whoever wrote in between."""
    bring(store, "A", at=NOW - DAY, verb="import")
    (number,) = store.execute("SELECT number FROM batch").fetchone()
    bring(store, "B", at=NOW)
    with journal.batch(store, verb="import", by=OWNER, now=NOW, resume=number):
        writes.insert(store, fact("text C", "C"), origin_number=1, terms=IndexTerms(["text"]))
    bring(store, "D", at=NOW - 2 * DAY)
    assert activity(run) == {TODAY - 2: (1, 0), TODAY - 1: (2, 0), TODAY: (1, 0)}


MOVES = st.tuples(
    st.integers(0, 5), st.sampled_from("ABC"), st.sampled_from(("active", "archived", "pruned"))
)


@given(st.lists(MOVES, max_size=12))
def test_archived_against_a_plain_count(moves):
    """The numbers are those of a plain count over the moves, day by day."""
    with fresh_store() as db:
        bring(db, *"ABC", at=NOW - 6 * DAY)
        state = dict.fromkeys("ABC", "active")
        wanted = [0] * 6
        for day, one, lifecycle in sorted(moves, key=lambda move: move[0]):
            wanted[day] += state[one] == "active" != lifecycle
            state[one] = lifecycle
            change(db, f"lifecycle = '{lifecycle}'", one, at=(TODAY - 5 + day) * DAY)
        found = by_day(db, viewer=OWNER, since=(TODAY - 5) * DAY, days=6)
    assert found == [(0, n) for n in wanted]


# the passes


def test_before_the_first_dream(run):
    """Without a dream there is nothing to say of it, and one is due."""
    run("remember", "I deploy on Fridays")
    form = run("status", "--json").json
    keys = ("last_dream", "last_dream_summary", "next_dream_due", "last_consolidate",
            "last_consolidate_summary")  # fmt: skip
    assert [form[key] for key in keys] == [None, None, iso(NOW), None, None]
    lines = run("status").out.splitlines()
    assert lines[-3] == "health     ok"
    assert lines[-2:] == ["last dream never", "next dream due now"]


def test_what_the_passes_did(run, store, monkeypatch):
    """status tells when the last passes were, what they did, and when the next dream is due."""
    passed(store, "dream", NOW - 9 * DAY, "older")
    passed(store, "dream", NOW - DAY // 4, "3 merged, 2 confirmed")
    passed(store, "dream", NOW - 1, "of a peer", by=PEER)
    passed(store, "consolidate", NOW - 3 * DAY, "nothing to do")
    passed(store, "consolidate", NOW - DAY, None)  # cut short
    passed(store, "dream", NOW - 2, "some stages: 1 confirmed")
    form = run("status", "--json").json
    assert {key: value for key, value in form.items() if "dream" in key or "consol" in key} == {
        "last_dream": iso(NOW - DAY // 4), "last_dream_summary": "3 merged, 2 confirmed",
        "next_dream_due": iso(NOW + DAY * 3 // 4),
        "last_consolidate": iso(NOW - 3 * DAY), "last_consolidate_summary": "nothing to do",
    }  # fmt: skip
    assert run("status").out.splitlines()[-3:] == [
        "last dream 2025-10-09 02:53 (6 h ago): 3 merged, 2 confirmed",
        "last consolidate 2025-10-06 08:53 (3 d ago): nothing to do",
        "next dream due in 18 h",
    ]
    monkeypatch.setenv("TIDELINE_DREAM_INTERVAL", "6h")
    assert run("status").out.endswith("next dream due now\n")
    assert run("status", "--json").json["next_dream_due"] == iso(NOW)


def test_a_summary_is_screened(run, store):
    """What stands in the store reaches a terminal without its control characters."""
    passed(store, "dream", NOW, "\x1b[31mred")
    assert "\x1b" not in run("status", "--color", "never").out
    assert "[31mred" in run("status").out


# a terminal


def test_bars_on_a_terminal(run, store):
    """On a terminal each day has a bar, scaled by the busiest one; a pipe has none."""
    bring(store, *(f"A{n}" for n in range(14)), at=NOW)
    bring(store, "B", at=NOW - DAY)
    bring(store, *(f"C{n}" for n in range(7)), at=NOW - 29 * DAY)
    change(store, "lifecycle = 'archived'", "B", at=NOW)
    lines = run("status", "--color", "always").out.splitlines()
    assert lines[-2:] == [
        "added      ▅" + "▁" * 27 + "▂█ 22 in 30 days", "archived   " + "▁" * 29 + "█ 1 in 30 days",
    ]  # fmt: skip
    assert not any(line.startswith(("added ", "archived ")) for line in lines[:-2])
    assert "▁" not in run("status").out + run("status", "--color", "always", "--json").out


def test_no_bars_where_they_cannot_be_drawn(process, home):
    """A terminal without these characters gets no bars, and no escapes either."""
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "FORCE_COLOR": "1"}
    out = process("status", env=env).out
    assert out.endswith("next dream due now\n")


def test_bars_of_nothing(run):
    """Without a store the bars are empty."""
    assert run("status", "--color", "always").out.endswith(
        "added      " + "▁" * 30 + " 0 in 30 days\narchived   " + "▁" * 30 + " 0 in 30 days\n"
    )


@pytest.mark.parametrize("now", ["0001-01-01", "1969-12-31T23:00:00Z", "9999-12-31T23:59:59Z"])
def test_any_day_has_a_status(run, store, now):
    """The days before the first and after the last year there is do no harm."""
    bring(store, "A", at=NOW)
    passed(store, "dream", 253_402_300_799_000, "last")
    done = run("status", "--json", "--now", now)
    assert (done.code, len(done.json["activity"])) == (0, 30)
    assert run("status", "--color", "always", "--now", now).code == 0


def test_status_reads_only(run, store):
    """Looking writes nothing."""
    bring(store, "A", at=NOW)
    tables = ("fact", "batch", "change", "usage")
    before = [rows(store, table) for table in tables]
    run("status", "--json")
    run("status", "--color", "always")
    assert [rows(store, table) for table in tables] == before


# durations and settings


@pytest.mark.parametrize(
    ("text", "ms"),
    [("90s", 90_000), ("30m", 1_800_000), ("24h", DAY), (" 7d ", 7 * DAY), ("2W", 14 * DAY),
     ("0s", 0), ("1y", 365 * DAY), ("6mo", 180 * DAY), ("36525d", 36525 * DAY)],
)  # fmt: skip
def test_durations(text, ms):
    """A duration is a whole number and a unit."""
    assert parse_duration(text) == ms


@pytest.mark.parametrize(
    "text",
    ["", "d", "7", "-1d", "1.5h", "1h30m", "7 x", "٣d", "1x", "101y", "36526d", "9" * 5000 + "s"],
)
def test_what_is_no_duration(text):
    """Anything else is refused in one short line."""
    with pytest.raises(UsageError, match="not a duration") as caught:
        parse_duration(text)
    assert len(caught.value.message) < 80


@given(st.integers(0, 36525 * 86400))
def test_a_shown_duration_reads_back(seconds):
    """What is shown of a duration means the same."""
    assert parse_duration(settings.shown("dream_interval", seconds * 1000)) == seconds * 1000


def test_settings_of_the_passes(run, home, monkeypatch):
    """The settings are shown, set, and taken from the environment; none holds a key."""
    assert run("config", "get", "dream_interval").out == "24h\n"
    assert run("config", "set", "dream_interval", "168h").code == 0
    assert run("config", "get", "dream_interval").out == "7d\n"
    assert run("config", "list", "--json").json["dream_interval"] == "7d"
    assert (home / "config.toml").read_text() == 'dream_interval = "7d"\n'
    for name in ("llm", "model", "base_url", "key_file"):
        assert run("config", "get", name).out == "\n"
        value = "https://a.example/v1" if name == "base_url" else f"a {name}"
        assert run("config", "set", name, value).code == 0
        assert run("config", "get", name).out == f"{value}\n"
        monkeypatch.setenv(f"TIDELINE_{name.upper()}", "none")
        assert run("config", "get", name).out == "none\n"
    monkeypatch.setenv("TIDELINE_DREAM_INTERVAL", "90s")
    assert f"dream_interval\t90s\t(TIDELINE_DREAM_INTERVAL){os.linesep}" in run("config").out
    assert not any(name.endswith("key") for name in settings.SETTINGS)
    assert run("config", "set", "api_key", "secret").code == 2


@pytest.mark.parametrize("value", ["soon", "24", "-1h"])
def test_an_interval_that_is_none(run, home, monkeypatch, value):
    """A wrong interval is a usage error that names where it stands."""
    assert run("config", "set", "dream_interval", value, "--json").error["code"] == "usage"
    assert not (home / "config.toml").exists()
    (home / "config.toml").write_text("dream_interval = 24\n")
    assert str(home / "config.toml") in run("status", "--json").error["message"]
    monkeypatch.setenv("TIDELINE_DREAM_INTERVAL", value)
    assert "TIDELINE_DREAM_INTERVAL: not a duration" in run("status", "--json").error["message"]


@pytest.mark.parametrize("name", ["dream_interval", "llm", "model", "base_url", "key_file"])
def test_a_project_may_not_set_them(run, tmp_path, name):
    """What a pass does and whom it asks is the user's own choice."""
    (tmp_path / ".tideline.toml").write_text(f'{name} = "24h"\n')
    done = run("status", "--json")
    assert (done.code, done.error["message"]) == (
        2, f"{tmp_path / '.tideline.toml'}, line 1: a project file may not set {name}",
    )  # fmt: skip
