"""What nodes say to each other, and what is refused before any rule sees it: ids (R1), epochs (R2), messages (R33)."""

from __future__ import annotations

import re
import reprlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeGuard

Id = str
"""An id as text: decimal digits, or a UUID of version 4 in lower case (R1). None is no node."""

MAX_EPOCH = 2**53 - 1
"""The last epoch, which no node claims beyond (R2)."""

_INTEGER = re.compile("[1-9][0-9]{0,19}")
_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_FIELDS = {"type", "from", "to", "epoch"}


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


def rank(text: object) -> int:
    """The 16 bytes of an id as one unsigned number, by which nodes are compared (R1). ValueError if it is no id."""
    if isinstance(text, str):
        if _INTEGER.fullmatch(text) and int(text) < 2**64:
            return int(text)
        if _UUID.fullmatch(text):
            return int(text.replace("-", ""), 16)
    raise ValueError(f"{reprlib.repr(text)} is no id (R1)")


def is_epoch(value: object) -> TypeGuard[int]:
    """Whether the value is an epoch (R2). True and 1.0 are none, though Python says that they equal 1."""
    return type(value) is int and 0 <= value <= MAX_EPOCH


@dataclass(frozen=True, slots=True)
class Message:
    """A message; `sender` is the field `from`, which Python keeps for itself."""

    type: MessageType
    sender: Id
    to: Id
    epoch: int

    @classmethod
    def from_json(cls, value: object) -> Message:
        """The message that a decoded JSON value is. Malformed if it is none (R33, R34); nothing is repaired."""
        if not isinstance(value, dict):
            raise Malformed("a message is an object of four fields (R33)")
        if value.keys() != _FIELDS:
            wrong = ", ".join(sorted(reprlib.repr(f) for f in value.keys() ^ _FIELDS)[:5])
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
        return cls(_TYPES[kind], sender, to, epoch)

    def to_json(self) -> dict[str, object]:
        """The message as a JSON object, its fields in the order of the specification."""
        return {"type": self.type, "from": self.sender, "to": self.to, "epoch": self.epoch}
