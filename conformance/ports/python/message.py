"""What nodes say to each other, and what is refused before any rule sees it (R33)."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from enum import StrEnum

from configuration import Configuration
from ids import Id, is_epoch, is_question, rank

_FIELDS = {"type", "from", "to", "epoch", "question"}
_MORE_FIELDS = {"ELECTION": ({"keeps"}, {"configuration"}), "RESIGN": (set(), {"granted", "configuration"})}
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
    or of none; the RESIGN of a hand-over has what was granted.
    """

    type: MessageType
    sender: Id
    to: Id
    epoch: int
    configuration: Configuration | None = None
    question: int = 1
    keeps: Id | None = None
    granted: Granted | None = None

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
        granted = _granted(value["granted"]) if "granted" in value else None
        return cls(_TYPES[kind], sender, to, epoch, configuration, question, keeps, granted)

    def to_json(self) -> dict[str, object]:
        """The message as a JSON object, its fields in the order of the specification."""
        fields: dict[str, object] = {"type": self.type, "from": self.sender, "to": self.to, "epoch": self.epoch,
                                    "question": self.question}
        if self.type is MessageType.ELECTION:
            fields["keeps"] = self.keeps
        if self.granted is not None:
            fields["granted"] = {"by": self.granted.by, "epoch": self.granted.epoch, "question": self.granted.question}
        return fields if self.configuration is None else fields | {"configuration": self.configuration.to_json()}


def _check_id(value: object) -> None:
    try:
        rank(value)
    except ValueError as why:
        raise Malformed(str(why)) from None


def _granted(value: object) -> Granted:
    """What the RESIGN of a hand-over has granted (R18)."""
    if not isinstance(value, dict) or value.keys() != {"by", "epoch", "question"}:
        raise Malformed("what was granted is an object of by, epoch and question (R33)")
    _check_id(value["by"])
    if not is_epoch(value["epoch"]) or not is_question(value["question"]):
        raise Malformed("the epoch or the question of what was granted is none (R33)")
    return Granted(value["by"], value["epoch"], value["question"])


def _configuration(value: object, epoch: int) -> Configuration:
    """The configuration of a message of this epoch (R43)."""
    try:
        configuration = Configuration.from_json(value)
    except ValueError as why:
        raise Malformed(str(why)) from None
    if configuration.epoch > epoch:
        raise Malformed("the configuration is of a later epoch than the message (R33)")
    return configuration
