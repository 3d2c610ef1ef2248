"""Reading a settings file.

It may come from anybody. So one pass from its beginning to its end looks for what could make the
parser slow, before the parser reads it.
"""

from __future__ import annotations

import os
import stat
import tomllib

from tideline_cli.config import origin_databases
from tideline_cli.config.settings import SETTINGS, TABLE, Value, parse_value
from tideline_cli.errors import UsageError
from tideline_cli.model.record import record
from tideline_cli.system import BINARY, NOCTTY, NONBLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

LARGEST = 64 * 1024
DEEPEST = 4
_LONGEST_WORD = 64  # a number or a date; texts are bounded by the file
_OF_NAMES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- \t"
_ROW = '"channel:…" = "postgresql://…"'
_LOOK = os.O_RDONLY | NONBLOCK | NOCTTY | BINARY


@record
class SettingLines:
    """Where a setting stands in a file: its name, its first and its last line."""

    name: str
    first: int
    last: int


def user_settings(path: str) -> dict[str, Value]:
    """Return the settings of the user's own file; raise UsageError for one that is not allowed."""
    raw, _ = content(path)
    try:
        return check_user_text(raw, path)
    except UsageError as error:
        error.hint += "; `tideline config edit` opens the file"
        raise


def check_user_text(raw: bytes, path: str) -> dict[str, Value]:
    """Return the settings that the text of a user's own file says; raise UsageError, which names
    the line, for one that is not allowed."""
    return {
        name: Value(_parsed(name, value, f"{path}, line {line}"), path)
        for name, (value, line) in parse_settings(raw, path).items()
    }


def _parsed(name: str, value: Any, where: str) -> Any:
    if name != TABLE:
        return parse_value(SETTINGS[name], value, where)
    try:
        return origin_databases.table_of(value)
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", hint=error.hint) from error


def content(path: str) -> tuple[bytes, os.stat_result]:
    """Return the bytes and the state of a settings file; raise UsageError when it is no file, or
    too large. Opening it never waits, not even for a pipe."""
    try:
        _check(os.stat(path), path)
        handle = os.open(path, _LOOK)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", hint="see its rights") from error
    try:
        state = os.fstat(handle)
        _check(state, path)
        raw = b""
        while len(raw) <= LARGEST and (more := os.read(handle, LARGEST + 1 - len(raw))):
            raw += more
    finally:
        os.close(handle)
    if len(raw) > LARGEST:
        raise UsageError(
            f"{path} is larger than {LARGEST >> 10} KiB", hint="settings are a few lines"
        )
    return raw, state


def _check(state: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(state.st_mode):
        raise UsageError(f"{path} is not a file", hint="remove it, or name it otherwise")


def parse_settings(raw: bytes, path: str) -> dict[str, tuple[Any, int]]:
    """Return the values of a settings file with their lines; raise UsageError, which names the
    line, for anything but known settings."""
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}, line {line}: not UTF-8", hint="save it as UTF-8") from error
    lines = {setting.name: setting.first for setting in setting_lines(text, path)}
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{path} is not valid TOML: {error}", hint='mend the line: NAME = "text", 5 or ["a"]'
        ) from error
    return {name: (value, lines[name]) for name, value in values.items()}


def setting_lines(text: str, path: str) -> list[SettingLines]:
    """Return where the settings of a text stand, in order; raise UsageError, which names the line,
    for anything else. Linear time."""
    found: list[SettingLines] = []
    look = _Look(text, path)
    while look.begins():
        first, is_table = look.line(), look.enters_table()
        name = TABLE if is_table else look.name()
        if any(name == other.name for other in found):
            look.refuse(f"{name} is there twice", "keep one of the lines")
        if is_table:
            look.skip_rows()
        else:
            look.skip_value()
        found.append(SettingLines(name, first, look.line()))
    return found


class _Look:
    """One pass over a settings file."""

    def __init__(self, text: str, path: str) -> None:
        self._text = text
        self._path = path
        self._at = 0

    def line(self) -> int:
        """Return the number of the line that was reached."""
        return self._text.count("\n", 0, self._at) + 1

    def refuse(self, what: str, hint: str) -> NoReturn:
        """Raise the one error that names the line."""
        raise UsageError(f"{self._path}, line {self.line()}: {what}", hint=hint)

    def begins(self) -> bool:
        """Go on to the next setting, and say whether there is one."""
        text = self._text
        while self._at < len(text):
            if text[self._at] == "#":
                self._skip_line()
            elif text[self._at] in " \t\n":
                self._at += 1
            else:
                return True
        return False

    def name(self) -> str:
        """Go past the name of a setting and the sign after it."""
        raw, equals, _ = self._rest_of_line().partition("=")
        name = raw.strip()
        if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'":
            name = name[1:-1]
        if name not in SETTINGS:
            if name[:1] == "[":
                self.refuse(f"there is no table: {name[:40]!r}", f"the one table is [{TABLE}]")
            known = ", ".join(one for one in SETTINGS if one != TABLE)
            self.refuse(
                f"there is no setting: {name[:40]!r}", f"remove the line; known are {known}"
            )
        if name == TABLE:
            self.refuse(f"{name} is a table", f'write [{name}], and below it {_ROW}')
        if not equals:
            self.refuse(f"{name} has no value", f"say {name} = …")
        self._at += len(raw) + 1
        return name

    def enters_table(self) -> bool:
        """Go past the header of the one table that there may be, and say whether it stands here."""
        line = self._rest_of_line()
        if line.partition("#")[0].rstrip() != f"[{TABLE}]":
            return False
        self._at += len(line)
        return True

    def skip_rows(self) -> None:
        """Go past the rows of a table, to the next table or the end."""
        while self.begins() and self._text[self._at] != "[":
            if self._text[self._at] in "\"'":
                self._skip_text(self._text[self._at])
            line = self._rest_of_line()
            head, equals, _ = line.partition("=")
            if not equals or head.strip(_OF_NAMES):
                self.refuse("a row that names no origin", f"write {_ROW}")
            self._at += len(head) + 1
            self.skip_value()

    def _rest_of_line(self) -> str:
        end = self._text.find("\n", self._at)
        return self._text[self._at : end if end >= 0 else len(self._text)]

    def skip_value(self) -> None:
        """Go past a value, to the end of its line."""
        text, depth, word = self._text, 0, 0
        while self._at < len(text):
            char = text[self._at]
            if char == "\n" and not depth:
                return
            if char == "#":
                self._skip_line()
                continue
            if char in "\"'":
                self._skip_text(char)
                word = 0
                continue
            if char == "{":
                self.refuse("a setting is no table", "write a value, or a list of texts")
            depth += (char == "[") - (char == "]")
            word = 0 if char in " \t\n,[]" else word + 1
            if depth < 0:
                self.refuse("a list that has no beginning", 'write ["a", "b"]')
            if depth > DEEPEST:
                self.refuse("lists inside of lists", 'write one list: ["a", "b"]')
            if word > _LONGEST_WORD:
                self.refuse("a value that is too long", "write a text in quotes, or a number")
            self._at += 1

    def _skip_line(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = end if end >= 0 else len(self._text)

    def _skip_text(self, quote: str) -> None:
        text, mark = self._text, quote
        if text.startswith(quote * 3, self._at):
            mark = quote * 3
        at = self._at + len(mark)
        while not text.startswith(mark, at):
            if at >= len(text) or (text[at] == "\n" and len(mark) == 1):
                self.refuse("a text that does not end", f"close it with {mark}")
            at += 2 if text[at] == "\\" and quote == '"' else 1
        at += len(mark)
        if len(mark) > 1:  # it may end with quotes of its own
            at += sum(text.startswith(quote * n, at) for n in (1, 2))
        self._at = at
