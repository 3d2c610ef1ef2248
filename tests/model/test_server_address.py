"""Addresses of servers: what of one is shown, and which are none."""

from __future__ import annotations

import pytest

from tests.support import joined
from tideline_cli.errors import UsageError
from tideline_cli.model.server_address import is_clear, refuse_other, without_password


@joined(
    "password",
    ["hu?sh", "hu/sh", "hu@sh", "hu%sh", "hu%00sh", "hu:sh/1", "/hush", "hush?", "@hush"],
)
def test_a_password_that_moves_the_parts_is_not_shown(password):
    """What the client library would take for a host or a port is a piece of a password."""
    address = f"postgresql://anna:{password}@db.example.org/memory?schema=x"
    assert not is_clear(address) and without_password(address) == "postgresql://…"


@pytest.mark.parametrize(
    "address", ["postgresql://anna:hush@[::1/m", "postgresql://a:hush@[::1]x/m"]
)
def test_an_address_of_ipv6_that_has_no_end(address):
    """The client library would repeat all of it in its error."""
    assert not is_clear(address) and without_password(address) == "postgresql://…"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://anna:hu%40sh@h:1/m", "postgresql://anna@h:1/m"),
        ("postgresql://anna:hu:sh@h,[::1]:5432,g:/m", "postgresql://anna@h,[::1]:5432,g:/m"),
        ("postgresql://anna:@%2Ftmp%2Frun:5432/m", "postgresql://anna@%2Ftmp%2Frun:5432/m"),
        ("postgresql:///m?user=anna@corp&password=hush", "postgresql:///m?user=anna@corp"),
        ("postgres://h/m?Password=hush&schema=x", "postgres://h/m?schema=x"),
        ("postgresql://", "postgresql://"),
    ],
)
def test_what_is_shown_of_a_clear_address(address, shown):
    """All but the password, as it was written."""
    assert is_clear(address) and without_password(address) == shown


@pytest.mark.parametrize(
    "address",
    [
        "mysql://a:b@h/m",
        "PostgreSQL://h/m",
        "postgresql:/h/m",
        "postgresql+psycopg://h/m",
        "file:///m",
        "host=h dbname=m password=secret",
        "dbname = m",
    ],
)
def test_what_is_meant_as_a_server_is_no_file(address):
    """Else a password would be the name of a folder."""
    with pytest.raises(UsageError, match=r"^not an address .*: it begins with \w[\w+-]*[:=]$"):
        refuse_other(address)


@joined(
    "path",
    ["postgresql://h/m", "postgres://", "C:\\m.db", "C:/m.db", "./mysql://x", "a:b.db", "m.db",
     "./host=h", "a=b.db", "/host=h/m.db"],
)
def test_files_and_our_servers_pass(path):
    """A path may have a colon."""
    refuse_other(path)
