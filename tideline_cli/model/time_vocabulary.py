"""The words of which each name of a time has one: so a text without them need not be read for any,
and what reads them is not loaded."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def numbers_by_word(words: str) -> Mapping[str, int]:
    """Return the number that a line begins with, by each word of it."""
    return {word: int(line.split()[0]) for line in words.strip().splitlines()
            for word in line.split()[1:]}  # fmt: skip


DAYS = numbers_by_word("""
-2 vorgestern anteayer avanthier eergisteren позавчера
-1 yesterday gestern gestrige gestrigen ayer anoche ieri ontem gisteren wczoraj igår dün вчера
 0 today tonight heute heutige heutigen aujourd hoy oggi stasera stamattina stanotte hoje vandaag
 0 vanavond dziś dzisiaj idag bugün сегодня
 1 tomorrow morgen demain mañana domani amanhã jutro imorgon yarın завтра
 2 übermorgen overmorgen dopodomani послезавтра
""")
UNITS = {
    word: unit
    for unit, words in {
        "day": "day days night nights morning afternoon evening tag tage tagen nacht abend "
        "vormittag nachmittag jour jours nuit matin soir midi día días noche tarde giorno giorni "
        "notte sera mattina dia dias noite manhã dag dagen avond день дня дней ночь утро вечер",
        "hour": "hour hours minute minutes stunde stunden minuten heure heures hora horas ora ore "
        "uur",
        "week": "week weeks woche wochen semaine semaines semana semanas settimana settimane weken "
        "неделя недели неделе неделю недель",
        "fortnight": "fortnight fortnights",
        "weekend": "weekend weekends wochenende wochenenden finde",
        "month": "month months monat monate monaten monats mois mes meses mese mesi mês maand "
        "maanden месяц месяца месяце месяцев",
        "quarter": "quarter quarters quartal quartals trimestre",
        "year": "year years jahr jahre jahren jahres jahrs an ans année années año años anno anni "
        "ano anos jaar год года году лет",
    }.items()
    for word in words.split()
}
WEEKDAYS = {
    word: number
    for number, words in enumerate((
        "monday mondays montag montags lundi lunes lunedì maandag понедельник",
        "tuesday tuesdays dienstag dienstags mardi martes martedì dinsdag вторник",
        "wednesday wednesdays mittwoch mittwochs mercredi miércoles mercoledì woensdag среду",
        "thursday thursdays donnerstag donnerstags jeudi jueves giovedì donderdag четверг",
        "friday fridays freitag freitags vendredi viernes venerdì vrijdag пятницу",
        "saturday saturdays samstag sonnabend samstags samedi sábado sabato zaterdag субботу",
        "sunday sundays sonntag sonntags dimanche domingo domenica zondag воскресенье",
    ))
    for word in words.split()
}  # fmt: skip
MONTHS = {
    word: number
    for number, words in enumerate((
        "january januar jänner janvier enero", "february februar feber février febrero",
        "march märz mars marzo", "april avril abril", "may mai mayo", "june juni juin junio",
        "july juli juillet julio", "august août aout agosto",
        "september septembre septiembre setiembre", "october oktober octobre octubre",
        "november novembre noviembre", "december dezember décembre diciembre",
    ), 1)
    for word in words.split()
}  # fmt: skip
SHORT_MONTHS = {
    word: number
    for number, words in enumerate((
        "jan janv ene", "feb févr fév", "mar mär", "apr avr abr", "", "jun", "jul juil",
        "aug", "sep sept", "oct okt", "nov", "dec dez déc dic",
    ), 1)
    for word in words.split()
}  # fmt: skip
CHARACTERS = frozenset("天日周週星礼禮月年曜末昨今明晚きあお제늘일레께밤주달년작올해뒤후전월말")
"""One of these stands in each name of a time in a text without spaces."""
_HIER = "hier"  # French for yesterday, German for here
_NO_NAME = frozenset(("an",))  # French for year, English for one: asked for as "un an"
_SIGNS = "()[]{}<>,;:!?\"'“”„«»…"
_YEAR = 4  # digits
WORDS = frozenset((_HIER, *DAYS, *UNITS, *WEEKDAYS, *MONTHS, *SHORT_MONTHS)) - _NO_NAME


def may_name_time(text: str) -> bool:
    """Say whether a text may name a time, by what every such name holds; so do a few others."""
    lowered = text.lower()
    if not (lowered.isascii() or CHARACTERS.isdisjoint(lowered)):
        return True
    words = "".join([char if char.isalnum() else " " for char in lowered]).split()
    if not WORDS.isdisjoint(words) or "un an" in lowered:
        return True
    if not any(word.isascii() and word[0].isdigit() for word in words):
        return False
    return any(len(word) == _YEAR and word.isdigit() for word in words) or any(
        is_in_digits(bare(word)) for word in lowered.split()
    )


def bare(word: str) -> str:
    """Return a word without the signs around it, of a sentence's end too."""
    word = word.strip(_SIGNS)
    return word.rstrip(".") if word.count(".") != 2 else word


def is_in_digits(word: str) -> bool:
    """Say whether a word consists of numbers as a date may: 2026-11-03, 3.11., 3/11/2026."""
    for sign in "-./":
        parts = word.split(sign)
        if len(parts) == 3 or (len(parts) == 2 and sign in "-/"):
            return parts[0].isdigit() and all(one.isdigit() for one in parts[1:] if one)
    return False
