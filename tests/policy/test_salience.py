"""Gates on messages, and the language of what they give."""

from __future__ import annotations

import pytest

from tideline_cli.policy.salience import is_correction, is_salient
from tideline_cli.policy.scripts import agree


def test_curly_apostrophes():
    """A phone's apostrophe is as good as a typewriter's."""
    assert is_salient("I\u2019m from Lyon")
    assert is_correction("that\u2019s wrong")


@pytest.mark.parametrize("length", [3999, 4000, 4001])
def test_the_longest_message(length):
    """A message of more than 4000 characters is no statement about its author."""
    text = "i like " + "x" * (length - 7)
    assert is_salient(text) is (length <= 4000)
    assert is_salient("  " + text + "  ") is (length <= 4000)


@pytest.mark.parametrize(
    ("message", "memory", "expected"),
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
    assert agree(message, memory) is expected
