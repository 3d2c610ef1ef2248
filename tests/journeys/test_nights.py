"""A hundred and twenty nights of dreams over what a person typed, and nobody asked for."""

from __future__ import annotations

import pytest

from tests.journeys.fortnight import FACTS
from tests.journeys.test_fortnight import DAY, FIRST_DAY

NIGHTS = 120
_REPLACED = "deploy1"


@pytest.fixture(scope="module")
def slept(tmp_path_factory):
    """Type the facts of a fortnight, dream every night; return the file, what the dreams printed
    on stdout and stderr, the ids by key, and the morning after."""
    from tests.conftest import run_main

    path = str(tmp_path_factory.mktemp("nights") / "t.db")
    ids = {}
    printed = []
    for day in range(1, NIGHTS + 1):
        at = FIRST_DAY + day * DAY
        for _, key, text, options in (one for one in FACTS if one[0] == day):
            done = run_main("remember", *options, "--db", path, "--now", str(at), "--json", "--",
                            text)  # fmt: skip
            ids[key] = done.json["id"]
        night = run_main("dream", "--quiet", "--db", path, "--now", str(at + DAY // 2))
        assert night.code == 0, night.err
        printed.append(night.out + night.err)
    return path, printed, ids, str(FIRST_DAY + (NIGHTS + 1) * DAY)


def test_a_quiet_night_prints_nothing(slept):
    """cron sends no mail: nothing that a person typed goes."""
    _, printed, _, _ = slept
    assert printed == [""] * NIGHTS


def test_every_lasting_fact_is_found(slept):
    """After the nights every fact that was typed is a hit of its own words."""
    from tests.conftest import run_main

    path, _, ids, morning = slept
    lost = {}
    for _, key, text, _ in FACTS:
        if key == _REPLACED:
            continue
        done = run_main("recall", "--no-touch", "--db", path, "--now", morning, "--", text)
        if ids[key] not in done.out:
            lost[key] = (done.out, done.err)
    assert not lost
