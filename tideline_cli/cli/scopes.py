"""In which scope a call writes, and which scopes it sees."""

from __future__ import annotations

import os

from tideline_cli.model.scope import scope_key, seen_from

AUTO = "auto"


def named(given: str | None, setting: str | None) -> str | None:
    """Return the scope that an option gives, or else a setting; None is no scope."""
    if given is not None or setting is None:
        return scope_key(given or "")
    return _of_git_root() if setting == AUTO else scope_key(setting)


def seen(given: str | None, setting: str | None) -> tuple[str | None, ...] | None:
    """Return the scopes whose facts are seen, None for all: an empty option sees what has no scope,
    an empty setting sees everything."""
    scope = named(given, setting)
    return None if given is None and scope is None else seen_from(scope)


def _of_git_root() -> str | None:
    """Return the name of the git repository that the working folder is in, None outside of one."""
    from tideline_cli.config.git_root import repository  # noqa: PLC0415  where a setting asks

    try:
        folder = os.getcwd()
    except OSError:
        return None
    return repository(folder)
