"""Identifiers in odd places."""

from __future__ import annotations

import time

import pytest

from tests.support import fact, joined
from tideline_cli.policy.identifiers import found, is_private, is_withheld


def values(text):
    return [(one.name, one.value) for one in found(text)]


PHONE = ("phone_number", "13800138000")


@joined(
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
    ["+41 79 555 12 12", "+41795551212", "+41 (0)79 555 12 12", "call me at +41-79-555-12-12.",
     "(+41 79 555 12 12)", "+41.79.555.12.12", "tel:+41795551212"],
)  # fmt: skip
def test_phone_numbers_of_other_countries(text):
    """The international form is a phone number in every country."""
    assert values(text) == [("phone_number", "+41795551212")]


@joined(
    "text",
    ["+100 000 000 people", "+12.345.678 views", "2026-11-22T10:00:00+0100", "x+41795551212",
     "1+41795551212", "+41 79 555", "+4179555121212121212", "079 555 12 12", "+086 138 0013 80"],
)  # fmt: skip
def test_no_phone_numbers_of_other_countries(text):
    """Sums, times and numbers without a country's code are left alone."""
    assert values(text) == []


def test_a_phone_number_abroad_may_be_the_users_own():
    """Whose it is, is read from the words before it."""
    (one,) = found("my phone number is +1 (212) 555-0100")
    assert (one.value, one.is_own) == ("+12125550100", True)


@joined(
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
    started = time.thread_time()
    found(text)
    assert time.thread_time() - started < 1.0


MINE = (
    "my email is a@b.co", "My new work e-mail address is a@b.co", "my e-mail: <a@b.co>",
    "my mail is (a@b.co)", "hello,\nmy email is a@b.co", "my phone is +86 13800138000",
    "my mobile number: 138 0013 8000",
    "我的邮箱是a@b.co", "我的邮箱：a@b.co", "我手机号13800138000",
    "我的新手机号是 13800138000", "我的身份证号是11010519491231002X",
    "我住在上海市浦东新区世纪大道1号",
    "我的地址：杭州市西湖区文三路9号",
)  # fmt: skip
ANYBODYS = (
    "Please write to bob@corp.example about the invoice", "Bob's phone is 13500135000",
    "From: Bob <bob@corp.example>\nTo: me", "my boss's email is x@y.zz", "x@y.zz is not my email",
    "this is not my number: 13800138000", 'Bob said "my phone is 13500135000"',
    "Bob: my phone is 13500135000", "> my email is x@y.zz", "they know my email, x@y.zz is his",
    "手机号18674030927",
    "我老婆的电话是13800138000", "这不是我的手机号：13800138000", "他的邮箱是a@b.co",
    "张三住在上海市浦东新区世纪大道1号", "地址：杭州市西湖区文三路9号", "13800138000",
)  # fmt: skip


@joined("text", MINE)
def test_the_users_own(text):
    """What stands behind "my" is the user's own, and says so in the language of the message."""
    (one,) = found(text)
    assert one.is_own
    assert one.text.startswith("用户" if "我" in text else "The user's ")


@joined("text", ANYBODYS)
def test_anybodys(text):
    """Without "my" right before it, or quoted, or denied, nothing says whose an identifier is."""
    for one in found(text):
        assert not one.is_own
        assert not one.text.startswith(("用户", "The user"))


def test_once_and_in_a_row():
    """Said twice, an identifier is the user's if it is once; a row behind "my" is theirs."""
    (one,) = found("13800138000? yes, my phone is 13800138000")
    assert one.is_own
    assert [one.is_own for one in found("my phones are 13800138000 and 13900139000")] == [True] * 2
    assert [one.is_own for one in found("my phone is 13800138000, Bob has 13900139000")] == [
        True, False,
    ]  # fmt: skip


def test_the_language_of_what_has_no_words():
    """Digits alone are worded as the conversation is; Japanese is not Chinese."""
    assert found("13800138000", "你好")[0].text.startswith("提到的手机号")
    assert found("13800138000", "hello")[0].text.startswith("Phone number")
    assert found("私のメールは a@b.co です")[0].text.startswith("E-mail address")


def test_private():
    """A fact that is an identifier is known by kind and tag."""
    assert is_private(fact("用户邮箱: a@b.co", "a", kind="entity", tags=("email",)))
    assert not is_private(fact("Rex is a dog", "b", kind="entity"))
    assert not is_private(fact("about mail", "c", tags=("email",)))
    assert is_withheld(fact("用户邮箱: a@b.co", "a", kind="entity", tags=("email",)))
    assert is_withheld(fact("the wifi password is hunter22", "d"))
    assert not is_withheld(fact("Rex is a dog", "b", kind="entity"))
