"""Composition root: from the flags and the surroundings of one run to a store, a viewer, a time."""

from __future__ import annotations

import os
import sys

from tideline_cli import config
from tideline_cli.errors import HelpWantedError, NotFoundError, UsageError
from tideline_cli.model import instant
from tideline_cli.model.origin import Origin, parse_origin
from tideline_cli.store import ALLOW_NETWORK, opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from apsw import Connection

_MAX_INPUT = 64 * 1024 * 1024
_LONGEST_PLACE = 6


def _typed(key: str) -> str:
    """Return the name of an origin as it can be typed and copied."""
    from tideline_cli.model.origin import is_in_form, spelled_out  # noqa: PLC0415  for a report

    return key if is_in_form(key) else spelled_out(key)


def _pinned(text: str) -> int:
    """Return the time that the environment pins."""
    try:
        return instant.parse(text)
    except UsageError as error:
        raise UsageError(f"TIDELINE_NOW: {error.message}", hint=error.hint) from error


class Session:
    """What one command works with. Connections are opened on first use and closed by `close`."""

    def __init__(self, flags: Mapping[str, Any], *, is_door: bool = False) -> None:
        self._flags = flags
        self._environ = os.environ
        self._config: config.Config | None = None
        self._connections: list[Connection] = []
        self._older_names: dict[str, Origin | None] = {}
        self._has_spent = False  # the room that is kept for a full disk
        self._cautions: set[str] = set()
        named = flags.get("origin") or os.environ.get("TIDELINE_ORIGIN")
        self.names_origin = bool(named)
        self.names_time = flags.get("now") is not None
        self.is_door = is_door  # a program calls, and must not fail or be led by a project's file
        self.access = "not opened"  # the memory file, as -v tells it
        self.json = bool(flags.get("json"))
        self.quiet = bool(flags.get("quiet"))
        self.verbose = bool(flags.get("verbose"))
        # A question on stderr would be no JSON line.
        self.no_input = bool(flags.get("no_input")) or self.json
        if named:
            self._check_origin(named)
        if pinned := "" if self.names_time else os.environ.get("TIDELINE_NOW"):
            self._flags = dict(flags, now=_pinned(pinned))

    def flag(self, name: str) -> Any:
        """Return the value of a global option."""
        return self._flags.get(name)

    def _check_origin(self, named: str) -> None:
        """Raise UsageError for a name that spells no origin, whatever is done with it."""
        try:
            parse_origin(named)
        except UsageError:
            self.origin(named)

    @property
    def config(self) -> config.Config:
        if self._config is None:
            try:
                folder = os.getcwd()
            except OSError:
                folder = None
            self._config = config.load(self._environ, folder, lenient=self.is_door)
            for one in self._config.ignored:
                if not (one.name == "origin" and self.names_origin):
                    self.caution(one.code, one.message, hint=one.hint)
            for name in self._config.strays if not self.is_door else ():
                self.note(f"{name} is no variable of ours, and ignored; `tideline man` has them")
        return self._config

    @property
    def database(self) -> str:
        """Return the absolute path of the memory file."""
        path: str = self._flags.get("db") or self.config.get("database")
        if not path or "\x00" in path:
            raise UsageError("not a path: the database's name is empty", hint="see --db")
        path = os.path.abspath(os.path.expanduser(path))
        try:
            path.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"{path} is not UTF-8", hint="rename it") from error
        return path

    @property
    def viewer(self) -> Origin:
        named = self._flags.get("origin")
        if named:
            return self.origin(named)
        # Whoever calls a door for programs does not choose the folder that it is called in.
        own, wanted = self.config.own_origin, self.config.get("origin")
        if self.is_door and own != wanted:
            self.caution(
                "untrusted_project",
                f"the origin {wanted} of {self.config.project_file} is not taken here",
                hint="a program names an origin itself, with --origin",
            )
        return self.origin(own if self.is_door else wanted)

    def origin(self, named: str) -> Origin:
        """Return the origin that a name spells; where the store holds an older one of exactly this
        spelling, which is not in the form of today, that one."""
        try:
            origin = parse_origin(named)
        except UsageError:
            old = self._older(named)
            if old is None:
                raise
            return old
        is_plain = named.isascii() and "%" not in named
        return origin if is_plain else self._older(named) or origin

    def _older(self, named: str) -> Origin | None:
        if named not in self._older_names:
            from tideline_cli.store.visibility import older  # noqa: PLC0415  odd names alone

            self._older_names[named] = older(self.database, named)
        return self._older_names[named]

    def call(self, *words: str, origin: Origin | None = None) -> str:
        """Return the command line that goes on here: quoted for a shell, and with the origin where
        it is not the one that a plain call would have."""
        from shlex import join  # noqa: PLC0415  only reports of a change name a call

        whose = origin or self.viewer
        plain = self.origin(self.config.get("origin"))
        more = () if whose == plain else ("--origin", _typed(whose.key))
        return join(["tideline", *words, *more])

    @property
    def network_allowed(self) -> bool:
        """Say whether the user allows a memory file on a network file system."""
        return config.switch(self._environ, ALLOW_NETWORK)

    @property
    def now(self) -> int:
        """Return the instant of this command in milliseconds."""
        if self._flags.get("now") is None:
            self._flags = dict(self._flags, now=instant.now_ms())
        return int(self._flags["now"])

    @property
    def color(self) -> str:
        """Return auto, always or never."""
        chosen = self._flags.get("color") or self.config.get("color")
        if chosen == "auto" and self._environ.get("NO_COLOR"):
            return "never"
        if chosen == "auto" and self._environ.get("FORCE_COLOR"):
            return "always"
        return str(chosen)

    def setting(self, name: str, fallback: Any) -> Any:
        """Return a setting, or `fallback` when nothing sets it."""
        value = self.config.get(name)
        return fallback if value is None else value

    def reading(self) -> Connection | None:
        """Return a connection that makes nothing, None when there is no store yet."""
        db = opening.open_for_reading(self.database)
        if db is not None:
            self._connections.append(db)
            self.access = "read"
            if db.readonly("main"):
                self._warn_of_names(db.filename)
        return db

    def writing(self, *, frees: bool = False) -> Connection:
        """Return a connection to the store, which is made when there is none; one that `frees`
        room may take what is kept for a full disk.

        What was opened to read is closed before: where a full disk leaves no room for shared
        memory, a reader keeps the file to itself.
        """
        while self._connections:
            self._connections.pop().close()
        if frees:
            from tideline_cli.store import reserve  # noqa: PLC0415  most writers need none

            self._has_spent = reserve.spend(self.database) or self._has_spent
        db = opening.open_for_writing(self.database, network_allowed=self.network_allowed)
        self._connections.append(db)
        self.access = "opened for writing"
        return db

    def close(self) -> None:
        """Close what was opened; what is left of the room that was given up is kept again."""
        while self._connections:
            self._connections.pop().close()
        if self._has_spent:
            from tideline_cli.store import reserve  # noqa: PLC0415  only on a full disk

            reserve.take_back(self.database)
            self._has_spent = False

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
        """Tell the user, once and even if they asked for quiet, what could harm them."""
        if text not in self._cautions:
            self._cautions.add(text)
            from tideline_cli.cli import messages  # noqa: PLC0415  most commands tell nothing

            messages.warn(code, text, hint=hint, as_json=self.json)

    def _warn_of_names(self, path: str) -> None:
        from tideline_cli.store import file_names  # noqa: PLC0415  a store that cannot be written

        if why := file_names.why(path):
            self.caution(
                "two_names",
                f"{path} {why}: what was written by another name may be missing, and nothing is "
                "written by this one",
                hint=file_names.hint(path),
            )

    def text(self, words: Sequence[str]) -> str:
        """Return the words as one text; standard input for `-` or for none when it is piped.

        Raises HelpWantedError when there is neither.
        """
        if list(words) == ["-"] or (not words and not sys.stdin.isatty()):
            return self.standard_input()
        if not words:
            raise HelpWantedError("nothing was said")
        return " ".join(words)

    def standard_input(self) -> str:
        """Return all of standard input; raise UsageError when it is not UTF-8 or endless."""
        raw = sys.stdin.buffer.read(_MAX_INPUT + 1)
        if len(raw) > _MAX_INPUT:
            raise UsageError("standard input is larger than 64 MiB", hint="use `tideline import`")
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"standard input is not UTF-8 (byte {error.start})", hint="convert it with iconv"
            ) from error

    def keep_hits(self, ids: Sequence[str]) -> None:
        """Remember the hits of a recall for `@1`, `@2` in this terminal session; best effort."""
        path = self._hits_file()
        if path is None:
            return
        try:
            folder = os.path.dirname(path)
            if not os.path.isdir(folder):
                from tideline_cli.store.folders import make_folder  # noqa: PLC0415  once

                make_folder(folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            handle = os.open(path, flags, 0o600)
        except OSError:
            return
        os.fchmod(handle, 0o600)  # whatever the umask
        if os.geteuid() == 0:
            from tideline_cli.store.folders import hand_over  # noqa: PLC0415  root alone

            hand_over(handle, path, like=folder)
        with open(handle, "w", encoding="ascii", errors="replace") as file:
            file.write("\n".join(ids))

    def reference(self, text: str) -> str:
        """Return an id, or the beginning of one, for what a user typed; `@1` is the first hit of
        the last recall in this terminal session."""
        if not text.startswith("@"):
            return text
        place = text[1:]
        path = self._hits_file()
        ids: list[str] = []
        if path is not None and os.path.isfile(path):
            with open(path, encoding="ascii", errors="replace") as file:
                ids = file.read().split("\n")
        is_number = place.isascii() and place.isdigit() and len(place) <= _LONGEST_PLACE
        if is_number and 0 < int(place) <= len(ids) and ids[0]:
            return ids[int(place) - 1]
        raise NotFoundError(
            f"no such id: {text}", hint="@1, @2 … are the hits of the last recall in this terminal"
        )

    def _hits_file(self) -> str | None:
        if not any(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr) if stream):
            return None
        folder = os.path.join(config.state_folder(self._environ), "last-recall")
        return os.path.join(folder, str(os.getsid(0)))
