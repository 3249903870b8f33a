"""One node, as its host runs it: what goes in, and what the host must then do.

A Node has no clock, no disk and no network; its host has them. Each method that takes an input returns the effects of
the step, which the host carries out in their order, or Ignored, and then the node is as it was:

    node = Node("2", Fixed(["1", "2", "3"]))        # or Configuration.from_json(first), where members come and go;
    for effect in node.start():                     # or Node("4"), of a node that is to join them
        carry_out(effect)                           # a Save must be durable before the next effect is begun
    while True:
        match next_input():
            case Message() as message: outcome = node.receive(message)
            case Timer() as timer:     outcome = node.end(timer)
        if isinstance(outcome, Ignored):
            count(outcome.reason)
        else:
            for effect in outcome:
                carry_out(effect)

One Node takes one input at a time. Later starts are restarts: Node("2", the same fixed members).restart(promise), or
Node("2").restart(promise), which finds the configuration in the promise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bully import Rules
from configuration import Configuration
from ids import Id, is_epoch, is_hold, is_number, is_reserved, rank
from message import Message, MessageType
from step import Arm, Call, Effect, Ignored, Promise, Role, Save, Send, State, Timer, effects_of


class Node(Rules):
    """One node. Its public attributes are its state (section 6 of the specification); only inputs change them."""

    def __init__(self, me: Id, first: Configuration = Configuration()) -> None:
        """A node that has not started. ValueError unless a node may begin so: among fixed members, or as R49 says."""
        rank(me)
        first.check_first(me)
        super().__init__(me, first)

    def start(self) -> list[Effect]:
        """R32, R49: the first start, once in the life of a node. The record is written although it says nothing yet."""
        self._be(State())
        return [Save(self.state.promise), *map(Arm, self._running(self.state))]

    def restart(self, promise: Promise) -> list[Effect]:
        """R30: a start with what the disk has kept; its own lease keeps it silent. ValueError if it is no promise."""
        if not is_reserved(promise.reserved):
            raise ValueError("the record reserves no block of numbers (R50)")
        self.load(State(Role.ELECTING, self.me, promise.epoch, promise.grantee, configuration=promise.configuration,
                        latest=promise.reserved + 1))
        self._sent = []
        self._send_all(MessageType.IM_BACK, self.epoch)
        return [Save(self.state.promise), Arm(Timer.COORDINATOR), *map(Send, self._sent)]

    def load(self, state: State) -> None:
        """Be in this state, as if the node had come to it; for checks. ValueError if it is no state of this node."""
        if self._is_of_the_other_sort(state.configuration):
            raise ValueError("fixed members have no configuration, changing ones have one (section 6)")
        configuration = state.configuration or self.configuration
        if not is_epoch(state.epoch) or configuration.epoch > state.epoch:
            raise ValueError("the epoch is none, or below that of the configuration (R2, R42)")
        for who in (state.leader, state.grantee):
            if who is not None:
                configuration.check_name(who)
        if not set(state.support) <= configuration.ids - {self.me}:
            raise ValueError("support must be other members")
        answered = [who for who, _ in state.answered]
        if not set(answered) <= configuration.ids - {self.me}:
            raise ValueError("only other members have answered")
        numbers = [state.asked, state.dated, *(n for _, n in state.answered)]
        if not is_number(state.latest) or not is_number(state.lease) or not all(is_number(n) and n <= state.latest for n in numbers):
            raise ValueError("a number is none, or above the latest (R50)")
        self._configure(configuration)
        self._be(state)

    def receive(self, message: Message) -> list[Effect] | Ignored:
        """A message has arrived, which is well formed (R33). Where members change a non-member's is for R44."""
        if message.to != self.me or message.sender == self.me:
            return Ignored("the message is for another node, or from this one (R34)")
        if self._is_of_the_other_sort(message.configuration):
            return Ignored("one of the two has fixed members, the other changing ones (R34)")
        if message.configuration is None and message.sender not in self.configuration.ids:
            return Ignored("the sender is no member (R34)")
        return self._step(lambda: self._heard(message))

    def end(self, timer: Timer) -> list[Effect] | Ignored:
        """A timer has ended. R35: one that does not run is ignored."""
        if timer not in self._running(self.state):
            return Ignored(f"the {timer} timer does not run (R35)")
        return self._step(lambda: self._ENDED[timer](self), anew=[timer])

    def call(self, call: Call, names: Id | None = None, hold: int = 0) -> list[Effect] | Ignored:
        """The user asks the node to resign (R28), or the host says that the holder of its lease is dead (R41).

        Who resigns may name who is to stand first, and not to be pre-empted for `hold` milliseconds (R51).
        """
        if call is Call.RESIGN:
            return self._resign_asked(names, hold)
        if self.leader in (None, self.me):
            return Ignored("the node keeps no other's lease (R41)")
        return self._step(self._free)

    def _resign_asked(self, names: Id | None, hold: int) -> list[Effect] | Ignored:
        if self.role is not Role.LEADER:
            return Ignored("the node does not lead (R28)")
        if names is None:
            hold = 0
        elif not self._may_name(names) or not is_hold(hold):
            return Ignored("who is named is no other voter, or the hold is none (R51)")
        return self._step(lambda: self._resign(names, hold))

    def change(self, configuration: Configuration) -> list[Effect] | Ignored:
        """R47: a leader is called to change the configuration, of which one member differs."""
        if why := self._may_not_change(configuration):
            return Ignored(f"{why} (R47)")
        return self._step(lambda: self._change(configuration), anew=[Timer.HEARTBEAT])

    def _is_of_the_other_sort(self, configuration: Configuration | None) -> bool:
        return (configuration is None) != (self.configuration.written is None)

    def _step(self, rule: Callable[[], None], anew: Sequence[Timer] = ()) -> list[Effect]:
        """Take one step, and say what the host must do. These timers begin anew, if they run on."""
        before = self.state
        self._sent = []
        rule()
        return effects_of(before, self.state, self._running, self._sent, anew)
