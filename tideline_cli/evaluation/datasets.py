"""Public sets of questions, read from the files that their authors ship.

LoCoMo (Maharana et al., ACL 2024): long conversations of two people, and questions about them.
`locomo10.json` is a list of conversations; each is an origin of its own here, and each turn a fact.
Questions of the category 5, which have no answer on purpose, are left out, as is usual.

LongMemEval (Wu et al., ICLR 2025): chats with an assistant, and questions asked after them. Each
question has a history of its own, which is an origin of its own here; each turn is a fact. The
turns that hold the evidence are marked in the file. A question whose id ends with _abs has no
answer.

BEIR (Thakur et al., 2021): a folder with corpus.jsonl, queries.jsonl, and judgements as
qrels/test.tsv.

TREC: documents between <DOC> tags, topics between <top> tags, judgements in four columns. A folder
holds them: the file of topics and that of judgements have topic and qrel in their names, all other
files are documents.

Our own: a folder with corpus.jsonl, which `tideline import` takes, and queries.jsonl with id, query
and gold (a source_turn or an id, each with its worth).
"""

from __future__ import annotations

import gzip
import os
import re
from datetime import UTC, datetime

from tideline_cli.errors import UsageError
from tideline_cli.exchange import jsonl
from tideline_cli.model import codec
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, BinaryIO

    from tideline_cli.errors import TidelineError

    Rows = Iterator[tuple[int, dict[str, Any] | TidelineError]]

_ZIPPED = ".gz"


def open_file(path: str) -> BinaryIO:
    """Open a file, which gzip may have compressed."""
    if path.endswith(_ZIPPED):
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return open(path, "rb")


def _json_lines(path: str) -> Rows:
    """Yield the rows of a file of JSON lines, each with its number."""
    with open_file(path) as file:
        yield from jsonl.parsed(file)


def _json_value(path: str) -> Any:
    """Return the one JSON value of a file."""
    with open_file(path) as file:
        raw = file.read()
    try:
        return codec.loads(raw.decode("utf-8-sig"))
    except ValueError as error:
        hint = "is it the right --format?"
        raise UsageError(f"{path} is not JSON: {error}", hint=hint) from error


def _text_lines(path: str) -> Iterator[str]:
    """Yield the lines of a text; bytes that are no UTF-8 are read as Latin-1, as old sets are."""
    with open_file(path) as file:
        for line in file:
            try:
                yield line.decode("utf-8-sig")
            except UnicodeDecodeError:
                yield line.decode("latin-1")


def _path_in(folder: str, *names: str) -> str:
    """Return the path of the first of the names that is in a folder, plain or compressed."""
    for name in names:
        for end in ("", _ZIPPED):
            path = os.path.join(folder, name + end)
            if os.path.isfile(path):
                return path
    raise UsageError(f"{folder} has no {names[0]}", hint="is it the right --format?")


def _file_names(folder: str) -> list[str]:
    """Return the names of the files of a folder, hidden ones left out."""
    return sorted(
        name for name in os.listdir(folder)
        if name[0] != "." and os.path.isfile(os.path.join(folder, name))
    )  # fmt: skip


def _has_file(folder: str, name: str) -> bool:
    """Say whether a folder has a file of this name, plain or compressed."""
    return any(os.path.exists(os.path.join(folder, name + end)) for end in ("", _ZIPPED))


def _is_grade(text: str) -> bool:
    """Say whether a text is a grade: a number, which may be negative."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _gold_by_question(judged: Iterable[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    """Return the documents that answer each question, by (question, document, grade). What nobody
    finds relevant is left out; so is a question to which nothing is."""
    gold: dict[str, dict[str, float]] = {}
    for question, document, worth in judged:
        if worth > 0:
            gold.setdefault(question, {})[document] = worth
    return gold


CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_UNANSWERABLE = 5
_TURN = re.compile(r"D\d+:\d+")
_LOCOMO_TIME = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023


def _is_locomo(value: Any) -> bool:
    """Say whether a JSON value is this set."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and {"conversation", "qa"} <= first.keys()


def locomo_documents(path: str) -> Rows:
    """Yield a row for each turn."""
    number = 0
    for name, sample in _conversations(path):
        place = 0
        for session, at, turns in _locomo_sessions(sample["conversation"]):
            for turn in turns:
                number, place = number + 1, place + 1
                yield number, {
                    "content": _turn_text(turn), "source_turn": f"{name}/{turn['dia_id']}",
                    "origin": _locomo_origin(name), "created_at": at,
                    "session": f"{name}/{session}", "turn": place, "speaker": turn["speaker"],
                }  # fmt: skip


def locomo_questions(path: str) -> Rows:
    """Yield a row for each question; the turns that are its evidence are its gold."""
    number = 0
    for name, sample in _conversations(path):
        turns = {turn["dia_id"] for _, _, some in _locomo_sessions(sample["conversation"])
                 for turn in some}  # fmt: skip
        for place, one in enumerate(sample["qa"]):
            number += 1
            if one.get("category") == _UNANSWERABLE:
                continue
            named = _TURN.findall(" ".join(map(str, one.get("evidence") or ())))
            gold = [f"{name}/{turn}" for turn in dict.fromkeys(named) if turn in turns]
            row = {"id": f"{name}/q{place}", "query": str(one["question"]),
                   "origin": _locomo_origin(name),
                   "category": CATEGORIES.get(one.get("category"), "other")}  # fmt: skip
            # Some questions name no turn that there is: they cannot be measured.
            yield number, row | ({"gold": dict.fromkeys(gold, 1)} if gold else {})


def _conversations(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    value = _json_value(path)
    if not _is_locomo(value):
        raise UsageError(f"{path} is not a file of LoCoMo", hint="give locomo10.json")
    for place, sample in enumerate(value, 1):
        yield str(sample.get("sample_id", f"conv-{place}")), sample


def _locomo_sessions(
    conversation: dict[str, Any],
) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Yield the sessions in their order: name, time, turns."""
    number = 1
    while f"session_{number}_date_time" in conversation or f"session_{number}" in conversation:
        name = f"session_{number}"
        turns = conversation.get(name) or []
        if turns:
            said = str(conversation.get(f"{name}_date_time", ""))
            yield name, _instant(said.strip(), _LOCOMO_TIME, said), turns
        number += 1


def _instant(text: str, form: str, said: str) -> str:
    """Return a time of a form, as ISO has it; `said` is how the set states it."""
    try:
        at = datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError as error:
        raise UsageError(f"{said!r:.40} is no time of a session") from error
    return at.isoformat()


def _turn_text(turn: dict[str, Any]) -> str:
    image = turn.get("blip_caption")
    shared = f" [shared image: {image}]" if image else ""
    return f"{turn['speaker']}: {turn['text']}{shared}"


def _locomo_origin(name: str) -> str:
    return f"channel:locomo/{name}/all"


_NO_ANSWER = "_abs"


def _is_longmemeval(value: Any) -> bool:
    """Say whether a JSON value is this set."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and {"haystack_sessions", "question_id"} <= first.keys()


def longmemeval_documents(path: str) -> Rows:
    """Yield a row for each turn of each history."""
    number = 0
    for one in _histories(path):
        for session, at, turns in _longmemeval_sessions(one):
            for place, turn in enumerate(turns):
                if not str(turn.get("content", "")).strip():
                    continue
                number += 1
                yield number, {
                    "content": str(turn["content"]),
                    "source_turn": f"{session}#{place}", "origin": _longmemeval_origin(one),
                    "created_at": at, "session": session, "turn": place,
                    "role": turn.get("role"),
                }  # fmt: skip


def longmemeval_questions(path: str) -> Rows:
    """Yield a row for each question, asked when the set says."""
    for number, one in enumerate(_histories(path), 1):
        name = str(one["question_id"])
        row: dict[str, Any] = {
            "id": name, "query": str(one["question"]), "origin": _longmemeval_origin(one),
            "category": one.get("question_type"),
        }  # fmt: skip
        if one.get("question_date"):
            row["now"] = _longmemeval_instant(str(one["question_date"]))
        gold = [] if name.endswith(_NO_ANSWER) else [
            f"{session}#{place}" for session, _, turns in _longmemeval_sessions(one)
            for place, turn in enumerate(turns) if turn.get("has_answer")
        ]  # fmt: skip
        if gold or name.endswith(_NO_ANSWER):
            row["gold"] = dict.fromkeys(gold, 1)
        yield number, row


def _histories(path: str) -> list[dict[str, Any]]:
    value: Any = _json_value(path)
    if not _is_longmemeval(value):
        raise UsageError(
            f"{path} is not a file of LongMemEval",
            hint="give longmemeval_s.json, longmemeval_m.json or longmemeval_oracle.json",
        )
    return value  # type: ignore[no-any-return]


def _longmemeval_sessions(one: dict[str, Any]) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Yield the sessions of a history: name, time, turns. One that comes twice counts once."""
    sessions = one["haystack_sessions"]
    names = one.get("haystack_session_ids") or [f"s{place}" for place in range(len(sessions))]
    seen = set[str]()
    for name, date, turns in zip(names, one["haystack_dates"], sessions, strict=True):
        if name not in seen:
            yield str(name), _longmemeval_instant(str(date)), turns
        seen.add(name)


def _longmemeval_instant(text: str) -> str:
    """Return a time such as `2023/05/20 (Sat) 02:21`."""
    day, _, rest = text.strip().partition(" ")
    clock = rest.rpartition(" ")[2] or "00:00"
    return _instant(f"{day} {clock}", "%Y/%m/%d %H:%M", text)


def _longmemeval_origin(one: dict[str, Any]) -> str:
    return f"channel:longmemeval/{one['question_id']}/all"


_SPLITS = ("test", "dev", "train")


def _is_beir(folder: str) -> bool:
    """Say whether a folder is a set of this form."""
    return _has_file(folder, "corpus.jsonl") and os.path.isdir(f"{folder}/qrels")


def beir_documents(folder: str) -> Rows:
    """Yield a row for each document: its title and its text."""
    for number, row in _json_lines(_path_in(folder, "corpus.jsonl")):
        if not isinstance(row, dict):
            yield number, row
            continue
        text = "\n".join(part for part in (row.get("title"), row.get("text")) if part)
        if text.strip():
            yield number, {"content": text, "source_turn": str(row.get("_id"))}


def beir_questions(folder: str) -> Rows:
    """Yield a row for each question that somebody has judged."""
    gold = _gold_by_question(_beir_judgements(folder))
    for number, row in _json_lines(_path_in(folder, "queries.jsonl")):
        if not isinstance(row, dict):
            yield number, row
        elif str(row.get("_id")) in gold:
            name = str(row["_id"])
            yield number, {"id": name, "query": row.get("text"), "gold": gold[name]}


def _beir_judgements(folder: str) -> Iterator[tuple[str, str, float]]:
    """Yield (question, document, grade) of the split for tests, else of another."""
    path = _path_in(folder, *(f"qrels/{split}.tsv" for split in _SPLITS))
    for number, line in enumerate(_text_lines(path), 1):
        cells = line.split("\t")
        if number == 1 and not _is_grade(cells[-1].strip()):
            continue  # the header
        if len(cells) == 3:
            yield cells[0], cells[1], float(cells[2])


_TOPICS, _JUDGEMENTS = ("topic", "quer"), "qrel"
_NAME = re.compile(r"<DOCNO>\s*(.*?)\s*</DOCNO>", re.IGNORECASE | re.DOTALL)
_PARTS = re.compile(r"<(TITLE|HEAD|HEADLINE|HL|TEXT|BODY)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,200}>")
_TOPIC_NUMBER = re.compile(r"<num>\s*(?:Number:)?\s*([^\s<]+)", re.IGNORECASE)
_TOPIC_TITLE = re.compile(r"<title>\s*(?:Topic:)?\s*(.*?)\s*(?=<|\Z)", re.IGNORECASE | re.DOTALL)
_COLUMNS = 4


def _is_trec(folder: str) -> bool:
    """Say whether a folder is a set of this form."""
    names = [name.lower() for name in _file_names(folder)]
    return any(_JUDGEMENTS in name for name in names) and any(
        word in name for name in names for word in _TOPICS
    )


def trec_documents(folder: str) -> Rows:
    """Yield a row for each document: what stands between its tags."""
    number = 0
    for path in _document_files(folder):
        for part in _between(_text_lines(path), "doc"):
            name = _NAME.search(part)
            text = _document_text(part[name.end() :] if name else part)
            if name and text:
                number += 1
                yield number, {"content": text, "source_turn": name[1]}


def trec_questions(folder: str) -> Rows:
    """Yield a row for each topic that somebody has judged; its title is the question."""
    path = _trec_file(folder, _JUDGEMENTS)
    gold = _gold_by_question(
        (cells[0], cells[2], float(cells[3]))
        for cells in (line.split() for line in _text_lines(path))
        if len(cells) == _COLUMNS and _is_grade(cells[3])
    )
    for number, (name, text) in enumerate(_topics(_trec_file(folder, *_TOPICS)), 1):
        known = next((one for one in (name, name.lstrip("0")) if one in gold), None)
        if known is not None:
            yield number, {"id": known, "query": text, "gold": gold[known]}


def _topics(path: str) -> Iterator[tuple[str, str]]:
    """Yield (number, question) of the topics: between tags, or a line with a tab each."""
    lines = list(_text_lines(path))
    if not any("<top" in line.lower() for line in lines):
        cells = (line.rstrip("\r\n").partition("\t") for line in lines)
        yield from ((name, text) for name, tab, text in cells if tab)
        return
    for part in _between(lines, "top"):
        name, title = _TOPIC_NUMBER.search(part), _TOPIC_TITLE.search(part)
        if name and title:
            yield name[1], " ".join(title[1].split())


def _between(lines: Iterable[str], name: str) -> Iterator[str]:
    """Yield what stands between the tags of a name, wherever on their lines these stand. A part
    whose end is missing ends where the next begins, or with the file."""
    first = re.compile(rf"<{name}(?:\s[^<>]{{0,200}})?>", re.IGNORECASE | re.ASCII)
    last = re.compile(rf"</{name}\s*>", re.IGNORECASE | re.ASCII)
    inside: list[str] | None = None
    for line in lines:
        rest = line
        while rest:
            if inside is None:
                start = first.search(rest)
                rest = rest[start.end() :] if start else ""
                inside = [] if start else None
                continue
            end = first.match(rest.lstrip()) or last.search(rest)
            if end is None:
                inside.append(rest)
                break
            is_end = end.re is last
            yield "".join([*inside, rest[: end.start()] if is_end else ""])
            inside = None
            rest = rest[end.end() :] if is_end else rest
    if inside:
        yield "".join(inside)


def _document_text(part: str) -> str:
    """Return the words of a document: of its title and text where it names them, else all."""
    named = [found[1] for found in _PARTS.findall(part)]
    plain = _TAG.sub(" ", "\n".join(named) if named else part)
    return "\n".join(line for line in (" ".join(one.split()) for one in plain.split("\n")) if line)


def _trec_file(folder: str, *words: str) -> str:
    for name in _file_names(folder):
        if any(word in name.lower() for word in words) and (
            _JUDGEMENTS in words or _JUDGEMENTS not in name.lower()
        ):
            return f"{folder}/{name}"
    raise UsageError(
        f"{folder} has no file of {'judgements' if _JUDGEMENTS in words else 'topics'}",
        hint=f"its name must hold {' or '.join(words)}",
    )


def _document_files(folder: str) -> list[str]:
    words = (*_TOPICS, _JUDGEMENTS)
    return [f"{folder}/{name}" for name in _file_names(folder)
            if not any(word in name.lower() for word in words)]  # fmt: skip


def is_own_set(folder: str) -> bool:
    """Say whether a folder is a set of this form."""
    return _has_file(folder, "corpus.jsonl") and _has_file(folder, "queries.jsonl")


def own_documents(folder: str) -> Rows:
    """Yield the rows of the corpus."""
    return _json_lines(_path_in(folder, "corpus.jsonl"))


def own_questions(folder: str) -> Rows:
    """Yield the rows of the questions."""
    return _json_lines(_path_in(folder, "queries.jsonl"))


@record
class Form:
    """How a set of one form is read, by its path: rows with their numbers."""

    documents: Callable[[str], Rows]
    questions: Callable[[str], Rows]


FORMS: Mapping[str, Form] = {
    "locomo": Form(locomo_documents, locomo_questions),
    "longmemeval": Form(longmemeval_documents, longmemeval_questions),
    "beir": Form(beir_documents, beir_questions),
    "trec": Form(trec_documents, trec_questions),
    "own": Form(own_documents, own_questions),
}
JSONL = "jsonl"
FOLDERS = ("beir", "trec", "own")
_HEAD = 1 << 16


def form_of(path: str) -> str:
    """Return the form of a file or folder; what is none of the sets is questions of one's own."""
    if path == "-":
        return JSONL
    if os.path.isdir(path):
        if _is_beir(path):
            return "beir"
        return "trec" if _is_trec(path) and not is_own_set(path) else "own"
    with open_file(path) as file:
        head = file.read(_HEAD).lstrip()
    if head[:1] != b"[":
        return JSONL
    if b'"haystack_' in head or b'"question_id"' in head:
        return "longmemeval"
    return "locomo" if b'"conversation"' in head or b'"qa"' in head else JSONL
