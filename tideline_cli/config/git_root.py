"""The git repository that a folder is in, found without running git: nothing that its settings name
is executed."""

from __future__ import annotations

import os

from tideline_cli.model.lean import blake2b
from tideline_cli.model.unicode_forms import composed

_POINTER, _WORKTREES = "gitdir:", "/worktrees/"
_LONGEST = 1 << 20  # bytes of a file of settings
_LONGEST_NAME, _NAMELESS = 60, "repository"
_DIGEST = 6  # bytes
_NO_PROJECTS = ("/", "/tmp", "/var/tmp", "~")  # noqa: S108  nothing is written there
_ANY_CASE = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")


def repository(folder: str) -> str | None:
    """Return the scope of the repository that a folder is in, `NAME/DIGEST`: its short name, and
    under it a digest of its address, else of the path of its root.

    The address is that of the remote `origin`, else of the first one. Worktrees have that of their
    repository, and so have clones. None outside of a repository, and where its root is a home
    folder or one for temporary files.
    """
    while True:
        mark = os.path.join(folder, ".git")
        if os.path.lexists(mark):
            return _scope(folder, mark)
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _scope(root: str, mark: str) -> str | None:
    main, settings = _main_of(mark) or (root, mark)
    none = {os.path.realpath(os.path.expanduser(one)) for one in _NO_PROJECTS}
    if not none.isdisjoint((os.path.realpath(root), os.path.realpath(main))):
        return None
    address = os.fsencode(_address(settings, main))
    name = composed(os.path.basename(address).decode("utf-8", "replace"))[:_LONGEST_NAME].strip()
    return f"{name or _NAMELESS}/{blake2b(address, digest_size=_DIGEST).hexdigest()}"


def _main_of(mark: str) -> tuple[str, str] | None:
    """Return the root of the repository that a `.git` file belongs to, and the folder of its
    settings. None where that repository does not know of it: the file may come with anything that
    is unpacked."""
    said = _read(mark)
    if not said.startswith(_POINTER):
        return None
    folder = os.path.dirname(mark)
    kept = os.path.join(folder, said.removeprefix(_POINTER).strip())
    shared, found, _ = kept.rpartition(_WORKTREES)
    back = _read(os.path.join(kept, "gitdir")).strip()
    if found and back and _is_same(os.path.join(kept, back), mark):
        return shared.removesuffix("/.git"), shared
    tree = dict(_settings(kept)).get("core.worktree", "")  # of a submodule
    return (folder, kept) if tree and _is_same(os.path.join(kept, tree), folder) else None


def _is_same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _address(settings: str, root: str) -> str:
    """Return what tells a repository from all others. Settings behind a link are not read: they may
    be another's."""
    if os.path.islink(settings) or os.path.islink(os.path.join(settings, "config")):
        return os.path.realpath(root)
    urls = [(name, value) for name, value in _settings(settings)
            if name.startswith("remote.") and name.endswith(".url")]  # fmt: skip
    first = next((value for name, value in urls if name == "remote.origin.url"), "")
    url = first or (urls[0][1] if urls else "")
    return _plain_address(url, root) or os.path.realpath(root)


def _plain_address(url: str, root: str) -> str:
    """Return a URL of a remote as host and path, so that ssh and https are one: without scheme,
    user, password, port, query and `.git`. Of a folder its path; empty for nothing."""
    scheme, found, rest = url.partition("://")
    if "::" in url:
        return ""  # the words of another program
    if not found:
        host, colon, path = url.partition(":")
        if not colon or "/" in host or "\\" in host or len(host) == 1:  # C:\ is no host
            return _folder_address(url, root)
        rest = f"{host}/{path}"
    elif scheme.lower() == "file":
        return _folder_address("/" + rest.partition("/")[2], root)
    host, _, path = rest.partition("/")
    host = host.rpartition("@")[2].lower()
    if not host.startswith("["):
        host = host.partition(":")[0]
    host = host.partition("]")[0].strip("[.")
    parts = [part for part in path.partition("?")[0].partition("#")[0].split("/") if part]
    plain = "/".join(parts).removesuffix(".git").rstrip("/")
    if not (host and plain):
        return ""
    return f"{host}/{plain.lower() if host in _ANY_CASE else plain}"


def _folder_address(path: str, root: str) -> str:
    if not path:
        return ""
    real = os.path.realpath(os.path.join(root, os.path.expanduser(path)))
    return real.removesuffix("/.git")


def _settings(folder: str) -> list[tuple[str, str]]:
    """Return the settings in the `config` of a folder of git as (section.name, value), in order.
    What it includes is not read."""
    found, section = [], ""
    for raw in _read(os.path.join(folder, "config")).replace("\\\n", "").split("\n"):
        line = raw.strip()
        if line.startswith("["):
            head, _, line = line[1:].partition("]")
            kind, _, name = head.partition(" ")
            section = ".".join(filter(None, (kind.strip().lower(), name.strip().strip('"'))))
            line = line.strip()
        key, equals, value = line.partition("=")
        if equals and not line.startswith(("#", ";")):
            found.append((f"{section}.{key.strip().lower()}", _value(value.strip())))
    return found


def _value(text: str) -> str:
    """Return a value without its quotes, its escapes and the comment behind it."""
    out, is_quoted, is_escaped = "", False, False
    for letter in text:
        if is_escaped:
            out, is_escaped = out + letter, False
        elif letter == "\\":
            is_escaped = True
        elif letter == '"':
            is_quoted = not is_quoted
        elif letter in "#;" and not is_quoted:
            break
        else:
            out += letter
    return out.strip()


def _read(path: str) -> str:
    """Return what a file says, empty where it cannot be read."""
    try:
        if not os.path.isfile(path):
            return ""
        with open(path, "rb") as file:
            return os.fsdecode(file.read(_LONGEST))
    except (OSError, ValueError):
        return ""
