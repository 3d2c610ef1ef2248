"""Passwords, keys and card numbers in texts, and what only looks like them."""

from __future__ import annotations

import time

import pytest

from tideline_cli.policy.secrets import MARK, holds, without

STATED = (
    ("my password is hunter2", "hunter2"), ("My Password: swordfish", "swordfish"),
    ("my password is correcthorse.", "correcthorse"), ("password hunter2", "hunter2"),
    ("my password's hunter2", "hunter2"), ("the wifi password for the cabin is Heron9", "Heron9"),
    ("my password is 'open sesame now'", "open sesame now"), ("pwd=xyz!42", "xyz!42"),
    ("the passphrase is `a-b-c-d`", "a-b-c-d"), ("my pin is 4321", "4321"),
    ("用户的密码是hunter2", "hunter2"),
    ("密码：abc123，谢谢", "abc123"), ("密碼是芝麻开门", "芝麻开门"),
    ("验证码 482913", "482913"), ("пароль: котик", "котик"), ("パスワードはneko7です", "neko7"),
    ("mon mot de passe est chat99", "chat99"), ("Passwort ist Katze7", "Katze7"),
    ("la contraseña es gato1", "gato1"), ("OPENAI_API_KEY=abcdef123456", "abcdef123456"),
    ("export DB_PASSWORD='s3cret'", "s3cret"), ("api key is 7f3a9c", "7f3a9c"),
    ("https://bob:pw12@host.example/x", "bob:pw12"),
)  # fmt: skip
KEYS = (
    "sk-abcdefghijklmnopqrstuvwxyz123456", "sk-" + "ant-" + "a1b2" * 6,
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "github_pat_abcdefghijklmnopqrstuvwxyz0123",
    "AKIAIOSFODNN7EXAMPLE", "AIzaSyA1234567890abcdefghijklmnopqrstuv", "xox" + "b-" + "12345-" * 3,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijkl", "glpat-abcdefghijklmnopqrst",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz",
    "hf_abcdefghijklmnopqrstuvwxyz", "Bearer abcdefghijklmnop1234",
)  # fmt: skip
CARDS = (
    "4111 1111 1111 1111", "4111111111111111", "5555-5555-5555-4444", "378282246310005",
    "6011000990139424", "2223003122003222", "30569309025904",
)  # fmt: skip
HARMLESS = (
    "The staging password rotates on Mondays", "the password is expired", "我的密码是什么？",
    "the password is needed for login", "I prefer long passwords in a manager",
    "the passwords are stored in 1Password", "密码学是我的专业", "The door code is 1234",
    "token count is 300", "the token is valid", "the secret is patience", "the pin is red",
    "The API key lives in the vault", "the key is under the mat", "Password reset is at /reset",
    "4111 1111 1111 1112", "11010519491231002X", "622848199001014890", "13800138000",
    "order 1234567890123456", "1760000000000", "commit 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
    "my password is not hunter-like", "01KDVDNA001MCDD5ABCDEFGHJK", "see https://host.example/a@b",
)  # fmt: skip


@pytest.mark.parametrize(("text", "secret"), STATED)
def test_stated_secrets(text, secret):
    """What is said to be a password, a PIN or a key goes; the words around it stay."""
    left, count = without(text)
    assert (left, count) == (text.replace(secret, MARK), 1)
    assert holds(text) and holds(left)
    assert without(left)[0] == left


@pytest.mark.parametrize("key", KEYS)
def test_keys(key):
    """A key that its maker marks goes wherever it stands."""
    left, count = without(f"use {key} for it")
    assert (left, count) == (f"use {MARK} for it" if "-----END" in key or "BEGIN" not in key else
                             f"use {MARK}", 1)  # fmt: skip


@pytest.mark.parametrize("card", CARDS)
def test_card_numbers(card):
    """A card number that its check digit confirms goes, in all its spellings."""
    assert without(f"card {card}, thanks") == (f"card {MARK}, thanks", 1)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret(text):
    """What speaks of passwords, and numbers that are no cards, stay as they are."""
    assert without(text) == (text, 0)
    assert not holds(text)


@pytest.mark.parametrize(
    "text",
    ["password is " * 40_000, "密码" * 200_000, "4" * 400_000, "4 " * 200_000, "a_" * 200_000,
     "-----BEGIN PRIVATE KEY-----" * 10_000, "eyJ" + "a" * 400_000, "://a:" * 80_000,
     "A" * 400_000, "secret of a b c " * 30_000, "sk-" * 100_000, "token for a" * 40_000],
    ids=range(12),
)  # fmt: skip
def test_hostile_texts_cost_little(text):
    """No text makes the search slow."""
    started = time.perf_counter()
    without(text)
    assert time.perf_counter() - started < 3
