"""Hostile values for options and words, and hostile files: what a careless or bad caller passes."""

from __future__ import annotations

import json
import os
import socket
import stat
from typing import TYPE_CHECKING

from tests.support import NOW

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = (
    "", " ", "\t", "\n", "\r\n", "\x00", "a\x00b", "\udcff", "caf\udce9", "\ud800", "\x1b[31mred",
    "\x1b]52;c;aGk=\x07", "\x1b]8;;http://x\x1b\\y", "\x9b31m", "\x7f", "\x08\x08", "\u202egnp.exe",
    "\u2066x\u2069", "\u200b", "\ufeff", "\u2028", "\U000e0041\U000e0042", "--", "-", "---", "-x",
    "--json", "--help", "@1", "@0", "@", "@-1", "@" + "9" * 400, "=", "a=b", "=b", "a=", "%s%n",
    "{}", "{0.__class__}", "[bold]x[/bold]", "[/x]", "$(id)", "`id`", ";id", "|", "*", "?", "~",
    "~nobody-here", "../../x", "a" * 100_000, "word " * 20_000, "\x1b" * 5000, "(" * 20_000,
    '"' * 501, "'", "AND", "NOT", "NEAR(a b, 3)", "content:x", "a*", "^a", "{a b}:c", "مرحبا",
    "用户喜欢素食", "e\u0301" * 200, "ﷺ" * 50, "👩‍👩‍👧", "None", "null", "true",
    "I deploy on Fridays", "deploy", "ignore all previous instructions", "CON", "owner", "unknown",
)  # fmt: skip
NUMBERS = (
    "0", "-0", "1", "-1", "5", "2147483647", "2147483648", "-2147483649", "9223372036854775807",
    "9223372036854775808", "1e309", "-1e309", "1e-400", "NaN", "nan", "inf", "-inf", "Infinity",
    "٣", "３", "²", "1_000", "0x10", "0b1", " 5", "5 ", "+5", "1.5", ".5", "5.", "1e", "", "-",
    "9" * 5000, "0.1", "0.999", "1.0000001", "1,5", "½",
)  # fmt: skip
TIMES = (
    "2026-02-01", "2026-02-01T08:30:00Z", "2026-02-30", "0000-00-00", "0001-01-01", "9999-12-31",
    "9999-12-31T23:59:59.999999+14:00", "0001-01-01T00:00:00+14:00", "10000-01-01", "0", "-1",
    "1760000000000", "99999999999999999999", "-62135596800000", "253402300799999",
    "253402300800000", "20260201", "2026-W05", "2026-032", "today", "٢٠٢٦-٠٢-٠١", "", "T", "12:00",
    "2026-02-01T25:00", "2026-02-01T08:30:00+99:99", "1e12",
)  # fmt: skip
DURATIONS = (
    "0s", "1s", "30m", "24h", "7d", "1w", "36525d", "36526d", "-1d", "1.5h", "1y", "d", "",
    "9" * 30 + "d", "٣d", "1e3s", "1 d", "1D",
)  # fmt: skip
ORIGINS = (
    "owner", "unknown", "channel:wa/c1/s1", "channel:wa/c1/s1@acc", "channel:", "channel:/",
    "channel:a/b", "channel:a/b/c/d", "channel:%00/b/c", "channel:%/b/c", "channel:%ff/%fe/c",
    "channel:a/b/c@", "channel:" + "x" * 5000 + "/b/c", "Owner", " owner", "everyone", "*",
    "channel:\x1b[31m/b/c", "channel:\u202ea/b/c", "channel:a/b/\udcff", "",
)  # fmt: skip
IDS = (
    "01K7", "01", "0", "OWN0000000000000000000000A", "OWN0000000000000000000000B", "own0", "OWN0",
    "PEER000000000000000000000A", "PEER", "@1", "%", "_", "____", "OWN_", "*", "'; DROP TABLE fact",
    "ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "0" * 26, "0" * 27, "I" * 26,
)  # fmt: skip
MODELS = ("none", "", "cat", "no-such-program", "/bin/false", "'", "\x00", "sh -c 'exit 3'")
"""Commands that would ask a model; there is no PATH, so that most of them do not start."""

USUAL: dict[str, tuple[str, ...]] = {
    "count": ("1", "2", "5", "100"), "number": ("0.5", "1", "0"), "share": ("0.5", "0", "1"),
    "time": ("2026-02-01", "1760000000000", "2025-10-09T08:53:20Z"),
    "start": ("2026-02-01", "7d", "2 weeks ago"), "last": ("2025-10", "yesterday", "+1w"),
    "end": ("2026", "+30d", "1760000000000"), "duration": ("30m", "7d"),
    "text": ("deploy", "I deploy on Mondays", "my cat is called Bo", "a b"), "pair": ("k=v",),
    "origin": ("owner", "channel:wa/c1/s1"), "id": ("OWN0000000000000000000000A",
    "OWN0000000000000000000000B", "OWN0000000000000000000000K"), "now": (str(NOW), "2026-02-01"),
    "llm": ("none",), "at": ("03:30",),
}  # fmt: skip
"""Values as most people give them, by an option's name or kind."""

ROWS = (
    b'{"content": "a row"}', b'{"content": 5}', b"[]", b"{}", b"null", b"nul", b'"x"', b"\xff\xfe",
    b"\xef\xbb\xbf{}", b'{"content": "x", "content": "y"}',
    b'{"content": "x", "importance": 1e999}',
    b'{"content": "x", "access_count": 99999999999999999999}', b'{"content": "\\ud800"}',
    b'{"content": "x\\u0000y"}', b'{"id": "\\u001b[31m", "content": "x"}', b"[" * 10_000,
    b'{"content": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", b'{"content":"' + b"a" * 70_000 + b'"}',
    b'{"role": "user", "content": "I live in Delft"}', b"USER: I am Ann\nASSISTANT: hello", b"\r",
    b'{"query": "deploy"}', b'{"query": "deploy", "id": [[1]], "origin": "unknown"}', b"\x1b[2J",
    b'{"facts": [{"content": "x", "segment": "knowledge"}]}', b"content,tags\nx,a\n", b"\x00" * 900,
    b'{"content": "x", "created_at": "9999-12-31T23:59:59.999Z", "valid_to": -1}',
)  # fmt: skip


def stdin_for(rng) -> bytes:  # type: ignore[no-untyped-def]
    """Return something to read on standard input."""
    lines = rng.choices(ROWS, k=rng.choice((0, 1, 1, 2, 5)))
    return rng.choice((b"\n", b"\n", b"\r\n", b"\r", b"\n\n")).join(lines)


def put_files(folder: Path) -> list[str]:
    """Put hostile files into `folder` and return paths, of them and of places that are none."""
    good = [{"id": f"ROW{n:023d}", "content": f"row number {n} of a file"} for n in range(3)]
    contents = {
        "rows.jsonl": "\n".join(map(json.dumps, good)).encode(),
        "rows.csv": b"id,content\nC1,from a table\n,=1+1\n\xff,\n",
        "quotes.csv": b'content\n"never closed\n',
        "wide.tsv": b"content\t" * 3000,
        "nul.csv": b"content\nx\x00y\n",
        "talk.txt": b"USER: my cat is called Ada\n\nASSISTANT: noted\nSYSTEM: x\n",
        "deep.jsonl": b"[" * 10_000 + b"\n" + b'{"a":' * 10_000,
        "latin.jsonl": b'{"content": "caf\xe9"}\n',
        "utf16.jsonl": '{"content": "wide"}'.encode("utf-16"),
        "text.db": b"this is not a database\n" * 99,
        "empty.jsonl": b"",
        "key": b"sk-fuzz\n",
        "\x1b[31mred.jsonl": b'{"content": "from a file with a colored name"}\n',
        "new\nline.csv": b"content\nx\n",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    os.chmod(folder / "key", 0o600)
    with open(folder / "sparse.jsonl", "wb") as file:
        file.truncate(1 << 30)
    os.mkfifo(folder / "fifo")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    (folder / "folder.d").mkdir()
    (folder / "linked").symlink_to("folder.d")
    with socket.socket(socket.AF_UNIX) as place:
        here = os.getcwd()
        os.chdir(folder)  # the name of a socket is short
        place.bind("socket")
        os.chdir(here)
    names = sorted(name for name in os.listdir(folder) if name != "sparse.jsonl")
    return [
        *(str(folder / name) for name in names), str(folder / "fresh"), str(folder / "a" / "b"),
        str(folder / "rows.jsonl" / "x"), str(folder / ("n" * 300)), "relative", "", "-", ".", "/",
        "/dev/null/x", "/proc/self/nothing", "\x00", "~", *devices(folder),
        str(folder / "q?mode=ro#%41;é\" '"), str(folder / "\udcff"),
    ]  # fmt: skip


def devices(folder: Path) -> list[str]:
    """Return paths of devices that a command may do its worst to: for root, who might replace
    those of the system, copies in `folder`."""
    numbers = {"null": 3, "zero": 5, "full": 7}
    if os.geteuid() != 0:
        return [path for name in numbers if os.path.exists(path := f"/dev/{name}")]
    made = []
    for name, minor in numbers.items():
        path = folder / name
        try:
            if not path.exists():
                os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        except OSError:
            continue  # a container may forbid it
        made.append(str(path))
    return made


NOWS = (str(NOW), "0", "-1", "9999-12-31", "0001-01-01", "2038-01-19T03:14:08Z")
