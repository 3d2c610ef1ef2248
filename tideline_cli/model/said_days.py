"""What relative time words mean by the day on which they are said: yesterday, next Friday, 昨天."""

from __future__ import annotations

from tideline_cli.model.lean import date, datetime, timedelta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Key = tuple[str, int]  # day, week, month, quarter or year, and which one

_DAY_MS = 86_400_000


def _table(**lines: str) -> Mapping[str, str]:
    return {word: name for name, words in lines.items() for word in words.split()}


_DAYS = frozenset(
    "yesterday today tonight tomorrow gestern gestrige gestrigen vorgestern heute heutige heutigen "
    "morgen übermorgen avanthier "
    "aujourd demain ayer anteayer anoche hoy mañana ieri oggi stasera stamattina stanotte domani "
    "dopodomani ontem hoje amanhã gisteren eergisteren vandaag vanavond overmorgen wczoraj dziś "
    "dzisiaj jutro igår idag imorgon dün bugün yarın вчера позавчера сегодня завтра послезавтра"
    .split()
)  # fmt: skip
_FRENCH = frozenset("j je tu il elle nous vous ils on c le la les un une du au est soir".split())
_UNITS = _table(
    day="day days night nights morning afternoon evening hour hours minute minutes tag tage tagen "
    "nacht abend vormittag nachmittag stunde stunden minuten jour jours nuit matin soir midi heure "
    "heures día días noche tarde hora horas giorno giorni notte sera mattina ora ore dia dias "
    "noite manhã dag dagen avond uur день дня дней ночь утро вечер",
    week="week weeks weekend fortnight woche wochen wochenende semaine semaines semana semanas "
    "settimana settimane weken неделя недели неделе неделю недель",
    month="month months monat monate monaten monats mois mes meses mese mesi mês maand maanden "
    "месяц месяца месяце месяцев",
    quarter="quarter quarters quartal trimestre",
    year="year years jahr jahre jahren jahres an ans année années año años anno anni ano anos jaar "
    "год года году лет january february march april may june july august september october "
    "november december spring summer autumn winter christmas easter januar februar märz mai juni "
    "juli oktober dezember frühling frühjahr sommer herbst weihnachten",
)
_TURNS = _table(
    last="last past previous letzte letzten letzter letztem letztes vorige vorigen voriger voriges "
    "vergangene vergangenen vorig прошлый прошлая прошлой прошлую прошлом",
    this="this current diese dieser diesen diesem dieses ce cet cette "
    "esta este questa questo deze dit этот эта этой эту этом",
    next="next coming nächste nächsten nächster nächstes nächstem kommende kommenden volgende "
    "следующий следующая следующей следующую следующем",
)
_TURNS_BEHIND = _table(
    last="dernier dernière passé passée pasado pasada passado passada scorso scorsa",
    next="prochain prochaine próximo próxima prossimo prossima viene vem",
)
_WEEKDAYS = {
    word: number
    for number, words in enumerate((
        "monday montag lundi lunes lunedì maandag понедельник",
        "tuesday dienstag mardi martes martedì dinsdag вторник",
        "wednesday mittwoch mercredi miércoles mercoledì woensdag среду",
        "thursday donnerstag jeudi jueves giovedì donderdag четверг",
        "friday freitag vendredi viernes venerdì vrijdag пятницу",
        "saturday samstag sonnabend samedi sábado sabato zaterdag субботу",
        "sunday sonntag dimanche domingo domenica zondag воскресенье",
    ))
    for word in words.split()
}  # fmt: skip
_AHEAD = frozenset("in vor dans hace en dentro tra fra há через".split())
_AGO = frozenset("ago hence geleden fa назад".split())
_SPANNING = frozenset("in over for during within since".split())
_DEFINITE = frozenset("the this these der die das den dem le la les el los il lo".split())
_SPACELESS = _table(
    day="前天 昨天 昨日 今天 今日 明天 明日 后天 後天 今早 今晚 昨晚 明早 明晚 今朝 今夜 昨夜 "
    "明後日 어제 오늘 내일 모레 그저께 어젯밤",
    week="上周 上週 上星期 上个星期 上個星期 本周 这周 這週 这个星期 下周 下週 下星期 下个星期 "
    "先週 今週 来週 지난주 이번주 다음주",
    month="上个月 上個月 上月 本月 这个月 這個月 下个月 下個月 下月 先月 今月 来月 지난달 이번달 "
    "다음달",
    year="去年 今年 明年 来年 작년 올해 내년",
)
_COUNTED = tuple("天 日 周 週 週間 星期 月 年 일 주 개월 년".split())
_FROM_NOW = tuple("前 后 後 以后 以後 之后 之後 전 후 뒤".split())


def mean_the_same(text: str, one: int, other: int) -> bool:
    """Say whether a text means the same days when it is said at two instants, in the zone of this
    machine. It does where it has no relative time word."""
    return days_meant(text, one) == days_meant(text, other)


def days_meant(text: str, at: int) -> frozenset[Key]:
    """Return by which day, week, month or year the relative time words of a text count when it is
    said at an instant: "in two weeks" by that day, "next week" by its week, "next Friday" by the
    date that it means; none where it has no such word, in the languages of these tables."""
    lowered = text.lower()
    words = "".join([char if char.isalnum() else " " for char in lowered]).split()
    found = [*_spoken(words)]
    if not lowered.isascii():
        found += _unspaced("".join(words))
    return frozenset(_which(name, _day_of(at)) for name in found) if found else frozenset()


def _spoken(words: Sequence[str]) -> Iterator[str]:
    """Yield by what the words count: day, week …, or a turn and the number of a weekday."""
    for place, word in enumerate(words):
        before, behind = words[:place], words[place + 1 : place + 4]
        if word in _DAYS or (word == "hier" and not _FRENCH.isdisjoint(words)):
            yield "day"
        elif word in _TURNS and (before[-1:] != ["the"] or not _SPANNING.isdisjoint(before[-2:-1])):
            yield from _turned(_TURNS[word], behind)
        elif word in _TURNS_BEHIND:
            yield from _turned(_TURNS_BEHIND[word], [one for one in before[-2:] if one != "que"])
        elif word in _UNITS and (
            (behind and (behind[0] in _AGO or behind[:2] == ["from", "now"]))
            or any(_counts(before, number) for number in (1, 2))
        ):
            yield "day"


def _turned(turn: str, words: Sequence[str]) -> Iterator[str]:
    """Yield what the first unit or weekday of some words is, turned."""
    for word in words:
        if word in _UNITS:
            yield _UNITS[word]
            return
        if word in _WEEKDAYS:
            yield f"{turn} {_WEEKDAYS[word]}"
            return


def _counts(before: Sequence[str], number: int) -> bool:
    """Say whether the words before a unit count from now, by so many words of a number: in two, vor
    drei, il y a trois."""
    said, count = before[:-number], before[-number:]
    is_said = not _AHEAD.isdisjoint(said[-1:]) or said[-2:] == ["y", "a"]
    return is_said and _DEFINITE.isdisjoint(count)


def _unspaced(text: str) -> Iterator[str]:
    yield from (name for word, name in _SPACELESS.items() if word in text)
    if any(unit + sign in text for unit in _COUNTED for sign in _FROM_NOW):
        yield "day"


def _day_of(at: int) -> date:
    try:
        return datetime.fromtimestamp(at // 1000).date()
    except (OverflowError, ValueError, OSError):  # at the edge of the years, where no zone is known
        return date(1970, 1, 1) + timedelta(at // _DAY_MS)


def _which(name: str, day: date) -> Key:
    """Return which day, week … is the one that a name counts by, when it is said on a day."""
    turn, _, number = name.partition(" ")
    if number:
        ahead = (int(number) - day.weekday()) % 7
        week = {"last": ahead - 7, "next": ahead or 7, "this": int(number) - day.weekday()}
        return "day", day.toordinal() + week[turn]
    month = day.year * 12 + day.month - 1
    counted = {
        "day": day.toordinal(), "week": (day - timedelta(day.weekday())).toordinal()
        if day.toordinal() > day.weekday() else 0,
        "month": month, "quarter": month // 3, "year": day.year,
    }  # fmt: skip
    return name, counted[name]
