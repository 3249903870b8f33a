"""Runs the code of spec/README.md, which is Python, on what another implementation has done, and says where the two differ.

    python3 page.py spec/README.md

A line of the input is one question, JSON as in traces:

    {"me": "2", "members": ["1", "2", "3"], "before": {...}, "input": {...}, "after": {...}, "sent": [...], "running": ["heartbeat"]}

"before" is null at a start, "after" is null where there was no step, and "running" are the timers that run after it. An input has
"message", "timer" or "call", and "configuration" if that is "change"; or it is {"start": configuration or null} or {"restart": true},
where "before" is the state of before the crash. With fixed members a state has no configuration. The output is one object: how many lines of code the page
has, how many questions were asked, and the first that the page answers otherwise.
"""

import json
import re
import sys


class Record:
    """What the page calls s.but and m.but."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def but(self, **fields):
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, **fields)
        return copy

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __repr__(self):
        return "{" + " ".join(f"{k}:{v}" for k, v in self.__dict__.items()) + "}"


class State(Record):
    def __init__(self, role, leader, epoch, grantee, support, conf):
        super().__init__(role=role, leader=leader, epoch=epoch, grantee=grantee, support=support, conf=conf)


class Message(Record):
    def __init__(self, type, sender, to, epoch, conf):
        super().__init__(type=type, sender=sender, to=to, epoch=epoch, conf=conf)


class Configuration(Record):
    pass


def node(text):
    """Ids compare as unsigned integers of 128 bits (R1)."""
    if text is None:
        return None
    return int(text.replace("-", ""), 16) if "-" in text else int(text)


def configuration(c):
    if c is None:
        return None
    entries = {node(m["id"]): (m["kind"], m.get("address", "")) for m in c["members"]}
    of_kind = {kind: {k for k, e in entries.items() if e[0] == kind} for kind in ("voter", "witness", "observer")}
    return Configuration(epoch=c["epoch"], version=c["version"], entries=entries,
                         voters=of_kind["voter"], witnesses=of_kind["witness"], observers=of_kind["observer"])


def of_voters(ids):
    """The configuration of fixed members (R40)."""
    return configuration({"epoch": 0, "version": 1, "members": [{"id": k, "kind": "voter"} for k in ids]})


def state(s, fixed):
    return State(s["role"], node(s["leader"]), s["epoch"], node(s["grantee"]), {node(k) for k in s["support"]},
                 fixed or configuration(s["configuration"]))


def message(m):
    return Message(m["type"], node(m["from"]), node(m["to"]), m["epoch"], configuration(m.get("configuration")))


class Page:
    """The functions of the page."""

    def __init__(self, text):
        self.code, = re.findall(r"```python\n(.*?)```", text, re.S)
        self.words = {"State": State, "Message": Message, "entry": lambda c, k: c.entries.get(k), "ascending": sorted}
        exec(self.code, self.words)

    def answers(self, q):
        """The step, or None, and the timers that run after it: what the page says, and what was done."""
        first = q["input"].get("start")
        changes = first is not None or (q["before"] or {}).get("configuration") is not None
        fixed = None if changes else of_voters(q["members"])
        self.words.update(me=node(q["me"]), fixed=not changes)
        before = q["before"] and state(q["before"], fixed)
        step = self.step(before, q["input"], fixed or configuration(first))
        done = q["after"] and (state(q["after"], fixed), [message(m) for m in q["sent"]])
        return (step, self.words["timers"](step[0] if step else before)), (done, set(q["running"]))

    def step(self, s, i, first):
        words = self.words
        if "message" in i:
            return words["on_message"](s, message(i["message"]))
        if "timer" in i:
            return words["on_timer"](s, i["timer"])
        if "start" in i:
            return words["on_start"](first)
        if "restart" in i:
            return words["on_restart"](s)
        if i["call"] == "resign":
            return words["on_resign"](s)
        if i["call"] == "holder-dead":
            return words["on_holder_dead"](s)
        return words["on_change"](s, configuration(i["configuration"]))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        page = Page(file.read())
    asked, differs = 0, []
    for line in sys.stdin:
        q = json.loads(line)
        asked += 1
        says, done = page.answers(q)
        if says != done and len(differs) < 3:
            differs.append(f"{line.strip()}\n  the page says {says[0]}, and {sorted(says[1])} run")
    json.dump({"lines": page.code.count("\n"), "asked": asked, "differs": differs}, sys.stdout)


main()
