"""Characters that say the same: where a vocabulary does not know one of them, it may know another."""

from collections.abc import Callable

__all__ = ["SAME", "known_lookalikes"]

# Of each group, what comes first is read most widely. Every member is one character, so that places stay.
_GROUPS = (
    '"“「『„«‟〝｢',
    '"”」』»〞｣″',
    "'‘’‚‛′",
    "-—–―‒─",
    "~～〜∼",
    "·•‧・∙",
    "《〈",
    "》〉",
    "[【〔",
    "]】〕",
    "♪♫♬♩",
    ",、；;､",
)

SAME = {other: group[0] for group in _GROUPS for other in group[1:]}


def known_lookalikes(known: Callable[[str], bool]) -> dict[int, str]:
    """Return, for `str.translate`, what to read instead of every character that is not known.

    The plain first of a group stays as it is: whether a quotation mark opens or closes cannot be seen.
    """
    found: dict[int, str] = {}
    for group in _GROUPS:
        readable = next((each for each in group if known(each)), None)
        if readable is not None:
            found |= {ord(each): readable for each in group[1:] if not known(each)}
    return found
