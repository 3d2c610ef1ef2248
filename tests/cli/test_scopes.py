"""Scopes: what is written in a project is stamped, what is read there is narrowed, slots are its
own."""

import json
import os
from pathlib import Path

import pytest

from tests.support import DAY, NOW
from tideline_cli.config.git_root import repository
from tideline_cli.store.opening import open_for_writing

FACTS = {
    "the tests run under tox": "x", "the tests of the shop run under nox": "y",
    "the tests of the parts run by hand": "x/y", "tests in pytest come before code": None,
}  # fmt: skip


@pytest.fixture
def filled(run):
    """A fact of each of three scopes, and one of none; the ids by scope."""
    return {
        scope: run("remember", text, "--json", *(["--scope", scope] if scope else [])).json["id"]
        for text, scope in FACTS.items()
    }


def scopes_of(done):
    listed = done.json.get("hits") or done.json.get("facts")
    return {hit["id"] for hit in listed}


SEES = {
    "x": {"x", None}, "y": {"y", None}, "x/y": {"x/y", "x", None}, "x/y/z": {"x/y", "x", None},
    "": {None}, "z": {None}, " x / y ": {"x/y", "x", None},
}  # fmt: skip


@pytest.mark.parametrize("scope", SEES)
@pytest.mark.parametrize("how", ["option", "variable", "project", "user"])
def test_what_a_scope_sees(run, filled, monkeypatch, scope, how):
    """A scope sees itself, those above it and what has none, however it is set; an empty option
    sees the last alone, an empty setting everything."""
    given = ()
    if how == "option":
        given = ("--scope", scope)
    elif how == "variable":
        monkeypatch.setenv("TIDELINE_SCOPE", scope)
    elif how == "project":
        project(Path("."), f"scope = {json.dumps(scope)}")
    else:
        assert run("config", "set", "scope", scope).code == 0
    wanted = SEES[scope] if scope.strip() or how == "option" else set(filled)
    found = run("recall", "tests", "--limit", "0", "--mode", "keyword", "--json", *given)
    assert scopes_of(found) == {filled[one] for one in wanted}
    shown = run("context", "tests", "--json", *given).json
    assert set(shown["facts"]) == {filled[one] for one in wanted}
    counts = run("status", "--json", *given).json
    assert counts["facts"]["active"] == len(wanted)
    assert counts["by_scope"] == {"": 1, "x": 1, "x/y": 1, "y": 1}
    assert counts["vectors"]["present"] + counts["vectors"]["missing"] == 4
    if given:
        return
    assert scopes_of(run("recall", "tests", "--all-scopes", "--json")) == set(filled.values())
    assert run("status", "--all-scopes", "--json").json["facts"]["active"] == 4


def project(folder, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".tideline.toml").write_text(text + "\n")


def test_a_scope_narrows_the_answer_and_no_statistics(run, filled):
    """A hit has the score that it has without a scope."""
    query = ("recall", "tests tox", "--no-touch", "--json")
    scores = {hit["id"]: hit["score"] for hit in run(*query).json["hits"]}
    for hit in run(*query, "--scope", "x").json["hits"]:
        assert hit["score"] == scores[hit["id"]]


def test_what_is_written_in_a_project_is_stamped(run, monkeypatch):
    """The setting stamps remember, its batches and what is extracted; the option goes before it,
    and an empty one stamps nothing."""
    project(Path("work"), 'scope = "work/api"')
    Path("work/deep").mkdir()
    monkeypatch.chdir("work/deep")
    assert run("remember", "one fact", "--json").json["fact"]["scope"] == "work/api"
    assert run("remember", "two facts", "--scope", "b", "--json").json["fact"]["scope"] == "b"
    assert run("remember", "three facts", "--scope", "", "--json").json["fact"]["scope"] is None
    lines = [{"content": "four"}, {"content": "five", "scope": "c/d "}, {"content": "six",
             "scope": ""}, {"content": "seven", "scope": None}]  # fmt: skip
    done = run("remember", "--batch", stdin="\n".join(map(json.dumps, lines)))
    assert [line["fact"]["scope"] for line in done.lines] == ["work/api", "c/d", None, "work/api"]
    said = '{"role": "user", "content": "My email address is jane@example.com"}\n'
    run("extract", "-", "--llm", "none", stdin=said)
    found = run("recall", "email address", "--json").json["hits"]
    shown = run("show", found[0]["id"], "--json").json["fact"]
    assert (shown["scope"], "jane" in shown["content"]) == ("work/api", True)
    for number, (scope, stamped) in enumerate((("b/c", "b/c"), ("", None))):
        one = said.replace("jane", f"jane{number}")
        run("extract", "-", "--llm", "none", "--scope", scope, "--session", scope or "-", stdin=one)
        (fact,) = (row for row in run("list", "--all-scopes", "--json").json["facts"]
                   if f"jane{number}" in row["content"])  # fmt: skip
        assert fact["scope"] == stamped
    assert run("extract", "--pending", "--scope", "b").code == 2


def repo(folder, *settings):
    """Make a repository whose settings have these lines."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text("".join(f"{line}\n" for line in settings))
    return str(folder)


def test_the_git_root_names_the_scope(run, monkeypatch):
    """`auto` is the name and a digest of the repository that holds a folder; a worktree is of the
    repository that knows it; outside there is none, and everything is seen."""
    run("config", "set", "scope", "auto")
    here = Path.cwd()

    def scope_in(folder):
        folder.mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(folder)
        made = run("remember", f"a fact in {folder.name}", "--json", "--now", str(NOW))
        return made.json["fact"]["scope"]

    shop = repository(repo(here / "shop"))
    assert shop.startswith("shop/") and scope_in(here / "shop" / "src" / "deep") == shop
    kept = here / "shop" / ".git" / "worktrees" / "tree"
    for name, there, back in (("tree", kept, f"{here}/tree/.git"),
                              ("close", "../shop/.git/worktrees/tree", "../../../../close/.git")):
        (here / name).mkdir()
        (here / name / ".git").write_text(f"gitdir: {there}\n")
        is_unknown = "the repository knows of no such worktree"
        assert scope_in(here / name / "lib").startswith(f"{name}/"), is_unknown
        kept.mkdir(parents=True, exist_ok=True)
        (kept / "gitdir").write_text(back + "\n")
        assert scope_in(here / name / "src") == shop
    part = here / "shop" / ".git" / "modules" / "part"
    part.mkdir(parents=True)
    (here / "shop" / "part").mkdir()
    (here / "shop" / "part" / ".git").write_text("gitdir: ../.git/modules/part\n")
    remote = '[remote "origin"]\nurl=host:b/c\n'
    (part / "config").write_text(f"[core]\nworktree = ../../../part\n{remote}")
    assert scope_in(here / "shop" / "part") == repository(repo(here / "c", remote))
    assert scope_in(here / "none") is None
    hits = run("recall", "fact", "--json").json["hits"]
    assert len(hits) == 6, "without a scope everything is seen"


ONE = (
    "https://github.com/acme/api.git", "git@github.com:acme/api.git", "ssh://git@GitHub.com:22/acme/api",
    "https://user:token@github.com/Acme/API/",
    "github.com:acme/api", "git://github.com/acme//api.git", "https://github.com:443/acme/api?x=token",
    '"https://github.com/acme/api" ; a remark',
)  # fmt: skip


def test_one_remote_is_one_scope(tmp_path):
    """Every form of an address is one scope, whatever the folder is called; no word of who logs in
    is in it. Another address, another path and another host are others."""
    scopes = [repository(repo(tmp_path / str(n), '[remote "origin"]', f"\turl = {url}"))
              for n, url in enumerate(ONE)]  # fmt: skip
    assert len({*scopes}) == 1 and scopes[0].startswith("api/") and len(scopes[0]) == 16
    other = ("git@github.com:else/api", "git@example.org:acme/api", "/srv/acme/api", "")
    others = [repository(repo(tmp_path / f"o{n}" / "api", '[remote "origin"]', f"url={url}"))
              for n, url in enumerate(other)]
    assert len({*others, *scopes}) == len(other) + 1
    assert all(one.startswith("api/") for one in others)


def test_what_the_settings_of_a_repository_say(tmp_path):
    """The remote origin counts, else the first; quotes, remarks, letter case and broken lines are
    read as git reads them; programs, includes and settings behind a link are not."""
    first = repository(repo(tmp_path / "a", "[REMOTE \"origin\"] URL = host:x/y"))
    assert repository(repo(tmp_path / "b", '[remote "up"]', "url = h:z", '[remote "origin"]',
                           'pushurl = "h:p"', "url = host:\\", "x/y  # here")) == first  # fmt: skip
    assert repository(repo(tmp_path / "c", '[remote "fork"]', "url = host:x/y", '[remote "b"]',
                           "url = h:z")) == first  # fmt: skip
    repo(tmp_path / "d", "[include]", f"path = {tmp_path}/a/.git/config", "[core]",
         f"fsmonitor = touch {tmp_path}/ran", f"sshCommand = touch {tmp_path}/ran")  # fmt: skip
    assert repository(str(tmp_path / "d")).startswith("d/") and not (tmp_path / "ran").exists()
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / ".git").symlink_to(tmp_path / "a" / ".git")
    assert repository(str(tmp_path / "e")).startswith("e/")
    clone = repo(tmp_path / "f", '[remote "origin"]', f"url = {tmp_path}/d")
    assert repository(clone) == repository(str(tmp_path / "d"))


def test_a_home_folder_is_no_project(tmp_path, monkeypatch):
    """A repository at $HOME is none, with a remote too, and so is what lies in it."""
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    repo(tmp_path / "me", '[remote "origin"]', "url = git@github.com:me/dotfiles")
    (tmp_path / "me" / "notes").mkdir()
    assert repository(str(tmp_path / "me")) is repository(str(tmp_path / "me" / "notes")) is None
    assert repository(repo(tmp_path / "me" / "notes" / "own")).startswith("own/")


def test_each_scope_has_slots_of_its_own(run, filled):
    """A value replaces that of its own scope alone, by remember, edit, import, restore and undo;
    doctor agrees."""
    day = ("--slot", "deploy_day", "--json")
    first = run("remember", "we deploy on Fridays", *day, "--scope", "x").json
    other = run("remember", "we deploy on Mondays", *day, "--scope", "y").json
    bare = run("remember", "we deploy on Sundays", *day).json
    assert (other["superseded"], bare["superseded"]) == ([], [])
    again = run("remember", "we deploy on Tuesdays", *day, "--scope", "x").json
    assert again["superseded"] == [first["id"]]
    assert run("undo").code == 0 and run("redo").code == 0
    moved = run("edit", other["id"], "--scope", "x", "--json", "--now", "2025-10-09T09:00").json
    assert (moved["action"], moved["superseded"]) == ("changed", [again["id"]])
    assert moved["fact"]["id"] == other["id"]
    assert run("restore", again["id"], "--now", "2025-10-09T10:00").code == 4
    assert run("undo").code == 0
    exported = [one | {"changed_at": None} for one in run("export").lines]
    row = {"content": "we deploy by hand", "slot": "deploy_day", "scope": "y",
           "created_at": "2025-10-10T00:00:00Z"}  # fmt: skip
    for merge in ((), ("--merge",)):
        assert run("import", "-", "--trust", *merge, "--now", "2025-10-11",
                   stdin=json.dumps(row) + "\n").code == 0  # fmt: skip
        facts = [one for one in run("export", "--now", "2025-10-11").lines
                 if one["slot"] and one["lifecycle"] == "active"]  # fmt: skip
        assert {(one["scope"], one["content"]) for one in facts} == {
            ("x", "we deploy on Tuesdays"), ("y", "we deploy by hand"),
            (None, "we deploy on Sundays"),
        }  # fmt: skip
        run("undo")
    assert [one | {"changed_at": None} for one in run("export").lines] == exported
    assert run("doctor", "--deep", "--json").json["findings"] == []


def test_doctor_finds_two_values_of_one_scope(run, db_of):
    """Two active values of one slot of one scope are a finding; of two scopes they are none."""
    for scope in ("x", "y"):
        run("remember", f"we deploy on day {scope}", "--slot", "day", "--scope", scope)
    assert run("doctor", "--json").json["findings"] == []
    db_of("UPDATE fact SET scope = 'x'")
    told = [one["check"] for one in run("doctor", "--json").json["findings"]]
    assert "slots" in told


@pytest.fixture
def db_of():
    def change(sql):
        db = open_for_writing(os.path.join(os.environ["TIDELINE_HOME"], "tideline.db"))
        db.execute(sql)
        db.close()

    return change


def test_the_same_words_in_two_scopes_are_two_facts(run):
    """Neither scope sees what the other one holds, so the words are kept in both, and a dream
    merges neither; inside of one scope they reinforce."""
    ids = {
        run("remember", "we deploy on Fridays", "--scope", scope, "--json").json["id"]
        for scope in ("x", "y", "x", "")
    }
    assert len(ids) == 3
    run("dream", "--merge-at", "0.9")
    assert run("status", "--json").json["facts"]["active"] == 3


def test_scopes_do_not_contradict_each_other(run):
    """Facts that no scope sees together are no contradiction; those that one sees are."""
    run("remember", "we deploy the shop on Friday mornings", "--scope", "x")
    run("remember", "we deploy the shop on Monday evenings", "--scope", "y")
    assert run("contradictions", "--json").json["contradictions"] == []
    run("remember", "we deploy the shop on Sunday evenings", "--scope", "x/z")
    (found,) = run("contradictions", "--json").json["contradictions"]
    assert {found["a"]["content"][-15:], found["b"]["content"][-15:]} == {
        "Friday mornings", "Sunday evenings",
    }  # fmt: skip


def test_a_scope_without_an_answer_names_the_way_out(run, filled):
    """Where only other scopes have an answer, a note says so; with a hit, or nothing anywhere, and
    in the door for programs, nothing is said."""
    done = run("recall", "shop", "--mode", "keyword", "--scope", "x")
    assert done.code == 1
    assert done.err == (
        "tideline: nothing matched\n"
        "tideline: this was scope x; 1 fact of another scope matches: --all-scopes\n"
    )
    assert "--all-scopes" not in run("recall", "tox", "--scope", "x").err
    assert "--all-scopes" not in run("recall", "zebra", "--mode", "keyword", "--scope", "x").err
    assert "--all-scopes" in run("recall", "tox", "--scope", "").err
    assert run("context", "zzz", "--scope", "x").err == ""
    assert run("context", "zzz", "--auto", "--scope", "x").err == ""


def test_a_scope_without_an_answer_names_archived_facts_of_others(run, filled, monkeypatch):
    """What has faded in another scope is told too; what was forgotten there is not, nor is what
    the scope itself sees, which is announced as it is elsewhere."""
    run("forget", filled["y"])
    monkeypatch.setenv("TIDELINE_EVICT_AFTER_OWNER", "reference")
    run("dream", "--now", str(NOW + 200 * DAY), "--max-loss", "1")
    for words in (("recall", "tox"), ("recall", "tox", "--archived"), ("context", "tox")):
        told = "archived facts of other scopes match: --all-scopes"
        assert f"this was scope z; {told}" in run(*words, "--scope", "z").err, words
        assert told not in run(*words, "--scope", "x").err, words
        assert told not in run(*words, "--all-scopes").err, words
    assert "scopes" not in run("recall", "shop", "--mode", "keyword", "--scope", "z").err
    assert "tideline restore" in run("recall", "tox", "--all-scopes").err
    listed = run("list", "--tag", "none", "--scope", "z")
    assert "scopes" not in listed.err
    assert "scope z; archived facts of other scopes are there" in run("list", "--scope", "z").err
    assert run("context", "tox", "--auto", "--scope", "z").err == ""


def test_a_door_takes_the_scope_of_a_project(run, filled):
    """`context --auto` is narrowed by a project file, as recall is."""
    project(Path("."), 'scope = "y"')
    block = run("context", "do nox, tox and pytest write code", "--auto").out
    assert "nox" in block and "before code" in block
    assert "tox" not in block and "by hand" not in block


@pytest.mark.parametrize("scope", ["a/" * 17 + "b", "x" * 201])
def test_what_is_no_scope(run, scope):
    """A scope that is too deep or too long is refused everywhere, and nothing is stored."""
    for argv in (("remember", "a fact", "--scope", scope), ("recall", "x", "--scope", scope),
                 ("config", "set", "scope", scope)):  # fmt: skip
        done = run(*argv)
        assert (done.code, "not a scope" in done.err) == (2, True)
    assert run("import", "-", stdin=json.dumps({"content": "a b", "scope": scope})).out


def test_scopes_go_with_an_export(run, filled):
    """Every form of an export has the scope, and an import gives it back."""
    out = run("export").out
    assert run("import", "-", "--trust", "--db", "other.db", stdin=out).code == 0
    assert run("export", "--db", "other.db").out == out
    counts = run("status", "--json", "--db", "other.db").json["by_scope"]
    assert counts == {"": 1, "x": 1, "x/y": 1, "y": 1}


def test_both_options_are_refused(run):
    """--scope and --all-scopes say two things."""
    for command in (("recall", "x"), ("context", "x"), ("status",)):
        assert run(*command, "--scope", "x", "--all-scopes").code == 2


def test_a_label_keeps_id_and_date(run):
    """Labels are no new statement: whatever an edit changes of them, the id and the date stay."""
    made = run("remember", "I deploy on Fridays", "--json", "--now", str(NOW)).json["fact"]
    for option, value in (("--tag", "work"), ("--title", "Day"), ("--scope", "x"),
                          ("--slot", "day"), ("--segment", "project"), ("--kind", "fact"),
                          ("--importance", "0.9"),
                          ("--tier", "permanent"), ("--confidence", "0.5"), ("--meta", "a=b"),
                          ("--valid-to", "2030"), ("--valid-from", "2020")):  # fmt: skip
        done = run("edit", made["id"], option, value, "--json", "--now", str(NOW + 10**9)).json
        assert done["action"] == "changed"
        kept = ("id", "created_at", "content", "source")
        assert {name: done["fact"][name] for name in kept} == {name: made[name] for name in kept}
    assert run("list", "--limit", "0", "--json").json["facts"][0]["id"] == made["id"]
    done = run("edit", made["id"], "I deploy on Mondays", "--json", "--now", str(NOW + 10**9)).json
    assert done["action"] == "superseded" and done["fact"]["id"] != made["id"]


def test_a_project_file_that_nobody_trusts_says_what_is_seen(run, monkeypatch):
    """Where such a file has changed which scopes are seen, that is told once, until it is trusted
    or a flag says the scope; to programs and with --quiet never."""
    run("remember", "the web deploys on Fridays", "--scope", "web")
    run("remember", "the api deploys on Mondays", "--scope", "api")
    project(Path("clone"), 'scope = "web"')
    monkeypatch.chdir("clone")
    told = "scope web is seen, as " + os.path.realpath(".tideline.toml") + " says"
    for argv in (("context", "deploys"), ("recall", "deploys"), ("list",), ("tags",), ("status",)):
        assert run(*argv).err.count(told) == 1
        for more in (("--quiet",), ("--scope", "web"), ("--all-scopes",)):
            assert "scope web is seen" not in run(*argv, *more).err
    assert run("context", "--auto", "when does the web deploy").err == ""
    assert any(told in note for note in run("list", "--json").notes)
    run("config", "set", "scope", "web")
    assert run("list").err == "", "it changes nothing"
    run("config", "set", "scope", "api")
    assert told in run("list").err
    assert run("config", "trust").code == 0
    assert run("list").err == ""
