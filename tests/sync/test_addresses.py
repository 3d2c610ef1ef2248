"""What an address means, and that none becomes an option or a command."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import joined
from tideline_cli.errors import UsageError
from tideline_cli.sync.places import addresses, open_place
from tideline_cli.sync.places.addresses import Address

UNDERSTOOD = {
    "/mnt/stick/memory": Address("folder", "/mnt/stick/memory"),
    "~/Sync/memory": Address("folder", "~/Sync/memory"),
    "./a:b": Address("folder", "./a:b"),
    "a folder": Address("folder", "a folder"),
    "file:///srv/a%20b": Address("folder", "/srv/a b"),
    "me@host:memory": Address("ssh", "./memory", "me@host"),
    "host:/srv/memory": Address("ssh", "/srv/memory", "host"),
    "host:~/memory": Address("ssh", "./memory", "host"),
    "host:-rf": Address("ssh", "./-rf", "host"),
    "ssh://me@host:2222/srv/memory": Address("ssh", "/srv/memory", "me@host", 2222),
    "ssh://host/~/memory": Address("ssh", "./memory", "host"),
    "ssh://[::1]:22/srv/m": Address("ssh", "/srv/m", "[::1]", 22),
    "me@host:it's; $(touch x)": Address("ssh", "./it's; $(touch x)", "me@host"),
    "git+ssh://git@host/me/memory": Address("git", "ssh://git@host/me/memory"),
    "git+https://host/me/memory.git": Address("git", "https://host/me/memory.git"),
    "git+file:///srv/memory.git": Address("git", "file:///srv/memory.git"),
    "https://host/me/memory.git": Address("git", "https://host/me/memory.git"),
    "git@host:me/memory.git": Address("git", "git@host:me/memory.git"),
    "/srv/memory.git": Address("git", "/srv/memory.git"),
    "git:/srv/memory": Address("git", "/srv/memory"),
    "git:git@host:me/memory": Address("git", "git@host:me/memory"),
    "rclone:box:some/where": Address("rclone", "box:some/where"),
    "rclone:box:": Address("rclone", "box:"),
    "rclone:my box:a": Address("rclone", "my box:a"),
}
WRONG = (
    "", "-e", "--rsh=touch x", "-oProxyCommand=x:y", "a\nb", "a\x00b", "ext::sh -c touch% x",
    "ext::sh -c x.git", "git:ext::sh -c x", "git:fd::7", "git+ext://x", "git:-u./x", "git:",
    "ssh://-oProxyCommand=x/y", "ssh://a@-oProxyCommand=x/y", "-oProxyCommand=x@host:y",
    "ssh://host", "ssh://host/", "host:/", "host:~other/x", "host:~", "ssh://host:port/x",
    "git+ssh://-oProxyCommand=x/y", "git:ssh://-oProxyCommand=x/y", "git+http://host/x.git",
    "http://host/x", "http://host/x.git", "ftp://host/x", "host::module/x", "rsync://host/x",
    "git+https://me:secret@host/x.git", "git+https://host", "ssh://host/x?y=1", "file://host/x",
    "rclone::local:/x", "rclone::sftp,ssh=touch:/x", "rclone:box,type=sftp:x", "rclone:x",
    "rclone:-box:x", "rclone:", "file://", "ssh://host/a%0Ab", "rclone: box:x",
)  # fmt: skip


@joined("address", UNDERSTOOD)
def test_addresses_that_are_understood(address):
    """Each form of an address, and what it means."""
    assert addresses.understood(address) == UNDERSTOOD[address]


@joined("address", WRONG)
def test_addresses_that_are_refused(address):
    """What is none, and what another program could take for an option or a command."""
    with pytest.raises(UsageError) as refused:
        addresses.understood(address)
    assert refused.value.exit_code == 2
    assert refused.value.hint


@given(st.text(max_size=40) | st.lists(st.sampled_from(
    ["git", "+", ":", "::", "//", "-", "ssh", "rclone", "@", "host", "/", "x", ".git", " ", "[",
     "]", "~", "\n", "%0a", "ext", "é"]), max_size=9).map("".join))  # fmt: skip
def test_any_text_is_an_address_or_is_refused(text):
    """No text is an exception, and what other programs are given begins with no dash."""
    try:
        found = addresses.understood(text)
    except UsageError:
        return
    assert found.kind in ("folder", "ssh", "git", "rclone")
    assert found.path and "\n" not in found.path
    assert not found.path.startswith("-") and not found.login.startswith("-")
    assert "::" not in found.path.partition("/")[0].partition("[")[0] or found.kind == "ssh"


@pytest.mark.parametrize(("address", "kind"), [("x", "folder"), ("h:x", "ssh"), ("x.git", "git"),
                                               ("rclone:b:x", "rclone")])  # fmt: skip
def test_opening_asks_nothing(address, kind, tmp_path):
    """A place that is opened has a kind and its address; no file is made before it is used."""
    place = open_place(address, mirror=str(tmp_path / "mirror"))
    assert (place.kind, place.address) == (kind, address)
    assert not (tmp_path / "mirror").exists()
