"""Options as data: one declaration for both parsers, the help, man pages and completions."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.instant import DAY_MS, LONGEST_SPAN_MS
from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_LARGEST_COUNT = 2**31 - 1


class Option(Record):
    """A flag of a command.

    `name` is the keyword of the command's `run`. `kind` is flag, text, count (a whole number from
    `least` to `most`), number, time (an exact one), start, last or end (a time in words: of a day
    the first instant, the last one, or the first one after it), duration (milliseconds inside),
    share (0..1), choice, pair (KEY=VALUE), list (texts parted by commas), file or folder.
    `excludes` names what cannot be honoured beside it: other options, or `words`; `-` alone is no
    word, since it names standard input. `beside` names flags that go with some choices alone, each
    with those choices. `completes` is what of the memory a shell offers for the value: a kind of
    `cli.completion_values`.
    """

    name: str
    flags: tuple[str, ...]
    help: str
    kind: str = "text"
    default: Any = None
    many: bool = False
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = _LARGEST_COUNT
    metavar: str = ""
    excludes: tuple[str, ...] = ()
    beside: tuple[tuple[str, tuple[str, ...]], ...] = ()
    completes: str = ""

    @property
    def explained(self) -> str:
        """Return the help with what the option itself knows: its bounds, and what it excludes."""
        text = self.help
        if self.kind == "count":
            text += f" From {self.least:,} to {self.most:,}."
        elif self.kind == "duration":
            text += f" At most {LONGEST_SPAN_MS // DAY_MS}d."
        if self.excludes:
            text += f" Not with {' or '.join(map(_as_typed, self.excludes))}."
        return text

    @property
    def placeholder(self) -> str:
        """Return what stands for the value in help texts; empty for a flag."""
        if self.kind == "flag":
            return ""
        if self.kind == "choice":
            return self.metavar or "|".join(self.choices)
        return self.metavar or _PLACEHOLDERS[self.kind]


class Argument(Record):
    """The words of a command. `kind` is text (joined by a space, or standard input), id, file or
    word; `least` says how many there must be, `many` whether there may be more than one.
    `completes` is what a shell offers for each word in turn, a kind of `cli.completion_values` or
    `one of` and words; where there may be many, the last one is for all that follow."""

    name: str
    metavar: str
    help: str
    kind: str = "text"
    many: bool = True
    least: int = 0
    choices: tuple[str, ...] = ()
    completes: tuple[str, ...] = ()


_PLACEHOLDERS = {
    "text": "TEXT",
    "count": "N",
    "number": "NUMBER",
    "share": "0..1",
    "time": "TIME",
    "start": "TIME",
    "last": "TIME",
    "end": "TIME",
    "duration": "DURATION",
    "pair": "KEY=VALUE",
    "list": "TEXT",
    "file": "FILE",
    "folder": "DIR",
}

GLOBAL: tuple[Option, ...] = (
    Option("db", ("--db",), "Memory file, or address of a server [env: TIDELINE_DB].", "file",
           metavar="PATH"),
    Option("origin", ("--origin",), "Whose memory: owner, or "
           "channel:CHANNEL/CONVERSATION/SESSION[@ACCOUNT] [env: TIDELINE_ORIGIN].",
           metavar="ORIGIN"),
    Option("now", ("--now",), "Pretend it is TIME: ISO 8601, UTC without a zone; epoch "
           "milliseconds; or words such as yesterday or 7d, of a day its beginning "
           "[env: TIDELINE_NOW].", "time"),
    Option("json", ("--json",), "Print one JSON object.", "flag", False),
    Option("quiet", ("--quiet", "-q"), "Print no notes on stderr, nor the report of an upkeep "
           "that went well.", "flag", False, excludes=("verbose",)),
    Option("verbose", ("--verbose", "-v"), "Print more notes on stderr.", "flag", False),
    Option("debug", ("--debug",), "Show tracebacks.", "flag", False),
    Option("color", ("--color",), "When to use color.", "choice", None,
           choices=("auto", "always", "never")),
    Option("no_input", ("--no-input",), "Never ask a question.", "flag", False),
    Option("no_pager", ("--no-pager",), "Print long results on a terminal without PAGER.", "flag",
           False),
)  # fmt: skip


SCOPES: tuple[Option, ...] = (
    Option("scope", ("--scope",), "See facts of this scope, of those above it, and without one; "
           "an empty one sees the last alone [default: the setting scope].", metavar="A/B",
           completes="scope"),
    Option("all_scopes", ("--all-scopes",), "See the facts of every scope.", "flag", False,
           excludes=("scope",)),
)  # fmt: skip
"""What a command that reads facts sees of their scopes."""


DOCUMENTS = (
    Option("document", ("--document",), "Only chunks of this document; `tideline library` lists "
           "them.", many=True, metavar="NAME", completes="document"),
    Option("no_documents", ("--no-documents",), "No chunks of documents.", "flag", False,
           excludes=("document",)),
)  # fmt: skip
"""Of which documents a command that answers takes chunks."""


SHOW_SECRETS = Option("show_secrets", ("--show-secrets",), "Print passwords, keys and card "
                      "numbers, not `[secret]`.", "flag", False)
"""Whether a door for programs shows the secrets of facts."""


PROFILE = Option("profile", ("--profile",), "Rank and show as this system does; `tideline config "
                 "profiles` lists them [default: the setting profile].", "choice",
                 choices=("tideline", "motherbrain", "vectormemory", "rsclaw"), metavar="NAME")
"""How a command that answers ranks, by one name."""


class GlobalOptions(Record):
    """The global options of a call."""

    db: str | None
    origin: str | None
    now: int | None
    json: bool
    quiet: bool
    verbose: bool
    debug: bool
    color: str | None
    no_input: bool
    no_pager: bool


def completed(
    given: Mapping[str, Any], options: Sequence[Option],
    clock: Callable[[], int] = instant.now_ms,
) -> dict[str, Any]:  # fmt: skip
    """Return a value for every option: the texts given converted, else the default."""
    values: dict[str, Any] = {}
    for option in options:
        raw = given.get(option.name)
        if raw is not None and option.excludes:
            _check_alone(option, given)
        if option.many:
            values[option.name] = _all(option, raw, clock, options) if raw else ()
        elif raw is None:
            values[option.name] = option.default
        elif option.kind == "flag":
            values[option.name] = bool(raw)
        else:
            values[option.name] = _value(option, raw, clock, options)
            _check_beside(option, raw, given)
    return values


def _value(
    option: Option, text: str, clock: Callable[[], int], options: Sequence[Option]
) -> Any:
    from tideline_cli.cli import option_values  # noqa: PLC0415  many calls have flags alone

    if option.kind == "choice":
        return option_values.chosen(option, text, options)
    return option_values.convert(option, text, clock)


def _all(
    option: Option, given: Sequence[str], clock: Callable[[], int], options: Sequence[Option]
) -> tuple[Any, ...]:
    """Return the values of an option that may be given more than once."""
    values = tuple(_value(option, text, clock, options) for text in given)
    if option.kind != "list" or not any("," in text or ";" in text for text in values):
        return values
    from tideline_cli.model.lists import parted  # noqa: PLC0415  most options name one at a time

    return tuple(part for text in values for part in parted(text) or [""])


def check_order(since: int | None, until: int | None) -> None:
    """Raise UsageError, which says how both were understood, for a span without an instant."""
    if since is not None and until is not None and since > until:
        from tideline_cli.cli.ages import day, local  # noqa: PLC0415  for an error alone

        raise UsageError(
            f"--since ({day(since)}) is after --until ({local(until)}): nothing lies between",
            hint="the earlier time is --since",
        )


def _check_alone(option: Option, given: Mapping[str, Any]) -> None:
    for other in option.excludes:
        if given.get(other) and not (other == "words" and given[other] == ["-"]):
            raise UsageError(
                f"{option.flags[0]} cannot go with {_as_typed(other)}", hint="leave one of them out"
            )


def _check_beside(option: Option, choice: str, given: Mapping[str, Any]) -> None:
    for flag, allowed in option.beside:
        if given.get(flag) and choice not in allowed:
            raise UsageError(
                f"{_as_typed(flag)} cannot go with {option.flags[0]} {choice}",
                hint="leave one of them out",
            )


def _as_typed(name: str) -> str:
    return name if name == "words" else f"--{name.rstrip('_').replace('_', '-')}"
