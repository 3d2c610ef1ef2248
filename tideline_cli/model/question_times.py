"""The times that a question names in passing: "two weeks ago", "last March", 去年."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.lean import datetime
from tideline_cli.model.time_words import meant
from tideline_cli.model.window import Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tideline_cli.model.window import Part

_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_UNITS = {
    word: unit
    for unit, words in {
        "day": "day days tag tage tagen 天 日",
        "week": "week weeks woche wochen 周 週 星期 个星期 個星期 礼拜 个礼拜",
        "month": "month months monat monate monaten monats 个月 個月",
        "year": "year years jahr jahre jahren jahrs 年",
    }.items()
    for word in words.split()
}
_NUMBERS = {
    word: number
    for number, words in enumerate(
        ("", "a an one ein eine einem einer einen 一", "two couple zwei paar 两 兩 二",
         "three few drei 三", "four several vier 四", "five fünf 五", "six sechs 六",
         "seven sieben 七", "eight acht 八", "nine neun 九", "ten zehn 十", "eleven elf 十一",
         "twelve zwölf 十二")
    )
    for word in words.split()
}  # fmt: skip
_MONTHS = {
    word: number
    for number, words in enumerate(
        ("", "january januar jänner", "february februar", "march märz", "april", "may mai",
         "june juni", "july juli", "august", "september", "october oktober", "november",
         "december dezember")
    )
    for word in words.split()
}  # fmt: skip
_VERBS = frozenset(("may", "march"))  # a month only where the words beside them say so
_BEFORE_MONTH = frozenset("in last this since of early late mid during until next by on".split())
_WEEKDAYS = {
    word: english
    for english, words in {
        "monday": "monday montag", "tuesday": "tuesday dienstag",
        "wednesday": "wednesday mittwoch", "thursday": "thursday donnerstag",
        "friday": "friday freitag", "saturday": "saturday samstag sonnabend",
        "sunday": "sunday sonntag",
    }.items()
    for word in words.split()
}  # fmt: skip
_LAST = frozenset(
    "last past previous letzte letzten letzter letztem letztes vorige vorigen voriger vergangene "
    "vergangenen vergangener".split()
)
_THIS = frozenset("this current diese dieser diesen diesem dieses".split())
_NAMED = {
    "yesterday": "yesterday", "gestern": "yesterday", "today": "today", "tonight": "today",
    "heute": "today", "vorgestern": "2 days ago",
}  # fmt: skip
_CHINESE = {
    "前天": "2 days ago", "昨天": "yesterday", "昨日": "yesterday", "今天": "today",
    "今日": "today",
    "上周": "last week", "上週": "last week", "上星期": "last week", "上个星期": "last week",
    "上個星期": "last week", "本周": "this week", "这周": "this week", "這週": "this week",
    "上个月": "last month", "上個月": "last month", "上月": "last month", "本月": "this month",
    "这个月": "this month", "這個月": "this month", "去年": "last year", "今年": "this year",
}  # fmt: skip
_LEAST_YEAR, _LAST_YEAR = 1900, 2199
_MOST = 1000  # of a unit; more is no time that people count back
_LONGEST_EDGE = 15 * DAY_MS
_NO_TIME = (UsageError, OverflowError, ValueError, OSError)  # no such day, or beyond the years


def windows(text: str, *, now: int) -> tuple[Window, ...]:
    """Return the times that a question names at `now`, in the zone of this machine."""
    lowered = text.lower()
    spaced = "".join([char if char.isalnum() else " " for char in lowered])
    found = [*_spoken(spaced.split(), now)]
    if not lowered.isascii():
        found += _chinese(spaced, now)
    return tuple(dict.fromkeys(found))


def parts_at(at: int) -> tuple[Part, ...]:
    """Return the parts of the day of an instant, in the zone of this machine."""
    day = datetime.fromtimestamp(at // 1000)
    return ("year", day.year), ("month", day.month), ("day", day.day)


def _spoken(words: list[str], now: int) -> Iterator[Window]:
    """Yield what the words of a language with spaces name."""
    at = 0
    while at < len(words):
        try:
            used, window = _at(words, at, now)
        except _NO_TIME:
            used, window = 1, None
        if window is not None:
            yield window
        at += used


def _at(words: list[str], at: int, now: int) -> tuple[int, Window | None]:
    """Return how many words from a place on belong together, and the time that they name."""
    word, rest = words[at], words[at + 1 :]
    for found in (_counted(words, at, now), _dated(words, at, now), _turned(word, rest, now)):
        if found is not None:
            return found
    if word in _NAMED:
        return 1, _named(_NAMED[word], now)
    if word in _WEEKDAYS:
        return 1, _named(_WEEKDAYS[word], now)
    return 1, None


def _counted(words: list[str], at: int, now: int) -> tuple[int, Window] | None:
    """Read "two weeks ago", "the last 3 months", "vor zwei Wochen"."""
    first = at + (words[at] in _LAST or words[at] == "vor")
    while words[first : first + 1] in (["a"], ["the"]) and words[first + 1 : first + 2] in (
        ["couple"], ["few"],
    ):  # fmt: skip
        first += 1
    listed = words[first : first + 4]
    if listed[1:2] == ["of"]:
        listed = [listed[0], *words[first + 2 : first + 4]]
    count, unit = _number(listed[0]) if listed else 0, _UNITS.get(listed[1]) if listed[1:] else None
    if not count or unit is None:
        return None
    is_back = words[at] == "vor" or listed[2:3] in (["ago"], ["back"], ["earlier"])
    used = first - at + 2
    if is_back:
        return used + (words[at] != "vor"), _ago(count, unit, now)
    return (used, _until(count, unit, now)) if words[at] in _LAST else None


def _dated(words: list[str], at: int, now: int) -> tuple[int, Window] | None:
    """Read "May 2023", "5 May", "May 5th, 2023", "last March", "2023"."""
    word = words[at]
    if _year(word) and (at == 0 or words[at - 1] not in _MONTHS):
        return 1, _of_parts(_year(word))
    month = _MONTHS.get(word)
    if month is None or not _is_month(words, at):
        return None
    before, after = words[max(at - 2, 0) : at], words[at + 1 : at + 3]
    day = _day(before[-1:]) or _day(before[-2:-1] if before[-1:] == ["of"] else [])
    used = 1
    if not day and (day := _day(after[:1])):
        used, after = 2, after[1:]
    stated = _year(after[0]) if after else 0
    return used + bool(stated), _of_parts(stated, month, day, now)


def _turned(word: str, rest: Sequence[str], now: int) -> tuple[int, Window] | None:
    """Read "last week", "this year", "letzten Montag"."""
    turn = "last" if word in _LAST else "this" if word in _THIS else ""
    if not (turn and rest):
        return None
    name = _UNITS.get(rest[0]) or _WEEKDAYS.get(rest[0])
    if name is None or name == "day":
        return None
    return 2, _named(f"{turn} {name}", now)


def _chinese(text: str, now: int) -> Iterator[Window]:
    """Yield what a text without spaces names."""
    for word, said in _CHINESE.items():
        if word in text:
            yield _named(said, now)
    for at, char in enumerate(text):
        if char == "前" and text[at + 1 : at + 2] != "天":
            unit = next((u for u in sorted(_UNITS, key=len, reverse=True)
                         if text[:at].endswith(u)), "")  # fmt: skip
            digits = _tail(text[: at - len(unit)]) if unit else ""
            if unit and (count := _number(digits)):
                yield _ago(count, _UNITS[unit], now)
    yield from _chinese_dates(text, now)


def _chinese_dates(text: str, now: int) -> Iterator[Window]:
    """Yield 2023年, 2023年5月, 5月3日."""
    at = 0
    while at < len(text):
        ahead = text[at:]
        year = _year(ahead[:4]) if ahead[4:5] == "年" else 0
        rest = ahead[5:].lstrip() if year else ahead
        month, used = _before(rest, "月", 12)
        day, more = _before(rest[used:], "日", 31) if month else (0, 0)
        try:
            if year or month:
                yield _of_parts(year, month, day, now)
        except _NO_TIME:
            pass
        at += max(1, len(ahead) - len(rest) + used + more)


def _before(text: str, sign: str, most: int) -> tuple[int, int]:
    """Return the number before a sign at the beginning of a text, and how much of it both take."""
    head, found, _ = text[:3].partition(sign)
    number = _number(head) if found else 0
    return (number, len(head) + 1) if 0 < number <= most else (0, 0)


def _tail(text: str) -> str:
    """Return the digits that a text ends in, in either way of writing them."""
    text = text.rstrip()
    start = len(text)
    while start and (text[start - 1] in _NUMBERS or "0" <= text[start - 1] <= "9"):
        start -= 1
    return text[start:]


def _ago(count: int, unit: str, now: int) -> Window:
    """Return the day, or the week, month or year around the instant, so long ago."""
    if unit == "day":
        return _named(_day_of(now - count * DAY_MS), now)
    middle = meant(f"{count} {unit}s ago", now=now).start
    half = _DAYS[unit] * DAY_MS // 2
    return _window(middle - half, middle + half)


def _until(count: int, unit: str, now: int) -> Window:
    return _window(meant(f"{count} {unit}s ago", now=now).start, now)


def _day_of(at: int) -> str:
    """Return the day of an instant here, as ISO 8601 writes it."""
    return datetime.fromtimestamp(at // 1000).date().isoformat()


def _named(text: str, now: int) -> Window:
    found = meant(text, now=now)
    if found.start == found.end:
        return _named(_day_of(found.start), now)
    return _window(found.start, found.end)


def _of_parts(year: int, month: int = 0, day: int = 0, now: int = 0) -> Window:
    """Return a year, a month or a day; without a year, the last one that has begun."""
    named = (("year", year), ("month", month), ("day", day))
    chosen = year or _latest(month, day, now)
    text = f"{chosen:04}" + (f"-{month:02}" if month else "") + (f"-{day:02}" if day else "")
    found = meant(text, now=now)
    return _window(found.start, found.end, tuple(part for part in named if part[1]))


def _window(start: int, end: int, parts: tuple[Part, ...] = ()) -> Window:
    return Window(start, end, min(max(DAY_MS, (end - start) // 2), _LONGEST_EDGE), parts)


def _number(word: str) -> int:
    """Return the number that a word says, 0 for none."""
    if word in _NUMBERS:
        return _NUMBERS[word]
    is_number = word.isascii() and word.isdigit() and len(word) <= 4
    return int(word) if is_number and int(word) <= _MOST else 0


def _year(word: str) -> int:
    is_year = len(word) == 4 and word.isascii() and word.isdigit()
    return int(word) if is_year and _LEAST_YEAR <= int(word) <= _LAST_YEAR else 0


def _day(words: Sequence[str]) -> int:
    """Return the day of the month that the one word says: 5, 5th, 0 for none."""
    digits = words[0].rstrip("sthndr") if words else ""
    is_day = digits.isascii() and digits.isdigit() and len(digits) <= 2 and int(digits) <= 31
    return int(digits) if is_day else 0


def _is_month(words: Sequence[str], at: int) -> bool:
    """Say whether a word that may be a verb as well is the name of a month here."""
    if words[at] not in _VERBS:
        return True
    before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    beside = before in _BEFORE_MONTH or _day([before]) or _day([after]) or _year(after)
    return bool(beside)


def _latest(month: int, day: int, now: int) -> int:
    """Return the year of the last such month or day that has begun."""
    year = datetime.fromtimestamp(now // 1000).year
    text = f"{year:04}-{month:02}" + (f"-{day:02}" if day else "")
    return year - (meant(text, now=now).start > now)
