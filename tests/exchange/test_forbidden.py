"""Lists of what must not be done, in five languages: whatever reads them and whatever tells them,
no item is parted from the words that forbid it."""

from __future__ import annotations

from itertools import islice, product

import pytest

from tests.conftest import run_main
from tests.doors import mcp_talk
from tests.support import fact as fact_of
from tideline_cli.exchange.ingest import blocks, chunks
from tideline_cli.exchange.statements import parts
from tideline_cli.policy import prompt_lines

# What forbids, and what it forbids; of the words that forbid, one that stands in no item.
FORBIDDING = {
    "en": [("Never do any of these on production", "Never"), ("Please don't", "don't"),
           ("We do not support", "not"), ("Avoid at all costs", "Avoid"),
           ("Deprecated since March", "Deprecated"), ("Old (no longer true)", "no longer")],
    "de": [("Niemals im Betrieb", "Niemals"), ("Das machen wir nicht", "nicht"),
           ("Bitte vermeiden", "vermeiden"), ("Verboten ist", "Verboten"),
           ("Gilt nicht mehr", "nicht mehr"), ("Auf keinen Fall", "keinen")],
    "fr": [("Ne jamais faire en production", "jamais"), ("À ne pas toucher", "ne pas"),
           ("Interdit", "Interdit"), ("Obsolète depuis mars", "Obsolète"),
           ("On n'utilise plus", "plus"), ("À éviter", "éviter")],
    "es": [("Nunca en producción", "Nunca"), ("No se permite", "No"),
           ("Prohibido", "Prohibido"), ("Ya no es cierto", "Ya no"),
           ("Evitar siempre", "Evitar"), ("Jamás sin permiso", "Jamás")],
    "zh": [("生产环境中不要做", "不要"), ("严格禁止", "禁止"), ("我们不支持", "不支持"),
           ("已经过时", "过时"), ("切勿操作", "切勿"), ("请避免", "避免")],
}  # fmt: skip
ITEMS = {
    "en": ["restart the database {n}", "drop the queue {n}", "copy the ledger {n} by hand"],
    "de": ["die Datenbank {n} neu starten", "den Puffer {n} leeren", "das Archiv {n} kopieren"],
    "fr": ["redémarrer la base {n}", "vider le tampon {n}", "copier les archives {n}"],
    "es": ["reiniciar la base {n}", "vaciar la cola {n}", "copiar el archivo {n}"],
    "zh": ["重启数据库{n}", "清空队列{n}", "复制档案{n}"],
}  # fmt: skip
WIDE = " " + "and so on as the plan says " * 6  # so that a list with it is long


def _lists(bullet):
    return lambda lead, items: f"{lead}:\n\n" + "\n".join(bullet + one for one in items)


FORMS = {
    "heading": lambda lead, items: f"# Guide\n\n## {lead}\n\n" + "\n".join(f"- {i}" for i in items),
    "underlined": lambda lead, items: f"{lead}\n-----\n\n" + "\n".join(f"* {i}" for i in items),
    "lead-in": _lists("- "), "numbered": _lists("1. "), "boxes": _lists("- [ ] "),
    "touching": lambda lead, items: f"{lead}:\n" + "\n".join(f"+ {one}" for one in items),
    "no colon": lambda lead, items: f"{lead}\n\n" + "\n".join(f"- {one}" for one in items),
    "bold": lambda lead, items: f"**{lead}:**\n\n" + "\n".join(f"- {one}" for one in items),
    "wide colon": lambda lead, items: f"{lead}：\n\n" + "\n".join(f"- {one}" for one in items),
    "above headings": lambda lead, items: f"## {lead}\n\n" + "\n\n".join(
        f"### Case {n}\n\n{one}" for n, one in enumerate(items)),
    "before headings": lambda lead, items: f"# Guide\n\n{lead}:\n\n" + "\n\n".join(
        f"## Case {n}\n\n- {one}" for n, one in enumerate(items)),
    "nested": lambda lead, items: f"- {lead}:\n" + "\n".join(f"  - {one}" for one in items),
    "deeper": lambda lead, items: f"- {lead}\n  - Case\n" + "\n".join(f"    - {i}" for i in items),
    "table": lambda lead, items: f"{lead}:\n\n| what | when |\n|---|---|\n" + "\n".join(
        f"| {one} | today |" for one in items),
    "callout": lambda lead, items: f"> [!warning] {lead}\n" + "\n".join(f"> - {i}" for i in items),
    "quote": lambda lead, items: f"> {lead}:\n>\n" + "\n".join(f"> - {one}" for one in items),
    "with code": lambda lead, items: f"{lead}:\n\n" + "\n\n```\nmake\n```\n\n".join(
        f"{n}. {one}" for n, one in enumerate(items, 1)),
    "paragraph": lambda lead, items: f"{lead}:\n\n{items[0]}\n",
    "long lead-in": lambda lead, items: f"{'As we said ' * 12}{lead}:\n\n" + "\n".join(
        f"- {one}" for one in items),
    "in a file": lambda lead, items: f"---\ntitle: {lead}\n---\n" + "\n".join(
        f"- {one}" for one in items),
}  # fmt: skip


def corpus():
    """Yield (text, items, what forbids) of each form in each language, short and long."""
    turn = dict.fromkeys(FORBIDDING, 0)
    for number, (form, language, is_long) in enumerate(product(FORMS, FORBIDDING, (False, True))):
        lead, word = FORBIDDING[language][turn[language] % 6]
        turn[language] += 1
        items = [one.format(n=f"{number}x{n}") for n, one in enumerate(ITEMS[language])]
        yield FORMS[form](lead, [one + WIDE * is_long for one in items]), items, word


LISTS = list(corpus())


def shown_with(items, word, told):
    """Say of which items no telling holds both them and what forbids them."""
    return [one for one in items for text in told if one in text and word not in text] + [
        one for one in items[:1] if not any(one in text for text in told)
    ]  # fmt: skip


def test_there_are_enough():
    """Two hundred lists, forty in each language, and none of the items says the word itself."""
    assert len(LISTS) == 200
    assert not [one for _, items, word in LISTS for one in items if word in one]


def test_each_list_keeps_what_forbids_it():
    """By itself, and cut into chunks of each size."""
    for text, items, word in LISTS:
        if not text.startswith("---"):
            for whole in (0, 100, 400):
                told = [" ".join(filter(None, one.told())) for part in parts(text, whole=whole)
                        for one in part.statements]  # fmt: skip
                assert not shown_with(items, word, told), (text, told)
        for size in (120, 300, 600):
            made = chunks.divided(blocks.markdown_blocks(text, size=size), size=size, overlap=0)
            told = [f"{one.title}: {one.text}" for one in made]
            if not text.startswith("---"):
                assert not shown_with(items[:1], word, told), (text, told)


def taken(folder, *by):
    """Write every list as a file and take them in; return nothing."""
    folder.mkdir()
    for number, (text, _, _) in enumerate(LISTS):
        (folder / f"n{number}.md").write_text(text, "utf-8")
    done = run_main(*by, str(folder))
    assert done.code == 0, done.err


def items_in(told):
    """Return the items whose tellings lack what forbids them, and those that nothing tells."""
    bad = []
    for _, items, word in LISTS:
        bad += [f"{one} without {word}: {text}" for one in items for text in told
                if one in text and word not in text]  # fmt: skip
    return bad


@pytest.mark.parametrize("by", [
    ("import",), ("import", "--from", "codex"), ("import", "--from", "basic-memory"),
    ("import", "--from", "claude-code"), ("ingest",),
], ids=" ".join)  # fmt: skip
def test_no_door_parts_them(tmp_path, run, by):
    """However the lists come in, each door that tells an item tells what forbids it."""
    taken(tmp_path / "notes", *by)
    lines = run("list", "--limit", "0").out.splitlines()
    out = run("export", "--format", "markdown").out
    told = {"list": lines, "export": out.split("\n- [")}
    assert sum(any(items[0] in line for line in lines) for _, items, _ in LISTS) >= 195
    questions = [items[0] for _, items, _ in islice(LISTS, 0, None, 9)]
    for question in questions:
        told.setdefault("recall", []).extend(
            run("recall", question, "--no-touch").out.splitlines())
        told.setdefault("json", []).extend(
            f"{one['title']} {one['content']}"
            for one in run("recall", question, "--no-touch", "--json").json["hits"])  # fmt: skip
        for more in ((), ("--auto",), ("--xml",)):
            block = run("context", question, "--max-chars", "4000", *more).out
            told.setdefault(f"context {more}", []).extend(block.splitlines())
    assert {door: items_in(texts) for door, texts in told.items()} == {key: [] for key in told}


def test_models_and_programs_are_told_too(tmp_path, run):
    """MCP, the prompts of passes, and one fact shown whole."""
    taken(tmp_path / "notes", "import", "--trust")
    _, items, word = LISTS[0]
    (fact,) = [one for one in run("list", "--limit", "0", "--json").json["facts"]
               if items[0] in one["content"]]  # fmt: skip
    assert word in run("show", fact["id"]).out
    asked = mcp_talk.told("recall", query=items[0])["hits"]
    assert any(items[0] in one["text"] for one in asked)
    assert not items_in([one["text"] for one in asked])
    known = fact_of("not on production", "A1", title="Never")
    assert "Never: not on production" in prompt_lines.lines([known])
    assert "Never: not on production" in prompt_lines.weighed([known])
