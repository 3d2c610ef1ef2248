"""A git repository as a place: what is in it takes no effect here, and what is sent is told by
nothing but segments."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.support import ROOT
from tests.sync.building import DESKTOP, LAPTOP, PLACE, Log, Machine, header, read
from tideline_cli.errors import BusyError, StoreError, TidelineError
from tideline_cli.sync import folders, layout, segment
from tideline_cli.sync.places import git as git_places
from tideline_cli.sync.places import mirrored, open_place
from tideline_cli.sync.places.git import GitPlace
from tideline_cli.system.programs import Done

pytestmark = pytest.mark.slow


def git(*words, cwd, **more):
    """Run git, and return what it printed."""
    who = {"GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x", "GIT_COMMITTER_NAME": "x",
           "GIT_COMMITTER_EMAIL": "x"}  # fmt: skip
    done = subprocess.run(["git", *words], cwd=cwd, capture_output=True, text=True, check=True,
                          env={**os.environ, **who, **more})  # fmt: skip
    return done.stdout.strip()


def clone(repository, tmp_path):
    """Return a work tree of the branch, as somebody else may change it."""
    tree = tmp_path / "tree"
    git("clone", "-q", "-b", "tideline", str(repository.folder), str(tree), cwd=tmp_path)
    return tree


def push(tree):
    git("add", "-A", "-f", cwd=tree)
    git("commit", "-q", "-m", "x", cwd=tree)
    git("push", "-q", "origin", "HEAD:tideline", cwd=tree)


def test_commits_say_nothing_of_the_facts(repository, tmp_path):
    """One author, a message with the replica's id; other branches are left alone."""
    tree = tmp_path / "code"
    git("clone", "-q", str(repository.folder), str(tree), cwd=tmp_path)
    (tree / "main.py").write_text("print()")
    git("add", "-A", cwd=tree)
    git("commit", "-q", "-m", "code", cwd=tree)
    git("push", "-q", "origin", "HEAD:main", cwd=tree)
    before = git("rev-parse", "main", cwd=repository.folder)
    laptop = Machine(repository, LAPTOP, tmp_path)
    laptop.say(b"I deploy on Fridays")
    laptop.say(b"and rest on Sundays")
    said = git("log", "--format=%an <%ae> %cn <%ce> %B", "tideline", cwd=repository.folder)
    who = "tideline <tideline@localhost>"
    assert set(filter(None, said.splitlines())) == {f"{who} {who} Segments of {LAPTOP}"}
    assert git("rev-parse", "main", cwd=repository.folder) == before
    names = git("ls-tree", "--name-only", "tideline", cwd=repository.folder).split()
    assert names == [LAPTOP, "place.json"]


def test_nothing_in_the_repository_takes_effect(repository, tmp_path):
    """Attributes, filters, links, modules, strange names and modes are passed by, and kept."""
    laptop = Machine(repository, LAPTOP, tmp_path)
    laptop.say(b"one")
    tree = clone(repository, tmp_path)
    (tree / ".gitattributes").write_text("* filter=evil text eol=crlf ident\n")
    (tree / ".gitmodules").write_text('[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% x\n')
    (tree / "README.md").write_text("hello")
    (tree / DESKTOP).mkdir()
    os.symlink("/etc/passwd", tree / DESKTOP / "00000001.seg")
    second = tree / DESKTOP / "00000002.seg"
    second.write_bytes(segment.pack(header(2, replica=DESKTOP), [], None))
    second.chmod(0o755)
    os.symlink("/tmp", tree / ("e" * 32))
    push(tree)
    evil = tmp_path / "touched"
    config = tmp_path / "gitconfig"
    config.write_text(f'[filter "evil"]\n\tsmudge = touch {evil}\n\tclean = touch {evil}\n'
                      f"[core]\n\tautocrlf = true\n\tattributesFile = {tree}/.gitattributes\n"
                      f"\thooksPath = {tmp_path}/hooks\n[commit]\n\tgpgSign = true\n"
                      f"[init]\n\ttemplateDir = {tmp_path}/template\n")  # fmt: skip
    for name in ("hooks", "template/hooks"):
        (tmp_path / name).mkdir(parents=True)
        # Those of the receiving side, which is here too, are that side's own matter.
        for hook in ("pre-push", "pre-auto-gc", "post-checkout", "post-index-change", "pre-commit"):
            (tmp_path / name / hook).write_text(f"#!/bin/sh\necho $0 >> {evil}\n")
            (tmp_path / name / hook).chmod(0o755)
    repository.environ["GIT_CONFIG_GLOBAL"] = str(config)
    fresh = Machine(repository, LAPTOP, tmp_path / "fresh")
    fresh.say(b"two\r")
    folder = fresh.fetch()
    assert read(folder, LAPTOP) == [1, 2]
    assert sorted(os.listdir(folder)) == sorted([LAPTOP, DESKTOP, "place.json"])
    assert read(folder, DESKTOP) == ["gap"]
    assert not evil.exists()
    kept = git("ls-tree", "-r", "--name-only", "tideline", cwd=repository.folder).split("\n")
    assert {".gitattributes", ".gitmodules", "README.md", "e" * 32} <= set(kept)


def test_the_place_of_who_was_first_stays(repository, tmp_path):
    """A place.json that somebody changes afterwards is taken by all; nobody writes it over."""
    laptop = Machine(repository, LAPTOP, tmp_path)
    laptop.say(b"one")
    tree = clone(repository, tmp_path)
    other = layout.PlaceFile(PLACE, False)
    (tree / "place.json").write_bytes(layout.place_text(other))
    push(tree)
    assert layout.find_place(laptop.fetch()) == other
    assert read(laptop.fetch(), LAPTOP) == ["place"]


def test_one_who_is_always_late_gives_up(repository, tmp_path, monkeypatch):
    """A push that loses each race ends with 75, and what was to be sent is still there."""
    laptop = Machine(repository, LAPTOP, tmp_path)
    laptop.say(b"one")
    Log(laptop.fetch(), LAPTOP).write(b"two")
    monkeypatch.setattr(mirrored, "_PAUSE", 0.001)
    fetched = laptop.place._fetched

    def fetched_too_early():
        """Let somebody else write a commit after each look at the place."""
        head = fetched()
        who = {f"GIT_{one}_{two}": "x" for one in ("AUTHOR", "COMMITTER")
               for two in ("NAME", "EMAIL")}  # fmt: skip
        made = git("commit-tree", "-p", head, "-m", "x", f"{head}^{{tree}}", cwd=repository.folder,
                   **who)  # fmt: skip
        git("update-ref", "refs/heads/tideline", made, cwd=repository.folder)
        return head

    monkeypatch.setattr(laptop.place, "_fetched", fetched_too_early)
    with pytest.raises(BusyError, match="others write"):
        laptop.place.send(LAPTOP)
    monkeypatch.undo()
    laptop.place.send(LAPTOP)
    assert read(Machine(repository, DESKTOP, tmp_path).fetch(), LAPTOP) == [1, 2]


def test_a_repository_that_refuses_is_told(repository, sshd, tmp_path):
    """A hook of the server that declines the push is 73, on one line."""
    keys = dict(sshd)
    repository.address = f"git+ssh://127.0.0.1:{keys.pop('port')}{repository.folder}"
    repository.environ |= keys
    hook = repository.folder / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(TidelineError) as refused:
        Machine(repository, LAPTOP, tmp_path).say(b"one")
    assert (refused.value.exit_code, "\n" in refused.value.message) == (73, False)


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_relative_paths_strange_names_and_both_hashes(form, tmp_path, monkeypatch):
    """A path with blanks and percent signs, from the working folder, is what it says."""
    monkeypatch.chdir(tmp_path)
    name = "a %20 b é.git"
    git("init", "-q", "--bare", f"--object-format={form}", name, cwd=tmp_path)
    for replica, text in ((LAPTOP, b"one"), (DESKTOP, b"two")):
        place = open_place(name, mirror=str(tmp_path / replica), replica=replica)
        Log(place.fetch(), replica).write(text)
        place.send(replica)
        place.send(replica)
    assert folders.replicas(place.fetch()) == (LAPTOP, DESKTOP)


def test_over_ssh(repository, sshd, tmp_path):
    """git over ssh is a place too."""
    keys = dict(sshd)
    repository.address = f"git+ssh://127.0.0.1:{keys.pop('port')}{repository.folder}"
    repository.environ |= keys
    Machine(repository, LAPTOP, tmp_path).say(b"one")
    assert read(Machine(repository, DESKTOP, tmp_path).fetch(), LAPTOP) == [1]


_HOLD = """
import sys, time
from tideline_cli.sync.places import git
def waits(folder):
    print("holds", flush=True)
    time.sleep(60)
git.head_of = waits
git.move_head(sys.argv[1], "", "0" * 40)
"""


def test_the_lock_of_a_process_that_was_killed_is_free_at_once(tmp_path):
    """As long as it lives nobody takes it; a lock that git has taken stays until it is old."""
    folder = str(tmp_path / "place.git")
    subprocess.run(["git", "init", "-q", "--bare", folder], check=True)
    lock = tmp_path / "place.git" / "refs" / "heads" / "tideline.lock"
    commit = "1" * 40
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, folder], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as holder:  # fmt: skip
        try:
            assert holder.stdout.readline() == "holds\n"
            assert [git_places.move_head(folder, "", commit) for _ in range(3)] == [False] * 3
        finally:
            holder.kill()
    assert lock.exists()
    assert [git_places.move_head(folder, "", commit) for _ in range(2)] == [False, True]
    assert git_places.head_of(folder) == commit
    assert os.listdir(lock.parent) == ["tideline"]
    lock.write_text("")  # of git
    assert [git_places.move_head(folder, commit, "2" * 40) for _ in range(2)] == [False] * 2
    os.utime(lock, (1, 1))
    assert [git_places.move_head(folder, commit, "2" * 40) for _ in range(2)] == [False, True]


@pytest.mark.parametrize("harm", [b"", b"\x78\x01junk", None], ids=["empty", "junk", "gone"])
def test_damaged_objects_are_told_in_one_line(repository, tmp_path, harm):
    """Whichever object it is; a new repository at the same path is filled again."""
    laptop = Machine(repository, LAPTOP, tmp_path)
    laptop.say(b"I deploy on Fridays")
    whole = tmp_path / "whole"
    shutil.copytree(repository.folder, whole)
    objects = [path.relative_to(whole) for path in (whole / "objects").glob("??/*")]
    assert len(objects) >= 4  # a commit, two trees, two files
    for path in objects:
        shutil.rmtree(repository.folder)
        shutil.copytree(whole, repository.folder)
        harmed = repository.folder / path
        harmed.unlink()
        if harm is not None:
            harmed.write_bytes(harm)
        with pytest.raises(StoreError) as refused:
            Machine(repository, DESKTOP, tmp_path).fetch()
        told = refused.value
        assert (told.code, told.message) == (
            "place_damaged",
            f"the repository {repository.folder} is damaged: objects of it cannot be read",
        )
        shutil.rmtree(tmp_path / f"mirror-{DESKTOP[:3]}")
    shutil.rmtree(repository.folder)
    git("init", "-q", "--bare", str(repository.folder), cwd=tmp_path)
    laptop.fetch()
    laptop.place.send(LAPTOP)
    assert read(Machine(repository, DESKTOP, tmp_path).fetch(), LAPTOP) == [1]


def test_another_failure_of_a_reader_is_no_damage(repository, tmp_path, monkeypatch):
    """A full disk is told as such, and nobody is told to move a sound repository away."""
    laptop = Machine(repository, LAPTOP, tmp_path)
    laptop.say(b"I deploy on Fridays")
    run = GitPlace._git

    def failing(self, *words, **given):
        if words[0] == "ls-tree":
            return Done(128, b"", "fatal: cannot write: No space left on device")
        return run(self, *words, **given)

    monkeypatch.setattr(GitPlace, "_git", failing)
    with pytest.raises(TidelineError) as refused:
        Machine(repository, DESKTOP, tmp_path).fetch()
    assert refused.value.code != "place_damaged"
    assert "No space left on device" in refused.value.message
