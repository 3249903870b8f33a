"""Members that come and go: configurations, single steps, and a cluster that grows and shrinks. Run in this folder: python3 -m unittest."""

from __future__ import annotations

import json
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from configuration import Configuration, Kind, Member
from ids import BLOCK, MAX_EPOCH
from message import Malformed, Message, MessageType
from node import Node
from step import Arm, Call, Cancel, Effect, Ignored, Over, Promise, Role, Save, Send, State, Tell, Timer
from test_bully import ANSWERS, LATER, LATEST, Cluster, Plain, node, numbered

VOTER = {"id": "1", "kind": "voter"}


def conf(epoch: int, version: int, members: str) -> Configuration:
    """The configuration of members as in "1 2 3w 4o": voters, a witness, an observer."""
    kinds = {"w": Kind.WITNESS, "o": Kind.OBSERVER}
    return Configuration(epoch, version, tuple(Member(m.rstrip("wo"), kinds.get(m[-1], Kind.VOTER)) for m in members.split()))


THREE = conf(3, 2, "1 2 3")


def message(kind: str, sender: str, to: str, epoch: int, configuration: Configuration = THREE) -> Message:
    return Message(MessageType(kind), sender, to, epoch, configuration, LATEST if kind in ANSWERS else LATER)


def changing(state: State, me: str = "2") -> Node:
    """A node in this state, and in the configuration THREE if that has none."""
    made = Node(me)
    own = state.configuration or THREE
    made.load(replace(numbered(state, me, tuple(m.id for m in own.members)), configuration=own))
    return made


class Configurations(unittest.TestCase):
    GOOD = {"epoch": 3, "version": 2, "members": [
        {"id": "1", "kind": "voter", "address": "10.0.0.1:7400"}, {"id": "3", "kind": "voter"}, {"id": "4", "kind": "observer"}]}

    def test_the_example_of_the_specification_is_read_and_written(self) -> None:
        text = ('{"type": "CLAIM", "from": "3", "to": "1", "epoch": 4, "question": 7, "configuration": {"epoch": 3, "version": 2, "members": ['
                '{"id": "1", "kind": "voter", "address": "10.0.0.1:7400"}, {"id": "3", "kind": "voter", "rank": 7}, {"id": "4", "kind": "observer"}]}}')
        read = Message.from_json(json.loads(text))
        self.assertEqual(read.configuration, Configuration(3, 2, (
            Member("1", Kind.VOTER, address="10.0.0.1:7400"), Member("3", Kind.VOTER, 7), Member("4", Kind.OBSERVER))))
        self.assertEqual(json.dumps(read.to_json()), text)

    def test_what_is_no_configuration_is_refused(self) -> None:
        wrong: list[object] = [None, [], {}, self.GOOD | {"at": 1}, self.GOOD | {"version": 0}]
        wrong += [{k: v for k, v in self.GOOD.items() if k != missing} for missing in self.GOOD]
        wrong += [self.GOOD | {name: n} for name in ("epoch", "version") for n in (True, -1, 2**53, 1.0, "1", None, [1])]
        wrong += [self.GOOD | {"members": m} for m in (
            [], {}, None, [None], [VOTER, VOTER], [{"id": "2", "kind": "voter"}, VOTER], [{"id": "1", "kind": "observer"}])]
        wrong += [self.GOOD | {"members": [VOTER | m]} for m in (
            {"id": 1}, {"id": "01"}, {"id": ["1"]}, {"kind": "king"}, {"kind": ["voter"]}, {"address": ""}, {"address": None}, {"address": "a b"},
            {"address": "é"}, {"address": "a\n"}, {"address": "a" * 129}, {"at": 1}, *({"address": c} for c in '"\\&<>\x7f'))]
        wrong += [{"epoch": 0, "version": 1, "members": []}, {"epoch": 1, "version": 0, "members": []}]
        for value in wrong:
            with self.subTest(value=value), self.assertRaises(ValueError):
                Configuration.from_json(value)

    def test_how_large_it_may_be(self) -> None:
        def ids(n: int, address: str = "") -> Configuration:
            return Configuration(1, 1, tuple(Member(str(i), Kind.VOTER, address=address) for i in range(1, n + 1)))
        self.assertEqual(len(ids(50).members), 50)
        six = ids(6, "~" * 128).members                                              # 99 + 6 * (18 + 128) = 975 bytes
        Configuration(1, 1, (*six, Member("7", Kind.VOTER, address="a" * 31)))               # 1024
        for make in (lambda: ids(51), lambda: Configuration(1, 1, (*six, Member("7", Kind.VOTER, address="a" * 32)))):
            with self.assertRaises(ValueError):
                make()

    def test_a_configuration_is_not_of_a_later_epoch_than_its_message(self) -> None:
        good = message("OK", "3", "2", 3).to_json()
        self.assertEqual(Message.from_json(good).epoch, 3)
        with self.assertRaises(Malformed):
            Message.from_json(good | {"epoch": 2})
        with self.assertRaises(Malformed):
            Message.from_json(good | {"configuration": None})

    def test_newer_is_by_epoch_and_then_by_version(self) -> None:
        ascending = [Configuration(), conf(0, 1, "1"), conf(0, 9, "1"), conf(1, 1, "1"), conf(1, 2, "1")]
        for i, a in enumerate(ascending):
            for j, b in enumerate(ascending):
                self.assertEqual(a.newer(b), i > j)


class Steps(Plain):
    def sent(self, outcome: list[Effect] | Ignored) -> list[str]:
        """What was sent, as in "ACK 3 to 1"."""
        assert not isinstance(outcome, Ignored), outcome
        return [f"{e.message.type} {e.message.epoch} to {e.message.to}" for e in outcome if isinstance(e, Send)]

    def test_a_newer_configuration_is_adopted_and_saved_before_the_answer(self) -> None:
        leads, newer = changing(State(Role.LEADER, "2", 3, "2", ("1",))), conf(4, 1, "1 2 3 4")
        self.same(leads.receive(message("HEARTBEAT", "4", "2", 4, newer)), [
            Save(Promise(4, "4", newer)), Over(3), Cancel(Timer.REIGN), Cancel(Timer.HEARTBEAT), Arm(Timer.PATIENCE),
            Send(message("ACK", "2", "4", 4, newer)), Tell("4", 4)])

    def test_who_adopts_gives_up_its_attempt_and_its_support(self) -> None:
        newer = conf(3, 3, "1 2 3 4")
        for role, after in ((Role.CANDIDATE, Role.FOLLOWER), (Role.CLAIMANT, Role.FOLLOWER), (Role.ELECTING, Role.ELECTING)):
            stands = changing(State(role, None, 3, None, ("1", "3")))
            self.same(self.sent(stands.receive(message("REFUSE", "9", "2", 3, newer))), [], "a non-member is heard so far")
            self.same(stands.state, State(after, None, 3, None, (), newer))

    def test_the_epoch_of_a_configuration_that_is_adopted_is_learned(self) -> None:
        follows, newer = changing(State(leader="3", epoch=3, grantee="3")), conf(4, 1, "1 3")
        for kind in ("CLAIM", "HEARTBEAT"):
            follows.receive(message(kind, "1", "2", 4, newer))
            self.same(follows.state, State(Role.ELECTING, "3", 4, configuration=newer), "and no more: it is no member")

    def test_an_older_configuration_is_not_adopted(self) -> None:
        follows = changing(State(leader="3", epoch=3, grantee="3"))
        follows.receive(message("HEARTBEAT", "3", "2", 3, conf(3, 1, "2 3")))
        self.same(follows.configuration, THREE)

    def test_who_is_no_member_is_told_if_it_asks_with_an_older_configuration(self) -> None:
        older, other = conf(2, 7, "1 2 3 9"), conf(3, 2, "1 2 9")
        follows = changing(State(leader="3", epoch=3, grantee="3"))
        for kind in MessageType:
            asks = kind in ("ELECTION", "CLAIM", "COORDINATOR", "HEARTBEAT", "IM_BACK")
            self.same(self.sent(follows.receive(message(kind, "9", "2", 9, older))), ["REFUSE 3 to 9"] if asks else [])
            self.same(follows.receive(message(kind, "9", "2", 9, other)), [], "it is not older")
        self.same(follows.state, State(leader="3", epoch=3, grantee="3", configuration=THREE), "nothing is learned")

    def test_only_support_for_a_change_is_of_the_same_configuration(self) -> None:
        older, other = conf(3, 1, "1 2 3"), conf(3, 2, "1 2 3 4")
        for differs in (older, other):
            stands = changing(State(Role.CANDIDATE, None, 3, None))
            stands.receive(message("ASSENT", "1", "2", 4, differs))
            self.same(stands.state, State(Role.CANDIDATE, None, 4, None, ("1",), THREE), "it answers what is asked")
            claims = changing(State(Role.CLAIMANT, None, 3, None))
            claims.receive(message("GRANT", "1", "2", 4, differs))
            self.same(claims.role, Role.LEADER)
            leads = changing(State(Role.LEADER, "2", 3, "2"))
            self.same(leads.receive(message("ACK", "1", "2", 3, differs)), [Arm(Timer.REIGN)], "it dates the reign")
            self.same(leads.support, set())

    def test_votes_are_given_to_voters_of_the_same_configuration_by_electors(self) -> None:
        kinds = conf(3, 2, "1 2 3w 4o")
        cases = [("2", "1", kinds, True), ("3", "1", kinds, True), ("4", "1", kinds, False), ("2", "3", kinds, False), ("2", "4", kinds, False),
                 ("2", "1", conf(3, 1, "1 2 3w 4o"), False)]
        for me, sender, theirs, gives in cases:
            for kind, answer, e in (("CLAIM", "GRANT", 4), ("ELECTION", "ASSENT" if me == "3" else "OK", 3)):
                asked = changing(State(epoch=3, configuration=kinds), me)
                with self.subTest(me=me, sender=sender, kind=kind):
                    sent = self.sent(asked.receive(message(kind, sender, me, e, theirs)))
                    self.same(sent[0], f"{answer} {e} to {sender}" if gives else f"REFUSE 3 to {sender}")

    def test_a_witness_gives_way_to_every_voter(self) -> None:
        kinds = conf(3, 2, "1 2 3w")
        idle = changing(State(epoch=3, configuration=kinds), "3")
        self.same(self.sent(idle.receive(message("ELECTION", "1", "3", 3, kinds))), ["ASSENT 3 to 1"])
        leads = changing(State(Role.LEADER, "3", 3, "3", configuration=kinds), "3")
        self.same(self.sent(leads.receive(message("CLAIM", "1", "3", 4, kinds))), ["GRANT 4 to 1", "RESIGN 3 to 1", "RESIGN 3 to 2"])
        follows = changing(State(leader="3", epoch=3, grantee="3", configuration=kinds), "1")
        self.same(self.sent(follows.end(Timer.PREEMPT)), ["ELECTION 3 to 2", "ELECTION 3 to 3"])

    def test_observers_do_not_count_and_are_not_asked(self) -> None:
        kinds = conf(3, 2, "1 2 3 4o 5o")
        stands = changing(State(Role.CANDIDATE, None, 3, None, ("4", "5"), kinds))
        stands.end(Timer.ELECTION)
        self.same(stands.role, Role.FOLLOWER)
        self.same(self.sent(stands.end(Timer.PATIENCE)), ["ELECTION 3 to 1", "ELECTION 3 to 3"])
        leads = changing(State(Role.LEADER, "2", 3, "2", ("1",), kinds))
        self.same(len(self.sent(leads.end(Timer.HEARTBEAT))), 4, "observers are told")
        highest = changing(State(Role.CANDIDATE, None, 3, None, ("1",), kinds), "3")
        self.same(self.sent(highest.receive(message("ASSENT", "2", "3", 3, kinds))), ["CLAIM 4 to 1", "CLAIM 4 to 2"], "the highest voter")

    def test_a_member_that_may_not_stand_says_that_it_does_not_lead(self) -> None:
        kinds = conf(3, 2, "1 2w 3o")
        for me in ("2", "3"):
            follows = changing(State(leader="1", epoch=3, grantee="1", configuration=kinds), me)
            rest = [m for m in ("1", "2", "3") if m != me]
            said = [Send(message("IM_BACK", me, to, 3, kinds)) for to in rest]
            self.same(follows.end(Timer.PATIENCE), [Arm(Timer.PATIENCE), *said, Tell(None, 0)])
            self.same(follows.end(Timer.PATIENCE), [Arm(Timer.PATIENCE), *said], "again and again")
            waits = changing(State(Role.ELECTING, me, 3, "1", ("1",), kinds), me)
            self.same(waits.end(Timer.COORDINATOR), [Cancel(Timer.COORDINATOR), Arm(Timer.PATIENCE), *said])

    def test_who_is_no_member_is_at_rest(self) -> None:
        others = conf(3, 2, "1 3")
        follows = changing(State(leader="1", epoch=3, grantee="1", configuration=others))
        self.assertIsInstance(follows.end(Timer.PREEMPT), Ignored)
        self.same(follows.end(Timer.PATIENCE), [Cancel(Timer.PATIENCE), Tell(None, 0)])
        self.assertIsInstance(follows.end(Timer.PATIENCE), Ignored, "without a lease it runs no timer")

    def test_the_winner_stamps_its_configuration_and_no_claimant_does(self) -> None:
        older = conf(1, 2, "1 2 3")
        asks = changing(State(Role.CANDIDATE, None, 3, None, ("1",), older))
        self.same(asks.end(Timer.ELECTION)[-1], Send(message("CLAIM", "2", "3", 4, older)))
        claims, stamped = changing(State(Role.CLAIMANT, None, 3, None)), conf(4, 2, "1 2 3")
        effects = claims.receive(message("GRANT", "3", "2", 4))
        self.same((effects[0], effects[4]), (Save(Promise(4, "2", stamped)), Send(message("COORDINATOR", "2", "1", 4, stamped))))

    def test_first_starts(self) -> None:
        first = conf(0, 1, "1 2w")
        self.same(Node("2", first).start(), [Save(Promise(0, None, first)), Arm(Timer.PATIENCE)])
        self.same(Node("9").start(), [Save(Promise(0, None, Configuration()))])
        for me, wrong in (("3", first), ("1", conf(0, 2, "1")), ("1", conf(1, 1, "1")), ("0", Configuration())):
            with self.assertRaises(ValueError):
                Node(me, wrong)

    def test_a_restart_knows_its_configuration(self) -> None:
        back = Node("2")
        self.same(back.restart(Promise(3, "9", THREE)), [
            Save(Promise(3, "9", THREE, 2 * BLOCK)), Arm(Timer.COORDINATOR), Send(message("IM_BACK", "2", "1", 3)), Send(message("IM_BACK", "2", "3", 3))])
        for promise in (Promise(3, "9"), Promise(2, "9", THREE), Promise(3, "x", THREE)):
            with self.assertRaises(ValueError):
                Node("2").restart(promise)

    def test_the_two_kinds_of_cluster_do_not_mix(self) -> None:
        plain = Message(MessageType.CLAIM, "3", "2", 4)
        self.assertIsInstance(changing(State(epoch=3)).receive(plain), Ignored)
        self.assertIsInstance(node(State()).receive(message("CLAIM", "3", "2", 4)), Ignored)
        self.assertIsInstance(changing(State(epoch=3)).receive(message("CLAIM", "3", "1", 4)), Ignored, "for another node")


class Changes(Plain):
    LEADS = State(Role.LEADER, "2", 3, "2", ("1",), THREE)

    def test_a_change_is_saved_said_to_all_and_waits_for_its_acks(self) -> None:
        for members, told in (("1 2 3 4o", "134"), ("1 2", "13"), ("1 2w 3", "13"), ("1 2 3o", "13"), ("1 2 3 10", ("1", "3", "10"))):
            leads, next_one = changing(self.LEADS), conf(3, 3, members)
            self.same(leads.change(next_one), [
                Save(Promise(3, "2", next_one)), Arm(Timer.HEARTBEAT), *(Send(message("HEARTBEAT", "2", to, 3, next_one)) for to in told)])
            self.same(leads.state, State(Role.LEADER, "2", 3, "2", (), next_one))
            self.assertIsInstance(leads.change(replace(THREE, version=4)), Ignored, "it is not settled yet")

    def test_an_address_is_a_change(self) -> None:
        moved = Configuration(3, 3, (Member("1", Kind.VOTER, address="a:1"), *THREE.members[1:]))
        self.assertNotIsInstance(changing(self.LEADS).change(moved), Ignored)

    def test_what_is_no_change(self) -> None:
        for why, state, to in (
                ("R47.1", State(leader="3", epoch=3, grantee="3"), conf(3, 3, "1 2 3 4")),
                ("R47.1", State(Role.CANDIDATE, None, 3, "3", ("1",)), conf(3, 3, "1 2 3 4")),
                ("R47.2: epoch", self.LEADS, conf(2, 3, "1 2 3 4")), ("R47.2: version", self.LEADS, conf(3, 4, "1 2 3 4")),
                ("R47.2: version", self.LEADS, conf(3, 2, "1 2 3 4")), ("R47.3", replace(self.LEADS, support=()), conf(3, 3, "1 2 3 4")),
                ("R47.4: none", self.LEADS, conf(3, 3, "1 2 3")), ("R47.4: two", self.LEADS, conf(3, 3, "1 2 4")),
                ("R47.5: removed", self.LEADS, conf(3, 3, "1 3")), ("R47.5: observer", self.LEADS, conf(3, 3, "1 2o 3"))):
            with self.subTest(why):
                asked = changing(state)
                before = asked.state
                self.assertIsInstance(asked.change(to), Ignored)
                self.same(asked.state, before)

    def test_fixed_members_never_change(self) -> None:
        leads = node(State(Role.LEADER, "2", 3, "2", ("1",)))
        self.assertIsInstance(leads.change(conf(3, 1, "1 2 3 4")), Ignored)


class ChangingCluster(Cluster):
    """A cluster that begins with these members; who is added is started with the empty configuration."""

    def __init__(self, *members: str) -> None:
        super().__init__()
        for me in members:
            self.begin(me, conf(0, 1, " ".join(members)))

    def begin(self, me: str, first: Configuration) -> None:
        self.members = (*self.members, me)
        self.timers[me], self.told[me] = set(), (None, 0)
        self.nodes[me] = Node(me, first)
        self.carry_out(me, self.nodes[me].start())

    def restart(self, me: str) -> None:
        self.down.discard(me)
        self.nodes[me] = Node(me)
        self.carry_out(me, self.nodes[me].restart(self.disk[me]))

    def change(self, me: str, members: str) -> None:
        own = self.nodes[me].configuration
        self.carry_out(me, self.nodes[me].change(conf(own.epoch, own.version + 1, members)))
        self.deliver()


class Lives(Plain):
    @contextmanager
    def three(self) -> Iterator[ChangingCluster]:
        cluster = ChangingCluster("1", "2", "3")
        cluster.elect()
        yield cluster
        for me, promise in cluster.disk.items():
            self.same(promise.configuration, cluster.nodes[me].configuration, "what a node has it has saved")

    def test_a_node_joins_as_an_observer_becomes_a_voter_and_leads(self) -> None:
        with self.three() as cluster:
            cluster.begin("4", Configuration())
            self.same(cluster.timers["4"], set(), "it waits for a leader")
            cluster.change("3", "1 2 3 4o")
            self.same((cluster.told["4"], cluster.timers["4"]), (("3", 1), {Timer.PATIENCE}))
            cluster.change("3", "1 2 3 4")
            self.assertIn(Timer.PREEMPT, cluster.timers["4"])
            cluster.end("4", Timer.PREEMPT)
            cluster.deliver()
            self.same(cluster.told, dict.fromkeys("1234", ("4", 2)))

    def test_a_leader_is_removed_in_three_steps(self) -> None:
        with self.three() as cluster:
            cluster.change("3", "1 2 3w")
            cluster.call("3", Call.RESIGN)
            cluster.deliver()
            cluster.end("2", Timer.PATIENCE)
            cluster.deliver()
            self.same(cluster.told, dict.fromkeys("123", ("2", 2)))
            cluster.change("2", "1 2")
            cluster.end("3", Timer.PATIENCE)
            self.same(cluster.timers["3"], set())

    def test_a_node_that_was_removed_while_it_was_away_hears_of_it(self) -> None:
        with self.three() as cluster:
            cluster.crash("1")
            cluster.change("3", "2 3")
            cluster.restart("1")
            cluster.deliver()
            self.same(cluster.nodes["1"].configuration, conf(1, 2, "2 3"))
            cluster.end("1", Timer.COORDINATOR)
            self.same((cluster.timers["1"], cluster.told["3"]), (set(), ("3", 1)))


if __name__ == "__main__":
    unittest.main()
