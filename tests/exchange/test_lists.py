"""Contacts, calendars, tasks, bookmarks, histories, cards, spreadsheets, rows as sentences, and
texts in other encodings: each entry a fact that can be read alone."""

from __future__ import annotations

import io
import zipfile

import pytest

from tideline_cli.exchange import encodings, foreign, lists

CONTACTS = """BEGIN:VCARD
VERSION:3.0
N:Okafor;Ada;;;
FN:Ada Okafor
ORG:Harbour Works;Cranes
TITLE:Lead engineer
item1.TEL;TYPE=CELL,VOICE:+49 170 5550123
EMAIL;TYPE=INTERNET,WORK:ada@harbour.example
BDAY:1984-05-17
NOTE:Allergic to nuts\\, likes
  oolong
END:VCARD
BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Hans
TEL;CELL:123
NOTE;ENCODING=QUOTED-PRINTABLE:two =
lines
END:VCARD
BEGIN:VCARD
VERSION:4.0
FN:Mei
BDAY:--0214
END:VCARD
"""
CALENDAR = """BEGIN:VCALENDAR
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:19701025T030000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:e1
DTSTART;TZID=Europe/Berlin:20260304T100000
DTEND;TZID=Europe/Berlin:20260304T110000
SUMMARY:Dentist
LOCATION:Main Street 5
DESCRIPTION:Bring the card\\, please
RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=WE;COUNT=3
BEGIN:VALARM
DESCRIPTION:an alarm
END:VALARM
END:VEVENT
BEGIN:VEVENT
UID:e2
DTSTART;VALUE=DATE:20260701
DTEND;VALUE=DATE:20260715
SUMMARY:Holiday in Porto
STATUS:CANCELLED
END:VEVENT
BEGIN:VTODO
UID:t1
SUMMARY:Pay the tax
DUE;VALUE=DATE:20260401
STATUS:COMPLETED
END:VTODO
END:VCALENDAR
"""
TASKS = """(A) 2026-01-02 Call the plumber +house @phone due:2026-03-04
x 2026-02-02 2026-01-01 Pay the rent
read https://example.org/a:b

"""
BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p>
<DT><H3>Work</H3>
<DL><p>
<DT><H3>Cranes</H3>
<DL><p><DT><A HREF="https://cranes.example/?a=1&amp;b=2" ADD_DATE="1700000000" TAGS="steel">Load \
&amp; lift</A>
<DD>Tables of loads
</DL><p></DL><p>
<DT><A HREF="https://tea.example">Tea</A>
<DT><A HREF="javascript:alert(1)">Trick</A>
</DL>
"""
CARDS = (
    "#separator:tab\n#html:true\n#deck column:1\n#tags column:4\n"
    "Geo::EU\tCapital of <b>Italy</b>?\tRome\tgeo it\nGeo::EU\tRiver of Bonn\t<div>Rhine</div>\t\n"
)


def said(kind, text):
    return [row["content"] for row in lists.READERS[kind](text)]


def test_contacts_say_who_and_how():
    """Folded and quoted lines, kinds of numbers, and the birthday as a fact of its own."""
    assert said("vcard", CONTACTS) == [
        "Ada Okafor (Lead engineer, Harbour Works, Cranes): phone (cell) +49 170 5550123; email "
        "(work) ada@harbour.example; note Allergic to nuts, likes oolong; born 17 May 1984 "
        "(1984-05-17)",
        "Ada Okafor's birthday is 17 May 1984 (1984-05-17)",
        "Hans Müller: phone (cell) 123; note two lines",
        "Mei: born 14 February",
        "Mei's birthday is 14 February",
    ]


def test_events_say_when_in_words():
    """Day, hours, place, how often; what is called off says so; alarms and zones are no events."""
    assert said("ical", CALENDAR) == [
        "Dentist: Wednesday 4 March 2026 (2026-03-04), 10:00–11:00 (Europe/Berlin), Main Street 5, "
        "every 2 weeks on Wednesday, 3 times. Bring the card, please",
        "Holiday in Porto: cancelled, Wednesday 1 July 2026 (2026-07-01) to Tuesday 14 July 2026 "
        "(2026-07-14)",
        "Pay the tax: due Wednesday 1 April 2026 (2026-04-01), done",
    ]
    assert [row.get("progress") for row in lists.events(CALENDAR)] == [None, None, "done"]


def test_tasks_keep_their_marks():
    """Projects and contexts are tags; priority, days and progress are kept."""
    rows = list(lists.tasks(TASKS))
    assert [row["content"] for row in rows] == [
        "Call the plumber +house @phone (priority A, due 4 March 2026 (2026-03-04))",
        "Pay the rent (done 2026-02-02)", "read https://example.org/a:b",
    ]  # fmt: skip
    assert rows[0]["tags"] == ["task", "house", "phone"]
    assert [row["progress"] for row in rows] == ["active", "done", "active"]


def test_bookmarks_keep_their_addresses():
    """With folders, tags, day and description; scripts are no addresses."""
    rows = list(lists.bookmarks(BOOKMARKS))
    assert [(row["content"], row["title"]) for row in rows] == [
        ("Load & lift — https://cranes.example/?a=1&b=2. Tables of loads", "Work › Cranes"),
        ("Tea — https://tea.example", None),
    ]
    assert rows[0]["tags"] == ["bookmark", "steel"]
    assert rows[0]["created_at"] == 1_700_000_000_000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (": 1700000000:0;make test\n: 1700000009:0;for x in a \\\ndo\n: 1700000010:3;make test\n",
         [("for x in a \ndo", 1700000009000), ("make test", 1700000010000)]),
        ("#1700000000\nls -la\n#1700000005\nmake\n", [("ls -la", 1700000000000),
                                                     ("make", 1700000005000)]),
        ("- cmd: git push\n  when: 1700000000\n  paths:\n    - x\n", [("git push", 1700000000000)]),
    ],
)  # fmt: skip
def test_a_command_is_kept_once_with_its_last_time(text, found):
    """Of zsh, bash and fish, which are known by how they begin."""
    assert lists.list_kind("x", text) == "history"
    assert [(row["content"], row["created_at"]) for row in lists.commands(text)] == found


def test_cards_say_front_and_back():
    """A question is answered; deck and tags have their places."""
    assert said("anki", CARDS) == ["Capital of Italy? Rome", "River of Bonn: Rhine"]
    assert next(iter(lists.cards(CARDS)))["title"] == "Geo › EU"


FILES = {"people.vcf": (CONTACTS, "when was Ada born", "17 May 1984"),
         "cal.ics": (CALENDAR, "when is the dentist", "4 March 2026"),
         "todo.txt": (TASKS, "plumber", "priority A"),
         "bookmarks.html": (BOOKMARKS, "loads of cranes", "https://cranes.example"),
         "deck.txt": (CARDS, "capital of Italy", "Rome"),
         ".zsh_history": (": 1700000000:0;make test\n", "make", "make test")}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_list_is_known_by_itself_and_comes_in_once(run, tmp_path, name):
    """Without a word about its form; a second run adds nothing; one undo takes it back."""
    text, question, answer = FILES[name]
    (tmp_path / name).write_text(text)
    assert "added" in run("import", name).out
    assert answer in run("recall", question, "-n", "1").out
    assert run("import", name, "--json").json["added"] == 0
    assert run("undo", "1").code == 0
    assert run("list", "--json").json["facts"] == []


def test_rows_become_sentences(run, tmp_path):
    """Columns in any case; what else a row has is kept; a row without such a cell is told, and of
    a sentence of several parts only that part is left out."""
    (tmp_path / "c.csv").write_text("State,Capital,Founded\nKenya,Nairobi,1899\nPeru,,1535\n")
    done = run("import", "c.csv", "--as", "The capital of {state} is {Capital}", "--json")
    assert (done.json["added"], done.json["skipped"]) == (1, 1)
    fact = run("list", "--json").json["facts"][0]
    assert fact["content"] == "The capital of Kenya is Nairobi"
    assert fact["metadata"]["Founded"] == 1899
    assert "no 'Capital' for the sentence" in done.err
    done = run("import", "c.csv", "--as", "{State}, {Capital}, since {founded}. Seen {when}",
               "--json")
    assert sorted(one["content"] for one in run("list", "--json").json["facts"])[:2] == [
        "Kenya, Nairobi, since 1899", "Peru, since 1535"]  # fmt: skip
    assert done.notes[-1] == "--as: no row has the column 'when'"
    assert run("import", "c.csv", "--as", "no column").code == 2
    assert "--as" in run("import", "c.csv").err


def test_a_spreadsheet_is_read(run, tmp_path):
    """Its first row names the columns; numbers and days as people write them."""
    pytest.importorskip("openpyxl")
    (tmp_path / "t.xlsx").write_bytes(_sheet())
    done = run("import", "t.xlsx", "--as", "{Crane} lifts {Tons} tons", "--json")
    assert done.json["added"] == 1
    assert run("list", "--json").json["facts"][0]["content"] == "Blue lifts 12 tons"
    (tmp_path / "bad.xlsx").write_bytes(b"PK\x03\x04 not one")
    assert run("import", "bad.xlsx").code == 2


def _sheet():
    """Return the bytes of a spreadsheet of two rows, as small as they can be."""
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    base = "http://schemas.openxmlformats.org"
    rel, pack = f"{base}/officeDocument/2006/relationships", f"{base}/package/2006"
    main = f"{base}/spreadsheetml/2006/main"

    def related(kind, target):
        return (f'<Relationships xmlns="{pack}/relationships"><Relationship Id="r1" '
                f'Type="{rel}/{kind}" Target="{target}"/></Relationships>')  # fmt: skip

    def cell(at, value):
        return f'<c r="{at}" t="inlineStr"><is><t>{value}</t></is></c>'

    rows = (f"<row>{cell('A1', 'Crane')}{cell('B1', 'Tons')}</row>"
            f"<row>{cell('A2', 'Blue')}<c r=\"B2\"><v>12</v></c></row>")  # fmt: skip
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{pack}/content-types"><Override PartName='
        f'"/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/></Types>',
        "_rels/.rels": related("officeDocument", "xl/workbook.xml"),
        "xl/_rels/workbook.xml.rels": related("worksheet", "worksheets/s.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{rel}"><sheets><sheet name="S" '
        'sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/worksheets/s.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData>'
        "</worksheet>",
    }  # fmt: skip
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return whole.getvalue()


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Der Müller fährt für die Gemüsehändler nach München", "cp1252"),
        ("El niño pequeño comió piña", "cp1252"), ("“quotes” — and a dash", "cp1252"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy", "cp1250"),
        ("Привет, завтра встреча в офисе", "cp1251"),
        ("今天我们去北京开会讨论项目的预算", "gb18030"),
        ("東京で会議があります。予算を話し合います。", "cp932"),
    ],
)  # fmt: skip
def test_an_encoding_is_guessed_and_told(run, tmp_path, text, form):
    """Of what is not UTF-8; a mark at the beginning needs no guess."""
    assert encodings.decoded(text.encode(form), None) == (text, form)
    (tmp_path / "x.md").write_bytes(text.encode(form))
    done = run("import", "x.md")
    assert f"x.md is not UTF-8, read as {form}" in done.err
    assert run("list", "--json").json["facts"][0]["content"] == text
    (tmp_path / "y.csv").write_bytes(f"content\n{text} and more\n".encode("utf-16"))
    assert run("import", "y.csv", "--json").json["added"] == 1
    assert run("import", "x.md", "--encoding", "klingon").code == 2


def test_what_another_command_takes_is_named(run, tmp_path):
    """A document is for `ingest`."""
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4")
    done = run("import", "a.pdf")
    assert done.code == 2 and "tideline ingest a.pdf" in done.err


@pytest.mark.parametrize(("name", "text"), [
    ("a.vcf", "BEGIN:VCARD\nFN:Ada\nTEL:1\n"), ("a.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\n"),
    ("a.vcf", "BEGIN:VCARD\nNOTE:1\nEND:VCARD\n"),
])  # fmt: skip
def test_what_is_cut_off_or_empty_is_told(run, tmp_path, name, text):
    """With the code of a mistake, and nothing taken in silence."""
    (tmp_path / name).write_text(text)
    done = run("import", name)
    assert done.code == 2 and ("cut off" in done.err or "holds nothing" in done.err)


def test_signs_and_rules_keep_their_sense():
    """`<` and `>` are signs, not marks; who declined, which weekday, what is left out, is said."""
    event = ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Review\nDTSTART;VALUE=DATE:20260327\n"
             "RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYMONTH=3\nEXDATE;VALUE=DATE:20260424\n"
             "ATTENDEE;CN=Bob;PARTSTAT=DECLINED:mailto:b@x\nDESCRIPTION:If a<b and c>d then go\n"
             "STATUS:TENTATIVE\nEND:VEVENT\nEND:VCALENDAR\n")  # fmt: skip
    assert said("ical", event) == [
        "Review: tentative, Friday 27 March 2026 (2026-03-27), every month on last Friday "
        "(BYMONTH=3), not on Friday 24 April 2026 (2026-04-24), with Bob (declined). If a<b and "
        "c>d then go"
    ]
    assert said("anki", "#separator:tab\nIs x<5 and y>3?\tno\n") == ["Is x<5 and y>3? no"]
    assert said("todo", "Refund +500 to Ann room:1012\n") == ["Refund +500 to Ann room:1012"]
    for text in ("#123456\nnote\n", "- cmd: deploy\nnever\n", "#deck of cards\n"):
        assert lists.list_kind("notes.txt", text) is None


def test_contacts_keep_what_programs_name_in_their_own_way():
    """Labels of a group, related people, days; a card without a name is called by its address."""
    card = ("BEGIN:VCARD\nFN:Ada\nitem1.TEL:12\nitem1.X-ABLabel:_$!<Boat>!$_\nNOTE: \n"
            "item2.X-ABRELATEDNAMES:Per\nitem2.X-ABLabel:Brother\nX-MS-SPOUSE:Kim\n"
            "X-EVOLUTION-ANNIVERSARY:2009-08-08T14:30\nTEL;VALUE=uri:tel:+1-5\n"
            "CATEGORIES:rowing\\,choir\nREV:20120305T132236Z\nEND:VCARD\n"
            "BEGIN:VCARD\nEMAIL:lee@boat.example\nEND:VCARD\n")  # fmt: skip
    ada, lee = lists.READERS["vcard"](card)
    assert ada["content"] == (
        "Ada: phone (Boat) 12; phone +1-5; anniversary 8 August 2009 (2009-08-08); "
        "related (Brother) Per; spouse Kim")  # fmt: skip
    assert (ada["tags"], ada["created_at"]) == (["contact", "rowing", "choir"], 1_330_953_720_000)
    assert lee["content"] == "lee@boat.example: email lee@boat.example"


def test_events_keep_what_calendars_say_beside():
    """How long, who asks, tags, an address, several rules and days; one without a title too."""
    event = ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Dive\nDTSTART:20260327T100000\n"
             "DURATION:PT1H30M\nRRULE:FREQ=DAILY;COUNT=1\nRRULE:FREQ=WEEKLY\nCATEGORIES:sea,sport\n"
             "EXDATE:20260403T100000,20260410T100000\nRDATE;VALUE=DATE:20260501\n"
             "ORGANIZER;CN=Bo:mailto:b@x\nATTENDEE;CN=Bo:mailto:b@x\nURL:https://dive.example\n"
             "CREATED:20251231T230000Z\nEND:VEVENT\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20260501\n"
             "DURATION:P9999999999W\nEND:VEVENT\nBEGIN:VEVENT\nEND:VEVENT\n"
             "END:VCALENDAR\n")  # fmt: skip
    dive, other = lists.READERS["ical"](event)
    assert dive["content"] == (
        "Dive: Friday 27 March 2026 (2026-03-27), 10:00–11:30, every day, once, every week, "
        "not on Friday 3 April 2026 (2026-04-03), 10:00, "
        "not on Friday 10 April 2026 (2026-04-10), 10:00, also on Friday 1 May 2026 (2026-05-01), "
        "with Bo, https://dive.example")  # fmt: skip
    assert (dive["tags"], dive["created_at"]) == (["event", "sea", "sport"], 1_767_222_000_000)
    assert other["content"] == "event: Friday 1 May 2026 (2026-05-01)"
    assert lists.list_kind("a.ics", "BEGIN:VEVENT\n") == "ical"
    assert lists.list_kind("a.vcf", "\n\nbegin:vcard\n") == "vcard"


@pytest.mark.parametrize("text", [
    "- cmd: make tea\n   when:       1111122222\n   added_when: 1111111111\n   paths:\n"
    "     - tea\n",
    "# 1111122222\nmake tea\n"])  # fmt: skip
def test_older_histories_are_read(text):
    """Of fish: other indents, other fields, a blank behind the sign."""
    assert lists.list_kind("x", text) == "history"
    [row] = lists.READERS["history"](text)
    assert (row["content"], row["created_at"]) == ("make tea", 1_111_122_222_000)


def test_the_columns_of_a_sheet_are_named_below_its_title():
    """What stands above is told."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for cells in ([], ["Cranes of the port"], ["Crane", "Tons", "Berth"], ["Blue", 12, None]):
        book.active.append(cells)
    made, told = io.BytesIO(), []
    book.save(made)
    rows = [row for _, row in foreign.of_sheets(made.getvalue(), told.append)]
    assert rows == [{"Crane": "Blue", "Tons": 12}]
    assert told == ["Sheet: what stands above the names of the columns is left out"]


def test_a_sheet_that_claims_to_be_huge_is_read(run, tmp_path):
    """Row by row: a cell at the far end costs no memory."""
    pytest.importorskip("openpyxl")
    raw = io.BytesIO(_sheet())
    made = io.BytesIO()
    with zipfile.ZipFile(raw) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            text = old.read(name).decode()
            far = '<row r="60000"><c r="XFD60000"><v>1</v></c></row></sheetData>'
            new.writestr(name, text.replace("</sheetData>", far))
    (tmp_path / "far.xlsx").write_bytes(made.getvalue())
    done = run("import", "far.xlsx", "--as", "{Crane} lifts {Tons} tons", "--json")
    assert done.json["added"] == 1
