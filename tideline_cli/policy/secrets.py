"""Passwords, keys and card numbers in a text, found by what the value looks like. Pure."""

from __future__ import annotations

from itertools import pairwise

from tideline_cli.policy.secret_forms import FORMS, may_hold

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    Found = Iterator[tuple[int, int, str]]
    """Where a value starts and ends, and its kind."""

MARK = "[secret]"

_WORD = (
    r"(?:pass ?(?:wor[dt]|wd|phrase|code|ord)(?:s|et)?|pwd|mot de passe|contrase[nñ]a|senha"
    r"|kennwort|wachtwoord|lösenord(?:et)?|adgangskode|hasło|heslo|parola|şifre|парол[ьяюе]м?|密码"
    r"|密碼|口令|パスワード|비밀번호|(?<=[a-z])(?-i:Pass|Pwd|Pw)|(?<![a-z])(?:pw|psk"
    r"|pass(?=[\"'`*]{0,3}[ \t]?[:=])))"
)
_KEY_WORD = (
    rf"(?:{_WORD}|key|auth(?!or)|token|secret|credential|schlüssel|geheimnis|sleutel|nyckel|klucz"
    r"|jeton|clé|clave|chave|chiave|ключ|токен|密钥|密鑰|令牌|トークン)"
)
# Between such a word and its value: at most the end of a name, a short word with what it is for,
# marks of a text or a page, a sign or a verb, and one end of a line.
_MARKS = r"(?:[\\\"'`\])}*_]|</?\w{1,10}>){0,4}"
_SIGN = (
    r"(?:[_-]?\d{1,2})?(?![a-z])(?:[ \t]+\w{1,4}(?:[ \t]+[^\s.,;:=!?]{1,30}){1,4}?)?"
    rf"{_MARKS}(?:(?:[ \t]{{0,4}}(?:=>|->|:=|:[ \t]{{0,4}}[a-z]\w{{0,20}}\??[ \t]{{0,4}}="
    r"|[:=：＝](?!//|:)|>(?!@)|[ \t]\|(?=[ \t])|[ \t]value=|(?<=--password)[ \t])|(?<=>)"
    r"|['’]s|[ \t]{1,4}(?:is|was|are|ist|lautet|est|es|é|è|är|er|jest|to|это|[-–—])"
    rf"(?:[ \t]+(?:now|still|set to|jetzt))?:?(?=[ \t])|[是为為はが은는이]){_MARKS}[ \t]{{0,4}}"
    rf"|:?{_MARKS}[ \t]{{0,4}}(?:[>|][+-]?)?\r?\n(?:[\s>*-]|```\w{{0,9}}\n){{0,40}}"
    r"(?!@\w|[\w.-]{1,60}[=:])(?=\S{1,300}[ \t]{0,4}(?:[\r\n]|$)))"
)
_VALUE = (
    r"(?:[\\\"'`“「‘*]|</?\w{1,10}>){0,3}"
    r"(?=(?P<value>(?:(?!</|[&,]\w+[:=])[^\s\"'`”」’;\\]){4,160}))"
)
_PLACES = (
    ("url_password", r"://(?P<user>[^\s/@:\"'<>]*):(?P<value>[^\s/\"'<>]{1,200})@(?=[\w\[.])"),
    ("wifi_password", r"WIFI:(?:[^;\n]{0,80};){0,4}P:(?P<value>[^;\n]{8,63})"),
    ("azure_key", r"[?&]sig=(?P<value>[\w%+/-]{40,100})"),
    ("bearer_token", r"(?i:bearer)\s+(?P<value>[\w.~+/=-]{16,4000})"),
    ("basic_auth", r"(?i:authorization)\W{1,6}(?i:basic)\s+(?P<value>[\w+/-]{12,400}={0,2})"),
    ("password", r"(?i:login)\s+\S+\s+(?i:password)\s+(?P<value>\S{4,300})"),
    ("password", r"\s(?:-u|--user)\s+['\"]?[^\s:'\"]{1,100}:(?P<value>[^\s'\"]{4,300})"),
    ("password", f"(?i:{_WORD}{_SIGN}){_VALUE}"),
    ("random_key", f"(?i:{_KEY_WORD}[\\w.-]{{0,30}}?{_SIGN}){_VALUE}"),
)  # fmt: skip
_LONG_RUN = r"(?<![\w+/~.%@$-])[\w+/~%.-]{16,400}={0,2}(?![\w@/])"
_NEAR = 60  # characters between a credential word and what it may name
_CARD = (
    r"(?<![\w.+-])(?<!\d[ -])[2-6]\d{3}(?:\d{8,15}"
    r"|(?P<gap>[ -])(?:\d{4}(?P=gap)\d{4}(?P=gap)\d{4}(?:(?P=gap)\d{3})?|\d{6}(?P=gap)\d{4,5}))"
    r"(?!\w|[ -.]\d)"
)
_CARD_WORD = r"(?i)card|kart[aeuy]|cart[aãe]|tarjeta|kaart|карт|卡|カード|카드|visa|amex|diners"
# Pairs of letters that words of European languages have, by the first: nine of ten of theirs, three
# of ten of letters drawn at random.
_PAIRS = frozenset(
    row[0] + second for row in (
        "abcdgiklmnprstuvy baeiloru cacehiklortu daeioru eacdefgilmnoprstvwxy faefioru gaehiloru "
        "haeiou iabcdefglmnoprstvz kei ladeilostuy mabeimopu nacdeginostu oabcdgilmnoprstuvw "
        "paehiloprtu qu racdegikmnorstuy sacehilopstuy taehiorstuy ubcdegilmnprst vaeio waeio ye"
    ).split() for second in row[1:]
)  # fmt: skip
_JOINTS = "-_./:'|"
# What stands for a value that somebody else has to fill in.
_PLACEHOLDER = (
    r"(?i)(?:your?|my|our|the|some|insert|enter|replace|change|put|add|here|with|example|sample|demo"
    r"|dummy|fake|test|todo|fixme|before|placeholder|redacted|hidden|removed|secret|pass(?:wor[dt]|wd)?"
    r"|pwd?|token|key|api|access|client|private|auth|bearer|value|user|name|string|none|null|admin"
    r"|root|guest|default|foo|bar|me|it|[\W\d_]|x{3,})*"
)
_NAMED = frozenset(
    "password passwort passwd pwd pass secret secrets token tokens key keys credential credentials "
    "auth env config vault".split()
)
_NO_KEY = (
    r"(?i)commit|sha|hash|digest|checksum|fingerprint|integrity|guid|etag|version|build|contract"
    r"|address|(?:pub|public|primary|foreign|partition|cache|sort|object|idempotency)[ _-]?key"
    r"|(?<![a-z])u?u?ids?(?![a-z])|[a-z]Id(?![a-z])"
)


def without(text: str) -> tuple[str, int]:
    """Return `text` with a mark in the place of each secret, and how many there were."""
    text, kinds = _replaced(text)
    return text, len(kinds)


def kinds_in(text: str) -> tuple[str, ...]:
    """Return the kinds of the secrets that stand in a text, each once."""
    return tuple(dict.fromkeys(_replaced(text)[1]))


def holds(text: str) -> bool:
    """Say whether a text holds a secret, or the mark of one that was taken out."""
    return MARK in text or bool(_replaced(text)[1])


def _replaced(text: str) -> tuple[str, list[str]]:
    """Return `text` with marks in the place of its secrets, and the kind of each."""
    kinds: list[str] = []
    if may_hold(text):
        for look in (_marked, _behind_words, _loose, _cards):
            parts: list[str] = []
            done = 0
            for start, end, kind in sorted(look(text), key=lambda found: found[0]):
                if start >= done and MARK not in text[start:end]:
                    parts += (text[done:start], MARK)
                    kinds.append(kind)
                    done = end
            if done:
                text = "".join((*parts, text[done:]))
    return text, kinds


_compiled: dict[str, re.Pattern[str]] = {}


def _pattern(source: str) -> re.Pattern[str]:
    """Return a pattern, compiled when a text first asks for it."""
    found = _compiled.get(source)
    if found is None:
        import re  # noqa: PLC0415  6 ms of a cold start; most texts have no cue

        found = _compiled[source] = re.compile(source)
    return found


def _marked(text: str) -> Found:
    """Yield the keys that carry the sign of who made them, and blocks of private keys."""
    for kind, cue, form in FORMS:
        if cue is None or cue in text:
            if cue is not None and "…" in text:
                form = f"{form}|{cue}[A-Za-z0-9_-]{{2,}}(?=…)"  # one whose end was cut off
            whole = _pattern(f"(?<![A-Za-z0-9_-])(?:{form})" if form[0] != "-" else form)
            for match in whole.finditer(text):
                if _is_placeholder(match[0][len(cue or "") :]):
                    continue
                is_key = kind != "api_key" or not _is_words(match[0])
                if is_key and all(map(_is_random, match.groups())):
                    yield (*match.span(), kind)


def _behind_words(text: str) -> Found:
    """Yield what stands in the place of a password or a key, and looks like one."""
    for kind, source in _PLACES:
        seen = 0
        for match in _pattern(source).finditer(text):
            if match.start("value") < seen:
                continue
            seen = match.end("value")
            value = _trimmed(match)
            if kind in ("password", "random_key") and match[0].rstrip()[-1:] > "\u3000":
                value = _pattern(r"[^!-~].*").sub("", value)  # the sentence goes on in its script
            start = match.start("value")
            if _is_value(kind, value, match):
                yield start, start + len(value), kind


def _trimmed(match: re.Match[str]) -> str:
    """Return a value without the signs of the sentence or the code behind it; what stands between
    quotes has none."""
    value, text, end = match["value"], match.string, match.end("value")
    if text[match.start("value") - 1] in "\"'`" and text[end : end + 1] in ('"', "'", "`", "\\"):
        return value
    bare = value.rstrip(".,;:!?)]}。，；：！？）】*")
    opened = any(map(bare.__contains__, "([{"))
    return value.rstrip(".,;:!?。，；：！？*") if opened else bare


def _is_value(kind: str, value: str, match: re.Match[str]) -> bool:
    """Say whether a value is what its place says that it is."""
    if kind in ("password", "random_key"):
        if _names_one(value) or _is_call(match):
            return False
        if "\n" in match[0] and _pattern(r"[=:$({[]|\w$").search(_before(match, _NEAR)):
            return False
    if kind in ("url_password", "wifi_password"):
        return not _is_placeholder(value) and value != match.groupdict().get("user")
    if kind in ("password", "bearer_token"):
        return _is_password(value)
    clause = _pattern(r"^.*[,;:={(&|\"]").sub("", _before(match, 20)) + match[0]
    if kind == "random_key" and _pattern(_NO_KEY).search(clause):
        return False
    return kind == "azure_key" or _is_random(value)


def _before(match: re.Match[str], most: int) -> str:
    """Return what stands before a match in its line."""
    start = match.start()
    return match.string[max(0, start - most) : start].rpartition("\n")[2]


def _loose(text: str) -> Found:
    """Yield random letters near a credential word in its line; hexadecimal digits are some hash."""
    for match in _pattern(_LONG_RUN).finditer(text):
        before = _before(match, _NEAR)
        if (
            _pattern(f"(?i){_KEY_WORD}").search(before)
            and not _pattern(_NO_KEY).search(before)
            and not _pattern("(?i)(?:0x)?[0-9a-f]+").fullmatch(match[0])
            and _is_random(match[0])
        ):
            yield (*match.span(), "random_key")


def _cards(text: str) -> Found:
    """Yield card numbers with a right check digit, in groups or behind a card word."""
    for match in _pattern(_CARD).finditer(text):
        digits = [int(char) for char in match[0] if char.isdigit()][::-1]
        doubled = sum(digits[::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])
        is_said = match["gap"] or _pattern(_CARD_WORD).search(_before(match, _NEAR))
        if is_said and doubled % 10 == 0:
            yield (*match.span(), "card_number")


def _is_password(value: str) -> bool:
    """Say whether a value looks like a password: 8 characters, a letter and a figure or mark, and
    none of the other things that stand in that place."""
    if len(value) < 8 or not any(map(str.isalpha, value)):
        return False
    if _is_placeholder(value):
        return _pattern(_ROLE).fullmatch(value) is not None
    if not any(char.isdigit() or not (char.isalnum() or char in _JOINTS) for char in value):
        return False
    return not (_is_words(value) or any(_pattern(form).search(value) for form in _NOT_ONE))


_NEVER = (  # how it is kept, or the path of a file
    r"^\W{0,2}(?:sha\d|md5|argon|[bs]crypt|pbkdf|ssha|b(?:ase)?64|2[aby]\$)"
    r"|^[~/\w.-]+/[\w./-]+\.[a-z]{1,4}$"
)
# A word that stands in many examples, with a number of its own.
_ROLE = r"(?i)\W*(?:admin|root|guest|user|test|demo|secret|pass(?:word)?)\W?\d{3,}\W*"
_NOT_ONE = (
    f"(?i){_NEVER}",
    r"^@?[/~\\]|^\.{1,2}/|^[\w.]+\(\d*\)$",  # a path, a call, a type with its size
    r"://|^[\w.+-]+@[\w-]+\.[\w.]+$",  # an address
    r"^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^[A-Z]+-\d+$",  # a variable of the environment, a ticket
    r"^[a-zA-Z_$][\w$]*(?:(?:\.|->|::|\?\.)[a-zA-Z_$][\w$]*)+$",  # a member
    r"^[vV]?\d[\d.:,TZx+-]*[a-zA-Z%]{0,2}$",  # a number, a time, a version
)
_CALL = r"[^\"'`](?:[$@&*!]?[A-Za-z_](?:\.|[A-Za-z_])[\w.:>?$-]*[(\[]|!!?[A-Za-z][\w:/.-]*$)"


def _is_call(match: re.Match[str]) -> bool:
    """Say whether a value, outside of quotes, is a call, a type with its parts, or a tag."""
    start, end = match.span("value")
    return _pattern(_CALL).match(match.string, start - 1, end) is not None


def _names_one(value: str) -> bool:
    """Say whether a value is a name for a credential: dbPassword2, db-secret-1."""
    if not _pattern(r"[\w.:/#$-]+").fullmatch(value) or _pattern(_ROLE).fullmatch(value):
        return False
    humps = _pattern("[A-Z]?[a-z]+|[A-Z]+(?![a-z])").findall(value)
    return any(hump.lower() in _NAMED for hump in humps)


def _is_words(value: str) -> bool:
    """Say whether a value is words and numbers with dashes, dots or slashes between."""
    parts = _pattern(r"[-_./:'|]+").split(value)
    part_of_it = _pattern(r"(?:[^\W\d_][^\W\dA-Z_]*|[A-Z]+)\d{0,4}|\d*")
    if len(parts) < 2 or not all(map(part_of_it.fullmatch, parts)):
        return False
    words = [part for part in parts if part[:1].isalpha()]
    return words[-1][0].islower() and not _is_surprising(value)


def _is_random(value: str) -> bool:
    """Say whether a value is drawn at random: 16 characters of several classes, many of them, in an
    order that no words and numbers have, and no id."""
    value = _pattern(r"^(?:[a-z]+[-_.])*[a-z]{4,}[-_.]").sub("", value)
    if len(value) < 16 or len(set(value)) < 7 or _is_placeholder(value):
        return False
    if _pattern(_ID).search(value):
        return False
    steps = sum(ord(other) - ord(one) == 1 for one, other in pairwise(value))
    classes = sum(any(map(is_one, value)) for is_one in (str.islower, str.isupper, str.isdigit))
    if classes < 2 or 2 * steps >= len(value) or not _is_surprising(value):
        return False
    words = _pattern(r"(?<![^-_./:])[A-Za-z][a-z]{3,}(?![^-_./:])").findall(value)
    return all(_is_surprising(word, 1) for word in words)


_ID = (  # UUID, ULID, an address of a contract or of a page
    r"(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^[0-7][0-9A-HJKMNP-TV-Z]{25}$"
    rf"|^0x[0-9a-f]{{40}}$|://|^//|{_NEVER}"
)


def _is_surprising(value: str, least: int = 4) -> bool:
    """Say whether at least half of the neighbours in a value are none of a word or a number:
    letters that do not stand together, a small one before a capital, a letter beside a figure or a
    mark."""
    odd = even = 0
    for one, other in pairwise(value):
        if one in _JOINTS or other in _JOINTS or (one.isdigit() and other.isdigit()):
            continue
        is_plain = (one + other).lower() in _PAIRS or not (one.isascii() and other.isascii())
        if is_plain and one.isalpha() and other.isalpha() and (one.isupper() or other.islower()):
            even += 1
        else:
            odd += 1
    return odd >= max(least, even)


def _is_placeholder(value: str) -> bool:
    """Say whether a value only stands for one."""
    if value.startswith(("<", "{", "[", "(", "%", "*", "…", "•", "...", "___")):
        return True
    is_repeated = any(2 * value.count(char) > len(value) > 3 for char in set(value))
    if is_repeated or _pattern(r"^\$\w+$|\$[{(]|\{\{|#\{|%\(|<[^<>]+>").search(value):
        return True
    return any(map(str.isalpha, value)) and bool(_pattern(_PLACEHOLDER).fullmatch(value))
