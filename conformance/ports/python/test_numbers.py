"""Questions and their numbers (R50), and what rests on them; the node is 2 of three. Run in this folder: python3 -m unittest."""

from __future__ import annotations

import unittest

from ids import BLOCK
from message import Granted, Message, MessageType
from step import Arm, Promise, Role, Save, Send, State, Timer
from test_bully import LATER, LATEST, message, node


class Numbers(unittest.TestCase):
    def test_numbers_rise_and_answers_echo(self) -> None:
        asks = node(State(epoch=3))
        questions = [{e.message.question for e in asks.end(timer) if isinstance(e, Send)} for timer in (Timer.PATIENCE, Timer.ELECTION, Timer.PATIENCE)]
        self.assertEqual((questions, asks.state.asked, asks.state.latest), ([{7}, set(), {8}], 8, 8))
        answer = [e.message for e in asks.receive(message("CLAIM", "3", "2", 4, 99)) if isinstance(e, Send)]
        self.assertEqual((answer[0].question, asks.state.lease, asks.state.asked, asks.state.latest), (99, 99, 0, 8))

    def test_a_late_answer_counts_for_nothing(self) -> None:
        for role, kind, epoch in ((Role.CANDIDATE, "OK", 3), (Role.CANDIDATE, "ASSENT", 3), (Role.CLAIMANT, "GRANT", 4), (Role.CLAIMANT, "REFUSE", 4)):
            for late in (LATEST - 1, LATEST + 1):
                asks = node(State(role, None, 3, "2"))
                before = asks.state
                self.assertEqual((asks.receive(message(kind, "3", "2", epoch, late)), asks.state), ([], before), kind)

    def test_a_lease_never_gets_older_and_ends_as_of_its_question(self) -> None:
        follows = node(State(leader="3", epoch=3, grantee="3"))
        for question, lease, anew in ((7, 7, True), (7, 7, False), (5, 7, False)):
            effects = follows.receive(message("HEARTBEAT", "3", "2", 3, question))
            self.assertEqual((follows.state.lease, Arm(Timer.PATIENCE) in effects), (lease, anew))
        for question, leader in ((6, "3"), (7, None)):
            follows.receive(message("RESIGN", "3", "2", 3, question))
            self.assertEqual(follows.leader, leader)

    def test_a_reign_is_dated_from_what_a_quorum_has_answered(self) -> None:
        leads = node(State(Role.LEADER, "2", 3, "2"), "2", ("1", "2", "3", "4", "5"))
        self.assertEqual(leads.receive(message("ACK", "1", "2", 3, 6)), [])
        self.assertEqual((leads.receive(message("ACK", "3", "2", 3, 5)), leads.state.dated), ([Arm(Timer.REIGN)], 5))
        self.assertEqual((leads.receive(message("ACK", "4", "2", 3, 7)), leads.state.dated), ([], 5), "7 has not been asked")

    def test_a_block_of_numbers_is_saved_at_once(self) -> None:
        used_up = node(State(epoch=3, latest=BLOCK))
        self.assertEqual(used_up.end(Timer.PATIENCE)[0], Save(Promise(3, None, reserved=2 * BLOCK)))
        self.assertNotIn(Save, map(type, used_up.end(Timer.ELECTION)))

    def test_a_successor_is_granted_at_once(self) -> None:
        handed = Message(MessageType.RESIGN, "3", "2", 3, None, LATER, None, Granted("4", 4, 9))
        for leader, answers in (("3", ["GRANT"]), (None, ["GRANT"]), ("1", [])):
            follows = node(State(leader=leader, epoch=3, grantee="3"), "2", ("1", "2", "3", "4"))
            sent = [e.message for e in follows.receive(handed) if isinstance(e, Send)]
            self.assertEqual([m.type for m in sent], answers)
            self.assertTrue(all((m.to, m.epoch, m.question) == ("4", 4, 9) for m in sent))

    def test_of_two_claimants_the_better_goes_on(self) -> None:
        claims = State(Role.CLAIMANT, None, 3, "2")
        for sender, epoch, answer in (("1", 4, "REFUSE"), ("1", 5, "GRANT"), ("3", 4, "GRANT")):
            sent = [e.message.type for e in node(claims).receive(message("CLAIM", sender, "2", epoch)) if isinstance(e, Send)]
            self.assertEqual(sent, [answer])
        firm = node(claims)
        firm.receive(message("ELECTION", "3", "2", 3))
        self.assertEqual(firm.role, Role.CLAIMANT)


if __name__ == "__main__":
    unittest.main()
