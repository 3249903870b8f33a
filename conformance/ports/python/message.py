"""What nodes say to each other, and what is refused before any rule sees it (R33)."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from enum import StrEnum

from configuration import Configuration
from ids import Id, is_epoch, rank

_FIELDS = {"type", "from", "to", "epoch"}
_FIELDS_WHERE_MEMBERS_CHANGE = _FIELDS | {"configuration"}


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
class Message:
    """A message; `sender` is the field `from`, which Python keeps for itself.

    The configuration is that of the sender (R43), and None where members are fixed.
    """

    type: MessageType
    sender: Id
    to: Id
    epoch: int
    configuration: Configuration | None = None

    @classmethod
    def from_json(cls, value: object) -> Message:
        """The message that a decoded JSON value is. Malformed if it is none (R33, R34); nothing is repaired."""
        if not isinstance(value, dict):
            raise Malformed("a message is an object (R33)")
        if value.keys() != _FIELDS and value.keys() != _FIELDS_WHERE_MEMBERS_CHANGE:
            wrong = ", ".join(sorted(reprlib.repr(f) for f in value.keys() - {"configuration"} ^ _FIELDS)[:5])
            raise Malformed(f"fields unknown or missing: {wrong} (R33)")
        kind, sender, to, epoch = value["type"], value["from"], value["to"], value["epoch"]
        if not isinstance(kind, str) or kind not in _TYPES:
            raise UnknownType(f"{reprlib.repr(kind)} is no type of message (R34)")
        for end in (sender, to):
            try:
                rank(end)
            except ValueError as why:
                raise Malformed(str(why)) from None
        if sender == to:
            raise Malformed("the sender is the receiver (R33)")
        if not is_epoch(epoch):
            raise Malformed(f"{reprlib.repr(epoch)} is no epoch (R33)")
        if "configuration" not in value:
            return cls(_TYPES[kind], sender, to, epoch)
        return cls(_TYPES[kind], sender, to, epoch, _configuration(value["configuration"], epoch))

    def to_json(self) -> dict[str, object]:
        """The message as a JSON object, its fields in the order of the specification."""
        fields: dict[str, object] = {"type": self.type, "from": self.sender, "to": self.to, "epoch": self.epoch}
        return fields if self.configuration is None else fields | {"configuration": self.configuration.to_json()}


def _configuration(value: object, epoch: int) -> Configuration:
    """The configuration of a message of this epoch (R43)."""
    try:
        configuration = Configuration.from_json(value)
    except ValueError as why:
        raise Malformed(str(why)) from None
    if configuration.epoch > epoch:
        raise Malformed("the configuration is of a later epoch than the message (R33)")
    return configuration
