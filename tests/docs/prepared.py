"""What must be there before a block of a page is run, and how its commands may end."""

from __future__ import annotations

from importlib.util import find_spec
from shutil import which

NOW = "2026-03-02T09:00:00Z"
"""The time of every command that names none."""

BEFORE: dict[tuple[str, str], str] = {
    ("README.md", "One recipe for you"): """
        task="dinner, then deploy"
        mkdir manuals; printf '# Pump\\n\\nClean the pump with water.\\n' > manuals/pump.md""",
    ("sync.md", "Set it up"): """
        mkdir -p ~/Sync/.stfolder ~/other-machine ~/server/me ~/cloud
        ln -s ~/Sync ~/other-machine/Sync
        git init -q --bare ~/server/me/memory.git
        export RCLONE_CONFIG_DRIVE_TYPE=alias RCLONE_CONFIG_DRIVE_REMOTE="$HOME/cloud"
        ssh desktop tideline remember '"Ana waters the plants"'
        tideline remember "The boat lies at the north pier" """,
    ("sync.md", "When two machines disagree"): """
        tideline remember "We meet in room 4" --slot room
        ssh desktop tideline remember '"We meet in room 9"' --slot room
        tideline sync; ssh desktop tideline sync; tideline sync
        wrong=$(tideline recall "We meet in room 9" --json | grep -o '01[0-9A-Z]\\{24\\}' |
          head -1)""",
    ("recall.md", "Into a prompt"): 'task="dinner, then deploy"',
    ("undo.md", "The commands"): """
        export TIDELINE_DB=~/back.db
        for n in 1 2 3 4; do tideline remember "Room $n is free"; done
        tideline remember "I deploy on Fridays" --slot deploy_day --now 2026-01-05
        tideline remember "I deploy on Mondays" --slot deploy_day""",
    ("extract.md", "Facts from conversations"):
        "printf 'USER: hello\\nASSISTANT: hi\\n' > session.jsonl",
    ("models.md", "Models and embedders"):
        "printf 'USER: hello\\nASSISTANT: hi\\n' > session.jsonl",
    ("backup.md", "Backup"): 'tideline remember "The boiler needs 1.5 bar"',
    ("backup.md", "Export and import"):
        "printf 'content\\nThe heating is serviced in May\\n' > notes.csv",
    ("storage-format.md", "Reading it with other programs"): """
        tideline remember "I keep a strict vegetarian diet" """,
    ("troubleshooting.md", "Where did my fact go?"):
        'tideline remember "The boiler pressure is 1.5 bar"',
    ("troubleshooting.md", "Troubleshooting"):
        'tideline remember "The boiler needs 1.5 bar"',
    ("install.md", "Upgrade"): 'tideline remember "The boiler needs 1.5 bar"',
    ("maintenance.md", "Maintenance"): 'tideline remember "The boiler needs 1.5 bar"',
    ("maintenance.md", "dream"): """
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
    ("maintenance.md", "The limit of loss"): """
        export TIDELINE_DB=~/loss.db
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
if find_spec("wordllama") is None:  # no wheel for this Python
    ENDS |= {"tideline embedder use static": (6,), 'tideline recall "car" --mode semantic': (1,)}

for _program, _place in (("rsync", "server:"), ("rclone", "rclone:"), ("git", "git:")):
    if which(_program) is None:  # a sync says so
        ENDS |= {f"{_start}tideline sync {_place}": (6,) for _start in ("", "ssh desktop ")}
        ENDS |= {f"tideline sync forget {_place}": (2,)}

_SSH = """\
while :; do case $1 in -[opliFc]) shift 2 ;; -*) shift ;; *) break ;; esac; done
base=${0%/programs/ssh}
case $1 in *server | git@*) there=$base/server ;; *) there=$base/other-machine ;; esac
shift
mkdir -p "$there"; cd "$there" || exit 1
HOME=$there exec sh -c "$*" """

STUBS = {
    "pip": "exit 0",
    "pipx": "exit 0",
    "make": "exit 0",
    "datasette": "exit 0",
    "your-model-command": "cat > /dev/null; echo fine",
    "llm": "cat > /dev/null; echo '{\"archive\": [], \"facts\": []}'",
    "crontab": 'test "$1" != -l || { echo "no crontab for you" >&2; exit 1; }; cat > /dev/null',
    "systemctl": "exit 0",
    "loginctl": "exit 0",
    "docker": "exit 0",
    "curl": "cat ~/docs.json",
    "ssh": _SSH,
    "launchctl": "exit 0",
}
"""Programs that are not ours, as shell scripts."""
