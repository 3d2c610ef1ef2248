"""When a candidate says the same, and what keeps it from doing so."""

from __future__ import annotations

import pytest

from tests.support import DAY, NOW, fact
from tideline_cli.policy.difference import (
    FIGURE,
    NAME,
    ORDER,
    QUANTITY,
    SPELLING,
    SYMBOL,
    WORD,
    difference,
)
from tideline_cli.policy.sameness import apart, may_be_same
from tideline_cli.policy.stated_words import stated_words
from tideline_cli.policy.survivor import enriched

SAME = (
    ("I deploy on Fridays", "I deploy on Friday"),
    ("I deploy on Fridays", "i deploy on fridays."),
    ("We use Kafka for events", "We're using Kafka for events!"),
    ("prod database runs on port 5432", "The prod database runs on port 5432"),
    ("we definitely accommodate them", "we definately accomodate them"),
    ("please receive the parcel", "please recieve the parcel"),
    ("separate endpoints", "seperate endpoints"),
    ("the e-mail address", "the email address"),
    ("a well-known fact", "a well known fact"),
    ("costs 1,000 euros", "costs 1000 euros"),
    ("he doesn't smoke", "he does not smoke"),
    ("we can't log in", "we cannot log in"),
    ("the tram stops here", "the tram is stopping here"),
    ("Anna has moved to Bern", "Anna moved to Bern"),
    ("an independent team", "an independant team"),
    ("we need the logs", "we needs the logs"),
    ("The wifi password is Sesame", "wifi password is  Sesame."),
    ("feeds are read", "feed are read"),
    ("10 KB of logs", "10 kb of logs"),
    ("10 MB of logs", "10 mb of logs"),
    ("100 Mbps of traffic", "100 mbps of traffic"),
    ("5 km of road", "5km of road"),
    ("«Zürich» is “home”", "Zürich is home"),
    ("东京在日本", "东京在日本。"),
    ("very very good tea", "very good tea"),
    ("it is in ../lib/", "it is in ../lib/."),
    ("wait ... then go", "wait... then go..."),
    ("- a list of tea", "a list of tea"),
    ("the room is \"5\", he said", "the room is 5, he said"),
    ("Ein- und Ausgang", "Ein und Ausgang"),
)
APART = (
    ("Anna owes Ben 50 euros", "Ben owes Anna 50 euros", ORDER),
    ("we migrate from MySQL to Postgres", "we migrate to MySQL from Postgres", ORDER),
    ("the cat saw a dog", "a cat saw the dog", ORDER),
    ("张三欠李四五十元", "李四欠张三五十元", ORDER),
    ("7 days and 30 weeks", "30 days and 7 weeks", ORDER),
    ("due on 2026-03-04", "due on 2026-04-03", FIGURE),
    ("grew by 1.5", "grew by 5.1", FIGURE),
    ("it is -5 outside", "it is 5 outside", FIGURE),
    ("it is \u22125 outside", "it is 5 outside", FIGURE),
    ("port 8080", "port 8081", FIGURE),
    ("key aB3xY9", "key ab3XY9", FIGURE),
    ("runs on k8s", "runs on k3s", FIGURE),
    ("we should use Kafka", "we should use Pulsar", NAME),
    ("Adam owes me", "Adams owes me", NAME),
    ("the US sent it", "the us sent it", NAME),
    ("blood type A", "blood type", NAME),
    ("likes C++", "likes C", SYMBOL),
    ("likes C#", "likes C++", SYMBOL),
    ("costs $5", "costs €5", SYMBOL),
    ("Anna is CEO", "Anna is CEO?", SYMBOL),
    ("x == y", "x != y", SYMBOL),
    ("answer 👍", "answer 👎", SYMBOL),
    ("we should use it", "we should not use it", QUANTITY),
    ("he smokes", "he doesn't smoke", QUANTITY),
    ("all servers are patched", "some servers are patched", QUANTITY),
    ("Anna was CEO", "Anna is CEO", QUANTITY),
    ("不要删除日志", "要删除日志", QUANTITY),
    ("the key is in the box", "the key is on the box", WORD),
    ("tea or coffee", "tea and coffee", WORD),
    ("my key is lost", "your key is lost", WORD),
    ("marital law", "martial law", WORD),
    ("a stationary shop", "a stationery shop", WORD),
    ("my university", "my universe", WORD),
    ("we noted it", "we not it", QUANTITY),
    ("he hopes", "he hops", WORD),
    ("synchronous calls", "asynchronous calls", WORD),
    ("nitrates in water", "nitrites in water", WORD),
    ("он не курит", "он курит", QUANTITY),
    ("the tram stops here", "the tram stopped here", WORD),
    ("Anna worked at Acme", "Anna works at Acme", WORD),
    ("we are migrating to Postgres", "we have migrated to Postgres", WORD),
    ("Bob is hiring", "Bob is hired", WORD),
    ("Anna has a doctor", "Anna is a doctor", WORD),
    ("the pin is zero zero seven", "the pin is zero seven", WORD),
    ("张丽丽住在北京", "张丽住在北京", WORD),
    ("바나나를 샀다", "바나를 샀다", WORD),
    ("wir sprechen mit dem chef", "wir sprachen mit dem chef", WORD),
    ("sie besitzen das haus", "sie besetzen das haus", WORD),
    ("a laser of 5 mW", "a laser of 5 MW", FIGURE),
    ("a laser of 5mW", "a laser of 5MW", FIGURE),
    ("a link of 100 Mb", "a link of 100 MB", FIGURE),
    ("a link of 100Mbps", "a link of 100MBps", FIGURE),
    ("the wifi password is Hunter2", "the wifi password is hunter2", SPELLING),
    ("the wifi password is Sesame", "the wifi password is sesame", SPELLING),
    ("the wifi password is sesame!", "the wifi password is sesame", SPELLING),
    ("the wifi password is cats", "the wifi password is cat", SPELLING),
    ("the API token is aBcDeFgH", "the API token is AbCdEfGh", SPELLING),
    ("das Passwort ist Geheim", "das Passwort ist geheim", SPELLING),
    ("import it from ../lib", "import it from ./lib", SYMBOL),
    ("import it from ./lib", "import it from /lib", SYMBOL),
    ("secrets are in .env", "secrets are in env", SYMBOL),
    ("it reads ~/.config/app", "it reads ~/config/app", SYMBOL),
    ("served at my-app.example.com", "served at my.app.example.com", SYMBOL),
    ("served at my-app.example.com", "served at myapp.example.com", SYMBOL),
    ("mail to ann-lee@example.com", "mail to annlee@example.com", SYMBOL),
    ("push with --force", "push with force", SYMBOL),
    ("copy with scp -P 22", "copy with scp -p 22", FIGURE),
    ("the rate is .5", "the rate is 5", FIGURE),
    ("a pipe of 5' length", "a pipe of 5\" length", SYMBOL),
    ("a pipe of 5' length", "a pipe of 5 length", SYMBOL),
    ("blood group is A-", "blood group is A", SYMBOL),
    ("the ion is Cl\u2212", "the ion is Cl", SYMBOL),
)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same(one, other):
    """Case, punctuation, articles, inflection and slips of long words part no statements."""
    assert difference(one, other) is None
    assert difference(other, one) is None


@pytest.mark.parametrize(("one", "other", "reason"), APART)
def test_apart(one, other, reason):
    """What changes a meaning parts two texts, whichever comes first, and says what it is."""
    assert difference(one, other) == reason
    assert difference(other, one) == reason


def test_a_learned_embedder():
    """Where it found the pair, common words may differ; the other vetoes hold."""
    def learned(one, other):
        return difference(one, other, learned=True)

    assert learned("My car is red", "My automobile is red") is None
    assert learned("Anna's flat is big", "Anna's apartment is large") is None
    assert learned("Anna drives a car", "Boris drives an automobile") == NAME
    assert learned("anna drives a car", "boris drives a car") == NAME
    assert learned("My car costs 5", "My automobile costs 6") == FIGURE
    assert learned("We meet on Monday", "We meet on Friday") == QUANTITY
    assert learned("The lease ends in June", "The lease ends in July") == QUANTITY
    assert learned("The report is weekly", "The report is daily") == QUANTITY
    assert learned("The door is green", "The door is blue") == QUANTITY
    assert learned("My car is red", "My automobile is not red") == QUANTITY
    assert learned("The cache is enabled", "The cache is disabled") == WORD
    assert learned("It is a typical car", "It is an atypical automobile") == QUANTITY
    assert learned("Anna moved to a flat", "Anna is moving to an apartment") == WORD
    assert learned("A car hit Anna before Ben", "An automobile hit Ben before Anna") == ORDER


def test_the_rules():
    """By the reference's rule every candidate is the same."""
    assert apart("Anna owes Ben", "Ben owes Anna", rule="reference") is None
    assert apart("Anna owes Ben", "Ben owes Anna", rule="strict") == ORDER


def test_the_short_way_refuses_nothing_that_is_the_same():
    """The check of the terms alone lets every pair through that says the same."""
    from tideline_cli.model.text import terms

    for one, other in SAME:
        both = [frozenset(terms(text, analyzer="standard")) for text in (one, other)]
        assert may_be_same(*both)
    assert not may_be_same(frozenset(("port", "8080")), frozenset(("port", "8081")))


def test_words_of_a_long_text():
    """Reading a text takes time in proportion to its length."""
    text = "a-b'c1,000.5 " * 4000
    assert len(stated_words(text)) == 4000 * len(stated_words("a-b'c1,000.5"))


def test_the_survivor_begins_at_the_earlier_beginning():
    """What stays of two twins holds since the earlier of the two, and a stated beginning that is
    later puts nothing off."""
    late = fact("Bob runs it", "L", now=NOW)
    early = fact("Bob runs it", "E", now=NOW - DAY)
    future = fact("Bob runs it", "F", now=NOW, valid_from=NOW + DAY)
    assert enriched(late, early).valid_from == NOW - DAY
    assert enriched(early, late).valid_from is None
    assert enriched(late, future).valid_from is None
    assert enriched(future, late).valid_from == NOW


@pytest.mark.parametrize("spelt", ["1,000", "1 000", "1'000", "1\u202f000", "1\u00a0000", "1_000"])
def test_thousands_are_one_figure(spelt):
    """Marks and blanks between thousands part no figures; other blanks do."""
    assert difference(f"it has {spelt} users", "it has 1000 users") is None
    assert difference(f"it has {spelt} users", "it has -1000 users") is not None
    assert difference(f"from {spelt} to 2000", f"from 2000 to {spelt}") is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("code 12 34", "code 1234"), ("code 12 34", "code 34 12"), ("call 030 123", "call 030123"),
        ("has 12 345 67", "has 12345 67"), ("has 1 0000", "has 10000"), ("at - 5 C", "at 5 C"),
        ("at \u2212 5 C", "at 5 C"), ("runs 3 - 2", "runs 3 2"), ("1 000/5 of it", "1000/5 of it"),
    ],
)  # fmt: skip
def test_blanks_and_signs_beside_figures(one, other):
    """Blanks are no thousands where the groups are no groups of three; a minus before a blank is
    still one."""
    assert difference(one, other) is not None
    assert difference(other, one) is not None
