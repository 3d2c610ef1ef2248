"""Files of settings come from anybody: none hangs, none fails in silence, none moves a write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from tests.support import PEER
from tideline_cli.cli.session import HEAT_SETTINGS
from tideline_cli.config import project as project_settings
from tideline_cli.config.settings import SETTINGS
from tideline_cli.memory.context import DEFAULT_CHARS
from tideline_cli.memory.query import DEFAULT_LIMIT
from tideline_cli.ranking.decay import DEPTH
from tideline_cli.ranking.heat import HeatRule

ORIGIN = PEER.key


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project's folder, where the commands run, and its file of settings."""
    folder = tmp_path / "work" / "deep"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return tmp_path / "work" / ".tideline.toml"


def origin_of(done):
    return done.json["fact"]["origin"]


# what counts only once it is trusted


def test_a_clone_does_not_move_a_write(run, project):
    """The origin of a project file is ignored, with one line, until the user trusts the file."""
    project.write_text(f'origin = "{ORIGIN}"\n')
    done = run("remember", "the vault code", "--json")
    assert (done.code, origin_of(done)) == (0, "owner")
    warned = json.loads(done.err)["warning"]
    assert warned["code"] == "untrusted_project"
    assert "tideline config trust" in warned["hint"]
    for argv in (("list",), ("recall", "vault", "--quiet"), ("status",), ("config", "list")):
        done = run(*argv)
        assert done.err.count("is ignored: the file is not trusted") == 1, argv
    assert run("recall", "vault", "--origin", "owner").err == ""
    done = run("config", "trust")
    assert (done.code, done.out) == (0, f"trusted {project}\norigin\t{ORIGIN}\n")
    done = run("remember", "one for them", "--json")
    assert (origin_of(done), done.err) == (ORIGIN, "")
    assert run("config", "untrust").code == 0
    assert origin_of(run("remember", "one more of mine", "--json")) == "owner"


def test_a_change_must_be_trusted_anew(run, project):
    """One byte that differs, and the file is not the one that was trusted."""
    project.write_text(f'origin = "{ORIGIN}"\n')
    run("config", "trust")
    project.write_text(f'origin = "{ORIGIN}"\n\n')
    done = run("remember", "the vault code", "--json")
    assert origin_of(done) == "owner"
    assert "has changed since it was trusted" in done.err
    run("config", "trust", ".")
    assert origin_of(run("remember", "one more", "--json")) == ORIGIN


def test_trust_stays_with_the_place(run, project, tmp_path, monkeypatch):
    """Neither a copy nor a link to a trusted file is trusted; another way to it is."""
    project.write_text(f'origin = "{ORIGIN}"\n')
    run("config", "trust", str(project.parent / "deep"))
    (tmp_path / "alias").symlink_to(project.parent)
    monkeypatch.chdir(tmp_path / "alias")
    assert origin_of(run("remember", "by another way", "--json")) == ORIGIN
    for n, make in enumerate(("copy", "link", "hard link")):
        folder = tmp_path / f"clone{n}"
        folder.mkdir()
        if make == "copy":
            (folder / ".tideline.toml").write_bytes(project.read_bytes())
        elif make == "link":
            (folder / ".tideline.toml").symlink_to(project)
        else:
            os.link(project, folder / ".tideline.toml")
        monkeypatch.chdir(folder)
        assert origin_of(run("remember", f"by a {make}", "--json")) == "owner", make


def test_doors_for_programs_take_no_origin(run, project):
    """context --auto reads the owner's memory, whatever a project file says and is trusted with."""
    run("remember", "I deploy on Fridays")
    project.write_text(f'origin = "{ORIGIN}"\n')
    for _ in range(2):
        done = run("context", "deploy", "--auto")
        assert "I deploy on Fridays" in done.out
        assert done.err == ""
        told = run("context", "deploy", "--auto", "--verbose")
        assert ORIGIN in told.err and told.out.count("Fridays") == 1
        run("config", "trust")
    assert run("context", "deploy").out == ""
    assert run("context", "deploy", "--auto", "--origin", ORIGIN).out == ""


@pytest.mark.parametrize(
    ("name", "otherwise"), [("limit", DEFAULT_LIMIT), ("max_chars", DEFAULT_CHARS)]
)
def test_limits_may_only_lower(run, project, monkeypatch, name, otherwise):
    """A limit above what holds otherwise is ignored, with one line; one below it counts."""
    assert SETTINGS[name].top == otherwise
    project.write_text(f"{name} = {otherwise + 1}\n")
    done = run("config", "get", name)
    assert (done.out, done.err.count("may only lower it")) == (f"{otherwise}\n", 1)
    project.write_text(f"{name} = 2\n")
    done = run("config", "get", name)
    assert (done.out, done.err) == ("2\n", "")
    run("config", "set", name, "1")
    done = run("config", "get", name)
    assert (done.out, done.err.count("may only lower it")) == ("1\n", 1)
    run("config", "set", name, "999")
    assert run("config", "get", name).out == "2\n"
    monkeypatch.setenv(SETTINGS[name].env, "1000")
    done = run("config", "get", name)
    assert (done.out, done.err) == ("1000\n", "")


def test_the_list_says_what_is_ignored(run, project):
    """config list shows what counts, and what a project file says in vain."""
    assert run("config", "list", "--json").json["project"] is None
    project.write_text(f'origin = "{ORIGIN}"\ntags = ["p"]\nlimit = 50\n')
    form = run("config", "list", "--json").json
    assert (form["origin"], form["tags"], form["limit"]) == ("owner", ["p"], DEFAULT_LIMIT)
    assert form["project"]["file"] == str(project)
    ignored = {row["name"]: row["value"] for row in form["project"]["ignored"]}
    assert ignored == {"origin": ORIGIN, "limit": 50}
    lines = run("config", "list").out.split("\n")
    assert f"tags\tp\t({project})" in lines
    assert any(line.startswith(f"origin\t{ORIGIN}\t(ignored: ") for line in lines)


def test_what_cannot_be_trusted(run, project, tmp_path):
    """Without a file, or with one that is not the user's alone, there is nothing to trust."""
    for argv in (("trust",), ("trust", "nowhere"), ("trust", ""), ("trust", "a\0b"),
                 ("trust", "a", "b")):  # fmt: skip
        done = run("config", *argv)
        assert done.code == 2, argv
    assert run("config", "untrust").out.endswith("was not trusted\n")
    project.write_text(f'origin = "{ORIGIN}"\n')
    project.chmod(0o666)
    done = run("config", "trust", "--json")
    assert (done.code, done.error["hint"]) == (2, f"chmod go-w {project}")
    project.chmod(0o644)
    run("config", "trust")
    project.unlink()
    assert "trusted no more" in run("config", "untrust", str(project.parent)).out


# the list of what is trusted


def test_the_list_is_the_users_alone(run, project, home):
    """The list is 0600; one that others may write, or that is none, trusts nothing."""
    project.write_text(f'origin = "{ORIGIN}"\n')
    run("config", "trust")
    listed = home / "trusted"
    assert listed.stat().st_mode & 0o777 == 0o600
    raw = listed.read_bytes()

    def seen():
        done = run("remember", "the vault code", "--json")
        return origin_of(done), "is not believed" in done.err

    assert seen() == (ORIGIN, False)
    listed.chmod(0o622)
    assert seen() == ("owner", True)
    assert run("config", "trust").code == 2
    listed.unlink()
    (home / "elsewhere").write_bytes(raw)
    listed.symlink_to(home / "elsewhere")
    assert seen() == ("owner", True)
    listed.unlink()
    os.mkfifo(listed)
    assert seen() == ("owner", True)
    listed.unlink()
    listed.write_bytes(raw * 20_000)
    assert seen() == ("owner", True)
    listed.write_bytes(b"\xff\0 nonsense\n" + raw)
    listed.chmod(0o600)
    assert seen() == (ORIGIN, False)


def test_two_at_once_lose_nothing(home, tmp_path):
    """Files that are trusted by many processes at once are all trusted afterwards."""
    paths = [str(tmp_path / f"p{n} ä\n\\n" / ".tideline.toml") for n in range(12)]
    script = (
        "import sys; from tideline_cli.config import project\n"
        "for path in sys.argv[2:]:\n"
        "    project.set_trusted_digest(sys.argv[1], path, project.digest(path.encode()))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(home), *paths[n::4]]) for n in range(4)
    ]
    assert [one.wait(60) for one in running] == [0] * 4
    for path in paths:
        found = project_settings.trusted_digest(str(home), path)
        assert found == project_settings.digest(path.encode())
    assert sorted(os.listdir(home)) == ["trusted"]


# files of others


@pytest.mark.parametrize("make", ["writable", "theirs", "theirs and broken", "link of theirs",
                                  "fifo", "folder", "device", "dangling"])  # fmt: skip
def test_what_others_put_there_breaks_nothing(run, project, tmp_path, make):
    """A project file that is not the user's alone is ignored with one line, and hangs nothing."""
    project.write_text('tags = ["x"]\n' if make != "theirs and broken" else "a.a.a = 1")
    if os.geteuid() != 0 and ("theirs" in make or make == "device"):
        pytest.skip("only root can give files away")
    if make == "writable":
        project.chmod(0o664)
    elif "theirs" in make and "link" not in make:
        os.chown(project, 1234, 1234)
    else:
        project.rename(tmp_path / "aside")
        if make == "link of theirs":
            project.symlink_to(tmp_path / "aside")
            os.lchown(project, 1234, 1234)
        elif make == "device":
            os.mknod(project, 0o20600, os.makedev(5, 0))
        elif make == "dangling":
            project.symlink_to("nowhere")
        else:
            (os.mkfifo if make == "fifo" else os.mkdir)(project)
    start = time.monotonic()
    done = run("remember", "one text", "--json")
    assert (done.code, done.json["fact"]["tags"]) == (0, [])
    assert json.loads(done.err)["warning"]["code"] == "foreign_project"
    assert run("config", "trust").code == 2
    assert time.monotonic() - start < 5


# what no file of settings may be


HOSTILE = {
    "dotted": b"a" + b".a" * 30_000 + b" = 1\n",
    "dotted, known": b"limit" + b".a" * 30_000 + b" = 1\n",
    "dotted value": b"limit = 1" + b".1" * 30_000 + b"\n",
    "table": b"[" + b"a." * 30_000 + b"a]\n",
    "tables": b"[a]\n" * 16_000,
    "nested": b"tags = " + b"[" * 30_000 + b"]" * 30_000 + b"\n",
    "nested a little": b"tags = [[[[[]]]]]\n",
    "inline tables": b"tags = " + b"{a=" * 20_000 + b"1" + b"}" * 20_000 + b"\n",
    "digits": b"limit = " + b"9" * 6000 + b"\n",
    "hex": b"limit = 0x" + b"f" * 6000 + b"\n",
    "large": b"# " + b"x" * (64 * 1024) + b"\n",
    "quotes": b"origin = " + b'"""' * 21_000 + b"\n",
    "quotes open": b'tags = ["' + b'\\"' * 30_000,
    "text open": b'origin = "abc\nlimit = 3\n',
    "apostrophes": b"origin = " + b"'" * 60_000 + b"\n",
    "twice": b"limit = 1\n" * 6000,
    "unknown": b"\n\nfrobnicate = 1\n",
    "no value": b"limit\n",
    "closed twice": b"limit = 1]\na.a.a = 1\n",
    "not UTF-8": b"# ok\nlimit = 3\n# \xff\n",
    "nul": b"limit = 3\n\0\n",
    "zero": b"limit = 0\n",
    "too much": b"max_chars = 1000001\n",
    "negative": b"limit = -1\n",
    "a part": b"limit = 2.5\n",
    "a truth": b"limit = true\n",
    "a date": b"limit = 2026-01-01\n",
    "an origin that is none": b'origin = "everyone"\n',
    "numbers as tags": b"tags = [1, 2]\n",
    "lists as tags": b'tags = [["a"]]\n',
}


@pytest.mark.parametrize("which", ["config.toml", ".tideline.toml"])
@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_settings_file(run, project, home, raw, which):
    """It is one usage error that names file, line and remedy, and it is found at once."""
    path = project if which == ".tideline.toml" else home / "config.toml"
    path.write_bytes(raw)
    start = time.process_time()
    done = run("status", "--json")
    took = time.process_time() - start
    assert (done.code, done.error["code"]) == (2, "usage"), done.err
    assert str(path) in done.error["message"]
    assert len(raw) > 64 * 1024 or "line" in done.error["message"]
    assert done.error["hint"]
    assert len(done.err) < 900  # where it names each setting
    assert took < 1.0, took
    auto = run("context", "deploy", "--auto", "--json")
    # A project's file is passed over, the user's own stops the door: neither says a word.
    assert (auto.code, auto.err) == (0, "")
    told = run("context", "deploy", "--auto", "--verbose")
    assert (told.code, str(path) in told.err) == (0, True)
    if which == "config.toml":
        mended = run("config", "set", "limit", "3").code == 0
        assert mended == (path.read_bytes() != raw)
        assert not mended or run("config", "set", "tags", "a").code == 0


def test_the_line_is_that_of_the_setting(run, project):
    """The error names the line that is wrong, behind comments and values of many lines."""
    project.write_text('# one\ntags = [\n  "a", # [{\n]\n\nlimit = 0 # low\n')
    assert f"{project}, line 6: limit cannot be 0" in run("list").err
    project.write_text("# one\n\n\ndatabase = 'x'\n")
    assert f"{project}, line 4: a project file may not set database" in run("list").err


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ('tags = ["a", \'b\', """c\nd""", \'\'\'e\'\'\']', ["a", "b", "c\nd", "e"]),
        ('"tags" = ["x # y = [{", "\\"q\\\\"] # z', ["x # y = [{", '"q\\']),
        ("\ufefftags = [ # none\n]\r\nlimit = 3\r\n", []),
        ('tags = [""""two""""", ""]', ['"two""']),
        ("tags=[]", []),
    ],
)
def test_what_toml_allows_is_read(run, project, text, tags):
    """Quotes, comments, lists over many lines and a mark at the beginning are read as TOML has
    them."""
    project.write_bytes(text.encode())
    done = run("config", "list", "--json")
    assert (done.code, done.json["tags"]) == (0, tags), done.err


@pytest.mark.parametrize("make", ["fifo", "folder", "dangling", "device"])
def test_settings_that_are_no_file(run, home, make):
    """A config.toml that is no file is a usage error, and waits for nobody."""
    path = home / "config.toml"
    {"fifo": lambda: os.mkfifo(path), "folder": path.mkdir,
     "dangling": lambda: path.symlink_to("nowhere"),
     "device": lambda: path.symlink_to("/dev/zero")}[make]()  # fmt: skip
    done = run("status", "--json")
    assert (done.code, done.error["code"]) == (2, "usage")
    assert str(path) in done.error["message"]


@pytest.mark.parametrize("value", ["9" * 6000, "1e3", "", "٣", "0"])
def test_a_number_of_the_environment(run, monkeypatch, value):
    """A number that is none is a usage error also where it stands in the environment."""
    monkeypatch.setenv("TIDELINE_LIMIT", value)
    done = run("recall", "x", "--json")
    if value:
        assert (done.code, len(done.err) < 300) == (2, True)
        assert "TIDELINE_LIMIT" in done.error["message"]
    assert run("config", "set", "limit", value or "x").code == 2
    assert run("config", "set", "color", "purple").code == 2
    assert run("config", "set", "origin", "everyone").code == 2


@pytest.mark.parametrize("argv", [("context", "x", "--auto"), ("context", "-", "--auto")])
@pytest.mark.file_alone("it damages a file")
def test_a_door_for_programs_does_not_fail(run, home, argv):
    """context --auto ends with 0 and prints nothing where it cannot answer."""
    (home / "tideline.db").write_text("not a database, but a text that is long enough" * 40)
    done = run(*argv, stdin=b"\xff")
    assert (done.code, done.out, done.err) == (0, "", "")
    told = run(*argv, "--verbose", stdin=b"\xff")
    assert (told.code, told.out, told.err.startswith("tideline: ")) == (0, "", True)
    assert run("context", "x").code == 5


def test_a_linked_settings_file_stays_a_link(run, home, tmp_path):
    """Who keeps config.toml elsewhere and links to it is told where to set it: nothing is written
    through the link, and nothing is put in its place."""
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("# mine\nlimit = 3\n")
    home.mkdir(exist_ok=True)
    (home / "config.toml").symlink_to(kept)
    done = run("config", "set", "limit", "4")
    assert (done.code, str(kept) in done.err, "limit = 4" in done.err) == (2, True, True)
    assert (home / "config.toml").is_symlink()
    assert kept.read_text() == "# mine\nlimit = 3\n"
    assert run("config", "get", "limit").out == "3\n"


def test_what_is_set_and_trusted_is_on_the_disk(run, project, monkeypatch):
    """A new name in a folder is kept by a power cut only once the folder is synced."""
    project.write_text('tags = ["work"]\n')
    synced = []
    sync = os.fsync

    def noted(handle):
        synced.append(os.path.realpath(f"/proc/self/fd/{handle}"))
        sync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    for argv in (("config", "set", "limit", "4"), ("config", "trust")):
        synced.clear()
        assert run(*argv).code == 0
        assert os.path.isdir(synced[-1]), synced


WRITTEN = (
    '# my settings\n"max_chars" = 900  # for small models\n\ntags = [\n  "a",  # first\n'
    '  "b",\n]\nlimit = 5\n\n# the end\n'
)


def test_what_is_not_set_stays_as_it_is(run, home):
    """Comments, order, quoted keys, lists of many lines and line ends survive each change."""
    home.mkdir(exist_ok=True)
    path = home / "config.toml"
    for text in (WRITTEN, WRITTEN.replace("\n", "\r\n")):
        path.write_bytes(text.encode())
        assert run("config", "set", "max_chars", "800").code == 0
        assert path.read_bytes().decode() == text.replace("900", "800")
        assert run("config", "set", "tags", "a,b,c").code == 0
        assert "# first" in path.read_text() and run("config", "get", "tags").out == "a,b,c\n"
        assert run("config", "set", "tags", "x").code == 0
        assert run("config", "get", "tags").out == "x\n"
        assert run("config", "unset", "tags").code == 0
        assert run("config", "unset", "max_chars").code == 0
        left = [line.strip() for line in path.read_text().split("\n") if line.strip()]
        assert left == ["# my settings", "limit = 5", "# the end"]
        assert run("config", "get", "max_chars").out == f"{DEFAULT_CHARS}\n"
        assert path.stat().st_mode & 0o777 == 0o600


def test_unset(run, home):
    """What is not set is said to be so; what belongs to the memory file has always a value."""
    done = run("config", "unset", "limit")
    assert (done.code, "limit is not set in" in done.err) == (0, True)
    assert run("config", "unset", "limit", "--json").json["changed"] is False
    assert not (home / "config.toml").exists()
    assert "tideline config set analyzer standard" in run("config", "unset", "analyzer").err
    assert run("config", "unset", "bogus").code == 2
    assert run("config", "unset").code == 2


def test_the_list_shows_what_holds(run):
    """Defaults are shown as values, and what has none is said not to be set."""
    lines = run("config", "list").out.split("\n")
    assert f"limit\t{DEFAULT_LIMIT}\t(default)" in lines
    assert f"max_chars\t{DEFAULT_CHARS}\t(default)" in lines
    assert "model\t\t(not set)" in lines
    assert run("config", "list", "--json").json["limit"] == DEFAULT_LIMIT


def editor(tmp_path, monkeypatch, text):
    """Make an editor that writes a text, and keeps what it was given."""
    script = tmp_path / "editor.sh"
    (tmp_path / "new").write_text(text)
    script.write_text(f'cp "$1" {tmp_path}/seen; cp {tmp_path}/new "$1"\n')
    monkeypatch.setenv("VISUAL", f"sh {script}")
    return tmp_path / "seen"


def test_edit_checks_before_it_replaces(run, home, tmp_path, monkeypatch):
    """config edit replaces the file by what is allowed; what is not is kept as a draft, named with
    its line, and the next edit begins with it. It mends a broken file too."""
    home.mkdir(exist_ok=True)
    path = home / "config.toml"
    path.write_text(WRITTEN)
    seen = editor(tmp_path, monkeypatch, "# new\nlimit = 0\n")
    done = run("config", "edit")
    assert done.code == 2 and "line 2" in done.err and "config.toml.draft" in done.err
    assert (path.read_text(), seen.read_text()) == (WRITTEN, WRITTEN)
    editor(tmp_path, monkeypatch, "# new\nlimit = 7\n")
    assert run("config", "edit").code == 0
    assert seen.read_text() == "# new\nlimit = 0\n"
    assert path.read_text() == "# new\nlimit = 7\n"
    assert sorted(os.listdir(home)) == ["config.toml"]
    path.write_text("limit = = 3\n")
    broken = run("recall", "x")
    assert broken.code == 2 and f"{path}" in broken.err and "line 1" in broken.err
    assert "tideline config edit" in broken.err and broken.err.count("config.toml") == 1
    assert run("config", "set", "limit", "3").code == 2 and "= =" in path.read_text()
    assert run("config", "edit").code == 0 and path.read_text() == "# new\nlimit = 7\n"
    assert "nothing changed" in run("config", "edit").err
    monkeypatch.setenv("VISUAL", "false")
    assert run("config", "edit").code != 0 and path.read_text() == "# new\nlimit = 7\n"
    monkeypatch.delenv("VISUAL")
    monkeypatch.delenv("EDITOR", raising=False)
    assert "config set NAME VALUE" in run("config", "edit").err


def test_what_holds_without_a_setting_is_shown(run):
    """Values that the program itself falls back on are those that `config` shows."""
    usual = HeatRule()
    for name, field in HEAT_SETTINGS.items():
        value = getattr(usual, field)
        shown = {True: "on", False: "off"}[value] if isinstance(value, bool) else f"{value:g}"
        assert run("config", "get", name).out.strip() == shown
    assert run("config", "get", "fading").out.strip() == f"{DEPTH:g}"
    assert run("config", "get", "dedup").out.strip() == "exact"


def test_a_wrong_name_of_a_setting_is_led_to_the_right_one(run):
    """Nearly right names are offered; the embedder, which is none, is led to its command."""
    assert "did you mean promotion_both_access" in run("config", "get", "promotion_both_acces").err
    for name in ("embedder", "embed-model", "EMBEDDING_MODEL"):
        asked = run("config", "set", name, "minilm")
        assert asked.code == 2
        assert "tideline embedder use" in asked.err
    for name in ("home", "db", "TIDELINE_HOME", "path"):
        assert "did you mean database?" in run("config", "set", name, "/x").err
    assert run("config", "get", "nothing_like_it").code == 2
