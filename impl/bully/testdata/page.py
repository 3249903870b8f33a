"""Runs the code of spec/README.md, which is Python, on what another implementation has done, and says where the two differ.

    python3 page.py spec/README.md

A line of the input is one question, JSON as in traces:

    {"me": "2", "members": ["1", "2", "3"], "before": {...}, "input": {...}, "after": {...}, "sent": [...], "running": ["heartbeat"]}

"before" is null at a start, "after" is null where there was no step, and "running" are the timers that run after it. An input has
"message", "timer" or "call", and "configuration" if that is "change"; or it is {"start": configuration or null} or {"restart": true},
where "before" is the state of before the crash. The output is one object: how many blocks of code there are before section 18 and in it, how many
questions were asked, and the first that the page answers otherwise.
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
    def __init__(self, role, leader, epoch, grantee, support, conf=None):
        super().__init__(role=role, leader=leader, epoch=epoch, grantee=grantee, support=support, conf=conf)


class Message(Record):
    def __init__(self, type, sender, to, epoch, conf=None):
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


def state(s):
    return State(s["role"], node(s["leader"]), s["epoch"], node(s["grantee"]), {node(k) for k in s["support"]},
                 configuration(s.get("configuration")))


def message(m):
    return Message(m["type"], node(m["from"]), node(m["to"]), m["epoch"], configuration(m.get("configuration")))


class Page:
    """The functions of the page: those of section 8, and the same with what section 18 puts in their place."""

    def __init__(self, text):
        fixed, changing = ("\n".join(blocks) for blocks in sections(text))
        self.fixed = {"State": State, "Message": Message, "MAX_EPOCH": 2**53 - 1}
        exec(fixed, self.fixed)
        self.changing = dict(self.fixed, electors=lambda c: c.voters | c.witnesses, members=lambda c: set(c.entries),
                             at=lambda c, epoch, version: c.but(epoch=epoch, version=version),
                             entry=lambda c, k: c.entries.get(k), ascending=sorted, others=None)
        # A function looks its words up where it was made: so all of section 8 is made again.
        exec(fixed + changing + tables(fixed), self.changing)

    def answer(self, q):
        """The step, or None; and the timers that run after it."""
        before = q["before"] and state(q["before"])
        changes = (q["before"] or {}).get("configuration") is not None or q["input"].get("start") is not None
        words = self.changing if changes else self.fixed
        words["me"] = node(q["me"])
        if not changes:
            words["members"] = [node(k) for k in q["members"]]
            words["others"] = [k for k in words["members"] if k != words["me"]]
        step = self.step(words, before, q["input"])
        if step is not None:
            s, sent = step
            step = words["sealed"]((s, sent)) if changes else (s, sent)
        after = before if step is None else step[0]
        return step, words["timers"](after)

    def step(self, words, s, i):
        if "message" in i:
            return words["on_message"](s, message(i["message"]))
        if "timer" in i:
            return words["on_timer"](s, i["timer"])
        if "start" in i:
            return words["started"](*filter(None, [configuration(i["start"])]))
        if "restart" in i:
            return words["restarted"](words["survives"](s))
        if i["call"] == "resign":
            return words["on_resign"](s)
        if i["call"] == "holder-dead":
            return words["on_holder_dead"](s)
        return words["on_change"](s, configuration(i["configuration"])) if "on_change" in words else None


def sections(text):
    """The blocks of code up to section 8, and those of section 18."""
    eighteen = text.index("\n## 18. ")
    return [re.findall(r"```python\n(.*?)```", part, re.S) for part in (text[:eighteen], text[eighteen:])]


def tables(fixed):
    """HEARD and ENDED name functions: they are made after the last of these."""
    return re.search(r"HEARD = .*?\}\nENDED = .*?\}\n", fixed, re.S).group(0)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    page, asked, differs = Page(text), 0, []
    for line in sys.stdin:
        q = json.loads(line)
        asked += 1
        got, running = page.answer(q)
        want = q["after"] and (state(q["after"]), [message(m) for m in q["sent"]])
        if (got != want or running != set(q["running"])) and len(differs) < 3:
            differs.append(f"{line.strip()}\n  the page says {got}, and {sorted(running)} run")
    json.dump({"blocks": [len(blocks) for blocks in sections(text)], "asked": asked, "differs": differs}, sys.stdout)


main()
