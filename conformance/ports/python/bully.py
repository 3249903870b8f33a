"""The transition function of one node: what a node does with one input, and what its host must then do.

A Node has no clock, no disk and no network; its host has them. Each method that takes an input returns the effects of
the step, which the host carries out in their order, or Ignored, and then the node is as it was:

    node = Node("2", ["1", "2", "3"])
    for effect in node.start():
        carry_out(effect)                       # a Save must be durable before the next effect is begun
    while True:
        match next_input():
            case Message() as message: outcome = node.receive(message)
            case Timer() as timer:     outcome = node.end(timer)
        if isinstance(outcome, Ignored):
            count(outcome.reason)
        else:
            for effect in outcome:
                carry_out(effect)

Rules are named by their numbers in the specification, spec/README.md. One Node takes one input at a time. Its members
are fixed; where they come and go, take a ChangingNode (changing.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from configuration import Configuration
from ids import MAX_EPOCH, Id, is_epoch, rank
from message import Message, MessageType
from step import Arm, Call, Effect, Ignored, Promise, Role, Save, Send, State, Timer, effects_of, running


class Node:
    """One node. Its public attributes are its state (section 6 of the specification); only inputs change them."""

    def __init__(self, me: Id, members: Sequence[Id]) -> None:
        """A node that has not started. The members are all nodes, ascending, me among them (R40); else ValueError."""
        if not all(low < high for low, high in pairwise([rank(m) for m in members])):
            raise ValueError("members must be ascending by rank, each once (R1, R40)")
        if me not in members:
            raise ValueError(f"{me!r} is not among its members (R40)")
        self.me = me
        self.members = tuple(members)
        self.others = tuple(m for m in members if m != me)
        self.voting = self.others     # whose support and grants are asked for
        self.highest = members[-1]    # of those who may lead
        self.configuration: Configuration | None = None
        self._rank = {m: i for i, m in enumerate(members)}
        self._sent: list[Message] = []
        self._be(State())

    @property
    def state(self) -> State:
        """A copy of the state."""
        support = tuple(m for m in self.others if m in self.support) if self.support else ()
        return State(self.role, self.leader, self.epoch, self.grantee, support, self.configuration)

    # Inputs.

    def start(self) -> list[Effect]:
        """R32: the first start, once in the life of a node. The record is written although it says nothing yet."""
        self._be(State())
        return [Save(Promise()), Arm(Timer.HEARTBEAT)]

    def restart(self, promise: Promise) -> list[Effect]:
        """R30: a start with what the disk has kept; its own lease keeps it silent. ValueError if it is no promise."""
        self.load(State(Role.ELECTING, self.me, promise.epoch, promise.grantee, configuration=promise.configuration))
        self._sent = []
        self._send_all(MessageType.IM_BACK, self.epoch)
        return [Arm(Timer.COORDINATOR), *map(Send, self._sent)]

    def load(self, state: State) -> None:
        """Be in this state, as if the node had come to it; for checks. ValueError if it is no state of this node."""
        if not is_epoch(state.epoch):
            raise ValueError(f"{state.epoch!r} is no epoch (R2)")
        for who in (state.leader, state.grantee):
            if who is not None and who not in self._rank:
                raise ValueError(f"{who!r} is no member (R40)")
        if not set(state.support) <= set(self.others):
            raise ValueError("support must be other members")
        self._be(state)

    def receive(self, message: Message) -> list[Effect] | Ignored:
        """A message has arrived, which is well formed (R33)."""
        if message.to != self.me:
            return Ignored("the message is for another node (R34)")
        if message.sender not in self._rank or message.sender == self.me:
            return Ignored("the sender is no other member (R34)")
        if message.configuration is not None:
            return Ignored("the sender is of a cluster whose members change (section 18)")
        return self._step(lambda: self._heard(message))

    def end(self, timer: Timer) -> list[Effect] | Ignored:
        """A timer has ended. R35: one that does not run is ignored."""
        if timer not in self._running(self.state):
            return Ignored(f"the {timer} timer does not run (R35)")
        return self._step(lambda: self._ENDED[timer](self), anew=[timer])

    def call(self, call: Call) -> list[Effect] | Ignored:
        """The user asks the node to resign (R28), or the host says that the holder of its lease is dead (R41)."""
        if call is Call.RESIGN:
            return self._step(self._resign) if self.role is Role.LEADER else Ignored("the node does not lead (R28)")
        if self.leader in (None, self.me):
            return Ignored("the node keeps no other's lease (R41)")
        return self._step(lambda: self._release(self.leader))

    # What several rules use.

    def _be(self, state: State) -> None:
        self.role, self.leader, self.epoch, self.grantee = state.role, state.leader, state.epoch, state.grantee
        self.support = set(state.support)

    def _send(self, kind: MessageType, to: Id, epoch: int) -> None:
        self._sent.append(Message(kind, self.me, to, epoch, self.configuration))

    def _send_all(self, kind: MessageType, epoch: int) -> None:
        for other in self.others:
            self._send(kind, other, epoch)

    def _outranks(self, a: Id, b: Id) -> bool:
        """R1: whether a is to lead rather than b."""
        return self._rank[a] > self._rank[b]

    def _has_quorum(self) -> bool:
        """R3: whether this node and those who back it are a majority."""
        return 2 * (len(self.support) + 1) > len(self.members)

    def _release(self, holder: Id | None) -> None:
        """R5: this node says that it does not lead, or is proved dead."""
        if self.leader == holder:
            self.leader = None
            if self.role in (Role.FOLLOWER, Role.ELECTING):
                self._rest()

    def _rest(self) -> None:
        """R6."""
        self.role = Role.FOLLOWER if self.leader is None else Role.ELECTING
        self.support = set()

    def _step_down(self) -> None:
        """The leader's own lease ends, and it rests (R7, R26, R28)."""
        self.leader = None
        self._rest()

    def _learn(self, epoch: int) -> None:
        """R7. A claimant does not learn the epoch that it claims itself."""
        if epoch <= self.epoch or (self.role is Role.CLAIMANT and epoch == self.epoch + 1):
            return
        self.epoch, self.grantee = epoch, None
        if self.role is Role.LEADER:
            self._step_down()
        elif self.role in (Role.FOLLOWER, Role.CLAIMANT):
            self._rest()

    def _heard(self, m: Message) -> None:
        self._HEARD[m.type](self, m)

    # Election: nobody is bound.

    def _ask(self) -> None:
        """R8: stand, and ask all."""
        self.role, self.support = Role.CANDIDATE, set()
        self._send_all(MessageType.ELECTION, self.epoch)

    def _heartbeat_ended(self) -> None:
        """R8."""
        self.leader = None
        self._ask()

    def _preempt_ended(self) -> None:
        """R9: the lease of the lower leader is kept."""
        self._ask()

    def _may_support(self, m: Message) -> bool:
        """R10: whether this node would grant the sender's claim."""
        if self.leader in (None, m.sender):
            return True
        return self.role is not Role.ELECTING and self._outranks(m.sender, self.leader)

    def _election_heard(self, m: Message) -> None:
        """R10, R11."""
        self._release(m.sender)
        self._learn(m.epoch)
        from_lower = not self._outranks(m.sender, self.me)
        if from_lower and self.role is Role.LEADER:
            self._send(MessageType.OK, m.sender, self.epoch)
            self._send(MessageType.COORDINATOR, m.sender, self.epoch)
        elif not self._may_support(m):
            self._send(MessageType.REFUSE, m.sender, self.epoch)
        elif from_lower:
            self._have_in_hand(m.sender)
        else:
            self._give_way(m.sender)

    def _is_idle(self) -> bool:
        return self.role is Role.FOLLOWER and self.leader is None

    def _have_in_hand(self, lower: Id) -> None:
        """R10: a lower node asked that this node may support."""
        self._send(MessageType.OK, lower, self.epoch)
        if self._is_idle():
            self._ask()

    def _give_way(self, higher: Id) -> None:
        """R11: a higher node asked that this node may support."""
        self._send(MessageType.ASSENT, higher, self.epoch)
        if self.role in (Role.CANDIDATE, Role.CLAIMANT) or self._is_idle():
            self.role, self.support = Role.ELECTING, set()

    def _ok_heard(self, m: Message) -> None:
        """R12: somebody better has it in hand."""
        self._learn(m.epoch)
        if self.role in (Role.CANDIDATE, Role.ELECTING):
            self.role = Role.ELECTING
            self.support.add(m.sender)

    def _assent_heard(self, m: Message) -> None:
        """R13: the highest member has nobody to wait for."""
        self._learn(m.epoch)
        if self.role in (Role.CANDIDATE, Role.ELECTING):
            self.support.add(m.sender)
            if self.role is Role.CANDIDATE and self.me == self.highest and self._may_claim():
                self._claim()

    def _may_claim(self) -> bool:
        """R14, R2."""
        return self._has_quorum() and self.epoch < MAX_EPOCH

    def _election_ended(self) -> None:
        """R14."""
        if self._may_claim():
            self._claim()
        else:
            self._rest()

    def _coordinator_ended(self) -> None:
        """R15."""
        self.leader = None
        if self._may_claim():
            self._claim()
        else:
            self._ask()

    # Claim: an epoch is promised to one node.

    def _claim(self) -> None:
        """R16: the node promises itself nothing before it wins."""
        self.role, self.support = Role.CLAIMANT, set()
        if self._may_win():
            self._win()
        else:
            self._send_all(MessageType.CLAIM, self.epoch + 1)

    def _claim_heard(self, m: Message) -> None:
        """R17, R18: a refused epoch is not learned."""
        led = self.epoch
        if self.role is Role.LEADER:
            if self._hands_over(m):
                self._grant(m)
                self._send_all(MessageType.RESIGN, led)
                return
        elif self._may_grant(m) and self.leader in (None, m.sender):
            self._grant(m)
            return
        self._send(MessageType.REFUSE, m.sender, self.epoch)

    def _may_grant(self, m: Message) -> bool:
        """R17: whether the epoch can still be promised to the sender."""
        return m.epoch > self.epoch or (m.epoch == self.epoch and self.grantee in (None, m.sender))

    def _hands_over(self, m: Message) -> bool:
        """R18."""
        return self._outranks(m.sender, self.me) and m.epoch > self.epoch

    def _grant(self, m: Message) -> None:
        """R17."""
        self._be(State(Role.ELECTING, leader=m.sender, epoch=m.epoch, grantee=m.sender))
        self._send(MessageType.GRANT, m.sender, m.epoch)

    def _grant_heard(self, m: Message) -> None:
        """R19."""
        if self.role is not Role.CLAIMANT or m.epoch != self.epoch + 1:
            self._learn(m.epoch)
            return
        self._release(m.sender)
        self.support.add(m.sender)
        if self._may_win():
            self._win()

    def _may_win(self) -> bool:
        """R20: a lease that is kept shields its holder."""
        return self._has_quorum() and self.leader is None

    def _win(self) -> None:
        """R20."""
        self._be(State(Role.LEADER, leader=self.me, epoch=self.epoch + 1, grantee=self.me))
        self._send_all(MessageType.COORDINATOR, self.epoch)

    def _refuse_heard(self, m: Message) -> None:
        """R21: a claimant rests first, and so learns even the epoch that it has claimed."""
        if self.role is Role.CLAIMANT and m.epoch > self.epoch:
            self._rest()
        self._learn(m.epoch)

    def _claim_ended(self) -> None:
        """R22."""
        self._rest()

    # Reign.

    def _reign_heard(self, m: Message) -> None:
        """R23, R24: COORDINATOR and HEARTBEAT."""
        if m.epoch < self.epoch:
            self._send(MessageType.REFUSE, m.sender, self.epoch)
            return
        stands = self.role in (Role.CANDIDATE, Role.CLAIMANT)
        if not (stands and self.leader == m.sender and self.epoch == m.epoch):
            grantee = m.sender if m.epoch > self.epoch or self.grantee is None else self.grantee
            self._be(State(Role.FOLLOWER, leader=m.sender, epoch=m.epoch, grantee=grantee))
        self._send(MessageType.ACK, m.sender, m.epoch)

    def _ack_heard(self, m: Message) -> None:
        """R25."""
        if self.role is Role.LEADER and m.epoch == self.epoch:
            self.support.add(m.sender)
        else:
            self._learn(m.epoch)

    def _quorum_ended(self) -> None:
        """R26."""
        if self._has_quorum():
            self.support = set()
        else:
            self._step_down()

    def _beat_ended(self) -> None:
        """R27."""
        self._send_all(MessageType.HEARTBEAT, self.epoch)

    def _resign(self) -> None:
        """R28."""
        self._step_down()
        self._send_all(MessageType.RESIGN, self.epoch)

    def _resign_heard(self, m: Message) -> None:
        """R29: a claimant claims again, for those whom the sender's lease had bound may grant now."""
        self._release(m.sender)
        if self.role is Role.CLAIMANT:
            if self._may_win():
                self._win()
                return
            for other in self.voting:
                if other not in self.support:
                    self._send(MessageType.CLAIM, other, self.epoch + 1)

    def _im_back_heard(self, m: Message) -> None:
        """R31."""
        self._release(m.sender)
        self._learn(m.epoch)
        if self.role is Role.LEADER:
            self._send(MessageType.COORDINATOR, m.sender, self.epoch)

    _HEARD: dict[MessageType, Callable[[Node, Message], None]] = {
        MessageType.ELECTION: _election_heard,
        MessageType.OK: _ok_heard,
        MessageType.ASSENT: _assent_heard,
        MessageType.CLAIM: _claim_heard,
        MessageType.GRANT: _grant_heard,
        MessageType.REFUSE: _refuse_heard,
        MessageType.COORDINATOR: _reign_heard,
        MessageType.HEARTBEAT: _reign_heard,
        MessageType.ACK: _ack_heard,
        MessageType.RESIGN: _resign_heard,
        MessageType.IM_BACK: _im_back_heard,
    }
    _ENDED: dict[Timer, Callable[[Node], None]] = {
        Timer.HEARTBEAT: _heartbeat_ended,
        Timer.PREEMPT: _preempt_ended,
        Timer.ELECTION: _election_ended,
        Timer.COORDINATOR: _coordinator_ended,
        Timer.CLAIM: _claim_ended,
        Timer.QUORUM: _quorum_ended,
        Timer.BEAT: _beat_ended,
    }

    # From a step to its effects.

    def _running(self, s: State) -> tuple[Timer, ...]:
        return running(s.role, follows_lower=s.leader is not None and self._outranks(self.me, s.leader))

    def _step(self, rule: Callable[[], None], anew: Sequence[Timer] = ()) -> list[Effect]:
        """Take one step, and say what the host must do. These timers begin anew, if they run on."""
        before = self.state
        self._sent = []
        rule()
        return effects_of(before, self.state, self._running, self._sent, anew)
