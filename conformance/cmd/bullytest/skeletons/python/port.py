#!/usr/bin/env python3
"""A port, to begin with: it starts nodes (R32), gets R8 wrong, and can do nothing else.

    bullytest check -- python3 port.py

What a node does is in spec/README.md, section 8, and as one block of code in spec/code.md. What is read and written here
is in conformance/CERTIFYING.md.
"""

import json
import sys

MAX_EPOCH = 2**53 - 1


class Node:
    def __init__(self, me, members):
        self.me = me  # text; ids are compared as R1 says, and not as text: "10" is higher than "9"
        self.members = members
        self.role, self.leader, self.epoch, self.grantee, self.support = "follower", None, 0, None, []
        self.lease, self.asked, self.latest = 0, 0, 1  # numbers of questions (R50); a leader has dated and answered besides

    def state(self):
        return {"role": self.role, "leader": self.leader, "lease": self.lease, "epoch": self.epoch, "grantee": self.grantee,
                "support": self.support, "asked": self.asked, "latest": self.latest}  # support ascends by R1

    def start(self):
        # R32. The effects of a step, in the order of section 10: save, over, cancel and arm, send, tell.
        return [{"save": {"epoch": 0, "grantee": None, "reserved": 2**20}}, {"arm": "patience"}]

    def end(self, timer):
        if timer == "patience":
            # R8. Yours: this is wrong. The lease ends, the node becomes a candidate, ELECTION, with a new number, goes to all
            # others, one timer is cancelled and another armed (R36), and users are told if they know of no leader any more (R39).
            return []
        raise Unsupported(f"the timer {timer}: R9, R14, R15, R22, R26, R27")

    def receive(self, message):
        # R33 first: what is no message is ignored; then R34; then R10 to R31, by the type of the message.
        raise Unsupported("messages: R10 to R31")

    def call(self, call):
        raise Unsupported("calls: R28, R41")


class Unsupported(Exception):
    pass


nodes = {}


def answer(q):
    match q["op"]:
        case "hello":
            return {"port": {"name": "mine", "version": "0.1", "language": "Python"}, "protocol": 1, "features": []}
        case "reset":
            nodes.clear()
            return {"ok": True}
        case "crash":
            nodes.pop(q["node"], None)
            return {"ok": True}
        case "bye":
            return {"ok": True}
        case "start":
            nodes[q["node"]] = node = Node(q["me"], q["members"])
            return {"effects": node.start(), "state": node.state()}
        case "end":
            node = nodes[q["node"]]
            return {"effects": node.end(q["timer"]), "state": node.state()}
        # To come: restart (R30), load, receive, call. An input that is no step is answered with {"ignored": why, "state": …}.
    raise Unsupported(f"the op {q['op']}")


for line in sys.stdin:
    request = json.loads(line)
    try:
        reply = answer(request)
    except Unsupported as e:
        reply = {"unsupported": str(e)}
    print(json.dumps({"id": request["id"], **reply}), flush=True)
    if request["op"] == "bye":
        break
