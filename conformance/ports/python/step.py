"""What goes into a step of a node, and what comes out: roles, timers, calls, states, and the effects for its host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from configuration import Configuration
from ids import BLOCK, Id, reserved
from message import Message, MessageType


class Role(StrEnum):
    """What a node is doing about leadership."""

    FOLLOWER = "follower"
    CANDIDATE = "candidate"
    ELECTING = "electing"
    CLAIMANT = "claimant"
    LEADER = "leader"


class Timer(StrEnum):
    """What a node asks its host to run."""

    PATIENCE = "patience"
    PREEMPT = "preempt"
    ELECTION = "election"
    COORDINATOR = "coordinator"
    CLAIM = "claim"
    REIGN = "reign"
    HEARTBEAT = "heartbeat"


class Call(StrEnum):
    """What a node's user asks of it, or its host tells it."""

    RESIGN = "resign"
    HOLDER_DEAD = "holder-dead"


@dataclass(frozen=True, slots=True)
class Promise:
    """What a node has on disk: its epoch, to whom it promised it, and the numbers it may have used (R50); and its configuration, where members change."""

    epoch: int = 0
    grantee: Id | None = None
    configuration: Configuration | None = None
    reserved: int = BLOCK


@dataclass(frozen=True, slots=True)
class State:
    """The whole state of a node at one moment; support is ascending. Without a configuration, members are fixed."""

    role: Role = Role.FOLLOWER
    leader: Id | None = None
    epoch: int = 0
    grantee: Id | None = None
    support: tuple[Id, ...] = ()
    configuration: Configuration | None = None
    lease: int = 0
    asked: int = 0
    latest: int = 1
    dated: int = 0
    answered: tuple[tuple[Id, int], ...] = ()

    @property
    def promise(self) -> Promise:
        """R4: what must be on disk in this state."""
        return Promise(self.epoch, self.grantee, self.configuration, reserved(self.latest))


@dataclass(frozen=True, slots=True)
class Save:
    """Make this durable before any later effect is begun (R4)."""

    promise: Promise


@dataclass(frozen=True, slots=True)
class Over:
    """Tell the user that the reign of this epoch is over (R39)."""

    epoch: int


@dataclass(frozen=True, slots=True)
class Cancel:
    """Let this timer run no more (R36)."""

    timer: Timer


@dataclass(frozen=True, slots=True)
class Arm:
    """Let this timer run, from its beginning (R36)."""

    timer: Timer


@dataclass(frozen=True, slots=True)
class Send:
    """Send this message."""

    message: Message


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell users whom the node follows, or that it leads; None and 0 if it knows of no leader (R39)."""

    leader: Id | None
    epoch: int


Effect = Save | Over | Cancel | Arm | Send | Tell


@dataclass(frozen=True, slots=True)
class Ignored:
    """No step: the input changes nothing, and is counted (R33, R34, R35; R28, R41, R47)."""

    reason: str


def known(state: State) -> Tell:
    """R39: what may be told in this state. Only a leader, and a follower that keeps a lease, know of a leader."""
    if state.leader is not None and state.role in (Role.FOLLOWER, Role.LEADER):
        return Tell(state.leader, state.epoch)
    return Tell(None, 0)


_RUNNING = {
    Role.FOLLOWER: (Timer.PATIENCE,),
    Role.CANDIDATE: (Timer.ELECTION,),
    Role.ELECTING: (Timer.COORDINATOR,),
    Role.CLAIMANT: (Timer.CLAIM,),
    Role.LEADER: (Timer.REIGN, Timer.HEARTBEAT),
}


def running(role: Role, follows_lower: bool) -> tuple[Timer, ...]:
    """R36: the timers that run in this role; as a follower, whether the lease is that of a lower node."""
    if role is Role.FOLLOWER and follows_lower:
        return (Timer.PATIENCE, Timer.PREEMPT)
    return _RUNNING[role]


def begins_anew(timer: Timer, before: State, after: State, sent: Sequence[Message]) -> bool:
    """R36: whether a timer that runs before and after a step, and has not ended, is restarted by it."""
    renewed = before.leader != after.leader or before.lease < after.lease
    match timer:
        case Timer.PATIENCE:
            return any(m.type is MessageType.ACK for m in sent) and renewed
        case Timer.COORDINATOR:
            return any(m.type is MessageType.GRANT for m in sent) and renewed
        case Timer.REIGN:
            return before.dated != after.dated
        case Timer.PREEMPT:
            return (before.leader, before.epoch) != (after.leader, after.epoch)
        case _:
            return False


def effects_of(before: State, after: State, running: Callable[[State], Sequence[Timer]], sent: Sequence[Message],
               anew: Sequence[Timer]) -> list[Effect]:
    """What the host must do after a step, in the order of section 10. The timers `anew` begin anew if they run on."""
    effects: list[Effect] = []
    if after.promise != before.promise:
        effects.append(Save(after.promise))
    if before.role is Role.LEADER and after.role is not Role.LEADER:
        effects.append(Over(before.epoch))
    ran, runs = running(before), running(after)
    effects += [Cancel(t) for t in ran if t not in runs]
    effects += [Arm(t) for t in runs if t not in ran or t in anew or begins_anew(t, before, after, sent)]
    effects += map(Send, sent)
    if known(after) != known(before):
        effects.append(known(after))
    return effects
