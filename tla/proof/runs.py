"""The page's code, run with plain values: one to four nodes, anything may happen, and in states that are reached the invariants
of fixed.py hold. So each action is seen to start from a state of the invariant, and the hypotheses of no proof contradict
each other. The history is kept as fixed.Next says, and time as fixed.timely does."""
import random

import fixed
import text
from finite import World
from majorities import majorities
from values import Granted, Message, Record, State

RELATIONS = {"CLAIM": "claim", "GRANT": "grant", "COORDINATOR": "reign", "HEARTBEAT": "reign", "ACK": "ack"}


class Members(Record):
    FIELDS = ("epoch", "version", "voters", "witnesses", "observers")


def page(me):
    """The page's code as node me runs it."""
    names = dict(me=me, fixed=True, State=State, Message=Message, Granted=Granted, ascending=sorted,
                 higher=lambda k, l, c: k > l, highest=lambda nodes, c: max(nodes))
    exec(compile(text.code(), str(text.CODE), "exec"), names)
    return names


class Run:
    def __init__(self, seed, nodes=3):
        self.nodes = tuple(range(1, nodes + 1))
        self.quorums = tuple(map(frozenset, majorities(self.nodes)))
        self.random, self.code = random.Random(seed), {k: page(k) for k in self.nodes}
        everybody = Members(epoch=0, version=1, voters=set(self.nodes), witnesses=set(), observers=set())
        self.state = {k: self.code[1]["on_start"](everybody)[0] for k in (0, *self.nodes)}      # 0 is none: as a node that never takes a step
        self.up, self.sent, self.seen = set(self.nodes), [], set()
        self.winner, self.won_with, self.won_by, self.overtakers, self.dated_by = {}, {}, {}, {}, dict.fromkeys(self.nodes, self.quorums[0])
        self.expired, self.dead = dict.fromkeys(self.nodes, 0), dict.fromkeys(self.nodes, 0)

    def answers(self, k):
        return [(m.to, m.question) for m in self.sent if m.sender == k and m.type in ("GRANT", "ACK")]

    def step(self):
        """Something happens. Returns what."""
        choose, k = self.random.choice, self.random.choice(self.nodes)
        code, s = self.code[k], self.state[k]
        if k not in self.up:
            return self.take("Restart", k, code["on_restart"](s))
        what = choose(["message"] * 40 + sorted(code["timers"](s)) * 3 + ["on_resign", "on_holder_dead", "crash"] + ["expire"] * 6)
        if what == "expire":
            self.expired[k] = choose((s.latest, max(self.expired[k], s.latest - 2)))
            return "Expire"
        if what == "crash":
            self.dead[k] = s.latest
            self.up.discard(k)
            self.state[k] = code["survives"](s)
            return "Crash"
        if what == "message":
            m = choose((self.sent if choose((True, False, False)) else self.sent[-8:]) or [None])
            if m is None or m.sender == k or RELATIONS.get(m.type) in ("grant", "ack") and m.to != k:
                return None
            what = self.take("On" + m.type, k, code["on_message"](s, m.but(to=k)))
            heeded = m.names and (code["has_ended"](s, m) if m.type == "CLAIM" else m.names == k and self.state[k].role == "claimant" != s.role)
            return what and what + (" by name" if heeded else "")
        if what in ("patience", "coordinator") and s.leader is not None and any(n > self.expired[l] for l, n in self.answers(k)):
            return None
        if what == "on_holder_dead" and s.leader not in (None, k) and s.lease > self.dead[s.leader]:
            return None
        if what == "on_resign":
            return self.take(what, k, code[what](s, choose((None, *self.nodes))))
        return self.take(what, k, code["on_timer"](s, what) if not what.startswith("on_") else code[what](s))

    def take(self, what, k, step):
        if step is None:
            return None
        was, (s, sent) = self.state[k], step
        self.state[k], self.sent = s, self.sent + [m for m in sent if str(vars(m)) not in self.seen]
        self.seen |= {str(vars(m)) for m in sent}
        self.up.add(k)
        if s.role == "leader" and was.role != "leader":
            assert s.epoch not in self.winner, "two leaders in one epoch"
            quorum = frozenset(s.answered) | {k}
            self.winner[s.epoch], self.won_with[s.epoch], self.won_by[s.epoch], self.dated_by[k] = k, s.dated, quorum, quorum
            for e in range(s.epoch):
                self.overtakers.setdefault(e, quorum)
        elif s.role == "leader" and s.dated != was.dated:
            self.dated_by[k] = frozenset(j for j in self.nodes if j == k or s.answered.get(j, 0) >= s.dated)
        return what

    def world(self):
        """What the formulas of fixed.py are about, in this state."""
        tables = {name: (lambda k, name=name: getattr(self.state[k], name) or 0)
                  for name in ("role", "lease", "epoch", "asked", "latest", "dated", "leader", "grantee")}
        sent = {name: set() for name in ("claim", "grant", "reign", "ack", "free", "passed", "handed", "named")}
        for m in self.sent:
            name = RELATIONS.get(m.type)
            if name:
                sent[name].add((m.sender, m.to, m.epoch, m.question) if name in ("grant", "ack") else (m.sender, m.epoch, m.question))
            elif m.type in ("ELECTION", "RESIGN", "IM_BACK"):
                sent["free"].add((m.sender, m.question))
            if m.names:
                sent["handed" if m.type == "RESIGN" else "named"].add((m.sender if m.type == "RESIGN" else m.names, m.epoch))
            if m.granted:
                sent["passed"].add((m.granted.by, m.granted.epoch, m.granted.question))
        tables.update(sent, none=0, the_members=0, voter=lambda k, m: k != 0, witness=set(), observer=set(),
                      share=lambda p, q: min(p & q), member=lambda k, q: k in q, up={(k,) for k in self.up},
                      support={(k, j) for k in self.nodes for j in self.state[k].support}, has_answered={(k, j) for k in self.nodes for j in self.state[k].answered},
                      answered=lambda k, j: self.state[k].answered.get(j, 0), winner=lambda e: self.winner.get(e, 0),
                      won_with=lambda e: self.won_with.get(e, 0), won_by=lambda e: self.won_by.get(e, self.quorums[0]),
                      overtaken={(e,) for e in range(max(self.winner, default=0))}, overtakers=lambda e: self.overtakers.get(e, self.quorums[0]),
                      dated_by=lambda k: self.dated_by.get(k, self.quorums[0]), expired=lambda k: self.expired.get(k, 0), dead=lambda k: self.dead.get(k, 0))
        numbers = sorted({0} | {n for row in sent["claim"] | sent["reign"] for n in row[1:]} | {s.epoch for s in self.state.values()})
        return World({"Id": (0, *self.nodes), "Int": numbers, "Quorum": self.quorums}, tables)


def run(prover, seed, parts, nodes=3, steps=500, every=40):
    """One run: its states satisfy the invariant. Returns what has happened in it."""
    run, taken = Run(seed, nodes), {}
    for number in range(steps):
        what = run.step()
        if what is None:
            continue
        taken[what] = taken.get(what, 0) + 1
        if number % every and taken[what] > 1:
            continue
        world = run.world()
        for name, formula in parts.items():
            prover.asked += 1
            if not world.holds(formula):
                prover.failed.append((f"run {seed} of {nodes} nodes, step {number}, {what}: {name}", "false"))
                return taken
    return taken


def prove(prover, seeds=(1, 3, 4)):
    """Runs in which every action is taken, and some node leads after another."""
    S, code = fixed.Before(fixed.GHOSTS), page(1)
    parts = {**fixed.promises(S), **fixed.leases(S), "OneActing": fixed.one_acting(S), **{f"axiom {n}": a for n, a in enumerate(fixed.axioms())}}
    taken = set().union(*[run(prover, seed, parts) for seed in seeds])
    for nodes, seed in ((1, 1), (2, 12), (4, 4)):           # no axiom is false of one node, of two, of an even number
        if "heartbeat" not in run(prover, seed, parts, nodes):
            prover.failed.append((f"run of {nodes} nodes", "nobody leads"))
    taken |= {what.removesuffix(" by name") for what in taken}
    missing = {"On" + type for type in code["HEARD"]} | {"OnRESIGN by name"} | set(code["ENDED"]) | {"on_resign", "on_holder_dead", "Crash", "Restart", "Expire"}
    if missing - taken:
        prover.failed.append(("runs", f"never taken: {sorted(missing - taken)}"))
