"""The ways of asking that `eval run` compares: what each sets of a recall."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.ranking import profiles as ranking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

DEFAULT = "default"
PROFILES: Mapping[str, Mapping[str, Any]] = {
    DEFAULT: {},
    "keyword": {"mode": "keyword"},
    "semantic": {"mode": "semantic"},
    "append": {"fusion": "append"},
    "score": {"fusion": "score"},
    **{
        one.name: {"mode": one.mode, "fusion": one.fusion, "decay": one.decay, "profile": one.name}
        for one in ranking.PROFILES.values() if one.name != "tideline"
    },
}  # fmt: skip
"""`default` asks as a recall without options does; `tideline` is the same."""
ALL = "all"
_LEARNED = frozenset(("score",))


def named(
    names: tuple[str, ...], *, own: str | None, is_learned: bool
) -> tuple[list[str], list[str]]:
    """Return the profiles that are meant: first the one that a recall of the user has, `own` or the
    default; and those of `all` that need a learned embedder where there is none."""
    unknown = [name for name in names if name not in PROFILES and name != ALL]
    if unknown:
        raise UsageError(
            f"no profile is called {unknown[0]!r:.40}",
            hint="use all, or some of " + ", ".join(PROFILES),
        )
    wanted = [own or DEFAULT, *(name for name in PROFILES if name in names or ALL in names)]
    impossible = [] if is_learned else [
        name for name in wanted if name in _LEARNED and name not in names
    ]  # fmt: skip
    return list(dict.fromkeys(one for one in wanted if one not in impossible)), impossible
