"""The options of `eval`, for its actions."""

from __future__ import annotations

from tideline_cli.cli.shared_options import Scopes


class Options(Scopes):
    """The options of a call."""

    k: int
    profiles: tuple[str, ...]
    embedder: tuple[str, ...]
    form: str | None
    misses: bool
    strict: bool
    count: int
    output: str | None
    llm: str | None
    model: str | None
    base_url: str | None
    key_file: str | None
    timeout: int
