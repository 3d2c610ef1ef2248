"""Connections that are encrypted, to a server that shows who it is."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess

import pytest

from tests.postgres import cluster
from tests.postgres.people import psql
from tideline_cli.store.postgres import examination


def openssl(*argv):
    """Run the program that makes certificates."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    subprocess.run(["openssl", *argv], check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The certificates of two authorities; the first has signed a server's, for localhost."""
    folder = tmp_path_factory.mktemp("shown")
    folder.chmod(0o755)
    for name in ("ours", "other"):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                f"/CN=authority {name}", "-keyout", f"{folder}/{name}.key", "-out",
                f"{folder}/{name}.pem")  # fmt: skip
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost", "-keyout", f"{folder}/server.key", "-out",
            f"{folder}/server.csr")  # fmt: skip
    openssl("x509", "-req", "-in", f"{folder}/server.csr", "-days", "2", "-copy_extensions",
            "copy", "-CA", f"{folder}/ours.pem", "-CAkey", f"{folder}/ours.key", "-out",
            f"{folder}/server.pem")  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def port(shown):
    """The port of a server that can encrypt."""
    programs = cluster.programs()
    if programs is None:
        pytest.skip("NO POSTGRESQL SERVER IS INSTALLED: Debian: apt install postgresql")
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        free = one.getsockname()[1]
    settings = ("listen_addresses=localhost", f"port={free}", "password_encryption=scram-sha-256")
    with cluster.Cluster(programs, settings=settings) as made:
        data = os.path.join(made.folder, "data")
        owner = os.stat(data)
        for name in ("server.pem", "server.key"):
            path = shutil.copy(shown / name, data)
            os.chmod(path, 0o600)
            os.chown(path, owner.st_uid, owner.st_gid)
        place = f"{made.address}&port={free}"
        if not psql(place, "SHOW ssl_library").strip():
            pytest.skip("this server was built without encryption")
        psql(place, "ALTER SYSTEM SET ssl_cert_file = 'server.pem'",
             "ALTER SYSTEM SET ssl_key_file = 'server.key'", "ALTER SYSTEM SET ssl = on",
             "ALTER ROLE tideline PASSWORD 'hush'", "SELECT pg_reload_conf()")  # fmt: skip
        psql(place, "SELECT pg_sleep(0.3)")
        yield free


def test_a_server_that_is_believed(run, shown, port, monkeypatch):
    """The authority of the address has signed what it shows: all verbs work, encrypted."""
    place = f"postgresql://tideline@localhost:{port}/postgres?sslmode=verify-full"
    monkeypatch.setenv("TIDELINE_DB", f"{place}&sslrootcert={shown}/ours.pem")
    assert run("remember", "the lamp is of brass").code == 0
    assert "brass" in run("recall", "lamp").out
    assert run("doctor", "--deep").code == 0


def test_a_server_that_is_not_believed(run, shown, port, monkeypatch):
    """Another authority, another name, or no file of one: nothing is sent, and the hint says what
    the address needs."""
    sure = "postgres?sslmode=verify-full"
    for rest in (
        f"localhost:{port}/{sure}&sslrootcert={shown}/other.pem",
        f"127.0.0.1:{port}/{sure}&sslrootcert={shown}/ours.pem",
        f"localhost:{port}/{sure}&sslrootcert={shown}/nowhere.pem",
    ):
        monkeypatch.setenv("TIDELINE_DB", f"postgresql://tideline@{rest}")
        done = run("remember", "the lamp is of brass")
        assert done.code == 5 and "certificate" in done.err and "sslrootcert=" in done.err, rest


def test_doctor_tells_what_can_be_read_on_the_way(run, port, monkeypatch):
    """Where a connection to another machine is not encrypted, a warning says so."""
    place = f"postgresql://tideline@localhost:{port}/postgres?schema=plain"
    monkeypatch.setenv("TIDELINE_DB", f"{place}&sslmode=disable")
    run("remember", "the lamp is of brass")
    assert run("doctor", "--json").json["findings"] == []
    monkeypatch.setattr(examination, "leaves_machine", bool)
    done = run("doctor", "--json")
    (found,) = done.json["findings"]
    assert (found["check"], found["severity"], done.code) == ("encryption", "warning", 0)
    assert "127.0.0.1" in found["message"] or "::1" in found["message"]
    monkeypatch.setenv("TIDELINE_DB", f"{place}&sslmode=require")
    assert run("doctor", "--json").json["findings"] == []


@pytest.mark.parametrize(("host", "leaves"), [
    ("", False), ("127.0.0.1", False), ("127.8.8.8", False), ("::1", False), ("10.0.0.7", True),
    ("192.168.1.2", True), ("fe80::1%eth0", True), ("2001:db8::1", True),
])  # fmt: skip
def test_what_leaves_the_machine(host, leaves):
    """A socket and the addresses of the machine itself do not."""
    assert examination.leaves_machine(host) is leaves
