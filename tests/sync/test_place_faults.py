"""Places when something goes wrong: kills, full disks, hosts that hang, files cut short."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time

import pexpect
import pytest

from tests.faults.full_disk import fill_up, small_disk
from tests.support import ROOT
from tests.sync.building import DESKTOP, LAPTOP, Log, Machine, read
from tideline_cli.errors import BusyError, StoreError, TidelineError
from tideline_cli.sync import folders, layout
from tideline_cli.sync.places import open_place

pytestmark = pytest.mark.slow
_SEND = """
import sys
from tests.sync.building import Log
from tideline_cli.sync.places import open_place
address, mirror, replica = sys.argv[1:]
place = open_place(address, mirror=mirror, replica=replica, timeout=60)
print("ready", flush=True)
folder = place.fetch()
for number in range(3):
    Log(folder, replica).write(b"%d" % number * 4000)
place.send(replica)
print("sent", flush=True)
"""


def start(where, mirror, replica):
    """Start a process that writes three segments and sends them."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SEND, where.address, str(mirror), replica],
        env={**where.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    return process


def test_a_sender_may_be_killed_at_any_time(where, tmp_path):
    """Killed at many points, a sender leaves whole segments alone, and the next one goes on."""
    reader = Machine(where, DESKTOP, tmp_path)
    begin = time.monotonic()
    with start(where, tmp_path / "m", LAPTOP) as process:
        assert process.stdout.read() == "sent\n"
    whole = time.monotonic() - begin
    assert read(reader.fetch(), LAPTOP) == [1, 2, 3]
    for turn in range(6):
        with start(where, tmp_path / "m", LAPTOP) as process:
            time.sleep(whole * turn / 6)
            process.send_signal(signal.SIGKILL)
        seen = read(reader.fetch(), LAPTOP)
        assert seen == list(range(1, len(seen) + 1))
    with start(where, tmp_path / "m", LAPTOP) as process:
        assert process.stdout.read() == "sent\n"
    seen = read(reader.fetch(), LAPTOP)
    assert len(seen) >= 6
    assert seen == list(range(1, len(seen) + 1))
    names = os.listdir(os.path.join(reader.fetch(), LAPTOP))
    assert all(layout.number_of(name) for name in names)


def test_what_a_killed_git_has_locked_is_free_again(repository, tmp_path):
    """Lock files of a git that was killed do not stop the next sync."""
    laptop = Machine(repository, LAPTOP, tmp_path)
    laptop.say(b"one")
    (laptop.mirror / "sha1-umask.git" / "refs" / "place").mkdir(exist_ok=True)
    for name in ("shallow.lock", "../index.lock", "refs/place/head.lock", "packed-refs.lock",
                 "config.lock"):  # fmt: skip
        (laptop.mirror / "sha1-umask.git" / name).write_text("")
    there = repository.folder / "refs" / "heads" / "tideline.lock"
    there.write_text("")
    os.utime(there, (1, 1))
    laptop.say(b"two")
    assert read(Machine(repository, DESKTOP, tmp_path).fetch(), LAPTOP) == [1, 2]


def test_a_mirror_in_use_is_waited_for(far, tmp_path, monkeypatch):
    """Two syncs of one machine with one place take turns; one that waits too long says so."""
    monkeypatch.setattr("tideline_cli.sync.places.mirrored._WAIT", 0.2)
    one, two = (Machine(far, LAPTOP, tmp_path) for _ in range(2))
    with one.place._mirror.alone(), pytest.raises(BusyError, match="another sync"):
        two.fetch()
    two.fetch()


@pytest.mark.parametrize("kind", ["git", "ssh", "rclone"])
def test_a_full_disk_on_the_other_side(kind, tmp_path, request):
    """The error is 73, what was there stays whole, and with room the next send goes through."""
    from tests.sync.conftest import made

    where = made(kind, tmp_path, request)
    shutil.rmtree(where.folder, ignore_errors=True)
    with small_disk(where.folder, 2 << 20) as mounted:
        if not mounted:
            pytest.skip("nothing may be mounted here")
        if kind == "git":
            subprocess.run(["git", "init", "-q", "--bare", str(where.folder)], check=True)
        laptop = Machine(where, LAPTOP, tmp_path)
        laptop.say(b"one")
        fill_up(where.folder / "plug", leave=0)
        Log(laptop.fetch(), LAPTOP).write(os.urandom(300_000).replace(b"\n", b"x"))
        with pytest.raises(TidelineError) as refused:
            laptop.place.send(LAPTOP)
        assert (refused.value.exit_code, "\n" in refused.value.message) == (73, False)
        reader = Machine(where, DESKTOP, tmp_path)
        assert read(reader.fetch(), LAPTOP)[:1] == [1]
        (where.folder / "plug").unlink()
        laptop.fetch()
        laptop.place.send(LAPTOP)
        assert read(reader.fetch(), LAPTOP) == [1, 2]


def test_a_full_disk_on_this_side(far, tmp_path):
    """A mirror on a full disk is 73; nothing of it is half there, and the next fetch is whole."""
    laptop = Machine(far, LAPTOP, tmp_path)
    laptop.say(os.urandom(300_000).replace(b"\n", b"x"))
    with small_disk(tmp_path / "disk", 4 << 20) as mounted:
        if not mounted:
            pytest.skip("nothing may be mounted here")
        reader = open_place(far.address, mirror=str(tmp_path / "disk" / "m"), environ=far.environ)
        fill_up(tmp_path / "disk" / "plug", leave=100_000)
        with pytest.raises(TidelineError) as refused:
            reader.fetch()
        assert refused.value.exit_code == 73
        (tmp_path / "disk" / "plug").unlink()
        assert read(reader.fetch(), LAPTOP) == [1]


def test_a_program_that_hangs_is_ended(tmp_path):
    """A host that never answers is given up after the time that was set, with all it started."""
    programs = tmp_path / "bin"
    programs.mkdir()
    marker = tmp_path / "child"
    for name in ("git", "rsync", "rclone"):
        script = programs / name
        script.write_text(f"#!/bin/sh\nsleep 600 & echo $! > {marker}\nwait\n")
        script.chmod(0o755)
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    for address in ("git+https://host/x.git", "host:x", "rclone:box:x"):
        place = open_place(address, mirror=str(tmp_path / "m"), environ=environ, timeout=1)
        begin = time.monotonic()
        with pytest.raises(BusyError, match="did not end within 1 s"):
            place.fetch()
        assert time.monotonic() - begin < 30
        child = int(marker.read_text())
        with pytest.raises(ProcessLookupError):
            while True:  # until init has buried it
                os.kill(child, 0)
                state = (tmp_path / f"/proc/{child}/stat")
                if not state.exists() or state.read_text().split()[2] == "Z":
                    raise ProcessLookupError
                time.sleep(0.05)


def test_the_environment_of_a_hook_leads_nowhere(repository, tmp_path):
    """Called from a hook of another repository, a sync does not touch that one."""
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    repository.environ |= {"GIT_DIR": str(other / ".git"), "GIT_INDEX_FILE": str(other / "index"),
                           "GIT_WORK_TREE": str(other)}  # fmt: skip
    Machine(repository, LAPTOP, tmp_path).say(b"one")
    listing = ["git", "-C", str(other), "for-each-ref"]
    told = subprocess.run(listing, capture_output=True, check=True)
    assert told.stdout == b""
    assert not (other / "index").exists()


def test_secrets_are_not_handed_on(tmp_path):
    """The programs that reach a place do not get the key of the place, nor that of a model."""
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "rclone"
    script.write_text(f"#!/bin/sh\nenv > {tmp_path}/env\nexit 3\n")
    script.chmod(0o755)
    environ = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "HOME": "/h", "TIDELINE_SYNC_KEY": "a",
               "TIDELINE_API_KEY": "b"}  # fmt: skip
    open_place("rclone:box:x", mirror=str(tmp_path / "m"), environ=environ).fetch()
    said = (tmp_path / "env").read_text()
    assert "HOME=/h" in said
    assert "_KEY=" not in said


def test_an_upload_that_was_cut_is_done_again(tmp_path, request):
    """Where a place shows files before they are whole, the writer mends its own, and only those
    that are the beginning of what it wrote."""
    from tests.sync.conftest import made

    where = made("rclone", tmp_path, request)
    laptop = Machine(where, LAPTOP, tmp_path)
    laptop.say(b"one")
    laptop.say(b"two")
    there = where.folder / LAPTOP / layout.file_name(2)
    data = there.read_bytes()
    there.write_bytes(data[:50])
    reader = Machine(where, DESKTOP, tmp_path)
    assert read(reader.fetch(), LAPTOP) == [1, "truncated"]
    laptop.fetch()
    laptop.place.send(LAPTOP)
    assert read(reader.fetch(), LAPTOP) == [1, 2]
    there.write_bytes(b"x" * 50)
    with pytest.raises(StoreError) as refused:
        laptop.place.send(LAPTOP)
    assert refused.value.code == "replica_forked"


def test_what_killed_rsyncs_left_is_removed(beside_ssh, tmp_path):
    """Temporary files of rsync in one's own folder go when a snapshot is sent; others stay."""
    laptop = Machine(beside_ssh, LAPTOP, tmp_path)
    laptop.say(b"one")
    left = beside_ssh.folder / LAPTOP / ".00000002.seg.Ab12Cd"
    for path in (left, beside_ssh.folder / LAPTOP / "notes.txt"):
        path.write_text("x")
    Log(laptop.fetch(), LAPTOP).snapshot([b"a"])
    laptop.place.send(LAPTOP)
    assert sorted(os.listdir(left.parent)) == [layout.file_name(2), "notes.txt"]
    assert folders.replicas(laptop.fetch()) == (LAPTOP,)


def test_a_place_that_asks_for_a_password_is_told(beside_ssh, tmp_path):
    """Without a terminal nothing is asked: an unknown host, or a key that is not taken, ends with
    6 and says what to do."""
    port = beside_ssh.address.split(":")[2].split("/")[0]
    config = beside_ssh.environ["RSYNC_RSH"].split()[-1]
    known = f"{os.path.dirname(config)}/known"
    for options, code in (
        (f"-F {config} -o UserKnownHostsFile=/dev/null", "host_key"),
        (f"-F /dev/null -o UserKnownHostsFile={known} -o IdentityFile=/dev/null", "not_allowed"),
    ):
        fresh = f"ssh -o ControlPath=none {options}"
        place = open_place(f"ssh://127.0.0.1:{port}/x/y", mirror=str(tmp_path / "m"),
                           environ={**beside_ssh.environ, "RSYNC_RSH": fresh})  # fmt: skip
        with pytest.raises(TidelineError) as refused:
            place.fetch()
        assert (refused.value.exit_code, refused.value.code) == (6, code), refused.value.message


_ASK = """
import os, sys
from tideline_cli.errors import TidelineError
from tideline_cli.sync.places import open_place
place = open_place(sys.argv[1], mirror=sys.argv[2], on_terminal=True, timeout=60)
try:
    print("FETCHED", os.path.isdir(place.fetch()))
except TidelineError as error:
    print("FAILED", error.code)
"""


@pytest.mark.parametrize(("answer", "said"), [("yes", "FETCHED True"), ("no", "FAILED host_key")])
def test_at_a_terminal_ssh_asks(beside_ssh, tmp_path, answer, said):
    """Where a person is, ssh asks about a new host itself, and the answer counts."""
    config = beside_ssh.environ["RSYNC_RSH"].split()[-1]
    shell = f"ssh -F {config} -o UserKnownHostsFile={tmp_path}/known -o ControlPath=none"
    child = pexpect.spawn(
        sys.executable, ["-c", _ASK, beside_ssh.address, str(tmp_path / "m")], timeout=60,
        env={**beside_ssh.environ, "RSYNC_RSH": shell, "PYTHONPATH": str(ROOT)}, encoding="utf-8",
    )  # fmt: skip
    child.expect("continue connecting")
    child.sendline(answer)
    child.expect_exact(said)
    child.close()
