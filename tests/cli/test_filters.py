"""The filters of list, export and forget: the same facts in all three, against a filter by hand."""

import json
import random
import unicodedata

import pytest

from tests.support import DAY, NOW

SOURCES = ("owner_message", "tool_output", "user_instruction")
SEGMENTS = ("knowledge", "context", "project")


@pytest.fixture
def facts(run):
    """Sixty facts of drawn labels, in batches of four; as rows of the export, with the batch."""
    rng, spoken = random.Random(7), random.Random(8)
    made = []
    for batch in range(1, 16):
        lines = []
        for number in range(4):
            source = rng.choice(SOURCES)
            lines.append({
                "content": f"the {batch * 4 + number} word {chr(97 + batch)}{number} lies there",
                "source": source, "tags": rng.sample(["a", "b", "c"], rng.randint(0, 2)),
                "segment": rng.choice(SEGMENTS) if source != "tool_output" else "knowledge",
                "slot": rng.choice([None, None, f"s{batch}", f"t{number}"]),
                "pinned": source != "tool_output" and rng.random() < 0.3,
                "session": spoken.choice([None, "s", "t"]), "turn": number,
                "speaker": spoken.choice([None, "Ann", "Bo"]),
                "role": spoken.choice([None, "user", "assistant", "tool"]),
                "scope": rng.choice([None, "x", "x/y"]), "kind": rng.choice([None, "note", "fact"]),
            })  # fmt: skip
        at = NOW - max((15 - batch) * DAY, 1)  # forgotten at NOW, a value has held till then
        stdin = "\n".join(map(json.dumps, lines))
        made += [
            (one["fact"]["id"], batch)
            for one in run("remember", "--batch", "--now", str(at), stdin=stdin).lines
        ]
    by_id = {row["id"]: row for row in run("export").lines}
    return [by_id[fact_id] | {"batch": batch} for fact_id, batch in made]


ASKED = {
    "slot": (["--slot", "S3", "--slot", "t1"], lambda f: f["slot"] in ("s3", "t1")),
    "source": (["--source", "tool_output"], lambda f: f["source"] == "tool_output"),
    "sources": (["--source", "tool_output", "--source", "user_instruction"],
                lambda f: f["source"] != "owner_message"),
    "tags": (["-t", "a", "-t", "b"], lambda f: {"a", "b"} <= set(f["tags"])),
    "kind": (["--kind", "note"], lambda f: f["kind"] == "note"),
    "segment": (["-s", "project", "-s", "context"], lambda f: f["segment"] != "knowledge"),
    "pinned": (["--pinned"], lambda f: f["pinned"]),
    "heat": (["--heat", "core"], lambda f: f["heat"] == "core"),
    "batch": (["--batch", "7"], lambda f: f["batch"] == 7),
    "session": (["--session", "s"], lambda f: f["session"] == "s"),
    "speakers": (["--speaker", "Ann", "--speaker", "Bo"], lambda f: f["speaker"] is not None),
    "role": (["--role", "assistant", "--role", "tool"],
             lambda f: f["role"] in ("assistant", "tool")),
    "who and where": (["--session", "t", "--speaker", "Bo", "--role", "user"],
                      lambda f: (f["session"], f["speaker"], f["role"]) == ("t", "Bo", "user")),
    "days": (["--since", "6d", "--until", "2 days ago"],
             lambda f: 9 <= f["batch"] <= 13),
    "all of it": (["--source", "owner_message", "--pinned", "--since", "2w"],
                  lambda f: f["source"] == "owner_message" and f["pinned"]),
}  # fmt: skip


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ASKED)
def test_list_export_and_forget_mean_the_same(run, facts, name):
    """Each filter leaves the facts that a reader would pick, in all three commands; what is
    forgotten is one batch, which an undo brings back."""
    given, is_asked = ASKED[name]
    wanted = {fact["id"] for fact in facts if fact["lifecycle"] == "active" and is_asked(fact)}
    assert wanted
    listed = run("list", "--limit", "0", "--json", *given).json["facts"]
    assert {fact["id"] for fact in listed} == wanted
    exported = run("export", "--lifecycle", "active", *given)
    assert {row["id"] for row in exported.lines} == wanted
    before = _exported(run)
    dry = run("forget", "--dry-run", "--json", *given)
    assert (set(dry.json["forgotten"]), dry.json["batch"]) == (wanted, None)
    refused = run("forget", *given)
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert _exported(run) == before
    done = run("forget", "--yes", "--json", *given).json
    assert set(done["forgotten"]) == wanted
    assert run("list", "--limit", "0", *given).code == 1
    assert run("undo", str(done["batch"])).code == 0
    assert _exported(run) == before


@pytest.mark.parametrize(
    ("order", "key"),
    [
        ("new", lambda f: (-f["batch"], f["id"])), ("old", lambda f: (f["batch"], f["id"])),
        ("importance", lambda f: (-f["importance"], -f["batch"], f["id"])),
    ],
)  # fmt: skip
def test_orders(run, facts, order, key):
    """Facts are listed in the order asked for, and a limit cuts that order."""
    active = sorted((fact for fact in facts if fact["lifecycle"] == "active"), key=key)
    wanted = [fact["id"] for fact in active]
    given = ("list", "--sort", order, "--json", "--limit")
    assert [fact["id"] for fact in run(*given, "0").json["facts"]] == wanted
    cut = run(*given, "3").json
    assert ([fact["id"] for fact in cut["facts"]], cut["truncated"]) == (wanted[:3], True)


def test_the_strongest_and_the_last_used_first(run, facts):
    """`strength` is what `show` calls so; `used` is when a fact was last used."""
    used = run("recall", "word c2", "--limit", "1", "--json", "--touch", "--now", str(NOW + 5))
    fact = used.json["hits"][0]["id"]
    assert run("list", "--sort", "used", "--json").json["facts"][0]["id"] == fact
    listed = run("list", "--sort", "strength", "--limit", "0", "--json").json["facts"]
    powers = [run("show", one["id"], "--json").json["strength"] for one in listed[::7]]
    assert powers == sorted(powers, reverse=True) and powers[0] > powers[-1]


def test_a_batch_that_is_not_there(run, facts):
    """A number without a batch is no such id, in all three."""
    for argv in (("list",), ("export",), ("forget", "--yes")):
        assert run(*argv, "--batch", "99").code == 3
        assert run(*argv, "--batch", "1", "--origin", "channel:a/b/c").code == 3


def test_all_scopes_is_no_filter(run, facts):
    """What narrows nothing forgets nothing: it needs a filter beside it."""
    done = run("forget", "--all-scopes", "--yes")
    assert (done.code, run("list", "--limit", "0").out.count("\n")) == (2, 60 - gone(facts))
    assert run("forget", "--yes").code == 2
    assert run("forget", facts[0]["id"], "--tag", "a", "--yes").code == 2
    assert run("forget", "--query", "x", "--tag", "a", "--yes").code == 2


def gone(facts):
    return sum(fact["lifecycle"] != "active" for fact in facts)


def test_forget_takes_one_scope(run, facts):
    """--scope forgets the facts of exactly that scope, and none of those that it sees; in a
    project a filter takes what list shows there."""
    active = [fact for fact in facts if fact["lifecycle"] == "active"]
    done = run("forget", "--scope", "x/y", "--dry-run", "--json").json
    assert set(done["forgotten"]) == {one["id"] for one in active if one["scope"] == "x/y"}
    done = run("forget", "--scope", "", "--dry-run", "--json").json
    assert set(done["forgotten"]) == {one["id"] for one in active if one["scope"] is None}
    run("config", "set", "scope", "x")
    done = run("forget", "--source", "tool_output", "--dry-run", "--json").json
    listed = run("list", "--source", "tool_output", "--limit", "0", "--json").json["facts"]
    assert set(done["forgotten"]) == {one["id"] for one in listed}
    assert {one["scope"] for one in listed} == {None, "x"}
    assert len(run("export").lines) == len(facts), "an export is whole in a project too"


def test_list_in_a_scope(run, facts):
    """list sees what its scope sees, and says so where there is nothing."""
    active = [fact for fact in facts if fact["lifecycle"] == "active"]
    listed = run("list", "--scope", "x", "--limit", "0", "--json").json["facts"]
    assert {one["id"] for one in listed} == {
        one["id"] for one in active if one["scope"] in ("x", None)
    }
    done = run("list", "--scope", "z", "--slot", "s3", "--scope", "q")
    assert done.code in (0, 1)
    run("forget", "--scope", "", "--yes")
    done = run("list", "--scope", "z")
    assert (done.code, "--all-scopes" in done.err) == (1, True)


def test_a_filtered_export(run, facts):
    """Where the filters leave nothing, an export says so and ends with 1; Markdown has active facts
    unless another lifecycle is asked for."""
    done = run("export", "--tag", "none-such")
    assert (done.code, done.out, "nothing to export" in done.err) == (1, "", True)
    run("forget", facts[0]["id"])
    shown = run("export", "--format", "markdown", "--lifecycle", "archived").out
    assert facts[0]["id"] in shown
    assert facts[0]["id"] not in run("export", "--format", "markdown").out


@pytest.mark.parametrize("text", ["the boiler needs 1.5 bar", " The BOILER  needs", "the boiler n"])
def test_forget_by_how_a_text_begins(run, text):
    """The first words are enough, in whatever case and spacing; the line break is a space."""
    fact = run("remember", "The boiler needs\n1.5 bar when it is cold", "--json").json["id"]
    run("remember", "the heating is by gas")
    done = run("forget", "--query", text, "--yes", "--json")
    assert done.json["forgotten"] == [fact]


def test_several_that_begin_so_are_named(run):
    """Where several begin so, none is forgotten and they are named; the whole text is one."""
    ids = [run("remember", text, "--json").json["id"] for text in (
        "the boiler", "the boiler is old", "the boiler is loud")]  # fmt: skip
    done = run("forget", "--query", "the boiler is", "--yes")
    assert done.code == 2
    assert all(one in done.err for one in ids[1:]) and "the boiler is loud" in done.err
    assert run("forget", "--query", "The Boiler", "--yes", "--json").json["forgotten"] == ids[:1]


def test_forget_shows_before_it_asks(run, monkeypatch):
    """On a terminal the facts are shown before the question; a no changes nothing and ends
    with 1."""
    for number in range(12):
        run("remember", f"tool {number * 111} said so", "--source", "tool_output")
    asked = []
    monkeypatch.setattr(
        "tideline_cli.cli.session.Session.confirmed",
        lambda session, question, *, yes: asked.append(question),
    )
    assert run("forget", "--source", "tool_output").code == 1
    lines = asked[0].split("\n")
    assert (len(lines), lines[-2:]) == (
        12, ["and 2 more; --dry-run shows all", "Forget these 12 facts?"],
    )  # fmt: skip
    assert run("status", "--json").json["facts"]["active"] == 12


def _exported(run):
    """Return the export without the times of its states: an undo is a statement too."""
    return [
        {name: value for name, value in row.items() if name not in ("changed_at", "said_at")}
        for row in run("export").lines
    ]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_scope_is_one_however_its_letters_are_composed(run, form):
    """A scope and a slot are found by either form of their name."""
    name = unicodedata.normalize(form, "Zoë")
    other = unicodedata.normalize("NFD" if form == "NFC" else "NFC", "Zoë")
    run("remember", "the thing of a scope", "--scope", name, "--slot", name)
    assert "the thing of a scope" in run("list", "--scope", other, "--slot", other).out


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_is_found_as_it_was_given(run, form):
    """Tags, speakers, sessions and agents are names of others: they stay as they are."""
    name = unicodedata.normalize(form, "Zoë")
    for number, label in enumerate(("--speaker", "--tag", "--agent", "--session")):
        run("remember", f"thing {number}", label, name)
        assert len(run("list", label, name, "--json").json["facts"]) == 1, label
