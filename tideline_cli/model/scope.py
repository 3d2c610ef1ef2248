"""Names of scopes, such as work/api, and which scopes one sees."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.unicode_forms import composed

_LONGEST, _DEEPEST = 200, 16
_DIGEST = 12  # letters


def scope_key(text: str) -> str | None:
    """Return the name of a scope in NFC, its parts parted by `/`: without spaces or slashes around
    them. None where nothing is left: no scope.

    Raises UsageError for one that is too long or too deep.
    """
    text = composed(text)
    parts = [part for part in map(str.strip, text.split("/")) if part]
    if len(text) > _LONGEST or len(parts) > _DEEPEST:
        shown = text if len(text) <= 40 else text[:39] + "…"
        raise UsageError(
            f"not a scope: {shown!r}",
            hint=f"at most {_LONGEST} characters and {_DEEPEST} parts, such as a/b",
        )
    return "/".join(parts) or None


def seen_from(scope: str | None) -> tuple[str | None, ...]:
    """Return the scopes that a scope sees: itself, those above it, and none."""
    parts = scope.split("/") if scope else []
    return (*("/".join(parts[:end]) for end in range(len(parts), 0, -1)), None)


def is_repository(scope: str | None) -> bool:
    """Say whether a scope is that of a repository: a name, and under it a digest."""
    digest = (scope or "").partition("/")[2]
    return len(digest) == _DIGEST and not digest.strip("0123456789abcdef")


def of_said(scope: str | None, segment: str, kind: str | None) -> str | None:
    """Return the scope of what is said to an agent: what a person prefers, or is, holds in every
    repository, and so has none."""
    is_personal = segment in ("identity", "preference") or kind == "preference"
    return None if is_personal and is_repository(scope) else scope


def are_seen_together(one: str | None, other: str | None) -> bool:
    """Say whether there is a scope from which facts of both scopes are seen."""
    return one in seen_from(other) or other in seen_from(one)
