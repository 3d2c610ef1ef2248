"""A folder as a place: what is written is read in order, and whatever is not right is told."""

from __future__ import annotations

import os
import shutil
import stat

import pytest

from tests.faults.full_disk import fill_up, small_disk
from tests.sync.building import DESKTOP, LAPTOP, PLACE, SERVER, Log, place_of, read
from tideline_cli.errors import CannotWriteError, StoreError, UsageError
from tideline_cli.sync import folders, layout, segment, stream
from tideline_cli.sync.keys import from_secret

KEY = from_secret(bytes(range(32)), 1)
FORMS = {"plain": (None, None), "sealed": (KEY, {KEY.id: KEY})}


@pytest.fixture(params=FORMS)
def form(request):
    """Key and ring of a plain and of a sealed place."""
    return FORMS[request.param]


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "place"
    path.mkdir(mode=0o700)
    return path


def files(folder, replica=LAPTOP):
    """Return the names in a replica's folder."""
    return sorted(os.listdir(folder / replica))


def test_segments_are_read_in_order(folder, form):
    """A reader gets each segment once, in order, with its lines, and goes on where it was."""
    key, ring = form
    log = Log(folder, key=key)
    digests = [log.write(b"%d" % n, b"more") for n in range(1, 13)]
    at = place_of(folder)
    found = list(stream.unread(str(folder), LAPTOP, after=0, last="", ring=ring, place=at))
    assert [one.lines for one in found] == [[b"%d" % n, b"more"] for n in range(1, 13)]
    assert [one.digest for one in found] == digests
    assert read(folder, after=10, last=digests[9], ring=ring) == [11, 12]
    assert read(folder, after=12, last=digests[11], ring=ring) == []
    assert folders.replicas(str(folder)) == (LAPTOP,)
    assert folders.tail(str(folder), LAPTOP) == folders.Tail(12, digests[-1])


def test_each_removed_segment_is_a_gap(folder, form):
    """Whichever segment is missing, reading stops in front of it, and says so."""
    key, ring = form
    log = Log(folder, key=key)
    for n in range(1, 6):
        log.write(b"%d" % n)
    for gone in range(1, 5):
        copy = folder.parent / f"without {gone}"
        shutil.copytree(folder, copy)
        (copy / LAPTOP / layout.file_name(gone)).unlink()
        assert read(copy, ring=ring) == [*range(1, gone), "gap"]
    (folder / LAPTOP / layout.file_name(5)).unlink()
    assert read(folder, ring=ring) == [1, 2, 3, 4]
    assert read(folder, after=5, ring=ring) == ["rewound"]


def test_exchanged_and_repeated_segments_are_found(folder, form):
    """A file under the name of another, or twice, is never read as what it is not."""
    key, ring = form
    log = Log(folder, key=key)
    for n in range(1, 6):
        log.write(b"%d" % n)
    two, three, six = (folder / LAPTOP / layout.file_name(n) for n in (2, 3, 6))
    shutil.copy(two, six)
    assert read(folder, ring=ring) == [1, 2, 3, 4, 5, "damaged"]
    shutil.copytree(folder / LAPTOP, folder / DESKTOP)
    assert read(folder, DESKTOP, ring=ring) == ["damaged"]
    kept = two.read_bytes()
    two.write_bytes(three.read_bytes())
    three.write_bytes(kept)
    assert read(folder, ring=ring) == [1, "damaged"]


def test_a_cut_segment_stops_its_own_stream_alone(folder, form):
    """A file that is not whole yet stops that replica; the others are read."""
    key, ring = form
    for replica in (LAPTOP, DESKTOP):
        log = Log(folder, replica, key)
        for n in range(3):
            log.write(b"%d" % n)
    path = folder / LAPTOP / layout.file_name(2)
    data = path.read_bytes()
    for end in (0, 1, 20, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:end])
        assert read(folder, ring=ring) == [1, "truncated"]
    assert read(folder, DESKTOP, ring=ring) == [1, 2, 3]
    path.write_bytes(data)
    assert read(folder, ring=ring) == [1, 2, 3]


def test_two_machines_with_one_id_are_found(folder, form):
    """A copied memory file writes the same numbers: the writer and each reader stop and say so."""
    key, ring = form
    log = Log(folder, key=key)
    first = log.write(b"one")
    copy = folder.parent / "copy"
    shutil.copytree(folder, copy)
    second = log.write(b"of the laptop")
    twin = Log(copy, key=key)
    other = twin.write(b"of its twin")
    twin.write(b"and more")
    assert second != other
    shutil.copy(copy / LAPTOP / layout.file_name(3), folder / LAPTOP)
    assert read(folder, ring=ring) == [1, 2, "chain"]
    assert read(folder, after=2, last=other, ring=ring) == ["chain"]
    with pytest.raises(StoreError) as refused:
        log.write(b"x", number=2, previous=first)
    assert refused.value.code == "replica_forked"


def test_a_write_that_is_repeated_changes_nothing(folder, form):
    """Who was killed before noting a segment writes it again, to the byte."""
    key, _ = form
    log = Log(folder, key=key)
    twice = {log.write(b"a", number=1, previous="") for _ in range(2)}
    assert len(twice) == 1
    assert files(folder) == [layout.file_name(1)]


def test_what_cannot_follow_is_not_written(folder):
    """No gap is ever written, and no segment that names another one before it."""
    log = Log(folder)
    log.write(b"one")
    for number, code in ((3, "own_segments_missing"), (2, "replica_forked")):
        with pytest.raises(StoreError) as refused:
            log.write(number=number, previous="0" * 64)
        assert refused.value.code == code
    assert files(folder) == [layout.file_name(1)]


def test_a_newcomer_and_a_late_reader_jump_to_the_snapshot(folder, form):
    """What is before the newest snapshot is passed over, though it is still there, or damaged."""
    key, ring = form
    log = Log(folder, key=key)
    digests = [log.write(b"%d" % n) for n in range(1, 5)]
    old = {name: (folder / LAPTOP / name).read_bytes() for name in files(folder)}
    assert log.snapshot([b"a"], [b"b"], [b"c"]) == 7
    assert files(folder) == [layout.file_name(n) for n in (5, 6, 7)]
    for name, data in old.items():  # as where the writer was killed before removing them
        (folder / LAPTOP / name).write_bytes(data if name > layout.file_name(2) else b"")
    assert read(folder, after=2, ring=ring) == [5, 6, 7]
    log.write(b"after")
    assert files(folder) == [layout.file_name(n) for n in (5, 6, 7, 8)]
    assert read(folder, ring=ring) == [5, 6, 7, 8]
    assert read(folder, after=2, last=digests[1], ring=ring) == [5, 6, 7, 8]
    assert read(folder, after=4, last=digests[3], ring=ring) == [5, 6, 7, 8]
    assert read(folder, after=6, ring=ring) == [7, 8]


def test_a_snapshot_counts_when_all_its_parts_are_there(folder, form):
    """Without one of its parts a snapshot is not begun; with a bad one nothing of it is told."""
    key, ring = form
    log = Log(folder, key=key)
    for n in range(1, 4):
        log.write(b"%d" % n)
    old = {name: (folder / LAPTOP / name).read_bytes() for name in files(folder)}
    log.snapshot([b"a"], [b"b"], [b"c"])
    whole = {name: (folder / LAPTOP / name).read_bytes() for name in files(folder)}
    for name, data in old.items():
        (folder / LAPTOP / name).write_bytes(data)
    for name in whole:
        (folder / LAPTOP / name).unlink()
        first = name == layout.file_name(4)
        assert read(folder, ring=ring) == [1, 2, 3, "gap" if first else "incomplete"]
        assert read(folder, after=3, ring=ring) == ["gap" if first else "incomplete"]
        (folder / LAPTOP / name).write_bytes(whole[name])
    last = folder / LAPTOP / layout.file_name(6)
    last.write_bytes(whole[last.name][:-1])
    assert read(folder, after=3, ring=ring) == ["truncated"]
    assert read(folder, ring=ring) == [1, 2, 3, "truncated"]


def test_a_snapshot_that_was_cut_short_is_written_anew(folder, form, monkeypatch):
    """A writer that was killed between the parts begins again; what it left does not stay."""
    key, ring = form
    log = Log(folder, key=key)
    log.write(b"one")
    real, calls = layout.put, []

    def killed(*given):
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*given)

    log.place()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(layout, "put", killed)
        log.snapshot([b"a"], [b"b"], [b"c"])
    assert read(folder, ring=ring) == [1, "incomplete"]
    (folder / LAPTOP / (layout.PART + "12-ab")).write_bytes(b"left by a killed writer")
    log.snapshot([b"x"], [b"y"], number=2, clock=99)
    assert read(folder, ring=ring) == [2, 3]
    assert files(folder) == [layout.file_name(n) for n in (2, 3)]


def test_strange_names_and_links_are_passed_by(folder):
    """Only the names of the layout count; no link is followed, and no pipe is opened."""
    log = Log(folder)
    log.write(b"one")
    outside = folder.parent / "outside"
    shutil.copytree(folder / LAPTOP, outside)
    for name in ("1.seg", "00000002.seg.sync-conflict", "000000003.seg", ".00000002.seg.Ab12Cd",
                 "\u0660\u0660000002.seg", "00000000.seg"):  # fmt: skip
        (folder / LAPTOP / name).write_bytes(b"x")
    for name in (".stfolder", "x", "a b" * 9, "..", "README.md"):
        (folder / name).mkdir(exist_ok=True)
    os.symlink(outside, folder / DESKTOP)
    os.symlink(outside / "00000001.seg", folder / LAPTOP / "00000002.seg")
    os.mkfifo(folder / LAPTOP / "00000003.seg")
    (folder / LAPTOP / "00000004.seg").mkdir()
    assert folders.replicas(str(folder)) == (LAPTOP,)
    assert read(folder) == [1, "gap"]
    assert read(folder, DESKTOP) == []
    with pytest.raises((StoreError, CannotWriteError)):
        Log(folder, DESKTOP).write(b"through a link")
    assert os.listdir(outside) == ["00000001.seg"]


def test_a_segment_of_another_place_stops(folder, form):
    """A folder of a replica that was copied from another place is not read."""
    key, ring = form
    log = Log(folder, key=key)
    log.write(b"one")
    assert read(folder, ring=ring, place="f" * 32) == ["place"]
    other = folder.parent / "other"
    other.mkdir()
    layout.create_place(str(other), is_sealed=key is not None)
    shutil.copytree(folder / LAPTOP, other / LAPTOP)
    assert read(other, ring=ring) == ["place"]


def test_stops_say_what_to_do(folder):
    """Each reason that can stop a stream has an advice; a newer format, a key, a large file too."""
    key = KEY
    log = Log(folder, key=key)
    log.write(b"one")
    path = folder / LAPTOP / layout.file_name(2)
    for data, reason in ((b"tideline-segment 9 x\n", "newer"), (b"{}\n", "form")):
        path.write_bytes(data)
        assert read(folder, ring={KEY.id: KEY}) == [1, reason]
    assert read(folder, ring={}) == ["key"]
    with path.open("wb") as file:
        file.truncate(segment.LARGEST + 1)
    assert read(folder, ring={KEY.id: KEY}) == [1, "too_large"]
    (stop,) = stream.unread(str(folder), LAPTOP, after=0, last="", ring={}, place=place_of(folder))
    assert (stop.number, KEY.id in stop.message, "sync key add" in stop.advice) == (1, True, True)


def test_a_file_that_may_not_be_read_stops(folder, monkeypatch):
    """A file without the right to read it stops its stream, and no other."""
    Log(folder).write(b"one")
    Log(folder, DESKTOP).write(b"one")
    Log(folder).write(b"two")
    real = os.open

    def opened(path, *given, **more):
        if path == layout.file_name(2):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *given, **more)

    monkeypatch.setattr(os, "open", opened)
    assert read(folder) == [1, "unreadable"]
    assert read(folder, after=2, last="0" * 64) == ["unreadable"]
    assert read(folder, DESKTOP) == [1]


@pytest.mark.parametrize("mode", [0o700, 0o2770, 0o755])
def test_files_have_the_rights_of_the_place(folder, mode):
    """Who may read the place may read its files, nobody else, whatever the umask."""
    folder.chmod(mode)
    before = os.umask(0o077)
    try:
        Log(folder).write(b"one")
    finally:
        os.umask(before)
    inner = folder / LAPTOP
    assert stat.S_IMODE(inner.stat().st_mode) == mode
    for path in (folder / "place.json", inner / "00000001.seg"):
        assert stat.S_IMODE(path.stat().st_mode) == mode & 0o666


def test_of_two_place_files_all_take_the_same(folder):
    """Conflict copies that a program for equal folders leaves: sealed wins, then the smaller id."""
    ids = {name: layout.PlaceFile(name * 32, is_sealed) for name, is_sealed in
           (("c", False), ("b", False), ("a", False), ("d", True))}  # fmt: skip
    (folder / "place.json").write_bytes(layout.place_text(ids["c"]))
    (folder / "place.sync-conflict-20260101.json").write_bytes(layout.place_text(ids["b"]))
    assert layout.find_place(str(folder)) == ids["b"]
    (folder / "place (conflicted copy).json").write_bytes(layout.place_text(ids["a"]))
    assert layout.find_place(str(folder)) == ids["a"]
    assert layout.create_place(str(folder), is_sealed=True) == ids["a"]
    (folder / "place (1).json").write_bytes(layout.place_text(ids["d"]))
    assert layout.find_place(str(folder)) == ids["d"]


NO_PLACES = ("", "{", "[]", "null", '{"format": 1, "id": "../..", "form": "plain"}',
             f'{{"format": 1, "id": "{PLACE}", "form": "x"}}', '{"format": "1"}')  # fmt: skip


@pytest.mark.parametrize("text", NO_PLACES)
def test_a_place_file_that_cannot_be_read_is_an_error(folder, text):
    """Neither another place is made over it, nor a traceback shown."""
    (folder / "place.json").write_text(text)
    for call in (lambda: layout.find_place(str(folder)),
                 lambda: layout.create_place(str(folder), is_sealed=False)):  # fmt: skip
        with pytest.raises(StoreError, match=r"place\.json"):
            call()
    (folder / "place.json").write_text('{"format": 2}')
    with pytest.raises(StoreError, match="newer version"):
        layout.find_place(str(folder))


def test_no_place_is_made_among_other_files(folder):
    """A folder with files of its own, as by a mistyped address, becomes no place."""
    (folder / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match=r"thesis\.tex"):
        layout.create_place(str(folder), is_sealed=True)
    assert os.listdir(folder) == ["thesis.tex"]


def test_a_full_disk_leaves_the_place_whole(tmp_path):
    """On the last byte nothing is half written, the error names the disk, and room mends it."""
    with small_disk(tmp_path / "disk", 1 << 20) as mounted:
        if not mounted:
            pytest.skip("nothing may be mounted here")
        folder = tmp_path / "disk" / "place"
        folder.mkdir()
        log = Log(folder)
        log.write(b"one")
        fill_up(tmp_path / "disk" / "plug", leave=0)
        for act in (lambda: log.write(b"x" * 20_000), lambda: log.snapshot([b"y" * 9000], [b"z"])):
            with pytest.raises(CannotWriteError, match=r"disk .* is full"):
                act()
            assert read(folder) == [1]
        assert files(folder) == [layout.file_name(1)]
        (tmp_path / "disk" / "plug").unlink()
        log.write(b"x" * 20_000)
        log.snapshot([b"y"], [b"z"])
        assert read(folder) == [3, 4]


def test_without_hard_links_files_appear_whole_too(folder, monkeypatch):
    """On a file system that has none, a name is taken by renaming, and still never twice."""
    monkeypatch.setattr(os, "link", lambda *_, **__: (_ for _ in ()).throw(OSError(1, "no links")))
    log = Log(folder)
    log.write(b"one")
    assert layout.put(str(folder), LAPTOP, layout.file_name(1), b"other") is False
    log.write(b"two")
    assert read(folder) == [1, 2]
    assert files(folder) == [layout.file_name(1), layout.file_name(2)]


def test_a_disk_without_rights_and_synced_folders(folder, monkeypatch):
    """A stick with FAT, or a network disk, that keeps no rights and syncs no folder, is a place; a
    disk that fails is not."""
    real = os.fsync

    def synced(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(22, "Invalid argument")
        real(handle)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "fchmod", lambda *_: (_ for _ in ()).throw(PermissionError(1, "no")))
    monkeypatch.setattr(os, "link", lambda *_, **__: (_ for _ in ()).throw(OSError(1, "no links")))
    log = Log(folder)
    log.write(b"one")
    log.snapshot([b"a"])
    assert read(folder) == [2]
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(5, "I/O error")))
    with pytest.raises(CannotWriteError, match="I/O error"):
        log.write(b"two")
    assert read(folder) == [2]


def test_a_replica_that_nobody_wrote_is_empty(folder):
    """Asking for a replica that is not there gives nothing; after reading some, it is told."""
    assert read(folder, SERVER) == []
    assert read(folder, SERVER, after=3, last="0" * 64) == ["rewound"]
