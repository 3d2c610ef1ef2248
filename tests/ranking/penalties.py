"""The penalty as the program of VectorMemory computes it: the document, which counts here, has
another."""

from __future__ import annotations

from math import exp, log

_MOST = 0.30
_DAYS = 30.0


def saturating_penalty(access_count, days):
    """Return 0.3 · (1 − exp(−days / (30 · (1 + ln(1 + uses))))), 0.3 at most."""
    lasts = _DAYS * (1.0 + log(1 + access_count))
    return _MOST * (1.0 - exp(-max(days, 0.0) / lasts))
