"""What nodes do: elections of a few nodes, single steps, questions. Run in this folder: python3 -m unittest."""

from __future__ import annotations

import unittest
from collections import deque
from dataclasses import replace

from configuration import Fixed
from node import Node
from ids import BLOCK, MAX_EPOCH
from message import Message, MessageType
from step import Arm, Call, Cancel, Effect, Ignored, Over, Promise, Role, Save, Send, State, Tell, Timer


class Cluster:
    """The smallest host there is: messages arrive in the order sent, and timers end when the test says so."""

    def __init__(self, *members: str) -> None:
        self.members = members
        self.nodes: dict[str, Node] = {}
        self.disk: dict[str, Promise] = {}
        self.timers: dict[str, set[Timer]] = {}
        self.told: dict[str, tuple[str | None, int]] = {}
        self.down: set[str] = set()
        self.traffic: deque[Message] = deque()
        self.log: list[str] = []
        for me in members:
            self.nodes[me] = Node(me, Fixed(members))
            self.timers[me], self.told[me] = set(), (None, 0)
            self.carry_out(me, self.nodes[me].start())

    def carry_out(self, me: str, outcome: list[Effect] | Ignored) -> None:
        assert not isinstance(outcome, Ignored), outcome
        for effect in outcome:
            match effect:
                case Save(promise):
                    self.disk[me] = promise
                case Over(epoch):
                    self.log.append(f"{me}: the reign of {epoch} is over")
                case Cancel(timer):
                    self.timers[me].discard(timer)
                case Arm(timer):
                    self.timers[me].add(timer)
                case Send(m):
                    self.log.append(f"{m.sender} to {m.to}: {m.type} {m.epoch}")
                    self.traffic.append(m)
                case Tell(leader, epoch):
                    self.told[me] = (leader, epoch)

    def end(self, me: str, timer: Timer) -> None:
        assert timer in self.timers[me], f"{timer} of {me} does not run: {self.timers[me]}"
        self.timers[me].discard(timer)
        self.carry_out(me, self.nodes[me].end(timer))

    def call(self, me: str, call: Call) -> None:
        self.carry_out(me, self.nodes[me].call(call))

    def deliver(self) -> None:
        """Let all messages arrive, and all that are sent meanwhile."""
        while self.traffic:
            m = self.traffic.popleft()
            if not {m.sender, m.to} & self.down:
                self.carry_out(m.to, self.nodes[m.to].receive(m))

    def crash(self, me: str) -> None:
        self.down.add(me)
        self.timers[me], self.told[me] = set(), (None, 0)

    def restart(self, me: str) -> None:
        self.down.discard(me)
        self.nodes[me] = Node(me, Fixed(self.members))
        self.carry_out(me, self.nodes[me].restart(self.disk[me]))

    def elect(self) -> None:
        """The highest stands first, and wins."""
        self.end(self.members[-1], Timer.PATIENCE)
        self.deliver()


ANSWERS = {MessageType.OK, MessageType.ASSENT, MessageType.GRANT, MessageType.REFUSE, MessageType.ACK}
LEASE, LATER, LATEST = 3, 4, 6


def message(kind: str, sender: str, to: str, epoch: int, question: int = 0, keeps: str | None = None) -> Message:
    """A message: an answer is of what is asked, and all else of a question later than that of the lease, unless a number is given."""
    return Message(MessageType(kind), sender, to, epoch, None, question or (LATEST if kind in ANSWERS else LATER), keeps)


def numbered(state: State, me: str, members: tuple[str, ...]) -> State:
    """A state with numbers, if it has none: as it could have come to be."""
    if state.latest > 1:
        return state
    if state.leader not in (None, me):
        state = replace(state, lease=LEASE)
    if state.role in (Role.CANDIDATE, Role.CLAIMANT) or state.support and state.role is Role.ELECTING:
        state = replace(state, asked=LATEST)
    if state.role is Role.LEADER:
        answered = tuple((m, LATER if m in state.support else 2) for m in members if m != me)
        state = replace(state, dated=LATER if 2 * (len(state.support) + 1) > len(members) else 2, answered=answered)
    return replace(state, latest=LATEST)


def plain(value: object) -> object:
    """A state, a message or effects without numbers: what they have to do with each other is in class Numbers."""
    match value:
        case State():
            return replace(value, lease=0, asked=0, latest=1, dated=0, answered=())
        case Message():
            return replace(value, question=0, keeps=None, granted=None)
        case Send(m):
            return Send(plain(m))
        case list() | tuple():
            return [plain(v) for v in value]
    return value


class Plain(unittest.TestCase):
    def same(self, is_: object, want: object, why: str | None = None) -> None:
        self.assertEqual(plain(is_), plain(want), why)


def node(state: State, me: str = "2", members: tuple[str, ...] = ("1", "2", "3")) -> Node:
    """A node in this state."""
    made = Node(me, Fixed(members))
    made.load(numbered(state, me, members))
    return made


class Elections(unittest.TestCase):
    def test_three_nodes_elect_the_highest(self) -> None:
        cluster = Cluster("1", "2", "3")
        cluster.end("1", Timer.PATIENCE)
        cluster.deliver()
        self.assertEqual(cluster.told, dict.fromkeys("123", ("3", 1)))
        self.assertEqual(cluster.disk, dict.fromkeys("123", Promise(1, "3")))
        self.assertEqual(cluster.timers["3"], {Timer.REIGN, Timer.HEARTBEAT})
        self.assertEqual(cluster.timers["1"], {Timer.PATIENCE})

    def test_the_highest_alone_needs_one_exchange_of_each_kind(self) -> None:
        cluster = Cluster("1", "2", "3")
        cluster.elect()
        self.assertEqual(cluster.log, [
            "3 to 1: ELECTION 0", "3 to 2: ELECTION 0", "1 to 3: ASSENT 0", "2 to 3: ASSENT 0",
            "3 to 1: CLAIM 1", "3 to 2: CLAIM 1", "1 to 3: GRANT 1", "2 to 3: GRANT 1",
            "3 to 1: COORDINATOR 1", "3 to 2: COORDINATOR 1", "1 to 3: ACK 1", "2 to 3: ACK 1"])

    def test_one_member_leads_at_once(self) -> None:
        cluster = Cluster("7")
        cluster.end("7", Timer.PATIENCE)
        cluster.end("7", Timer.ELECTION)
        self.assertEqual((cluster.told["7"], cluster.disk["7"]), (("7", 1), Promise(1, "7")))
        cluster.crash("7")
        cluster.restart("7")
        cluster.end("7", Timer.COORDINATOR)
        self.assertEqual(cluster.told["7"], ("7", 2))

    def test_the_leader_crashes(self) -> None:
        cluster = Cluster("1", "2", "3")
        cluster.elect()
        cluster.crash("3")
        cluster.call("1", Call.HOLDER_DEAD)
        cluster.call("2", Call.HOLDER_DEAD)
        self.assertEqual(cluster.told["2"], (None, 0))
        cluster.end("2", Timer.PATIENCE)
        cluster.deliver()
        cluster.end("2", Timer.ELECTION)
        cluster.deliver()
        self.assertEqual((cluster.told["1"], cluster.told["2"]), (("2", 2), ("2", 2)))

    def test_a_lease_of_a_silent_leader_must_be_waited_out(self) -> None:
        cluster = Cluster("1", "2", "3")
        cluster.elect()
        cluster.crash("3")
        cluster.end("2", Timer.PATIENCE)
        cluster.deliver()
        self.assertEqual(cluster.log[-1], "1 to 2: REFUSE 1")
        cluster.end("2", Timer.ELECTION)
        self.assertEqual(cluster.nodes["2"].role, Role.FOLLOWER)

    def test_hand_over_to_a_higher_node_that_returns(self) -> None:
        cluster = Cluster("1", "2", "3")
        cluster.crash("3")
        cluster.end("2", Timer.PATIENCE)
        cluster.deliver()
        cluster.end("2", Timer.ELECTION)
        cluster.deliver()
        self.assertEqual(cluster.told["2"], ("2", 1))

        cluster.restart("3")
        cluster.deliver()
        self.assertEqual(cluster.told["3"], ("2", 1), "a leader answers IM_BACK")
        self.assertEqual(cluster.timers["3"], {Timer.PATIENCE, Timer.PREEMPT})
        cluster.end("3", Timer.PREEMPT)
        cluster.log.clear()
        cluster.deliver()
        self.assertEqual(cluster.told, dict.fromkeys("123", ("3", 2)))
        self.assertLess(cluster.log.index("2: the reign of 1 is over"), cluster.log.index("2 to 3: GRANT 2"))
        self.assertLess(cluster.log.index("2 to 3: GRANT 2"), cluster.log.index("2 to 1: RESIGN 1"))

    def test_resigning(self) -> None:
        cluster = Cluster("1", "2", "3")
        cluster.elect()
        cluster.call("3", Call.RESIGN)
        cluster.deliver()
        self.assertEqual(cluster.told, dict.fromkeys("123", (None, 0)))
        self.assertEqual(cluster.log[-3:], ["3: the reign of 1 is over", "3 to 1: RESIGN 1", "3 to 2: RESIGN 1"])

    def test_a_leader_that_hears_nobody_steps_down(self) -> None:
        cluster = Cluster("1", "2", "3")
        cluster.elect()
        cluster.end("3", Timer.REIGN)
        self.assertEqual((cluster.told["3"], cluster.timers["3"]), ((None, 0), {Timer.PATIENCE}))


class Steps(Plain):
    def test_the_effects_of_a_grant_come_in_their_order(self) -> None:
        follows = node(State(leader="1", epoch=3, grantee="1"))
        self.same(follows.receive(message("CLAIM", "1", "2", 4)), [
            Save(Promise(4, "1")), Cancel(Timer.PATIENCE), Cancel(Timer.PREEMPT), Arm(Timer.COORDINATOR),
            Send(message("GRANT", "2", "1", 4)), Tell(None, 0)])

    def test_a_claim_heard_again_is_granted_again(self) -> None:
        granted = node(State(Role.ELECTING, leader="3", epoch=4, grantee="3"))
        self.same(granted.receive(message("CLAIM", "3", "2", 4)),
                  [Arm(Timer.COORDINATOR), Send(message("GRANT", "2", "3", 4))])

    def test_a_promise_outlives_a_crash(self) -> None:
        back = Node("2", Fixed(("1", "2", "3")))
        self.same(back.restart(Promise(4, "3")), [Save(Promise(4, "3", reserved=2 * BLOCK)),
            Arm(Timer.COORDINATOR), Send(message("IM_BACK", "2", "1", 4)), Send(message("IM_BACK", "2", "3", 4))])
        refusal = [Send(message("REFUSE", "2", "1", 4))]
        self.same(back.receive(message("CLAIM", "1", "2", 9)), refusal, "it keeps silent")
        back.end(Timer.COORDINATOR)
        self.same(back.receive(message("CLAIM", "1", "2", 4)), refusal, "it has promised 4 to 3")

    def test_a_lower_leader_is_preempted_only_by_a_higher_node(self) -> None:
        self.assertIsInstance(node(State(leader="3", epoch=1, grantee="3")).end(Timer.PREEMPT), Ignored)
        lower = node(State(leader="1", epoch=1, grantee="1"))
        lower.end(Timer.PREEMPT)
        self.same((lower.role, lower.leader), (Role.CANDIDATE, "1"))

    def test_a_heartbeat_restarts_the_patience_and_nothing_else(self) -> None:
        follows = node(State(leader="1", epoch=1, grantee="1"))
        self.same(follows.receive(message("HEARTBEAT", "1", "2", 1)),
                  [Arm(Timer.PATIENCE), Send(message("ACK", "2", "1", 1))])

    def test_claiming_again_does_not_restart_the_claim_timer(self) -> None:
        claims = node(State(Role.CLAIMANT, epoch=1, grantee="1", support=("1",)), "5", ("1", "2", "3", "4", "5"))
        self.same(claims.receive(message("RESIGN", "2", "5", 1)),
                  [Send(message("CLAIM", "5", other, 2)) for other in ("2", "3", "4")])

    def test_a_claimant_with_a_lease_does_not_win(self) -> None:
        claims = node(State(Role.CLAIMANT, leader="1", epoch=1, grantee="1"))
        self.same(claims.receive(message("GRANT", "3", "2", 2)), [])
        claims.receive(message("RESIGN", "1", "2", 1))
        self.same(claims.state, State(Role.LEADER, "2", 2, "2"))

    def test_nobody_claims_beyond_the_last_epoch(self) -> None:
        last = node(State(Role.CANDIDATE, epoch=MAX_EPOCH, support=("1", "3")))
        last.end(Timer.ELECTION)
        self.same((last.role, last.epoch), (Role.FOLLOWER, MAX_EPOCH))

    def test_what_is_no_step_changes_nothing(self) -> None:
        state = State(Role.ELECTING, leader="2", epoch=4, grantee="3", latest=LATEST)
        silent = node(state)
        for outcome in (silent.end(Timer.PATIENCE), silent.call(Call.RESIGN), silent.call(Call.HOLDER_DEAD),
                        silent.receive(message("CLAIM", "9", "2", 9)), silent.receive(message("CLAIM", "1", "3", 9))):
            self.assertIsInstance(outcome, Ignored)
            self.assertEqual(silent.state, state)

    def test_a_node_needs_members_in_order(self) -> None:
        for me, members in (("4", ["1", "2"]), ("1", ["2", "1"]), ("1", ["1", "1"]), ("1", []), ("0", ["0"])):
            with self.subTest(me=me, members=members), self.assertRaises(ValueError):
                Node(me, Fixed(members))


class Questions(Plain):
    """Questions of section 13 of the specification, by their numbers; the node is 2 of three."""

    def ask(self, before: State, heard: Message, after: State, *sent: tuple[str, str, int]) -> list[Effect]:
        """The effects of a message, after a look at the state after it, and at what was sent."""
        asked = node(before, heard.to)
        effects = asked.receive(heard)
        assert not isinstance(effects, Ignored), effects
        self.same(asked.state, after)
        self.same([e.message for e in effects if isinstance(e, Send)],
                  [message(kind, heard.to, to, epoch) for kind, to, epoch in sent])
        return effects

    def test_5_a_claimant_is_told_that_its_epoch_is_taken(self) -> None:
        refusal = message("REFUSE", "3", "2", 4)
        self.ask(State(Role.CLAIMANT, None, 3, "2"), refusal, State(Role.FOLLOWER, None, 4, None))
        self.ask(State(Role.CLAIMANT, "1", 3, "1"), refusal, State(Role.ELECTING, "1", 4, None))

    def test_7_news_of_its_own_claim_teaches_a_claimant_nothing(self) -> None:
        claims = State(Role.CLAIMANT, None, 3, "2")
        for kind in ("OK", "ASSENT", "ACK", "IM_BACK"):
            self.ask(claims, message(kind, "3", "2", 4), claims)

    def test_13_a_leader_refuses_a_lower_node(self) -> None:
        leads = State(Role.LEADER, "2", 3, "2")
        self.ask(leads, message("CLAIM", "1", "2", 4), leads, ("REFUSE", "1", 3))

    def test_16_17_18_a_leader_hears_election(self) -> None:
        leads = State(Role.LEADER, "2", 3, "2")
        self.ask(leads, message("ELECTION", "3", "2", 3), leads, ("REFUSE", "3", 3))
        self.ask(leads, message("ELECTION", "3", "2", 3, keeps="2"), leads, ("ASSENT", "3", 3))
        self.ask(leads, message("ELECTION", "1", "2", 3), leads, ("OK", "1", 3), ("COORDINATOR", "1", 3))
        effects = self.ask(leads, message("ELECTION", "1", "2", 4), State(Role.CANDIDATE, None, 4, None),
                           ("OK", "1", 4), ("ELECTION", "1", 4), ("ELECTION", "3", 4))
        self.same(effects[:2], [Save(Promise(4, None)), Over(3)])

    def test_21_to_23_a_follower_hears_election(self) -> None:
        follows = State(Role.FOLLOWER, "3", 3, "3")
        self.ask(follows, message("ELECTION", "1", "2", 3), follows, ("REFUSE", "1", 3))
        self.ask(follows, message("ELECTION", "3", "2", 3), State(Role.ELECTING, None, 3, "3"), ("ASSENT", "3", 3))
        follows = State(Role.FOLLOWER, "1", 3, "1")
        self.ask(follows, message("ELECTION", "3", "2", 3), follows, ("REFUSE", "3", 3))
        self.ask(follows, message("ELECTION", "3", "2", 3, keeps="1"), follows, ("ASSENT", "3", 3))
        granted = State(Role.ELECTING, "1", 3, "1")
        self.ask(granted, message("ELECTION", "3", "2", 3), granted, ("REFUSE", "3", 3))

    def test_24_an_ok_of_a_higher_epoch_counts(self) -> None:
        stands = State(Role.CANDIDATE, None, 3, "3")
        self.ask(stands, message("OK", "3", "2", 4), State(Role.ELECTING, None, 4, None, ("3",)))
        follows = State(Role.FOLLOWER, "3", 3, "3")
        self.ask(follows, message("OK", "3", "2", 4), follows)

    def test_25_26_a_reign_is_heard(self) -> None:
        follows = State(Role.FOLLOWER, "3", 3, "3")
        self.ask(follows, message("HEARTBEAT", "1", "2", 2), follows, ("REFUSE", "1", 3))
        self.ask(State(epoch=3, grantee="1"), message("COORDINATOR", "3", "2", 3), State(Role.FOLLOWER, "3", 3, "1"),
                 ("ACK", "3", 3))
        self.ask(State(epoch=3), message("COORDINATOR", "3", "2", 3), follows, ("ACK", "3", 3))

    def test_27_who_preempts_acknowledges(self) -> None:
        stands = State(Role.CANDIDATE, "1", 3, "1", ("3",))
        self.ask(stands, message("HEARTBEAT", "1", "2", 3), stands, ("ACK", "1", 3))
        effects = self.ask(State(Role.FOLLOWER, "1", 3, "1"), message("HEARTBEAT", "1", "2", 4),
                           State(Role.FOLLOWER, "1", 4, "1"), ("ACK", "1", 4))
        self.same(effects[1:3], [Arm(Timer.PATIENCE), Arm(Timer.PREEMPT)], "a new reign, a new wait")

    def test_half_of_the_members_is_no_quorum(self) -> None:
        stands = node(State(Role.CANDIDATE, support=("1",)), "2", ("1", "2", "3", "4"))
        stands.end(Timer.ELECTION)
        self.same(stands.role, Role.FOLLOWER)


if __name__ == "__main__":
    unittest.main()
