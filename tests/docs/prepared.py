"""What must be there before a block of a page is run, and how its commands may end."""

from __future__ import annotations

NOW = "2026-03-02T09:00:00Z"
"""The time of every command that names none."""

BEFORE: dict[tuple[str, str], str] = {
    ("README.md", "Into a prompt"): 'task="dinner, then deploy"',
    ("README.md", "It tends itself"): """
        export TIDELINE_DB=~/tends.db TIDELINE_NOW=2026-03-02T09:00:00Z
        say() { tideline remember "$1" -s "$2" --now "$3"; }
        tideline remember I keep a strict vegetarian diet -s preference --slot diet --now 2026-01-05
        tideline remember I keep a strict vegetarian diet -s preference --slot diet --now 2026-01-06
        tideline remember I keep a strict vegetarian diet -s preference --slot diet --now 2026-01-07
        say "The staging database runs on PostgreSQL 15" knowledge 2026-01-05T10:00Z
        echo '{"content": "The staging database runs on PostgreSQL 15", "source": "owner_message",
               "created_at": "2026-01-06T10:00:00Z"}' | tr -d '\\n' |
          tideline import - --format jsonl --trust
        say "The staging database runs on PostgreSQL 16" knowledge 2026-01-07T10:00Z
        say "Meeting room 3 is booked for the offsite" context 2025-12-01T10:00Z
        say "Rita brings the projector" knowledge 2026-02-20T10:00Z
        say "The alarm code is with the porter" knowledge 2026-02-20T10:00Z
        say "Invoices go out on the 25th" knowledge 2026-02-20T10:00Z""",
    ("README.md", "By meaning"):
        'tideline remember "My automobile is parked behind the house"',
    ("README.md", "Documents, work and links"): """
        mkdir manuals; printf '# Pump\\n\\nClean the pump with water.\\n' > manuals/pump.md""",
    ("README.md", "Taking things back"): """
        export TIDELINE_DB=~/back.db
        for n in 1 2 3 4; do tideline remember "Room $n is free"; done
        tideline remember "I deploy on Fridays" --slot deploy_day --now 2026-01-05
        tideline remember "I deploy on Mondays" --slot deploy_day""",
    ("README.md", "With a model"): "printf 'USER: hello\\nASSISTANT: hi\\n' > session.jsonl",
    ("README.md", "In, out, and reading the file yourself"):
        "printf 'content\\nThe heating is serviced in May\\n' > notes.csv",
    ("file-format.md", "Reading it with other programs"): """
        tideline remember "I keep a strict vegetarian diet" """,
    ("maintenance.md", "The limit of loss"): """
        say() { tideline remember "$1" -s "$2" --now "$3"; }
        say "Rita brings the projector" context 2025-12-20T10:00Z
        say "The alarm code is with the porter" context 2025-12-20T10:00Z
        say "Invoices go out on the 25th" context 2025-12-20T10:00Z
        say "Meeting room 3 is booked for the offsite" context 2025-12-01T10:00Z
        say "The heating is serviced in May" context 2025-12-01T10:00Z
        say "Lena borrowed the blue tent" context 2025-12-01T10:00Z
        say "Oskar takes the night train" context 2026-03-01T10:00Z""",
    ("maintenance.md", "Contradictions, shown"): """
        export TIDELINE_DB=~/contradictions.db
        tideline remember "The office is in Zurich" --now 2026-02-02
        tideline remember "The office has moved to Geneva" --now 2026-03-01""",
}  # fmt: skip
"""By page and heading: what is run before the first block under it, in the same shell."""

ENDS: dict[str, tuple[int, ...]] = {
    'tideline recall "meeting room"': (1,),
    "tideline consolidate --base-url http://localhost:11434/v1 --model qwen3": (0, 6),
    "tideline schedule --systemd --install": (0, 6),
    "tideline schedule --launchd --install": (0, 6),
    "tideline schedule --schtasks --install": (0, 6),
    "tideline extract session.jsonl": (0, 6),
}
"""The commands that may end otherwise, by their beginning."""

STUBS = {
    "pip": "exit 0",
    "pipx": "exit 0",
    "make": "exit 0",
    "datasette": "exit 0",
    "your-model-command": "cat > /dev/null; echo fine",
    "llm": "cat > /dev/null; echo '{\"archive\": []}'",
    "crontab": 'test "$1" != -l || { echo "no crontab for you" >&2; exit 1; }; cat > /dev/null',
    "systemctl": "exit 0",
    "loginctl": "exit 0",
    "launchctl": "exit 0",
}
"""Programs that are not ours, as shell scripts."""
