"""What a model finds known in a conversation is a use of that fact, and nobody's word."""

from __future__ import annotations

import json

from tests.support import DAY, NOW

HOUR = DAY // 24


def test_a_known_value_is_not_said_again(run, tmp_path):
    """A conversation that names an older value of a slot brings it back over no later one."""
    old = run("remember", "I live in Skagen", "--slot", "town", "--now", str(NOW), "--json").json
    run("remember", "I live in Ribe", "--slot", "town", "--valid-from", str(NOW + 4 * HOUR),
        "--valid-to", str(NOW + 40 * HOUR), "--now", str(NOW + 4 * HOUR))  # fmt: skip
    talk = tmp_path / "talk.jsonl"
    talk.write_text(json.dumps({"role": "user", "content": "As I said, I live in Skagen, not far "
                                "from the sea, and I like it there very much indeed."}) + "\n")
    reply = tmp_path / "reply.sh"
    reply.write_text("#!/bin/sh\ncat >/dev/null\necho '" +
                     json.dumps({"facts": [{"known": old["id"]}]}) + "'\n")
    reply.chmod(0o755)
    done = run("extract", str(talk), "--all-now", "--llm", str(reply),
               "--now", str(NOW + 20 * HOUR))  # fmt: skip
    assert done.code == 0, done.err
    uses = run("show", old["id"], "--json", "--now", str(NOW + 21 * HOUR)).json
    assert uses["fact"]["access_count"] == 1
    run("remember", "I live in Odense", "--slot", "town", "--valid-from", str(NOW + 60 * HOUR),
        "--now", str(NOW + 22 * HOUR))  # fmt: skip
    held = run("slots", "--json", "--now", str(NOW + 23 * HOUR)).json["slots"]
    assert [one["content"] for one in held] == ["I live in Ribe"]
