"""The rules of section 8 of the specification, named by their numbers: what a node does with a message, a timer's end or a call.

The members are those of its configuration. Fixed members are a configuration that never changes, so no rule asks which
of the two they are. Whoever runs a node takes a Node (node.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from base import Base
from configuration import Configuration
from ids import MAX_EPOCH, Id, rank
from message import Granted, Message, MessageType
from step import Role, State, Timer, running

_ASKS = {MessageType.ELECTION, MessageType.CLAIM, MessageType.COORDINATOR, MessageType.HEARTBEAT, MessageType.IM_BACK}


class Rules(Base):
    """The rules by which the state changes. What a rule sends is kept for who has called it."""

    # Configurations: whose is newest counts.

    def _heard(self, m: Message) -> None:
        """R43, R44: the configuration of a message is looked at first, and then whether both are members."""
        theirs = m.configuration or self.configuration  # fixed members need not say it
        if theirs.newer(self.configuration):
            self._adopt(theirs)
        if not {self.me, m.sender} <= self.configuration.ids:
            self._outside_heard(m, theirs)
        else:
            self._HEARD[m.type](self, m)

    def _adopt(self, newer: Configuration) -> None:
        """R43: what was asked, and support that was given, in the older configuration says nothing of the newer."""
        if self.role in (Role.CANDIDATE, Role.CLAIMANT):
            self._rest()
        self._learn(newer.epoch)
        self.support, self.asked = set(), 0
        self._configure_on(newer)

    def _configure_on(self, newer: Configuration) -> None:
        """R43, R47: of what was answered, members of the new configuration stay."""
        self._configure(newer)
        self.answered = {k: n for k, n in self.answered.items() if k in newer.ids}

    def _outside_heard(self, m: Message, theirs: Configuration) -> None:
        """R44: who is no member hears the newest configuration, if it asks with an older one."""
        if m.type in _ASKS and self.configuration.newer(theirs):
            self._answer(m, MessageType.REFUSE, self.epoch)

    def _counts(self, m: Message) -> bool:
        """R45: whether the sender has the same configuration."""
        return m.configuration == self.configuration.written

    def _may_vote(self, m: Message) -> bool:
        """R45.3: an elector votes for a voter, and only if both have the same configuration."""
        return self.me in self.configuration.electors and m.sender in self.configuration.voters and self._counts(m)

    # Election: nobody is bound.

    def _ask(self) -> None:
        """R8: stand, and ask all."""
        self._become(Role.CANDIDATE)
        self.asked = self._new_number()
        self._send_all(MessageType.ELECTION, self.epoch)

    def _ask_or_say(self) -> None:
        """R46: a voter stands. Any other rests, and a member says that it does not lead: whoever does may say so."""
        if self.me in self.configuration.voters:
            self._ask()
            return
        self._rest()
        if self.me in self.configuration.ids:
            self._send_all(MessageType.IM_BACK, self.epoch)

    def _patience_ended(self) -> None:
        """R8."""
        self._unbind()
        self._ask_or_say()

    def _preempt_ended(self) -> None:
        """R9: the lease of the lower leader is kept."""
        self._ask()

    def _may_support(self, m: Message) -> bool:
        """R10, R45.1: whether this node would grant the sender's claim."""
        if not self._may_vote(m):
            return False
        return self.leader in (None, m.sender) or (
            self.role is not Role.ELECTING and m.keeps == self.leader and self._outranks(m.sender, self.leader))

    def _election_heard(self, m: Message) -> None:
        """R10, R11."""
        self._release(m)
        self._learn_if_free(m.epoch)
        from_lower = not self._outranks(m.sender, self.me)
        if from_lower and self.role is Role.LEADER:
            self._answer(m, MessageType.OK, self.epoch)
            self._send(MessageType.COORDINATOR, m.sender, self.epoch, self.latest)
        elif not self._may_support(m):
            self._answer(m, MessageType.REFUSE, self.epoch)
        elif from_lower:
            self._have_in_hand(m)
        else:
            self._give_way(m)

    def _is_idle(self) -> bool:
        return self.role is Role.FOLLOWER and self.leader is None

    def _have_in_hand(self, m: Message) -> None:
        """R10: a lower node asked that this node may support."""
        self._answer(m, MessageType.OK, self.epoch)
        if self._is_idle():
            self._ask()

    def _give_way(self, m: Message) -> None:
        """R11: a higher node asked that this node may support. A claimant is firm: it goes on."""
        self._answer(m, MessageType.ASSENT, self.epoch)
        if self.role is Role.CANDIDATE or self._is_idle():
            self._become(Role.ELECTING)

    def _ok_heard(self, m: Message) -> None:
        """R12: somebody better has it in hand."""
        self._learn_if_free(m.epoch)
        if self.role in (Role.CANDIDATE, Role.ELECTING) and self._is_asked(m):
            self.role = Role.ELECTING
            self.support.add(m.sender)

    def _assent_heard(self, m: Message) -> None:
        """R13: the highest member has nobody to wait for."""
        self._learn_if_free(m.epoch)
        if self.role in (Role.CANDIDATE, Role.ELECTING) and self._is_asked(m):
            self.support.add(m.sender)
            if self.role is Role.CANDIDATE and self.me == self.configuration.highest and self._may_claim():
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
        self._unbind()
        if self._may_claim() and self.me in self.configuration.voters:
            self._claim()
        else:
            self._ask_or_say()

    # Claim: an epoch is promised to one node.

    def _claim(self, named_by: Id | None = None) -> None:
        """R16, R51: the node promises itself nothing before it wins."""
        self._become(Role.CLAIMANT)
        self.asked = self._new_number()
        if self._may_win():
            self._win()
        else:
            self._send_all(MessageType.CLAIM, self.epoch + 1, names=named_by)

    def _claim_heard(self, m: Message) -> None:
        """R17, R18: a refused epoch is not learned."""
        if self._has_ended(m):
            self._free()
        led = self.epoch
        if self.role is Role.LEADER:
            if self._hands_over(m):
                self._grant(m)
                self._send_all(MessageType.RESIGN, led, Granted(m.sender, m.epoch, m.question))
                return
        elif self._may_grant(m) and self.leader in (None, m.sender) and not self._rivals(m):
            self._grant(m)
            return
        self._answer(m, MessageType.REFUSE, self.epoch)

    def _has_ended(self, m: Message) -> bool:
        """R51: whether the lease is one of the reign in which the sender of a CLAIM was named, or of an earlier one."""
        return m.names not in (None, self.me) and self.leader == m.names and self.epoch < m.epoch

    def _rivals(self, m: Message) -> bool:
        """R17: of two that claim an epoch the better goes on."""
        return self.role is Role.CLAIMANT and m.epoch <= self.epoch + 1 and not self._outranks(m.sender, self.me)

    def _may_grant(self, m: Message) -> bool:
        """R17, R45.2: whether the epoch can still be promised to the sender."""
        free = m.epoch > self.epoch or (m.epoch == self.epoch and self.grantee in (None, m.sender))
        return free and self._may_vote(m)

    def _hands_over(self, m: Message) -> bool:
        """R18, R45.2."""
        return self._outranks(m.sender, self.me) and m.epoch > self.epoch and self._may_vote(m)

    def _grant(self, m: Message) -> None:
        """R17."""
        self._become(Role.ELECTING)
        self._keep(m)
        self.epoch, self.grantee = m.epoch, m.sender
        self._answer(m, MessageType.GRANT, m.epoch)

    def _grant_heard(self, m: Message) -> None:
        """R19."""
        if self.role is not Role.CLAIMANT or m.epoch != self.epoch + 1 or not self._is_asked(m):
            self._learn_if_free(m.epoch)
            return
        if self.leader == m.sender:
            self._unbind()
        self.support.add(m.sender)
        if self._may_win():
            self._win()

    def _may_win(self) -> bool:
        """R20: a lease that is kept shields its holder."""
        return self._has_quorum() and self.leader is None

    def _win(self) -> None:
        """R20, R48: the winner's configuration is of the epoch that it has won."""
        asked, granters = self.asked, self.support
        self._configure(self.configuration.at(self.epoch + 1))
        self._become(Role.LEADER)
        self.leader, self.epoch, self.grantee = self.me, self.epoch + 1, self.me
        self.dated, self.answered = asked, dict.fromkeys(granters, asked)
        self._send_all(MessageType.COORDINATOR, self.epoch)

    def _refuse_heard(self, m: Message) -> None:
        """R21: a claimant rests first, and so learns even the epoch that it has claimed."""
        if self.role is Role.CLAIMANT and self._is_asked(m) and m.epoch > self.epoch:
            self._rest()
            self._learn(m.epoch)
        else:
            self._learn_if_free(m.epoch)

    def _claim_ended(self) -> None:
        """R22."""
        self._rest()

    # Reign.

    def _reign_heard(self, m: Message) -> None:
        """R23, R24: COORDINATOR and HEARTBEAT."""
        if m.epoch < self.epoch:
            self._answer(m, MessageType.REFUSE, self.epoch)
            return
        stands = self.role in (Role.CANDIDATE, Role.CLAIMANT)
        if not (stands and self.leader == m.sender and self.epoch == m.epoch):
            if m.epoch > self.epoch or self.grantee is None:
                self.grantee = m.sender
            self.epoch = m.epoch
            self._become(Role.FOLLOWER)
        self._keep(m)
        self._answer(m, MessageType.ACK, m.epoch)

    def _ack_heard(self, m: Message) -> None:
        """R25."""
        if self.role is not Role.LEADER or m.epoch != self.epoch or m.question > self.latest:
            self._learn_if_free(m.epoch)
            return
        self.answered[m.sender] = max(m.question, self.answered.get(m.sender, 0))
        if self._counts(m):
            self.support.add(m.sender)
        self._date()

    def _date(self) -> None:
        """R26: the latest question that a quorum has answered; it never goes back."""
        if self._is_quorum(set()):
            self.dated = self.latest
            return
        for n in self.answered.values():
            if n > self.dated and self._is_quorum({k for k, since in self.answered.items() if since >= n}):
                self.dated = n

    def _reign_ended(self) -> None:
        """R26."""
        self._step_down()

    def _heartbeat_ended(self) -> None:
        """R27."""
        self._new_number()
        self._date()
        self._send_all(MessageType.HEARTBEAT, self.epoch)

    def _may_name(self, names: Id) -> bool:
        """R51: another voter."""
        return names != self.me and names in self.configuration.voters

    def _resign(self, names: Id | None, hold: int) -> None:
        """R28, R51."""
        self._step_down()
        self._send_all(MessageType.RESIGN, self.epoch, names=names, hold=hold)

    def _resign_heard(self, m: Message) -> None:
        """R29: who succeeds is granted at once; a claimant claims again, for those whom the sender's lease had bound may grant now."""
        followed = self.leader == m.sender
        self._release(m)
        if followed and self._is_named(m):
            self._claim(m.sender)
            return
        if m.granted is not None:
            claim = replace(m, type=MessageType.CLAIM, sender=m.granted.by, epoch=m.granted.epoch, question=m.granted.question, granted=None)
            if self._succeeds(claim):
                self._claim_heard(claim)
                return
        if self.role is Role.CLAIMANT:
            if self._may_win():
                self._win()
                return
            for other in self.voting:
                if other not in self.support:
                    self._send(MessageType.CLAIM, other, self.epoch + 1, self.asked)

    def _is_named(self, m: Message) -> bool:
        """R51: whether this node, which the RESIGN has released, is to claim."""
        return (m.names == self.me and self._is_idle() and m.epoch == self.epoch != MAX_EPOCH
                and self.me in self.configuration.voters and self._counts(m))

    def _succeeds(self, claim: Message) -> bool:
        """R29: whether a claim that the sender of a RESIGN has granted is answered as if it had been heard."""
        if claim.sender == self.me or self.leader is not None or not self._may_vote(claim):
            return False
        return self.role in (Role.FOLLOWER, Role.ELECTING) or (self.role is Role.CANDIDATE and self._outranks(claim.sender, self.me))

    def _im_back_heard(self, m: Message) -> None:
        """R31."""
        self._release(m)
        self._learn_if_free(m.epoch)
        if self.role is Role.LEADER:
            self._send(MessageType.COORDINATOR, m.sender, self.epoch, self.latest)

    # Changes.

    def _may_not_change(self, c: Configuration) -> str:
        """R47: why a change is no step, or nothing."""
        own = self.configuration
        if self.role is not Role.LEADER:
            return "the node does not lead"
        if own.written is None:
            return "the members are fixed"
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
        self._configure_on(c)
        self._new_number()
        self._date()
        for other in sorted(told | {*self.others}, key=rank):
            self._send(MessageType.HEARTBEAT, other, self.epoch, self.latest)

    # Which rule an input asks for, and which timers run.

    def _running(self, s: State) -> tuple[Timer, ...]:
        """R36, R46: who is no member waits only for a lease to end; who may not stand pre-empts nobody."""
        c = s.configuration or self.configuration
        if s.role is Role.FOLLOWER and s.leader is None and self.me not in c.ids:
            return ()
        return running(s.role, s.leader is not None and self.me in c.voters and c.outranks(self.me, s.leader))

    _HEARD: dict[MessageType, Callable[[Rules, Message], None]] = {
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
    _ENDED: dict[Timer, Callable[[Rules], None]] = {
        Timer.PATIENCE: _patience_ended,
        Timer.PREEMPT: _preempt_ended,
        Timer.ELECTION: _election_ended,
        Timer.COORDINATOR: _coordinator_ended,
        Timer.CLAIM: _claim_ended,
        Timer.REIGN: _reign_ended,
        Timer.HEARTBEAT: _heartbeat_ended,
    }
