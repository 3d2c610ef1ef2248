"""Authenticated encryption with a shared secret: ChaCha20-Poly1305 (RFC 8439) by `cryptography`.

The nonce is computed from what is sealed (HMAC-SHA256), so sealing the same twice gives the same
bytes, and no nonce serves two texts. Each purpose has keys of its own, derived from the secret.
"""

from __future__ import annotations

import hmac

from tideline_cli.errors import UnavailableError
from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

SECRET_BYTES = 32
_NONCE_BYTES = 12
OVERHEAD = _NONCE_BYTES + 16
"""How many bytes longer a sealed text is: the nonce and the tag."""


class Key(Record):
    """A secret of 32 bytes, whose id is computed from it. `epoch` counts the rotations of a place,
    from 1. `place` is the id of the place that it is for, empty for any."""

    id: str
    secret: bytes
    epoch: int
    place: str = ""


if TYPE_CHECKING:

    class Ring(Protocol):
        """Keys by their ids."""

        def get(self, key_id: str, /) -> Key | None: ...


class UnsealError(ValueError):
    """A sealed text was changed, moved, or sealed with another secret."""


def seal(secret: bytes, purpose: bytes, associated: bytes, text: bytes) -> bytes:
    """Return a text sealed for a purpose; `associated` is not in it, and is needed to open it.

    Raises UnavailableError where `cryptography` is not installed.
    """
    message = len(associated).to_bytes(8, "big") + associated + text
    nonce = hmac.digest(_derived(secret, purpose, b"nonce"), message, "sha256")[:_NONCE_BYTES]
    return nonce + _cipher(secret, purpose).encrypt(nonce, text, associated)


def unseal(secret: bytes, purpose: bytes, associated: bytes, sealed: bytes) -> bytes:
    """Return the text that was sealed; raise UnsealError where anything differs."""
    cipher = _cipher(secret, purpose)
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415  an extra, for sealed places

    try:
        return cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], associated)
    except (InvalidTag, ValueError) as error:  # ValueError: too short to hold a nonce
        raise UnsealError("not what was encrypted") from error


def key_id(secret: bytes) -> str:
    """Return the name of a secret, 16 hexadecimal digits, which tells nothing of it."""
    return _derived(secret, b"key", b"id").hex()[:16]


def _derived(secret: bytes, purpose: bytes, use: bytes) -> bytes:
    return hmac.digest(secret, b"tideline sync 1\0" + purpose + b"\0" + use, "sha256")


def _cipher(secret: bytes, purpose: bytes) -> ChaCha20Poly1305:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import (  # noqa: PLC0415  an extra
            ChaCha20Poly1305,
        )
    except ImportError as error:
        raise UnavailableError(
            "an encrypted place needs the package cryptography",
            hint="pip install 'tideline-cli[sync]', or make the place with --plain",
            code="no_cryptography",
        ) from error
    return ChaCha20Poly1305(_derived(secret, purpose, b"seal"))
