"""Which language model is asked, how it is reached, and with which key."""

from __future__ import annotations

import os
import stat
from ipaddress import ip_address
from math import isfinite
from urllib.parse import urlsplit

from tideline_cli.errors import UsageError
from tideline_cli.model.record import record, replace
from tideline_cli.system import BINARY, NOFOLLOW, NONBLOCK, is_own, rights, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult

_CLIP = 200


def scalar(text: str) -> str:
    """Return `text` with each lone surrogate, which UTF-8 cannot say, as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def excerpt(text: str, key: str | None) -> str:
    """Return the beginning of a text as one printable line without the key."""
    if key:
        text = text.replace(key, "[key]")
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 20 * _CLIP]).split())
    return line if len(line) <= _CLIP else line[: _CLIP - 1] + "…"


KEY_VARIABLE = "TIDELINE_API_KEY"
LARGEST_REPLY = 1 << 20  # bytes; a reply that goes on is refused while it is read
REPLY_TOKENS = 4000
LONGEST_TIMEOUT = 3600.0
_LARGEST_KEY = 4096
_HOST = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:[]")


@record
class Model:
    """How to reach a model: a command, or an OpenAI-compatible endpoint and a name there.

    command: split like a shell's words, run without a shell; prompt on stdin, reply on stdout.
    key: sent as a bearer token to the endpoint alone; a command has its own.
    reply_tokens: of one reply at most; a command has its own limit.
    timeout: seconds for one `complete` in all, connecting, reading and retries included.
    """

    command: str | None = None
    base_url: str | None = None
    name: str | None = None
    key: str | None = None
    timeout: float = 60.0
    reply_tokens: int = REPLY_TOKENS


def _without_key(self: Model) -> str:
    key = "None" if self.key is None else "'[key]'"
    return (
        f"Model(command={self.command!r}, base_url={self.base_url!r}, name={self.name!r}, "
        f"key={key}, timeout={self.timeout!r})"
    )


Model.__repr__ = _without_key  # type: ignore[assignment, method-assign]


def model_from(
    environ: Mapping[str, str],
    *,
    command: str | None = None,
    base_url: str | None = None,
    name: str | None = None,
    key_file: str | None = None,
    timeout: float = 60.0,
    reply_tokens: int = REPLY_TOKENS,
) -> Model:
    """Return the checked model of these settings; a key is looked up for an endpoint alone."""
    model = checked_model(Model(command, base_url, name, None, timeout, reply_tokens))
    if model.command is not None:
        return model
    return checked_model(replace(model, key=key_from(environ, key_file)))


def key_from(environ: Mapping[str, str], key_file: str | None) -> str | None:
    """Return the key in `key_file`, or without one that of TIDELINE_API_KEY, or None.

    A named file wins over the environment: the key of one provider must not reach another.
    Raises UsageError for a file that others can read or that holds no key.
    """
    if key_file is None:
        return environ.get(KEY_VARIABLE, "").strip() or None
    path = os.path.expanduser(key_file)
    key = _private_text(path)
    if not key:
        raise UsageError(f"{path} holds no key", hint="the file is one line: the key", code="key")
    return key


def checked_model(model: Model) -> Model:
    """Return `model` with a tidy base URL; raises UsageError for one that cannot be asked."""
    if not (isfinite(model.timeout) and 0 < model.timeout <= LONGEST_TIMEOUT):
        raise UsageError(f"a timeout of {model.timeout:g} s is not within 0 and 3600")
    if model.command is not None:
        if model.base_url is not None:
            raise UsageError("name a command or a base URL, not both")
        _check_command(model.command)
        return model
    if not model.base_url or not (model.name or "").strip():
        raise UsageError(
            "no model to ask",
            hint="name a command (--llm), or an endpoint (--base-url) and its model (--model)",
        )
    if model.key is not None and not _is_sendable(model.key):
        raise UsageError("the API key holds characters that no key has", code="key")
    return replace(model, base_url=_checked_url(model.base_url))


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine: localhost, 127.0.0.0/8 or ::1."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _check_command(command: str) -> None:
    try:
        os.fsencode(command)
        words = words_of.split(command)
    except UnicodeEncodeError:
        raise UsageError("the model's command holds half a character") from None
    except ValueError as error:
        raise UsageError(f"the model's command cannot be split into words: {error}") from None
    if not words or not words[0] or "\0" in command:
        raise UsageError("the model's command is empty or holds a NUL character")


def _checked_url(url: str) -> str:
    """Return `url` without trailing slashes; what it may be is all that `endpoint` relies on."""
    hint = "like https://api.example.com/v1 or http://localhost:11434/v1"
    parts = _split(url)
    if parts is None:
        raise UsageError("the base URL is not one", hint=hint)
    if "@" in parts.netloc or parts.query or parts.fragment or "?" in url or "#" in url:
        raise UsageError("the base URL may hold no user, password, query or fragment", hint=hint)
    host = parts.hostname or ""
    if not host or not _HOST.issuperset(parts.netloc):
        raise UsageError("the base URL names no host", hint=hint)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise UsageError(f"{excerpt(url, None)} is neither https nor on this machine", hint=hint)
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _split(url: str) -> SplitResult | None:
    if not (url.isascii() and url.isprintable()) or " " in url:
        return None
    try:
        parts = urlsplit(url)
        return parts if parts.port != 0 else None
    except ValueError:
        return None


def _is_sendable(key: str) -> bool:
    return bool(key) and key.isascii() and key.isprintable() and " " not in key


def _private_text(path: str) -> str:
    """Return the stripped text of a small file that is ours alone."""
    handle = _opened(path)
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or not is_own(state):
            raise UsageError(f"{path} is not a regular file of yours", code="key")
        if rights(state.st_mode) & 0o077:
            raise UsageError(f"{path} can be read by others", hint=f"chmod 600 {path}", code="key")
        return os.read(handle, _LARGEST_KEY).decode("utf-8", "replace").strip()
    finally:
        os.close(handle)


def _opened(path: str) -> int:
    flags = os.O_RDONLY | NOFOLLOW | NONBLOCK | BINARY
    try:
        return os.open(path, flags)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = "the key file is a regular file of yours, no link, with mode 0600"
        message = f"the key file {path!r} cannot be read: {reason}"
        raise UsageError(message, hint=hint, code="key") from None
