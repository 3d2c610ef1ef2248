"""An OpenAI-compatible endpoint: what is sent, what is accepted, how long it may take."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
import threading
import traceback
from time import monotonic

import pytest

from tests.llm.server import Step, half, reply, serving
from tideline_cli.errors import TooLongError, UnavailableError
from tideline_cli.llm import endpoint, prompts
from tideline_cli.llm.client import complete
from tideline_cli.llm.model_settings import LARGEST_REPLY, Model

KEY = "sk-very-secret-0123456789"
LATE = "allow a longer timeout, or ask a faster model"


def model(server, **given):
    return Model(base_url=server.base_url, name="tiny", **({"timeout": 5.0} | given))


def failure(asked, **given):
    """Return the error of a call that must fail; the key is nowhere in it."""
    with pytest.raises(UnavailableError) as caught:
        complete(asked, "hello", **given)
    error = caught.value
    told = traceback.TracebackException.from_exception(error, capture_locals=True)
    everything = "".join(told.format()) + error.message + error.hint + repr(error) + repr(asked)
    assert KEY not in everything
    assert error.exit_code == 6
    assert error.message.isprintable()
    assert len(error.message) < 400
    return error


def test_what_is_sent():
    """A request is one POST with the model, the messages, no sampling, and the key as bearer."""
    with serving(reply("hi")) as server:
        assert complete(model(server, key=KEY), "héllo \ud800", system="be brief") == "hi"
    [request] = server.requests
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.form == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "héllo \ufffd"},
        ],
        "temperature": 0,
        "stream": False,
        "max_tokens": 4000,
    }
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"


def test_no_key_no_header():
    """Without a key there is no Authorization, and without a system text one message."""
    with serving(reply("hi")) as server:
        complete(model(server), "hello")
    [request] = server.requests
    assert "Authorization" not in request.headers
    assert request.form["messages"] == [{"role": "user", "content": "hello"}]


@pytest.mark.parametrize("text", ["", "prose {} 你好 😀", "x" * 900_000])
def test_the_reply_is_handed_through(text):
    """The content of the first choice is the reply, as it is."""
    with serving(reply(text)) as server:
        assert complete(model(server), "hello") == text


def test_a_reply_without_a_length():
    """A reply in chunks, or until the connection ends, is read too; surrogates are replaced."""
    form = json.dumps({"choices": [{"message": {"content": "hi \ud800"}}]}).encode()
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(form), form)
    chunked = Step(body=chunks, headers={"Transfer-Encoding": "chunked"})
    with serving(chunked) as server:
        assert complete(model(server), "hello") == "hi \ufffd"
    with serving(Step(body=b"%x\r\n" % len(form) + form[:9], headers=chunked.headers)) as server:
        assert failure(model(server)).message == f"{server.base_url} cut its reply short"


GOOD = reply("hi")


@pytest.mark.parametrize(
    ("steps", "asked"),
    [
        ((Step(status=500), GOOD), 2),
        ((Step(status=503), Step(status=502), GOOD), 3),
        ((Step(status=429, headers={"Retry-After": "0"}), GOOD), 2),
        ((Step(status=429, headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}), GOOD), 2),
        ((Step(reset=True), GOOD), 2),
        ((Step(status=408), GOOD), 2),
        ((Step(status=425), GOOD), 2),
    ],
)
def test_what_passes_is_tried_again(steps, asked):
    """Too many requests, errors of the server and resets are tried again, twice at most."""
    with serving(*steps) as server:
        assert complete(model(server), "hello") == "hi"
    assert len(server.requests) == asked
    assert len({request.body for request in server.requests}) == 1


@pytest.mark.parametrize("step", [Step(status=500), Step(status=429), Step(reset=True)])
def test_three_tries_are_enough(step):
    """After two retries the trouble is reported."""
    with serving(step) as server:
        error = failure(model(server, key=KEY))
    assert len(server.requests) == 3
    said = "closed the connection" if step.reset else f"answered {step.status}"
    assert error.message == f"{server.base_url} {said}"


@pytest.mark.parametrize(
    ("step", "said", "hint"),
    [
        (Step(status=400, body="no\x1b[31m\r\nway\u202e"), "answered 400: no [31m way", ""),
        (Step(401, {"error": {"message": f"bad key {KEY}"}}), "answered 401: bad key [key]",
         "set TIDELINE_API_KEY, or name a file with the key"),
        (Step(404, {"error": "no model"}), "answered 404: no model",
         "is the model's name right, and does the base URL end in /v1?"),
        (Step(418), "answered 418", ""),
        (Step(302, headers={"Location": "http://127.0.0.1:9/"}),
         "redirects elsewhere (302), which is not followed",
         "give the final address as the base URL"),
        (Step(body="<html>\n"), "replied something other than JSON: <html>", ""),
        (Step(body="[" * 100_000), "replied something other than JSON: " + "[" * 199 + "…", ""),
        (Step(body=b'{"choices":[{"message":{"content":"\xff"}}]}'),
         "replied something other than UTF-8", ""),
        (Step(body=""), "replied with nothing", ""),
        (Step(body={"choices": [{"message": {"content": []}}]}),
         'replied without a text: {"choices": [{"message": {"content": []}}]}', ""),
        (Step(body={"choices": []}), 'replied without a text: {"choices": []}', ""),
        (Step(body=[1]), "replied without a text: [1]", ""),
        (Step(body={"choices": [{"message": {"content": None}}]}),
         'replied without a text: {"choices": [{"message": {"content": null}}]}', ""),
        (Step(body={"error": {"message": f"x {KEY}" * 99}}),
         "replied without a text: " + ("x [key]" * 99)[:199] + "…", ""),
        (half("hello"), "cut its reply short", ""),
        (reply("x" * LARGEST_REPLY), "replied more than 1024 KiB", ""),
        (Step(body="x" * 2 * LARGEST_REPLY, headers={"Content-Length": "9" * 12}),
         "replied more than 1024 KiB", ""),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_refused(step, said, hint):
    """Anything but a good reply is one line, told once, after one request; one that may refuse our
    wishes alone, after another without them."""
    tries = 2 if step.status == 400 else 1
    with serving(*[step] * tries, GOOD) as server:
        error = failure(model(server, key=KEY))
    assert error.message == f"{server.base_url} {said}"
    assert error.hint == hint
    assert len(server.requests) == tries


@pytest.mark.parametrize(
    "step",
    [reply("hi", delay=20), reply("hi", drip=0.1), reply("hi", headers={"X": "y"}, drip=0.01)],
    ids=["silent", "dripping", "dripping faster"],
)  # fmt: skip
def test_the_deadline_is_for_all(step):
    """A server that is silent, or drips bytes for ever, does not outlast the timeout."""
    with serving(step) as server:
        started = monotonic()
        error = failure(model(server, key=KEY, timeout=0.3))
        took = monotonic() - started
    assert (error.message, error.hint) == (
        f"{server.base_url} gave no answer within 0.3 s",
        LATE,
    )
    assert took < 1.5


def test_no_try_after_the_deadline(monkeypatch):
    """A pause that would reach beyond the deadline is not begun, and a long one is cut."""
    monkeypatch.setattr(endpoint, "LONGEST_PAUSE", 0.05)
    with serving(Step(status=429, headers={"Retry-After": "3600"}), GOOD) as server:
        assert complete(model(server), "hello") == "hi"
    monkeypatch.setattr(endpoint, "LONGEST_PAUSE", 60)
    with serving(Step(status=429, headers={"Retry-After": "50"}), GOOD) as server:
        started = monotonic()
        assert failure(model(server)).message == f"{server.base_url} answered 429"
        assert monotonic() - started < 2
    assert len(server.requests) == 1


def test_no_thread_stays_behind():
    """A call that was given up leaves nothing that still reads."""
    with serving(reply("hi", drip=0.05)) as server:
        failure(model(server, timeout=0.2))
        ours = [t for t in threading.enumerate() if isinstance(t, endpoint._Call)]
        for thread in ours:
            thread.join(2)
        assert not any(thread.is_alive() for thread in ours)


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [("0.4", 0.4, 1.0), ("+2", 0.0, 0.2), ("-1", 0.0, 0.2), ("inf", 0.0, 0.2),
     ("Wed, 21 Oct 2015 07:28:01 GMT", 0.9, 1.6), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0, 0.2),
     ("Wed, 99 Oct 2015", 0.0, 0.2)],
)  # fmt: skip
def test_how_long_a_server_asks_to_wait(monkeypatch, asked, least, most):
    """A pause is a number with or without a fraction, or a time by the server's own clock; what
    is neither is no wish."""
    monkeypatch.setattr(endpoint, "PAUSES", (0.0, 0.0))
    headers = {"Retry-After": asked, "Date": "Wed, 21 Oct 2015 07:28:00 GMT"}
    with serving(Step(status=503, headers=headers), GOOD) as server:
        started = monotonic()
        assert complete(model(server), "hello") == "hi"
        assert least <= monotonic() - started <= most


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([{"type": "text", "text": "h"}, {"type": "output_text", "text": "i"}], "hi"),
        ([{"type": "reasoning", "text": "hm"}, {"text": "hi"}], "hi"),
        (["h", "i"], "hi"),
    ],
)
def test_a_content_of_parts(content, said):
    """The texts of a content in parts are the reply; the reasons of the model are not."""
    with serving(Step(body={"choices": [{"message": {"content": content}}]})) as server:
        assert complete(model(server), "hello") == said


def test_a_byte_order_mark():
    """A body that begins with a byte order mark is read."""
    form = json.dumps({"choices": [{"message": {"content": "hi"}}]})
    with serving(Step(body=b"\xef\xbb\xbf" + form.encode())) as server:
        assert complete(model(server), "hello") == "hi"


def test_nobody_listens():
    """A port where nobody listens is told at once."""
    with serving(GOOD) as server:
        asked = model(server, key=KEY)
    error = failure(asked)
    assert error.message == f"{asked.base_url} refuses the connection"
    assert error.hint == "is the model server running, and is the base URL its address?"


def test_what_does_not_speak_http():
    """An address where something else answers is told as such."""
    with serving(GOOD, context=None) as server:
        server._http.RequestHandlerClass = _Mumble
        error = failure(model(server, key=KEY))
    assert error.message == f"{server.base_url} does not speak HTTP (BadStatusLine)"


class _Mumble:
    def __init__(self, connection, address, server):
        connection.recv(65536)
        connection.sendall(b"SSH-2.0-mumble\r\n")


def test_this_machine_is_asked_directly(monkeypatch):
    """The environment's proxy sees nothing of what goes to loopback."""
    with serving(GOOD) as proxy, serving(GOOD) as server:
        for name in ("http_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert complete(model(server, key=KEY), "hello") == "hi"
    assert (len(proxy.requests), len(server.requests)) == (0, 1)


def test_elsewhere_is_asked_through_the_proxy(monkeypatch):
    """Another machine is reached by CONNECT; the proxy gets its own password, not the key."""
    with serving(Step(status=403)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://us%65r:pw@127.0.0.1:{proxy.port}")
        error = failure(Model(base_url="https://model.test/v1", name="tiny", key=KEY, timeout=5))
        assert "pw" not in error.message
    [request] = proxy.requests
    assert (request.method, request.path, request.body) == ("CONNECT", "model.test:443", b"")
    assert request.headers["Proxy-Authorization"] == "Basic dXNlcjpwdw=="
    assert KEY not in str(request)
    monkeypatch.setenv("HTTPS_PROXY", "socks5://127.0.0.1:1")
    error = failure(Model(base_url="https://model.test/v1", name="tiny", key=KEY, timeout=5))
    assert error.message == "the proxy in HTTPS_PROXY is not http://HOST:PORT"


@pytest.mark.skipif(not shutil.which("openssl"), reason="makes a certificate with openssl")
def test_certificates_are_verified(tmp_path, monkeypatch):
    """A server whose certificate nobody vouches for gets no request, and no proxy sees one."""
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
         "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key),
         "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serving(GOOD) as proxy, serving(GOOD, context=context) as server:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        error = failure(model(server, key=KEY))
    said = "offers no safe connection: CERTIFICATE_VERIFY_FAILED"
    assert error.message == f"{server.base_url} {said}"
    assert error.hint == "its certificate must be valid for its name"
    assert server.requests == proxy.requests == []


CHOICE = {"choices": [{"message": {"content": "hi"}, "finish_reason": "length"}]}


def test_what_a_server_does_not_take_is_not_asked_for():
    """A reply limit and a schema go with a prompt of ours; a server that refuses them is asked
    plainly."""
    with serving(Step(status=400, body={"error": "no response_format"}), reply("hi")) as server:
        assert complete(model(server), "hello", system=prompts.SUMMARY) == "hi"
    first, second = (request.form for request in server.requests)
    assert first["response_format"]["json_schema"]["schema"] == prompts.SCHEMAS[prompts.SUMMARY]
    assert first["max_tokens"] == 4000
    assert second == {k: v for k, v in first.items() if k not in ("max_tokens", "response_format")}


def test_a_reply_that_was_cut_off_is_none():
    """The server says that its limit ended the reply."""
    with serving(Step(body=CHOICE)) as server, pytest.raises(UnavailableError) as caught:
        complete(model(server), "hello")
    assert (caught.value.code, "was cut off" in caught.value.message) == ("cut_off", True)


def test_a_prompt_that_is_too_long_is_told_from_other_refusals():
    """What servers say of their context is no reason to ask more plainly."""
    said = "request (16157 tokens) exceeds the available context size (8192 tokens)"
    step = Step(status=400, body={"error": {"message": said}})
    with serving(step) as server, pytest.raises(TooLongError) as caught:
        complete(model(server), "hello")
    assert "num_ctx" in caught.value.hint and len(server.requests) == 1
