"""What secrets begin with and stand behind, and whether a text may hold one. Pure.

Every fact that a prompt is given passes `may_hold`: what finds the secrets, in `secrets`, is loaded
when that says yes.
"""

from __future__ import annotations

_RUN = "[A-Za-z0-9_-]"
_KEY = _RUN + "{16,250}"
_FIGURE = rf"(?=[A-Za-z_-]{{0,250}}\d){_KEY}"  # sk-learn-contrib-extensions has none
# The kind, how a key begins (a text must hold one of these), and how it goes on.
_BEGINNINGS = (
    ("aws_key", "AKIA ASIA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("github_token", "ghp_ gho_ ghs_ ghu_ ghr_ github_pat_", _FIGURE),
    ("gitlab_token", "glpat- glptt- gldt- glrt- glcbt- glagent- glsoat- glft- glimt-", _KEY),
    ("slack_token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", _FIGURE),
    ("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_", _FIGURE),
    ("stripe_key", "whsec_", "[A-Za-z0-9+/=]{16,100}"),
    ("google_key", "AIza ya29. GOCSPX- 1//0", _FIGURE),
    ("npm_token", "npm_", _FIGURE), ("pypi_token", "pypi-", _FIGURE),
    ("jwt", "eyJ", rf"{_RUN}{{8,4000}}\.eyJ{_RUN}{{8,4000}}(?:\.{_RUN}{{0,4000}})?"),
    ("private_key", "AGE-SECRET-KEY-1", _FIGURE),
    ("api_key", "sk- rk- pk- sk_ rk_ pk_ shpat_ shpss_ hvs. hvb. dckr_pat_ sq0atp- sq0csp- tskey-"
                " NRAK- ATATT3 ATBB EAAA", _FIGURE),
    ("api_key", "hf_", _KEY), ("api_key", "SG.", rf"{_RUN}{{16,60}}\.{_RUN}{{16,60}}"),
)  # fmt: skip
FORMS: tuple[tuple[str, str | None, str], ...] = (
    *((kind, cue, cue.replace(".", r"\.") + rest)
      for kind, cues, rest in _BEGINNINGS for cue in cues.split()),
    ("private_key", "PRIVATE KEY", r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
     r"(?:(?:[^-]|-(?!----)){0,20000}-----END [A-Z0-9 ]{0,40}-----"
     r"|(?:(?:\s|\\n){1,4}[A-Za-z0-9+/=]{8,80}){1,400})"),
    ("private_key", "Private-Lines", r"Private-Lines: \d+(?:\s{1,4}[A-Za-z0-9+/=]{8,80}){1,400}"),
    ("bot_token", ":AA", rf"\d{{8,10}}:AA{_RUN}{{33}}"),
    # Of a word of 32 characters or more.
    ("bot_token", None, rf"[MNO][A-Za-z0-9]{{23,25}}\.{_RUN}{{6}}\.{_RUN}{{27,40}}"),
    ("api_key", None, r"(?:SK|dapi|key-|pul-|bkua_|sbp_|rubygems_|dop_v1_|doo_v1_)[0-9a-f]{32,64}"
                      r"|(?:PMAK|pat-[a-z]{2}\d)-[0-9a-f]{8}[0-9a-f-]{24,60}"
                      r"|[A-Za-z0-9]{14,17}\.(?:[0-9a-f]{64}|atlasv1\.[\w-]{40,80})"
                      r"|[0-9a-f]{32}-us\d{1,2}|cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    # Any other maker's: a short sign, and what is drawn at random.
    ("api_key", None, r"(?<![./@#+:])((?:[a-z][a-z0-9]{1,9}|[A-Z]{2,8})[-_.]"
     r"(?:[a-z0-9]{1,8}[-_.]){0,2}(?![a-z0-9]{1,8}[-_.])(?=[0-9A-Fa-f_-]{0,250}[G-Zg-z])"
     rf"(?:{_RUN}{{16,80}}\.)?{_RUN}{{30,250}})(?![\w/@=])"),
    ("webhook", None, r"(?:web)?hooks?[\w.]{0,20}(?:/[\w@.-]{1,80}){0,5}?/"
                      rf"({_RUN}{{24,100}})(?:/{_RUN}{{36}})?(?![\w@/-])"),
)  # fmt: skip
_CUES = ("sig=", "WIFI:", *(cue for _, cue, _ in FORMS if cue is not None))

# Words behind which a password or a key may stand. No word makes a secret of what follows.
CREDENTIALS = (
    "pass", "pwd", "pw", "psk", "token", "secret", "credential", "auth", "key", "mot de", "contras",
    "senha", "kennw", "geheim", "schlüssel", "wachtwoord", "sleutel", "lösen", "nyckel", "hasło",
    "klucz", "heslo", "adgangs", "parola", "şifre", "clé", "clave", "chave", "chiave", "jeton",
    "earer", "basic", "парол", "ключ", "токен", "密", "口令", "令牌", "パス", "トークン", "비밀",
)  # fmt: skip


def may_hold(text: str) -> bool:
    """Say whether a text may hold a secret. False is certain."""
    if any(map(text.__contains__, _CUES)) or ("@" in text and "://" in text):
        return True
    words = text.split()
    if sum(map(text.count, "0123456789")) >= 13 or max(map(len, words), default=0) >= 32:
        return True
    low = text.lower()
    if any(map(low.__contains__, CREDENTIALS)):
        return any(map(_may_be_value, words))
    return " -u " in text or " --user " in text


def _may_be_value(word: str) -> bool:
    """Say whether a word may be what stands behind a credential word: it has a figure or a mark."""
    word = word.rstrip(".,;:!?)")
    has_one = any(map(word.__contains__, "0123456789!@#$%^&*+?~§€"))
    return len(word) >= 16 or (len(word) >= 3 and has_one)
