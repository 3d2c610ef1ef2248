"""What a person types in a fortnight, and a question for each of it; and nights of dreams over it.
"""

from __future__ import annotations

from tests.support import DAY, NOW

TYPED = (
    ("my car insurance number is 4711-A", "car insurance number"),
    ("the boiler wants a pressure of 1.5 bar", "boiler pressure"),
    ("our landlord is Mrs Weber, 079 555 12 34", "who is my landlord"),
    ("Lena's birthday is on 12 May", "when is Lena's birthday"),
    ("Lena eats no dairy", "Lena dairy"),
    ("the wifi password hint is grandmother's street", "wifi hint"),
    ("bins go out on Tuesday evening", "when do the bins go out"),
    ("the spare key lies with Mr Keller on the third floor", "spare key"),
    ("my dentist is Dr Haas in the Lindenstrasse", "dentist"),
    ("I am allergic to penicillin", "allergic"),
    ("the dishwasher shows E15 when the pan under it is wet", "dishwasher E15"),
    ("staging runs on port 8443", "staging port"),
    ("Postgres on prod is version 16.3", "postgres version on prod"),
    ("deploys are on Thursdays after the stand-up", "when are deploys"),
    ("the build needs Go 1.22 or newer", "which Go does the build need"),
    ("our error budget is 0.1 % a month", "error budget"),
    ("Kafka retention is seven days", "kafka retention"),
    ("use make release and never the old script", "how to release"),
    ("the on-call phone is in the grey cupboard", "on-call phone"),
    ("the VPN drops after eight hours", "vpn drops"),
    ("I write commit messages in the imperative", "commit messages"),
    ("prefer tabs of four spaces in Python", "python tabs"),
    ("the printer on floor two is called Rosalind", "printer name floor two"),
    ("Ben owes me 40 francs", "what does Ben owe"),
    ("Anna's new address is Seestrasse 9 in Thun", "Anna's address"),
    ("the bike has 28 inch tyres", "bike tyres"),
    ("my passport expires in March 2031", "passport expires"),
    ("running shoes: size 44.5", "running shoes size"),
    ("the tomato seeds go out after the ice saints", "tomato seeds"),
    ("Grandpa takes his pills at seven and at nineteen", "when does Grandpa take pills"),
    ("the school is closed on 3 June", "school closed"),
    ("the choir meets on Wednesdays in the old mill", "choir"),
    ("bread: 500 g flour, 350 g water, 10 g salt, 4 g yeast", "bread recipe flour"),
    ("the coffee machine is descaled every eight weeks", "descale coffee machine"),
    ("La clave del trastero es 2580", "clave del trastero"),
    ("la réunion des parents est le jeudi", "réunion des parents"),
    ("el garrofón no se congela", "garrofón"),
    ("das Müllauto kommt um sechs", "Müllauto"),
    ("mein Fahrradschloss hat die Nummer 913", "Fahrradschloss"),
    ("Иван живёт в Риге", "Иван живёт"),
    ("поезд в Таллин уходит в девять", "поезд в Таллин"),
    ("手紙は月曜に届く", "手紙は月曜"),
    ("用户喜欢绿茶", "绿茶"),
    ("회의는 화요일입니다", "회의는"),
    ("المفتاح تحت السجادة", "المفتاح"),
    ("le code du portail est 77B", "code du portail"),
    ("ERR_TOO_MANY_PIPES means that the pool is full", "ERR_TOO_MANY_PIPES"),
    ("docs live at https://wiki.example.org/runbooks", "runbooks"),
    ("grep -rn TODO src | wc -l counts what is left", "grep TODO"),
    ("the S3 bucket of the backups is tl-backup-eu", "backup bucket"),
    ("git bisect run make test finds the commit", "git bisect"),
    ("the alarm code of the office changes on the first of the month", "alarm code office"),
    ("Tim's teacher is called Mr Brandt", "Tim's teacher"),
    ("our cat is called Momo and hates thunder 🐈", "cat Momo"),
    ("the tax number is 12/345/67890", "tax number"),
    ("the piano tuner comes in October", "piano tuner"),
    ("Sara's flight lands at 21:40 on Sundays", "Sara's flight"),
)
SLOTS = (
    ("my desk is in room 204", "desk room", "desk"),
    ("the standup starts at 09:15", "standup starts", "standup"),
    ("I take the train at 07:42", "train at", "train"),
)
"""Text, question and slot of what is typed as the value of a slot."""


def type_all(run) -> dict[str, str]:
    """Type every fact, four a day; return the question of each by its id."""
    ids = {}
    rows = [*((text, question) for text, question in TYPED), *SLOTS]
    for number, (text, question, *slot) in enumerate(rows):
        more = ("--slot", slot[0]) if slot else ()
        now = str(NOW + number * DAY // 5)
        ids[run("remember", text, "--json", "--now", now, *more).json["id"]] = question
    return ids


def dream_nightly(
    run, nights: int, weekly: tuple[str, ...] = (), *, quietly: bool = False
) -> int:
    """Dream as the nightly entry does, once a night after the fortnight, and ask what is asked
    once a week; return the last instant. Nothing is said of a night where it is to be quiet."""
    last = NOW
    for night in range(15, 15 + nights):
        last = NOW + night * DAY
        for question in weekly if night % 7 == 0 else ():
            run("recall", question, "--now", str(last), "--touch")
        done = run("dream", "--quiet", "--now", str(last))
        assert done.code == 0, done.err
        assert not (quietly and done.err), done.err
    return last


def recalled(run, questions: dict[str, str], now: int) -> set[str]:
    """Return the ids of the facts that their questions find."""
    return {
        fact_id for fact_id, question in questions.items()
        if fact_id in {row["id"] for row in run(
            "recall", question, "--json", "--no-touch", "--now", str(now)).json["hits"]}
    }  # fmt: skip


def lost(run, questions: dict[str, str], now: int) -> list[str]:
    """Return the questions whose fact is neither found nor announced as archived."""
    missing = []
    for fact_id, question in questions.items():
        form = run("recall", question, "--json", "--no-touch", "--now", str(now)).json
        told = (*form["hits"], *(form["archived_matches"] or ()))
        said = run("recall", question, "--no-touch", "--now", str(now))
        if fact_id not in {row["id"] for row in told} or (
            fact_id not in said.out + said.err and "facts match" not in said.err
        ):
            missing.append(question)
    return missing
