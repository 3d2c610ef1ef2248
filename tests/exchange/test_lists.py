"""Contacts, calendars, tasks, bookmarks, histories, cards, spreadsheets, rows as sentences, and
texts in other encodings: each entry a fact that can be read alone."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from time import process_time

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
    return [row["content"] for row in lists.READERS[kind](text, Counter())]


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
    rows = lists.events(CALENDAR, Counter())
    assert [row.get("progress") for row in rows] == [None, None, "done"]


def test_tasks_keep_their_marks():
    """Projects and contexts are tags; priority, days and progress are kept."""
    rows = list(lists.tasks(TASKS, Counter()))
    assert [row["content"] for row in rows] == [
        "Call the plumber +house @phone (priority A, due 4 March 2026 (2026-03-04))",
        "Pay the rent (done 2026-02-02)", "read https://example.org/a:b",
    ]  # fmt: skip
    assert rows[0]["tags"] == ["task", "house", "phone"]
    assert [row["progress"] for row in rows] == ["active", "done", "active"]


def test_bookmarks_keep_their_addresses():
    """With folders, tags, day and description; scripts are no addresses."""
    rows = list(lists.bookmarks(BOOKMARKS, Counter()))
    assert [(row["content"], row["title"]) for row in rows] == [
        ("Load & lift — https://cranes.example/?a=1&b=2. Tables of loads", "Work › Cranes"),
        ("Tea — https://tea.example", None),
    ]
    assert rows[0]["tags"] == ["bookmark", "steel"]
    assert rows[0]["created_at"] == 1_700_000_000_000


def test_bookmarks_of_every_make():
    """Either quotes, times in s, ms and µs, scripts in any case; what describes a folder is the
    folder's; an address that stands twice is two."""
    text = ("<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A href='https://a.example/?b=\"1\"' "
            "add_date=1700000000000>A</A><DT><H3>Work</H3><DD>Only at work<DL>"
            "<DT><A HREF=https://b.example ADD_DATE='1700000000000000'>B <b>bold</b></A><DD>one\n"
            "two <DT><A HREF='JavaScript:x'>C</A><DT><A HREF=' java\nscript:x'>D</A></DL>"
            "<DT><A HREF=https://b.example>E</A></DL>")  # fmt: skip
    left = Counter()
    rows = list(lists.bookmarks(text, left))
    assert [(row["content"], row["title"]) for row in rows] == [
        ('A — https://a.example/?b="1"', None), ("Work: Only at work", None),
        ("B bold — https://b.example. one two", "Work"), ("E — https://b.example", None),
    ]
    assert [row.get("created_at") for row in rows] == [1_700_000_000_000, None,
                                                       1_700_000_000_000, None]  # fmt: skip
    assert len({row["id"] for row in rows}) == 4
    assert left == {"pageless bookmarks": 2}


@pytest.mark.parametrize("shape", [
    lambda n: "<a " * (n // 3), lambda n: "<a href='" * (n // 9), lambda n: "<dt><h3>" * (n // 8),
    lambda n: "<DT><H3>f</H3><DL><DT><A HREF='http://x.example'>x</A>" * (n // 55),
    lambda n: "<DD>x" * (n // 5), lambda n: "<DL>" * (n // 4),
])  # fmt: skip
def test_bookmarks_are_read_in_linear_time(shape):
    """Twice the text takes about twice the time, whatever nobody has ended."""
    took = dict.fromkeys((20_000, 160_000), 9.0)
    for size in (*took, *took):
        start = process_time()
        said = list(lists.bookmarks(shape(size), Counter()))
        took[size] = min(took[size], process_time() - start)
    assert took[160_000] < 24 * took[20_000] + 0.3
    assert sum(len(str(row)) for row in said) < 10_000 + 60 * 160_000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#1700000000\nfor x in a\ndo echo $x\ndone\n#1700000005\nls\n",
         [("for x in a\ndo echo $x\ndone", 1700000000000), ("ls", 1700000005000)]),
        ("- cmd: printf 'a\\\\n' \\n b\n  when: 1700000000\n  paths:\n    - x\n"
         "- cmd: ls\n  when: 5\n",
         [("printf 'a\\n' \n b", 1700000000000), ("ls", 5000)]),
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
    assert [(row["content"], row["created_at"]) for row in lists.commands(text, Counter())] == found


def test_a_history_of_zsh_has_its_letters(run, tmp_path):
    """zsh writes bytes of letters in a form of its own."""
    command = 'echo "für Ärger, 備份 😀 Ãã"'
    raw = b"".join(bytes([0x83, one ^ 0x20]) if 0x83 <= one <= 0xA2 else bytes([one])
                   for one in f": 1700000000:0;{command}\n".encode())  # fmt: skip
    for name, held in ((".zsh_history", raw), (".bash_history", command.encode())):
        (tmp_path / name).write_bytes(held)
        assert run("import", name).err == ""
        (fact,) = run("list", "--json").json["facts"]
        assert fact["content"] == command


@pytest.mark.parametrize(("text", "wanted"), [
    ('#separator:tab\n#html:false\n"a\nb ""c"""\td\n', [('a\nb "c": d', None, ["card"])]),
    ("#separator:\n#deck:Geo::EU\n#tags:x y\na;b\n", [("a: b", "Geo › EU", ["card", "x", "y"])]),
    ("#deck:D\n#deck column:3\na\tb\tE\nc\td\t\n", [("a: b", "E", ["card"]),
                                                     ("c: d", "D", ["card"])]),
    ("#tags:x\n#separator:Semicolon\na;b\n;\n", [("a: b", None, ["card", "x"])]),
])  # fmt: skip
def test_cards_of_every_make(text, wanted):
    """Fields over several lines, a deck and tags for all, a separator that nobody has named."""
    left = Counter()
    assert lists.list_kind("x.txt", text) == "anki"
    rows = list(lists.cards(text, left))
    assert [(row["content"], row["title"], row["tags"]) for row in rows] == wanted
    assert +left == ({"blank cards": 1} if text.endswith(";\n") else {})


def table(text):
    return list(foreign.delimited(io.BytesIO(text.encode()), tabs=False))


@pytest.mark.parametrize(("text", "rows"), [
    ("sep=;\na;b\n1,5;2\n", [{"a": "1,5", "b": 2}]), ('"sep=|"\na|b\n1|2\n', [{"a": 1, "b": 2}]),
    ("a,b,a,,a\n1,2,3,4,5,6\n", [{"a": 1, "b": 2, "a 3": 3, "column 4": 4, "a 5": 5,
                                  "column 6": 6}]),
    ("Content,content\nx,y\n", [{"content": "x", "content 2": "y"}]),
    ("Books of 2024\n\na;b\n1;2\n", [{"a": 1, "b": 2}]),
    ("Books;;\n;;\na;b;c\n1;2;3\n", [{"a": 1, "b": 2, "c": 3}]),
    ("\n\na,b\n\n1,2\n", [{"a": 1, "b": 2}]), ("content,\nx,\n", [{"content": "x"}]),
    ("Remark\na, b\n", [{"Remark": "a", "column 2": " b"}]),
])  # fmt: skip
def test_tables_of_every_make(text, rows):
    """What parts them, what stands above their header, names that stand twice, cells beyond."""
    assert [row for _, row in table(text)] == rows


def test_what_stands_above_a_header_is_told(run, tmp_path):
    """Of CSV and of spreadsheets."""
    (tmp_path / "a.csv").write_text("Books of 2024\n\ncontent;x\nA book;2\n")
    assert "left out above the header: Books of 2024" in run("import", "a.csv").err
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["Cranes"], [], ["content", "n", "n"], ["A crane", 1, 2, 3]):
        book.active.append(row)
    book.save(tmp_path / "b.xlsx")
    assert "what stands above the names" in run("import", "b.xlsx").err
    (fact,) = (one for one in run("list", "--json").json["facts"] if "crane" in one["content"])
    assert fact["metadata"] == {"n": 1, "n 3": 2, "column 4": 3}


def test_cards_say_front_and_back():
    """A question is answered; deck and tags have their places."""
    assert said("anki", CARDS) == ["Capital of Italy? Rome", "River of Bonn: Rhine"]
    assert next(iter(lists.cards(CARDS, Counter())))["title"] == "Geo › EU"


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


EVENT = ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:e1\nSEQUENCE:{}\nSUMMARY:Dentist\n"
         "DTSTART;VALUE=DATE:202603{}\nEND:VEVENT\nEND:VCALENDAR\n").format  # fmt: skip
CARD = "BEGIN:VCARD\nUID:u1\nFN:Ada\nTEL:{}\nEND:VCARD\n".format
MEM0 = '[{{"id": "m1", "memory": "{}", "user_id": "u"}}]'.format
NOTE = "---\nname: rules\ntype: user\n---\n{}\n".format


@pytest.mark.parametrize("options", [(), ("--merge",), ("--trust",)])
@pytest.mark.parametrize(("name", "texts", "words"), [
    ("c.ics", [EVENT(0, "04"), EVENT(1, "05"), EVENT(2, "04")], ["-03-04", "-03-05", "-03-04"]),
    ("c.vcf", [CARD("111"), CARD("222"), CARD("333")], ["111", "222", "333"]),
    ("m.json", [MEM0("tea"), MEM0("coffee"), MEM0("tea")], ["tea", "coffee", "tea"]),
])  # fmt: skip
def test_what_changed_under_its_id_replaces_what_stood(run, tmp_path, name, texts, words, options):
    """The old one is archived and kept, a second run changes nothing, and one undo goes back."""
    for number, (text, word) in enumerate(zip(texts, words, strict=True)):
        (tmp_path / name).write_text(text)
        done = run("import", name, "--json", *options).json
        assert (done["added"], done["superseded"], done["skipped"]) == (1, min(number, 1), 0)
        again = run("import", name, "--json", *options).json
        assert (again["added"], again["superseded"], again["present"]) == (0, 0, 1)
        (fact,) = run("list", "--json").json["facts"]
        assert word in fact["content"]
    assert run("undo", "5").code == 0  # the second runs are batches too
    (fact,) = run("list", "--json").json["facts"]
    assert words[1] in fact["content"]


def test_a_list_that_says_two_things_under_one_id_is_told(run, tmp_path):
    """The one that was changed most often counts, in each run."""
    (tmp_path / "c.ics").write_text(EVENT(1, "05") + EVENT(2, "06"))
    for added in (1, 0):
        done = run("import", "c.ics", "--json").json
        assert (done["added"], done["skipped"]) == (added, 1)
    assert "-03-06" in run("list", "--json").json["facts"][0]["content"]


def test_what_was_done_since_is_the_same_fact(run, tmp_path):
    """A task of a todo.txt or calendar keeps its words; a command has its last time."""
    (tmp_path / "todo.txt").write_text("(A) Pay the rent +home\nWater\nWater\n")
    assert run("import", "todo.txt", "--json").json["added"] == 3
    (tmp_path / "todo.txt").write_text("x 2026-02-02 Pay the rent +home pri:A\nWater\nx Water\n")
    done = run("import", "todo.txt", "--json").json
    assert (done["added"], done["brought"]["relabelled"]) == (0, 2)
    assert run("import", "todo.txt", "--json").json["present"] == 3
    facts = run("list", "--json").json["facts"]
    assert sorted((one["content"], one["progress"]) for one in facts) == [
        ("Pay the rent +home (priority A)", "done"), ("Water", "active"), ("Water", "done")
    ]
    for at in (1700000000, 1700000500, 1700000500):
        (tmp_path / ".zsh_history").write_text(f": {at}:0;make test\n")
        run("import", ".zsh_history")
        (fact,) = (one for one in run("list", "--json").json["facts"] if one["title"])
        assert fact["last_accessed_at"].startswith(f"2023-11-14T22:{13 + (at > 1700000000) * 8}")


def test_a_task_that_is_put_off_is_the_same_fact(run, tmp_path):
    """With its new day; one that recurs is another task each time."""
    (tmp_path / "todo.txt").write_text("Pay due:2026-12-01\nWater rec:1w due:2026-12-01\n")
    run("import", "todo.txt")
    (tmp_path / "todo.txt").write_text("Pay due:2027-01-15\nx Water rec:1w due:2026-12-01\n"
                                       "Water rec:1w due:2026-12-08\n")  # fmt: skip
    assert run("import", "todo.txt", "--json").json["added"] == 2
    facts = [(one["content"][:8], one["progress"]) for one in run("list", "--json").json["facts"]]
    assert sorted(facts) == [("Pay (due", "active"), ("Water re", "active"), ("Water re", "done")]
    assert "15 January 2027" in run("recall", "pay").out


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


@pytest.mark.parametrize(("name", "text", "told"), [
    ("a.pdf", "%PDF-1.4", "is a document\n  hint: tideline ingest a.pdf"),
    ("a.org", "* Boat\n** TODO sand the keel\n", "tideline ingest a.org"),
    ("a.enex", '<?xml version="1.0"?><en-export><note/></en-export>', "a.enex is XML"),
    ("a.json", '[{"title": "Club", "children": [{"string": "dues in March"}]}]',
     "an export of Roam"),
    ("a.json", '{"isTrashed": false, "title": "Gate", "userEditedTimestampUsec": 1}',
     "a note of Google Keep"),
    ("a.json", '[{"mapping": {"a": {"author": 1}}}]', "tideline extract a.json"),
])  # fmt: skip
def test_what_is_not_read_here_is_named(run, tmp_path, name, text, told):
    """By what it is and what takes it: a document, a conversation, a form of another program."""
    (tmp_path / name).write_text(text)
    done = run("import", name)
    assert done.code == 2 and told in done.err


@pytest.mark.parametrize(("name", "text"), [
    ("a.vcf", "BEGIN:VCARD\nFN:Ada\nTEL:1\n"), ("a.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\n"),
    ("a.vcf", "BEGIN:VCARD\nNOTE:1\nEND:VCARD\n"),
])  # fmt: skip
def test_what_is_cut_off_or_empty_is_told(run, tmp_path, name, text):
    """With the code of a mistake, and nothing taken in silence."""
    (tmp_path / name).write_text(text)
    done = run("import", name)
    assert done.code == 2 and ("cut off" in done.err or "holds nothing" in done.err)
    assert "is taken" not in done.err


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
    ada, lee = lists.READERS["vcard"](card, Counter())
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
    dive, other = lists.READERS["ical"](event, Counter())
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
    [row] = lists.READERS["history"](text, Counter())
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


def test_a_correction_stands_until_the_list_changes(run, tmp_path):
    """What somebody has reworded is not set back by the same list; a list that says something new
    replaces it, and the text before is in the history."""
    file = tmp_path / "c.ics"

    def event(title):
        lines = ("BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:u1", "DTSTART:20260301T100000Z",
                 f"SUMMARY:{title}", "END:VEVENT", "END:VCALENDAR")  # fmt: skip
        file.write_text("\r\n".join(lines) + "\r\n")
        return run("import", str(file), "--trust", "--json").json

    event("Dentist at Weber")
    (made,) = run("list", "--json").json["facts"]
    run("edit", made["id"], "Dentist at Schmidt")
    again = event("Dentist at Weber")
    assert (again["added"], again["present"], again["superseded"]) == (0, 1, 0)
    assert [one["content"] for one in run("list", "--json").json["facts"]] == ["Dentist at Schmidt"]
    assert event("Dentist at Mueller")["superseded"] == 1
    assert event("Dentist at Weber")["superseded"] == 1
    (last,) = run("list", "--json").json["facts"]
    assert "Weber" in last["content"]
