"""What Chinese, Japanese and Korean texts say of time: 昨天, 来週の月曜日, 11月3日, 三天前."""

from __future__ import annotations

from tideline_cli.model.day_spans import Span, of_date, on, turned
from tideline_cli.model.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.model.lean import date

_WORDS = {
    word: (line.split()[0], int(line.split()[1]))
    for line in """
day -3 大前天
day -2 前天 一昨日 おととい 그저께
day -1 昨天 昨日 昨晚 昨夜 きのう 어제 어젯밤
day 0 今天 今日 今早 今晚 今夜 今朝 きょう 오늘
day 1 明天 明日 明早 明晚 明朝 あした あす 내일
day 2 后天 後天 明後日 あさって 모레
week -2 上上周 上上週 上上星期 先々週
week -1 上周 上週 上星期 上个星期 上個星期 上礼拜 上个礼拜 先週 지난주
week 0 本周 本週 这周 這週 这星期 这个星期 這個星期 这礼拜 今週 이번주
week 1 下周 下週 下星期 下个星期 下個星期 下礼拜 下个礼拜 来週 다음주
week 2 下下周 下下週 再来週
month -1 上个月 上個月 上月 先月 지난달
month 0 本月 这个月 這個月 今月 이번달
month 1 下个月 下個月 下月 来月 다음달
year -2 前年 一昨年
year -1 去年 昨年 작년
year 0 今年 올해
year 1 明年 来年 내년
weekend 0 周末 週末 주말
""".strip().splitlines()
    for word in line.split()[2:]
}
_LONGEST = max(map(len, _WORDS))
_UNITS = {
    unit: name
    for name, units in {
        "day": "天 日 일", "week": "周 週 週間 周間 星期 个星期 個星期 礼拜 个礼拜 주",
        "month": "月 个月 個月 ヶ月 か月 カ月 ヵ月 个月份 개월", "year": "年 年間 년",
    }.items()
    for unit in units.split()
}
_BACK = ("以前", "之前", "前", "전")
_AHEAD = ("以后", "以後", "之后", "之後", "后", "後", "후", "뒤")
_DIGITS = {sign: number for number, sign in enumerate("〇一二三四五六七八九")} | {
    "零": 0, "两": 2, "兩": 2,
}  # fmt: skip
_WEEK = ("星期", "礼拜", "禮拜", "周", "週")
_OF_WEEK = {sign: number for number, signs in enumerate(
    ("一月", "二火", "三水", "四木", "五金", "六土", "日天")) for sign in signs}  # fmt: skip
_END = ("月底", "月末", "年底", "年末")
_SINCE = ("以来", "以來", "起", "から", "부터")
_DAY_SIGNS = "日号號일"

def spaceless(text: str, today: date) -> tuple[str, list[tuple[int, int, Sequence[Span]]]]:
    """Return a text without blanks beside the signs of its dates, where it names days at a day, and
    which: (start, end, spans)."""
    reader = _Reader("".join(_joined(text)), today)
    found: list[tuple[int, int, Sequence[Span]]] = []
    at = 0
    while at < len(reader.text):
        try:
            used, spans = reader.at(at)
        except (OverflowError, ValueError):
            used, spans = 1, ()
        if spans:
            found.append((at, at + used, spans))
        at += used
    return reader.text, found


def _joined(text: str) -> Sequence[str]:
    """Return the characters of a text without the spaces beside a sign of a date: 2023 年 5 月."""
    return [
        char for at, char in enumerate(text)
        if not (char == " " and (text[at + 1 : at + 2] in _SIGNS or text[at - 1 : at] in _SIGNS))
    ]  # fmt: skip


_SIGNS = ("年", "月", "日", "号", "號", "년", "월", "일")


class _Reader:
    def __init__(self, text: str, today: date) -> None:
        self.text = text
        self._today = today

    def at(self, at: int) -> tuple[int, Sequence[Span]]:
        """Return how many characters from a place on belong together, and what they mean."""
        used, found = self._word(at)
        if not found:
            used, found = self._numbered(at)
        if not found:
            used, found = self._weekday(at, 0)
        if found and self.text.startswith(_SINCE, at + used):
            first = found[0].first
            last = max(first, self._today.toordinal())
            return used + self._prefix(_SINCE, at + used), (Span(first, last, found[0].unit),)
        return used, found

    def _prefix(self, words: Sequence[str], at: int) -> int:
        return next((len(word) for word in words if self.text.startswith(word, at)), 0)

    def _word(self, at: int) -> tuple[int, Sequence[Span]]:
        """Read 上周, 上周五, 来週の月曜日, 本月底, 今週末."""
        for size in range(_LONGEST, 1, -1):
            known = _WORDS.get(self.text[at : at + size])
            if known is not None and len(self.text[at : at + size]) == size:
                break
        else:
            used = self._prefix(_END, at)
            unit = {"月": "month", "年": "year"}.get(self.text[at : at + 1], "")
            return (used, (_end(turned(self._today, 0, unit)),)) if used else (1, ())
        unit, turn = known
        span = turned(self._today, turn, unit)
        after = at + size
        if unit == "week":
            if self.text[after : after + 1] == "末":
                return size + 1, (turned(self._today, turn, "weekend"),)
            skipped = self.text[after : after + 1] == "の"
            used, days = self._weekday(after + skipped, turn, is_after_week=True)
            if days:
                return size + skipped + used, days
        if self.text[after : after + 1] in ("底", "末") and unit in ("month", "year"):
            return size + 1, (_end(span),)
        if unit == "year" and (ends := self._prefix(_END, after)):
            return size + ends, (_end(span),)
        if unit == "year":
            used, month, day = self._date(after)
            if month:
                return size + used, of_date(self._today, self._today.year + turn, month, day)
        return size, (span,)

    def _weekday(
        self, at: int, turn: int, *, is_after_week: bool = False
    ) -> tuple[int, Sequence[Span]]:
        """Read 五 of 上周五, 周五, 星期五, 月曜, 月曜日."""
        size = 0 if is_after_week else self._prefix(_WEEK, at)
        sign = self.text[at + size : at + size + 1]
        is_japanese = self.text[at + size + 1 : at + size + 2] == "曜"
        if sign not in _OF_WEEK or not (size or is_after_week or is_japanese):
            return 1, ()
        number = _OF_WEEK[sign]
        if sign in "月火水木金土" and not is_japanese:
            return 1, ()
        used = size + 1 + is_japanese
        used += is_japanese and self.text[at + used : at + used + 1] == "日"
        if is_after_week:
            monday = turned(self._today, turn, "week").first
            return used, (Span(monday + number, monday + number, "day"),)
        back = (self._today.weekday() - number) % 7
        last = self._today.toordinal() - back
        return used, tuple(Span(one, one, either="weekday") for one in (last, last + 7))

    def _numbered(self, at: int) -> tuple[int, Sequence[Span]]:
        """Read 三天前, 两周后, 2023年5月3日, 5月3日, 5月."""
        if at and self._number(at - 1)[0]:
            return 1, ()  # within a number
        size, number = self._number(at)
        if not size:
            return 1, ()
        unit = max((one for one in _UNITS if self.text.startswith(one, at + size)), key=len,
                   default="")  # fmt: skip
        after = at + size + len(unit)
        if unit:
            for sign, words in ((-1, _BACK), (1, _AHEAD)):
                if used := self._prefix(words, after):
                    name = _UNITS[unit]
                    middle = on(self._today, sign * number, name)
                    half = {"day": 0, "week": 3, "month": 15, "year": 182}[name]
                    return after + used - at, (Span(middle - half, middle + half, "day"),)
        if self.text[at + size : at + size + 1] in ("年", "년") and 1900 <= number <= 2199:
            size += 1 + (self.text[at + size + 1 : at + size + 2] == "の")
            used, month, day = self._date(at + size)
            return size + used, of_date(self._today, number, month, day)
        used, month, day = self._date(at)
        return (used, of_date(self._today, 0, month, day)) if month else (1, ())

    def _date(self, at: int) -> tuple[int, int, int]:
        """Return how much of a text is a month with its day, and both; 0 for none."""
        size, month = self._number(at)
        if not (size and 0 < month <= 12 and self.text[at + size : at + size + 1] in ("月", "월")):
            return 0, 0, 0
        start = at + size + 1
        size, day = self._number(start)
        sign = self.text[start + size : start + size + 1]
        if size and 0 < day <= 31 and sign and sign in _DAY_SIGNS:
            return start + size + 1 - at, month, day
        return start - at, month, 0

    def _number(self, at: int) -> tuple[int, int]:
        """Return how many characters a number from a place on is, and the number: 12, 十二."""
        end = at
        while self.text[end : end + 1].isdigit() and self.text[end : end + 1].isascii():
            end += 1
        if end > at:
            return end - at, int(self.text[at:end]) if end - at <= 4 else 0
        while self.text[end : end + 1] in (*_DIGITS, "十"):
            end += 1
        signs = self.text[at:end]
        if "十" not in signs:
            digits = "".join(str(_DIGITS[sign]) for sign in signs)
            return end - at, int(digits) if digits and len(digits) <= 4 else 0
        tens, _, ones = signs.partition("十")
        if len(tens) > 1 or len(ones) > 1:
            return 0, 0
        return end - at, 10 * _DIGITS.get(tens, 1) + _DIGITS.get(ones, 0)


def _end(span: Span) -> Span:
    """Return the last third of a stretch of days."""
    return replace(span, first=span.last - min((span.last - span.first) // 3, 30))
