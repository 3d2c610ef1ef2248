"""One word or figure of a text, and the key by which it is compared with those of another text."""

from __future__ import annotations

from tideline_cli.model.record import record

APOSTROPHES = frozenset("'’ʼ＇`´")
# Units that are other units in other letters: milli and mega, bits and bytes.
_UNITS = frozenset(
    "mW mWh mV mJ mPa mHz Kb Mb Gb Tb KBps kBps MBps GBps TBps".split()
)
_NEGATED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_SHORTENED = {"re": "are", "ve": "have", "ll": "will", "d": "would", "m": "am", "s": ""}

# Pronouns, forms of be, have and do, prepositions. With a capital none of them is a name. In two
# capitals (US, IT) they are names.
FUNCTION_WORDS = frozenset(
    "a an and are as at be by did do does for from had has have he her his how i if in is it its "
    "me my no not of on or our she so that the their them they this to us was we what when where "
    "which who will with you your am but can may one all any each every some these those there "
    "then than".split()
)
CALENDAR = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays "
    "thursdays fridays saturdays sundays january february march april may june july august "
    "september october november december".split()
)


@record
class Word:
    """One word, figure or symbol: `key` is what is compared, `kind` is word, name, figure or
    symbol. A compound holds its `parts`."""

    key: str
    kind: str
    parts: tuple[str, ...] = ()


def append_figure(run: str, found: list[Word]) -> None:
    """Append a figure and the unit written to it; a word with digits is a figure too."""
    digits = 0
    while digits < len(run) and (run[digits].isdigit() or run[digits] in "-+±.,:/_'"):
        digits += 1
    head, tail = run[:digits], run[digits:]
    if head and any(map(str.isdigit, head)):
        found.append(Word(_grouped(head), "figure"))
        if tail:
            found.append(Word(tail if tail in _UNITS else tail.casefold(), "figure"))
        return
    mixed = run[1:] != run[1:].lower() and run != run.upper()
    found.append(Word(run if mixed else run.casefold(), "figure"))


def _grouped(figure: str) -> str:
    """Return a figure without the marks between its thousands: 1,000 and 1'000 are 1000."""
    for mark in ",'_":
        head, *groups = figure.split(mark)
        last, dot, rest = groups[-1].partition(".") if groups else ("", "", "")
        whole = [*groups[:-1], last]
        bare = head.lstrip("+-±")
        if groups and 0 < len(bare) <= 3 and bare.isdigit() and all(
            len(group) == 3 and group.isdigit() for group in whole
        ):  # fmt: skip
            return head + "".join(whole) + dot + rest
    return figure


def append_word(run: str, found: list[Word], *, is_loud: bool) -> None:
    """Append a word, or the words that it stands for: "don't" is do and not. A text that is written
    in capitals throughout (`is_loud`) says nothing by them."""
    if run in _UNITS and found and found[-1].kind == "figure":
        found.append(Word(run, "figure"))
        return
    low = run.casefold()
    if any(char in APOSTROPHES for char in low):
        low, more = _expanded("".join("'" if char in APOSTROPHES else char for char in low))
    else:
        low, more = ("can", ("not",)) if low == "cannot" else (low, ())
    if "-" in low:
        parts = tuple(part for part in low.split("-") if part)
        found.append(Word("".join(parts), _kind(run, "".join(parts)), parts))
    elif low:
        # The US is not us, and vitamin A is not a vitamin.
        is_short_name = run.isupper() and not is_loud and low in FUNCTION_WORDS and (
            len(run) > 1 or (run == "A" and bool(found))
        )  # fmt: skip
        found.append(Word(run, "name") if is_short_name else Word(low, _kind(run, low)))
    found += (Word(word, "word") for word in more)


def _expanded(low: str) -> tuple[str, tuple[str, ...]]:
    """Return a word without its apostrophe, and the words that the apostrophe stands for."""
    head, _, tail = low.rpartition("'")
    if tail == "t" and head.endswith("n"):
        stem = head[:-1]
        return _NEGATED.get(stem, stem), ("not",)
    if tail in _SHORTENED:
        return head.replace("'", ""), (_SHORTENED[tail],) if _SHORTENED[tail] else ()
    return low.replace("'", ""), ()


def _kind(run: str, low: str) -> str:
    is_name = run != run.lower() and low not in FUNCTION_WORDS and low not in CALENDAR
    return "name" if is_name or "_" in run else "word"
