"""Whether others can read what goes to a server and back."""

from __future__ import annotations

from ipaddress import ip_address

from tideline_cli.model.finding import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from apsw import Connection


def encryption(db: Connection) -> Iterator[Finding]:
    """What leaves this machine is encrypted."""
    host, is_encrypted = db.way()  # type: ignore[attr-defined]
    if not is_encrypted and leaves_machine(host):
        yield Finding(
            "encryption", "warning",
            f"the connection to {host} is not encrypted: who is on the way can read it",
            "sslmode=verify-full and sslrootcert=/PATH/OF/THE/AUTHORITY in the address; where the "
            "server has no encryption, its administrator sets it up",
        )  # fmt: skip


def leaves_machine(host: str) -> bool:
    """Say whether an address (of IPv4 or IPv6; empty for a socket) is that of another machine."""
    return bool(host) and not ip_address(host).is_loopback
