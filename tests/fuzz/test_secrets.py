"""A key is sent to the endpoint it belongs to, and is nowhere else."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.llm.server import Step, serving
from tests.support import ROOT

CANARY = "sk-canary-7f3a9b2c5d"
VARIABLES = ("TIDELINE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY",
             "HTTPS_PROXY", "GITHUB_TOKEN")  # fmt: skip
TALK = b"USER: my cat is called Ada\nASSISTANT: noted\nUSER: I moved to Delft\nASSISTANT: yes\n"
# A model that says how it was called, and then answers.
MODEL = """
import os, sys
sys.stdin.read()
with open(sys.argv[1], "ab") as file:
    for process in ("self", str(os.getppid())):
        with open(f"/proc/{process}/cmdline", "rb") as line:
            file.write(line.read() + b"\\n")
    file.write(os.environ.get("TIDELINE_API_KEY", "no key").encode() + b"\\n")
sys.stderr.write("it failed\\n")
sys.exit(int(sys.argv[2]))
"""


@pytest.fixture
def environ(tmp_path):
    """Six variables that hold the canary, as a key or inside a value."""
    names = dict.fromkeys(VARIABLES, CANARY)
    names["HTTPS_PROXY"] = f"http://ann:{CANARY}@127.0.0.1:9"
    (tmp_path / "tmp").mkdir()
    return names | {
        "HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT),
        "TIDELINE_HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip


@pytest.fixture
def say(environ, tmp_path):
    """Run a command and check that nothing it prints holds the canary."""

    def call(*argv, stdin=b""):
        done = subprocess.run(
            [sys.executable, "-m", "tideline_cli", *argv], input=stdin, env=environ, cwd=tmp_path,
            capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        said = done.stdout + done.stderr
        assert CANARY.encode() not in said, (argv, said)
        return done

    return call


def files_with_canary(folder):
    found = []
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            with open(path, "rb") as file:
                if CANARY.encode() in file.read():
                    found.append(os.path.relpath(path, folder))
    return found


def test_keys_of_the_environment_are_nowhere(say, tmp_path):
    """No command leaves a key of the environment in a file, an output or a traceback."""
    key = tmp_path / "key"
    say("remember", "I deploy on Fridays")
    say("import", "-", "--trust", stdin=b'{"content": "a row"}\n' * 3)
    for argv in (
        ("recall", "deploy", "--explain", "--debug"), ("context", "deploy", "--auto"), ("status",),
        ("config", "list"), ("config", "list", "--json"), ("export",), ("history", "--json"),
        ("dream",), ("schedule", "--cron"), ("schedule", "--systemd"), ("show", "NOPE", "--debug"),
        ("purge", "NOPE", "--yes", "--debug"), ("export", "-o", str(tmp_path / "out.jsonl")),
        ("list", "--db", "/dev/null", "--debug"), ("import", str(key), "--debug"),
        ("embed", "a text", "--embedder", "nope", "--debug"), ("status", "--all-origins", "-v"),
    ):  # fmt: skip
        say(*argv)
    assert files_with_canary(tmp_path) == []


ENDPOINTS = {
    "refused": Step(status=401, body={"error": {"message": f"bad key {CANARY}"}}),
    "echoed": Step(status=400, body=f"Authorization: Bearer {CANARY}"),
    "quoted": Step(body={"choices": [{"message": {"content": f"your key is {CANARY}"}}]}),
    "redirect": Step(status=302, headers={"Location": f"http://127.0.0.1:9/{CANARY}"}),
    "no json": Step(body=f"<html>{CANARY}</html>"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("where", ["environment", "file"])
@pytest.mark.parametrize("step", ENDPOINTS)
def test_a_key_that_the_server_sends_back(say, environ, tmp_path, step, where):
    """The endpoint gets the key; what it says about it reaches neither a screen nor a file."""
    environ["TIDELINE_BASE_URL"] = "http://127.0.0.1:9/v1"
    environ["TIDELINE_MODEL"] = "m"
    key = tmp_path / "key"
    if where == "file":
        del environ["TIDELINE_API_KEY"]
        key.write_text(CANARY + "\n")
        key.chmod(0o600)
        environ["TIDELINE_KEY_FILE"] = str(key)
    with serving(ENDPOINTS[step]) as server:
        environ["TIDELINE_BASE_URL"] = server.base_url
        rows = "".join(f'{{"content": "fact number {n} about topic{n}"}}\n' for n in range(7))
        say("import", "-", stdin=rows.encode())
        say("extract", "-", "--debug", "--timeout", "5", "--json", stdin=TALK)
        say("consolidate", "--debug", "--timeout", "5", "-v")
        asked = {request.headers.get("Authorization") for request in server.requests}
    assert asked == {f"Bearer {CANARY}"}
    key.unlink(missing_ok=True)
    assert files_with_canary(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/proc/self/cmdline"), reason="no /proc here")
@pytest.mark.parametrize("code", [0, 3])
def test_a_model_that_is_a_program_gets_no_key(say, environ, tmp_path, code):
    """The key is in no argument of a process, and a program that is asked does not inherit ours."""
    model = tmp_path / "model.py"
    model.write_text(MODEL)
    seen = tmp_path / "seen"
    for name in VARIABLES[1:]:
        environ[name] = "another"
    say("extract", "-", "--llm", f"{sys.executable} {model} {seen} {code}", "--debug", stdin=TALK)
    lines = seen.read_bytes().split(b"\n")
    assert b"no key" in lines
    assert any(b"tideline_cli" in line for line in lines)
    assert files_with_canary(tmp_path) == []


@pytest.mark.parametrize(
    ("make", "says"),
    [(lambda path: path.chmod(0o644), "others"),
     (lambda path: path.write_bytes(b"\xff\x1b[31m"), ""),
     (lambda path: path.write_text(f"{CANARY}\nmore {CANARY}"), "")],
    ids=["open", "bytes", "lines"],
)  # fmt: skip
def test_a_bad_key_file_is_not_quoted(say, environ, tmp_path, make, says):
    """A key file that cannot be used is named, and its content is not."""
    key = tmp_path / "key"
    key.write_text(CANARY)
    key.chmod(0o600)
    make(key)
    del environ["TIDELINE_API_KEY"]
    done = say(
        "extract", "-", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--key-file",
        str(key), "--json", "--debug", stdin=TALK,
    )  # fmt: skip
    assert done.returncode == 2
    error = json.loads(done.stderr.split(b"\n")[-2])["error"]
    assert error["code"] == "key"
    assert says in error["message"]


def test_no_option_takes_a_key():
    """A key comes from the environment or a file: no option of any command has one as its value."""
    from tideline_cli.cli.commands import COMMANDS, options_of
    from tideline_cli.cli.options import GLOBAL

    words = ("key", "token", "password", "secret", "credential")
    taking = {
        option.name
        for options in (GLOBAL, *(options_of(name) for name in COMMANDS if name != "init"))
        for option in options
        if any(word in flag for flag in option.flags for word in words) and option.kind != "file"
    }
    assert taking - {"max_tokens", "secrets", "show_secrets"} == set()  # a count, and flags
    of_a_keyboard = {option.name for option in options_of("init")}
    assert of_a_keyboard == {"key", "no_key"}  # anything else is refused as no key
