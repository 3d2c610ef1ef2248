"""No untrusted source gains anything by another way of ranking."""

from __future__ import annotations

import pytest

from tests.poison import attacks
from tests.poison.battle import Battle
from tideline_cli.config.settings import PROFILES

LANES = (attacks.outranking, attacks.claiming, attacks.importing)
MOST = 8  # attacks of a lane, a profile each


@pytest.fixture(scope="module")
def battle(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIDELINE_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("TIDELINE_NOW", "1760000000000")
        yield Battle(tmp_path_factory.mktemp("battle"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "tideline"])
@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.__name__)
def test_no_attack_succeeds_in_a_profile(battle, lane, profile, monkeypatch):
    """With each profile the owner's facts stay as they are, and first for their own words."""
    monkeypatch.setenv("TIDELINE_PROFILE", profile)
    tried = list(lane())
    won = {}
    for attack in tried[:: 1 + len(tried) // MOST]:
        battle.fight(attack)
        harm = battle.harm(attack)
        if harm:
            won[repr(attack)] = harm
    assert won == {}
