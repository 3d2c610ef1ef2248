"""Gates on messages, and the language of what they give."""

from __future__ import annotations

import time

import pytest

from tests.support import joined
from tideline_cli.policy.salience import are_in_one_script, correcting, salient


def test_curly_apostrophes():
    """A phone's apostrophe is as good as a typewriter's."""
    assert salient("I\u2019m from Lyon")
    assert correcting("that\u2019s wrong")


SPOKEN = (
    "我对花生过敏", "我在字节跳动上班", "我不吃肉", "我搬到柏林了", "我有两个孩子",
    "我喜歡喝茶", "我討厭香菜", "我對花生過敏", "我會說法語", "記住我的生日是五月",
    "I have a peanut allergy", "I don't eat meat", "I moved to Berlin", "my daughter is called Ida",
    "I was born in Lima", "J'habite à Lyon", "Je ne mange pas de viande", "ma femme est médecin",
    "私は東京に住んでいます", "猫が好きです", "Я живу в Москве", "меня зовут Иван",
    "Ich wohne in Kiel", "Me llamo Eva",
)  # fmt: skip
OBJECTED = (
    "不對", "錯了", "不是，我叫王五", "应该是周二", "No, that's not my name", "no, my name is Ann",
    "That is not what I said", "you should have asked first", "you should not use tabs",
    "Non, c'est faux", "違います、田中です", "Нет, меня зовут Пётр", "это неправильно",
    "Nein, das stimmt nicht",
)  # fmt: skip
IDLE = (
    "you should see the sunset", "the piano, please", "no problem", "没错", "what time is it?",
    "how do I build this?", "帮我查一下今天天气", "请给我看看", "Quelle heure est-il ?",
)  # fmt: skip


@joined("text", SPOKEN)
def test_plain_statements_are_heard(text):
    """Whoever says something of themselves is heard, in each of the languages."""
    assert salient(text)


@joined("text", OBJECTED)
def test_objections_are_heard(text):
    """Whoever takes something back is heard, in each of the languages."""
    assert correcting(text)


@joined("text", IDLE)
def test_what_says_nothing_of_its_author(text):
    """Requests, questions and remarks about the world cost no request."""
    assert not (salient(text) or correcting(text))


def test_a_long_message_is_heard_by_its_passages():
    """Of a message of more than 4,000 characters the marked passages are sent, wherever they
    stand, and no more of it than of a short one."""
    short = "i like " + "x" * 3993
    assert salient(short) == short
    long = "a line of a log\n" * 3000 + "I moved to Berlin in May\n" + "another line\n" * 3000
    heard = salient(long)
    assert "I moved to Berlin in May" in heard and len(heard) < 1000
    many = salient("I like tea. " * 2000)
    assert 4000 <= len(many) <= 5500
    assert salient("x" * 5000) == ""


@pytest.mark.parametrize(
    "text", ["i " * 90_000, "不是" * 90_000, "it's not " * 20_000, "我" * 180_000]
)
def test_hostile_messages_cost_little(text):
    """No message makes the gates slow."""
    started = time.thread_time()
    salient(text), correcting(text)
    assert time.thread_time() - started < 2


@joined(
    "message, memory, expected",
    [
        ("我叫东升，我住在上海", "用户名叫东升", True),
        ("我叫东升，我住在上海", "The user is called Dongsheng", False),
        ("My name is Dongsheng", "用户名叫东升", False),
        ("My name is Dongsheng", "The user is called Dongsheng", True),
        ("我用 cargo test 发布", "用户用 cargo test 发布", True),
        ("my name is 东升", "用户名叫东升", False),
        ("我用 cargo test --workspace and nothing else in this project", "uses cargo", True),
        ("меня зовут Иван", "The user is called Ivan", False),
        ("меня зовут Иван", "Пользователя зовут Иван", True),
        ("저는 서울에 살아요", "The user lives in Seoul", False),
        ("私は東京に住んでいます", "用户住在东京", True),
        ("123", "456", True),
        ("My number is 123", "123", True),
        ("123", "x", True),
    ],
)
def test_language_is_kept(message, memory, expected):
    """A memory mostly in a script that its message lacks is in another language, and reverse."""
    assert are_in_one_script(message, memory) is expected
