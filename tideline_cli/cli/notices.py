"""What a command tells its user beside its results: notes, details and warnings, on stderr."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.options import GlobalOptions
    from tideline_cli.errors import UnavailableError


class Notices:
    """What the options of a call let it tell. A door for programs has nobody who reads it."""

    def __init__(self, options: GlobalOptions, *, is_door: bool) -> None:
        self.is_door = is_door
        self.json = options.json
        self.quiet = options.quiet
        self.verbose = options.verbose
        self._cautions: set[str] = set()

    @property
    def is_watched(self) -> bool:
        """Say whether a person reads what this command notes on stderr."""
        plain = not (self.quiet or self.json or self.is_door)
        return plain and sys.stderr is not None and sys.stderr.isatty()

    def note(self, text: str) -> None:
        """Tell the user something that is not a result."""
        if not self.quiet:
            from tideline_cli.cli import messages  # noqa: PLC0415  most commands tell nothing

            messages.note(text, as_json=self.json)

    def detail(self, text: str) -> None:
        """Tell the user something that only --verbose asks for."""
        if self.verbose:
            self.note(text)

    def caution(self, code: str, text: str, *, hint: str = "") -> None:
        """Warn the user, once and also with --quiet, of what could do harm; at a door for programs,
        which nobody watches, with --verbose alone."""
        if text not in self._cautions and (self.verbose or not self.is_door):
            self._cautions.add(text)
            from tideline_cli.cli import messages  # noqa: PLC0415  most commands tell nothing

            messages.warn(code, text, hint=hint, as_json=self.json)

    def caution_of_likeness(self, error: UnavailableError | None) -> None:
        """Warn that an answer was found by words alone, where the embedder cannot be had."""
        if error is not None:
            self.caution(
                "embedder", f"answered by words alone: {error.message}", hint=error.hint
            )

    def warn_of_names(self, path: str) -> None:
        from tideline_cli.store import files  # noqa: PLC0415  a store that cannot be written

        if why := files.why_two_names(path):
            self.caution(
                "two_names",
                f"{path} {why}: what was written by another name may be missing, and nothing is "
                "written by this one",
                hint=files.two_names_hint(path),
            )
