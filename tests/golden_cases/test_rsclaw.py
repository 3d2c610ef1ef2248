"""Gates, kinds and identifiers against the reference."""

from __future__ import annotations

from tests.support import NOW, deviation, golden, joined
from tideline_cli.exchange.extract.types import kind_proposal
from tideline_cli.model.fact import NewFact, birth
from tideline_cli.model.origin import OWNER
from tideline_cli.policy import identifiers
from tideline_cli.policy.salience import correcting, salient

MISC = golden("rsclaw_misc")
SPELLED = {"x*4001 + ' i like'": "x" * 4001 + " i like"}


@joined("case", MISC["gates"])
def test_gates(case):
    """A message is salient, or a correction, where the reference says so; a long one is heard."""
    text = SPELLED.get(case["text"], case["text"])
    is_long = len(text) > 4000 and bool(deviation("long_messages"))
    wanted = (case["salience"] or is_long, case["correction"])
    assert (bool(salient(text)), bool(correcting(text))) == wanted


@joined("kind", MISC["kind_policy"]["l1"])
def test_kinds(kind):
    """A kind gives temperature and importance as in the reference; none is pinned by a model."""
    heat, importance, pinned = MISC["kind_policy"]["l1"][kind]
    proposal = kind_proposal(kind, "x y z", "extraction")
    born = birth(
        NewFact(proposal.content, "knowledge", "extraction", OWNER, kind=kind),
        fact_id="x", now=NOW,
    )  # fmt: skip
    assert (born.heat, born.importance) == (heat, importance)
    if pinned:
        assert deviation("distilled_unpinned")
    assert (proposal.pinned, born.pinned) == (False, False)


OURS = {
    "mail me at a.b+c@example.co.uk.": (
        deviation("identifier_trailing_dot"), [("email", "a.b+c@example.co.uk")]
    ),
    "phone +8613800138000": (
        deviation("identifier_country_code"), [("phone_number", "13800138000")]
    ),
}  # fmt: skip
WORDED = {
    "用户手机号": ("提到的手机号（电话）", "Phone number (telephone, mobile) mentioned"),
    "用户身份证": ("提到的身份证号", "ID card number mentioned"),
    "用户邮箱": ("提到的邮箱（电子邮件）", "E-mail address (email) mentioned"),
    "用户地址": ("提到的地址", None), "用户收货地址": ("提到的收货地址", None),
}  # fmt: skip
LABELS = {"email": "用户邮箱", "phone_number": "用户手机号"}


def in_our_words(said, memory):
    """What we say of an identifier: the reference's words where the user calls it theirs."""
    assert deviation("identifier_wording")
    if "我的" in said or "我住" in said:
        return memory
    label, _, value = memory.partition(": ")
    is_chinese = any("\u4e00" <= char <= "\u9fff" for char in said)
    return f"{WORDED[label][not is_chinese]}: {value}"


@joined("case", golden("rsclaw_text")["entities"])
def test_identifiers(case):
    """Phones, IDs, e-mail and postal addresses are found as in the reference."""
    wanted = [(e["kind"], e["value"], e["memory_text"]) for e in case["entities"]]
    if case["text"] in OURS:
        _, values = OURS[case["text"]]
        wanted = [(kind, value, f"{LABELS[kind]}: {value}") for kind, value in values]
    wanted = [(kind, value, in_our_words(case["text"], text)) for kind, value, text in wanted]
    assert [(i.name, i.value, i.text) for i in identifiers.found(case["text"])] == wanted
