"""What one command works with: where it stands (its folder, project and settings, the memory they
name, its scope), and a store, a viewer and a time."""

from __future__ import annotations

import os
import sys

from tideline_cli import config
from tideline_cli.cli.messages import Notices, call_line
from tideline_cli.config.settings import TABLE
from tideline_cli.errors import HelpWantedError, TidelineError, UsageError
from tideline_cli.model import instant
from tideline_cli.model.fact import bare_name
from tideline_cli.model.origin import Origin, parse_origin
from tideline_cli.policy.render import screen_text
from tideline_cli.store import ALLOW_NETWORK, SERVERS, connection, opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from apsw import Connection

    from tideline_cli.cli.last_hits import LastHits
    from tideline_cli.cli.options import GlobalOptions, OptionSet
    from tideline_cli.ranking.heat import HeatRule

    Said = TypeVar("Said", bound=OptionSet)

HEAT_SETTINGS = {
    "promotion_access_only": "access_only", "promotion_importance_only": "importance_only",
    "promotion_both_access": "both_access", "promotion_both_importance": "both_importance",
    "core_demotion": "demotes_core",
}  # fmt: skip
"""The settings of the rule of heat, each with the part of the rule that it gives."""
_FULL = 26  # letters of an id
_ASK_HINT = "repeat it with --yes; --dry-run shows what it would do"


def values_in_call(kind: type[Said], given: Mapping[str, Any], clock: Callable[[], int]) -> Said:
    """Return the values that a call gives to the options of a kind, as `option_values.of_call`."""
    plain = kind.of_flags(given)
    if plain is not None:
        return plain
    from tideline_cli.cli import option_values  # noqa: PLC0415  many give flags alone

    return option_values.of_call(kind, given, clock)


def _has_terminal() -> bool:
    """Say whether this process has a terminal, so that it belongs to a session of one."""
    return any(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr) if stream)


class Session(Notices):
    """What one command works with. Settings are read and connections opened on first use; `close`
    closes these."""

    def __init__(self, options: GlobalOptions, *, is_door: bool = False) -> None:
        super().__init__(options, is_door=is_door)
        self.options = options
        self._environ = os.environ
        self._config: config.Config | None = None
        self._stated_folder = ""
        self._is_scope_told = False
        self.usual_scope: str | None = None  # where neither an option nor a setting names one
        self._connections: list[Connection] = []
        self._older_names: dict[str, Origin | None] = {}
        self._has_spent = False  # the room that is reserved for a full disk
        self.db_from = "--db"  # what names the memory where the settings do not
        self.tended: tuple[Origin, ...] = ()  # which origins passes tend here; none is all
        self.names_time = options.now is not None
        self._now = options.now
        self.is_wall_told = False  # that a member asks for an origin of others
        self.access = "not opened"  # the memory file, as -v tells it
        # A question on stderr would be no JSON line.
        self.no_input = options.no_input or options.json
        named = options.origin or os.environ.get("TIDELINE_ORIGIN")
        self.names_origin = bool(named)
        if named:
            self._check_origin(named)
        if stated := "" if self.names_time else os.environ.get("TIDELINE_NOW"):
            from tideline_cli.cli.option_values import stated_now  # noqa: PLC0415  tests and scripts

            self._now = stated_now(stated, instant.now_ms, name="TIDELINE_NOW")

    def _check_origin(self, named: str) -> None:
        """Raise UsageError for a name that is no origin, even where the command needs none."""
        try:
            parse_origin(named)
        except UsageError:
            self.origin(named)

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
        return self._own_address or str(self.config.values["database"].value)

    @property
    def _own_address(self) -> str:
        """Return the address that the origin of this call has for itself, empty for none."""
        if not self.config.values[TABLE].value:
            return ""
        from tideline_cli.config import own_address  # noqa: PLC0415  few have such a table

        return own_address.of_call(self.config, self.options.origin, is_door=self.is_door)

    @property
    def named_by(self) -> str:
        """Return what names the memory: --db, a variable, a file of settings or its table of
        origins, or `default`."""
        if self.options.db:
            return self.db_from
        if self._own_address:
            return f"{TABLE} in {self.config.values[TABLE].came_from}"
        return self.config.values["database"].came_from

    def take_settings(self, other: Session) -> None:
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

    def scope(self, given: str | None, held_in: str | None = None) -> str | None:
        """Return the scope of what is written: as an option says, or else a setting. A conversation
        that was held in a folder has else that of its repository."""
        setting = self.scope_setting()
        if given is None and setting is None and not held_in:
            return None
        from tideline_cli.cli import scopes  # noqa: PLC0415  many have no scopes

        if held_in and setting is None:
            setting = scopes.AUTO
        return scopes.named(given, setting, folder=held_in or self.folder)

    def scope_setting(self) -> str | None:
        """Return the scope of the settings, or the usual one where they name none. A program takes
        that of a project file which is not trusted where it shows no more."""
        own: str | None = self.setting("scope", self.usual_scope)
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
            # Said once: which project file, that nobody has trusted, says what is seen.
            self._is_scope_told = True
            without = scopes.seen(None, self.config.own_scope.value, folder=self.folder)
            told = scopes.scope_news(seen, without, self.config.project_file)
            if told and not self.is_door:
                self.note(told)
        return seen

    @property
    def has_memory(self) -> bool:
        """Whether there is a memory: a file, or tables on a server. Raises StoreError where one
        was, and is gone."""
        if not self.is_on_server:
            opening.refuse_emptied(self.database)
            return os.path.lexists(self.database)
        if not self._connections and (db := opening.open_for_reading(self.database)):
            self._connections.append(db)
        return bool(self._connections)

    @property
    def viewer(self) -> Origin:
        if self.options.origin:
            return self.origin(self.options.origin)
        # A program that calls does not choose the folder in which it is called.
        own, wanted = self.config.own_origin, self.config.get("origin")
        if self.is_door and own != wanted:
            self.caution(
                "untrusted_project",
                f"the origin {wanted} of {self.config.project_file} is not taken here",
                hint="a program names an origin itself, with --origin",
            )
        return self.origin(own if self.is_door else wanted)

    def check_memory_is_there(self) -> None:
        """Raise UsageError where a memory file is named that was there, or should be: it was moved
        or lost, and a nightly pass that says nothing would hide it. To be called where there is no
        memory. A file that is there and empty is one that is being made.

        At the usual path nobody may have remembered anything yet, also where a schedule names that
        path; where one was, the files that it leaves behind have said so.
        """
        if not self.viewer.is_owner:  # others learn of no file
            return
        path, by = self.database, self.named_by
        usual = os.path.join(config.data_folder(self._environ), "tideline.db")
        if os.path.exists(path) or by == "default" or path == os.path.abspath(usual):
            return
        back = "name the path where it lies now, or `tideline restore --from BACKUP`"
        if self.is_on_server:
            back = (
                "name the database and the schema where it lies now, or restore a dump (pg_restore)"
            )
        raise UsageError(
            f"there is no memory at {path}, which {by} names",
            hint=f"{back}; `tideline remember` makes a new one",
            code="no_memory",
        )

    def needs_owner(self, why: str) -> None:
        """Raise UsageError where another than the owner calls what is about all origins."""
        if self.viewer.is_owner:
            return
        usual = self.origin(self.config.get("origin"))
        is_named_here = bool(self.options.origin) and usual.is_owner
        hint = "leave out --origin" if is_named_here else "repeat it with --origin owner"
        raise UsageError(why, hint=hint)

    def origin(self, named: str) -> Origin:
        """Return the origin of a name; where the store holds an older one of exactly this name,
        which is not in the form of today, that one."""
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
            self._older_names[named] = opening.older_origin(self.database, named)
        return self._older_names[named]

    def call(self, *words: str, origin: Origin | None = None) -> str:
        """Return a command line that the user can call next: quoted for a shell, with the memory
        that this call named, and with the origin where a plain call would have another."""
        whose = origin or self.viewer
        plain = self.origin(self.config.get("origin"))
        if self.options.db:
            from tideline_cli.model import server_address  # noqa: PLC0415  few calls name one

            words = ("--db", server_address.without_password(self.options.db), *words)
        return call_line(words, origin=None if whose == plain else whose)

    @property
    def now(self) -> int:
        """Return the instant of this command in milliseconds."""
        if self._now is None:
            self._now = instant.now_ms()
        return self._now

    @property
    def color(self) -> str:
        """Return auto, always or never."""
        chosen = self.options.color or self.config.get("color")
        if chosen == "auto" and self._environ.get("NO_COLOR"):
            return "never"
        if chosen == "auto" and self._environ.get("FORCE_COLOR"):
            return "always"
        return str(chosen)

    def profile(self, given: str | None) -> str | None:
        """Return the profile of a call, None for the usual one."""
        named: str | None = given or self.config.get("profile")
        return None if named == "tideline" else named

    def agent(self, given: str | None) -> str | None:
        """Return the agent that writes: as an option says, or else a setting. An empty one is
        none."""
        return bare_name(self.config.get("agent") if given is None else given)

    def reading(self) -> Connection | None:
        """Return a connection for reading, None when there is no store yet; none is made."""
        db = opening.open_for_reading(self.database)
        if db is None:
            self._name_other_memories()
        else:
            self._connections.append(db)
            db.asked_settings = self.asked_settings  # type: ignore[attr-defined]
            db.heat_rule = self.heat_rule  # type: ignore[attr-defined]
            self.access = "read"
            if db.readonly("main"):
                self.warn_of_names(db.filename)
        return db

    def writing(self, *, frees: bool = False) -> Connection:
        """Return a connection for writing; a store is made when there is none. A command that
        `frees` room may use the room that is reserved for a full disk.

        Connections for reading are closed first: where a full disk leaves no room for shared
        memory, a reader locks the file.
        """
        is_file = not self.is_on_server
        while is_file and self._connections:
            self._connections.pop().close()
        if frees:
            from tideline_cli.store import private_files  # noqa: PLC0415  most writers need none

            self._has_spent = private_files.spend_reserve(self.database) or self._has_spent
        path = self.database
        if not self.has_memory:
            self._name_other_memories()
        if is_file or not self._connections:
            opened = opening.open_for_writing(path, network_allowed=self.network_allowed)
            self._connections.append(opened)
        db = self._connections[-1]
        db.asked_settings = self.asked_settings  # type: ignore[attr-defined]
        db.heat_rule = self.heat_rule  # type: ignore[attr-defined]
        self.access = "opened for writing"
        return db

    def _name_other_memories(self) -> None:
        """Name the memories that the rules of another environment would find, where there is none
        at the usual place, and what an origin has left where it had no database of its own."""
        from tideline_cli.cli import other_memories  # noqa: PLC0415  before the first fact

        named_by = self.named_by
        if named_by.startswith(TABLE):
            other_memories.warn_of_left_facts(self, self.viewer, lambda: None)
        if named_by != "default":
            return
        if not self._environ.get("TIDELINE_HOME"):
            other_memories.warn_of_other_memories(self, self.database, self._environ)

    def asked_settings(self, spec: str) -> object:
        """Return how an embedder is reached that is asked for vectors."""
        from tideline_cli.memory import asked_embedder  # noqa: PLC0415  openai and command alone

        return asked_embedder.asked_settings_of(spec, self.setting, self._environ)

    def heat_rule(self) -> HeatRule | None:
        """Return by which rule of the settings the heat of facts moves, None for the usual one."""
        given = {field: self.config.get(name) for name, field in HEAT_SETTINGS.items()}
        if all(value is None for value in given.values()):
            return None
        from tideline_cli.ranking.heat import HeatRule  # noqa: PLC0415  few set a rule

        stated = {field: value for field, value in given.items() if value is not None}
        return HeatRule(**stated | {"demotes_core": given["demotes_core"] == "on"})

    def confirmed(self, question: str, *, yes: bool, hint: str = _ASK_HINT) -> bool:
        """Return whether the user says yes to `question`, which may have several lines, or has
        given --yes; raise UsageError when no question can be asked."""
        if yes:
            return True
        if self.no_input or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise UsageError("this needs a yes, and there is nobody to ask", hint=hint)
        shown = "\n".join(map(screen_text, question.split("\n")))
        sys.stderr.write(f"{shown} [y/N] ")
        sys.stderr.flush()
        answer = sys.stdin.readline()
        if not answer.endswith("\n"):
            sys.stderr.write("\n")
        return answer.strip().lower() in ("y", "yes")

    def close(self) -> None:
        """Close what was opened; of the room that was used, what is left is reserved again."""
        while self._connections:
            db = self._connections.pop()
            if self.access == "read" or self._has_spent:
                db.close()
            else:
                connection.leave(db)
        if self._has_spent:
            from tideline_cli.store import private_files  # noqa: PLC0415  only on a full disk

            private_files.take_reserve_back(self.database)
            self._has_spent = False

    @property
    def opened(self) -> Connection | None:
        """Return the connection that this command has opened, None where it has none."""
        return self._connections[-1] if self._connections else None

    def text(self, words: Sequence[str]) -> str:
        """Return the words as one text; standard input for `-` or for none when it is piped.

        Raises HelpWantedError when there is neither.
        """
        if list(words) == ["-"] or (not words and not sys.stdin.isatty()):
            return stdin_text()
        if not words:
            raise HelpWantedError("nothing was said")
        return " ".join(words)

    def keep_hits(self, ids: Sequence[str]) -> None:
        """Remember the facts that are shown for `@1`, `@2` … in this terminal session."""
        if _has_terminal():
            self._last_hits.keep(ids)

    def replace_hit(self, old: str, new: str) -> None:
        """Let `@N` stand for a fact that took the place of another."""
        if _has_terminal():
            self._last_hits.replace(old, new)

    def reference(self, text: str) -> str:
        """Return an id, or a part of one, for what a user typed; `@1` is the first of the facts
        that were shown last in this terminal session."""
        if len(text) == _FULL and text[0] != "@":
            return text
        return self._last_hits.typed_id(text, self.reading, viewer=self.viewer)

    @property
    def _last_hits(self) -> LastHits:
        from tideline_cli.cli.last_hits import LastHits  # noqa: PLC0415  on a terminal alone

        return LastHits(on_terminal=_has_terminal())


_MOST_BYTES = 64 * 1024 * 1024
_LONGEST_LINE = 1 << 20  # characters of a line of a batch: to read and judge one of 60 MB took 20 s


def stdin_text() -> str:
    """Return all of standard input; raise UsageError when it is not UTF-8 or has no end."""
    raw = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise UsageError("standard input is larger than 64 MiB", hint="use `tideline import`")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"standard input is not UTF-8 (byte {error.start})", hint="convert it with iconv"
        ) from error


def check_batch_line(line: str) -> None:
    """Raise UsageError for a line of a batch that is too long."""
    if len(line) > _LONGEST_LINE:
        raise UsageError(
            f"the line has {len(line):,} characters; one may have {_LONGEST_LINE:,}",
            hint="split it",
        )
