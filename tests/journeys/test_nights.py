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


def test_a_quiet_night_prints_nothing_but_what_it_refused(slept):
    """cron sends no mail, unless so many facts fade at once that the dream asks."""
    _, printed, _, _ = slept
    assert all(not text or "max-loss" in text for text in printed)


def test_every_fact_is_found_or_announced(slept):
    """After the nights every fact that was typed is a hit of its own words, or is named as
    archived, with the command that brings it back."""
    from tests.conftest import run_main

    path, _, ids, morning = slept
    lost = {}
    announced = 0
    for _, key, text, _ in FACTS:
        if key == _REPLACED:
            continue
        done = run_main("recall", "--no-touch", "--db", path, "--now", morning, "--", text)
        is_hit = ids[key] in done.out
        is_announced = f"tideline restore {ids[key]}" in done.err
        announced += is_announced
        if not (is_hit or is_announced):
            lost[key] = (done.out, done.err)
    assert not lost
    assert announced, "nothing faded, so nothing was tried"
