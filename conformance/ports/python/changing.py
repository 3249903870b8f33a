"""One node of a cluster whose members come and go: section 18 of the specification, R42 to R49.

It is a Node whose members are those of a configuration, which it saves, sends, and takes over from whoever has a newer
one. What is here replaces what Node does; all else stays as it is:

    node = ChangingNode("2", Configuration.from_json(first))     # or ChangingNode("4"), of a node that is to join
    effects = node.start()                                       # later starts: node.restart(promise)
    ...
    outcome = node.change(configuration)                         # asked of a leader; any other ignores it
"""

from __future__ import annotations

from collections.abc import Callable

from bully import Node
from configuration import Configuration
from ids import Id, is_epoch, rank
from message import Message, MessageType
from step import Arm, Effect, Ignored, Promise, Role, Save, State, Timer, running

_ASKS = {MessageType.ELECTION, MessageType.CLAIM, MessageType.COORDINATOR, MessageType.HEARTBEAT, MessageType.IM_BACK}
_ANSWERS = {MessageType.OK, MessageType.ASSENT, MessageType.GRANT, MessageType.ACK}
_ASKS_FOR_VOTES = {MessageType.ELECTION, MessageType.CLAIM}


def outranks(a: Id, b: Id, configuration: Configuration) -> bool:
    """R46: whether a is to lead rather than b: b is lower, or may not lead at all."""
    return b not in configuration.voters or rank(a) > rank(b)


class ChangingNode(Node):
    """One node. Its public attributes are its state; only inputs change them."""

    configuration: Configuration

    def __init__(self, me: Id, first: Configuration = Configuration()) -> None:
        """A node that has not started. ValueError unless it is one of the first members, or the configuration empty."""
        if first.members and (me not in first.ids or (first.epoch, first.version) != (0, 1)):
            raise ValueError(f"a first configuration has {me!r} as a member, epoch 0 and version 1 (R49)")
        super().__init__(me, [me])
        self._configure(first)

    # Inputs.

    def start(self) -> list[Effect]:
        """R32, R49: the first start. Who is to join runs no timer, and waits until a leader speaks to it."""
        self._be(State())
        return [Save(Promise(configuration=self.configuration)), *map(Arm, self._running(self.state))]

    def load(self, state: State) -> None:
        """Be in this state, which has a configuration. Leader and grantee may have been removed from it."""
        if state.configuration is None or not is_epoch(state.epoch) or state.configuration.epoch > state.epoch:
            raise ValueError("the epoch is none, or the configuration is, or of a later epoch (R2, R42)")
        for who in (state.leader, state.grantee):
            if who is not None:
                rank(who)
        if not set(state.support) <= state.configuration.ids - {self.me}:
            raise ValueError("support must be other members")
        self._configure(state.configuration)
        self._be(state)

    def receive(self, message: Message) -> list[Effect] | Ignored:
        """A message has arrived, which is well formed. It may be a stranger's: that is for R44."""
        if message.to != self.me or message.sender == self.me:
            return Ignored("the message is for another node, or from this one (R34)")
        if message.configuration is None:
            return Ignored("the sender is of a cluster of fixed members (section 18)")
        return self._step(lambda: self._heard(message))

    def change(self, configuration: Configuration) -> list[Effect] | Ignored:
        """R47: a leader is called to change the configuration, of which one member differs."""
        if why := self._may_not_change(configuration):
            return Ignored(f"{why} (R47)")
        return self._step(lambda: self._change(configuration), anew=[Timer.QUORUM, Timer.BEAT])

    # Configurations: whose is newest counts.

    def _configure(self, configuration: Configuration) -> None:
        """All that a node knows of the members it knows from its configuration."""
        self.configuration = configuration
        self.members = tuple(m.id for m in configuration.members)
        self.others = tuple(m for m in self.members if m != self.me)
        self.voting = tuple(m for m in self.others if m in configuration.electors)
        self.highest = max(configuration.voters, key=rank, default=None)

    def _adopt(self, newer: Configuration) -> None:
        """R43: support that was given in the older configuration says nothing of the newer."""
        if self.role in (Role.CANDIDATE, Role.CLAIMANT):
            self._rest()
        self._learn(newer.epoch)
        self.support = set()
        self._configure(newer)

    def _heard(self, m: Message) -> None:
        """R43, R44: the configuration of a message is looked at first, and then whether both are members."""
        if m.configuration.newer(self.configuration):
            self._adopt(m.configuration)
        if not {self.me, m.sender} <= self.configuration.ids:
            self._outside_heard(m)
        elif m.type in _ANSWERS and m.configuration != self.configuration:
            self._learn(m.epoch)  # R45.4: it does not count
        else:
            self._HEARD[m.type](self, m)

    def _outside_heard(self, m: Message) -> None:
        """R44: who is no member hears the newest configuration, if it asks with an older one."""
        if m.type in _ASKS and self.configuration.newer(m.configuration):
            self._send(MessageType.REFUSE, m.sender, self.epoch)

    # Kinds of members: who votes, who stands, who is told.

    def _has_quorum(self) -> bool:
        """R42: only electors count, this node among them if it is one."""
        electors = self.configuration.electors
        return 2 * len((self.support | {self.me}) & electors) > len(electors)

    def _may_vote(self, m: Message) -> bool:
        """R45: an elector votes for a voter, and only if both hold the same configuration."""
        own = self.configuration
        return self.me in own.electors and m.sender in own.voters and m.configuration == own

    def _may_support(self, m: Message) -> bool:
        """R45.1, R45.3."""
        return self._may_vote(m) and super()._may_support(m)

    def _may_grant(self, m: Message) -> bool:
        """R45.2, R45.3."""
        return self._may_vote(m) and super()._may_grant(m)

    def _hands_over(self, m: Message) -> bool:
        """R45.2, R45.3."""
        return self._may_vote(m) and super()._hands_over(m)

    def _outranks(self, a: Id, b: Id) -> bool:
        """R46."""
        return outranks(a, b, self.configuration)

    def _send_all(self, kind: MessageType, epoch: int) -> None:
        """R46: votes are asked of electors; all else is said to all members."""
        for other in self.voting if kind in _ASKS_FOR_VOTES else self.others:
            self._send(kind, other, epoch)

    def _patience_ended(self, stand: Callable[[Node], None]) -> None:
        """R46: a voter stands. Any other rests, and a member says that it does not lead: whoever does may say so."""
        if self.me in self.configuration.voters:
            stand(self)
            return
        self._step_down()
        if self.me in self.configuration.ids:
            self._send_all(MessageType.IM_BACK, self.epoch)

    def _heartbeat_ended(self) -> None:
        """R46, else R8."""
        self._patience_ended(Node._heartbeat_ended)

    def _coordinator_ended(self) -> None:
        """R46, else R15."""
        self._patience_ended(Node._coordinator_ended)

    _ENDED = Node._ENDED | {Timer.HEARTBEAT: _heartbeat_ended, Timer.COORDINATOR: _coordinator_ended}

    def _running(self, s: State) -> tuple[Timer, ...]:
        """R46: who is no member waits only for a lease to end; who may not stand pre-empts nobody."""
        c = s.configuration
        if s.role is Role.FOLLOWER and s.leader is None and self.me not in c.ids:
            return ()
        return running(s.role, s.leader is not None and self.me in c.voters and outranks(self.me, s.leader, c))

    # Changes.

    def _may_not_change(self, c: Configuration) -> str:
        """R47: why a change is no step, or nothing."""
        own = self.configuration
        if self.role is not Role.LEADER:
            return "the node does not lead"
        if (c.epoch, c.version) != (self.epoch, own.version + 1):
            return "the configuration is not of this reign, or not the next one"
        if not self._has_quorum():
            return "the present configuration is not settled"
        if len(own.differing(c)) != 1:
            return "not exactly one member differs"
        return "" if self.me in c.electors else "the leader would be no elector"

    def _change(self, c: Configuration) -> None:
        """R47: all who are members before or after hear of it."""
        told = {*self.others}
        self.support = set()
        self._configure(c)
        for other in sorted(told | {*self.others}, key=rank):
            self._send(MessageType.HEARTBEAT, other, self.epoch)

    def _win(self) -> None:
        """R48: the winner's configuration is of the epoch that it has won."""
        self._configure(self.configuration.at(self.epoch + 1))
        super()._win()
