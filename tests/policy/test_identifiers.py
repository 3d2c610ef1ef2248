"""Identifiers in odd places."""

from __future__ import annotations

import time

import pytest

from tests.support import fact
from tideline_cli.policy.identifiers import found, is_private


def values(text):
    return [(one.name, one.value) for one in found(text)]


PHONE = ("phone_number", "13800138000")


@pytest.mark.parametrize(
    "text",
    ["13800138000", "8613800138000", "+8613800138000", "+86 13800138000", "86-13800138000",
     "138 0013 8000", "138-0013-8000", "+86 138 0013 8000", "+86-138-0013-8000",
     "电话13800138000。", "(+86)138-0013-8000", "13800138000 13800138000"],
)  # fmt: skip
def test_phone_numbers(text):
    """One number in all its spellings is one identifier."""
    assert values(text) == [PHONE]


@pytest.mark.parametrize(
    "text",
    ["12800138000", "1380013800", "138001380001", "010 138 0013 8000", "138-0013 8000",
     "138-0013-80001", "138-0013-8000-1", "1 138 0013 8000", "8813800138000", "1380 013 8000",
     "1986 138 0013 8000", "1386138001380001"],
)  # fmt: skip
def test_no_phone_numbers(text):
    """Digits that could be something else are left alone."""
    assert values(text) == []


def test_two_numbers():
    """Two numbers side by side are two identifiers, in the order of their kinds."""
    assert values("a@b.io 13911112222 13800138000") == [
        ("phone_number", "13911112222"), PHONE, ("email", "a@b.io"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("write to a@b.co.", "a@b.co"), ("<first.last+x@sub.example.com>",
         "first.last+x@sub.example.com"), ("邮箱a@b.cn，", "a@b.cn"), (".a.@b.co", "a@b.co"),
    ],
)  # fmt: skip
def test_mail(text, value):
    """An address ends before the punctuation of its sentence."""
    assert values(text) == [("email", value)]


@pytest.mark.parametrize(
    "text", ["a@b", "@b.co", "a@b..co", "a@.", "a@-.", "x" * 65 + "@b.co", "a@" + "b" * 260 + ".c"]
)
def test_no_mail(text):
    """What no mail server would take is no address."""
    assert values(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("今天不错。我住在上海市浦东新区世纪大道1号，欢迎来玩",
         [("address", "我住在上海市浦东新区世纪大道1号")]),
        ("上海市浦东新区世纪大道1号是什么地方？", []),
        ("上海市浦东新区世纪大道1号？", []),
        ("地址：杭州市西湖区文三路9号", [("address", "杭州市西湖区文三路9号")]),
        ("地址：家里", []),
        ("联系人：李四\n电话：13800138000\n地址：杭州市西湖区文三路9号",
         [PHONE, ("address", "李四 13800138000 杭州市西湖区文三路9号")]),
    ],
)  # fmt: skip
def test_postal_addresses(text, expected):
    """A clause with district, road and number is an address; a question about one is not."""
    assert values(text) == expected


@pytest.mark.parametrize(
    "text",
    ["1" * 20000, "a@" * 10000, "市区路" * 7000, "1 3" * 7000, "86" * 10000, "a" * 20000 + "@",
     "地址：" * 7000, "138-" * 5000, "上海市" + "路1" * 9000],
    ids=range(9),
)  # fmt: skip
def test_hostile_texts_cost_little(text):
    """No text makes the search slow."""
    started = time.perf_counter()
    found(text)
    assert time.perf_counter() - started < 1.0


def test_private():
    """A fact that is an identifier is known by kind and tag."""
    assert is_private(fact("用户邮箱: a@b.co", "a", kind="entity", tags=("email",)))
    assert not is_private(fact("Rex is a dog", "b", kind="entity"))
    assert not is_private(fact("about mail", "c", tags=("email",)))
