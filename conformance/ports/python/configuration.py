"""Who the members are: configurations (R42), as they are read, compared and written; fixed members are one that never changes."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import NamedTuple

from ids import Id, is_epoch, rank as order

MAX_MEMBERS = 50
MAX_RANK = 65535
MAX_BYTES = 1024
"""How long a message may be in its binary form: 99 bytes, and for each member 18, 2 for a rank, and those of its address."""

_ADDRESS = re.compile(r"[!#-%'-;=?-\[\]-~]{0,128}")
_FIELDS = {"epoch", "version", "members"}
_MEMBER_FIELDS = ({"id", "kind"}, {"id", "kind", "address"}, {"id", "kind", "rank"}, {"id", "kind", "rank", "address"})


class Kind(StrEnum):
    """What a member is there for."""

    VOTER = "voter"
    WITNESS = "witness"
    OBSERVER = "observer"

    __hash__ = str.__hash__  # that of Enum is slow, and members are hashed with each message


_KINDS = {k.value: k for k in Kind}


class Member(NamedTuple):
    """One of the members; no rule looks at its address."""

    id: Id
    kind: Kind
    rank: int = 0
    address: str = ""


@dataclass(frozen=True)
class Configuration:
    """An epoch, a version, and the members, ascending. Configuration() is the empty one: it knows no member (R49).

    There are only good ones: whatever R42 does not allow is a ValueError, which says why.
    """

    epoch: int = 0
    version: int = 0
    members: tuple[Member, ...] = ()

    def __post_init__(self) -> None:
        _check_numbers(self.epoch, self.version)
        if not self.members:
            if self.version or self.epoch:
                raise ValueError("without members the version and the epoch are 0 (R42)")
            return
        if self.version < 1 or len(self.members) > MAX_MEMBERS:
            raise ValueError(f"the version is from 1 on, and there are at most {MAX_MEMBERS} members (R42)")
        self._check_order()
        for member in self.members:
            if not _ADDRESS.fullmatch(member.address):
                raise ValueError(f"{reprlib.repr(member.address)} is no address (R42)")
        if not self.voters:
            raise ValueError("there is no voter (R42)")
        if 99 + sum(18 + (2 if m.rank else 0) + len(m.address) for m in self.members) > MAX_BYTES:
            raise ValueError(f"it does not fit into a message of {MAX_BYTES} bytes (R42)")

    def _check_order(self) -> None:
        below = 0
        for member in self.members:
            above = order(member.id)
            if above <= below:
                raise ValueError("members are ascending by id, each there once (R1, R42)")
            below = above

    @classmethod
    def from_json(cls, value: object) -> Configuration:
        """The configuration that a decoded JSON value is. ValueError if it is none; nothing is repaired."""
        if not isinstance(value, dict) or value.keys() != _FIELDS or not isinstance(value["members"], list):
            raise ValueError("a configuration is an object of epoch, version and a list of members")
        _check_numbers(value["epoch"], value["version"])
        return _looked_at(value["epoch"], value["version"], tuple(map(_member, value["members"])))

    def to_json(self) -> dict[str, object]:
        """The configuration as a JSON object, its fields in the order of the specification."""
        return self._json

    # A rank of 0 is left out, and an address that is empty.
    @cached_property
    def _json(self) -> dict[str, object]:
        members = [{k: v for k, v in m._asdict().items() if v} for m in self.members]
        return {"epoch": self.epoch, "version": self.version, "members": members}

    @cached_property
    def ids(self) -> frozenset[Id]:
        """All members."""
        return frozenset(m.id for m in self.members)

    @cached_property
    def voters(self) -> frozenset[Id]:
        """Those who vote, and may lead."""
        return frozenset(m.id for m in self.members if m.kind is Kind.VOTER)

    @cached_property
    def electors(self) -> frozenset[Id]:
        """Those who vote: a quorum is more than half of them."""
        return frozenset(m.id for m in self.members if m.kind is not Kind.OBSERVER)

    @cached_property
    def highest(self) -> Id | None:
        """The highest of those who may lead."""
        return max(self.voters, key=self._height.__getitem__, default=None)

    @cached_property
    def _height(self) -> dict[Id, tuple[int, int]]:
        """By what members are compared: the rank, and then the id, by which they are sorted (R1)."""
        return {m.id: (m.rank, i) for i, m in enumerate(self.members)}

    def outranks(self, a: Id, b: Id) -> bool:
        """R1, R46: whether a, a member, is to lead rather than b: b is lower, or may not lead at all."""
        return b not in self.voters or self._height[a] > self._height[b]

    @cached_property
    def written(self) -> Configuration | None:
        """What messages, records and states say of it: itself (R42, R43)."""
        return self

    def check_first(self, me: Id) -> None:
        """R49: ValueError unless a node may begin with it."""
        if self.members and (me not in self.ids or (self.epoch, self.version) != (0, 1)):
            raise ValueError(f"a first configuration has {me!r} as a member, epoch 0 and version 1 (R49)")

    def check_name(self, who: Id) -> None:
        """ValueError unless it may be whose lease a node keeps, or whom it has promised its epoch: one who was removed, too."""
        order(who)

    def newer(self, than: Configuration) -> bool:
        """R42."""
        return (self.epoch, self.version) > (than.epoch, than.version)

    def differing(self, other: Configuration) -> set[Id]:
        """R47.4: who is a member of one of the two alone, or of another kind, or at another address."""
        return {m.id for m in {*self.members} ^ {*other.members}}

    def at(self, epoch: int) -> Configuration:
        """R48: the same members and version, with this epoch."""
        return replace(self, epoch=epoch)


class Fixed(Configuration):
    """Fixed members (R40): a configuration of voters that never changes, and that nobody says or writes."""

    def __init__(self, ids: Sequence[Id]) -> None:
        """ValueError unless they are ascending by id, each there once, and not none."""
        super().__init__(0, 0, tuple(Member(m, Kind.VOTER) for m in ids))

    def __post_init__(self) -> None:
        if not self.members:
            raise ValueError("there are no members (R40)")
        self._check_order()

    @cached_property
    def written(self) -> None:
        """Nothing: all members know it already."""
        return None

    def check_first(self, me: Id) -> None:
        """R40."""
        if me not in self.ids:
            raise ValueError(f"{me!r} is not among its members (R40)")

    def check_name(self, who: Id) -> None:
        """Who is no member never was one."""
        if who not in self.ids:
            raise ValueError(f"{who!r} is no member (R40)")

    def at(self, epoch: int) -> Fixed:
        """Itself: fixed members are of every epoch."""
        return self


@lru_cache(maxsize=256)
def _looked_at(epoch: int, version: int, members: tuple[Member, ...]) -> Configuration:
    """Members say the same configuration with every message: it is looked at once."""
    return Configuration(epoch, version, members)


def _check_numbers(epoch: object, version: object) -> None:
    if not is_epoch(epoch) or not is_epoch(version):
        raise ValueError("the epoch or the version is no integer from 0 to 2^53-1 (R42)")


def _member(value: object) -> Member:
    if not isinstance(value, dict) or value.keys() not in _MEMBER_FIELDS:
        raise ValueError("a member is an object of id, kind and, unless it is 0, rank, and, unless it is empty, address")
    id, kind, address = value["id"], value["kind"], value.get("address", "")
    if not (isinstance(id, str) and isinstance(kind, str) and isinstance(address, str)):
        raise ValueError("id, kind and address are strings")
    if kind not in _KINDS:
        raise ValueError(f"{reprlib.repr(kind)} is no kind of member (R42)")
    if address == "" and "address" in value:
        raise ValueError("an address that is empty is left out")
    rank = value.get("rank", 0)
    if type(rank) is not int or "rank" in value and not 1 <= rank <= MAX_RANK:
        raise ValueError(f"a rank is an integer up to {MAX_RANK}, and left out where it is 0 (R1)")
    return Member(id, _KINDS[kind], rank, address)
