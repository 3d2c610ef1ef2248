"""schedule: entries that start a dream with nothing of the user's environment."""

from __future__ import annotations

import os
import plistlib
import shlex
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from tests.support import ROOT
from tideline_cli.cli import own_program
from tideline_cli.cli.commands.schedule import entries, scheduler
from tideline_cli.errors import UsageError

BEGIN, END = "# >>> tideline >>>\n", "# <<< tideline <<<\n"
FOREIGN = b"# mine\nMAILTO=me\n0 1 * * *\techo 100\\% \xff\r\n"
ODD = ["plain", "two words", "it's", 'a "b"', "100%", "%%", "$HOME", "${x} `id`", "a\\b", "\\",
       "\\%'", "a;b&c|d", "ü 家", "<&>", "#x", "--flag=1", ""]  # fmt: skip

_CRONTAB = """#!/bin/sh
echo "$*" >> "$FAKE/calls"
case "$1" in
  -l) if [ -f "$FAKE/crontab" ]; then cat "$FAKE/crontab"
      else echo "no crontab for me" >&2; exit 1; fi ;;
  -r) rm "$FAKE/crontab" ;;
  -) if [ -f "$FAKE/refuse" ]; then cat > /dev/null; echo 'bad minute' >&2; exit 1; fi
     cat > "$FAKE/crontab" ;;
esac
"""
_OTHER = """#!/bin/sh
echo "${0##*/} $*" >> "$FAKE/calls"
if [ -f "$FAKE/refuse" ]; then echo 'no bus' >&2; exit 1; fi
"""


class Fake:
    """Programs that write down how they were called."""

    def __init__(self, folder):
        self.folder = folder
        self.crontab = folder / "crontab"

    def provide(self, *names):
        bin_ = self.folder / "bin"
        bin_.mkdir(exist_ok=True)
        for name in names:
            (bin_ / name).write_text(_CRONTAB if name == "crontab" else _OTHER)
            (bin_ / name).chmod(0o755)

    def refuse(self):
        (self.folder / "refuse").touch()

    def calls(self):
        path = self.folder / "calls"
        made = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return made


@pytest.fixture
def fake(tmp_path, monkeypatch):
    folder = tmp_path / "fake"
    (folder / "bin").mkdir(parents=True)
    monkeypatch.setenv("FAKE", str(folder))
    shell = folder / "tools"
    shell.mkdir()
    for name in ("cat", "rm", "sh", "env"):
        (shell / name).symlink_to(f"/bin/{name}")
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:{shell}")
    monkeypatch.setattr(own_program, "own_words", lambda: ["/opt/tide line/tideline"])
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(own_program, "throw_away_folders", lambda: ())  # where tests are
    return Fake(folder)


def cron_line(home, at="30 3"):
    return f"{at} * * * '/opt/tide line/tideline' dream --pending --quiet --db {home}/tideline.db\n"


# cron


@pytest.mark.file_alone("lines that name the path of a file")
def test_the_line_is_printed(run, fake, home):
    """Without --install the crontab line is printed, and nothing is written."""
    fake.provide("crontab")
    done = run("schedule", "--cron")
    assert (done.code, done.out) == (0, cron_line(home))
    assert done.err == "tideline: cron must be running; --install puts this in place\n"
    assert run("schedule", "--cron", "--at", "4:05", "-q").out == cron_line(home, "5 4")
    assert run("schedule", "--cron", "--json", "--quiet").json == {
        "kind": "cron", "entry": cron_line(home)[:-1], "at": "03:30", "installed": False,
        "removed": False,
    }  # fmt: skip
    assert set(fake.calls()) == {"-l"}


@pytest.mark.parametrize("foreign", [None, b"", b"\n\n", FOREIGN])
@pytest.mark.file_alone("lines that name the path of a file")
def test_install_and_remove_keep_the_rest(run, fake, home, foreign):
    """Lines of others are kept byte for byte; a second install replaces the first."""
    fake.provide("crontab")
    if foreign is not None:
        fake.crontab.write_bytes(foreign)
    block = (BEGIN + cron_line(home) + END).encode()
    quiet = run("schedule", "--cron", "--install", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert fake.crontab.read_bytes() == (foreign or b"") + block
    fake.calls()
    assert run("schedule", "--cron", "--install").code == 0
    assert set(fake.calls()) == {"-l"}
    done = run("schedule", "--cron", "--install", "--at", "23:59", "--json")
    assert (done.json["installed"], done.json["removed"]) == (True, False)
    assert fake.crontab.read_bytes() == (foreign or b"") + block.replace(b"30 3", b"59 23")
    done = run("schedule", "--cron", "--remove", "--json", "-q")
    assert done.json == {"kind": "cron", "installed": False, "removed": True}
    if foreign:
        assert fake.crontab.read_bytes() == foreign
    else:
        assert not fake.crontab.exists()


@pytest.mark.file_alone("lines that name the path of a file")
def test_an_end_without_a_newline(run, fake, home):
    """A crontab that lacks its last newline gets it; nothing else of it changes."""
    fake.provide("crontab")
    fake.crontab.write_bytes(b"0 1 * * * echo hi")
    run("schedule", "--cron", "--install")
    wanted = "0 1 * * * echo hi\n" + BEGIN + cron_line(home) + END
    assert fake.crontab.read_bytes() == wanted.encode()


@pytest.mark.file_alone("lines that name the path of a file")
def test_the_block_keeps_its_place(run, fake, home):
    """What the user wrote before and after the block stays before and after it."""
    fake.provide("crontab")
    fake.crontab.write_text(f"a\n{BEGIN}{cron_line(home, '1 2')}{END}b")
    run("schedule", "--cron", "--install", "--at", "03:30")
    assert fake.crontab.read_text() == f"a\n{BEGIN}{cron_line(home)}{END}b"
    run("schedule", "--remove")
    assert fake.crontab.read_text() == "a\nb"


@pytest.mark.parametrize("marks", [BEGIN, END, END + BEGIN, (BEGIN + END) * 2])
@pytest.mark.parametrize("act", ["--install", "--remove"])
def test_marks_without_a_partner(run, fake, marks, act):
    """Marks that do not make one pair are left alone, with an error."""
    fake.provide("crontab")
    fake.crontab.write_text(marks + "mine\n")
    done = run("schedule", "--cron", act, "--json")
    assert (done.code, done.error["code"]) == (2, "usage")
    assert fake.crontab.read_text() == marks + "mine\n"


def test_removing_nothing(run, fake):
    """--remove says so when there was nothing, and touches nothing."""
    fake.provide("crontab", "systemctl", "launchctl")
    for kind in ("cron", "systemd", "launchd"):
        done = run("schedule", f"--{kind}", "--remove", "--json")
        assert done.json == {"kind": kind, "installed": False, "removed": False}
        assert (done.code, done.notes) == (0, [f"{kind} had no entry of tideline"])
    assert set(fake.calls()) == {"-l"}


def test_a_crontab_that_refuses(run, fake):
    """A crontab that cannot be written is an error of one line; the old one stays."""
    fake.provide("crontab")
    fake.crontab.write_text("mine\n")
    fake.refuse()
    done = run("schedule", "--cron", "--install", "--json")
    assert (done.code, done.error["code"]) == (73, "cannot_write")
    assert done.error["message"] == "crontab - failed: bad minute"
    assert fake.crontab.read_text() == "mine\n"


def test_a_crontab_that_cannot_be_read_is_not_none(run, fake):
    """When `crontab -l` fails for another reason than absence, nothing is written."""
    fake.provide("crontab")
    script = "#!/bin/sh\necho \"$*\" >> \"$FAKE/calls\"\necho 'you are not allowed' >&2; exit 1\n"
    (fake.folder / "bin" / "crontab").write_text(script)
    done = run("schedule", "--cron", "--install")
    assert done.code == 73
    assert done.err.startswith("tideline: crontab -l failed: you are not allowed\n")
    assert fake.calls() == ["-l"]


@pytest.mark.parametrize(("kind", "program"), [("cron", "crontab"), ("systemd", "systemctl"),
                                               ("launchd", "launchctl")])  # fmt: skip
def test_a_program_that_is_missing(run, fake, tmp_path, kind, program):
    """Without its program nothing is installed, nothing written, and the error names it."""
    done = run("schedule", f"--{kind}", "--install", "--json")
    assert (done.code, done.error["code"]) == (6, "unavailable")
    assert done.error["message"] == f"no such program: {program}"
    assert not (tmp_path / ".config").exists() and not (tmp_path / "Library").exists()


@pytest.mark.parametrize("word", ODD)
def test_a_word_in_a_crontab_line(word):
    """A shell gets each word back from the line, and so it does after cron has read it."""
    line = entries.cron_line(["printf", "%s|", word], (1, 2)).removeprefix("2 1 * * * ")
    for text in (line, cron_reads(line, keeps=True), cron_reads(line, keeps=False)):
        done = subprocess.run(["/bin/sh", "-c", text], capture_output=True, check=True)
        assert done.stdout.decode() == word + "|"


def cron_reads(line, *, keeps):
    """Return what cron hands to the shell; some keep a doubled backslash, others halve it."""
    out, chars = "", iter(line)
    for char in chars:
        if char == "%":
            raise AssertionError("a bare % ends the command")
        if char == "\\":
            after = next(chars)
            out += after if after == "%" or (after == "\\" and not keeps) else char + after
        else:
            out += char
    return out


# systemd


@pytest.mark.file_alone("lines that name the path of a file")
def test_systemd_units(run, fake, home, tmp_path, monkeypatch):
    """The units are printed with their paths, installed with mode 0644, and taken away."""
    fake.provide("systemctl")
    folder = tmp_path / ".config" / "systemd" / "user"
    files = run("schedule", "--systemd", "--json", "--at", "04:05").json["files"]
    assert [file["path"] for file in files] == [
        str(folder / "tideline-dream.service"), str(folder / "tideline-dream.timer"),
    ]  # fmt: skip
    start = f'"/opt/tide line/tideline" "dream" "--pending" "--quiet" "--db" "{home}/tideline.db"'
    assert f"Type=oneshot\nNice=10\nExecStart={start}\n" in files[0]["content"]
    assert "OnCalendar=*-*-* 04:05:00\nPersistent=true\n" in files[1]["content"]
    printed = run("schedule", "--systemd", "--at", "04:05").out
    assert printed == "\n".join(f"# {file['path']}\n{file['content']}" for file in files)
    assert not folder.exists() and fake.calls() == []
    old = os.umask(0o077)
    try:
        assert run("schedule", "--systemd", "--install", "--at", "04:05", "-q").out == ""
    finally:
        os.umask(old)
    for file in files:
        with open(file["path"]) as made:
            assert made.read() == file["content"]
        assert os.stat(file["path"]).st_mode & 0o777 == 0o644
    assert fake.calls() == [
        "systemctl --user daemon-reload", "systemctl --user enable --now tideline-dream.timer",
    ]  # fmt: skip
    done = run("schedule", "--remove", "--json")
    assert done.json == {"kind": "systemd", "installed": False, "removed": True}
    assert os.listdir(folder) == []
    assert fake.calls() == [
        "systemctl --user disable --now tideline-dream.timer", "systemctl --user daemon-reload",
    ]  # fmt: skip
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    run("schedule", "--systemd", "--install")
    assert len(os.listdir(tmp_path / "xdg" / "systemd" / "user")) == 2


def test_a_systemd_that_fails(run, fake, tmp_path):
    """Units that were written are named when systemd cannot be asked; --remove deletes them."""
    fake.provide("systemctl")
    fake.refuse()
    folder = tmp_path / ".config" / "systemd" / "user"
    done = run("schedule", "--systemd", "--install", "--json")
    assert (done.code, done.error["message"]) == (
        6, "systemctl --user daemon-reload failed: no bus",
    )  # fmt: skip
    assert str(folder) in done.error["hint"]
    assert len(os.listdir(folder)) == 2
    assert run("schedule", "--systemd", "--remove").code == 6
    assert os.listdir(folder) == []


@pytest.mark.parametrize("word", [word for word in ODD if word])
def test_a_word_in_a_unit(word):
    """systemd gets each word back: specifiers, variables, quotes and backslashes are escaped."""
    command = ["/opt/tideline", "--db", word]
    service = entries.systemd_units(command, (3, 30))["tideline-dream.service"]
    line = service.rpartition("ExecStart=")[2].rstrip("\n")
    assert [systemd_reads(part) for part in shlex.split(line)] == command


def systemd_reads(word):
    assert all(word.replace(pair, "").count(pair[0]) == 0 for pair in ("%%", "$$"))
    return word.replace("%%", "%").replace("$$", "$")


def test_a_program_with_a_dollar_in_its_path():
    """systemd leaves $$ in the program's own path as it is, so a shell starts such a program."""
    service = entries.systemd_units(["/opt/$x/tideline", "dream"], (3, 30))
    assert service["tideline-dream.service"].endswith(
        'ExecStart="/bin/sh" "-c" "exec \\"$$0\\" \\"$$@\\"" "/opt/$$x/tideline" "dream"\n'
    )


# launchd


def test_a_launchd_agent(run, fake, home, tmp_path, monkeypatch):
    """On macOS the agent is the usual kind: a property list, loaded for the user."""
    fake.provide("launchctl", "crontab")
    monkeypatch.setattr(sys, "platform", "darwin")
    folder = tmp_path / "Library" / "LaunchAgents"
    plist = entries.launchd_list(["/a b", "<&>\"'%$\\"], (4, 5), "/l o/g")
    assert plistlib.loads(plist.encode()) == {
        "Label": "tideline.dream", "ProgramArguments": ["/a b", "<&>\"'%$\\"],
        "StartCalendarInterval": {"Hour": 4, "Minute": 5}, "ProcessType": "Background",
        "StandardOutPath": "/l o/g", "StandardErrorPath": "/l o/g",
    }  # fmt: skip
    db = str(home / "tideline.db")
    form = run("schedule", "--install", "--json", "--db", db).json
    path = folder / "tideline.dream.plist"
    assert (form["kind"], form["files"][0]["path"]) == ("launchd", str(path))
    assert path.read_text() == form["files"][0]["content"]
    log = tmp_path / "Library" / "Logs" / "tideline" / "dream.log"
    assert plistlib.loads(path.read_bytes())["StandardErrorPath"] == str(log)
    assert (log.stat().st_mode & 0o777, log.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    log.write_text("a night that was refused\n")
    domain = f"gui/{os.getuid()}"
    assert [call for call in fake.calls() if call != "-l"] == [
        f"launchctl bootout {domain}/tideline.dream", f"launchctl bootstrap {domain} {path}",
    ]  # fmt: skip
    assert run("schedule", "--launchd", "--db", db).out == path.read_text()
    assert run("schedule", "--remove", "--json", "--db", db).json["removed"] is True
    assert os.listdir(folder) == []
    run("schedule", "--install", "--db", db)
    assert log.read_text() == "a night that was refused\n", "it is kept"


# which kind, which program, which values


def test_the_usual_kind(run, fake):
    """Without a kind it is cron, or systemd where there is no crontab program."""
    assert run("schedule", "--json").json["kind"] == "cron"
    fake.provide("systemctl")
    assert run("schedule", "--json").json["kind"] == "systemd"
    fake.provide("crontab")
    assert run("schedule", "--json").json["kind"] == "cron"


def test_another_entry_is_named(run, fake):
    """Who has two entries is told, whatever was just done."""
    fake.provide("crontab", "systemctl")
    run("schedule", "--systemd", "--install")
    done = run("schedule", "--cron", "--install")
    assert "systemd has an entry too: `tideline schedule --systemd --remove`" in done.err
    assert "systemd has an entry too" in run("schedule", "--remove").err
    assert scheduler.is_installed("systemd") and not scheduler.is_installed("cron")


@pytest.mark.parametrize(
    "argv",
    [
        ("words",), ("--cron", "--systemd"), ("--install", "--remove"), ("--at", "24:00"),
        ("--at", "3"), ("--at", "3:5"), ("--at", "03:60"), ("--at", "-1:00"), ("--at", "٠٣:٣٠"),
        ("--origin", "channel:wa/c/s"),
        *(pytest.param(("--db", path), marks=pytest.mark.file_alone("odd paths of a file"))
          for path in ("/tmp/a\nb", "/tmp/a\x1bb", "/tmp/\udcff")),
    ],
)  # fmt: skip
def test_what_cannot_be_scheduled(run, fake, argv):
    """A wrong value is a usage error, and nothing is called."""
    fake.provide("crontab", "systemctl")
    assert run("schedule", "--install", *argv, "--json").error["code"] == "usage"
    assert fake.calls() == []


def test_a_word_that_no_line_can_hold():
    """Control characters and broken encodings are refused wherever they come from."""
    for word in ("a\nb", "a\x7f", "a\x85b", "\udc80", "\u2028"):
        with pytest.raises(UsageError, match="cannot be scheduled"):
            entries.check_command(["fine", word])


@pytest.mark.file_alone("lines that name the path of a file")
def test_the_program_starts_without_an_environment(process, tmp_path, home):
    """The words of the entry start this program with a bare environment, from anywhere."""
    entry = process("schedule", "--cron", "--json", "-q").json["entry"]
    words = shlex.split(entry)[5:]
    assert words[-5:] == ["dream", "--pending", "--quiet", "--db", str(home / "tideline.db")]
    line = f"{shlex.join(words[:-5])} status --json --db {shlex.quote(words[-1])}"
    bare = ["env", "-i", f"HOME={tmp_path}", "PATH=/usr/bin:/bin", "sh", "-c", line]
    done = subprocess.run(bare, capture_output=True, cwd="/", check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert f'"database": "{home}/tideline.db"'.encode() in done.stdout


def test_a_program_that_does_not_start_is_not_scheduled(process, tmp_path):
    """When no words start it without the user's environment, that is said instead."""
    script = (
        "import sys; from tideline_cli.cli import own_program;"
        "from tideline_cli.__main__ import main; own_program._starts = lambda command: False;"
        "sys.exit(main(['schedule', '--cron', '--json']))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False,
                          cwd=ROOT)  # fmt: skip
    assert done.returncode == 6
    assert b"cannot be started" in done.stderr
    assert not own_program._starts(["/bin/false"]) and not own_program._starts(["/nowhere"])


# Windows


def arguments_of(text):
    """Return what the task of a printed text hands to cmd, and its other texts by their names."""
    tree = ElementTree.fromstring(text.replace('encoding="UTF-16"', ""))
    texts = {node.tag.rpartition("}")[2]: node.text for node in tree.iter()}
    return texts.pop("Arguments"), texts


@pytest.mark.file_alone("lines that name the path of a file")
def test_a_task_of_windows_is_printed(run, fake, home):
    """The text is XML that starts this program by cmd, once a day, with a log beside the memory."""
    done = run("schedule", "--schtasks", "--at", "2:05")
    said, texts = arguments_of(done.out)
    inner = f'"/opt/tide line/tideline" "dream" "--pending" "--quiet" "--db" "{home}/tideline.db"'
    assert said == f'/d /v:off /c "{inner} >> "{home}/tideline.db-dream.log" 2>&1"'
    assert texts["StartBoundary"] == "2026-01-01T02:05:00"
    assert texts["DaysInterval"] == "1"
    assert texts["StartWhenAvailable"] == "true"
    assert done.code == 0


def test_letters_of_xml_are_written_as_such():
    """A path with & and < is one word of the task."""
    text = scheduler.task_text(["C:/a & b/<x>/tideline.exe"], (3, 30), "C:/log")
    assert arguments_of(text)[0] == '/d /v:off /c ""C:/a & b/<x>/tideline.exe" >> "C:/log" 2>&1"'


@pytest.mark.parametrize("path", ["C:/50%/x.db", 'C:/"/x.db', "C:/" + "x" * 9000])
def test_a_task_takes_no_words_that_cmd_changes(path):
    """What cmd would read as something else is refused."""
    with pytest.raises(UsageError):
        scheduler.task_text(["tideline.exe", "--db", path], (3, 30), "C:/log")


def test_there_are_no_tasks_elsewhere(run, fake):
    """Where there is no Windows, a task cannot be put in place, and none is there."""
    assert run("schedule", "--schtasks", "--install").code == 6
    done = run("schedule", "--schtasks", "--remove")
    assert (done.code, done.err) == (0, "tideline: schtasks had no entry of tideline\n")
