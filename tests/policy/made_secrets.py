"""Secrets made up at random when the tests run: no file holds what looks like one."""

import base64
import json
import random
import string
from collections.abc import Callable, Iterator

LETTERS = string.ascii_letters
ALNUM = LETTERS + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URL64 = ALNUM + "-_"
B64 = ALNUM + "+/"
MARKS = "!$%&*+?#-_"

Draw = Callable[[str, int], str]
"""`draw(alphabet, length)`: that many characters at random."""


def drawer(rng: random.Random) -> Draw:
    """Strings as generators of keys make them: with a digit and a letter, if possible."""

    def draw(alphabet: str, length: int) -> str:
        while True:
            text = "".join(rng.choice(alphabet) for _ in range(length))
            wanted = [s for s in (string.digits, LETTERS) if set(s) & set(alphabet)]
            if length < 8 or all(set(text) & set(s) for s in wanted):
                return text

    return draw


def card_number(draw: Draw, head: str, length: int = 16) -> str:
    """A number with a right check digit."""
    body = head + draw(string.digits, length - len(head) - 1)
    total = sum(
        int(c) if i % 2 else sum(divmod(2 * int(c), 10)) for i, c in enumerate(reversed(body))
    )
    return body + str(-total % 10)


def web_token(draw: Draw) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return ".".join(
        [
            part({"alg": "HS256", "typ": "JWT"}),
            part({"sub": draw(string.digits, 10)}),
            draw(URL64, 43),
        ]
    )


def hex_id(draw: Draw) -> str:
    return "-".join(draw(HEX, n) for n in (8, 4, 4, 4, 12))


def putty_block(draw: Draw) -> str:
    lines = "\n".join(draw(B64, 64) for _ in range(3))
    return f"Private-Lines: 3\n{lines}\nPrivate-MAC: {draw(HEX, 64)}"


def private_block(draw: Draw, kind: str) -> str:
    lines = "\n".join(draw(B64, 64) for _ in range(4))
    return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----"


def password(draw: Draw) -> str:
    """A password as people and their managers make them: letters, a digit and sometimes a mark."""
    return draw(LETTERS, 4) + draw(string.digits, 2) + draw(LETTERS + MARKS, 1) + draw(ALNUM, 4)


VENDORS: dict[str, Callable[[Draw], str]] = {
    "github_classic": lambda d: "gh" + "p_" + d(ALNUM, 36),
    "github_oauth": lambda d: "gh" + "o_" + d(ALNUM, 36),
    "github_server": lambda d: "gh" + "s_" + d(ALNUM, 36),
    "github_fine": lambda d: "github" + "_pat_" + d(ALNUM, 22) + "_" + d(ALNUM, 59),
    "gitlab": lambda d: "glpat" + "-" + d(URL64, 20),
    "aws_id": lambda d: "AK" + "IA" + d("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    "aws_temporary": lambda d: "AS" + "IA" + d("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    "google": lambda d: "AI" + "za" + d(URL64, 35),
    "google_oauth": lambda d: "GOC" + "SPX-" + d(URL64, 28),
    "google_token": lambda d: "ya" + "29." + d(URL64, 60),
    "slack_bot": lambda d: (
        "xo" + "xb-" + d(string.digits, 12) + "-" + d(string.digits, 12) + "-" + d(ALNUM, 24)
    ),
    "slack_user": lambda d: (
        "xo" + "xp-" + d(string.digits, 11) + "-" + d(string.digits, 11) + "-" + d(HEX, 32)
    ),
    "slack_app": lambda d: (
        "xa" + "pp-1-" + d(UPPER, 11) + "-" + d(string.digits, 13) + "-" + d(HEX, 64)
    ),
    "slack_hook": lambda d: (
        "https://hooks.slack.com/services/T" + d(UPPER, 9) + "/B" + d(UPPER, 9) + "/" + d(ALNUM, 24)
    ),
    "discord_hook": lambda d: (
        "https://discord.com/api/webhooks/" + d(string.digits, 18) + "/" + d(URL64, 68)
    ),
    "stripe_live": lambda d: "sk" + "_live_" + d(ALNUM, 24),
    "stripe_test": lambda d: "sk" + "_test_" + d(ALNUM, 24),
    "stripe_restricted": lambda d: "rk" + "_live_" + d(ALNUM, 24),
    "stripe_webhook": lambda d: "wh" + "sec_" + d(ALNUM, 32),
    "openai": lambda d: "sk" + "-" + d(ALNUM, 48),
    "openai_project": lambda d: "sk" + "-proj-" + d(URL64, 64),
    "anthropic": lambda d: "sk" + "-ant-api03-" + d(URL64, 93) + "AA",
    "openrouter": lambda d: "sk" + "-or-v1-" + d(HEX, 64),
    "groq": lambda d: "gs" + "k_" + d(ALNUM, 52),
    "huggingface": lambda d: "hf" + "_" + d(LETTERS, 34),
    "replicate": lambda d: "r8" + "_" + d(ALNUM, 37),
    "npm": lambda d: "np" + "m_" + d(ALNUM, 36),
    "pypi": lambda d: "py" + "pi-AgEIcHlwaS5vcmc" + d(URL64, 90),
    "twilio": lambda d: "S" + "K" + d(HEX, 32),
    "sendgrid": lambda d: "S" + "G." + d(URL64, 22) + "." + d(URL64, 43),
    "mailgun": lambda d: "ke" + "y-" + d(HEX, 32),
    "mailchimp": lambda d: d(HEX, 32) + "-u" + "s14",
    "telegram": lambda d: d(string.digits, 10) + ":A" + "A" + d(URL64, 33),
    "discord_bot": lambda d: "M" + d(ALNUM, 23) + "." + d(URL64, 6) + "." + d(URL64, 27),
    "digitalocean": lambda d: "do" + "p_v1_" + d(HEX, 64),
    "shopify": lambda d: "sh" + "pat_" + d(HEX, 32),
    "square": lambda d: "sq" + "0atp-" + d(URL64, 22),
    "linear": lambda d: "li" + "n_api_" + d(ALNUM, 40),
    "notion": lambda d: "nt" + "n_" + d(ALNUM, 46),
    "atlassian": lambda d: "AT" + "ATT3xFfGF0" + d(URL64, 60),
    "grafana": lambda d: "gl" + "sa_" + d(ALNUM, 32) + "_" + d(HEX, 8),
    "vault": lambda d: "hv" + "s." + d(URL64, 24),
    "docker": lambda d: "dc" + "kr_pat_" + d(URL64, 27),
    "databricks": lambda d: "da" + "pi" + d(HEX, 32),
    "planetscale": lambda d: "ps" + "cale_pw_" + d(URL64, 43),
    "tailscale": lambda d: "ts" + "key-auth-" + d(ALNUM, 16) + "-" + d(ALNUM, 32),
    "age": lambda d: "AGE-SECRET" + "-KEY-1" + d("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "jwt": web_token,
    "google_refresh": lambda d: "1/" + "/0" + d("3469", 1) + d(URL64, 90),
    "buildkite": lambda d: "bk" + "ua_" + d(HEX, 40),
    "resend": lambda d: "re" + "_" + d(ALNUM, 8) + "_" + d(ALNUM, 24),
    "postman": lambda d: "PM" + "AK-" + d(HEX, 24) + "-" + d(HEX, 34),
    "posthog": lambda d: "ph" + "x_" + d(ALNUM, 43),
    "contentful": lambda d: "CF" + "PAT-" + d(URL64, 43),
    "dropbox": lambda d: "sl" + ".u." + d(URL64, 120),
    "hubspot": lambda d: "pat" + "-eu1-" + hex_id(d),
    "brevo": lambda d: "xke" + "ysib-" + d(HEX, 64) + "-" + d(ALNUM, 16),
    "dynatrace": lambda d: "dt0" + "c01." + d(UPPER, 24) + "." + d(UPPER, 64),
    "xai": lambda d: "xa" + "i-" + d(ALNUM, 80),
    "perplexity": lambda d: "pp" + "lx-" + d(ALNUM, 48),
    "langsmith": lambda d: "ls" + "v2_pt_" + d(HEX, 32) + "_" + d(HEX, 10),
    "pinecone": lambda d: "pc" + "sk_" + d(ALNUM, 5) + "_" + d(ALNUM, 63),
    "nvidia": lambda d: "nv" + "api-" + d(URL64, 64),
    "supabase": lambda d: "sb" + "_secret_" + d(URL64, 31),
    "render": lambda d: "rn" + "d_" + d(ALNUM, 32),
    "neon": lambda d: "na" + "pi_" + d(string.ascii_lowercase + string.digits, 64),
    "terraform": lambda d: d(ALNUM, 14) + ".at" + "lasv1." + d(URL64, 67),
    "doppler": lambda d: "dp" + ".st.prd." + d(ALNUM, 40),
    "airtable": lambda d: "pat" + d(ALNUM, 14) + "." + d(HEX, 64),
    "bitbucket": lambda d: "AT" + "BB" + d(ALNUM, 32),
    "square_live": lambda d: "EA" + "AA" + d(URL64, 60),
    "cratesio": lambda d: "ci" + "o" + d(ALNUM, 32),
    "zapier_hook": lambda d: (
        "https://hooks.zapier.com/hooks/catch/" + d(string.digits, 7) + "/" + d(ALNUM, 32)
    ),
    "teams_hook": lambda d: (
        f"https://shop.webhook.office.com/webhookb2/{hex_id(d)}@{hex_id(d)}/IncomingWebhook/"
        f"{d(HEX, 32)}/{hex_id(d)}"
    ),
}

SENTENCES = (
    "{}",
    "The deploy token for the kiosk is {}.",
    'Use "{}" for staging',
    "export SERVICE_CREDENTIAL={}",
    "curl -H 'X-Auth: {}' https://api.example.com/v1/me",
)

BEHIND_WORDS: dict[str, tuple[str, Callable[[Draw], str]]] = {
    "api_key_yaml": ("api_key: {}", lambda d: d(ALNUM, 32)),
    "api_key_sentence": ("The API key for the weather service is {}", lambda d: d(HEX, 32)),
    "api_key_header": ("X-API-Key: {}", lambda d: d(ALNUM, 40)),
    "aws_secret": ("aws_secret_access_key = {}", lambda d: d(B64, 40)),
    "azure_storage": (
        "DefaultEndpointsProtocol=https;AccountName=media;AccountKey={};EndpointSuffix=core.windows.net",
        lambda d: d(B64, 86) + "==",
    ),
    "azure_client": ("AZURE_CLIENT_SECRET={}", lambda d: d(ALNUM, 3) + "8Q~" + d(URL64, 34)),
    "bearer": ("Authorization: Bearer {}", lambda d: d(URL64, 40)),
    "basic": (
        "Authorization: Basic {}",
        lambda d: base64.b64encode(f"ann:{d(ALNUM, 14)}".encode()).decode(),
    ),
    "client_secret_json": ('{{"client_id": "web", "client_secret": "{}"}}', lambda d: d(URL64, 32)),
    "secret_key_python": ("SECRET_KEY = '{}'", lambda d: d(ALNUM + "!@#$%^&*(-_=+)", 50)),
    "jwt_secret_env": ("JWT_SECRET={}", lambda d: d(HEX, 64)),
    "session_toml": ('session_secret = "{}"', lambda d: d(B64, 43) + "="),
    "npmrc": (
        "//registry.npmjs.org/:_authToken={}",
        lambda d: d(HEX, 8) + "-" + d(HEX, 4) + d(HEX, 20),
    ),
    "typescript": ('const accessToken = "{}";', lambda d: d(ALNUM, 36)),
    "go": ('apiSecret := "{}"', lambda d: d(ALNUM, 40)),
    "sas": (
        "https://media.blob.core.windows.net/c/f?sv=2024-11-04&sig={}",
        lambda d: d(ALNUM, 42) + "%3D",
    ),
    "query_token": ("https://example.com/feed.xml?access_token={}", lambda d: d(ALNUM, 32)),
    "german_key": ("Der API-Schlüssel lautet {}", lambda d: d(ALNUM, 32)),
    "encryption_key": ("encryption_key: {}", lambda d: d(B64, 43) + "="),
    "netrc": ("machine api.example.com login ann password {}", password),
    "curl_user": ("curl -u ann:{} https://api.example.com", password),
    "postgres": ("DATABASE_URL=postgres://app:{}@db.internal:5432/app", lambda d: d(ALNUM, 14)),
    "postgresql_word": ("postgresql+asyncpg://app:{}@10.0.0.5/app", lambda d: d(LETTERS, 10) + "7"),
    "mysql": ("mysql://root:{}@127.0.0.1:3306/shop", lambda d: d(ALNUM, 12)),
    "mongodb": ("mongodb+srv://svc:{}@cluster0.ab12c.mongodb.net/test", lambda d: d(ALNUM, 16)),
    "redis": ("redis://:{}@cache:6379/0", lambda d: d(ALNUM, 20)),
    "amqp": ("amqps://worker:{}@mq.example.com/vhost", lambda d: d(ALNUM, 18)),
    "basic_url": ("git clone https://ann:{}@git.example.com/a/b.git", lambda d: d(ALNUM, 15)),
    "ftp": ("ftp://upload:{}@files.example.com/in", password),
    "mssql": ("Server=tcp:db,1433;Database=app;User Id=sa;Password={};Encrypt=true", password),
    "odbc": ("Driver={{PostgreSQL}};Server=db;Uid=app;Pwd={};", password),
    "libpq": ("host=db user=app password={} dbname=app", password),
    "pgpass": ("PGPASSWORD={} psql -h db app", password),
    "compose": ("      POSTGRES_PASSWORD: {}", password),
    "properties": ("spring.datasource.password={}", password),
    "django": ("'PASSWORD': '{}',", password),
    "php": ("'db_password' => '{}',", password),
    "ini": ("[mail]\npasswd = {}", password),
    "smtp": ("SMTP_PASS={}", password),
    "english": ("The password of the NAS is {}", password),
    "english_colon": ("Router admin password: {}", password),
    "english_now": ("My new wifi password is {}.", password),
    "passphrase": (
        "The passphrase is {}",
        lambda d: "-".join(d(string.ascii_lowercase, 5) for _ in range(4)) + "-7",
    ),
    "german": ("Das Passwort für den Router lautet {}", password),
    "german_kennwort": ("Kennwort: {}", password),
    "french": ("Le mot de passe du wifi est {}", password),
    "spanish": ("La contraseña del correo es {}", password),
    "portuguese": ("A senha do roteador é {}", password),
    "italian": ("La password del router è {}", password),
    "dutch": ("Het wachtwoord is {}", password),
    "polish": ("Hasło: {}", password),
    "swedish": ("Lösenordet är {}", password),
    "wifi_code": ("WIFI:T:WPA;S:My home;P:{};;", password),
    "wifi_code_hidden": ("WIFI:S:home;T:WPA;H:true;P:{};;", password),
    "russian": ("Пароль от роутера: {}", password),
    "chinese": ("路由器的密码是{}", password),
    "japanese": ("パスワードは{}です", password),
    "turkish": ("Şifre: {}", password),
    "card_grouped": ("Pay with {}", lambda d: " ".join(_fours(card_number(d, "4539")))),
    "card_dashed": ("{} is on file", lambda d: "-".join(_fours(card_number(d, "5425")))),
    "card_word": ("My credit card number is {}", lambda d: card_number(d, "4716")),
    "card_german": ("Kreditkarte: {}", lambda d: card_number(d, "5211")),
    "amex": ("Amex card {}", lambda d: card_number(d, "3782", 15)),
    "rsa_block": ("key of the old server:\n{}", lambda d: private_block(d, "RSA PRIVATE" + " KEY")),
    "openssh_block": ("{}", lambda d: private_block(d, "OPENSSH PRIVATE" + " KEY")),
    "pkcs8_block": ("tls.key: |\n{}", lambda d: private_block(d, "PRIVATE" + " KEY")),
    "putty_block": ("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n{}", putty_block),
    "markdown_bold": ("- **Admin password:** {}", password),
    "markdown_bold_code": ("**Password for the demo box:** `{}`", password),
    "markdown_under": ("__Passwort:__ {}", password),
    "markdown_table": ("| Password | {} |", password),
    "markdown_key": ("* **API key:** {}", lambda d: d(ALNUM, 32)),
    "html_terms": ("<dt>Password</dt><dd>{}</dd>", password),
    "mail_next_line": ("User name:\n  ann\nPassword:\n  {}\n\nRegards, Ben", password),
    "mail_blank_line": ("Your temporary password:\r\n\r\n    {}\r\n", password),
    "form_next_line": ("Username\nann@example.com\nPassword\n{}\nSign in", password),
    "yaml_next_line": ("db:\n  password:\n    {}\n  port: 5432", password),
    "yaml_folded": ("db:\n  password: >-\n    {}\n  port: 5432", password),
    "next_line_key": ("The API token of the kiosk:\n\n{}\n", lambda d: d(ALNUM, 36)),
    "final_mark": ('password: "{}!"', lambda d: d(string.ascii_lowercase, 9)),
    "final_mark_json": ('{{"user":"ann","password":"{}!"}}', lambda d: d(LETTERS, 10)),
    "first_mark": ("password: '!{}'", lambda d: d(ALNUM, 9)),
    "marks_around": ("password: ?!{}?!", lambda d: d(string.ascii_lowercase, 7).capitalize()),
    "role_year": ("Password: {}", lambda d: "Admin" + d("/.#", 1) + "20" + d(string.digits, 2)),
    "role_number": ("password = {}", lambda d: d("gr", 1) + "uest" + d("123456789", 4)),
    "role_mark": ("Das Passwort lautet {}", lambda d: "Root" + d(string.digits, 4) + "!"),
    "polish_is": ("Hasło do routera to {}", password),
    "set_to": ("I have set the password to {}", password),
    "pass_yaml": ("smtp:\n  user: ann\n  pass: {}", password),
    "psk": ('network={{\n  ssid="home"\n  psk="{}"\n}}', password),
    "wpa_psk": ("wpa_psk={}", password),
    "django_new": (
        "SECRET_KEY = 'django-insecure-{}'",
        lambda d: d(string.ascii_lowercase + string.digits + "!@#$%^&*(-_=+)", 50),
    ),
    "worded_key": ("session_secret: prod-web-{}", lambda d: d(ALNUM, 40)),
    "pgp_block": ("{}\nkept by Ben", lambda d: private_block(d, "PGP PRIVATE" + " KEY BLOCK")),
}


def _fours(number: str) -> list[str]:
    return [number[at : at + 4] for at in range(0, len(number), 4)]


def made_secrets(seed: int, *, each: int) -> Iterator[tuple[str, str, str]]:
    """Name of the form, a text that holds a secret of it, the secret: `each` times a form."""
    rng = random.Random(seed)
    draw = drawer(rng)
    for name, make in VENDORS.items():
        for number in range(each):
            value = make(draw)
            yield name, SENTENCES[number % len(SENTENCES)].format(value), value
    for name, (frame, make) in BEHIND_WORDS.items():
        for _ in range(each):
            value = make(draw)
            yield name, frame.format(value), value
