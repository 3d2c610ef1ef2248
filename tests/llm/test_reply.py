"""What a reply says, by the reference and beyond it."""

from __future__ import annotations

import json
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import deviation, golden, joined
from tideline_cli.llm import prompts
from tideline_cli.llm.reply import (
    DistilledItem,
    Draft,
    Extracted,
    Reference,
    archive_reasons,
    archive_request,
    balanced_objects,
    extracted,
    items,
    relationships,
    unechoed,
)
from tideline_cli.model.record import as_dict

CASES = golden("llm_parsing")
PARSERS = (balanced_objects, archive_request, extracted, relationships, items)
ITEMS = {
    case["text"]: differs for case in CASES["extraction"] for part, differs in (
        ('"segment":"nope"', {"facts": [
            {"content": "ok", "segment": "knowledge"}, {"content": "good", "segment": "knowledge"},
            {"content": "trim", "segment": "project", "corrects": "old"}]}),
        ('[null,1,"x"]', {"facts": [{"content": "x", "segment": "knowledge"}]}),
        ('[{"content":"x","segment":"knowledge"}]',
         {"facts": [{"content": "x", "segment": "knowledge"}], "parsedJson": True}),
        ("{}", {"parsedJson": False}),
    ) if part in case["text"] and (part != "{}" or case["text"] == part)
}  # fmt: skip
TEA = {"kind": "preference", "text": "likes tea", "confidence": 0.9}
TEA_ITEM = DistilledItem("preference", "likes tea", 0.9)
DOG = {"kind": "fact", "text": "has a dog", "confidence": 1}
DOG_ITEM = DistilledItem("fact", "has a dog", 1.0)


def shown(value):
    """Return a record as the reference writes it: what is absent has no key."""
    return {name: field for name, field in as_dict(value).items() if field is not None}


@joined("case", CASES["balanced"])
def test_balanced_objects(case):
    """The top-level objects of a text are those of the reference."""
    assert balanced_objects(case["text"]) == case["objects"]


@joined("case", CASES["consolidation"])
def test_archive_ids(case):
    """The ids to archive are those of the reference."""
    if case["text"] == '{"archive":["a"]':
        assert deviation("reply_items")
        case = case | {"archive": ["a"]}
    assert (archive_request(case["text"]) or []) == case["archive"]


@joined("case", CASES["extraction"])
def test_extraction(case):
    """The facts, and whether the reply could be read, are those of the reference."""
    found = extracted(case["text"])
    if case["text"] in ITEMS:
        assert deviation("reply_items")
        case = {**case, **ITEMS[case["text"]]}
    assert [shown(draft) for draft in found.facts] == case["facts"]
    assert found.parsed == case["parsedJson"]


@pytest.mark.parametrize("case", CASES["relationships"], ids=lambda case: case["text"])
def test_relationships(case):
    """The edges are those of the reference."""
    assert [shown(reference) for reference in relationships(case["text"]) or ()] == case["refs"]


@joined(
    "text, wanted",
    [
        ('{"archive":[]}', []),
        ('{"archive":[1]}', None),
        ('{"archive":["a",1]}', ["a"]),
        ('{"archive":[],"error":"overloaded"}', None),
        ('{"archive":["a"],"error":null}', ["a"]),
        ("garbage", None),
        ("{}", None),
        ('{"archive":"a"}', None),
        ('{"archive":["a"]', ["a"]), ('{"archive":["a","b', None), ('{"archive":[]', None),
        ("{'archive': ['a', \"b's\"]}", ["a", "b's"]),
        ('{"archive":["a"],"archive":["b"]}', ["b"]),
        ('{"archive":["a"]} {"archive":["b"]}', ["b"]),
        ('{"archive":["id","id"],"because":{"id":{"by":"id","reason":"…"}}}', None),
        ('Sure! <think>{"archive":["a"]}</think> {"archive":["b"]}', ["b"]),
        ('<reasoning>{"archive":["a"]}</reasoning>{"archive":["b"]}', ["b"]),
        ('x [THINK]{"archive":["a"]}[/THINK] {"archive":["b"]} [THINK]{"archive":["a"]}[/THINK]',
         ["b"]),
        ('<Thought type="x">{"archive":["a"]}</Thought>{"archive":["b"]}', ["b"]),
        ('<analysis>\n{"archive":["a"]} {\n</analysis>\n{"archive":["b"]}', ["b"]),
        ('◁think▷{"archive":["a"]}◁/think▷{"archive":["b"]}', ["b"]),
        ('<|begin_of_thought|>{"archive":["a"]}<|end_of_thought|>{"archive":["b"]}', ["b"]),
        ('<|channel|>analysis<|message|>{"archive":["a"]}<|end|><|start|>assistant<|channel|>final'
         '<|message|>{"archive":["b"]}<|return|>', ["b"]),
        ('hm {"archive":["a"]} so </reasoning> {"archive":["b"]}', ["b"]),
        ('{"archive":["a"]} <reasoning>was that right? {"archive":["c"]}', ["a"]),
        ('{"archive":["a <think> b </think> c"]}', ["a <think> b </think> c"]),
        ('{"archive":["a\\ud800"]}', ["a\ufffd"]),
        ('{"n":NaN,"archive":["a"]} {"archive":["b"]}', ["b"]),
        ('{"archive":["a",],}', ["a"]),
        ('5" disks } {"archive":["a"]}', ["a"]),
        ('{"archive":["a\\"}","\\\\"]}', ['a"}', "\\"]),
        ('{"never closed {"archive":["a"]}', None),
        ('<think>{"archive":["a"]}</think>{"archive":["b"]}', ["b"]),
        ('thoughts {"archive":["a"]}\n</think>\n\n{"archive":["b"]}', ["b"]),
        ('<think>{"archive":["a"]} and then it was cut', None),
        ('{"why":"a </think> tag, <think>","archive":["a"]}', ["a"]),
    ],
)
def test_archive_request(text, wanted):
    """The last strict object with a list counts, outside strings and thoughts; else nothing."""
    assert archive_request(text) == wanted


def test_an_extraction_with_edges():
    """One reply gives facts and edges; numbers that are none are absent."""
    text = json.dumps(
        {
            "facts": [
                {"content": " a ", "segment": "knowledge", "importance": True, "corrects": 7},
                {"content": "b", "segment": "project", "importance": 0.5, "corrects": "x"},
                {"content": "c \ud83d", "segment": "context", "importance": 1},
            ],
            "relationships": [{"a": "new:0", "b": "o1", "type": "uses", "reason": " r "}],
        }
    ).replace("0.5", "1e999")
    assert extracted(f"Sure:\n```json\n{text}\n```") == Extracted(
        (
            Draft("a", "knowledge"),
            Draft("b", "project", corrects="x"),
            Draft("c \ufffd", "context", 1.0),
        ),
        True,
        (Reference("new:0", "o1", "uses", " r ", None),),
    )


@pytest.mark.parametrize("text", ['{"facts":[]', '{"relationships":[]}', '{"x":{}}', "[{}, 1"])
def test_what_is_no_extraction(text):
    """A reply without the envelope is not parsed."""
    assert extracted(text) == Extracted((), False, ())


@joined(
    "said, strength",
    [("2.5", 3), ("2.49", 2), ("0.2", 1), ("1e999", None), ("-1e999", None), ("true", None),
     ("9" * 5000, None), ("1" + "0" * 300, 5), ("null", None), ('"4"', None)],
)  # fmt: skip
def test_strength(said, strength):
    """A strength is rounded, halves upwards, and kept within 1 and 5; others are absent."""
    text = f'{{"relationships":[{{"a":"p","b":"q","strength":{said}}}]}}'
    assert relationships(text) == [Reference("p", "q", None, None, strength)]


LINES = f"{json.dumps(TEA)}\n{json.dumps(DOG)}"
ARRAY = json.dumps([TEA, DOG], indent=2)


@joined(
    "text",
    [
        ARRAY,
        LINES,
        f"Here you are [as asked]:\n```json\n{ARRAY}\n```\nAnything else?",
        f"- {json.dumps(TEA)}\n- {json.dumps(DOG)}\n",
        f'<think>\n[{{"kind":"fact","text":"a draft"}}]\n</think>\n{ARRAY}',
        f'{{"items": {ARRAY}}}',
        json.dumps([1, None, {"kind": 3, "text": "x"}, {"text": "no kind"}, TEA, DOG]),
        f"{json.dumps([TEA])} was a draft; {ARRAY} and then []",
    ],
)
def test_items(text):
    """An array, lines, prose, fences and thoughts give the same items."""
    assert items(text) == [TEA_ITEM, DOG_ITEM]


@joined(
    "text, wanted",
    [
        ("[]", []),
        ("{}", None),
        ('{"items": []}', []),
        ("nothing to keep", None),
        ("", None),
        ("[1, 2]", None),
        ('{"foo": 1}', None),
        ('[{"foo": 1}]', None),
        (ARRAY[:-1], [TEA_ITEM, DOG_ITEM]),
        (ARRAY[: ARRAY.rindex('{')], [TEA_ITEM]),
        ("<think>[]", None),
        ('[{"kind": "preference", "text": "…", "confidence": 0.9}]', None),
        ('{"kind": "preference", "text": "...", "confidence": 0.9}', None),
    ],
)
def test_no_items(text, wanted):
    """An empty answer is told from one that cannot be read."""
    assert items(text) == wanted


@joined(
    "said, confidence",
    [("0.55", 0.55), ("1", 1.0), ("0", 0.0), ("-0.1", 0.0), ("1.01", 0.0), ('"0.9"', 0.0),
     ("true", 0.0), ("null", 0.0), ("1e999", 0.0), ("[0.9]", 0.0)],
)  # fmt: skip
def test_confidence(said, confidence):
    """A confidence that is no number within 0 and 1 is 0; so is one that is missing."""
    text = f'[{{"kind":"fact","text":" t ","confidence":{said}}}]'
    assert items(text) == [DistilledItem("fact", "t", confidence)]
    assert items('[{"kind":"fact","text":"t"}]') == [DistilledItem("fact", "t", 0.0)]


EMPTY_FENCE = '{"facts": []}\n```json\n{"facts": [{"content": "tea", "segment": "context"}]}\n```'


def test_the_last_whole_object_counts():
    """A draft before the answer is none, be it empty or not; an object that is cut off is none."""
    assert [draft.content for draft in extracted(EMPTY_FENCE).facts] == ["tea"]
    assert extracted(EMPTY_FENCE + ' {"facts": [').facts == extracted(EMPTY_FENCE).facts
    first = '{"relationships": [{"a": "p", "b": "q"}]}'
    assert relationships(f'{first} or rather {{"relationships": []}}') == []
    both = '{"archive": ["a"], "because": {"a": "x"}} {"archive": ["b"], "because": {"b": "y"}}'
    assert (archive_request(both), archive_reasons(both)) == (["b"], {"b": (None, "y")})


@pytest.mark.parametrize(
    "text", [f"{prompts.RELINK}\n\n[1] hi", prompts.CONSOLIDATION, prompts.FAILURE]
)
def test_our_own_examples_cannot_be_read(text):
    """The examples of our prompts are no reply, wherever they stand."""
    assert not extracted(text).parsed
    assert (archive_request(text), relationships(text), items(text)) == (None, None, None)


def test_what_has_no_edges_to_say():
    """A reply without a list of edges is told from one whose list is empty."""
    assert [relationships(text) for text in ("nope", "{}", '{"facts": []}')] == [None] * 3
    assert relationships('{"relationships": []}') == []


@pytest.mark.parametrize("prompt", ["USER: hi", "USER: " + "words " * 300])
@pytest.mark.parametrize("before", ["", " \n", "<s>"])
def test_an_echo_is_cut_off(prompt, before):
    """A program that repeats its prompt before the answer has said the answer alone; one that
    repeats it and no more has said nothing."""
    asked = f"{prompts.EXTRACTION}\n\n{prompt}"
    assert unechoed(f"{before}{asked}\n{{}}", prompts.EXTRACTION, prompt).strip() == "{}"
    assert unechoed(asked, prompts.EXTRACTION, prompt).strip() == ""
    assert unechoed("{}", prompts.EXTRACTION, prompt) == "{}"
    quoting = json.dumps({"facts": [{"content": f"said {prompt[:100]}"}]})
    assert unechoed(quoting, prompts.EXTRACTION, prompt) == quoting


DEEP = 10_000
HOSTILE = {
    "deep objects": '{"archive":' * DEEP + "1" + "}" * DEEP,
    "deep arrays": '{"facts":' + "[" * DEEP + "]" * DEEP + "}",
    "open brackets": "[{" * 200_000,
    "empty objects": "{}" * 50_000,
    "closed brackets": "}]" * 200_000,
    "quotes": '{"' * 200_000,
    "backslashes": '{"' + "\\" * 1_000_000,
    "thoughts": "\n<think>" * 100_000,
    "ends of thoughts": "x\n" + " " * 1_000_000 + "</think",
    "tags of thoughts": "[think]<reasoning>◁think▷" * 50_000,
    "ends without thoughts": "</reasoning>" * 100_000,
    "channels": "<|channel|>analysis" * 60_000,
    "one long string": '{"facts":[],"x":"' + "a" * 1_000_000 + '"}',
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_replies(text):
    """A long reply made to hurt neither fails nor takes long."""
    started = thread_time()
    for parse in PARSERS:
        parse(text)
    assert thread_time() - started < 10
    assert not archive_request(text)


@given(st.text(alphabet='{}[]"\\:, \nabfact1é\ud800<think>/', max_size=60))
def test_no_text_fails(text):
    """Whatever the text, each parser answers, and what it gives is text that UTF-8 can say."""
    for parse in PARSERS[1:]:
        repr(parse(text)).encode()
    for one in balanced_objects(text):
        assert one[0] + one[-1] == "{}"
        assert one in text


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=8))
def test_no_value_fails(value):
    """Whatever stands where a value is expected, the rest of the reply is read."""
    tea = {"content": "tea", "segment": "preference"}
    odd = {"content": value, "segment": value, "importance": value, "corrects": value}
    found = extracted(json.dumps({"facts": [value, odd, tea]}))
    holds_nan = "NaN" in json.dumps(value) or "Infinity" in json.dumps(value)
    assert found.parsed or holds_nan
    assert holds_nan or found.facts[-1] == Draft("tea", "preference")
