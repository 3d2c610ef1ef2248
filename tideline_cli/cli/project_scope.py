"""What is said where the project file of a folder, which nobody has trusted, says which scopes an
answer has: it may have come with a clone. Pure."""

from __future__ import annotations


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
