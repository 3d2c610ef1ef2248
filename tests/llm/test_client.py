"""Which model, with which key."""

from __future__ import annotations

import os

import pytest

from tests.support import joined
from tideline_cli.errors import UsageError
from tideline_cli.llm.client import complete
from tideline_cli.llm.model_settings import (
    Model,
    checked_model,
    excerpt,
    key_from,
    model_from,
    scalar,
)

KEY = "sk-very-secret-0123456789"


def endpoint(url, **given):
    return Model(base_url=url, name="tiny", **given)


@pytest.mark.parametrize(
    ("url", "tidy"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("HTTPS://api.example.com:8443/v1//", "https://api.example.com:8443/v1"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
        ("http://LOCALHOST", "http://LOCALHOST"),
        ("http://127.8.9.1:80", "http://127.8.9.1:80"),
        ("http://[::1]:8080/v1/", "http://[::1]:8080/v1"),
    ],
)
def test_base_urls(url, tidy):
    """HTTPS goes anywhere, HTTP to this machine; slashes at the end are dropped."""
    assert checked_model(endpoint(url)) == endpoint(tidy)


@joined(
    "url",
    [
        "http://api.example.com/v1", "http://10.0.0.1/v1", "http://0.0.0.0:1", "http://[::2]",
        "http://localhost.example.com", "http://127.0.0.1.example.com", "http://127.1",
        "http://2130706433", "http://0x7f.0.0.1", "http://localhost.", "http://[::1%25lo]",
        "http://127.0.0.1\\@example.com", "http://127.0.0.1%2eexample.com", "http://localhost@b",
        "https://user:pw@example.com", "https://@example.com", "https://example.com?key=x",
        "https://example.com/v1#x", "https://example.com/v1?", "https://example.com:99999",
        "https://example.com:x", "https://example.com:0", "https://", "https:///v1", "https://[::1",
        "ftp://localhost", "file:///etc/passwd", "localhost:11434", "", " ", "https://exa mple.com",
        "https://example.com\r\nX: y", "https://exämple.com", "http://ⓛocalhost", "//localhost",
    ],
)  # fmt: skip
def test_refused_base_urls(url):
    """Whatever else an address is, it is a usage error, also where `checked` was not asked."""
    for ask in (checked_model, lambda model: complete(model, "hello")):
        with pytest.raises(UsageError) as caught:
            ask(endpoint(url, key=KEY))
        assert caught.value.message.isprintable()
        assert "pw" not in caught.value.message


@joined(
    "model",
    [
        Model(),
        Model(name="tiny"),
        Model(base_url="https://example.com"),
        Model(base_url="https://example.com", name="  "),
        Model(command="llm", base_url="https://example.com", name="tiny"),
        Model(command=""),
        Model(command="  "),
        Model(command="llm 'unclosed"),
        Model(command="''"),
        Model(command="llm \0"),
        *(Model(command="llm", timeout=seconds) for seconds in (0, -1, 3601, float("nan"))),
        *(endpoint("https://e.com", key=key) for key in ("a b", "a\nb", "ä", "", "a\x7f")),
    ],
)
def test_refused_models(model):
    """A model is one command, or a base URL and a name; its key can be sent."""
    with pytest.raises(UsageError):
        checked_model(model)


def test_the_key_is_not_shown():
    """No form of a model that a log or a traceback would print holds the key."""
    model = endpoint("https://example.com", key=KEY)
    assert repr(model) == (
        "Model(command=None, base_url='https://example.com', name='tiny', "
        "key='[key]', timeout=60.0)"
    )
    assert f"{model} {model!s} {[model]}".count(KEY) == 0
    with pytest.raises(UsageError) as caught:
        checked_model(endpoint("https://example.com", key=KEY + "\n"))
    assert KEY not in str(caught.value)


def test_the_key_of_the_environment(tmp_path):
    """The environment's key is taken when no file is named; blank is none."""
    assert key_from({"TIDELINE_API_KEY": f" {KEY}\n"}, None) == KEY
    assert key_from({"TIDELINE_API_KEY": " "}, None) is None
    assert key_from({}, None) is None
    file = tmp_path / "key"
    file.write_text("other\n")
    file.chmod(0o600)
    assert key_from({"TIDELINE_API_KEY": KEY}, str(file)) == "other"


def test_a_key_file_is_private(tmp_path):
    """A key file that anybody else could read is refused, with what to do."""
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    for mode in (0o644, 0o640, 0o604, 0o620, 0o601):
        file.chmod(mode)
        with pytest.raises(UsageError) as caught:
            key_from({}, str(file))
        assert caught.value.message == f"{file} can be read by others"
        assert caught.value.hint == f"chmod 600 {file}"
    for mode in (0o600, 0o400):
        file.chmod(mode)
        assert key_from({}, str(file)) == KEY


def test_a_key_file_is_ours(tmp_path, monkeypatch):
    """A key file of somebody else is refused."""
    file = tmp_path / "key"
    file.write_text(KEY)
    file.chmod(0o600)
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    with pytest.raises(UsageError, match="is not a regular file of yours"):
        key_from({}, str(file))


def test_a_key_file_in_the_home(tmp_path):
    """A tilde stands for the home, as a config file would say it."""
    file = tmp_path / "key"  # HOME is tmp_path
    file.write_text(KEY)
    file.chmod(0o600)
    assert key_from({}, "~/key") == KEY


def test_what_is_no_key_file(tmp_path):
    """Links, folders, pipes, missing and empty files are refused without waiting."""
    real = tmp_path / "real"
    real.write_text(KEY)
    real.chmod(0o600)
    (tmp_path / "link").symlink_to(real)
    (tmp_path / "folder").mkdir(mode=0o700)
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "empty").touch(0o600)
    for name in ("link", "folder", "pipe", "empty", "missing", "nul\0"):
        with pytest.raises(UsageError) as caught:
            key_from({"TIDELINE_API_KEY": KEY}, str(tmp_path / name))
        assert KEY not in str(caught.value)
        assert caught.value.message.isprintable()


def test_model_from_settings(tmp_path):
    """A command needs no key, so none is read; an endpoint gets the one that is named."""
    environ = {"TIDELINE_API_KEY": KEY}
    assert model_from(environ, command="llm -m x", key_file="/missing") == Model(command="llm -m x")
    assert model_from(environ, base_url="https://e.com/", name="tiny", timeout=5) == endpoint(
        "https://e.com", key=KEY, timeout=5
    )
    with pytest.raises(UsageError):
        model_from({"TIDELINE_API_KEY": "two words"}, base_url="https://e.com", name="tiny")


def test_foreign_text():
    """Text from outside becomes one printable line without the key, cut to 200 characters."""
    assert excerpt("a\x1b[2J\r\n\tb \u202ec\u200b", None) == "a [2J b c"
    assert excerpt(f"x{KEY}y", KEY) == "x[key]y"
    assert excerpt("x" * 190 + KEY, KEY) == "x" * 190 + "[key]"
    assert excerpt("é" * 300, None) == "é" * 199 + "…"
    assert scalar("a\ud83d\ude00b\ud800") == "a😀b\ufffd"
