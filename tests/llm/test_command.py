"""A model that is a program: its pipes, its time, its end."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.llm.test_endpoint import LATE
from tests.support import ROOT
from tideline_cli.errors import UnavailableError
from tideline_cli.llm.client import complete
from tideline_cli.llm.model_settings import LARGEST_REPLY, Model


def program(script, **given):
    """Return a model that is a few lines of Python."""
    words = [sys.executable, "-S", "-c", f"import os, sys, time\n{script}"]
    return Model(command=shlex.join(words), **({"timeout": 10.0} | given))


def failure(model, prompt="hello"):
    with pytest.raises(UnavailableError) as caught:
        complete(model, prompt)
    assert caught.value.exit_code == 6
    return caught.value


ECHO = "sys.stdout.buffer.write(sys.stdin.buffer.read())"
PYTHON = os.path.basename(sys.executable)


@pytest.mark.parametrize("prompt", ["", "héllo 你好 $HOME `id` ; 'x", "long \0 " * 100_000])
def test_prompt_in_reply_out(prompt):
    """The prompt goes in and the reply comes out as UTF-8, whatever their length."""
    assert complete(program(ECHO), prompt) == prompt


def test_the_system_text_comes_first():
    """A program has one input: the system text stands before the prompt."""
    assert complete(program(ECHO), "hello \ud800", system="be brief") == "be brief\n\nhello \ufffd"


def test_no_shell(tmp_path):
    """Words are split as a shell would, and that is all a shell would do."""
    script = "import sys; print(sys.argv[1:])"
    command = f"{sys.executable} -S -c '{script}' $HOME '*' ~ \"a b\" | cat > {tmp_path}/out"
    reply = complete(Model(command=command), "")
    assert reply == f"{['$HOME', '*', '~', 'a b', '|', 'cat', '>', f'{tmp_path}/out']}\n"
    assert not (tmp_path / "out").exists()


def test_our_key_is_not_handed_on(monkeypatch):
    """The program sees the environment without our key."""
    monkeypatch.setenv("TIDELINE_API_KEY", "sk-secret")
    monkeypatch.setenv("OTHER_KEY", "theirs")
    script = "print('TIDELINE_API_KEY' in os.environ, os.environ['OTHER_KEY'])"
    assert complete(program(script), "") == "False theirs\n"


def test_a_program_that_does_not_listen():
    """A program may answer without reading what it is asked."""
    script = "os.close(0); time.sleep(0.05); print('done')"
    assert complete(program(script), "x" * 1_000_000) == "done\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("sys.exit(3)", "failed with status 3"),
        ("sys.stderr.write('one\\ntwo\\x1b[31m\\n\\n'); sys.exit(1)",
         "failed with status 1: two [31m"),
        ("sys.stderr.write('x' * 999999 + '\\nlast'); sys.exit(1)", "failed with status 1: last"),
        ("os.kill(os.getpid(), 15)", "was ended by signal 15"),
        ("os.write(1, b'\\xff')", "replied something other than UTF-8"),
    ],
)  # fmt: skip
def test_failures(script, said):
    """A failure names the program and its last words, never the words after its name."""
    assert failure(program(script)).message == f"{PYTHON} {said}"


def test_no_such_program(tmp_path):
    """A program that is not there, or is none, is told with a hint."""
    error = failure(Model(command="no-such-program --key sk-secret"))
    assert error.message == "there is no program no-such-program"
    assert error.hint.startswith("is it installed")
    assert failure(Model(command=str(tmp_path))).message == (
        f"{tmp_path.name} cannot be started: Permission denied"
    )


def test_a_reply_without_end():
    """A program that never stops talking is ended at the cap."""
    started = monotonic()
    error = failure(program("while True: os.write(1, b'x' * 65536)"))
    assert error.message == f"the model replied more than {LARGEST_REPLY >> 10} KiB"
    assert monotonic() - started < 20  # else 60


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def ended(pid_file):
    """Tell whether the process whose number is in a file ends soon."""
    pid = int(pid_file.read_text())
    for _ in range(100):
        if not is_running(pid):
            return True
        sleep(0.02)
    return False


FAMILY = """
import subprocess
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
with open({file!r} + "~", "w") as out: out.write(str(child.pid))
os.rename({file!r} + "~", {file!r})
{rest}
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks into /proc")
@pytest.mark.parametrize(
    "rest",
    ["time.sleep(60)", "while True: os.write(1, b'.'); time.sleep(0.05)",
     "os.close(1); os.close(2); time.sleep(60)"],
    ids=["silent", "dripping", "closed"],
)  # fmt: skip
def test_the_deadline_ends_the_whole_group(tmp_path, rest):
    """At the deadline the program ends with all that it started, whatever it does."""
    file = tmp_path / "pid"
    started = monotonic()
    error = failure(program(FAMILY.format(file=str(file), rest=rest), timeout=1.0))
    assert monotonic() - started < 20  # else 60
    assert (error.message, error.hint) == (f"{PYTHON} gave no answer within 1 s", LATE)
    assert ended(file)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks into /proc")
def test_an_interrupt_ends_the_whole_group(tmp_path):
    """Ctrl-C ends the program with all that it started."""
    file = tmp_path / "pid"

    def interrupt():
        while not file.exists():
            sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        complete(program(FAMILY.format(file=str(file), rest="time.sleep(60)")), "hello")
    assert ended(file)


VERBS = (
    ("extract", "-", "--llm"), ("consolidate", "--force", "--min-facts", "2", "--llm"),
    ("relink", "--llm"),
)  # fmt: skip


def as_usual():
    """Give a child the dispositions of a shell in the foreground, whatever ours are."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.sampled(4)
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks into /proc")
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT],
    ids=lambda number: number.name,
)  # fmt: skip
def test_a_signal_ends_the_whole_group(run, tmp_path, verb, number):
    """What ends tideline ends the model's program with all that it started, and is how tideline
    ended."""
    for text in ("Ann rides", "Bob walks"):
        run("remember", text)
    file = tmp_path / "pid"
    asked = program(FAMILY.format(file=str(file), rest="time.sleep(60)")).command
    talk = b"USER: I moved to Lisbon\nASSISTANT: Nice\n"
    argv = [sys.executable, "-m", "tideline_cli", *verb, asked]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=as_usual, env=os.environ | {"PYTHONPATH": str(ROOT)},
    ) as started:  # fmt: skip
        started.stdin.write(talk)
        started.stdin.close()
        for _ in range(1000):
            if file.exists():
                break
            sleep(0.02)
        started.send_signal(number)
        code = started.wait(10)
    assert code == (130 if number == signal.SIGINT else -number)
    assert ended(file)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks into /proc")
def test_a_signal_that_is_ignored_stays_ignored():
    """Under nohup a closed terminal ends neither the model nor us; afterwards all is as before."""
    before = [signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM)]
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        script = f"os.kill({os.getpid()}, 1); time.sleep(0.1); print('done')"
        assert complete(program(script), "") == "done\n"
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        for number, handler in zip((signal.SIGHUP, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks into /proc")
def test_the_deadline_ends_what_still_talks(tmp_path):
    """At the deadline a child ends too whose parent has ended before it."""
    file = tmp_path / "pid"
    drip = "[(__import__('os').write(1, b'.'), time.sleep(0.01)) for _ in range(6000)]"
    family = FAMILY.replace("time.sleep(60)", drip).format(file=str(file), rest="")
    error = failure(program(family, timeout=1.0))
    assert error.hint == LATE
    assert ended(file)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks into /proc")
def test_a_child_that_stays(tmp_path):
    """A server that the program leaves behind with its pipes delays nothing and lives on."""
    file = tmp_path / "pid"
    started = monotonic()
    rest = "os.write(1, b'done')"
    assert complete(program(FAMILY.format(file=str(file), rest=rest)), "hello") == "done"
    assert monotonic() - started < 20  # else 60
    pid = int(file.read_text())
    assert is_running(pid)
    os.kill(pid, signal.SIGKILL)
