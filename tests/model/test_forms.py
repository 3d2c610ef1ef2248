"""The further forms of words: which terms stand behind those of a text."""

from __future__ import annotations

from tests.support import joined
from tideline_cli.model import text
from tideline_cli.model.forms import further, han_variants
from tideline_cli.model.text import WITH_FORMS, asked_forms, index_terms, said_terms, terms

FORMS = (
    ("İstanbul", "istanbul"),
    ("Zürich", "zurich zuerich"),
    ("Łódź", "lodz"),
    ("Straße ø", "o oe"),
    ("Þór", "thor"),
    ("ﬁsh", ""),
    ("３０５", "305"),
    ("٨ १ ৩", "8 1 3"),
    ("m²", "m2 m 2"),
    ("ёлка", "елка елк"),
    ("книгами", "книг"),
    ("Αθήνα", "αθηνα αθην"),
    ("كِتَاب", "كتاب"),
    ("המפתחות", "מפתחות"),
    ("मेज़", "मेज"),
    ("漢語", "汉 汉语 语"),
    ("サー", "さー"),
    ("mice went", ""),
    ("color", ""),
    ("F-07", "f07 7"),
    ("KX-2290/B", "kx2290b kx2290"),
    ("brca-1", "brca1"),
    ("12,500", "12500"),
    ("1,234.50", "1234"),
    ("12 500", "12500"),
    ("+1 (415) 555-2671", "5552671 14155552671 4155552671"),
    ("007", "7"),
    ("5GB", "5 gb"),
    ("E1234", "e 1234"),
    ("3fa9c1d", ""),
    ("O'Brien", "obrien"),
    ("don't", ""), ("1960s 3rd", "1960 3"),
    ("Anna's", ""),
    ("getUserName", "get user name"),
    ("user_id", "userid"),
    ("iPhone", ""),
    ("C++ C#", "cplusplus csharp"),
    ("$50 20%", "dollar percent"),
    ("€20", "euro €"),
    ("🦊 🇩🇪 👍🏽", "🦊 🇩🇪 👍"),
    ("TCP/IP", "tcpip"),
    ("10:30", ""),
    ("plain words of a sentence", ""),
    ("e-mail", ""),
)  # fmt: skip


@joined("given, wanted", FORMS)
def test_further_forms(given, wanted):
    """Behind the terms of a text stand its words in other forms, and nothing else."""
    assert sorted(index_terms(given, analyzer=WITH_FORMS).further) == sorted(wanted.split())


@joined("given", [given for given, _ in FORMS])
def test_a_text_is_compared_by_the_terms_that_it_had(given):
    """Further forms are no part of what duplicates and contradictions are told by; the analysers
    without them give none."""
    made = index_terms(given, analyzer=WITH_FORMS)
    assert made.said == terms(given, analyzer="standard")
    assert said_terms(made.joined()) == made.said
    assert made.joined().split() == [*made]
    assert len(made) == len([*made])
    for analyzer in ("standard", "reference"):
        assert index_terms(given, analyzer=analyzer).joined() == " ".join(
            terms(given, analyzer=analyzer)
        )


@joined(
    "given, form",
    [
        ("F07", "F-07"), ("TS2345", "TS-2345"), ("KX2290", "KX-2290/B"), ("obrien", "O'Brien"),
        ("48000", "48,000"), ("5 GB", "5GB"), ("node 20", "node20"), ("error 1234", "error E1234"),
        ("zuerich", "Zürich"), ("サーバー", "ｻｰﾊﾞｰ"), ("ёлка", "елка"),
        ("14155552671", "+1 415 555 2671"), ("汉语", "漢語"), ("らーめん", "ラーメン"),
        ("get user name", "getUserName"), ("أحمد", "احمد"), ("fetch url", "fetch_url"),
    ],
)  # fmt: skip
def test_both_spellings_meet(given, form):
    """A question in one spelling and a fact in the other share a term, whichever is which."""
    one, other = (set(index_terms(each, analyzer=WITH_FORMS)) for each in (given, form))
    assert one & other


@joined(
    "language, fact, question",
    [
        ("de", "Die Häuser am Fluss", "Haus"), ("fr", "les chevaux", "cheval"),
        ("es", "las ciudades grandes", "ciudad"), ("it", "le biciclette", "bicicletta"),
        ("pt", "os meninos", "menina"), ("tr", "kitaplarımız", "kitap"),
        ("pl", "książkami", "książka"), ("cs", "zahradách", "zahrada"), ("nl", "boeken", "boek"),
        ("sv", "flickorna", "flicka"),
    ],
)  # fmt: skip
def test_named_languages_have_their_stems(language, fact, question):
    """With `language` set, inflected words of that language share a stem."""
    analyzer = f"{WITH_FORMS}:{language}"
    held, asked = (set(index_terms(each, analyzer=analyzer)) for each in (fact, question))
    assert held & asked


@joined(
    "form, word",
    [("mice", "mouse"), ("went", "go"), ("knives", "knife"), ("gray", "grey"), ("left", "leave"),
     ("bought", "buy"), ("children", "child"), ("theater", "theatre"), ("better", "good")],
)  # fmt: skip
def test_a_question_asks_for_irregular_forms(form, word):
    """Each form of a word asks for all others, in the words that the analyser gives."""
    stem = text._stemmer()
    assert stem(form) in [*further.forms_of(stem(word))]
    assert stem(word) in [*further.forms_of(stem(form))]
    found = asked_forms(form, [stem(form)], analyzer=WITH_FORMS)
    assert found is not None
    assert stem(word) in found.further()


def test_no_irregular_group_is_a_group_of_one():
    """A group has two forms at least, and none of them twice; other words have none."""
    groups = [group.split() for group in further._GROUPS.strip("| ").split("|")]
    assert all(len(group) == len(set(group)) > 1 for group in groups)
    assert [*further.forms_of("table")] == []


def test_characters_have_one_simple_form():
    """No simple form is simplified again."""
    simple = han_variants.SIMPLE
    assert len(simple) > 3000
    again = {simple[code] for code in simple if simple[code].translate(simple) != simple[code]}
    assert len(again) <= 1, again


def test_plain_english_grows_little_and_marked_text_is_bounded():
    """A sentence of plain words has no further terms; a text of ids has a few for each."""
    plain = "The committee will discuss the proposal about parking near the library"
    assert index_terms(plain, analyzer=WITH_FORMS).further == ()
    ids = " ".join(f"KX-{number}/B" for number in range(1000, 1400))
    made = index_terms(ids, analyzer=WITH_FORMS)
    assert len(made.further) <= 2 * len(made.said)
