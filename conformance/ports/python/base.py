"""The state of a node (section 6), and what several rules use: quorums, leases, numbers, rest, and learning (R3, R5 to R7, R50)."""

from __future__ import annotations

from configuration import Configuration
from ids import Id
from message import Granted, Message, MessageType
from step import Role, State

_ASKS_FOR_VOTES = {MessageType.ELECTION, MessageType.CLAIM}


class Base:
    """The state of a node. What it sends is kept for who has called a rule."""

    def __init__(self, me: Id, configuration: Configuration) -> None:
        self.me = me
        self._sent: list[Message] = []
        self._be(State())
        self._configure(configuration)

    @property
    def state(self) -> State:
        """A copy of the state."""
        support = tuple(m for m in self.others if m in self.support) if self.support else ()
        answered = tuple((m, self.answered[m]) for m in self.others if m in self.answered) if self.answered else ()
        return State(self.role, self.leader, self.epoch, self.grantee, support, self.configuration.written,
                     self.lease, self.asked, self.latest, self.dated, answered)

    def _be(self, state: State) -> None:
        self.leader, self.lease, self.epoch, self.grantee = state.leader, state.lease, state.epoch, state.grantee
        self.latest = state.latest
        self._become(state.role)
        self.support, self.asked = set(state.support), state.asked
        self.dated, self.answered = state.dated, dict(state.answered)

    def _become(self, role: Role) -> None:
        """Be in a role in which nothing has been asked or answered yet."""
        self.role, self.support, self.asked, self.dated = role, set[Id](), 0, 0
        self.answered: dict[Id, int] = {}

    def _configure(self, configuration: Configuration) -> None:
        """All that a node knows of the members it knows from its configuration (R42)."""
        self.configuration = configuration
        self.others = tuple(m.id for m in configuration.members if m.id != self.me)
        self.voting = tuple(m for m in self.others if m in configuration.electors)

    def _send(self, kind: MessageType, to: Id, epoch: int, question: int, keeps: Id | None = None, granted: Granted | None = None,
              names: Id | None = None, hold: int = 0) -> None:
        self._sent.append(Message(kind, self.me, to, epoch, self.configuration.written, question, keeps, granted, names, hold))

    def _send_all(self, kind: MessageType, epoch: int, granted: Granted | None = None, names: Id | None = None, hold: int = 0) -> None:
        """R46: votes are asked of electors; all else is said to all members. R50: as of the latest number."""
        keeps = self.leader if kind is MessageType.ELECTION else None
        for other in self.voting if kind in _ASKS_FOR_VOTES else self.others:
            self._send(kind, other, epoch, self.latest, keeps, granted, names, hold)

    def _answer(self, m: Message, kind: MessageType, epoch: int) -> None:
        """R50: an answer says which question it answers."""
        self._send(kind, m.sender, epoch, m.question)

    def _is_asked(self, m: Message) -> bool:
        """R50: whether a message answers what this node asks now."""
        return m.question == self.asked

    def _new_number(self) -> int:
        """R50: numbers only rise."""
        self.latest += 1
        return self.latest

    def _outranks(self, a: Id, b: Id) -> bool:
        return self.configuration.outranks(a, b)

    def _has_quorum(self) -> bool:
        """R3, R42: whether this node and those who back it are a majority of the electors."""
        return self._is_quorum(self.support)

    def _is_quorum(self, others: set[Id]) -> bool:
        electors = self.configuration.electors
        return 2 * len((others | {self.me}) & electors) > len(electors)

    def _unbind(self) -> None:
        self.leader, self.lease = None, 0

    def _keep(self, m: Message) -> None:
        """R5: keep the lease of the sender, which never gets older."""
        self.lease = max(self.lease, m.question) if self.leader == m.sender else m.question
        self.leader = m.sender

    def _free(self) -> None:
        """R5, R41: the holder of the lease does not lead."""
        self._unbind()
        if self.role in (Role.FOLLOWER, Role.ELECTING):
            self._rest()

    def _release(self, m: Message) -> None:
        """R5: the sender says that it does not lead, as of its question."""
        if self.leader == m.sender and m.question >= self.lease:
            self._free()

    def _rest(self) -> None:
        """R6."""
        self._become(Role.FOLLOWER if self.leader is None else Role.ELECTING)

    def _step_down(self) -> None:
        """The leader's own lease ends, and it rests (R7, R26, R28)."""
        self._unbind()
        self._rest()

    def _learn_if_free(self, epoch: int) -> None:
        """R7: who keeps another's lease does not learn from what binds nobody."""
        if self.leader in (None, self.me):
            self._learn(epoch)

    def _learn(self, epoch: int) -> None:
        """R7. A claimant does not learn the epoch that it claims itself."""
        if epoch <= self.epoch or (self.role is Role.CLAIMANT and epoch == self.epoch + 1):
            return
        self.epoch, self.grantee = epoch, None
        if self.role is Role.LEADER:
            self._step_down()
        elif self.role in (Role.FOLLOWER, Role.CLAIMANT):
            self._rest()
