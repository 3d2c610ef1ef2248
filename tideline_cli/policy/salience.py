"""Which messages are worth a model's time: they speak of their author, or they correct."""

from __future__ import annotations

_SALIENT = (
    "我叫", "我是", "我的", "我家", "我住", "住在", "我用", "我习惯", "喜欢", "讨厌", "我想要",
    "我希望", "我们公司", "我老婆", "我妻子", "我太太", "我老公", "我儿子", "我女儿", "我爸",
    "我妈", "我生日", "记住", "记一下", "记下", "帮我记", "偏好", "以后每次", "每次都",
    "my name", "my wife", "my husband", "i live", "i'm from", "i am ", "i'm ", "i like",
    "i prefer", "i hate", "i use ", "i work", "call me", "remember that", "remember to",
)  # fmt: skip
_CORRECTING = (
    "不对", "错了", "搞错", "弄错", "不是这", "不是我要", "我说的是", "应该是", "应该用", "别这样",
    "别用", "不要这样", "重新", "纠正", "下次", "以后不要", "以后别", "记住别", "不准",
    "that's wrong", "thats wrong", "not what i", "not correct", "incorrect", "you should",
    "should have", "don't do", "do not do", "stop doing", "next time", "actually i meant",
    "i meant", "not like that", "redo", "you misunderstood",
)  # fmt: skip
_LONGEST = 4000
_SHORTEST_SALIENT = 4
_SHORTEST_CORRECTION = 2


def is_salient(message: str) -> bool:
    """Say whether a message speaks of its author, in Chinese or English."""
    return _holds(message, _SALIENT, _SHORTEST_SALIENT)


def is_correction(message: str) -> bool:
    """Say whether a message corrects what was done, in Chinese or English."""
    return _holds(message, _CORRECTING, _SHORTEST_CORRECTION)


def _holds(message: str, markers: tuple[str, ...], shortest: int) -> bool:
    text = message.strip()
    if not shortest <= len(text) <= _LONGEST:
        return False
    text = text.lower().replace("\u2019", "'")  # phones type the curly apostrophe
    return any(marker in text for marker in markers)
