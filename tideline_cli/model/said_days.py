"""Words by which a text counts from the day on which it is said: yesterday, next Friday, 昨天."""

from __future__ import annotations

from tideline_cli.model.lean import datetime

_DAY_MS = 86_400_000
_DAYS = frozenset(
    "yesterday today tonight tomorrow gestern vorgestern heute morgen übermorgen hier avanthier "
    "aujourd demain ayer anteayer hoy mañana ieri oggi domani ontem hoje amanhã gisteren vandaag "
    "overmorgen wczoraj dziś dzisiaj jutro igår idag imorgon dün bugün yarın вчера позавчера "
    "сегодня завтра послезавтра".split()
)
_SPACELESS = (
    "前天 昨天 昨日 今天 今日 明天 明日 后天 後天 上周 上週 上星期 上个星期 本周 这周 這週 "
    "下周 下週 下星期 上个月 上個月 上月 本月 这个月 下个月 下個月 下月 去年 今年 明年 "
    "先週 今週 来週 先月 今月 来月 来年 어제 오늘 내일 모레 그저께".split()
)
_TURNS = frozenset(
    "last past previous this current next coming letzte letzten letzter letztem letztes vorige "
    "vorigen voriger vergangene vergangenen diese dieser diesen diesem dieses nächste nächsten "
    "nächster nächstes nächstem kommende kommenden vorige volgende".split()
)
_TURNS_BEHIND = frozenset(
    "prochain prochaine dernier dernière passée próximo próxima pasado pasada passado passada "
    "prossimo prossima scorso scorsa".split()
)
_WEEKDAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag "
    "freitag samstag sonnabend sonntag".split()
)
_UNITS = frozenset(
    "day days week weeks weekend month months year years hour hours minute minutes quarter tag "
    "tage tagen woche wochen wochenende monat monate monaten monats jahr jahre jahren stunde "
    "stunden".split()
)
_MONTHS = frozenset(
    "january february march april may june july august september october november december "
    "januar februar märz mai juni juli oktober dezember spring summer autumn winter".split()
)
_TURNED = _WEEKDAYS | _UNITS | _MONTHS


def are_of_one_day(one: int, other: int) -> bool:
    """Say whether two instants are of one day, in the zone of this machine."""
    try:
        days = {datetime.fromtimestamp(at // 1000).date() for at in (one, other)}
    except (OverflowError, ValueError, OSError):  # at the edge of the years, where no zone is known
        return one // _DAY_MS == other // _DAY_MS
    return len(days) == 1


def counts_from_its_day(text: str) -> bool:
    """Say whether a text has a relative time word, so that it says another thing on another day."""
    lowered = text.lower()
    words = "".join([char if char.isalnum() else " " for char in lowered]).split()
    if any(word in _DAYS or word in _WEEKDAYS or word in _TURNS_BEHIND for word in words):
        return True
    for place, word in enumerate(words):
        behind = words[place + 1 : place + 4]
        is_turned = word in _TURNS and not _TURNED.isdisjoint(behind[:3])
        is_span = word in ("in", "vor") and not _UNITS.isdisjoint(behind)
        if is_turned or is_span or word == "ago":
            return True
    return not lowered.isascii() and any(word in lowered for word in _SPACELESS)
