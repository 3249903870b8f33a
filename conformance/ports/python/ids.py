"""What every other file speaks of: ids and their rank (R1), epochs (R2), questions (R50)."""

from __future__ import annotations

import re
import reprlib
from typing import TypeGuard

Id = str
"""An id as text: decimal digits, or a UUID of version 4 in lower case (R1). None is no node."""

MAX_EPOCH = 2**53 - 1
"""The last epoch, which no node claims beyond (R2)."""

_INTEGER = re.compile("[1-9][0-9]{0,19}")
_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


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


MAX_QUESTION = 2**53 - 1
"""The greatest number of a question; 0 is none (R50)."""

MAX_RESERVED = 2**52
BLOCK = 2**20
"""How many numbers a node reserves by one save (R50)."""


def is_number(value: object) -> TypeGuard[int]:
    """Whether the value is the number of a question, or 0."""
    return type(value) is int and 0 <= value <= MAX_QUESTION


def is_question(value: object) -> TypeGuard[int]:
    """Whether the value is the number of a question (R50)."""
    return is_number(value) and value > 0


MAX_HOLD = 24 * 60 * 60 * 1000
"""The greatest time that a node which was named is to be left in peace: a day, in milliseconds (R51)."""


def is_hold(value: object) -> TypeGuard[int]:
    """Whether the value is such a time; 0 is none (R51)."""
    return type(value) is int and 0 <= value <= MAX_HOLD


def is_reserved(value: object) -> TypeGuard[int]:
    """Whether a record may reserve so many numbers (R50)."""
    return type(value) is int and 0 <= value <= MAX_RESERVED


def reserved(latest: int) -> int:
    """R50: the end of the block that a number is in."""
    return -(-latest // BLOCK) * BLOCK
