"""Passwords, keys and card numbers in texts, and what only looks like them."""

from __future__ import annotations

import time

import pytest

from tideline_cli.memory.secret_screening import NAMELESS
from tideline_cli.policy import secret_cues
from tideline_cli.policy.secret_cues import may_hold
from tideline_cli.policy.secrets import MARK, holds, kinds_in, without

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
BY_KIND = (
    ("aws_key", "ASIAY34FZKBOKMUTVV7A"), ("stripe_key", "sk_" + "live_" + "4eC39HqLyjWDarjtT1zd"),
    ("slack_token", "xox" + "p-123456789012-abcdefGHIJ"), ("npm_token", "npm_" + "aB3" * 12),
    ("pypi_token", "pypi-AgEIcHlwaS5vcmc" + "Cd3" * 8), ("google_key", "GOCSPX-" + "a1B2" * 6),
    ("gitlab_token", "glrt-abcdefghijklmnopqrst"), ("github_token", "gho_" + "a1B2c3" * 6),
    ("api_key", "sk-" + "proj-" + "a1B2c3D4" * 4), ("jwt", "eyJhbGciOiJI.eyJzdWIiOiIx.abc"),
    ("url_password", "postgres://app:s3cr3t@db/x"), ("url_password", "redis://:hunter2@cache/0"),
    ("url_password", "mongodb+srv://u:pw-12@c0.example.net/db"),
    ("private_key", "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----"),
    ("random_key", "the deploy key of staging (rotated in May) 9fXk2Lq8ZbR7tYw3VmNcPq5s"),
    ("random_key", "wJalrXUtnFEMI7K7MDENG3bPxRfiCYEXAMPLEKEY, the credential of the bucket"),
    ("random_key", "auth for the hub, see 5f4dcc3b5aa765d61d8327deb882cf99"),
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
    "the key commit is 5f4dcc3b5aa765d61d8327deb882cf99a0b1c2d3", "sk-learn-contrib-extensions",
    "the key fact is 01M81EFF2T6R2P8B3BCN8AEN28", "pk-something-with-many-words-in-it",
    "the function getAuthenticationTokenFromRequest is slow", "token_bucket_rate_limiter_v2",
    "post the API key to http://host.example", "the token: https://host.example/x1",
    "auth docs: https://host.example/docs/9fXk2Lq8ZbR7tYw3VmNcPq5s/index", "ssh://git@host:22/x",
    "pypi-server-with-a-very-long-package-name", "keyboard layout is Colemak 1.0",
    "the key idea: write tests first", "The passport expires in 2031", "token: see the vault",
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


@pytest.mark.parametrize(("kind", "text"), BY_KIND)
def test_kinds(kind, text):
    """Each secret has a kind, which says no more than what made it."""
    assert kinds_in(f"use {text} now") == (kind,)
    left, count = without(f"use {text} now")
    assert count == 1 and MARK in left and without(left) == (left, 0)


def test_a_text_without_cue_holds_no_secret():
    """What the quick look lets pass holds nothing: all that is found has a cue, in any case."""
    for text in (*(text for text, _ in STATED), *KEYS, *CARDS, *(text for _, text in BY_KIND)):
        for form in (text, text.upper(), text.title(), f"so {text}", text + "."):
            assert may_hold(form) or without(form)[1] == 0, form


def test_false_alarms():
    """Of ordinary facts of every kind at most one in a thousand looks like a secret."""
    found = [text for text in ordinary() if without(text)[1]]
    assert len(found) <= len(ordinary()) / 1000, found[:5]


def ordinary():
    """Return 2,400 facts as people and programs say them."""
    whose = ("The deploy key", "My login token", "The session secret", "Auth", "The pass",
             "The code", "The API", "The pin board", "Our keyboard", "The author",
             "Password policy", "It")
    does = ("lives in the vault", "rotates every 90 days", "is checked by CI since v2.14.0",
            "moved to host-17.example.org", "was reviewed by Kim on 2026-03-14", "costs 4,500 EUR",
            "is described at https://docs.example.org/a/b#c", "is the topic of issue #4711",
            "uses order 2026-0314-77", "needs Python >= 3.11", "belongs to ann@example.org",
            "was built from commit 9f2c1ab", "takes 300 ms", "has the id 550e8400-e29b-41d4",
            "is called get_user_by_id", "opens at 8:30", "has the number +41 44 668 18 00",
            "is on shelf B-12", "is described in RFC 6749", "fits IBAN CH93 0076 2011 6238 5295 7")
    ends = ("", ".", " now", ", says Lee", " (see the wiki)", "!", "; ask Ada", " again", " - done",
            " ?")
    return [f"{one} {two}{three}" for one in whose for two in does for three in ends]


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
     "A" * 400_000, "secret of a b c " * 30_000, "sk-" * 100_000, "token for a" * 40_000,
     "key " + "aB3" * 130_000 + "@", "key aB3aB3aB3aB3aB3aB3aB3aB3 " * 15_000, "key_" * 100_000,
     "pypi-" + "a" * 400_000, "pk_" * 130_000],
    ids=range(17),
)  # fmt: skip
def test_hostile_texts_cost_little(text):
    """No text makes the search slow."""
    started = time.process_time()
    without(text)
    assert time.process_time() - started < 3


@pytest.mark.parametrize("text", [text for text, _ in STATED])
@pytest.mark.parametrize("turned", [str, str.upper, str.title])
def test_what_ascii_cannot_hold_is_not_asked_of_it(text, turned, monkeypatch):
    """An ASCII text is asked for the cues that it can hold; the answer is that of all cues."""
    texts = [turned(text), turned(text)[:11], turned(text).replace("pass", "past")]
    asked = [secret_cues.may_be_named(one) for one in texts]
    monkeypatch.setattr(secret_cues, "_STRONG_ASCII", secret_cues._STRONG)
    monkeypatch.setattr(secret_cues, "_WEAK_ASCII", secret_cues._WEAK)
    assert [secret_cues.may_be_named(one) for one in texts] == asked


@pytest.mark.parametrize("name", sorted(NAMELESS))
def test_names_that_are_not_looked_at(name):
    """The names of fields hold no secret and say none of their values."""
    assert without(name) == (name, 0)
    assert not secret_cues.may_be_named(f"{name}:")


@pytest.mark.parametrize("text", ["la contrasena es gato1", "LA CONTRASENA: gato1",
                                  "la contraſeña: gato1", "la contrasen\u0303a es gato1"])
def test_a_password_in_spanish_is_looked_for(text):
    """In whatever letters it is named, the word for a password is a cue; it names one in the form
    that texts are stored in."""
    assert secret_cues.may_be_named(text)
    assert holds(text) == ("\u0303" not in text)


@pytest.mark.parametrize("text", ["the contract is signed", "Contractors disagree on Contrast"])
def test_a_contract_is_no_password(text):
    """An everyday word that begins like the one for a password is no cue."""
    assert not secret_cues.may_be_named(text)
    assert secret_cues.is_plain_word("contract")
    assert not secret_cues.is_plain_word("contrasena")
