"""In which scope a call writes, which scopes it sees, and what is said where a project file that
nobody has trusted says so: it may have come with a clone."""

from __future__ import annotations

from tideline_cli.config.git_root import repository
from tideline_cli.model.scope import scope_key, seen_from

AUTO = "auto"


def named(given: str | None, setting: str | None, *, folder: str | None) -> str | None:
    """Return the scope that an option gives, or else a setting, in a folder; None is no scope."""
    if given is not None or setting is None:
        return scope_key(given or "")
    if setting != AUTO:
        return scope_key(setting)
    return repository(folder) if folder else None


def seen(
    given: str | None, setting: str | None, *, folder: str | None
) -> tuple[str | None, ...] | None:
    """Return the scopes whose facts are seen, None for all: an empty option sees what has no scope,
    an empty setting sees everything."""
    scope = named(given, setting, folder=folder)
    return None if given is None and scope is None else seen_from(scope)


def shows_no_more(offered: str, own: str | None, *, folder: str | None) -> bool:
    """Say whether the scope of a project file that nobody trusts shows nothing but what the user's
    own setting shows: the file may come with a clone. Where the setting is the name of the
    repository, what lies below that name is the project's own too."""
    theirs, mine = named(None, offered, folder=folder), named(None, own, folder=folder)
    if mine is None or theirs is None:
        return mine is None
    return theirs in seen_from(mine) or (own == AUTO and mine in seen_from(theirs))


def scope_news(
    seen: tuple[str | None, ...] | None, without: tuple[str | None, ...] | None, path: str | None
) -> str:
    """Return what to say of the scopes that are seen by the file at `path`, where others would be
    seen without it (None is all of them); empty where they are the same."""
    if seen == without:
        return ""
    where = "every scope is" if not seen else f"scope {seen[0]} is" if seen[0] else "no scope is"
    return (
        f"{where} seen, as {path} says, which you have not trusted: --all-scopes sees everything, "
        "`tideline config trust` takes the file for yours"
    )
