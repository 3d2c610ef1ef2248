"""Where a command stands: its folder, project and settings, the memory they name, its scope."""

from __future__ import annotations

import os
import sys

from tideline_cli import config
from tideline_cli.config.settings import TABLE
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.store import ALLOW_NETWORK, SERVERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.options import GlobalOptions
    from tideline_cli.errors import UnavailableError
    from tideline_cli.model.origin import Origin


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


class CallSettings(Notices):
    """The settings of a call, which are read on first use."""

    def __init__(self, options: GlobalOptions, *, is_door: bool) -> None:
        super().__init__(options, is_door=is_door)
        self.options = options
        self._environ = os.environ
        self._config: config.Config | None = None
        self._stated_folder = ""
        self._is_scope_told = False
        named = options.origin or os.environ.get("TIDELINE_ORIGIN")
        self.names_origin = bool(named)
        self.db_from = "--db"  # what names the memory where the settings do not
        self.tended: tuple[Origin, ...] = ()  # which origins passes tend here; none is all

    @property
    def folder(self) -> str | None:
        """Return the folder whose project counts, None where it is gone."""
        try:
            return self._stated_folder or os.getcwd()
        except OSError:
            return None

    def stand_in(self, folder: str) -> None:
        """Let the project of this folder count, if there is one of this name. Paths stay those of
        the folder in which the process is."""
        if os.path.isabs(folder) and os.path.isdir(folder):
            self._stated_folder = folder
        known = self._config
        if known is not None and known.project_file != config.project_file(self.folder or "/"):
            self._config = None

    @property
    def config(self) -> config.Config:
        if self._config is None:
            self._config = config.load(self._environ, self.folder, lenient=self.is_door)
            for one in self._config.ignored:
                if not (one.name == "origin" and self.names_origin):
                    self.caution(one.code, one.message, hint=one.hint)
            for name in self._config.strays if not self.is_door else ():
                self.note(f"{name} is no variable of ours, and ignored; `tideline man` has them")
        return self._config

    @property
    def stated_database(self) -> str:
        """Return the memory as it is stated, with a password that is in it."""
        if self.options.db:
            return self.options.db
        values = self.config.values
        if values[TABLE].value:
            from tideline_cli.config import own_address  # noqa: PLC0415  few have such a table

            if own := own_address.of_call(
                self.config, self.options.origin, is_door=self.is_door
            ):
                return own
        return str(values["database"].value)

    def take_settings(self, other: CallSettings) -> None:
        """Take the settings of another session of the same call, and what it has told of them."""
        self._config, self._stated_folder = other.config, other._stated_folder
        self._cautions = other._cautions

    def setting(self, name: str, fallback: Any) -> Any:
        """Return a setting, or `fallback` when nothing sets it."""
        value = self.config.get(name)
        return fallback if value is None else value

    @property
    def database(self) -> str:
        """Return the absolute path of the memory file, or the address on a server."""
        path = self.stated_database
        if not path or "\x00" in path:
            raise UsageError("not a path: the database's name is empty", hint="see --db")
        if path.startswith(SERVERS):
            from tideline_cli.store import remote  # noqa: PLC0415  no file

            return remote.kept(path)
        if ":" in path or "=" in path:
            from tideline_cli.model import server_address  # noqa: PLC0415  few paths have one

            server_address.refuse_other(path)
        path = os.path.abspath(os.path.expanduser(path))
        try:
            path.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"{path} is not UTF-8", hint="rename it") from error
        return path

    @property
    def is_on_server(self) -> bool:
        """Whether the memory is on a server, and no file."""
        return self.database.startswith(SERVERS)

    @property
    def may_collide(self) -> bool:
        """Whether a server may end what the verb does for the sake of another's. What is wrong with
        the settings is told where they are asked for."""
        try:
            return self.stated_database.startswith(SERVERS)
        except TidelineError:
            return False

    def needs_file(self, what: str, *, hint: str) -> None:
        """Raise UsageError where the memory is on a server, for what files alone have."""
        if self.is_on_server:
            raise UsageError(f"{what} is for memories in files", hint=hint, code="files_only")

    @property
    def real_database(self) -> str:
        """Return the path of the memory file whatever links lead to it."""
        path = self.database
        return path if path.startswith(SERVERS) else os.path.realpath(path)

    @property
    def network_allowed(self) -> bool:
        """Say whether the user allows a memory file on a network file system."""
        return config.switch(self._environ, ALLOW_NETWORK)

    def scope(self, given: str | None) -> str | None:
        """Return the scope of what is written: as an option says, or else a setting."""
        setting = self.scope_setting()
        if given is None and setting is None:
            return None
        from tideline_cli.cli import scopes  # noqa: PLC0415  many have no scopes

        return scopes.named(given, setting, folder=self.folder)

    def scope_setting(self, otherwise: str | None = None) -> str | None:
        """Return the scope of the settings, or `otherwise` where they name none. A program takes
        that of a project file which is not trusted where it shows no more."""
        own: str | None = self.setting("scope", otherwise)
        offered = self.config.offered
        if offered is None:
            return own
        from tideline_cli.cli import scopes  # noqa: PLC0415  few project files name a scope

        if scopes.shows_no_more(offered.value, own, folder=self.folder):
            return str(offered.value)
        self.caution(offered.code, offered.message, hint=offered.hint)
        return own

    def scopes(self, given: str | None, *, everything: bool) -> tuple[str | None, ...] | None:
        """Return the scopes that are seen, None for all."""
        setting = self.scope_setting()
        if everything or (given is None and setting is None):
            return None
        from tideline_cli.cli import scopes  # noqa: PLC0415  many have no scopes

        seen = scopes.seen(given, setting, folder=self.folder)
        if given is None and self.config.own_scope is not None and not self._is_scope_told:
            self._tell_of_project(seen, self.config.own_scope.value)
        return seen

    def _tell_of_project(self, seen: tuple[str | None, ...] | None, own: str | None) -> None:
        """Say once which project file, that nobody has trusted, says what is seen."""
        from tideline_cli.cli import scopes  # noqa: PLC0415  few have such a file

        self._is_scope_told = True
        without = scopes.seen(None, own, folder=self.folder)
        told = scopes.scope_news(seen, without, self.config.project_file)
        if told and not self.is_door:
            self.note(told)
