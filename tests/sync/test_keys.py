"""Keys of sealed places: their file, their rotation, and what erasing one erases."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.sync.building import DESKTOP, LAPTOP, PLACE, Log, read
from tideline_cli.errors import NotFoundError, StoreError, TidelineError, UsageError
from tideline_cli.sync import keys, layout
from tideline_cli.sync.keys import KeyRing, unwrap, wrap


@pytest.fixture
def ring(tmp_path):
    return KeyRing.load(str(tmp_path / "config" / "sync.keys"))


@pytest.fixture
def sealed(tmp_path):
    """A sealed place: its folder and its id."""
    folder = tmp_path / "place"
    folder.mkdir(mode=0o700)
    return folder, layout.create_place(str(folder), is_sealed=True).id


def test_a_ring_is_kept_in_a_private_file(ring):
    """Keys come back from the file, which is for its owner alone whatever the umask."""
    before = os.umask(0)
    try:
        one, two = ring.make(PLACE), ring.make(PLACE)
    finally:
        os.umask(before)
    again = KeyRing.load(ring.path)
    assert again.keys == (two, one)
    assert (one.epoch, two.epoch, again.newest(PLACE)) == (1, 2, two)
    assert stat.S_IMODE(os.stat(ring.path).st_mode) == 0o600
    assert one.secret != two.secret and len(one.secret) == 32


def test_the_key_of_one_place_is_not_used_in_another(ring):
    """Each place has its own newest key; one for any place serves both."""
    mine = ring.make("a" * 32)
    newer = [ring.make("b" * 32) for _ in range(3)][-1]
    assert ring.newest("a" * 32) == mine
    assert ring.newest("b" * 32) == newer
    with pytest.raises(NotFoundError):
        ring.newest("c" * 32)
    anyone = ring.make()
    assert ring.newest("c" * 32) == anyone


def test_changes_of_two_processes_add_up(ring):
    """A ring that was read before another one was written loses nothing of it."""
    other = KeyRing.load(ring.path)
    one, two = ring.make(PLACE), other.make(PLACE)
    assert set(KeyRing.load(ring.path).keys) == {one, two}
    other.erase([two.id])
    assert KeyRing.load(ring.path).keys == (one,)


def test_an_erased_key_is_nowhere_in_the_file(ring, tmp_path):
    """After erasing, the file lacks the key, and what it was before is written over."""
    one, two = ring.make(PLACE), ring.make(PLACE)
    kept = tmp_path / "second name"
    os.link(ring.path, kept)  # the old bytes, which have no name otherwise
    assert keys.written(one) in kept.read_text()
    ring.erase([one.id])
    assert set(kept.read_bytes()) == {0}
    assert KeyRing.load(ring.path).keys == (two,)


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o602])
def test_a_file_that_others_reach_is_refused(ring, mode):
    """A ring that others may read or write is not used."""
    ring.make(PLACE)
    os.chmod(ring.path, mode)
    with pytest.raises(UsageError, match="not yours alone"):
        KeyRing.load(ring.path)


NO_KEYS = ("hello", "tideline-key 1 1 - short", f"tideline-key 1 0 - {'A' * 43}",
           f"tideline-key 2 1 - {'A' * 43}", f"tideline-key 1 1 ../x {'A' * 43}",
           f"tideline-key 1 x - {'A' * 43}", "tideline-key 1 1 - " + "\u00e4" * 43)  # fmt: skip


@pytest.mark.parametrize("text", NO_KEYS)
def test_a_line_that_is_no_key_is_refused(ring, text):
    """What is no key is called that, and its text is not repeated, as it may hold a secret."""
    with pytest.raises(UsageError) as refused:
        keys.parsed(text)
    assert "AAAA" not in refused.value.message + refused.value.hint
    os.makedirs(os.path.dirname(ring.path))
    with open(ring.path, "w", encoding="utf-8", opener=lambda *a: os.open(*a, 0o600)) as file:
        file.write(text)
    with pytest.raises(UsageError, match=r"sync\.keys"):
        KeyRing.load(ring.path)


def test_a_key_is_carried_as_a_line(ring, tmp_path):
    """What `written` gives, `parsed` takes, on another machine."""
    one = ring.make(PLACE)
    other = KeyRing.load(str(tmp_path / "other"))
    other.add(keys.parsed(keys.written(one)))
    assert KeyRing.load(other.path).keys == (one,)


def test_where_the_ring_lies(tmp_path):
    """Beside the settings, or where TIDELINE_SYNC_KEY says."""
    assert keys.default_path({"TIDELINE_HOME": "/h"}) == "/h/sync.keys"
    assert keys.default_path({"TIDELINE_HOME": "/h", "TIDELINE_SYNC_KEY": "/k"}) == "/k"


def test_a_wrapped_key_opens_with_the_old_one_alone(ring):
    """The new key is in no wrap in the open; another key, or a changed byte, gives nothing."""
    old, new = ring.make(PLACE), ring.make(PLACE)
    data = wrap(new, old)
    assert unwrap(data, {old.id: old}) == new
    assert unwrap(data, {new.id: new}) is None
    assert new.secret not in data
    for at in range(len(data)):
        changed = data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]
        assert unwrap(changed, {old.id: old}) is None
        assert unwrap(data[:at], {old.id: old}) is None


def test_a_new_key_reaches_every_holder_of_an_old_one(ring, sealed, tmp_path):
    """A replica that was away for two rotations learns both keys; a stranger none."""
    folder, place = sealed
    first = ring.make(place)
    other = KeyRing.load(str(tmp_path / "other"))
    other.add(first)
    stranger = KeyRing.load(str(tmp_path / "stranger"))
    stranger.make(place)
    keys.rotate(str(folder), ring, place)
    ring.erase([first.id])
    third = keys.rotate(str(folder), ring, place)
    learned = keys.learn(str(folder), other, place)
    assert set(learned) == set(ring.keys)
    assert other.newest(place) == third == KeyRing.load(other.path).newest(place)
    assert keys.learn(str(folder), other, place) == ()
    assert keys.learn(str(folder), stranger, place) == ()


def test_two_rotations_at_once_end_with_one_newest_key(ring, sealed, tmp_path):
    """Two machines that rotate at the same moment agree on the newest key after the next look."""
    folder, place = sealed
    first = ring.make(place)
    other = KeyRing.load(str(tmp_path / "other"))
    other.add(first)
    keys.rotate(str(folder), ring, place)
    keys.rotate(str(folder), other, place)
    keys.learn(str(folder), ring, place)
    keys.learn(str(folder), other, place)
    assert ring.newest(place) == other.newest(place)


def test_a_rotation_that_was_cut_short_is_finished(ring, sealed, tmp_path, monkeypatch):
    """A key that was made and not laid there yet is laid there by the next offer, once."""
    folder, place = sealed
    first = ring.make(place)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(layout, "put", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        keys.rotate(str(folder), ring, place)
    again = KeyRing.load(ring.path)
    newest = keys.offer(str(folder), again, place)
    names = os.listdir(folder / "keys")
    assert names == [f"{newest.id}.{first.id}"]
    keys.offer(str(folder), again, place)
    assert os.listdir(folder / "keys") == names


def test_erasing_a_key_erases(ring, sealed, tmp_path):
    """Once each replica has written its folder anew, the old key goes; then an old copy of the
    place is read by nobody, and the place by everybody."""
    folder, place = sealed
    old = ring.make(place)
    other = KeyRing.load(str(tmp_path / "other"))
    other.add(old)
    laptop, desktop = Log(folder, LAPTOP, old), Log(folder, DESKTOP, old)
    laptop.write(b"a purged secret")
    desktop.write(b"another")
    shutil.copytree(folder, tmp_path / "backup")
    assert keys.used(str(folder)) == {old.id}

    laptop.key = keys.rotate(str(folder), ring, place)
    laptop.snapshot([b"what is left"])
    assert keys.used(str(folder)) == {old.id, laptop.key.id}
    assert keys.erasable(str(folder), ring, place) == ()

    keys.learn(str(folder), other, place)
    desktop.key = other.newest(place)
    desktop.snapshot([b"another"])
    for one in (ring, other):
        assert keys.erasable(str(folder), one, place) == (old.id,)
        one.erase([old.id])
        assert keys.erasable(str(folder), one, place) == ()
        assert read(folder, LAPTOP, ring=one) == read(folder, DESKTOP, ring=one) == [2]
        assert read(tmp_path / "backup", LAPTOP, ring=one) == ["key"]
        assert keys.learn(str(tmp_path / "backup"), one, place) == ()


def test_no_key_is_erasable_while_a_segment_cannot_be_read(ring, sealed):
    """Who does not know what a file needs erases nothing."""
    folder, place = sealed
    old = ring.make(place)
    Log(folder, DESKTOP, old).write(b"one")
    new = keys.rotate(str(folder), ring, place)
    Log(folder, LAPTOP, new).write(b"two")
    path = folder / DESKTOP / "00000001.seg"
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(StoreError):
        keys.erasable(str(folder), ring, place)


def test_a_forged_key_file_gives_no_key(ring, sealed):
    """Files in `keys` that were put there by others are passed by."""
    folder, place = sealed
    mine = ring.make(place)
    (folder / "keys").mkdir()
    for name, text in (("f" * 16 + "." + mine.id, json.dumps({"epoch": 9})), ("README", "x"),
                       ("a" * 16 + "." + "b" * 16, "tideline-key 1 x y\nz")):  # fmt: skip
        (folder / "keys" / name).write_text(text)
    os.symlink(ring.path, folder / "keys" / ("e" * 16 + "." + mine.id))
    assert keys.learn(str(folder), ring, place) == ()
    assert ring.keys == (mine,)


def test_a_ring_on_a_full_disk_says_so(ring, monkeypatch):
    """A ring that cannot be written is not half written, and the error names the file."""
    ring.make(PLACE)
    before = Path(ring.path).read_bytes()
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(TidelineError) as refused:
        ring.make(PLACE)
    assert refused.value.exit_code == 73
    assert Path(ring.path).read_bytes() == before
    assert len(ring.keys) == 1


def test_a_key_of_a_new_generation_is_carried_by_hand_alone(ring, sealed, tmp_path):
    """It is not laid into the place for holders of older ones, and none of them can give one out
    that others would take for newer than it."""
    folder, place = str(sealed[0]), sealed[1]
    old = ring.make(place)
    lost = KeyRing(str(tmp_path / "lost" / "sync.keys"))
    lost.add(old)
    new = keys.part(ring, place)
    assert keys.offer(folder, ring, place) == new and layout.names(folder, layout.KEYS) == []
    assert keys.learn(folder, lost, place) == ()
    next_one = keys.rotate(folder, ring, place)  # a purge goes on in the generation
    assert layout.names(folder, layout.KEYS) == [f"{next_one.id}.{new.id}"]
    assert keys.learn(folder, lost, place) == ()
    forged = keys.from_secret(bytes(range(32)), next_one.epoch + (1 << 20), place)
    layout.put(folder, layout.KEYS, f"{forged.id}.{old.id}", wrap(forged, old))
    assert keys.learn(folder, ring, place) == ()
    assert ring.newest(place) == next_one
