"""Lists that people keep in files of their own: contacts (vCard), calendars (iCalendar), tasks
(todo.txt), bookmarks, the history of a shell, and cards of Anki. Each entry becomes a row whose
text can be read alone."""

from __future__ import annotations

import io
import re
from collections import Counter
from datetime import MAXYEAR, date, datetime, timedelta
from html import unescape
from quopri import decodestring
from zoneinfo import ZoneInfo

from tideline_cli.errors import UsageError
from tideline_cli.exchange.tools.files import ms_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    Row = dict[str, Any]
    Property = tuple[str, dict[str, str], str]

_FOLDED = re.compile(r"\r?\n[ \t]")
_SOFT = re.compile(r"=\r?\n")
_PARAMETER = re.compile(r';([\w-]+)(?:=("[^"]*"|[^;:"]*))?')
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_DATE = re.compile(r"-?-?(\d{4})?-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?\d*(?:\.\d+)?(Z)?)?")
_TASK = re.compile(r"(x )?(?:\(([A-Z])\) )?(?:(\d{4}-\d\d-\d\d) )?(?:(\d{4}-\d\d-\d\d) )?(.+)")
_MARKED = re.compile(r"(?<!\S)([+@])(\S+)")
_PAIR = re.compile(r"(?<!\S)([A-Za-z][\w-]*):(?!//)(\S+)")
_PRIORITY = re.compile(r"(?<!\S)pri:[A-Z](?!\S)")
_RECURRING = re.compile(r"(?<!\S)rec:\S")  # such a task is another one each time
_OF_BOOKMARKS = ("h3", "a", "dl", "dt", "dd")
_NO_ADDRESS = re.compile(r"(?:j\s*a\s*v\s*a|v\s*b)\s*s\s*c\s*r\s*i\s*p\s*t\s*:|place:|data:", re.I)
_LONGEST_NAME = 200  # characters of a folder
_DIGITS = 20
_INLINE = re.compile(r"</?(?:a|b|i|u|s|em|strong|span|font|sub|sup|code)\b[^<>]{0,2000}>", re.I)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
_ZSH = re.compile(r": (\d{6,12}):\d+;(.*)", re.DOTALL)
_BASH = re.compile(r"# ?(\d{6,12})")
_WHEN = re.compile(r"\s+when:\s*(\d{1,12})\s*$")
_OF_FISH = re.compile(r"\s+(?:\w+:|- )")
_ESCAPED_BY_FISH = re.compile(r"\\([\\n])")
_METAFIED = re.compile(rb"\x83(.)", re.DOTALL)
_DAYS = {"MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday",
         "SA": "Saturday", "SU": "Sunday"}  # fmt: skip
_LISTED = {"EXDATE": "not on", "RDATE": "also on"}
_LASTING = re.compile(r"P(?:(\d{1,3})W)?(?:(\d{1,4})D)?"
                      r"(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:\d+S)?)?")  # fmt: skip
_IN_WORDS = ("FREQ", "INTERVAL", "BYDAY", "UNTIL", "COUNT", "WKST")
_EVERY = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_CONTACT = {"TEL": "phone", "EMAIL": "email", "ADR": "address", "URL": "web", "IMPP": "chat",
            "IMADDRESS": "chat", "SKYPE": "Skype", "JABBER": "Jabber", "ROLE": "role",
            "ANNIVERSARY": "anniversary", "DATE": "date", "NICKNAME": "nickname",
            "RELATED": "related", "RELATEDNAMES": "related", "SPOUSE": "spouse",
            "MANAGER": "manager", "ASSISTANT": "assistant", "NOTE": "note"}  # fmt: skip
_OF_VENDORS = re.compile(r"X-(?:MS-|EVOLUTION-|AB)?")


def contacts(text: str, left: Counter[str]) -> Iterator[Row]:
    """Yield a row for each vCard, and one for each birthday."""
    for card in _components(text, "VCARD"):
        by_name: dict[str, list[tuple[dict[str, str], str]]] = {}
        for name, parameters, value in card:
            if value.strip(" ;"):
                by_name.setdefault(_OF_VENDORS.sub("", name), []).append((parameters, value))
        labels = {parameters.get("GROUP"): _plain(value).strip("_$!<>")
                  for parameters, value in by_name.get("LABEL", ())}  # fmt: skip
        whole = _first(by_name, "FN") or " ".join(reversed(_parts(_first(by_name, "N"))[:2]))
        ways = (_first(by_name, key) for key in ("ORG", "EMAIL", "TEL"))
        name = whole.strip() or next(filter(None, ways), "").replace(";", ", ").strip()
        if not name:
            left["nameless contacts"] += 1
            continue
        role = [_plain(_first(by_name, "TITLE")), ", ".join(_parts(_first(by_name, "ORG")))]
        said = [f"{word}{_kind(parameters, labels)} {_told(key, value)}"
                for key, word in _CONTACT.items() for parameters, value in by_name.get(key, ())]
        born = _first(by_name, "BDAY")
        about = ", ".join(one for one in role if one)
        shown = f"{_plain(name)} ({about})" if about else _plain(name)
        tags = _tags(_first(by_name, "CATEGORIES"))
        made = _made(_first(by_name, "REV"))
        common: Row = {"segment": "relationship", "tags": ["contact", *tags], "created_at": made}
        uid = _first(by_name, "UID") or f"{name}#{_first(by_name, 'EMAIL')}"
        day = _day_in_words(born)
        said += [f"born {day}"] if day else []
        yield {"id": uid, "content": f"{shown}: {'; '.join(said)}" if said else shown, **common}
        if day:
            yield {"id": f"{uid}#birthday", **common, "tags": ["contact", "birthday"],
                   "content": f"{_plain(name)}'s birthday is {day}", "element": "birthday"}


def events(text: str, left: Counter[str]) -> Iterator[Row]:
    """Yield a row for each event, task and note of a calendar; its days are said in words."""
    for kind, tag in (("VEVENT", "event"), ("VTODO", "task"), ("VJOURNAL", "note")):
        newest_first = sorted(_components(text, kind), key=_sequence, reverse=True)
        for properties in newest_first:
            found = {name: (parameters, value) for name, parameters, value in reversed(properties)}
            title = _plain(_first_of(found, "SUMMARY")).strip()
            about = _plain(_first_of(found, "DESCRIPTION")).strip()
            status = _first_of(found, "STATUS").upper()
            said = [_span(found), _plain(_first_of(found, "LOCATION")).strip(),
                    *(_repeated(value) for name, _, value in properties if name == "RRULE")]
            if status in ("CANCELLED", "TENTATIVE"):
                said.insert(0, status.lower())
            is_done = status == "COMPLETED" or "COMPLETED" in found
            if kind == "VTODO":
                due, done = (_when(_first_of(found, name)) for name in ("DUE", "COMPLETED"))
                said = [f"due {due}" if due else "", *said, f"done {done}".strip() * is_done]
            with_whom = [*dict.fromkeys(
                _plain(parameters.get("CN") or value.removeprefix("mailto:"))
                + " (declined)" * (parameters.get("PARTSTAT", "").upper() == "DECLINED")
                for name, parameters, value in properties if name in ("ATTENDEE", "ORGANIZER")
            )]  # fmt: skip
            said += [f"{_LISTED[name]} {_when(part)}" for name, _, value in properties
                     for part in value.split(",") if name in _LISTED and _when(part)]  # fmt: skip
            more = f" and {len(with_whom) - 20:,} more" if len(with_whom) > 20 else ""
            said.append(f"with {', '.join(with_whom[:20])}{more}" if with_whom else "")
            said.append(_first_of(found, "URL"))
            if not (title or about or any(said)):
                left["empty events"] += 1
                continue
            head = f"{title or tag}: " if any(said) and (title or not about) else title
            whole = head + ", ".join(one for one in said if one)
            content = f"{whole}. {about}" if about and whole else whole or about
            row: Row = {"content": content, "created_at": _made(_first_of(found, "CREATED")),
                        "tags": [tag, *_tags(_first_of(found, "CATEGORIES"))]}  # fmt: skip
            uid = _first_of(found, "UID")
            again = _first_of(found, "RECURRENCE-ID")
            if uid:
                row["id"] = f"{uid}#{again}" if again else uid
            if kind == "VTODO":
                row |= {"progress": "done" if is_done else "active"}
            yield row


def _sequence(properties: Sequence[Property]) -> int:
    """Return how often an entry of a calendar was changed."""
    said = [value for name, _, value in properties if name == "SEQUENCE"]
    return int(said[0]) if said and said[0].isdigit() and len(said[0]) < 10 else 0


def tasks(text: str, _: Counter[str]) -> Iterator[Row]:
    """Yield a row for each task of a todo.txt; of tasks of the same words those that are done are
    the first ones."""
    found = [one for line in text.splitlines() if (one := _TASK.fullmatch(line.strip()))]
    is_open = {place: not one[1] for place, one in enumerate(found)}
    own: dict[int, str] = {}
    seen = Counter[str]()
    for place in sorted(is_open, key=is_open.__getitem__):
        rest = _PRIORITY.sub("", found[place][5])
        words = rest if _RECURRING.search(rest) else _PAIR.sub(_undated, rest)
        own[place] = _numbered(" ".join(words.split()), seen)
    for place, one in enumerate(found):
        done, priority, first, second, rest = one.groups()
        pairs = {key.lower(): value for key, value in _PAIR.findall(rest)}
        tags = [tag for _, tag in _MARKED.findall(rest)]
        words = " ".join(_PAIR.sub(_undated, rest).split())
        days = [f"{key} {_day_in_words(value)}" for key, value in pairs.items() if _is_day(value)]
        said = [f"priority {priority}" if priority else "", *days,
                f"done {first}" if done and first else ""]  # fmt: skip
        aside = ", ".join(one for one in said if one)
        yield {"id": own[place], "content": f"{words} ({aside})" if aside else words or rest,
               "tags": ["task", *tags], "progress": "done" if done else "active",
               "created_at": second if done else first}  # fmt: skip


def _numbered(own: str, seen: Counter[str]) -> str:
    """Return what tells an entry from others, with its number where others are called so too."""
    seen[own] += 1
    return own if seen[own] == 1 else f"{own}#{seen[own]}"


def _is_day(value: str) -> bool:
    return re.fullmatch(r"\d{4}-\d\d-\d\d", value) is not None and bool(_day_in_words(value))


def _undated(found: re.Match[str]) -> str:
    """Return nothing in the place of a day, which is said in words; else what stands there."""
    return "" if _is_day(found[2]) else found[0]


def bookmarks(text: str, left: Counter[str]) -> Iterator[Row]:
    """Yield a row for each bookmark: its title, address and description; its folders are the
    title of the row. What describes a folder is a row too."""
    from justhtml import stream  # noqa: PLC0415  bookmarks alone

    folders: list[str] = []
    named = said = ""
    seen = Counter[str]()
    about: Row | None = None  # the row that a description belongs to
    for tag, attributes in _marks(stream(text)):
        if tag == "":
            said += str(attributes)
            continue
        words, said = " ".join(said.split()), ""
        if tag == "/h3":
            named = words
            about = {"id": f"folder:{_path(folders)}{named}", "content": named,
                     "title": _path(folders)[:-3] or None, "tags": ["bookmark", "folder"]}
        elif tag == "/a" and about is not None:
            about["content"] = f"{words} — {about['content']}" if words else about["content"]
        elif about is not None and tag not in ("dd", "/dd", "/a"):
            is_folder = about["id"].startswith("folder:")
            about["content"] += (": " if is_folder else ". ") + words if words else ""
            if not is_folder or words:
                yield about
            about = None
        if tag == "dl":
            folders.append(named)
            named = ""
        elif tag == "/dl":
            del folders[-1:]
        elif tag == "a":
            about = _bookmark(attributes, folders, seen, left)


def _marks(events: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield (tag, attributes) of what bookmarks are marked up by, `/tag` where it ends, and ("",
    text) of texts; last an entry that ends the one before."""
    for event, value in events:
        if event == "text":
            yield "", value
        elif event == "start" and value[0] in _OF_BOOKMARKS:
            yield value[0], value[1] or {}
        elif event == "end" and value in _OF_BOOKMARKS:
            yield f"/{value}", {}
    yield "dt", {}


def _bookmark(
    attributes: Mapping[str, str | None], folders: Sequence[str], seen: Counter[str],
    left: Counter[str],
) -> Row | None:  # fmt: skip
    """Return the row of a bookmark that begins with these attributes; None for no page."""
    fields = {key.lower(): (value or "").strip() for key, value in attributes.items()}
    address, added = fields.get("href", ""), fields.get("add_date", "")
    if not address or _NO_ADDRESS.match(address):
        left["pageless bookmarks" if address else "blank bookmarks"] += 1
        return None
    tags = [one.strip() for one in fields.get("tags", "").split(",") if one.strip()]
    is_number = added.isascii() and added.isdigit() and len(added) < _DIGITS
    return {"id": _numbered(address, seen), "content": address, "tags": ["bookmark", *tags],
            "title": _path(folders)[:-3] or None,
            "created_at": ms_of(int(added)) if is_number else None}  # fmt: skip


def _path(folders: Sequence[str]) -> str:
    """Return folders as they stand before a name; of many the outermost and the innermost."""
    shown = (*folders[:8], *folders[max(8, len(folders) - 8) :])
    named = [one[:_LONGEST_NAME] for one in shown if one]
    if len(folders) > 16:
        named.insert(8, "…")
    return "".join(f"{one} › " for one in named)


def commands(text: str, _: Counter[str]) -> Iterator[Row]:
    """Yield a row for each command of the history of bash, zsh or fish, once, with the time at
    which it was last used."""
    found: dict[str, int | None] = {}
    for command, at in _history(text.split("\n")):
        line = command.strip()
        if line:
            found.pop(line, None)
            found[line] = at
    for line, at in found.items():
        when = None if at is None else at * 1000
        yield {"id": line, "content": line, "title": "shell command", "tags": ["shell"],
               "created_at": when, "said_at": when}  # fmt: skip


def cards(text: str, left: Counter[str]) -> Iterator[Row]:
    """Yield a row for each note of Anki's text export: its fields, the first of them in front."""
    import csv  # noqa: PLC0415  cards alone

    said: dict[str, str] = {}
    while text.startswith("#"):
        line, _, text = text.partition("\n")
        name, _, value = line[1:].partition(":")
        said[name.strip().lower()] = value.strip(" \r")
    stated = said.get("separator", "")
    parting = _SEPARATORS.get(stated.lower(), stated)
    if len(parting) != 1:
        first = text.partition("\n")[0]
        parting = max(_SEPARATORS.values(), key=lambda sign: (first.count(sign), sign == "\t"))
    aside = {int(value): key.removesuffix(" column") for key, value in said.items()
             if key.endswith(" column") and value.isdigit() and len(value) < 5}  # fmt: skip
    read = _without_marks if said.get("html", "").lower() == "true" else str.strip
    csv.field_size_limit(1 << 24)
    try:
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=parting):
            row = _card([read(cell) for cell in cells], aside, said)
            left["blank cards"] += row is None and bool(cells)
            if row is not None:
                yield row
    except csv.Error as error:
        raise UsageError(f"cannot be read on: {error}", hint="is the file whole?") from error


_SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "colon": ":",
               "space": " "}  # fmt: skip


def _card(cells: Sequence[str], aside: Mapping[int, str], said: Mapping[str, str]) -> Row | None:
    """Return a note as a row; None for one without a field. `aside` are the columns that are no
    fields, `said` is what holds for all notes."""
    apart = {aside[place]: cell for place, cell in enumerate(cells, 1) if place in aside}
    front, *back = [one for place, one in enumerate(cells, 1) if one and place not in aside] or [""]
    if not front:
        return None
    between = " " if front.endswith(("?", "？", ":", ".")) else ": "
    deck = apart.get("deck") or said.get("deck", "")
    return {"content": front + (between + "; ".join(back) if back else ""),
            "id": apart.get("guid"), "title": deck.replace("::", " › ") or None,
            "tags": ["card", *said.get("tags", "").split(), *apart.get("tags", "").split()]}


def _components(text: str, kind: str) -> Iterator[list[Property]]:
    """Yield the properties of each component of a kind; those of what stands in it are left out."""
    inner: list[str] = []
    found: list[Property] = []
    for line in _FOLDED.sub("", _unsoftened(text)).splitlines():
        name, parameters, value = _property(line)
        if name == "BEGIN":
            inner.append(value.strip().upper())
            found = [] if inner[-1] == kind else found
        elif name == "END" and inner:
            if inner.pop() == kind:
                yield found
        elif inner and inner[-1] == kind and name:
            found.append((name, parameters, value))
    if inner:
        raise UsageError(f"cut off inside of {inner[-1]}", hint="is the file whole?")


def _unsoftened(text: str) -> str:
    """Return a text without the soft ends of lines of quoted-printable, where it has some."""
    return _SOFT.sub("", text) if "QUOTED-PRINTABLE" in text.upper() else text


def _property(line: str) -> Property:
    head = re.match(r"(?:([\w-]+)\.)?([\w-]+)", line)
    if head is None:
        return "", {}, ""
    at = head.end()
    parameters: dict[str, str] = {"GROUP": head[1]} if head[1] else {}
    while (found := _PARAMETER.match(line, at)) is not None:
        key, value = found[1].upper(), (found[2] or "").strip('"')
        key, value = (key, value) if found[2] is not None else ("TYPE", found[1])
        parameters[key] = f"{parameters[key]},{value}" if key in parameters else value
        at = found.end()
    if line[at : at + 1] != ":":
        return "", {}, ""
    value = line[at + 1 :]
    if parameters.get("ENCODING", "").upper() == "QUOTED-PRINTABLE":
        charset = parameters.get("CHARSET", "utf-8")
        try:
            value = decodestring(value.encode("latin-1", "replace")).decode(charset, "replace")
        except LookupError:
            value = decodestring(value.encode("latin-1", "replace")).decode("utf-8", "replace")
    return head[2].upper(), parameters, value


def _first_of(found: Mapping[str, tuple[dict[str, str], str]], name: str) -> str:
    return found[name][1] if name in found else ""


def _first(by_name: Mapping[str, list[tuple[dict[str, str], str]]], name: str) -> str:
    return by_name[name][0][1] if name in by_name else ""


def _parts(value: str) -> list[str]:
    """Return the parts of a value that are not empty, without escapes."""
    parts = re.split(r"(?<!\\);", value)
    return [_plain(part).strip() for part in parts if part.strip()]


def _plain(value: str) -> str:
    spaced = _ESCAPED.sub(lambda found: " " if found[1] in "nN" else found[1], value)
    return " ".join(spaced.split())


def _told(key: str, value: str) -> str:
    day = _day_in_words(value.partition("T")[0]) if key in ("ANNIVERSARY", "DATE") else ""
    return day or ", ".join(_parts(value)).removeprefix("tel:").removeprefix("mailto:")


def _tags(value: str) -> list[str]:
    return [tag for tag in map(str.strip, _plain(value).split(",")) if tag]


def _made(value: str) -> int | None:
    """Return a stated moment in milliseconds, of a day its beginning."""
    at = _moment(value)
    whole = at if at is None or isinstance(at, datetime) else datetime(at.year, at.month, at.day)
    return None if whole is None else round(whole.timestamp() * 1000)


def _kind(parameters: Mapping[str, str], labels: Mapping[str | None, str]) -> str:
    known = [one for one in parameters.get("TYPE", "").lower().split(",")
             if one in ("home", "work", "cell", "mobile", "fax")]  # fmt: skip
    label = labels.get(parameters["GROUP"]) if "GROUP" in parameters else None
    known = known or [label] if label else known
    return f" ({', '.join(known)})" if known else ""


def _without_marks(text: str) -> str:
    if "<" in text or "&" in text:
        text = " ".join(unescape(_TAG.sub(" ", _INLINE.sub("", text))).split())
    return text.strip()


def _span(found: Mapping[str, tuple[dict[str, str], str]]) -> str:
    """Return from when to when an event is, in words."""
    if "DTSTART" not in found:
        return ""
    start, end = _when(found["DTSTART"][1]), _when(found["DTEND"][1]) if "DTEND" in found else ""
    first, last = _moment(found["DTSTART"][1]), _moment(_first_of(found, "DTEND"))
    lasting = _LASTING.fullmatch(_first_of(found, "DURATION"))
    if first and lasting and not last and first.year < MAXYEAR - 200:
        weeks, days, hours, minutes = (int(part or 0) for part in lasting.groups())
        last = first + timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes)
        end = f"{_day(last)}, {last:%H:%M}" if isinstance(last, datetime) else end
    if first and last and not isinstance(first, datetime) and not isinstance(last, datetime):
        end = _day(max(first, last - timedelta(days=1)))  # the day behind the last
    elif isinstance(first, datetime) and isinstance(last, datetime) and first.date() == last.date():
        return f"{start}–{last:%H:%M}{_zone(found['DTSTART'][0])}"
    zone = _zone(found["DTSTART"][0]) if isinstance(first, datetime) else ""
    return f"{start} to {end}{zone}" if end and end != start else f"{start}{zone}"


def _zone(parameters: Mapping[str, str]) -> str:
    return f" ({parameters['TZID']})" if "TZID" in parameters else ""


def _when(value: str) -> str:
    """Return a moment in words: its weekday, day and time; '' for what is none."""
    at = _moment(value)
    if at is None:
        return ""
    return f"{_day(at)}, {at:%H:%M}" if isinstance(at, datetime) else _day(at)


def _moment(value: str) -> date | datetime | None:
    """Return the day or the time that a value says: in its own zone, or of UTC in ours."""
    found = _DATE.fullmatch(value.strip())
    if found is None or found[1] is None or found[1] < "1000":
        return None
    try:
        day = date(int(found[1]), int(found[2]), int(found[3]))
        if found[4] is None:
            return day
        at = datetime(day.year, day.month, day.day, int(found[4]), int(found[5]))
        return at.replace(tzinfo=ZoneInfo("UTC")).astimezone() if found[6] else at
    except (ValueError, OverflowError):
        return None


def _day(at: date) -> str:
    return f"{at:%A} {at.day} {at:%B %Y} ({at:%Y-%m-%d})"


def _day_in_words(value: str) -> str:
    """Return a day in words, without a year where it has none; '' for what is none."""
    found = _DATE.fullmatch(value.strip())
    if found is None:
        return ""
    try:
        at = date(int(found[1] or 2000), int(found[2]), int(found[3]))
    except ValueError:
        return ""
    return f"{at.day} {at:%B} {at.year} ({at:%Y-%m-%d})" if found[1] else f"{at.day} {at:%B}"


def _repeated(rule: str) -> str:
    """Return how an event repeats, in words."""
    said = dict(part.split("=", 1) for part in rule.upper().split(";") if "=" in part)
    unit = _EVERY.get(said.get("FREQ", ""))
    if unit is None:
        return ""
    count = said.get("INTERVAL", "1")
    words = f"every {unit}" if count == "1" else f"every {count} {unit}s"
    days = [f"{_nth(day[:-2])}{_DAYS[day[-2:]]}" for day in said.get("BYDAY", "").split(",")
            if day[-2:] in _DAYS]  # fmt: skip
    words += f" on {', '.join(days)}" if days else ""
    until = _day_in_words(said.get("UNTIL", "")[:8])
    words += f" until {until}" if until else ""
    times = "once" if said.get("COUNT") == "1" else f"{said.get('COUNT')} times"
    words = f"{words}, {times}" if "COUNT" in said else words
    rest = [f"{name}={value}" for name, value in said.items() if name not in _IN_WORDS]
    return f"{words} ({', '.join(rest)})" if rest else words


def _nth(place: str) -> str:
    """Return which weekday of a month is meant: "last " for -1, "2nd " for 2."""
    if not place.lstrip("+-").isdigit():
        return ""
    number = int(place)
    if number < 0:
        return "last " if number == -1 else f"last but {-number - 1} "
    return {1: "1st ", 2: "2nd ", 3: "3rd "}.get(number, f"{number}th ")


def _history(lines: Sequence[str]) -> Iterator[tuple[str, int | None]]:
    """Yield the commands of a history with the seconds at which they were run. Behind a time of
    bash all lines up to the next time are one command."""
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        if line.startswith("- cmd: "):
            start = place
            while place < len(lines) and _OF_FISH.match(lines[place]):
                place += 1
            when = next(filter(None, map(_WHEN.match, lines[start:place])), None)
            command = _ESCAPED_BY_FISH.sub(
                lambda found: "\n" if found[1] == "n" else "\\", line[7:]
            )
            yield command, int(when[1]) if when else None
        elif (found := _BASH.fullmatch(line)) is not None:
            start = place
            while place < len(lines) and not _BASH.fullmatch(lines[place]):
                place += 1
            yield "\n".join(lines[start:place]), int(found[1])
        else:
            parts = [line]
            while parts[-1].endswith("\\") and place < len(lines):
                parts[-1] = parts[-1][:-1]
                parts.append(lines[place])
                place += 1
            zsh = _ZSH.fullmatch("\n".join(parts))
            yield (zsh[2], int(zsh[1])) if zsh else ("\n".join(parts), None)


def unmetafied(raw: bytes) -> bytes:
    """Return a history of zsh, which writes many bytes of letters in a form of its own, as UTF-8;
    any other history as it is."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return _METAFIED.sub(lambda found: bytes([found[1][0] ^ 0x20]), raw)
    return raw


def _is_history(text: str) -> bool:
    lines = text.splitlines()
    times = [re.fullmatch(r"# ?\d{10}", line) is not None for line in lines[:2]]
    return bool(lines) and (
        _ZSH.fullmatch(lines[0]) is not None or times == [True, False]
        or (lines[0].startswith("- cmd: ") and len(lines) > 1 and bool(_WHEN.match(lines[1])))
    )


READERS: Mapping[str, Callable[[str, Counter[str]], Iterator[Row]]] = {
    "vcard": contacts, "ical": events, "todo": tasks, "bookmarks": bookmarks, "history": commands,
    "anki": cards,
}  # fmt: skip
"""Each takes the text of a list, and counts what it leaves out of it."""


def list_kind(name: str, text: str) -> str | None:
    """Return which of these lists a file is, by how it begins, else by its name; None for none."""
    begins = text[:4096].lstrip("\ufeff \r\n\t")
    plain = name.rpartition("/")[2].lower()
    if begins[:11].upper() == "BEGIN:VCARD" or plain.endswith((".vcf", ".vcard")):
        return "vcard"
    if begins[:15].upper() == "BEGIN:VCALENDAR" or plain.endswith((".ics", ".ical")):
        return "ical"
    if begins[:40].upper().startswith("<!DOCTYPE NETSCAPE-BOOKMARK-FILE"):
        return "bookmarks"
    if begins.startswith(("#separator:", "#html:", "#deck:", "#tags:", "#notetype:", "#columns:")):
        return "anki"
    if plain in ("todo.txt", "done.txt"):
        return "todo"
    is_named = plain in (".bash_history", ".zsh_history", "fish_history", ".histfile", ".history")
    return "history" if is_named or _is_history(begins) else None


ENDINGS: Sequence[str] = (".vcf", ".vcard", ".ics", ".ical", ".html", ".htm", ".txt")
"""How files end that may be such a list."""
