"""Runs the code of spec/code.md, which is Python, on what another implementation has done, and says where the two differ.

    python3 page.py spec/code.md spec/table.md

A line of the input is one question, JSON as in traces:

    {"me": "2", "members": ["1", "2", "3"], "before": {...}, "input": {...}, "after": {...}, "sent": [...], "running": ["patience"]}

"before" is null at a start, "after" is null where there was no step, and "running" are the timers that run after it. An input has
"message", "timer" or "call", and "configuration" if that is "change", or "names" if it is a "resign" that names a node; or it is {"start": configuration or null} or {"restart": true},
where "before" is the state of before the crash. With fixed members a state has no configuration. Each is put to the code of the first page, and to the
decision table of the second. The output is one object: how many lines of code there are, how many questions were asked, the first that the
pages answer otherwise, and the rows of the table that none came to.
"""

import json
import re
import sys

from table import Table


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
    pass


class Message(Record):
    def __init__(self, type, sender, to, epoch, question, keeps, granted, names, conf):
        super().__init__(type=type, sender=sender, to=to, epoch=epoch, question=question, keeps=keeps, granted=granted, names=names, conf=conf)


class Granted(Record):
    pass


class Configuration(Record):
    def height(self, k):
        """By what nodes are compared (R1)."""
        return self.entries.get(k, (None, 0))[1], k


def node(text):
    """Ids compare as unsigned integers of 128 bits (R1)."""
    if text is None:
        return None
    return int(text.replace("-", ""), 16) if "-" in text else int(text)


def configuration(c):
    if c is None:
        return None
    entries = {node(m["id"]): (m["kind"], m.get("rank", 0), m.get("address", "")) for m in c["members"]}
    of_kind = {kind: {k for k, e in entries.items() if e[0] == kind} for kind in ("voter", "witness", "observer")}
    return Configuration(epoch=c["epoch"], version=c["version"], entries=entries,
                         voters=of_kind["voter"], witnesses=of_kind["witness"], observers=of_kind["observer"])


def of_voters(ids):
    """The configuration of fixed members (R40)."""
    return configuration({"epoch": 0, "version": 1, "members": [{"id": k, "kind": "voter"} for k in ids]})


def state(s, fixed):
    return State(role=s["role"], leader=node(s["leader"]), lease=s["lease"], epoch=s["epoch"], grantee=node(s["grantee"]),
                 support={node(k) for k in s["support"]}, asked=s["asked"], latest=s["latest"], dated=s.get("dated", 0),
                 answered={node(a["node"]): a["question"] for a in s.get("answered", [])}, conf=fixed or configuration(s["configuration"]))


def message(m):
    granted = m.get("granted") and Granted(by=node(m["granted"]["by"]), epoch=m["granted"]["epoch"], question=m["granted"]["question"])
    return Message(m["type"], node(m["from"]), node(m["to"]), m["epoch"], m["question"], node(m.get("keeps")), granted,
                   node(m.get("names")), configuration(m.get("configuration")))


class Page:
    """The functions of the page, and the table beside it."""

    def __init__(self, text, table):
        self.code, = re.findall(r"```python\n(.*?)```", text, re.S)
        self.words = {"State": State, "Message": Message, "Granted": Granted, "entry": lambda c, k: c.entries.get(k),
                      "higher": lambda k, l, c: c.height(k) > c.height(l), "highest": lambda nodes, c: max(nodes, key=c.height), "ascending": sorted}
        exec(self.code, self.words)
        self.table = Table(table, self.words)

    def differs(self, q):
        """Who of the two answers otherwise than what was done, and what."""
        first = q["input"].get("start")
        changes = first is not None or (q["before"] or {}).get("configuration") is not None
        fixed = None if changes else of_voters(q["members"])
        self.words.update(me=node(q["me"]), fixed=not changes)
        before, first = q["before"] and state(q["before"], fixed), fixed or configuration(first)
        done = q["after"] and (state(q["after"], fixed), [message(m) for m in q["sent"]])
        step = self.step(before, q["input"], first)
        running = self.words["timers"](step[0] if step else before)
        if step != done or running != set(q["running"]):
            return f"the code says {step}, and {sorted(running)} run"
        if step is None and ("message" in q["input"] or "timer" in q["input"]):
            return None  # R34 and R35 are not of the table
        row = self.row(before, q["input"], first)
        return None if row == done else f"the table says {row}"

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
            return words["on_resign"](s, node(i.get("names")))
        if i["call"] == "holder-dead":
            return words["on_holder_dead"](s)
        return words["on_change"](s, configuration(i["configuration"]))

    def row(self, s, i, first):
        if "message" in i:
            return self.table.on_message(s, message(i["message"]))
        if "start" in i:
            none = State(role="follower", leader=None, lease=0, epoch=0, grantee=None, support=set(), asked=0, latest=0, dated=0,
                         answered={}, conf=first)
            return self.table.on_input(none, "start")
        return self.table.on_input(s, i.get("timer") or i.get("call") or "restart", configuration(i.get("configuration")), node(i.get("names")))


def main():
    texts = []
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            texts.append(file.read())
    page, asked, differs = Page(*texts), 0, []
    for line in sys.stdin:
        asked += 1
        problem = page.differs(json.loads(line))
        if problem and len(differs) < 20:
            differs.append(f"{line.strip()}\n  {problem}")
    json.dump({"lines": page.code.count("\n"), "asked": asked, "differs": differs, "unused": page.table.unused()}, sys.stdout)


main()
