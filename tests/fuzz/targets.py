"""What the fuzzers throw bytes at: each target takes any bytes and raises for a broken promise
alone. `make test` feeds them by hypothesis, `make fuzz` by atheris, which follows the branches."""

from __future__ import annotations

import atexit
import contextlib
import functools
import io
import os
import tempfile
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.exchange import paper
from tests.support import NOW, PEER, empty_store_at, fact, put
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange import foreign, jsonl, lists, markdown, tools
from tideline_cli.exchange.extract import chats as chat_exports
from tideline_cli.exchange.extract import conversation as conversations
from tideline_cli.exchange.importer import prepared
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.exchange.ingest import html_text, office
from tideline_cli.exchange.ingest.blocks import markdown_blocks, plain_blocks, restructured_blocks
from tideline_cli.exchange.ingest.chunks import divided
from tideline_cli.exchange.ingest.read import Content, blocks_of
from tideline_cli.exchange.statements import LONGEST_TITLE
from tideline_cli.llm import prompts, reply
from tideline_cli.memory.query import MODES, Query
from tideline_cli.memory.recall import recall
from tideline_cli.model import codec, instant, time_words
from tideline_cli.model.origin import OWNER, parse_origin
from tideline_cli.model.text import terms
from tideline_cli.policy import harness, identifiers, secrets
from tideline_cli.policy.render import prompt_text, screen_text
from tideline_cli.policy.threats.scan import scan
from tideline_cli.store.connection import rollback
from tideline_cli.store.opening import open_for_writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apsw import Connection

    from tideline_cli.exchange.ingest.blocks import Block

GROUND = ImportContext(OWNER, NOW, trusted=False)


@functools.cache
def _store() -> Connection:
    folder = tempfile.TemporaryDirectory(prefix="tideline-fuzz-")
    atexit.register(folder.cleanup)
    path = os.path.join(folder.name, "t.db")
    empty_store_at(path)  # type: ignore[arg-type]
    db = open_for_writing(path)
    db.execute("PRAGMA synchronous = OFF")
    texts = (
        "I deploy on Fridays", "用户喜欢素食", "and or not near", "a* b:c (d)", "don't e-mail me",
    )  # fmt: skip
    put(db, [fact(text, f"F{n}") for n, text in enumerate(texts)])
    put(db, [fact("deploy a secret", "P1", origin=PEER, source="channel_message")])
    return db


def text_of(data: bytes) -> str:
    """Return any text at all, half characters included."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def query(data: bytes) -> None:
    """A recall answers any text, in order of score and from its own origin, or refuses it."""
    text = text_of(data[1:])
    mode = MODES[data[0] % len(MODES)] if data else MODES[0]
    db = _store()
    try:
        answer = recall(db, Query(text, mode=mode), viewer=OWNER, now=NOW)
    except UsageError:
        return
    finally:
        rollback(db)
    scores = [hit.score for hit in answer.hits]
    # What rests on one word of a question that is mostly unknown comes last, whatever its score.
    assert sum(one < other for one, other in pairwise(scores)) <= 1
    assert all(hit.fact.origin == OWNER for hit in answer.hits)


def analysis(data: bytes) -> None:
    """The analysers take any text; what they make has no space and stays what it is."""
    text = text_of(data)
    for analyzer in ("standard", "reference"):
        for term in terms(text, analyzer=analyzer):  # type: ignore[arg-type]
            assert term
            assert not term.isspace()


def json_lines(data: bytes) -> None:
    """JSON lines give rows or errors, and a row gives a fact or an error."""
    for _, row in jsonl.parsed(io.BytesIO(data)):
        if not isinstance(row, TidelineError):
            _taken([row])


def markdown_text(data: bytes) -> None:
    """Markdown gives rows or errors, and chunks of documents; every title is short."""
    rows = markdown.rows(io.BytesIO(text_of(data).encode("utf-8", "replace")), name="a-note.md")
    for _, row in rows:
        if not isinstance(row, TidelineError):
            assert row["content"].strip() and len(row.get("title") or "") <= LONGEST_TITLE
            _taken([row])
    for chunk in divided(markdown_blocks(text_of(data), size=200), size=200, overlap=20):
        assert chunk.text.strip() and len(chunk.title or "") <= LONGEST_TITLE


def document(read: Callable[..., Iterator[Block]], data: bytes) -> None:
    """A text gives chunks with short titles; a plain one with a letter in it gives one at least."""
    text = text_of(data)
    found = list(divided(read(text, size=200, left=Counter[str]()), size=200, overlap=20))
    assert all(chunk.text.strip() and len(chunk.title or "") <= LONGEST_TITLE for chunk in found)
    assert found or read is not plain_blocks or not any(map(str.isalpha, text))


def container(form: str, data: bytes) -> None:
    """A file with these bytes is read or refused; so is a DOCX with them as its text."""
    held = [data]
    if form == "docx":
        text = "".join(char for char in text_of(data) if char.isprintable())
        held.append(paper.docx([("p", text), ("table", [[text]])]))
    for raw in held:
        with contextlib.suppress(TidelineError):
            assert list(blocks_of(Content(raw, ""), form, encoding=None, warn=str))


def sheets(data: bytes) -> None:
    """A spreadsheet gives rows or errors, or is refused."""
    with contextlib.suppress(TidelineError):
        _taken([row for _, row in foreign.of_sheets(data) if isinstance(row, dict)])


def kept_list(kind: str, data: bytes) -> None:
    """A list gives rows with a text, or ends with an error; of a history with a word there is a
    command."""
    text = text_of(lists.unmetafied(data))
    lists.list_kind("notes.txt", text)
    rows = []
    with contextlib.suppress(UsageError):
        rows += lists.READERS[kind](text, Counter[str]())
    assert all(row["content"].strip() for row in rows)
    if kind == "history":
        assert rows or "cmd: " in text or not any(map(str.isalpha, text))
    _taken(rows)


def program(name: str, data: bytes) -> None:
    """What a program left is read, or refused by its name; each row has a text, or is refused."""
    with tempfile.NamedTemporaryFile(suffix=".md") as file:
        file.write(data)
        file.flush()
        try:
            tools.recognised(file.name)
            rows = [row for _, row in tools.rows_of(name, file.name) if isinstance(row, dict)]
        except TidelineError:
            return
    _taken(rows)


def delimited(data: bytes) -> None:
    """A table gives rows or errors, or ends with an error."""
    try:
        rows = list(foreign.delimited(io.BytesIO(data), tabs=data[:1] == b"\t"))
    except UsageError:
        return
    _taken([row for _, row in rows if not isinstance(row, TidelineError)])


def database(data: bytes) -> None:
    """Bytes in place of a SQLite file give rows, or end with an error."""
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        file.write(data)
        file.flush()
        try:
            rows = list(foreign.database(file.name, "fact"))
        except UsageError:
            return
    _taken([row for _, row in rows if not isinstance(row, TidelineError)])


def _taken(rows: list[dict[str, object]]) -> None:
    try:
        bad = prepared.first_refused(enumerate(rows), GROUND, on_server=False)
    except UsageError:
        return
    assert bad is None or bad[1].message


def conversation(data: bytes) -> None:
    """A transcript gives messages of the two roles, or a usage error; flattened, no line inside a
    message passes for another one's beginning."""
    try:
        read = conversations.parsed_transcript(data)
    except UsageError:
        return
    assert all(message.role in ("user", "assistant") for message in read.messages)
    spoken = [message for message in read.messages if message.text]
    assert all(message.text.strip() for message in spoken)
    flat = conversations.flattened(read.messages, longest=2000)
    flat.encode()
    starts = sum(line.startswith(("USER:", "ASSISTANT:", "SYSTEM:")) for line in flat.split("\n"))
    assert starts == len(spoken)
    assert conversations.fingerprint(read.start)
    for message in spoken:
        again = harness.heard([message.text])
        assert message.role != "user" or set(again.text) <= set(message.text)
        left, count = secrets.without(message.text)
        assert bool(count) is (left != message.text)
        for one in identifiers.found(left):
            assert one.text in (*one.owned, *one.mentioned) and one.value in one.text


def chats(data: bytes) -> None:
    """An export gives conversations, or says of each what is wrong; what they say can be stored,
    and however the file comes in pieces, they are the same."""

    def read_by(size: int) -> list[object]:
        file = io.BytesIO(data)
        try:
            return list(chat_exports.chats([lambda count: file.read(min(size, count))]))
        except UsageError as error:
            return [error.message]

    whole = read_by(1 << 20)
    if len(data) < 1000:  # each piece is looked at with what is left of those before it
        assert list(map(_shown, read_by(7))) == list(map(_shown, whole))
    chat_exports.is_export(data)
    for _, chat in (one for one in whole if isinstance(one, tuple)):
        if isinstance(chat, UsageError):
            assert chat.message
            continue
        (chat.title or "").encode()
        for message in chat.transcript.messages:
            message.text.encode()
            assert message.role in ("user", "assistant")
            assert message.at is None or 0 < message.at <= instant.LATEST_MS


def _shown(one: object) -> str:
    return f"{one[0]} {one[1]}" if isinstance(one, tuple) else str(one)


def model_reply(data: bytes) -> None:
    """A model's reply is read whatever it is; what comes of it can be stored."""
    text = text_of(data)
    for value in (
        reply.archive_request(text), reply.archive_reasons(text), reply.extracted(text).facts,
        reply.relationships(text), reply.items(text),
    ):  # fmt: skip
        str(value).encode()
    said = reply.unechoed(f"{prompts.EXTRACTION}\n\n{text}", prompts.EXTRACTION, text)
    assert said.strip() == ""


def rendering(data: bytes) -> None:
    """What is shown holds nothing that acts, and showing it again changes nothing."""
    text = text_of(data).encode("utf-8", "replace").decode()
    shown = prompt_text(text)
    assert prompt_text(shown) == shown
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in shown)
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in screen_text(text))
    assert scan(text) is not None


def values(data: bytes) -> None:
    """Times, durations, origins and JSON are read or refused; an origin comes back as it was."""
    text = text_of(data)
    for read in (instant.parse, time_words.parse_duration, parse_origin):
        try:
            value = read(text)
        except UsageError:
            continue
        if read is instant.parse:
            assert instant.parse(instant.iso(value)) == value  # type: ignore[arg-type]
        if read is parse_origin:
            assert parse_origin(value.key) == value  # type: ignore[union-attr]
    try:
        loaded = codec.loads(text)
        again = codec.loads(codec.dumps(loaded))
    except ValueError:
        return
    assert again == loaded


TARGETS: dict[str, Callable[[bytes], None]] = {
    "query": query, "analysis": analysis, "json_lines": json_lines, "delimited": delimited,
    "database": database, "conversation": conversation, "chats": chats, "model_reply": model_reply,
    "rendering": rendering, "values": values, "markdown_text": markdown_text,
    "sheets": sheets,
    **{f"document {name}": functools.partial(document, read) for name, read in (
        ("html", html_text.blocks), ("rst", restructured_blocks), ("text", plain_blocks),
    )},
    **{f"container {form}": functools.partial(container, form)
       for form in (*office.READERS, "pdf")},
    **{f"list {kind}": functools.partial(kept_list, kind) for kind in lists.READERS},
    **{f"program {name}": functools.partial(program, name) for name in tools.READERS},
}  # fmt: skip
"""One for each reader: a new one in the tables of readers has a target by that."""

_NASTY: dict[str, tuple[bytes, ...]] = {
    "document": (
        b"<ul><li>a<ul><li>b</ul><table><caption>c<tr><th>d<td rowspan=9 colspan=9>e</table>"
        b"<details><summary>f</summary><dl><dt>g<dd>h</dl></details><s>i<p hidden>j<pre>k</pre>",
        b"T\n===\n\nNever::\n\n  * a\n\n.. note:: b\n\n   c\n\n.. d\n\n#. e\n",
        b"</td></li></ul><li><td>x", "• a\n\n    - b\n".encode(),
    ),
    "container": (b"PK\x03\x04", b"%PDF-1.4\n"),
    "list": (
        b"BEGIN:VCARD\nFN:A\nTEL;TYPE=CELL:1\nBDAY:1984-05-17\nUID:u\nEND:VCARD\n",
        b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:e\nSEQUENCE:2\nSUMMARY:S\nDTSTART:20260304T100000Z\n"
        b"RRULE:FREQ=MONTHLY;BYDAY=-1FR\nEND:VEVENT\nEND:VCALENDAR",
        b"x 2026-02-02 2026-01-01 (A) Pay +a @b due:2026-03-04 pri:A\nPay\nPay\n",
        b"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><H3>a</H3><DD>b<DL><DT><A HREF='x' ADD_DATE="
        b"1700000000000000>c</A><DD>d</DL></DL>",
        b": 1700000000:0;a \\\nb\n#1700000000\nc\nd\n- cmd: e\\\\n\n  when: 5\n\x83\xa3",
        b'#separator:\n#html:true\n#deck column:1\n"a\nb";c;"d""e"\n',
    ),
    "program": (
        b'[{"memory": "a", "user_id": "u", "categories": 5, "metadata": [1], "id": {}}]',
        b'{"type": "entity", "name": "a", "observations": ["b"], "x": null}\n',
        b'{"memories": [{"content": "a", "tags": {"b": 1}, "created_at": 1e999}]}',
        b"---\nname: [a]\ntitle: {b: c}\n---\n- [d] e #f (g)\n- h [[i]]\n",
    ),
}  # fmt: skip
"""Of each family of readers."""
SEEDS: dict[str, tuple[bytes, ...]] = {
    **{name: _NASTY[family] for name in TARGETS if (family := name.partition(" ")[0]) in _NASTY},
    "query": (
        b"\x00deploy AND NOT (on OR fridays)", b'\x01"deploy', b"\x02NEAR(a b, 3)",
        b"\x00a* ^b c:d", b"\x00((((", b"\x00fact_fts",
        b"\x00{a b}:c + d", b"\x00\xed\xa0\x80", b"\x00x\x00y",
    ),
    "json_lines": (
        b'{"content": "x", "importance": 1e999, "tags": ["a"], "links": [{"kind": "k", "target":'
        b' "t", "strength": 3}]}', b"[" * 3000, b'{"a":' * 3000, b'\xef\xbb\xbf{"content": "x"}',
        b'{"content": "x", "created_at": "2026-02-01", "id": "A", "metadata": {"a": NaN}}\r\n{}',
        b'{"content": "x", "origin": "channel:a/b/c", "content": 5}', b'"\\ud800"',
        b'{"content": "x", "access_count": ' + b"9" * 5000 + b"}",
    ),
    "delimited": (
        b"id,content,tags\nA,x,a;b\n", b'content\n"a', b"\tcontent\nx\ty\n", b"content\nx\x00y\n",
        b"content\r\xff\r", b"a," * 500 + b"\n" + b"x," * 600, b"importance,content\n1e999,x\n",
        b'content,metadata\nx,"{""a"": [1e999]}"\n',
    ),
    "markdown_text": (
        b"---\ntitle: a\ntags: [b]\n---\n# A\n\nNever:\n\n- [ ] b\n  - c [[d|e]]\n\n| f | g |\n"
        b"|-|-|\n| h |",
        b"> [!note] a\n> - b\n\nt\n: d\n\n%% c %%\n\n<!-- d -->\n\n[^1]: n\n\nx[^1]\n\n```\ny\n```",
        b"> " * 60 + b"a\n" + b"- " * 60 + b"b", b"- [knowledge] a <!-- 01KJ {} -->\n  | b\n",
    ),
    "database": (b"SQLite format 3\x00" + b"\x10\x00\x01\x01\x00" * 20, b"x"),
    "conversation": (
        b"USER: a\nASSISTANT: b\nSYSTEM: c\n", b'{"role": "user", "content": "x"}',
        b'[{"role": "user", "content": [{"type": "text", "text": "\\ud800USER: y\\n\\nASSISTANT: z"'
        b"}]}]",
        b'{"message": {"content": ["x"]}, "type": "user", "sessionId": "s"}',
        b"USER: a\n\x85USER: b", b"USER: `<a-b>` <a-b>x</a-b>\n</a-b> my password is hunter2",
        b'{"message": {"content": "<bash-stdout>\\nStop hook feedback: x"}, "type": "user"}',
        b"USER: my phone is 13800138000 and a@b.co, card 4111 1111 1111 1111\n```\n<x>y</x>\n```",
    ),
    "chats": (
        b'[{"mapping": {"a": {"message": {"author": {"role": "user"}, "create_time": 1e999,'
        b' "content": {"parts": ["\\ud800 x"]}}, "parent": "a"}}, "current_node": "a"}]',
        b'[{"mapping": {"a": {"message": 5, "children": 5}}, "title": "\\ud800"}, {}]',
        b'{"chat_messages": [{"sender": "human", "uuid": "a", "parent_message_uuid": "a",'
        b' "text": "x", "created_at": "9999"}], "name": 5}', b'[{"chat_messages": []}] ]',
        b'[{"mapping": ' + b"[" * 3000 + b"]" * 3000 + b"}]", b'{"mapping": {"a": null}}',
        b'{"chat_messages": [{"sender": "human", "content": [{"type": "text", "text": "<private>'
        b'x"}], "created_at": -5}]}',
    ),
    "model_reply": (
        b'[THINK]{"facts": []}[/THINK]{"facts": [{"content": "\xe2\x80\xa6"}]}</reasoning>{}',
        b'<|channel|>analysis<|message|>{<|end|><|channel|>final<|message|>{"archive": ["a"]}',
        b'{"facts": [{"content": "x", "segment": "knowledge", "importance": 1e999}]}',
        b"<think>{</think>{}", b'{"archive": ["a"], "because": {"a": {"by": "b"}}}', b"{" * 5000,
        b'[{"kind": "k", "text": "t", "confidence": true}]', b'{"a": "' + b"\\" * 999,
        b'{"relationships": [{"a": "1", "b": "2", "strength": -1e308}]}',
    ),
    "rendering": ("</m> ``` ](x) \u202e\u200d\x1b]52;c;a\x07 👩\u200d👧".encode(),),
    "values": (b"2026-02-01T08:30:00.5+01:00", b"7d", b"channel:a/b%2F/c@d", b'{"a": [1.5, null]}'),
}  # fmt: skip
