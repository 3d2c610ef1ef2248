"""Odd surroundings: streams closed or full, no home, strange names, other users, umasks."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support import NOW, ROOT, empty_store_at

SAY = f"{sys.executable} -m tideline_cli"
COMMANDS = (
    ("remember", "I deploy on Fridays"), ("recall", "deploy"), ("context", "deploy"), ("list",),
    ("status",), ("export",), ("history",), ("show", "NOPE"), ("config", "list"),
)  # fmt: skip


@pytest.fixture
def environ(tmp_path):
    """The environment of a login that says nothing but where home is."""
    return {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT),
            "TIDELINE_NOW": str(NOW), "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip


def run(argv, environ, **given):
    given = {"stdin": subprocess.DEVNULL, "timeout": 30, **given}
    return subprocess.run([sys.executable, "-m", "tideline_cli", *argv], env=environ,
                          capture_output=True, check=False, **given)  # fmt: skip


def shell(line, environ, **given):
    return subprocess.run(["sh", "-c", line], env=environ, capture_output=True, timeout=30,
                          check=False, **given)  # fmt: skip


def ends_well(done, *codes):
    """Check that a command ended with one of these codes, and without a traceback."""
    said = done.stdout + done.stderr
    assert b"Traceback" not in said, said
    assert b"tideline: internal error" not in said, said
    assert b"Exception ignored" not in said, said
    assert done.returncode in codes, (done.args, done.returncode, said)
    return done


@pytest.mark.sampled(2)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("argv", ["remember x", "recall deploy", "--help", "--version",
                                  "man list", "list --json"])  # fmt: skip
def test_full_streams(environ, argv):
    """Output that cannot be written ends with 73; a full stderr alone changes no code."""
    ends_well(run(COMMANDS[0], environ), 0)
    ends_well(shell(f"{SAY} {argv} > /dev/full", environ), 73)
    ends_well(shell(f"{SAY} {argv} 2> /dev/full", environ), 0)
    ends_well(shell(f"{SAY} {argv} > /dev/full 2>&1", environ), 73)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_an_error_that_nobody_hears(environ):
    """An error keeps its code when stderr is full or closed."""
    for closing in ("2> /dev/full", "2>&-", ">&- 2>&-"):
        ends_well(shell(f"{SAY} show NOPE {closing}", environ), 3)
        ends_well(shell(f"{SAY} show NOPE --json --debug {closing}", environ), 3)
        ends_well(shell(f"{SAY} list --limit -1 {closing}", environ), 2)
        ends_well(shell(f"{SAY} nonsense {closing}", environ), 2)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("argv", [*COMMANDS[:5], ("show", "NOPE"), ("--help",), ("nonsense",)])
def test_closed_streams(environ, argv):
    """Each of the three streams may be closed, or all."""
    line = f"{SAY} {' '.join(map(repr, argv))}"
    for closing, codes in (("<&-", (0, 1, 2, 3)), ("2>&-", (0, 1, 2, 3)),
                           (">&-", (0, 1, 2, 3, 73)),
                           ("<&- >&- 2>&-", (0, 1, 2, 3, 73))):  # fmt: skip
        ends_well(shell(f"{line} {closing}", environ), *codes)


def test_a_reader_that_goes_away(environ):
    """A pipe that is closed early ends a command quietly with 0."""
    text = " ".join(f"word{n}" for n in range(800))
    for n in range(12):
        ends_well(run(("remember", f"{n} {text}"), environ), 0)
    for argv in ("list", "export", "recall word7", "list --json", "history", "man list"):
        done = shell(f"({SAY} {argv}; echo $? >&2) | true", environ)
        assert done.stderr.strip().split(b"\n")[-1] == b"0", (argv, done.stderr)
        ends_well(done, 0)


def test_no_home(environ, tmp_path):
    """Without HOME the password file says where home is; with a home that is none, writing ends
    with 73 and reading with what an empty store says."""
    environ["TIDELINE_HOME"] = str(tmp_path / "elsewhere")
    del environ["HOME"]
    ends_well(run(COMMANDS[0], environ), 0)
    del environ["TIDELINE_HOME"]
    (tmp_path / "file").write_text("x")
    for home in (str(tmp_path / "file"), "/dev/null", "/proc/nothing/here"):
        environ["HOME"] = home
        ends_well(run(COMMANDS[0], environ), 73)
        ends_well(run(("recall", "deploy"), environ), 1, 2, 73)
        ends_well(run(("status",), environ), 0, 2, 73)
        ends_well(run(("config", "set", "limit", "5"), environ), 2, 73)
    for home in ("relative", "~"):  # not the empty one: that is the root of the file system
        (tmp_path / "cwd").mkdir(exist_ok=True)
        ends_well(run(COMMANDS[0], environ | {"HOME": home}, cwd=tmp_path / "cwd"), 0, 73)


@pytest.mark.parametrize("home", ["file", "dangling", "loop"])
def test_a_home_that_is_no_folder(environ, tmp_path, home):
    """TIDELINE_HOME may be a file or a link to nothing: writing says so, with 73 or 2."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    environ["TIDELINE_HOME"] = str(tmp_path / home)
    for argv in COMMANDS:
        done = ends_well(run(argv, environ), 0, 1, 2, 3, 73)
        assert done.returncode or argv[0] != "remember"
    assert (tmp_path / "file").read_text() == "x"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "locale",
    [{"LANG": "C"}, {"LC_ALL": "POSIX"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}, {"LANG": "xx_YY.zz"},
     {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
     {"PYTHONIOENCODING": "latin-1"}, {"PYTHONIOENCODING": "ascii:strict"},
     {"PYTHONIOENCODING": "utf-16"}],
    ids=str,
)  # fmt: skip
def test_locales(environ, locale):
    """In a poor locale every text is kept and every command ends well."""
    text = "用户喜欢素食 مرحبا é"
    utf8 = {name: value for name, value in environ.items() if name not in locale}
    utf8["LC_ALL"] = "C.UTF-8"
    environ |= locale
    # Words that Python was told to read as ASCII are refused as what they are not.
    is_ascii = locale.get("PYTHONUTF8") == "0"
    ends_well(run(("remember", text), environ), 2 if is_ascii else 0)
    ends_well(run(("remember", text), utf8), 0)
    for argv in (("list",), ("list", "--json"), ("recall", "素食", "--json"), ("--help",),
                 ("member", "--help"), ("man", "member"), ("recall", "--help")):  # fmt: skip
        ends_well(run(argv, environ), 0, 1, 2 if is_ascii else 0, 3)
    for argv in (("素食",), ("list", "--素食"), ("list", "--kind", "素食"), ("config", "素食")):
        ends_well(run(argv, environ), 2)
    done = ends_well(run(("export",), utf8), 0)
    assert done.stdout.count(text.encode()) == 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["q?mode=ro#%41;é\" '", "two words", "new\nline", "-dash", "%s{}",
                                  "file:x", ":memory:", "x" * 200])  # fmt: skip
def test_names_of_the_home(environ, tmp_path, name):
    """The home's name is a path and nothing else, whatever it looks like."""
    home = tmp_path / "in" / name
    environ["TIDELINE_HOME"] = str(home)
    ends_well(run(COMMANDS[0], environ), 0)
    done = ends_well(run(("recall", "deploy", "--json"), environ), 0)
    assert b"I deploy on Fridays" in done.stdout
    assert {entry for entry in os.listdir(home) if "-" not in entry} == {"tideline.db"}
    assert os.listdir(tmp_path / "in") == [name]
    ends_well(run(("export", "--format", "sqlite", "-o", str(home / "out.db")), environ), 0)
    ends_well(run(("import", str(home / "out.db")), environ), 0)
    ends_well(run(("schedule", "--cron"), environ), 0, 2)


def test_a_working_folder_that_is_gone(environ, tmp_path):
    """A command works in a folder that was removed, as long as no path is relative."""
    for n, argv in enumerate(COMMANDS):
        gone = tmp_path / f"gone{n}"
        gone.mkdir()
        line = f"rm -r '{gone}'; {SAY} {' '.join(map(repr, argv))}"
        ends_well(shell(line, environ, cwd=gone), 0, 1, 3)
        gone.mkdir()
        ends_well(shell(f"{line} --db relative.db", environ, cwd=gone), 0, 1, 2, 3, 73)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("umask", ["000", "077", "777"])
def test_umasks(environ, tmp_path, umask):
    """Whatever the umask, folders are 0700 and files 0600; everything made stays usable."""
    out = tmp_path / "out"
    out.mkdir()
    lines = (
        f"{SAY} remember 'I deploy on Fridays'", f"{SAY} recall deploy",
        f"{SAY} config set limit 5", f"{SAY} export -o {out}/a.jsonl",
        f"{SAY} export --format sqlite -o {out}/a.db",
        f"{SAY} import {out}/a.jsonl", f"{SAY} dream", f"{SAY} recall deploy",
    )  # fmt: skip
    for line in lines:
        ends_well(shell(f"umask {umask}; {line}", environ), 0)
    modes = {}
    for top in (tmp_path / ".local", tmp_path / ".config", out):
        for folder, _, files in os.walk(top):
            if folder != str(out):
                modes[folder] = stat.S_IMODE(os.stat(folder).st_mode) == 0o700
            for name in files:
                path = os.path.join(folder, name)
                modes[path] = stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert len(modes) > 8
    assert {path for path, is_tight in modes.items() if not is_tight} == set()


# what root may do anyway is tried as somebody else

NOBODY = 65534
CHANGER = shutil.which("setpriv")
needs_nobody = pytest.mark.skipif(
    os.geteuid() != 0 or CHANGER is None, reason="needs root and setpriv"
)


@pytest.fixture
def as_nobody(environ):
    """Run a command as a user who is not root, in a folder that is theirs; pytest's are closed."""
    place = Path(tempfile.mkdtemp(prefix="tideline-nobody-"))
    os.chown(place, NOBODY, NOBODY)
    prefix = [CHANGER, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    environ = environ | {"TIDELINE_HOME": str(place), "HOME": str(place)}

    def call(*argv):
        return subprocess.run(
            [*prefix, sys.executable, "-m", "tideline_cli", *argv], env=environ, cwd="/",
            stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False,
        )  # fmt: skip

    probe = subprocess.run([*prefix, sys.executable, "-c", "import apsw, tideline_cli"],
                           env=environ, cwd="/", capture_output=True, check=False)  # fmt: skip
    if probe.returncode:
        shutil.rmtree(place)
        pytest.skip("this Python is not readable for others")
    call.place = place
    yield call
    shutil.rmtree(place)


def close(place, **modes):
    for name, mode in modes.items():
        os.chmod(place / "tideline.db" if name == "file" else place, mode)


@needs_nobody
def test_a_read_only_file_or_folder(as_nobody):
    """Reading goes on where nothing can be written; writing ends with 73 and says why."""
    place = as_nobody.place
    ends_well(as_nobody("remember", "I deploy on Fridays"), 0)
    for name in ("tideline.db-wal", "tideline.db-shm", "tideline.db-lock"):
        (place / name).unlink(missing_ok=True)
    before = (place / "tideline.db").read_bytes()
    for modes in ({"file": 0o400}, {"folder": 0o500}, {"file": 0o400, "folder": 0o500}):
        close(place, file=0o600, folder=0o700)
        close(place, **modes)
        for argv in (("recall", "deploy"), ("context", "deploy"), ("list",), ("export",)):
            done = ends_well(as_nobody(*argv), 0)
            assert b"I deploy on Fridays" in done.stdout, (modes, argv, done.stderr)
        ends_well(as_nobody("status"), 0)
        done = ends_well(as_nobody("remember", "something else", "--json"), 73)
        assert b'"code": "cannot_write"' in done.stderr
        assert (place / "tideline.db").read_bytes() == before


@needs_nobody
def test_a_file_that_may_not_be_read(as_nobody):
    """A memory file that is closed to the user ends every command with 73."""
    ends_well(as_nobody("remember", "I deploy on Fridays"), 0)
    close(as_nobody.place, file=0o000)
    for argv in COMMANDS[:7]:
        ends_well(as_nobody(*argv), 73)
    close(as_nobody.place, file=0o600, folder=0o000)
    for argv in COMMANDS[:7]:
        ends_well(as_nobody(*argv), 73, 1, 2)


@needs_nobody
def test_a_store_of_another_user(as_nobody):
    """What another user owns is used as far as its modes allow, and its modes are left alone."""
    place = as_nobody.place
    ends_well(as_nobody("remember", "I deploy on Fridays"), 0)
    path = place / "tideline.db"
    os.chown(path, 0, 0)
    ends_well(as_nobody("recall", "deploy"), 73)
    os.chmod(path, 0o666)
    ends_well(as_nobody("remember", "a shared text"), 0)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666


def test_hard_links(environ, tmp_path):
    """A second name of the file leads to the same facts once no process holds it open."""
    environ["TIDELINE_HOME"] = str(tmp_path / "home")
    ends_well(run(COMMANDS[0], environ), 0)
    os.link(tmp_path / "home" / "tideline.db", tmp_path / "second.db")
    done = ends_well(run(("recall", "deploy", "--db", str(tmp_path / "second.db")), environ), 0)
    assert b"I deploy on Fridays" in done.stdout


BESIDE = ("tideline.db-wal", "tideline.db-shm", "tideline.db-journal", "tideline.db-lock",
          "tideline.db-lock-dream", "config.toml", "config.toml.new", "last-recall")  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("to", ["text", "empty", "dangling"])
@pytest.mark.parametrize(
    "names", [("tideline.db",), BESIDE[:3], BESIDE[3:], BESIDE[6:]], ids=lambda names: names[0]
)
def test_no_file_of_the_home_is_written_through_a_link(environ, tmp_path, names, to):
    """Links under names of ours lead no write anywhere else."""
    home = tmp_path / "mine"
    home.mkdir(mode=0o700)
    environ["TIDELINE_HOME"] = str(home)
    if "tideline.db" not in names:
        empty_store_at(home / "tideline.db")
    contents = {"text": b"limit = 7\n", "empty": b"", "dangling": None}
    for name in names:
        target = tmp_path / f"target of {name}"
        if (content := contents[to]) is not None:
            target.write_bytes(content)
        (home / name).symlink_to(target)
    for argv in (COMMANDS[0], ("recall", "deploy"), ("dream",), ("config", "set", "limit", "5"),
                 ("import", "-"), ("purge", "--yes", "01K")):  # fmt: skip
        ends_well(run(argv, environ), 0, 1, 2, 3, 5, 73)
    for name in names:
        target = tmp_path / f"target of {name}"
        assert (target.read_bytes() if target.exists() else None) == contents[to], name
