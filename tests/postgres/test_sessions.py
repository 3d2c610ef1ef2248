"""Sessions on a server: the same answers as in a file."""

from tests.sessions.talks import claude


def test_sessions_are_the_same_on_both(both, tmp_path):
    """Adding, searching, undo, redo, forgetting, purging, and another analyser."""
    one = claude(
        tmp_path / "one.jsonl", "5f1c", ("user", "which port does postgres use on staging?"),
        ("assistant", "Staging runs it on 5433, in the cluster"), ("user", "and redis?"),
    )  # fmt: skip
    two = claude(tmp_path / "two.jsonl", "77aa", ("user", "deploy redis to staging"))
    calls = (
        ("sessions", "add", one, two, "--json"), ("sessions", "add", one, "--json"),
        ("sessions", "--json"), ("sessions", "search", "staging redis", "-C", "1", "--json"),
        ("undo", "--json"), ("sessions", "search", "redis", "--json"), ("redo", "--json"),
        ("sessions", "forget", "5f1c", "--json"), ("sessions", "search", "port", "--json"),
        ("undo", "--list", "--json"), ("undo", "--json"), ("sessions", "show", "5f1c", "--json"),
        ("recall", "staging redis", "--sessions", "-C", "1", "--json"),
        ("remember", "runs it on 5433", "--session", "5f1c"), ("list", "--json"),
        ("purge", "@1", "--yes", "--turns"), ("sessions", "show", "5f1c", "--json"),
        ("dream", "--now", "2027-01-01", "--json"), ("sessions", "--json"),
        ("sessions", "add", one, "--json"), ("config", "set", "analyzer", "reference"),
        ("sessions", "search", "staging", "--json"),
        ("sessions", "purge", "5f1c", "--yes", "--json"), ("sessions", "--json"),
        ("sessions", "search", "staging", "--json"), ("sessions", "add", one, "--json"),
        ("history", "--json"),
    )  # fmt: skip
    for call in calls:
        file, server = both(*call, "--now", "2026-11-20")
        assert file.out == server.out, call
        assert file.code == server.code, call
    assert both("doctor", "--json")[1].json["ok"]
