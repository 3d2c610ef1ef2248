"""Options as data: one declaration for both parsers, mypy, the help, man pages and completions.

A command declares each of its options once, as an attribute of a class that it calls `Options`:

    class Options(Scopes):
        limit = count("Facts at most [default: 50; 0 is all].", short="-n", default=50)
        mode = choice(MODES)("How it is searched.")
        dry_run = flag("Change nothing.")

The flag is made of the attribute's name (`--dry-run`). `Options.ALL` are the declarations; an
instance has their values in one call, and mypy knows the type of each.
"""

from __future__ import annotations

from tideline_cli.config.settings import PROFILES
from tideline_cli.model.instant import DAY_MS, LONGEST_SPAN_MS
from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import (
        Any,
        Generic,
        Literal,
        Never,
        NotRequired,
        Protocol,
        Self,
        TypedDict,
        TypeVar,
        Unpack,
        overload,
    )  # fmt: skip


    T = TypeVar("T")
    T_co = TypeVar("T_co", covariant=True)
    Word = TypeVar("Word", bound=str)


class Option:
    """A flag of a command.

    `name` is the attribute that it is declared as, and `flags` what is typed: made of the name and
    of `short`, unless the declaration says them. `kind` is flag, text, count (a whole number from
    `least` to `most`), number, time (an exact one), start, last or end (a time in words: of a day
    the first instant, the last one, or the first one after it), duration (milliseconds inside),
    share (0..1), choice, pair (KEY=VALUE), list (texts parted by commas), file or folder.
    `many` says that it may be given more than once. `excludes` names what cannot be honoured beside
    it: other options, or `words`; `-` alone is no word, since it names standard input. `beside`
    names flags that go with some choices alone, each with those choices. `completes` is what of the
    memory a shell offers for the value: a kind of `cli.completion_values`.
    """

    name = ""
    flags: tuple[str, ...] = ()
    short = ""
    default: Any = None
    many = False
    choices: tuple[str, ...] = ()
    least = 0
    most = 2**31 - 1
    metavar = ""
    excludes: tuple[str, ...] = ()
    beside: tuple[tuple[str, tuple[str, ...]], ...] = ()
    completes = ""

    def __init__(self, kind: str, help: str, **said: Any) -> None:
        self.kind = kind
        self.help = help
        self.__dict__.update(said)
        if self.many:
            self.default = ()
        elif kind == "flag":
            self.default = False

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        if not self.flags:
            self.flags = (as_typed(name), self.short) if self.short else (as_typed(name),)

    def but(self, **changes: Any) -> Self:
        """Return a copy with some of its sayings changed."""
        return type(self)(**(self.__dict__ | changes))

    @property
    def explained(self) -> str:
        """Return the help with what the option itself knows: its bounds, and what it excludes."""
        text = self.help
        if self.kind == "count":
            text += f" From {self.least:,} to {self.most:,}."
        elif self.kind == "duration":
            text += f" At most {LONGEST_SPAN_MS // DAY_MS}d."
        if self.excludes:
            text += f" Not with {' or '.join(map(as_typed, self.excludes))}."
        return text

    @property
    def placeholder(self) -> str:
        """Return what stands for the value in help texts; empty for a flag."""
        if self.kind == "flag":
            return ""
        if self.kind == "choice":
            return self.metavar or "|".join(self.choices)
        return self.metavar or _PLACEHOLDERS[self.kind]


def as_typed(name: str) -> str:
    """Return the flag of an option's name; words have none."""
    return name if name == "words" else f"--{name.rstrip('_').replace('_', '-')}"


if TYPE_CHECKING:

    class Declared(Option, Generic[T_co]):
        """An option as mypy sees it: of an instance its value, of the class its declaration."""

        @overload
        def __get__(self, instance: None, owner: type) -> Self: ...
        @overload
        def __get__(self, instance: OptionSet, owner: type) -> T_co: ...
        def __get__(self, instance: OptionSet | None, owner: type) -> Any: ...
        def __set__(self, instance: OptionSet, value: Never) -> None: ...

    class Sayings(TypedDict):
        """What a declaration may say beside its help, as `Option` explains it."""

        flags: NotRequired[tuple[str, ...]]
        short: NotRequired[str]
        least: NotRequired[int]
        most: NotRequired[int]
        metavar: NotRequired[str]
        excludes: NotRequired[tuple[str, ...]]
        beside: NotRequired[tuple[tuple[str, tuple[str, ...]], ...]]
        completes: NotRequired[str]

    class Kind(Protocol[T]):
        """A kind of options, whose values are of one type: called with a help, it declares one."""

        @overload
        def __call__(self, help: str, *, default: T, **more: Unpack[Sayings]) -> Declared[T]: ...
        @overload
        def __call__(
            self, help: str, *, many: Literal[True], **more: Unpack[Sayings]
        ) -> Declared[tuple[T, ...]]: ...
        @overload
        def __call__(self, help: str, **more: Unpack[Sayings]) -> Declared[T | None]: ...

    class FlagKind(Protocol):
        """The kind without a value: it is given, or not."""

        def __call__(self, help: str, **more: Unpack[Sayings]) -> Declared[bool]: ...


def _kind(name: str, choices: tuple[str, ...] = ()) -> Any:
    """Return a function that declares an option of a kind."""

    def declare(help: str, **more: Any) -> Option:
        return Option(name, help, choices=choices, **more)

    return declare


flag: FlagKind = _kind("flag")
text: Kind[str] = _kind("text")
count: Kind[int] = _kind("count")
number: Kind[float] = _kind("number")
share: Kind[float] = _kind("share")
exact_time: Kind[int] = _kind("time")
start: Kind[int] = _kind("start")
last: Kind[int] = _kind("last")
end: Kind[int] = _kind("end")
duration: Kind[int] = _kind("duration")
pair: Kind[tuple[str, Any]] = _kind("pair")
listed: Kind[str] = _kind("list")
file: Kind[str] = _kind("file")
folder: Kind[str] = _kind("folder")


def choice(words: tuple[Word, ...]) -> Kind[Word]:
    """Return the kind of options whose value is one of these words."""
    kind: Kind[Word] = _kind("choice", words)
    return kind


class OptionSet:
    """The options of a command. A class declares them as attributes, its own ones first, then those
    of its bases; an instance has their values in one call.

    `ALL` are the declarations, in the order of help.
    """

    ALL: tuple[Option, ...] = ()
    __fields__: tuple[str, ...] = ()  # as a record has them

    def __init_subclass__(cls) -> None:
        shared = {option.name: option for base in cls.__bases__ for option in base.__dict__["ALL"]}
        own = {name: one for name, one in cls.__dict__.items() if type(one) is Option}
        first = {name: one for name, one in own.items() if name not in shared}
        declared = first | shared | own
        cls.__fields__ = tuple(declared)
        cls.ALL = tuple(declared.values())

    def __init__(self, **values: Any) -> None:
        held = self.__dict__
        held.update([(option.name, option.default) for option in self.ALL])
        if strays := values.keys() - held.keys():
            raise TypeError(f"{type(self).__name__} has no option {min(strays)!r}")
        held.update(values)

    @classmethod
    def of_flags(cls, given: Mapping[str, Any]) -> Self | None:
        """Return the values of a call that gives flags alone, none of which excludes another; None
        where there is more to understand."""
        said = [option for option in cls.ALL if given.get(option.name) is not None]
        if all(option.kind == "flag" and not option.excludes for option in said):
            return cls(**{option.name: bool(given[option.name]) for option in said})
        return None

    if not TYPE_CHECKING:  # mypy knows it by the declarations, which have no setter

        def __setattr__(self, name: str, value: object) -> None:
            raise AttributeError(f"options of a call are what was typed; {name!r} cannot change")


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


class GlobalOptions(OptionSet):
    """The options of every command."""

    db = file(
        "Memory file, or address of a server [env: TIDELINE_DB].", metavar="PATH"
    )
    origin = text(
        "Whose memory: owner, or channel:CHANNEL/CONVERSATION/SESSION[@ACCOUNT] [env: "
        "TIDELINE_ORIGIN].",
        metavar="ORIGIN",
    )
    now = exact_time(
        "Pretend it is TIME: ISO 8601, UTC without a zone; epoch milliseconds; or words such as "
        "yesterday or 7d, of a day its beginning [env: TIDELINE_NOW]."
    )
    json = flag("Print one JSON object.")
    quiet = flag(
        "Print no notes on stderr, nor the report of an upkeep that went well.",
        short="-q", excludes=("verbose",),
    )  # fmt: skip
    verbose = flag("Print more notes on stderr.", short="-v")
    debug = flag("Show tracebacks.")
    color = choice(("auto", "always", "never"))("When to use color.")
    no_input = flag("Never ask a question.")
    no_pager = flag("Print long results on a terminal without PAGER.")


GLOBAL = GlobalOptions.ALL


class Scopes(OptionSet):
    """What a command that reads facts sees of their scopes."""

    scope = text(
        "See facts of this scope, of those above it, and without one; an empty one sees the last "
        "alone [default: the setting scope].",
        metavar="A/B", completes="scope",
    )  # fmt: skip
    all_scopes = flag("See the facts of every scope.", excludes=("scope",))


class Documents(OptionSet):
    """Of which documents a command that answers takes chunks."""

    document = text(
        "Only chunks of this document; `tideline library` lists them.",
        many=True, metavar="NAME", completes="document",
    )  # fmt: skip
    no_documents = flag("No chunks of documents.", excludes=("document",))


SHOW_SECRETS = flag("Print passwords, keys and card numbers, not `[secret]`.")
"""Whether a door for programs shows the secrets of facts."""
PROFILE = choice((*PROFILES,))(
    "Rank and show as this system does; `tideline config profiles` lists them [default: the "
    "setting profile].",
    metavar="NAME",
)
"""How a command that answers ranks, by one name."""


