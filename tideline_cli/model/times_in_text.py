"""What texts say of time: "two weeks ago", "next Friday", "bis Ende März", 上周五. One grammar for
questions and for what is remembered, in the languages of these tables.

The days that words mean count from the day on which they are said, in the zone of this machine.
"""

from __future__ import annotations

from tideline_cli.model.day_spans import Span, of_date, on, turned, weekday
from tideline_cli.model.lean import date, datetime, timedelta
from tideline_cli.model.record import Record, replace
from tideline_cli.model.time_vocabulary import (
    CHARACTERS,
    DAYS,
    MONTHS,
    SHORT_MONTHS,
    UNITS,
    WEEKDAYS,
    bare,
    is_in_digits,
    numbers_by_word,
)
from tideline_cli.model.times_without_spaces import spaceless
from tideline_cli.model.window import Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tideline_cli.model.day_spans import Key
    from tideline_cli.model.window import Part

    Read = tuple[int, Sequence[Span]]  # how many words belong together, and what they mean


# Words that the languages share: a day after some words, and something else after others.
_NO_DAY = {
    "morgen": frozenset("am jeden guten heute gestern diesen nächsten der den die das des einem "
                        "einen s".split()),
    "mañana": frozenset("la esta cada una toda por".split()),
}  # fmt: skip
_FRENCH = frozenset("j je tu il elle nous vous ils on c le la les un une du au est soir qu avons "
                    "dit noté quoi ai ce que".split())  # fmt: skip
_PAIRS = {
    ("day", "before", "yesterday"): -2, ("day", "after", "tomorrow"): 2, ("last", "night"): -1,
    ("aujourd", "hui"): 0, ("avant", "hier"): -2, ("après", "demain"): 2, ("pasado", "mañana"): 2,
    ("antes", "de", "ayer"): -2, ("hier", "soir"): -1, ("this", "morning"): 0,
    ("this", "afternoon"): 0, ("this", "evening"): 0, ("ce", "matin"): 0, ("ce", "soir"): 0,
    ("cet", "après", "midi"): 0, ("esta", "mañana"): 0, ("esta", "tarde"): 0, ("esta", "noche"): 0,
    ("dopo", "domani"): 2,
}  # fmt: skip
_TURNS = numbers_by_word("""
-1 last past previous letzte letzten letzter letztem letztes vorige vorigen voriger voriges
-1 vergangene vergangenen vergangener vergangenes vorig прошлый прошлая прошлой прошлую прошлом
-1 derniers dernières últimos últimas último última ultimi ultime
 0 this current diese dieser diesen diesem dieses ce cet cette esta este questa questo deze dit
 0 этот эта этой эту этом
 1 next coming nächste nächsten nächster nächstes nächstem kommende kommenden kommender volgende
 1 prochains prochaines próximos próximas próximo próxima prochain prochaine
 1 следующий следующая следующей следующую следующем
""")
_BEHIND = numbers_by_word("""
-1 dernier dernière derniers dernières passé passée pasado pasada passado passada scorso scorsa
 0 ci
 1 prochain prochaine próximo próxima prossimo prossima
""")
_VERBS = frozenset(("may", "march", "mars"))  # a month only where the words beside them say so
_BEFORE_MONTH = frozenset(
    "in last this since of early late mid during until next by on en de depuis du fin".split()
)
_COUNTS = numbers_by_word("""
1 a an one ein eine einem einer einen un une uno una
2 two couple zwei paar deux dos par due dois duas twee два две двух
3 three drei trois tres tre três drie три трёх трех
4 four vier quatre cuatro quattro quatro четыре
5 five fünf cinq cinco
6 six sechs seis
7 seven sieben sept siete
8 eight acht huit ocho
9 nine neun neuf nueve
10 ten zehn dix diez
11 eleven elf onze once
12 twelve zwölf douze doce
15 fifteen fünfzehn quinze quince
20 twenty zwanzig vingt veinte
30 thirty dreißig trente treinta
""")
_ARTICLES = frozenset("the der die das den dem des le la les l el los las il lo de of du d".split())
_AHEAD = frozenset("in dans en tra fra через over".split())
_BACK = frozenset("vor hace há".split())
_BACK_BEHIND = frozenset("ago back earlier geleden fa назад".split())
_SINCE = frozenset("since seit depuis desde sinds dal".split())
_ENDS = frozenset("end ende fin finales final fine".split())
_ON = frozenset("le el on am du del al au by until bis vom zum since seit depuis desde ab".split())
_DAY_MS = 86_400_000
_MOST = 1000  # of a unit; more is no time that people count
_LEAST_YEAR, _LAST_YEAR = 1900, 2199
_LONGEST_EDGE = 15 * _DAY_MS
_ROUGHLY = {
    "hour": 0, "day": 1, "week": 7, "fortnight": 14, "month": 30, "quarter": 91, "year": 365,
}  # fmt: skip
_NO_DATE = (OverflowError, ValueError, OSError)  # no such day, or beyond the years


def spans(text: str, at: int) -> tuple[Span, ...]:
    """Return the days that a text names that is said at an instant."""
    return tuple(span for piece in _read(text, at).pieces for span in piece.spans)


def other_words(text: str, at: int) -> list[str]:
    """Return the words of a text that name no time."""
    return _split(_read(text, at).without(lambda _: True).lower())


def without_relative(text: str, at: int, is_known: Callable[[Span], bool]) -> str:
    """Return a text without the words that count from the day on which they are said, of days that
    are known: in another text they mean another day. A text of nothing else stays as it is."""
    rest = _read(text, at).without(
        lambda span: (bool(span.unit) or span.either == "weekday")
        and span.last - span.first < _VAGUE and is_known(span)
    )
    return rest if _split(rest) else text


def windows(text: str, *, now: int) -> tuple[Window, ...]:
    """Return the times that a question names at `now`."""
    today = _day_of(now).toordinal()
    found = [_window(span, is_ahead=bool(span.either) and span.first > today)
             for span in spans(text, now)]  # fmt: skip
    return tuple(dict.fromkeys(found))


def days_meant(text: str, at: int) -> frozenset[Key]:
    """Return by which day, week, month or year the relative words of a text count when it is said
    at an instant; none where it has no such word."""
    return frozenset(span.key for span in spans(text, at) if span.unit)


def mean_the_same(text: str, one: int, other: int) -> bool:
    """Say whether a text means the same days when it is said at two instants. It does where it has
    no relative word."""
    return days_meant(text, one) == days_meant(text, other)


def day_of(text: str, at: int) -> str | None:
    """Return the day that a text speaks of which is said at an instant, as ISO 8601; None where it
    names none, or several. Of a date without a year it is the nearest."""
    today, days = _day_of(at).toordinal(), set[int]()
    dates: dict[tuple[Part, ...], int] = {}
    for span in spans(text, at):
        if span.last - span.first >= 7 or (span.last > span.first and span.unit != "day"):
            continue
        middle = (span.first + span.last) // 2
        if not span.either:
            days.add(middle)
        elif span.either == "date":
            known = dates.get(span.parts, middle)
            dates[span.parts] = min(known, middle, key=lambda day: abs(day - today))
    days.update(dates.values())
    return date.fromordinal(days.pop()).isoformat() if len(days) == 1 else None


def parts_at(at: int) -> tuple[Part, ...]:
    """Return the parts of the day of an instant, in the zone of this machine."""
    day = datetime.fromtimestamp(at // 1000)
    return ("year", day.year), ("month", day.month), ("day", day.day)


def _day_of(at: int) -> date:
    try:
        return datetime.fromtimestamp(at // 1000).date()
    except _NO_DATE:  # at the edge of the years, where no zone is known
        return date(1970, 1, 1) + timedelta(at // _DAY_MS)


def _window(span: Span, *, is_ahead: bool) -> Window:
    """Return a stretch of days as one of time. A date has an edge, as people speak of it later; a
    week or month that counts from today has one of a day, what may lie ahead as well none."""
    start, end = midnight(span.first), midnight(span.last + 1)
    edge = 1 if is_ahead else _DAY_MS
    if not (is_ahead or span.unit):
        edge = min(max(_DAY_MS, (end - start) // 2), _LONGEST_EDGE)
    return Window(start, end, edge, span.parts)


def midnight(ordinal: int) -> int:
    """Return the instant at which a day begins, in ms."""
    day = date.fromordinal(ordinal)
    return int(datetime(day.year, day.month, day.day).timestamp()) * 1000


class _Piece(Record):
    """Where the words of a time stand in a text, and the days that they mean."""

    start: int
    end: int
    spans: Sequence[Span]


class _Text(Record):
    """A text in which times were looked for, and its pieces that name one."""

    text: str
    pieces: Sequence[_Piece]

    def without(self, drops: Callable[[Span], bool]) -> str:
        """Return the text with blanks in the place of the pieces that are dropped."""
        return _blanked(self.text, [one for one in self.pieces if any(map(drops, one.spans))])


def _blanked(text: str, pieces: Sequence[_Piece]) -> str:
    for piece in pieces:
        text = text[: piece.start] + " " * (piece.end - piece.start) + text[piece.end :]
    return text


def _split(text: str) -> list[str]:
    return "".join([char if char.isalnum() else " " for char in text]).split()


def _read(text: str, at: int) -> _Text:
    """Return a text with its pieces that name days."""
    today, pieces = _day_of(at), list[_Piece]()
    if not (text.isascii() or CHARACTERS.isdisjoint(text)):
        text, found = spaceless(text, today)
        pieces += [_Piece(*one) for one in found]
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter of which the small one is two
        lowered = "".join([low if len(low := char.lower()) == 1 else char for char in text])
    lowered = _blanked(lowered, pieces)
    if any(char in lowered for char in "0123456789"):
        pieces += (numeric := _numeric(lowered, today))
        lowered = _blanked(lowered, numeric)
    words = _words(lowered)
    reader = _Reader([word for word, *_ in words], today)
    place = 0
    while place < len(words):
        try:
            used, read = reader.at(place)
        except _NO_DATE:
            used, read = 1, ()
        if read:
            pieces.append(_Piece(words[place][1], words[place + used - 1][2], read))
        place += used
    return _Text(text, [one for one in pieces
                        if all(1 < span.first <= span.last < _LATEST for span in one.spans)])


_VAGUE = 180  # days: what is "years ago" is said so in many texts of one time
_LATEST = date.max.toordinal()
_JOINED = {("week", "end"): "weekend", ("fin", "de", "semana"): "finde"}


def _words(text: str) -> list[tuple[str, int, int]]:
    """Return the words of a text, each with where it begins and ends."""
    found: list[tuple[str, int, int]] = []
    place = 0
    for word in _split(text):
        start = text.index(word, place)
        place = start + len(word)
        found.append((word, start, place))
        for names, joined in _JOINED.items():
            if tuple(one for one, *_ in found[-len(names) :]) == names:
                found[-len(names) :] = [(joined, found[-len(names)][1], place)]
    return found


def _numeric(text: str, today: date) -> list[_Piece]:
    """Return the dates that a text writes in digits: 2026-11-03, 2026-11, 3.11., 3.11.2026,
    3/11/2026."""
    found: list[_Piece] = []
    place = 0
    before = ""
    for word in "".join([char if char.isascii() else " " for char in text]).split():
        core, told = bare(word), before
        before = core
        start = text.index(word, place)
        place = start + len(word)
        is_short = core.count("/") == 1
        if not is_in_digits(core) or (is_short and text.isascii() and told not in _ON):
            continue
        sign = next(sign for sign in "-/." if sign in core)
        digits = [one for one in core.split(sign) if one]
        year, month, day = _ordered([int(one) for one in digits], [*map(len, digits)], sign, core)
        if is_short and not text.isascii():
            month, day = day, month  # as China and Japan write it
        try:
            read = of_date(today, year, month, day) if month else ()
        except _NO_DATE:
            continue
        if read:
            found.append(_Piece(start, place, read))
    return found


def _ordered(numbers: list[int], sizes: list[int], sign: str, word: str) -> tuple[int, int, int]:
    """Return year, month and day of numbers in the order of their way of writing, 0 for none."""
    if sizes[0] == 4:
        return (*numbers, 0)[:3] if sign in "-/" else (0, 0, 0)  # type: ignore[return-value]
    if len(numbers) == 3 and sizes[2] == 4:
        day, month, year = numbers
        return (year, day, month) if sign == "/" and month > 12 else (year, month, day)
    is_day = (sign == "." and word.endswith(".")) or sign == "/"
    return (0, numbers[1], numbers[0]) if is_day and len(numbers) == 2 else (0, 0, 0)


class _Reader:
    """Reads the words of a text in which spaces part them."""

    def __init__(self, words: Sequence[str], today: date) -> None:
        self._words = words
        self._today = today
        self._now = today.toordinal()

    def at(self, place: int) -> Read:
        """Return how many words from a place on belong together, and the days that they mean."""
        for read in (self._pair, self._since, self._end, self._counted, self._turned, self._month,
                     self._named):  # fmt: skip
            used, found = read(place)
            if found:
                return used, found
        return 1, ()

    def _word(self, place: int) -> str:
        return self._words[place] if 0 <= place < len(self._words) else ""

    def _pair(self, place: int) -> Read:
        for size in (3, 2):
            words = tuple(self._words[place : place + size])
            if words in _PAIRS:
                return len(words), self._days(_PAIRS[words])
        return 1, ()

    def _days(self, count: int) -> Sequence[Span]:
        return (Span(self._now + count, self._now + count, "day"),)

    def _since(self, place: int) -> Read:
        """Read "since March": to today."""
        if self._word(place) not in _SINCE:
            return 1, ()
        start = place + 1 + (self._word(place + 1) in _ARTICLES)
        if start >= len(self._words):
            return 1, ()
        used, found = self.at(start)
        if not found:
            return 1, ()
        first = found[0].first
        return start - place + used, (Span(first, max(first, self._now), found[0].unit),)

    def _end(self, place: int) -> Read:
        """Read "end of the month", "Ende März", "fin de año": the last third."""
        if self._word(place) not in _ENDS:
            return 1, ()
        start = place + 1
        while self._word(start) in _ARTICLES:
            start += 1
        found: Sequence[Span]
        unit = UNITS.get(self._word(start), "")
        if unit in ("week", "month", "quarter", "year"):
            used, found = 1, (turned(self._today, 0, unit),)
        elif start < len(self._words):
            used, found = self.at(start)
        else:
            return 1, ()
        if not found or found[0].last == found[0].first:
            return 1, ()
        ends = [replace(one, first=one.last - min((one.last - one.first) // 3, 30), parts=())
                for one in found]  # fmt: skip
        return start - place + used, ends

    def _counted(self, place: int) -> Read:
        """Read "two weeks ago", "vor 2 Wochen", "il y a deux semaines", "in 3 days", "the last 3
        months"."""
        start, sign, is_span = place, 0, False
        word = self._word(place)
        if word in _BACK or self._words[place : place + 3] == ["il", "y", "a"]:
            start, sign = place + (1 if word in _BACK else 3), -1
        elif word == "dentro":
            start, sign = place + 1 + (self._word(place + 1) == "de"), 1
        elif word in _AHEAD:
            start, sign = place + 1, 1
        elif _TURNS.get(word):
            start, sign, is_span = place + 1, _TURNS[word], True
        count, used = self._count(start)
        if not count:
            return 1, ()
        start += used
        if not sign and _TURNS.get(self._word(start)):
            sign, is_span, start = _TURNS[self._word(start)], True, start + 1
        unit = UNITS.get(self._word(start), "")
        if unit not in _ROUGHLY:
            return 1, ()
        start += 1
        if sign > 0 and not is_span and self._word(start) in _BACK_BEHIND:
            sign, start = -1, start + 1  # "in two weeks ago" is none, but "fa" is Italian
        elif not sign and self._word(start) in _BACK_BEHIND:
            sign, start = -1, start + 1
        elif not sign and self._words[start : start + 2] == ["from", "now"]:
            sign, start = 1, start + 2
        if not sign:
            return 1, ()
        middle = on(self._today, sign * count, unit)
        if is_span:
            return start - place, (Span(min(middle, self._now), max(middle, self._now), "day"),)
        half = 0 if unit in ("day", "hour") else min(_ROUGHLY[unit], 365) // 2
        return start - place, (Span(middle - half, middle + half, "day"),)

    def _count(self, place: int) -> tuple[int, int]:
        """Return the number from a word on, and how many words it is; 0 for none."""
        word, then = self._word(place), self._word(place + 1)
        if word in ("a", "the", "un", "ein") and then in ("couple", "par", "paar"):
            used = 2 + (self._word(place + 2) in ("of", "de"))
            return _COUNTS[then], used
        if word in _COUNTS:
            return _COUNTS[word], 1
        is_number = word.isascii() and word.isdigit() and len(word) <= 4
        return (int(word), 1) if is_number and 0 < int(word) <= _MOST else (0, 0)

    def _month(self, place: int) -> Read:
        """Read "May 2023", "5 May", "5. Mai", "el 5 de mayo de 2023", "May 5th", "2023"."""
        word, then = self._word(place), self._word(place + 1)
        if _year(word):
            return 1, of_date(self._today, _year(word)) if not self._follows_month(place) else ()
        day, name = _day(word), place + 1 + (then in ("of", "de"))
        if not day or not self._is_month(name, is_sure=True):
            day, name = 0, place
        month = MONTHS.get(self._word(name)) or SHORT_MONTHS.get(self._word(name), 0)
        if not month or not (day or self._is_month(name, is_sure=_day(then) > 0)):
            return 1, ()
        after = name + 1
        if not day and _day(self._word(name - 1)):
            return 1, ()  # no such day
        if not day and (day := _day(self._word(after))):
            after += 1
        stated = after + (self._word(after) in ("de", "of", "del"))
        year = _year(self._word(stated))
        if not year and stated < len(self._words):  # "in August of this year"
            used, turn = self._turned(stated)
            if turn and turn[0].unit == "year":
                year, stated = date.fromordinal(turn[0].first).year, stated + used - 1
        return (stated + 1 if year else after) - place, of_date(self._today, year, month, day)

    def _follows_month(self, place: int) -> bool:
        return self._word(place - 1) in MONTHS

    def _is_month(self, place: int, *, is_sure: bool) -> bool:
        """Say whether a word is the name of a month, where it may be another word as well."""
        word = self._word(place)
        if word in SHORT_MONTHS:
            return is_sure
        if word not in MONTHS or word not in _VERBS:
            return word in MONTHS
        before, after = self._word(place - 1), self._word(place + 1)
        beside = _day(before) or _day(after) or _year(after)
        return is_sure or before in _BEFORE_MONTH or bool(beside)

    def _turned(self, place: int) -> Read:
        """Read "last week", "nächsten Freitag", "la semaine dernière", "el mes que viene"."""
        word = self._word(place)
        if word in _TURNS:
            name, turn, used = self._word(place + 1), _TURNS[word], 2
        else:
            name, turn, used = word, 0, 0
            then = self._words[place + 1 : place + 3]
            if then[:1] and then[0] in _BEHIND:
                turn, used = _BEHIND[then[0]], 2
            elif then in (["que", "viene"], ["che", "viene"], ["qui", "vient"], ["que", "vem"]):
                turn, used = 1, 3
        if not used:
            return 1, ()
        if name in WEEKDAYS:
            return used, (weekday(self._today, turn, WEEKDAYS[name]),)
        if name in MONTHS and turn:
            behind, ahead = of_date(self._today, 0, MONTHS[name])
            return used, (behind if turn < 0 else ahead,)
        unit = UNITS.get(name, "")
        if unit == "day":
            return used, self._days(0) if turn == 0 else ()
        if unit in ("", "hour", "fortnight"):
            return 1, ()
        return used, (turned(self._today, turn, unit),)

    def _named(self, place: int) -> Read:
        """Read "yesterday", "hier", "am Wochenende", "on Friday", "Friday last week"."""
        word, before = self._word(place), self._word(place - 1)
        if word in DAYS and before not in _NO_DAY.get(word, ()):
            return 1, self._days(DAYS[word])
        if word == "hier" and not _FRENCH.isdisjoint(self._words):
            return 1, self._days(-1)
        if UNITS.get(word) == "weekend":
            return 1, (turned(self._today, 0, "weekend"),)
        if word not in WEEKDAYS:
            return 1, ()
        name = place + 1
        while self._word(name) in _ARTICLES:
            name += 1
        used, week = self._turned(name) if name < len(self._words) else (1, ())
        if week and week[0].unit == "week":
            day = week[0].first + WEEKDAYS[word]
            return name - place + used, (Span(day, day, "day"),)
        back = (self._today.weekday() - WEEKDAYS[word]) % 7
        last = self._now - back
        return 1, tuple(Span(one, one, either="weekday") for one in (last, last + 7))


def _year(word: str) -> int:
    is_year = len(word) == 4 and word.isascii() and word.isdigit()
    return int(word) if is_year and _LEAST_YEAR <= int(word) <= _LAST_YEAR else 0


def _day(word: str) -> int:
    """Return the day of the month that a word says: 5, 5th, 1er, 0 for none."""
    digits = word.rstrip("stndrhe") if word[:1].isdigit() else ""
    is_day = digits.isascii() and digits.isdigit() and len(digits) <= 2 and int(digits) <= 31
    return int(digits) if is_day else 0
