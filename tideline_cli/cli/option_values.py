"""What was typed for the options of a call, as values: loaded where more than plain flags is given.
"""

from __future__ import annotations

from tideline_cli.cli.options import as_typed
from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.short_text import parted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from tideline_cli.cli.options import Option, OptionSet
    from tideline_cli.model.time_words import Meant

    Said = TypeVar("Said", bound=OptionSet)


def of_call(kind: type[Said], given: Mapping[str, Any], clock: Callable[[], int]) -> Said:
    """Return the values of a call: the texts given converted, else the defaults. `clock` is asked
    where a time is said in words. Raises UsageError for texts that have no value, and for options
    that cannot go together."""
    values: dict[str, Any] = {}
    for option in kind.ALL:
        raw = given.get(option.name)
        if raw is None:
            continue
        if option.excludes:
            _check_alone(option, given)
        if option.many:
            values[option.name] = _all(option, raw, clock, kind.ALL) if raw else ()
        elif option.kind == "flag":
            values[option.name] = bool(raw)
        else:
            values[option.name] = _value(option, raw, clock, kind.ALL)
            _check_beside(option, raw, given)
    return kind(**values)


def _value(
    option: Option, text: str, clock: Callable[[], int], options: Sequence[Option]
) -> Any:
    if option.kind == "choice":
        return chosen(option, text, options)
    return convert(option, text, clock)


def _all(
    option: Option, given: Sequence[str], clock: Callable[[], int], options: Sequence[Option]
) -> tuple[Any, ...]:
    """Return the values of an option that may be given more than once."""
    values = tuple(_value(option, text, clock, options) for text in given)
    if option.kind != "list" or not any("," in text or ";" in text for text in values):
        return values
    return tuple(part for text in values for part in parted(text) or [""])


def _check_alone(option: Option, given: Mapping[str, Any]) -> None:
    for other in option.excludes:
        if given.get(other) and not (other == "words" and given[other] == ["-"]):
            raise UsageError(
                f"{option.flags[0]} cannot go with {as_typed(other)}", hint="leave one of them out"
            )


def _check_beside(option: Option, choice: str, given: Mapping[str, Any]) -> None:
    for flag, allowed in option.beside:
        if given.get(flag) and choice not in allowed:
            raise UsageError(
                f"{as_typed(flag)} cannot go with {option.flags[0]} {choice}",
                hint="leave one of them out",
            )


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
            return _edge(option, text, clock())
        case "duration":
            from tideline_cli.model.time_words import parse_duration  # noqa: PLC0415  as below

            return parse_duration(text)
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
        return _in_words(text, clock(), name=name).start


def _in_words(text: str, now: int, *, name: str) -> Meant:
    """Return what a time in words means; `name` is what an error tells of."""
    from tideline_cli.model.time_words import meant  # noqa: PLC0415  most calls name no time

    try:
        return meant(text, now=now)
    except UsageError as error:
        raise UsageError(f"{name}: {error.message}", hint=error.hint) from error


def _edge(option: Option, text: str, now: int) -> int:
    """Return the instant that a text means to an option: the beginning or the end of its day."""
    found = _in_words(text, now, name=option.flags[0])
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
