"""What comes from outside: messages, ids, writes, requests. Run in this folder: python3 -m unittest."""

from __future__ import annotations

import json
import unittest

from fence import Resource
from ids import rank
from message import Malformed, Message, MessageType, UnknownType
from port import serve


class Input(unittest.TestCase):
    GOOD = {"type": "CLAIM", "from": "3", "to": "1", "epoch": 4, "question": 7}

    def test_a_message_is_read_and_written(self) -> None:
        read = Message.from_json(self.GOOD)
        self.assertEqual(read, Message(MessageType.CLAIM, "3", "1", 4, question=7))
        self.assertEqual(json.dumps(read.to_json()), json.dumps(self.GOOD))

    def test_what_is_no_message_is_refused(self) -> None:
        wrong: list[object] = [None, 1, "x", [], {}, self.GOOD | {"at": 1}, self.GOOD | {"to": "3"}]
        wrong += [{k: v for k, v in self.GOOD.items() if k != missing} for missing in self.GOOD]
        wrong += [self.GOOD | {"question": n} for n in (0, True, -1, 2**53, 1.0, "4", None)]
        wrong += [self.GOOD | {"keeps": None}, self.GOOD | {"type": "ELECTION"}, self.GOOD | {"type": "ELECTION", "keeps": "0"}]
        wrong += [self.GOOD | {"type": "RESIGN", "granted": g} for g in (
            None, {}, {"by": None, "epoch": 1, "question": 1}, {"by": "3", "epoch": 1, "question": 0}, {"by": "3", "epoch": -1, "question": 1})]
        wrong += [self.GOOD | {"granted": {"by": "3", "epoch": 5, "question": 1}}]
        wrong += [self.GOOD | {"epoch": e} for e in (True, -1, 2**53, 1.0, 1.5, "4", None, [4])]
        wrong += [self.GOOD | {"type": t} for t in ("claim", "HELLO", 4, None, ["CLAIM"])]
        wrong += [self.GOOD | {end: id} for end in ("from", "to") for id in (
            "0", "03", "+3", " 3", "3\n", "\u0663", "18446744073709551616", 3, None, ["3"], "",
            "1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED", "1b9d6bcd-bbfd-1b2d-9b5d-ab8dfbbd4bed",
            "1b9d6bcd-bbfd-4b2d-1b5d-ab8dfbbd4bed", "1b9d6bcdbbfd4b2d9b5dab8dfbbd4bed")]
        for value in wrong:
            with self.subTest(value=value), self.assertRaises(Malformed):
                Message.from_json(value)

    def test_an_unknown_type_does_not_cost_the_connection(self) -> None:
        with self.assertRaises(UnknownType):
            Message.from_json(self.GOOD | {"type": "HELLO"})

    def test_ids_are_compared_as_unsigned_bytes(self) -> None:
        ascending = ["3", "256", "18446744073709551615",
                     "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "f47ac10b-58cc-4372-a567-0e02b2c3d479"]
        self.assertEqual(sorted(ascending, key=rank), ascending)

    def test_a_fence_admits_no_lower_epoch(self) -> None:
        resource = Resource()
        self.assertTrue(resource.write(0, "a"))
        self.assertTrue(resource.write(4, "b"))
        self.assertTrue(resource.write(4, "c"))
        for epoch in (3, True, 4.0, 2**53, None):
            self.assertFalse(resource.write(epoch, "d"))
        self.assertEqual((resource.value, resource.highest), ("c", 4))


class Loop(unittest.TestCase):
    START = {"op": "start", "node": "a", "me": "2", "members": ["1", "2", "3"]}

    def talk(self, *requests: dict[str, object] | bytes, size: int = 1 << 16) -> list[dict[str, object]]:
        """The replies to the requests, which arrive in pieces of this size."""
        data = b"".join(q if isinstance(q, bytes) else json.dumps({"id": i} | q).encode() + b"\n"
                        for i, q in enumerate(requests))
        pieces = [data[at:at + size] for at in range(0, len(data), size)]
        written: list[bytes] = []
        serve(lambda: pieces.pop(0) if pieces else b"", written.append)
        return [json.loads(line) for line in b"".join(written).splitlines()]

    def test_each_request_has_one_reply(self) -> None:
        requests = [{"op": "hello"}, self.START, {"op": "end", "node": "a", "timer": "patience"}, {"op": "bye"}]
        for size in (1, 7, 1 << 16):
            replies = self.talk(*requests, size=size)
            self.assertEqual([r["id"] for r in replies], [0, 1, 2, 3])
            self.assertEqual(replies[1]["effects"], [{"save": {"epoch": 0, "grantee": None, "reserved": 1048576}}, {"arm": "patience"}])
            self.assertEqual(replies[2]["state"]["role"], "candidate")

    def test_a_node_of_changing_members_begins_with_a_configuration(self) -> None:
        def of(epoch: int, version: int, *kinds: str) -> dict[str, object]:
            return {"epoch": epoch, "version": version, "members": [{"id": str(i), "kind": k} for i, k in enumerate(kinds, 1)]}
        first, current, after = of(0, 1, "voter", "witness"), of(4, 2, "voter", "voter"), of(4, 3, "voter", "voter", "observer")
        leads = {"role": "leader", "leader": "1", "epoch": 4, "grantee": "1", "support": ["2"], "configuration": current,
                 "lease": 0, "asked": 0, "latest": 6, "dated": 4, "answered": [{"node": "2", "question": 4}]}
        change = {"op": "call", "node": "c", "call": "change", "configuration": after}
        replies = self.talk(
            {"op": "start", "node": "a", "me": "2", "configuration": first}, {"op": "start", "node": "b", "me": "9", "configuration": of(0, 0)},
            {"op": "restart", "node": "b", "me": "2", "promise": {"epoch": 4, "grantee": "9", "reserved": 1048576, "configuration": after}},
            {"op": "load", "node": "c", "me": "1", "state": leads}, change, {"op": "call", "node": "c", "call": "change"},
            self.START, change | {"node": "a"}, {"op": "start", "node": "e", "me": "3", "configuration": first})

        def sends(kind: str, me: str, question: int, *to: str) -> list[dict[str, object]]:
            return [{"send": {"type": kind, "from": me, "to": t, "epoch": 4, "question": question, "configuration": after}} for t in to]
        effects = [r.get("effects") for r in replies]
        self.assertEqual(effects[0], [{"save": {"epoch": 0, "grantee": None, "reserved": 1048576, "configuration": first}}, {"arm": "patience"}])
        self.assertEqual(effects[1], [{"save": {"epoch": 0, "grantee": None, "reserved": 1048576, "configuration": of(0, 0)}}], "it waits")
        self.assertEqual(effects[2], [{"save": {"epoch": 4, "grantee": "9", "reserved": 2097152, "configuration": after}},
                                      {"arm": "coordinator"}, *sends("IM_BACK", "2", 1048577, "1", "3")])
        self.assertEqual(replies[3], {"id": 3, "state": leads})
        self.assertEqual(effects[4], [{"save": {"epoch": 4, "grantee": "1", "reserved": 1048576, "configuration": after}}, {"arm": "heartbeat"},
                                      *sends("HEARTBEAT", "1", 7, "2", "3")])
        self.assertEqual(replies[5]["state"], leads | {"support": [], "latest": 7, "configuration": after})
        self.assertEqual(effects[6], [{"save": {"epoch": 0, "grantee": None, "reserved": 1048576}}, {"arm": "patience"}])
        for i, kind in ((5, "ignored"), (7, "ignored"), (8, "error")):
            self.assertIn(kind, replies[i])

    def test_nothing_is_answered_after_bye(self) -> None:
        self.assertEqual(len(self.talk({"op": "bye"}, {"op": "hello"})), 1)

    def test_a_reset_forgets_nodes_and_resources(self) -> None:
        write = {"op": "write", "resource": "r", "epoch": 3, "value": "x"}
        replies = self.talk(write, self.START, {"op": "reset"}, {"op": "read", "resource": "r"},
                            {"op": "end", "node": "a", "timer": "patience"})
        self.assertEqual(replies[0], {"id": 0, "admitted": True, "highest": 3})
        self.assertEqual(replies[3], {"id": 3, "value": "", "highest": 0})
        self.assertIn("error", replies[4])

    def test_bad_input_of_a_node_is_ignored(self) -> None:
        bad = [{"op": "receive", "node": "a", "message": m} for m in (None, [], {"type": "CLAIM"})]
        bad += [{"op": "end", "node": "a", "timer": "alarm"}, {"op": "end", "node": "a", "timer": "heartbeat"},
                {"op": "call", "node": "a", "call": "dance"}, {"op": "call", "node": "a", "call": "resign"}]
        first, *replies = self.talk(self.START, *bad)
        self.assertEqual(len(replies), len(bad))
        for reply in replies:
            self.assertIn("ignored", reply)
            self.assertEqual(reply["state"], first["state"])

    def test_a_line_may_hide_what_is_no_message(self) -> None:
        for epoch in (b"1" * 9999, b"-0", b"1.0", b"1,\"epoch\":1"):
            ok = b'{"type":"OK","from":"3","to":"2","question":1,"epoch":%s}' % epoch
            line = b'{"id":1,"op":"receive","node":"a","message":%s}\n' % ok
            self.assertIn("ignored", self.talk(self.START, line)[1])

    def test_wrong_requests_do_not_end_the_port(self) -> None:
        wrong = [b"x\n", b"\n", b"[]\n", b"\xff\n", b"[" * 9999 + b"\n", {"op": "start"}, self.START | {"me": "9"},
                 self.START | {"members": 3}, {"op": "end", "node": "b", "timer": "heartbeat"},
                 {"op": "read", "resource": []}, {"op": "write", "resource": "r", "epoch": -1, "value": "x"},
                 self.START | {"op": "restart", "promise": {"epoch": True, "grantee": None}},
                 self.START | {"op": "restart", "promise": {"epoch": 1, "grantee": "4"}},
                 self.START | {"op": "load", "state": {}}]
        *replies, last = self.talk(*wrong, {"op": "fly"})
        self.assertEqual(len(replies), len(wrong))
        for reply in replies:
            self.assertIn("error", reply)
        self.assertIn("unsupported", last)


if __name__ == "__main__":
    unittest.main()
