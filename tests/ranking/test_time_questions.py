"""Questions for a time, in six languages: what was said then, what happened, what is due."""

import json

import pytest

from tests import backends
from tideline_cli import Memory
from tideline_cli.model import instant

NOW = instant.parse("2026-11-18T10:00:00Z")  # a Wednesday
DAYS = ("2026-11-17", "2026-11-18", "2026-11-10", "2026-11-02", "2026-10-14", "2026-11-05",
        "2026-11-12", "2026-06-03")  # fmt: skip
WANTED = ((0,), (1,), (3,), (2, 6), (6,), (1,), (4,), (5,), (3,), (4,), (7,))
FACTS = {
    "en": (
        "Invoices go out as PDF only", "Yesterday we chose Postgres for the ledger",
        "The printer on the second floor jams with thick paper",
        "The tax return is due on 20 November", "We rent the warehouse in Leeds",
        "The warehouse roof leaks above the ramp", "In two weeks the lift is inspected",
        "Next Friday is the summer party",
    ),
    "de": (
        "Rechnungen gehen nur als PDF hinaus", "Gestern haben wir Postgres gewählt",
        "Der Drucker im zweiten Stock staut dickes Papier",
        "Die Steuererklärung ist am 20. November fällig", "Wir mieten das Lager in Leeds",
        "Das Dach vom Lager tropft über der Rampe", "In zwei Wochen wird der Aufzug geprüft",
        "Nächsten Freitag ist das Sommerfest",
    ),
    "fr": (
        "Les factures partent en PDF uniquement", "Hier nous avons choisi Postgres",
        "L'imprimante du deuxième étage bloque le papier épais",
        "La déclaration d'impôts est à rendre le 20 novembre",
        "Nous louons l'entrepôt de Leeds", "Le toit de l'entrepôt fuit au-dessus de la rampe",
        "Dans deux semaines on contrôle l'ascenseur", "Vendredi prochain c'est la fête d'été",
    ),
    "es": (
        "Las facturas salen solo en PDF", "Ayer elegimos Postgres",
        "La impresora del segundo piso atasca el papel grueso",
        "La declaración de la renta vence el 20 de noviembre",
        "Alquilamos el almacén de Leeds", "El techo del almacén gotea sobre la rampa",
        "Dentro de dos semanas revisan el ascensor", "El próximo viernes es la fiesta de verano",
    ),
    "zh": (
        "发票只寄电子版", "昨天我们选了Postgres", "二楼的打印机厚纸会卡",
        "报税要在11月20日之前交",
        "我们租了利兹的仓库", "仓库的屋顶在坡道上方漏水", "两周后检查电梯", "下周五是夏日聚会",
    ),
    "ja": (
        "請求書はPDFだけで送る", "昨日Postgresを選んだ",
        "二階のプリンターは厚紙で詰まる",
        "確定申告の締め切りは11月20日", "リーズの倉庫を借りた",
        "倉庫の屋根がスロープの上で雨漏りする",
        "二週間後にエレベーターの検査がある", "来週の金曜日は夏祭り",
    ),
}  # fmt: skip
QUESTIONS = {
    "en": (
        "what did I say yesterday", "what happened yesterday?", "what is due this week",
        "what did I note last week?", "what comes next week", "what happened on 17 November",
        "what about the warehouse last month", "what did I say about the warehouse this month?",
        "anything on 2026-11-20?", "what did I write in October", "what was on 5 June",
    ),
    "de": (
        "was habe ich gestern gesagt", "Was ist gestern passiert?", "was ist diese Woche fällig",
        "was habe ich letzte Woche notiert", "was steht nächste Woche an",
        "Was war am 17. November?", "was war letzten Monat mit dem Lager",
        "was habe ich diesen Monat über das Lager gesagt", "gibt es etwas am 20.11.?",
        "was habe ich im Oktober aufgeschrieben", "was war am 5. Juni",
    ),
    "fr": (
        "qu'est-ce que j'ai dit hier", "que s'est-il passé hier ?",
        "qu'est-ce qui est à rendre cette semaine", "qu'ai-je noté la semaine dernière ?",
        "qu'y a-t-il la semaine prochaine", "que s'est-il passé le 17 novembre ?",
        "quoi de l'entrepôt le mois dernier", "qu'ai-je dit de l'entrepôt ce mois-ci ?",
        "quelque chose le 20/11 ?", "qu'ai-je écrit en octobre", "qu'y avait-il le 5 juin",
    ),
    "es": (
        "¿qué dije ayer?", "qué pasó ayer", "¿qué vence esta semana?",
        "qué anoté la semana pasada", "¿qué hay la semana que viene?",
        "¿qué pasó el 17 de noviembre?", "qué hay del almacén el mes pasado",
        "qué dije del almacén este mes", "¿algo el 20/11?", "qué escribí en octubre",
        "¿qué había el 5 de junio?",
    ),
    "zh": (
        "我昨天说了什么", "昨天发生了什么事？", "这周有什么要到期的", "上周我记了什么",
        "下周有什么安排",
        "11月17日发生了什么", "上个月仓库的事", "这个月我说过仓库什么", "11月20日有什么",
        "十月份我写了什么", "6月12日有什么",
    ),
    "ja": (
        "昨日何を言った？", "昨日は何があった", "今週締め切りのものは？", "先週メモしたことは？",
        "来週の予定は", "11月17日に何があった？", "先月の倉庫のことは",
        "今月倉庫について何を言った？",
        "11/20に何かある？", "10月に書いたことは？", "6月12日は何があった",
    ),
}  # fmt: skip


@pytest.fixture(params=FACTS)
def scene(request, tmp_path):
    """A memory in one language, and its language."""
    clock = [0]
    memory = Memory.open(backends.place(str(tmp_path / "m.db")), clock=lambda: clock[0])
    ids = []
    for day, text in zip(DAYS, FACTS[request.param], strict=True):
        clock[0] = instant.parse(f"{day}T09:00:00Z")
        ids.append(memory.remember(text).fact.id)
    clock[0] = NOW
    yield memory, ids, request.param
    memory.close()


def test_a_time_is_listed_and_narrows(scene):
    """The facts of the time that a question names come first."""
    memory, ids, language = scene
    for question, wanted in zip(QUESTIONS[language], WANTED, strict=True):
        found = [hit.fact.id for hit in memory.recall(question, touch=False)]
        told = [FACTS[language][ids.index(one)] for one in found[:3]]
        assert {ids[one] for one in wanted} == set(found[: len(wanted)]), (question, told)


def test_the_day_is_in_the_metadata(run):
    """A text that speaks of one day has that day; what its author states stands; an edit moves it;
    a row has it where the row tells when it was said."""
    def day(fact_id):
        return (run("show", fact_id, "--json").json["fact"]["metadata"] or {}).get("day")

    def said(text, *more):
        done = run("remember", text, "--now", "2026-11-18T10:00:00Z", "--json", *more)
        return done.json["id"]

    first = said("Yesterday the boiler was mended")
    assert day(first) == "2026-11-17"
    assert day(said("the chimney is swept next Friday", "--meta", "day=2026-12-01")) == "2026-12-01"
    assert day(said("between 3 May and 5 May we are away")) is None
    assert day(said("I deploy on Mondays")) is None
    edited = run("edit", first, "The boiler was mended on 2 November", "--json")
    assert day(edited.json["id"]) == "2026-11-02"
    rows = [{"content": "Tomorrow the fridge comes", "created_at": "2025-03-01T08:00:00Z"},
            {"content": "Tomorrow the piano comes"}]  # fmt: skip
    run("import", "-", "--trust", stdin="\n".join(map(json.dumps, rows)))
    days = {one["content"]: one["metadata"] for one in run("list", "--json").json["facts"]}
    assert days["Tomorrow the fridge comes"] == {"day": "2025-03-02"}
    assert days["Tomorrow the piano comes"] is None


def test_who_claims_a_day_comes_behind(run):
    """What nobody trusts stands behind what is trusted, also in a list by time."""
    at = ("--now", "2025-03-18T10:00:00Z")
    row = {"content": "the auditor comes at nine", "created_at": "2025-03-17T20:00:00Z"}
    run("remember", "the auditor comes at ten", "--now", "2025-03-17T08:00:00Z")
    run("import", "-", stdin=json.dumps(row))
    found = run("recall", "what did I say yesterday", *at, "--json").json["hits"]
    assert [one["content"][-3:] for one in found] == ["ten", "ine"]
