"""Nothing that lies in a git place runs on this machine: each hook that git knows is planted, and
each setting that names a program."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from tests.sync.test_git_place import git
from tideline_cli.sync.places.mirrored import meaning_of

pytestmark = pytest.mark.slow

# As githooks(5) of git 2.39 to 2.51 lists them.
HOOKS = (
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit",
    "prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge",
    "pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update",
    "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite",
    "sendemail-validate", "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist",
    "p4-post-changelist", "p4-pre-submit", "post-index-change",
)  # fmt: skip
# Settings of git-config(1) whose value is a program, and what makes git use one. PROGRAM and FOLDER
# stand for the one that leaves its mark, and for a folder of hooks and settings that do.
SETTINGS = """
core.fsmonitor PROGRAM
core.gitProxy PROGRAM
core.sshCommand PROGRAM
core.alternateRefsCommand PROGRAM
core.askPass PROGRAM
core.hooksPath FOLDER
core.editor PROGRAM
core.pager PROGRAM
core.attributesFile FOLDER/attributes
core.worktree FOLDER
sequence.editor PROGRAM
alias.push !PROGRAM
alias.receive-pack !PROGRAM
alias.upload-pack !PROGRAM
alias.cat-file !PROGRAM
browser.x.cmd PROGRAM
browser.x.path PROGRAM
credential.helper !PROGRAM
credential.helper PROGRAM
diff.external PROGRAM
diff.evil.command PROGRAM
diff.evil.textconv PROGRAM
difftool.x.cmd PROGRAM
difftool.x.path PROGRAM
filter.evil.clean PROGRAM
filter.evil.smudge PROGRAM
filter.evil.process PROGRAM
filter.evil.required true
gpg.program PROGRAM
gpg.format ssh
gpg.ssh.program PROGRAM
gpg.x509.program PROGRAM
gpg.openpgp.program PROGRAM
gpg.ssh.defaultKeyCommand PROGRAM
commit.gpgSign true
push.gpgSign true
tag.gpgSign true
receive.certNonceSeed x
guitool.x.cmd PROGRAM
help.browser x
web.browser x
instaweb.browser PROGRAM
instaweb.httpd PROGRAM
interactive.diffFilter PROGRAM
log.showSignature true
imap.tunnel PROGRAM
init.templateDir FOLDER
man.x.cmd PROGRAM
man.x.path PROGRAM
merge.evil.driver PROGRAM
merge.tool x
mergetool.x.cmd PROGRAM
mergetool.x.path PROGRAM
pager.push PROGRAM
pager.fetch PROGRAM
pager.ls-tree PROGRAM
pager.config PROGRAM
gc.recentObjectsHook PROGRAM
gc.auto 1
receive.procReceiveRefs refs
receive.denyCurrentBranch updateInstead
remote.origin.uploadpack PROGRAM
remote.origin.receivepack PROGRAM
remote.origin.vcs PROGRAM
remote.origin.url ext::PROGRAM
remote.origin.promisor true
remote.origin.partialCloneFilter blob:none
extensions.partialClone origin
protocol.allow always
protocol.ext.allow always
submodule.x.update !PROGRAM
submodule.recurse true
sendemail.smtpServer PROGRAM
sendemail.sendmailCmd PROGRAM
sendemail.toCmd PROGRAM
trailer.x.command PROGRAM
trailer.x.cmd PROGRAM
transfer.bundleURI true
uploadpack.packObjectsHook PROGRAM
url.ext::PROGRAM.insteadOf file://
url.ext::PROGRAM.pushInsteadOf /
hook.x.command PROGRAM
hook.x.event post-receive
include.path FOLDER/more
includeIf.gitdir:/.path FOLDER/more
"""
# What keeps git from opening a bare repository, or from taking a push where no program answers.
STOPS_GIT = ("core.worktree", "receive.procReceiveRefs", "receive.certNonceSeed")
SHAPES = ("bare", "with a work tree", "only looks like one")


class Planted:
    """A repository in which everything leaves a mark; on a machine that is not this one, none."""

    def __init__(self, tmp_path, shape):
        self.marks = tmp_path / "marks"
        self.program = tmp_path / "program"
        mark = f'echo "$0 $*" >> {self.marks}'
        self.program.write_text(f'#!/bin/sh\n[ "$WHERE" = there ] || {mark}\n')
        self.program.chmod(0o755)
        self.path = tmp_path / "the place"
        bare = ("--bare",) if shape == "bare" else ()
        git("init", "-q", *bare, "-b", "main", str(self.path), cwd=tmp_path)
        self.folder = self.path if shape == "bare" else self.path / ".git"
        if shape == "only looks like one":
            # No config and no object, but what a repository has to have.
            self.folder = self.path
            (self.path / ".git").rename(tmp_path / "else")
            for name in ("objects/info", "refs/heads", "hooks", "info"):
                (self.path / name).mkdir(parents=True)
            (self.path / "HEAD").write_text("ref: refs/heads/main\n")
        self.more = tmp_path / "more"

    def plant(self, *, without=()):
        """Lay each hook and each setting there, and what makes git look at them."""
        for folder in (self.folder / "hooks", self.more, self.more / "hooks"):
            folder.mkdir(exist_ok=True, parents=True)
            for name in HOOKS:
                (folder / name).unlink(missing_ok=True)
                (folder / name).symlink_to(self.program)
        attributes = "* filter=evil diff=evil merge=evil text eol=crlf\n"
        (self.more / "attributes").write_text(attributes)
        (self.folder / "info" / "attributes").write_text(attributes)
        (self.path / ".gitattributes").write_text(attributes)
        other = self.more / "other.git"
        if not other.exists():
            git("init", "-q", "--bare", str(other), cwd=self.more)
        (self.folder / "objects" / "info" / "alternates").write_text(f"{other}/objects\n")
        rows = [row for row in SETTINGS.split("\n") if row and row.partition(" ")[0] not in without]
        settings = "".join(map(self._setting, rows))
        (self.more / "more").write_text(settings.partition("[include")[0])
        for one in (other, self.folder):
            with (one / "config").open("a") as config:
                config.write(settings)

    def _setting(self, row):
        name, _, value = row.partition(" ")
        name = name.replace("PROGRAM", str(self.program))
        value = value.replace("PROGRAM", str(self.program)).replace("FOLDER", str(self.more))
        section, _, rest = name.partition(".")
        middle, _, last = rest.rpartition(".")
        head = f'[{section} "{middle}"]' if middle else f"[{section}]"
        return f'{head}\n\t{last} = "{value}"\n'

    def left(self):
        return self.marks.read_text() if self.marks.exists() else ""


@pytest.fixture(params=SHAPES)
def planted(request, tmp_path):
    return Planted(tmp_path, request.param)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("before", ["fresh", "used"])
def test_nothing_in_a_repository_on_this_machine_runs(planted, run, tmp_path, monkeypatch, before):
    """Two machines meet in it, from inside it too: facts go both ways, and no program runs."""
    files = [str(tmp_path / f"{name}.db") for name in ("laptop", "desktop")]
    if before == "used":
        assert run("remember", "I water plants on Mondays", "--db", files[0]).code == 0
        assert run("sync", f"git:{planted.path}", "--plain", "--db", files[0]).code == 0
    planted.plant()
    monkeypatch.chdir(planted.path)
    done = run("sync", f"git:{planted.path}", "--plain", "--db", files[0])
    assert (done.code, "alternates" in done.err, planted.left()) == (2, True, "")
    (planted.folder / "objects" / "info" / "alternates").unlink()
    where = {f"git:{planted.path}", f"git:file://{planted.path}", "git:."}
    for path, said in zip(files, ("I deploy on Fridays", "I rest on Sundays"), strict=True):
        assert run("remember", said, "--db", path).code == 0
        for address in sorted(where):
            done = run("sync", address, "--plain", "--trust", "--db", path)
            assert done.code == 0, done.err
    for path in files:
        assert run("sync", "--db", path).code == 0
        assert run("sync", "status", "--db", path).code == 0
        assert "rest on Sundays" in run("list", "--db", path).out
        assert "deploy on Fridays" in run("list", "--db", path).out
    assert planted.left() == ""


def test_what_is_planted_would_run(tmp_path):
    """git itself, asked to push to such a repository, runs some of it: the marks are real."""
    planted = Planted(tmp_path, "bare")
    planted.plant(without=STOPS_GIT)
    tree = tmp_path / "tree"
    git("init", "-q", str(tree), cwd=tmp_path)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=tree)
    subprocess.run(["git", "push", "-q", str(planted.path), "HEAD:tideline"], cwd=tree, check=False,
                   capture_output=True)  # fmt: skip
    ran = {os.path.basename(row.split()[0]) for row in planted.left().splitlines()}
    assert ran >= {"program", "pre-receive", "update", "reference-transaction", "post-receive"}


@pytest.mark.parametrize("before", ["fresh", "used"])
def test_nothing_of_a_repository_behind_ssh_runs_here(run, tmp_path, monkeypatch, before):
    """What the other machine runs by itself is its own matter; here nothing runs."""
    planted = Planted(tmp_path, "bare")
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\nfor last; do :; done\nWHERE=there exec sh -c "$last"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    path = str(tmp_path / "laptop.db")
    address = f"git+ssh://server{planted.path}".replace(" ", "%20")
    for at, said in enumerate(("I deploy on Fridays", "I rest on Sundays")):
        if at == (before == "used"):
            planted.plant(without=STOPS_GIT)
        assert run("remember", said, "--db", path).code == 0
        done = run("sync", address, "--plain", "--db", path)
        assert done.code == 0, done.err
    assert planted.left() == ""
    assert git("rev-parse", "--verify", "refs/heads/tideline", cwd=planted.path,
               GIT_CONFIG_GLOBAL=os.devnull)  # fmt: skip


def test_what_cannot_be_read_without_git_is_refused(run, tmp_path):
    """A linked work tree, branches as links or reftable, and a branch that is checked out: one line
    that says why, and what to do."""
    path = str(tmp_path / "a.db")
    assert run("remember", "I deploy on Fridays", "--db", path).code == 0
    main = tmp_path / "main"
    git("init", "-q", "-b", "tideline", str(main), cwd=tmp_path)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=main)
    git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"), cwd=main)
    for name in ("links", "reftable"):
        git("init", "-q", "--bare", name, cwd=tmp_path)
    (tmp_path / "links" / "refs").rename(tmp_path / "refs")
    (tmp_path / "links" / "refs").symlink_to(tmp_path / "refs")
    (tmp_path / "reftable" / "reftable").mkdir()
    for name, why in (
        ("main", "checked out"), ("linked", "lies elsewhere"), ("links", "links"),
        ("reftable", "reftable"), ("main/.git/worktrees/linked", "lies elsewhere"),
    ):  # fmt: skip
        done = run("sync", f"git:{tmp_path / name}", "--plain", "--db", path)
        assert (done.code, why in done.err) == (2, True), done.err
        assert "git init --bare" in " ".join(done.err.split())


@pytest.mark.parametrize("name", ["info/alternates", "17/" + "e" * 38, "pack/pack-1.idx",
                                  "pack/pack-1.pack", "pack/multi-pack-index",
                                  "info/commit-graph"])  # fmt: skip
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_an_object_that_is_no_plain_file_is_refused(run, tmp_path, name, kind):
    """Git would wait for a pipe, and follow a link out of the place: it is not asked."""
    path, place = str(tmp_path / "a.db"), tmp_path / "place"
    git("init", "-q", "--bare", str(place), cwd=tmp_path)
    assert run("remember", "I deploy on Fridays", "--db", path).code == 0
    assert run("sync", f"git:{place}", "--plain", "--db", path).code == 0
    odd = place / "objects" / name
    odd.parent.mkdir(exist_ok=True, parents=True)
    os.mkfifo(odd if kind == "pipe" else tmp_path / "pipe")
    if kind == "link":
        odd.symlink_to(tmp_path / "pipe")
    started = time.monotonic()
    done = run("sync", "--db", path)
    assert time.monotonic() - started < 10
    assert (done.code, name in done.err) == (2, True), done.err
    odd.unlink()
    assert run("sync", "--db", path).code == 0


def test_another_users_repository_is_told_with_its_remedy():
    """Where git refuses it on the other machine, the setting that allows it is named."""
    said = ("fatal: detected dubious ownership in repository at '/srv/memory.git'\n"
            "To add an exception for this directory, call:\n\n\tgit config --global --add ...\n")
    error = meaning_of(said, "git+ssh://server/srv/memory.git")
    assert error.exit_code == 6
    assert "safe.directory /srv/memory.git" in error.hint
    assert "another user" in error.message


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone can give files away")
def test_another_users_repository_on_this_machine_is_a_place(run, tmp_path):
    """git is not asked there, so it has nothing to refuse."""
    path = str(tmp_path / "a.db")
    git("init", "-q", "--bare", "theirs.git", cwd=tmp_path)
    for above, folders, files in os.walk(tmp_path / "theirs.git"):
        for name in (".", *folders, *files):
            os.chown(os.path.join(above, name), 4321, 4321)
    assert run("remember", "I deploy on Fridays", "--db", path).code == 0
    assert run("sync", f"git:{tmp_path}/theirs.git", "--plain", "--db", path).code == 0
