"""One warm process for the fault tests of a run."""

from __future__ import annotations

from random import Random

import pytest

from tests.faults.nursery import Nursery


@pytest.fixture(scope="package")
def nursery():
    with Nursery() as warm:
        yield warm


@pytest.fixture
def random():
    return Random(1)
