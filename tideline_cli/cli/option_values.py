"""The values of options: what a text that somebody typed means."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Protocol

    class Option(Protocol):
        """What the value of a text depends on, of `options.Option`."""

        @property
        def kind(self) -> str: ...

        @property
        def flags(self) -> tuple[str, ...]: ...

        @property
        def choices(self) -> tuple[str, ...]: ...

        @property
        def least(self) -> int: ...

        @property
        def most(self) -> int: ...


_NUMBER_CHARS = frozenset("+-.0123456789eE")


def convert(option: Option, text: str, clock: Callable[[], int] = instant.now_ms) -> Any:
    """Return the value of an option's text; raise UsageError when it has none. `clock` is asked
    where a time is said in words."""
    match option.kind:
        case "count":
            return _count(option, text)
        case "number" | "share":
            return _number(option, text)
        case "time":
            return stated_now(text, clock, name=option.flags[0])
        case "start" | "last" | "end":
            return _in_words(option, text, clock())
        case "duration":
            return instant.parse_duration(text)
        case "file" | "folder":
            if "\x00" in text:
                raise UsageError(f"{option.flags[0]}: {_shown(text)} is no path")
            return text
        case "choice":
            return chosen(option, text, ())
        case "pair":
            key, equals, value = text.partition("=")
            if not (equals and key.strip()):
                raise UsageError(f"{option.flags[0]}: {text!r} is not KEY=VALUE")
            return key.strip(), value
        case _:
            return _unicode(option, text)


def chosen(option: Option, text: str, others: Iterable[Option]) -> str:
    """Return one of the values of an option; raise UsageError for another word, which names the one
    of the `others` whose value it is."""
    if text in option.choices:
        return text
    name = option.flags[0].lstrip("-")
    hint = "use one of " + ", ".join(option.choices)
    meant = next((other.flags[0] for other in others if text in other.choices), None)
    if meant is not None:
        hint = f"did you mean {meant} {text}? Of {option.flags[0]}, {hint}"
    raise UsageError(f"unknown {name}: {text!r}", hint=hint)


def stated_now(text: str, clock: Callable[[], int], *, name: str) -> int:
    """Return the instant that the clock is set to: an exact time, UTC where it names no zone, or in
    words, by the zone of this machine; of a day the beginning. `name` is what an error tells of."""
    try:
        return instant.parse(text)
    except UsageError:
        from tideline_cli.model.time_words import meant  # noqa: PLC0415  programs write none
    try:
        return meant(text, now=clock()).start
    except UsageError as error:
        raise UsageError(f"{name}: {error.message}", hint=error.hint) from error


def _in_words(option: Option, text: str, now: int) -> int:
    """Return the instant that a text means to an option: the beginning or the end of its day."""
    from tideline_cli.model.time_words import meant  # noqa: PLC0415  most calls name no time

    try:
        found = meant(text, now=now)
    except UsageError as error:
        raise UsageError(f"{option.flags[0]}: {error.message}", hint=error.hint) from error
    if option.kind == "end" and found.is_bare:
        raise UsageError(
            f"{option.flags[0]}: {_shown(text)} does not say whether it is past or to come",
            hint='say +7d or "7 days ago", "next friday" or "last friday"',
        )
    if option.kind == "start":
        return found.start
    return found.end - 1 if option.kind == "last" and found.end > found.start else found.end


def _unicode(option: Option, text: str) -> str:
    """Return a text that the store can look up; raise UsageError for bytes that are no UTF-8."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{option.flags[0]}: {_shown(text)} is not valid Unicode", hint="pass it as UTF-8"
            ) from error
    return text


def _count(option: Option, text: str) -> int:
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= 16:
        value = int(text)
        if option.least <= value <= option.most:
            return value
    raise UsageError(
        f"{option.flags[0]}: {_shown(text)} is not a whole number from {option.least:,} to "
        f"{option.most:,}"
    )


def _number(option: Option, text: str) -> float:
    if text and _NUMBER_CHARS.issuperset(text):
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if value - value == 0.0 and (option.kind == "number" or 0.0 <= value <= 1.0):
            return value
    wanted = "a number from 0 to 1" if option.kind == "share" else "a number"
    raise UsageError(f"{option.flags[0]}: {_shown(text)} is not {wanted}")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
