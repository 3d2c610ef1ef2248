"""What the address of a place means. Pure: nothing is looked up, and nothing of an address becomes
an option or a command of another program."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit

from tideline_cli.errors import UsageError
from tideline_cli.model.record import Record

_HINT = ("a folder, user@host:path, ssh://user@host/path, git+ssh://host/path.git, "
         "git+https://host/path.git, or rclone:remote:path")  # fmt: skip
_USER = r"[A-Za-z0-9_.][A-Za-z0-9_.+-]*"
_HOST = r"[A-Za-z0-9_][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+\]"
_SCP = re.compile(rf"(?:({_USER})@)?({_HOST}):(?!//)(.+)")
_REMOTE = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.+@ -]*):(.*)")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_GIT_SCHEMES = ("ssh", "https", "file")


class Address(Record):
    """An address that was understood: `kind` is folder, ssh, git or rclone.

    `path` is a folder for folder and ssh, an address that git takes for git, `remote:path` for
    rclone. `login` is user@host or host, and `port` 0 where none is named.
    """

    kind: str
    path: str
    login: str = ""
    port: int = 0


def understood(address: str) -> Address:
    """Return what an address means; raise UsageError for one that means nothing, or that another
    program could take for something else."""
    if not address or any(ord(char) < 32 or ord(char) == 127 for char in address):
        raise _wrong(address, "it is empty, or holds control characters")
    if address.startswith("-"):
        raise _wrong(address, "it begins with a dash: write ./ before it")
    if "::" in address.partition("/")[0].partition("[")[0]:
        raise _wrong(address, "no helper programs (name::)")
    if address.startswith("rclone:"):
        return _rclone(address)
    if address.startswith("git:"):
        return Address("git", _git(address, address[4:]))
    scheme = _SCHEME.match(address)
    if scheme:
        return _by_scheme(address, scheme[1].lower())
    if address.endswith(".git"):
        return Address("git", _git(address, address))
    scp = _scp(address)
    if scp:
        return Address("ssh", _remote_path(address, scp[2]), scp[1])
    return Address("folder", address)


def local_path(given: str) -> str:
    """Return the path that an address of git names on this machine, '' where it names another."""
    if given.startswith("file://"):
        parts = _split(given)
        if parts.netloc not in ("", "localhost"):
            raise _wrong(given, "a file:// address names no host")
        return unquote(parts.path)
    if "://" in given or ":" in given.partition("/")[0]:
        return ""
    return os.path.abspath(os.path.expanduser(given))


def _by_scheme(address: str, scheme: str) -> Address:
    if scheme.startswith("git+"):
        return Address("git", _git(address, address[4:]))
    if scheme in _GIT_SCHEMES and address.endswith(".git"):
        return Address("git", _git(address, address))
    parts = _split(address)
    if scheme == "file":
        if parts.netloc not in ("", "localhost"):
            raise _wrong(address, "a file:// address names no host")
        return Address("folder", _clean(address, unquote(parts.path)))
    if scheme == "ssh":
        path = unquote(parts.path)
        path = path[1:] if path.startswith("/~/") else path
        return Address("ssh", _remote_path(address, path), _login(address, parts), parts.port or 0)
    raise _wrong(address, f"there is no kind of place {scheme}://")


def _git(address: str, given: str) -> str:
    """Return an address as git takes it: over ssh or https, or a folder of this machine."""
    scheme = _SCHEME.match(given)
    if scheme:
        if scheme[1].lower() == "http":
            raise _wrong(address, "no git without encryption: use https")
        if scheme[1].lower() not in _GIT_SCHEMES:
            raise _wrong(address, f"git is reached by ssh, https or file, not by {scheme[1]}")
        parts = _split(given)
        if scheme[1].lower() != "file":
            if parts.password is not None:
                raise _wrong(address, "it holds a password: leave that to git's credential helper")
            _login(address, parts)
        if not parts.path.strip("/"):
            raise _wrong(address, "it names no repository")
        return given
    if given.startswith("-") or "::" in given.partition("/")[0].partition("[")[0] or not given:
        raise _wrong(address, "no option, and no helper program (name::)")
    return given


def _rclone(address: str) -> Address:
    rest = address.removeprefix("rclone:")
    found = _REMOTE.fullmatch(rest)
    if found is None or found[1] != found[1].strip():
        raise _wrong(address, "rclone:REMOTE:PATH, where REMOTE is one of `rclone listremotes`")
    return Address("rclone", _clean(address, rest))


def _scp(address: str) -> tuple[str, str, str] | None:
    """Return the words of user@host:path, None for anything else; `./a:b` is a folder."""
    found = _SCP.fullmatch(address)
    if found is None:
        return None
    user, host, path = found[1], found[2], found[3]
    return address, f"{user}@{host}" if user else host, path


def _login(address: str, parts: SplitResult) -> str:
    host, user = parts.hostname or "", parts.username
    shown = f"[{host}]" if ":" in host else host
    if not re.fullmatch(_HOST, shown) or (user is not None and not re.fullmatch(_USER, user)):
        raise _wrong(address, "its user or host cannot be one")
    return f"{user}@{shown}" if user else shown


def _remote_path(address: str, path: str) -> str:
    """Return a path on the other machine: from / or, with ./ before it, from the user's home."""
    path = _clean(address, path).removeprefix("~/")
    if path in ("", "/", "~"):
        raise _wrong(address, "it names no folder of its own")
    if path.startswith("~"):
        raise _wrong(address, "write the path from / or from your own home")
    return path if path.startswith("/") else f"./{path}"


def _clean(address: str, path: str) -> str:
    if not path or any(ord(char) < 32 or ord(char) == 127 for char in path):
        raise _wrong(address, "its path is empty, or holds control characters")
    return path


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port, parts.hostname
    except ValueError as error:
        raise _wrong(address, "its host or port cannot be one") from error
    if parts.query or parts.fragment:
        raise _wrong(address, "it holds ? or #")
    return parts


def _wrong(address: str, why: str) -> UsageError:
    return UsageError(f"{address!r:.200} is no address of a place: {why}", hint=_HINT, code="place")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from urllib.parse import SplitResult
