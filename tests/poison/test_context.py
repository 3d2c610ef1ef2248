"""Nothing that is stored acts on what displays it, and nothing innocent is changed."""

from __future__ import annotations

import json
import re
import unicodedata
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from tests.poison.hostile_texts import BIG, INNOCENT, PARTS, texts
from tests.support import fact, put
from tideline_cli.errors import UsageError
from tideline_cli.memory.remember import checked_text
from tideline_cli.model.fact import MAX_CONTENT
from tideline_cli.ranking import silence
from tideline_cli.store import links
from tideline_cli.store.connection import writing
from tideline_cli.store.opening import open_for_writing

GROUP = 40
_OBEYED = frozenset(map(chr, (*range(9), *range(11, 32), *range(127, 160), 0x2028, 0x2029)))
_HIDDEN = frozenset(
    "\u200b\u200e\u200f\u061c\u2060\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    "\ufeff\u00ad\ufff9\ufffa\ufffb\u115f\u1160\u3164\uffa0"
)
_BULLET = re.compile(r"- \[[a-z]+\] ")


def hostile():
    """Return every hostile text that can be a fact at all, in groups."""
    some = []
    for text in (*texts(), BIG):
        try:
            some.append(checked_text(text[:MAX_CONTENT]))
        except UsageError:  # what is no fact is refused: nothing to show
            continue
    some = list(dict.fromkeys(some))
    return [some[start : start + GROUP] for start in range(0, len(some), GROUP)]


GROUPS = hostile()


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Return the function that stores texts, in every field that holds text. All of them are said
    unasked, though so many share the words of the prompt."""
    monkeypatch.setattr(silence, "_MOST", GROUP)
    path = tmp_path / "hostile.db"
    monkeypatch.setenv("TIDELINE_DB", str(path))

    def keep(some):
        db = open_for_writing(str(path))
        listed = [
            fact(
                text, f"{number:026d}", source=("tool_output", "owner_message")[number % 2],
                title=text, tags=(text, "kumquat"), slot=f"s{number}", source_turn=text,
                derived_from=(text,),
                metadata={text: [text, {text: text}]},
            )
            for number, text in enumerate(some)
        ]  # fmt: skip
        put(db, listed)
        with writing(db):
            for one, other in pairwise(listed):
                links.add(db, links.Link(one.id, "relates", other.id, one.content, 3, 1))
        db.close()

    return keep


def unclean(text):
    """Return the characters that a terminal or a reader would obey or not see."""
    tags = {char for char in text if 0xE0000 <= ord(char) <= 0xE007F}
    return sorted((set(text) & (_OBEYED | _HIDDEN)) | tags)


def blocks(run, *flags):
    return run("context", "note kumquat", "--limit", "100", "--max-chars", "9999999", *flags)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("some", GROUPS, ids=lambda some: f"{len(some)}")
def test_a_context_is_bullets_and_nothing_else(run, store, some):
    """Each fact is one line that begins as ours do; no character acts, no fence, link, tag, role
    or heading comes out; what is fenced stands between two markers that nobody could know."""
    store(some)
    plain = blocks(run)
    assert (plain.code, plain.err) == (0, "")
    lines = plain.out.removesuffix("\n").split("\n")
    assert len(lines) == len(some)
    assert all(_BULLET.match(line) for line in lines)
    for text in lines:
        assert unclean(text) == []
        assert not {"```", "~~~", "](", "<", ">"} & {text[i : i + n] for n in (1, 2, 3)
                                                     for i in range(len(text))}  # fmt: skip
    found = blocks(run, "--json").json
    assert found["block"] + "\n" == plain.out
    assert len(found["facts"]) + len(found["blocked"]) == len(some)
    fenced = blocks(run, "--auto").out.split("\n")
    assert fenced[4:-2] == lines
    nonce = fenced[3].removeprefix('<untrusted-memory id="').removesuffix('">')
    assert re.fullmatch("[0-9a-f]{16}", nonce)
    assert fenced[-2:] == [f'</untrusted-memory id="{nonce}">', ""]
    assert blocks(run, "--auto").out.split("\n")[3] != fenced[3]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("some", GROUPS, ids=lambda some: f"{len(some)}")
def test_every_format_parses(run, store, some):
    """XML and JSON of a context say the same as its text, to a parser."""
    store(some)
    lines = blocks(run).out.removesuffix("\n").split("\n")
    for flags in (("--format", "xml"), ("--format", "xml", "--auto")):
        root = ElementTree.fromstring(blocks(run, *flags).out)
        assert root.tag == "memory"
        said = "".join(root.itertext()).replace("<", "&lt;").replace(">", "&gt;")
        wanted = [line.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd") for line in lines]
        assert [line for line in said.split("\n") if line.startswith("- ")] == wanted
        assert [child.tag for child in root] == ["untrusted-memory"] * ("--auto" in flags)


LOOKS = (
    ("recall", "note", "--limit", "100", "--no-touch"), ("recall", "note", "--explain"),
    ("list", "--limit", "0"), ("list", "--limit", "0", "--lifecycle", "all"), ("history",),
    ("dream", "--dry-run"), ("contradictions",), ("export", "--format", "markdown"),
    ("status",), ("gc", "--dry-run"), ("relink", "--dry-run", "--llm", "none"),
    ("consolidate", "--dry-run", "--llm", "none"),
)  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("some", GROUPS[::3], ids=lambda some: f"{len(some)}")
def test_no_plain_output_acts(run, store, some):
    """No command prints a character that a terminal obeys, or one line more than its own."""
    store(some)
    ids = [f"{number:026d}" for number in range(len(some))]
    looks = [*LOOKS, *(("show", one) for one in ids[:12]), *(("history", one) for one in ids[:4]),
             ("forget", ids[0]), ("purge", ids[1], "--dry-run"), ("pin", ids[2])]  # fmt: skip
    for words in looks:
        done = run(*words)
        assert done.code in (0, 1), (words, done.err)
        assert unclean(done.out + done.err) == [], words
        if words[0] in ("recall", "list"):
            starts = [line.split("\t")[0] for line in done.out.removesuffix("\n").split("\n")]
            assert set(starts) <= set(ids), words
    for words in LOOKS[:5]:
        done = run(*words, "--json")
        json.loads(done.out)
        assert set(done.out) & (_OBEYED - {"\n"}) == set()


@pytest.mark.sampled(20)
@pytest.mark.parametrize("part", PARTS)
def test_names_and_errors_do_not_act(run, store, part):
    """What a user or a script names is spelled out in messages as well."""
    store(["one note"])
    for words in (
        ("show", part), ("forget", part), ("history", part), ("undo", part), ("recall", part),
        ("remember", "x", "--segment", part), ("remember", "x", "--source", part),
        ("remember", "x", "--slot", part), ("remember", "x", "--supersedes", part),
        ("remember", "x", "--meta", part), ("list", "--since", part), ("--origin", part, "status"),
        ("import", part), ("config", "get", part), ("link", part, part, "--kind", part), (part,),
    ):  # fmt: skip
        done = run(*words)
        assert done.code in (0, 1, 2, 3, 4, 5, 73), (words, done.err)
        assert unclean(done.err) == [], (words, done.err)
        assert done.err.count("\n") <= 3, (words, done.err)


def test_innocent_texts_come_back_letter_for_letter(run, tmp_path, monkeypatch):
    """Scripts that need joiners, selectors or flags pass in and out unchanged, trusted or not."""
    monkeypatch.setenv("TIDELINE_DB", str(tmp_path / "innocent.db"))
    said = [f"{text} {number}" for number, text in enumerate(INNOCENT)]
    for number, text in enumerate(said):
        source = ("owner_message", "tool_output")[number % 2]
        assert run("remember", text, "--source", source).code == 0, text
    wanted = [unicodedata.normalize("NFC", text) for text in said]
    listed = run("list", "--limit", "0").out
    block = run("context", " ".join(said), "--limit", "100", "--max-chars", "99999").out
    exported = [json.loads(line)["content"] for line in run("export").out.split("\n") if line]
    assert exported == wanted
    for text in wanted:
        assert f"] {text}\n" in listed
        assert f"] {text}\n" in block
        assert f"] {text}\n" in run("recall", text, "--no-touch", "--limit", "20").out
