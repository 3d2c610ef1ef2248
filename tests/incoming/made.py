"""Makes the files that users bring in: the samples, in the form of each program, among facts that
are put together from written parts."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import sqlite3
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from tests.exchange.paper import docx

HERE = Path(__file__).parent
SAMPLES = HERE / "samples"
_EPOCH = 1_767_000_000  # seconds


@cache
def _parts() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads((HERE / "parts.json").read_text("utf-8"))
    return found


def said(kind: str, number: int) -> str:
    """Return the sentence of this number that the written parts of a kind give."""
    parts = _parts()
    step = [number]

    def part(match: re.Match[str]) -> str:
        if match[1] == "number":
            return str(10 + number % 89)
        step[0] = step[0] * 31 + 17
        return parts[match[1]][step[0] // 7 % len(parts[match[1]])]

    text = f"{{{kind}}}"
    while (filled := re.sub(r"\{(\w+)\}", part, text)) != text:
        text = filled
    return text if kind == "command" else text[:1].upper() + text[1:]


def many(kind: str, count: int) -> list[str]:
    """Return so many different sentences of a kind."""
    found: dict[str, None] = {}
    number = 0
    while len(found) < count:
        found[said(kind, number)] = None
        number += 1
    return list(found)


def _sample(name: str) -> Any:
    return json.loads((SAMPLES / "json" / f"{name}.json").read_text("utf-8"))


def _table(path: Path, name: str, rows: list[dict[str, Any]]) -> None:
    columns = list(rows[0])
    db = sqlite3.connect(path)
    db.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
    db.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})",
                   [[row.get(one) for one in columns] for row in rows])  # fmt: skip
    db.commit()
    db.close()


def _claude_mem(folder: Path) -> None:
    whole = _sample("claude-mem")
    for number, text in enumerate(many("work", 240)):
        whole["observations"].append({
            "project": ("printshop", "museum-site")[number % 2], "session": f"x{number // 9}",
            "type": "change", "prompt": number % 9, "at": "2025-12-01T10:00:00Z",
            "title": said("chore", number), "subtitle": "", "facts": [text], "narrative": "",
            "concepts": ["what-changed"],
        })  # fmt: skip
    rows = [{
        "id": number, "memory_session_id": one["session"], "project": one["project"], "text": None,
        "type": one["type"], "title": one["title"], "subtitle": one["subtitle"],
        "facts": json.dumps(one["facts"]), "narrative": one["narrative"],
        "concepts": json.dumps(one["concepts"]), "files_read": "[]", "files_modified": "[]",
        "prompt_number": one["prompt"], "created_at": one["at"],
        "created_at_epoch": int(datetime.fromisoformat(one["at"]).timestamp() * 1000),
    } for number, one in enumerate(whole["observations"], 1)]  # fmt: skip
    _table(folder / "claude-mem.db", "observations", rows)
    _table(folder / "claude-mem.db", "session_summaries", [
        {"id": number, "memory_session_id": one.pop("session"), "created_at": one.pop("at"), **one}
        for number, one in enumerate(whole["summaries"], 1)
    ])  # fmt: skip


def _mem0(folder: Path) -> None:
    whole = _sample("mem0")
    whole["results"] += [
        {"id": f"f{number}", "memory": text, "user_id": "greta", "categories": ["misc"],
         "created_at": "2025-07-01T10:00:00-07:00"}
        for number, text in enumerate(many("life", 300))
    ]  # fmt: skip
    (folder / "mem0.json").write_text(json.dumps(whole, indent=2), "utf-8")


def _mcp_memory_lines(folder: Path) -> None:
    whole = _sample("mcp-memory-lines")
    lines = [{"type": "entity", **one} for one in whole["entities"]]
    lines += [{"type": "relation", **one} for one in whole["relations"]]
    lines += [{"type": "entity", "name": f"Component {number}", "entityType": "component",
               "observations": many("work", 150)[number * 3 : number * 3 + 3]}
              for number in range(50)]  # fmt: skip
    (folder / "memory.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")


def _mcp_memory_service(folder: Path) -> None:
    whole = _sample("mcp-memory-service") + [
        {"content": text, "tags": "ops", "memory_type": "note", "at": _EPOCH + number}
        for number, text in enumerate(many("work", 250))
    ]
    _table(folder / "memories.db", "memories", [
        {"id": number, "content_hash": f"h{number}", "content": one["content"],
         "tags": one["tags"], "memory_type": one["memory_type"], "metadata": "{}",
         "created_at": float(one["at"]), "updated_at": float(one["at"]),
         "deleted_at": one.get("deleted_at")}
        for number, one in enumerate(whole)
    ])  # fmt: skip


def _brigade(folder: Path) -> None:
    whole = _sample("brigade") + [
        {"content": text, "segment": "knowledge", "kind": "owner", "at": _EPOCH * 1000 + number}
        for number, text in enumerate(many("life", 200))
    ]
    (folder / "facts.jsonl").write_text("".join(json.dumps({
        "memoryId": f"mem_{number}", "content": one["content"], "segment": one["segment"],
        "tier": "long", "importance": 0.5, "decayRate": 0.03, "accessCount": 0,
        "lastAccessedAt": one["at"], "createdAt": one["at"], "lifecycle": "active",
        "createdBy": {"kind": one["kind"]}, "sourceType": "owner_message", "links": [],
        "supersedes": [], "confidence": 0.9, "subjectKey": one.get("subjectKey"), "metadata": {},
    }) + "\n" for number, one in enumerate(whole)), "utf-8")  # fmt: skip


def _rsclaw(folder: Path) -> None:
    docs = _sample("rsclaw") + [
        {"id": f"f{number}", "scope": "agent:main", "kind": "note", "text": text,
         "tier": "working", "at": _EPOCH * 1000 + number}
        for number, text in enumerate(many("work", 200))
    ]  # fmt: skip
    for one in docs:
        one |= {"created_at": one.pop("at"), "accessed_at": 0, "importance": 0.5, "pinned": False,
                "access_count": 1, "tags": []}  # fmt: skip
    (folder / "docs.json").write_text(json.dumps({"docs": docs, "total": len(docs)}), "utf-8")


def _lists(folder: Path) -> None:
    """Contacts, dates, tasks, bookmarks, commands and cards, each among many others."""

    def write(name: str, of: str, more: str, before: str = "") -> None:
        text = (SAMPLES / of).read_text("utf-8")
        head, _, tail = text.rpartition(before) if before else (text, "", "")
        (folder / name).write_text(head + more + before + tail, "utf-8")

    names = dict.fromkeys(zip(many("first", 20) * 7, many("last", 17) * 8, strict=False))
    write("contacts.vcf", "vcard.vcf", "".join(
        f"BEGIN:VCARD\nVERSION:3.0\nN:{last};{first};;;\nFN:{first} {last}\n"
        f"TEL;TYPE=CELL:+44 7700 900{number:03}\nEND:VCARD\n"
        for number, (first, last) in enumerate(names)))  # fmt: skip
    write("events.ics", "events.ics", "".join(
        f"BEGIN:VEVENT\nUID:f{number}\nDTSTAMP:20260101T090000Z\n"
        f"DTSTART:2025{1 + number % 12:02}{1 + number % 27:02}T090000Z\n"
        f"SUMMARY:{text}\nEND:VEVENT\n"
        for number, text in enumerate(many("event_name", 150))), "END:VCALENDAR")  # fmt: skip
    write("todo.txt", "todo.txt", "".join(
        f"(D) 2025-11-{1 + number % 28:02} {text} +someday\n"
        for number, text in enumerate(many("chore", 120))))  # fmt: skip
    write("bookmarks.html", "bookmarks.html", "<DT><H3>Unsorted</H3><DL><p>" + "".join(
        f'<DT><A HREF="https://blog.example/{number}" ADD_DATE="1736500000">{text}</A>\n'
        for number, text in enumerate(many("page", 150))) + "</DL><p>", "</DL><p>")  # fmt: skip
    write("zsh_history", "zsh_history", "".join(
        f": {_EPOCH + number * 60}:0;{text}\n" for number, text in enumerate(many("command", 300))))
    write("anki.txt", "anki.txt", "".join(
        f"Old exams\t{text}\t{said('back', number)}\t\n"
        for number, text in enumerate(many("front", 150))))  # fmt: skip
    rows = "".join(f"P-{900 + number};{place};Grundfos;2012-05-0{1 + number % 9};{20 + number};"
                   f"2025-0{1 + number % 9}-11;\n"
                   for number, place in enumerate(many("place", 11) * 7))  # fmt: skip
    write("pumps.csv", "pumps.csv", rows)


def _sheet(folder: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    with (SAMPLES / "wines.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            book.worksheets[0].append([int(one) if one.isdigit() else one for one in row])
    book.save(folder / "wines.xlsx")


def _blocks(name: str) -> list[tuple[str, Any]]:
    """Return the blocks of a sample of an office: `h1`, `h2`, `p`, `li` with their texts, `table`
    with its rows."""
    found: list[tuple[str, Any]] = []
    for line in (SAMPLES / "office" / f"{name}.md").read_text("utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark in ("#", "##", "-"):
            found.append(({"#": "h1", "##": "h2", "-": "li"}[mark], rest))
        elif line.startswith("|"):
            if not found or found[-1][0] != "table":
                found.append(("table", []))
            if "---" not in line:
                found[-1][1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif line:
            found.append(("p", line))
    return found


def _office(folder: Path) -> None:
    import odfdo
    from ebooklib import epub

    (folder / "handbook.docx").write_bytes(docx(_blocks("docx")))
    text = odfdo.Document("text")
    text.body.clear()
    items = None
    for kind, said_ in _blocks("odt"):
        if kind == "li":
            if items is None:
                items = odfdo.List()
                text.body.append(items)
            items.append(odfdo.ListItem(said_))
            continue
        items = None
        text.body.append(odfdo.Header(int(kind[1]), said_) if kind[0] == "h"
                         else odfdo.Paragraph(said_))  # fmt: skip
    whole = io.BytesIO()
    text.save(whole)
    (folder / "minutes.odt").write_bytes(whole.getvalue())
    book = epub.EpubBook()
    book.set_identifier("boat")
    book.set_title("Keeping a small wooden boat")
    page = epub.EpubHtml(title="Boat", file_name="boat.xhtml")
    page.content = "".join(f"<{kind}>{said_}</{kind}>" for kind, said_ in _blocks("epub"))
    book.add_item(page)
    book.spine = [page]
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    epub.write_epub(str(folder / "boat.epub"), book)


def make_all(folder: Path) -> None:
    """Write the samples, and what is made of them, into a folder."""
    shutil.copytree(SAMPLES, folder, dirs_exist_ok=True)
    for make in (_claude_mem, _mem0, _mcp_memory_lines, _mcp_memory_service, _brigade, _rsclaw,
                 _lists, _sheet, _office):  # fmt: skip
        make(folder)
