"""The same journeys through every kind of place, each with the real programs."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.sync.building import DESKTOP, LAPTOP, SERVER, Log, Machine, place_of, read
from tideline_cli.errors import BusyError, StoreError, TidelineError, UsageError
from tideline_cli.sync import folders, keys, layout, stream
from tideline_cli.sync.keys import KeyRing
from tideline_cli.sync.places import open_place

pytestmark = pytest.mark.slow


def files(folder, replica):
    """Return the names in a replica's folder, the hidden ones too."""
    return sorted(os.listdir(os.path.join(folder, replica)))


def test_two_machines_meet(where, tmp_path):
    """What one machine sends the other reads, and the reverse; an address is made a place once."""
    laptop, desktop = Machine(where, LAPTOP, tmp_path), Machine(where, DESKTOP, tmp_path)
    assert folders.replicas(laptop.fetch()) == ()
    laptop.say(b"from the laptop", b"two lines")
    desktop.say(b"from the desktop")
    laptop.say(b"more")
    one, two = laptop.fetch(), desktop.fetch()
    assert layout.find_place(one) == layout.find_place(two)
    assert read(two, LAPTOP) == [1, 2]
    assert read(one, DESKTOP) == [1]
    (segment,) = stream.unread(one, DESKTOP, after=0, last="", ring=None, place=place_of(one))
    assert segment.lines == [b"from the desktop"]
    assert folders.replicas(one) == (LAPTOP, DESKTOP)


def test_sealed_segments_and_new_keys_travel(where, tmp_path):
    """A rotation on one machine reaches the other through the place; the old segments go."""
    laptop, desktop = Machine(where, LAPTOP, tmp_path), Machine(where, DESKTOP, tmp_path)
    mine, theirs = (KeyRing.load(str(tmp_path / name)) for name in ("mine", "theirs"))
    folder = laptop.fetch()
    place = layout.create_place(folder, is_sealed=True).id
    old = mine.make(place)
    theirs.add(old)
    Log(folder, LAPTOP, old).write(b"a secret")
    laptop.place.send(LAPTOP)
    assert read(desktop.fetch(), LAPTOP, ring=theirs) == [1]
    Log(laptop.fetch(), LAPTOP, keys.rotate(folder, mine, place)).snapshot([b"what is left"])
    laptop.place.send(LAPTOP)
    there = desktop.fetch()
    assert read(there, LAPTOP, after=1, ring=theirs) == ["key"]
    assert len(keys.learn(there, theirs, place)) == 1
    assert read(there, LAPTOP, after=1, ring=theirs) == [2]
    assert keys.used(there) == {mine.newest(place).id}
    assert keys.erasable(there, theirs, place) == (old.id,)


def test_a_snapshot_replaces_what_was_there(where, tmp_path):
    """What a snapshot replaces is gone in the place and in the mirror of each reader."""
    laptop, desktop = Machine(where, LAPTOP, tmp_path), Machine(where, DESKTOP, tmp_path)
    for text in (b"1", b"2", b"3"):
        laptop.say(text)
    assert read(desktop.fetch(), LAPTOP) == [1, 2, 3]
    desktop.say(b"of the desktop")
    Log(laptop.fetch(), LAPTOP).snapshot([b"a"], [b"b"])
    laptop.place.send(LAPTOP)
    folder = desktop.fetch()
    assert files(folder, LAPTOP) == [layout.file_name(n) for n in (4, 5)]
    assert read(folder, LAPTOP, after=3) == [4, 5]
    if where.kind != "git":
        assert files(where.folder, LAPTOP) == files(folder, LAPTOP)
    assert read(laptop.fetch(), DESKTOP) == [1]


def test_nothing_of_others_is_touched(where, tmp_path):
    """Sending writes own files alone, even where the mirror has lost or changed those of others."""
    laptop, desktop = Machine(where, LAPTOP, tmp_path), Machine(where, DESKTOP, tmp_path)
    desktop.say(b"kept")
    desktop.say(b"kept too")
    folder = laptop.fetch()
    if where.kind != "folder":
        (path := os.path.join(folder, DESKTOP, layout.file_name(1)))
        with open(path, "ab") as file:
            file.write(b"changed")
        os.unlink(os.path.join(folder, DESKTOP, layout.file_name(2)))
    Log(folder, LAPTOP).write(b"mine")
    laptop.place.send(LAPTOP)
    third = Machine(where, SERVER, tmp_path)
    assert read(third.fetch(), DESKTOP) == [1, 2]
    assert read(laptop.fetch(), DESKTOP) == [1, 2]


def test_a_lost_mirror_is_made_anew(far, tmp_path):
    """A machine whose state folder is gone goes on with its own numbers, and removes nothing."""
    laptop = Machine(far, LAPTOP, tmp_path)
    for text in (b"1", b"2", b"3"):
        laptop.say(text)
    shutil.rmtree(laptop.mirror)
    laptop.place.send(LAPTOP)
    shutil.rmtree(laptop.mirror)
    assert folders.tail(laptop.fetch(), LAPTOP).number == 3
    laptop.say(b"4")
    assert read(Machine(far, DESKTOP, tmp_path).fetch(), LAPTOP) == [1, 2, 3, 4]


def test_what_was_not_sent_yet_survives_a_fetch(far, tmp_path):
    """Segments, keys and place.json that were written and not sent stay, and go with the next."""
    laptop = Machine(far, LAPTOP, tmp_path)
    Log(laptop.fetch(), LAPTOP).write(b"not sent")
    folder = laptop.fetch()
    layout.put(folder, "keys", f"{'a' * 16}.{'b' * 16}", b"wrap")
    folder = laptop.fetch()
    assert read(folder, LAPTOP) == [1]
    laptop.place.send(LAPTOP)
    there = Machine(far, DESKTOP, tmp_path).fetch()
    assert read(there, LAPTOP) == [1]
    assert os.listdir(os.path.join(there, "keys")) == [f"{'a' * 16}.{'b' * 16}"]


def test_two_machines_with_one_id_are_told(far, tmp_path):
    """The second one is stopped before anything of the first is lost."""
    first, twin = Machine(far, LAPTOP, tmp_path / "a"), Machine(far, LAPTOP, tmp_path / "b")
    first.say(b"one")
    twin.fetch()
    Log(twin.mirror / "files", LAPTOP).write(b"of the twin, which nobody has seen")
    first.say(b"two")
    for act in (lambda: twin.place.send(LAPTOP), lambda: (twin.fetch(), twin.place.send(LAPTOP))):
        with pytest.raises(StoreError) as refused:
            act()
        assert refused.value.code == "replica_forked"
    assert read(Machine(far, DESKTOP, tmp_path).fetch(), LAPTOP) == [1, 2]


def test_a_mirror_that_is_behind_removes_nothing(far, tmp_path):
    """Who sends without having fetched what is there under the own id is stopped as well."""
    first, twin = Machine(far, LAPTOP, tmp_path / "a"), Machine(far, LAPTOP, tmp_path / "b")
    first.say(b"one")
    twin.fetch()
    first.say(b"two")
    with pytest.raises(StoreError) as refused:
        twin.place.send(LAPTOP)
    assert refused.value.code == "replica_forked"
    assert read(Machine(far, DESKTOP, tmp_path).fetch(), LAPTOP) == [1, 2]


def test_two_machines_make_one_place(far, tmp_path):
    """Who was second in making the place hears of it, and joins by trying again."""
    laptop, desktop = Machine(far, LAPTOP, tmp_path), Machine(far, DESKTOP, tmp_path)
    for one in (laptop, desktop):
        layout.create_place(one.fetch(), is_sealed=False)
    laptop.place.send(LAPTOP)
    with pytest.raises(BusyError) as refused:
        desktop.place.send(DESKTOP)
    assert refused.value.code == "place_made"
    desktop.say(b"joined")
    assert layout.find_place(desktop.fetch()) == layout.find_place(laptop.fetch())
    assert read(laptop.fetch(), DESKTOP) == [1]


def test_many_send_at_once(where, tmp_path):
    """Six machines that send at the same time all arrive, with nothing lost or mixed."""
    ids = [f"{number}" * 32 for number in range(6)]
    first = Machine(where, "f" * 32, tmp_path)
    layout.create_place(first.fetch(), is_sealed=False)
    first.place.send("f" * 32)

    def work(replica):
        one = Machine(where, replica, tmp_path / replica)
        for number in range(3):
            one.say(b"%d of %s" % (number, replica.encode()))

    for replica in ids:
        (tmp_path / replica).mkdir()
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, ids))
    folder = first.fetch()
    assert folders.replicas(folder) == tuple(ids)
    for replica in ids:
        at = place_of(folder)
        found = list(stream.unread(folder, replica, after=0, last="", ring=None, place=at))
        assert [one.lines for one in found] == [
            [b"%d of %s" % (number, replica.encode())] for number in range(3)
        ]


WRONG = {
    "git": ("{tmp}/none.git", "git:{tmp}/there"),
    "rclone": ("rclone:nobody:x",),
    "folder": ("{tmp}/none/at/all", "{tmp}/file"),
}
PAIRS = [(kind, one) for kind, all_ in WRONG.items() for one in all_]


@pytest.mark.parametrize(("kind", "address"), PAIRS)
def test_a_wrong_address_is_told(kind, address, tmp_path):
    """An address that leads nowhere is a usage error on one line, and nothing is made there."""
    if kind != "folder" and not shutil.which(kind):
        pytest.skip(f"NOT TESTED: {kind} is not installed")
    (tmp_path / "file").write_text("x")
    (tmp_path / "there").mkdir()
    place = open_place(address.format(tmp=tmp_path), mirror=str(tmp_path / "m"), timeout=60)
    with pytest.raises(UsageError) as refused:
        place.fetch()
    assert "\n" not in refused.value.message
    assert refused.value.hint
    assert not (tmp_path / "none").exists()


def test_a_place_that_is_away_is_told(tmp_path):
    """A host where nobody listens is 75 with "try again"; a missing program is 6."""
    environ = {**os.environ, "GIT_SSH_COMMAND": "ssh -F /dev/null", "RSYNC_RSH": "ssh -F /dev/null"}
    for address, program in (("ssh://127.0.0.1:1/x", "rsync"), ("git+ssh://127.0.0.1:1/x", "git"),
                             ("git+https://127.0.0.1:1/x", "git")):  # fmt: skip
        if not shutil.which(program) or not shutil.which("ssh"):
            pytest.skip(f"NOT TESTED: {program} or ssh is not installed")
        place = open_place(address, mirror=str(tmp_path / "m"), environ=environ, timeout=60)
        with pytest.raises(TidelineError) as refused:
            place.fetch()
        assert (refused.value.exit_code, "try again" in refused.value.hint) == (75, True), address
        bare = open_place(address, mirror=str(tmp_path / "m"), environ={"PATH": "/nowhere"})
        with pytest.raises(TidelineError) as refused:
            bare.fetch()
        assert (refused.value.exit_code, program in refused.value.message) == (6, True)
