"""The table of settings: names, types and defaults; what a value may be; and the profiles, each of
which sets how answers are ranked and shown by one name."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.origin import parse_origin
from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

DEFAULT_EMBEDDER = "hrr-256"  # of a memory file that names none
COLORS = ("auto", "always", "never")
TABLE = "origin_databases"  # the one setting that is a table of a file
NO_MODEL = "none"  # the setting llm of who wants none
DEDUPS = ("exact", "semantic", "smart")
_MOST = 1_000_000
_SWITCH = ("on", "off")
_SPELLED = {"true": "on", "false": "off", "1": "on", "0": "off", "yes": "on", "no": "off"}
_UNITS = (("d", DAY_MS), ("h", 3_600_000), ("m", 60_000), ("s", 1000))


class Setting(Record):
    """One setting: its name, its variable of the environment, its type and its default.

    `in_project` says whether a project file may set it. Where `top` is not 0, a project file may
    only lower the value; `top` is the limit where nobody else has set one. A `word` is one of
    `words`. `usual` is what holds where nothing sets a value without a default. A `table` has no
    variable: only the user's own file sets it.
    """

    name: str
    env: str
    # text, path, origin, scope, word, count, share (0..1), texts, table, or duration, which is
    # milliseconds inside; one of `words` may stand for it: never (None), or reference (30 days)
    kind: str
    default: Any
    help: str
    in_project: bool = False
    top: int = 0
    words: tuple[str, ...] = ()
    usual: Any = None


class Profile(Record):
    """A way of ranking and showing. `fusion` None is the usual one of the embedder. `touches` says
    whether a recall counts as use, `block` how a line of `context` looks, and `max_chars` and
    `max_tokens` how much it prints."""

    name: str
    help: str
    mode: str
    fusion: str | None
    decay: str
    touches: bool
    limit: int
    block: str
    max_chars: int
    max_tokens: int | None = None


PROFILES: Mapping[str, Profile] = {
    row.name: row
    for row in (
        Profile("tideline", "words first, then likeness",
                "hybrid", None, "half-life", True, 8, "segment", 1200),
        Profile("motherbrain", "points for words, ids and tags, and for likeness",
                "hybrid", "additive", "none", False, 10, "points", 1200),
        Profile("vectormemory", "classes of facts, and by distance within each",
                "hybrid", "priority", "spaced", True, 12, "labelled", 4800),
        Profile("rsclaw", "ranks among words and among the likest",
                "hybrid", "rrf", "weibull", True, 5, "plain", 4800, 1200),
    )
}  # fmt: skip
_PROFILES = tuple(PROFILES)

SETTINGS: Mapping[str, Setting] = {
    setting.name: setting
    for setting in (
        Setting("database", "TIDELINE_DB", "path", None, "the memory file, or a server"),
        Setting(TABLE, "", "table", None, "the table of origins that have a database of their own"),
        Setting("origin", "TIDELINE_ORIGIN", "origin", "owner", "whose memory it is", True),
        Setting("limit", "TIDELINE_LIMIT", "count", None, "hits of a recall", True, 8),
        Setting("max_chars", "TIDELINE_MAX_CHARS", "count", None, "budget of a context", True,
                1200),
        Setting("tags", "TIDELINE_TAGS", "texts", (), "tags of every new fact", True),
        Setting("scope", "TIDELINE_SCOPE", "scope", None, "the scope of what is written and seen, "
                "such as work/api; auto is the git repository of the working folder", True),
        Setting("agent", "TIDELINE_AGENT", "text", None,
                "the program that writes: its name stands on every new fact"),
        Setting("dedup", "TIDELINE_DEDUP", "word", None,
                "what remember compares a fact by: exact, semantic or smart; see remember --dedup",
                words=DEDUPS, usual="exact"),
        Setting("color", "TIDELINE_COLOR", "word", "auto", "auto, always or never", words=COLORS),
        Setting("dream_interval", "TIDELINE_DREAM_INTERVAL", "duration", DAY_MS,
                "time between two dreams, such as 12h or 7d"),
        Setting("evict_after_owner", "TIDELINE_EVICT_AFTER_OWNER", "duration", None,
                "how old what you typed must be before it fades: never, a duration such as 365d, or"
                " reference, which is 30d", words=("never", "reference"), usual="never"),
        Setting("dates", "TIDELINE_DATES", "duration", 90 * DAY_MS,
                "how old a fact must be for a prompt to tell the day on which it was said"),
        Setting("fading", "TIDELINE_FADING", "share", None,
                "how much of its score a faded fact loses, from 0 to 1; 0.5 without it", True,
                usual=0.5),
        Setting("profile", "TIDELINE_PROFILE", "word", None,
                "how answers are ranked and shown: "
                f"{', '.join(_PROFILES[:-1])} or {_PROFILES[-1]}", words=_PROFILES),
        Setting("touch", "TIDELINE_TOUCH", "word", None,
                "whether a recall counts as use, on or off; as its profile says without it",
                words=("on", "off")),
        Setting("promotion_access_only", "TIDELINE_PROMOTION_ACCESS_ONLY", "count", None,
                "uses that make a fact core; 15 without it", usual=15),
        Setting("promotion_importance_only", "TIDELINE_PROMOTION_IMPORTANCE_ONLY", "share", None,
                "the importance that makes a fact core; 0.9 without it", usual=0.9),
        Setting("promotion_both_access", "TIDELINE_PROMOTION_BOTH_ACCESS", "count", None,
                "uses that make a fact core which also has the importance of "
                "promotion_both_importance; 5 without it", usual=5),
        Setting("promotion_both_importance", "TIDELINE_PROMOTION_BOTH_IMPORTANCE", "share", None,
                "the importance that goes with promotion_both_access; 0.8 without it", usual=0.8),
        Setting("core_demotion", "TIDELINE_CORE_DEMOTION", "word", None,
                "whether a core fact may cool down, on or off; off without it",
                words=("on", "off"), usual="off"),
        Setting("auto_constraints", "TIDELINE_AUTO_CONSTRAINTS", "share", None,
                "the share of a context --auto that constraints may take, 0.3 at most; none without"
                " it"),
        Setting("auto_recall", "TIDELINE_AUTO_RECALL", "word", "on",
                "whether hooks and context --auto say facts unasked, on or off",
                words=("on", "off")),
        Setting("sessions", "TIDELINE_SESSIONS", "word", "off",
                "turns: hooks keep what is said in a session word for word; or off",
                words=("off", "turns")),
        Setting("sessions_keep", "TIDELINE_SESSIONS_KEEP", "duration", 180 * DAY_MS,
                "how long a dream leaves turns of sessions: a duration, or never an end",
                words=("never",)),
        Setting("sessions_size", "TIDELINE_SESSIONS_SIZE", "count", 1000,
                "MB that the turns of an origin may take; a dream removes the oldest beyond it"),
        Setting("recall_sessions", "TIDELINE_RECALL_SESSIONS", "word", "off",
                "whether turns of sessions fill what places a recall has left, and one of your own "
                "may be quoted in a prompt, on or off", words=("on", "off")),
        Setting("llm", "TIDELINE_LLM", "text", None, "the command that asks a model, or none"),
        Setting("model", "TIDELINE_MODEL", "text", None, "the model to ask at the base URL"),
        Setting("base_url", "TIDELINE_BASE_URL", "text", None, "an OpenAI-compatible endpoint"),
        Setting("extract_soon", "TIDELINE_EXTRACT_SOON", "word", "off",
                "whether a hook has settled conversations distilled at once, or the night does, "
                "on or off", words=("on", "off")),
        Setting("extract_budget", "TIDELINE_EXTRACT_BUDGET", "count", None,
                "tokens a day for conversations that hooks have noted; no limit without it"),
        Setting("price_in", "TIDELINE_PRICE_IN", "count", None,
                "what a million tokens cost that a model reads, in cents"),
        Setting("price_out", "TIDELINE_PRICE_OUT", "count", None,
                "what a million tokens cost that a model writes, in cents"),
        Setting("window", "TIDELINE_WINDOW", "count", None,
                "characters of conversation in one request of extract; 60,000 without it"),
        Setting("reply_tokens", "TIDELINE_REPLY_TOKENS", "count", None,
                "tokens of a reply at most, of an endpoint; 4,000 without it"),
        Setting("key_file", "TIDELINE_KEY_FILE", "text", None,
                "a file that holds the API key, mode 0600"),
        Setting("embedder_url", "TIDELINE_EMBEDDER_URL", "text", None,
                "where the embedder openai is reached, such as http://localhost:11434/v1"),
        Setting("embedder_model", "TIDELINE_EMBEDDER_MODEL", "text", None,
                "the model that is asked for vectors there"),
        Setting("embedder_key_file", "TIDELINE_EMBEDDER_KEY_FILE", "text", None,
                "a file that holds its API key, mode 0600"),
        Setting("embedder_dims", "TIDELINE_EMBEDDER_DIMS", "count", None,
                "how many values a vector of openai has"),
        Setting("query_instruction", "TIDELINE_QUERY_INSTRUCTION", "text", None,
                "what stands before a question for openai and command, such as 'query: '"),
        Setting("embedder_command", "TIDELINE_EMBEDDER_COMMAND", "text", None,
                "the program that the embedder command asks"),
    )
}  # fmt: skip


class Value(Record):
    """A setting's value and where it comes from."""

    value: Any
    came_from: str


def shown(name: str, value: Any) -> Any:
    """Return a setting's value as a user writes it: a duration as 90s, 30m, 24h, 7d; a table
    without the passwords in it."""
    kind = SETTINGS[name].kind
    if kind == "table" and value:
        from tideline_cli.model.server_address import without_password  # noqa: PLC0415  few have one

        return {key: without_password(address) for key, address in value.items()}
    if kind != "duration" or value == "never":
        return value
    if value is None:
        return "never" if "never" in SETTINGS[name].words else None
    units = _UNITS[1:] if value <= DAY_MS else _UNITS
    unit, ms = next((unit, ms) for unit, ms in units if value % ms == 0)
    return f"{value // ms}{unit}"


def parse_value(setting: Setting, raw: Any, where: str) -> Any:
    """Return the value of a setting; raise UsageError, which names `where` it stands, if the
    setting cannot have it."""
    try:
        return _value(setting, raw)
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", hint=error.hint) from error


def _value(setting: Setting, raw: Any) -> Any:
    hint = setting.help
    match setting.kind:
        case "count":
            text = str(raw)
            is_number = text.isascii() and text.isdigit() and len(text) <= len(str(_MOST))
            if is_number and 0 < int(text) <= _MOST:
                return int(text)
            hint = f"{hint}: a whole number from 1 to {_MOST:,}"
        case "share":
            share = _share(raw)
            if share is not None:
                return share
            hint = f"{hint}: a number from 0 to 1"
        case "texts":
            if isinstance(raw, list) and all(isinstance(item, str) for item in raw):
                return tuple(item.strip() for item in raw if item.strip())
        case "duration" if raw in setting.words:
            return None if raw == "never" else 30 * DAY_MS
        case "duration" if isinstance(raw, str):
            from tideline_cli.model.time_words import parse_duration  # noqa: PLC0415  few set one

            return parse_duration(raw)
        case "origin" if isinstance(raw, str):
            parse_origin(raw)
            return raw
        case "scope" if isinstance(raw, str):
            from tideline_cli.model.scope import scope_key  # noqa: PLC0415  many have no scopes

            return scope_key(raw) or ""
        case "word":
            if raw in setting.words:
                return raw
            if setting.words == _SWITCH and (said := _SPELLED.get(str(raw).lower())):
                return said
        case "text" if isinstance(raw, str):
            return raw
        case "table":  # which may hold a password, so it is not shown
            raise UsageError(
                f"{setting.name} is a table",
                hint="tideline config set database ADDRESS --origin NAME",
            )
        case "path" if isinstance(raw, str):
            if raw.strip() and "\x00" not in raw:
                return raw
    raise UsageError(f"{setting.name} cannot be {raw!r:.60}", hint=hint)


def _share(raw: Any) -> float | None:
    """Return a number from 0 to 1, None for anything else."""
    try:
        number = float(raw) if isinstance(raw, str | int | float) else -1.0
    except ValueError:
        return None
    return number if 0.0 <= number <= 1.0 and not isinstance(raw, bool) else None
