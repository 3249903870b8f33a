"""What nodes say to each other, and what is refused before any rule sees it (R33)."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from enum import StrEnum

from configuration import Configuration
from ids import Id, is_epoch, is_hold, is_question, rank

_FIELDS = {"type", "from", "to", "epoch", "question"}
_MORE_FIELDS: dict[str, tuple[set[str], set[str]]] = {
    "ELECTION": ({"keeps"}, {"configuration"}),
    "CLAIM": (set(), {"names", "configuration"}),
    "RESIGN": (set(), {"granted", "names", "hold", "configuration"}),
}
_NO_MORE: tuple[set[str], set[str]] = (set(), {"configuration"})
"""Of some types: which more there must be, and which more there may be."""


class Malformed(ValueError):
    """What was received is no message; the text says why."""


class UnknownType(Malformed):
    """A message of a type that this node does not know (R34): it alone is passed over, its connection is good."""


class MessageType(StrEnum):
    """The eleven types of message."""

    ELECTION = "ELECTION"
    OK = "OK"
    ASSENT = "ASSENT"
    CLAIM = "CLAIM"
    GRANT = "GRANT"
    REFUSE = "REFUSE"
    COORDINATOR = "COORDINATOR"
    HEARTBEAT = "HEARTBEAT"
    ACK = "ACK"
    RESIGN = "RESIGN"
    IM_BACK = "IM_BACK"


_TYPES: dict[str, MessageType] = {t.value: t for t in MessageType}


@dataclass(frozen=True, slots=True)
class Granted:
    """The claim that the sender of a RESIGN has granted as it handed over (R18)."""

    by: Id
    epoch: int
    question: int


@dataclass(frozen=True, slots=True)
class Message:
    """A message; `sender` is the field `from`, which Python keeps for itself.

    The configuration is that of the sender (R43), and None where members are fixed. An ELECTION keeps the lease of a node,
    or of none; the RESIGN of a hand-over has what was granted. A RESIGN names who is to stand first, to be left in peace for
    `hold` milliseconds, and a CLAIM who has named its sender so (R51).
    """

    type: MessageType
    sender: Id
    to: Id
    epoch: int
    configuration: Configuration | None = None
    question: int = 1
    keeps: Id | None = None
    granted: Granted | None = None
    names: Id | None = None
    hold: int = 0

    @classmethod
    def from_json(cls, value: object) -> Message:
        """The message that a decoded JSON value is. Malformed if it is none (R33, R34); nothing is repaired."""
        if not isinstance(value, dict):
            raise Malformed("a message is an object (R33)")
        kind = value.get("type")
        must, may = _MORE_FIELDS.get(kind, _NO_MORE) if isinstance(kind, str) else _NO_MORE
        if not isinstance(kind, str) or kind not in _TYPES:
            raise UnknownType(f"{reprlib.repr(kind)} is no type of message (R34)")
        must = _FIELDS | must
        if not must <= value.keys() <= must | may:
            wrong = ", ".join(sorted(reprlib.repr(f) for f in value.keys() - may ^ must)[:5])
            raise Malformed(f"fields unknown or missing: {wrong} (R33)")
        sender, to, epoch, question, keeps = value["from"], value["to"], value["epoch"], value["question"], value.get("keeps")
        for end in (sender, to) if keeps is None else (sender, to, keeps):
            _check_id(end)
        if sender == to:
            raise Malformed("the sender is the receiver (R33)")
        if not is_epoch(epoch):
            raise Malformed(f"{reprlib.repr(epoch)} is no epoch (R33)")
        if not is_question(question):
            raise Malformed(f"{reprlib.repr(question)} is no question (R33)")
        configuration = _configuration(value["configuration"], epoch) if "configuration" in value else None
        granted = _granted(value["granted"], sender) if "granted" in value else None
        names, hold = _naming(value) if "names" in value or "hold" in value else (None, 0)
        return cls(_TYPES[kind], sender, to, epoch, configuration, question, keeps, granted, names, hold)

    def to_json(self) -> dict[str, object]:
        """The message as a JSON object, its fields in the order of the specification."""
        fields: dict[str, object] = {"type": self.type, "from": self.sender, "to": self.to, "epoch": self.epoch,
                                    "question": self.question}
        if self.type is MessageType.ELECTION:
            fields["keeps"] = self.keeps
        if self.granted is not None:
            fields["granted"] = {"by": self.granted.by, "epoch": self.granted.epoch, "question": self.granted.question}
        if self.names is not None:
            fields["names"] = self.names
        if self.hold:
            fields["hold"] = self.hold
        return fields if self.configuration is None else fields | {"configuration": self.configuration.to_json()}


def _check_id(value: object) -> None:
    try:
        rank(value)
    except ValueError as why:
        raise Malformed(str(why)) from None


def _granted(value: object, sender: Id) -> Granted:
    """What the RESIGN of a hand-over has granted (R18)."""
    if not isinstance(value, dict) or value.keys() != {"by", "epoch", "question"}:
        raise Malformed("what was granted is an object of by, epoch and question (R33)")
    _check_id(value["by"])
    if value["by"] == sender:
        raise Malformed("the sender has granted a claim of its own (R33)")
    if not is_epoch(value["epoch"]) or not is_question(value["question"]):
        raise Malformed("the epoch or the question of what was granted is none (R33)")
    return Granted(value["by"], value["epoch"], value["question"])


def _naming(value: dict[str, object]) -> tuple[Id, int]:
    """Whom a message names, and for how long that one is to be left in peace: missing if it is 0 (R51)."""
    names, hold = value.get("names"), value.get("hold", 0)
    _check_id(names)
    if not isinstance(names, str) or names == value["from"]:
        raise Malformed("the sender names itself (R33)")
    if "granted" in value:
        raise Malformed("who has granted a claim names nobody besides (R33)")
    if not is_hold(hold) or (hold == 0 and "hold" in value):
        raise Malformed(f"{reprlib.repr(hold)} is no hold (R33)")
    return names, hold


def _configuration(value: object, epoch: int) -> Configuration:
    """The configuration of a message of this epoch (R43)."""
    try:
        configuration = Configuration.from_json(value)
    except ValueError as why:
        raise Malformed(str(why)) from None
    if configuration.epoch > epoch:
        raise Malformed("the configuration is of a later epoch than the message (R33)")
    return configuration
