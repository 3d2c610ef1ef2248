"""What a limit of the system, and a purge that waits, are called."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from tideline_cli.store.connection import TRACES, put_setting, writing
from tideline_cli.store.opening import open_for_writing


@pytest.mark.file_alone("the limit is on files of this process")
@pytest.mark.parametrize("verb", ["remember", "import"])
def test_a_limit_of_the_size_of_files_is_no_full_disk(run, home, tmp_path, verb):
    """EFBIG is told as the limit that it is, with what shows it."""
    run("remember", "the boiler wants 1.5 bar")
    text = "the boiler wants 1.6 bar " * 300
    (tmp_path / "rows.jsonl").write_text(f'{{"content": "{text}"}}\n')
    what = text if verb == "remember" else str(tmp_path / "rows.jsonl")
    done = subprocess.run(
        [sys.executable, "-B", "-m", "tideline_cli", verb, what], capture_output=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)), text=True,
    )  # fmt: skip
    assert done.returncode == 73
    assert "ulimit -f" in done.stderr and "is full" not in done.stderr


def test_a_purge_that_waits_is_a_warning(run, home):
    """doctor names a purge that waits for readers, and ends with 0: nothing is damaged."""
    run("remember", "the boiler wants 1.5 bar")
    db = open_for_writing(str(home / "tideline.db"))
    with writing(db):
        put_setting(db, TRACES, "file")
    db.execute("BEGIN; SELECT count(*) FROM fact").fetchall()
    done = run("doctor")
    db.execute("ROLLBACK")
    db.close()
    assert (done.code, "warning  purge: a purge is pending" in done.out) == (0, True)
