"""tla/Fencing.tla: the resource admits no epoch below the highest that it has admitted. For any number of nodes and writes.

The actions of the module are written down here a second time, once for all: with z3's terms they are proved to keep the
invariant, and with plain values (Plain) they are explored, and must reach the very states that TLC and the explorer reach."""
import hashlib
import itertools
import json
import pathlib

import z3
from z3 import And, ForAll, Implies, Not, Or

from executor import Bool, Id, Int

FUNCTIONS = {"leads": (Int, Id, Bool), "written": (Int, Id, Bool), "answered": (Int, Id, Int, Bool), "length": (Int,), "log_epoch": (Int, Int),
             "log_leader": (Int, Id), "admitted": (Int,)}
i, j = z3.Consts("i j", Id)
e, f, a, b = z3.Ints("e f a b")
WHO, EPOCH = z3.Const("act_i", Id), z3.Int("act_e")
BROKEN = ("AdmitsAny", "ForgetsFence", "LeadsLedEpoch")    # mutants of MCFencing: without one of these rules the proof must fail


class State:
    def __init__(self, before=None, **changed):
        for name, sorts in FUNCTIONS.items():
            if before is None:
                setattr(self, name, z3.Function(name, *sorts) if len(sorts) > 1 else z3.Const(name, sorts[0]))
            else:
                setattr(self, name, changed[name] if name in changed else getattr(before, name))


class Terms:
    """The words of the actions, of z3's terms."""
    both, either, choose = And, Or, staticmethod(z3.If)
    nodes = staticmethod(lambda p: ForAll([j], p(j)))
    epochs = staticmethod(lambda p: ForAll([e], p(e)))
    no, implies = Not, Implies


class Plain:
    """The same words, of plain values."""
    both, either = staticmethod(lambda *x: all(x)), staticmethod(lambda *x: any(x))
    choose = staticmethod(lambda c, x, y: x if c else y)
    nodes = staticmethod(lambda p: all(p(k) for k in (1, 2, 3)))
    epochs = staticmethod(lambda p: all(p(n) for n in range(5)))
    no, implies = staticmethod(lambda x: not x), staticmethod(lambda x, y: not x or y)


def actions(S, L, who, epoch, broken=None):
    """(name, guards, what changes) of each action, of node who and the reign of that epoch."""
    alone = L.nodes(lambda k: L.no(S.leads(epoch, k)))
    here = lambda n, k: L.both(n == epoch, k == who)
    yield "Lead", [epoch > 0, L.epochs(lambda n: L.implies(S.leads(n, who), n <= epoch))] + ([] if broken == "LeadsLedEpoch" else [alone]), dict(
        leads=lambda n, k: L.either(S.leads(n, k), here(n, k)))
    yield "Send", [S.leads(epoch, who)], dict(written=lambda n, k: L.either(S.written(n, k), here(n, k)))
    yield "Admit", [S.written(epoch, who)] + ([] if broken == "AdmitsAny" else [epoch >= S.admitted]), dict(
        admitted=epoch, length=S.length + 1, log_epoch=lambda x: L.choose(x == S.length + 1, epoch, S.log_epoch(x)),
        log_leader=lambda x: L.choose(x == S.length + 1, who, S.log_leader(x)))
    yield "Refuse", [S.written(epoch, who), epoch < S.admitted], dict(
        answered=lambda n, k, m: L.either(S.answered(n, k, m), L.both(here(n, k), m == S.admitted)))
    yield "Restart", [], dict(admitted=S.admitted * 0) if broken == "ForgetsFence" else {}


def invariant(S):
    inside = lambda a: And(1 <= a, a <= S.length)
    return {
        "Lengths": And(S.length >= 0, S.admitted >= 0, ForAll([e, i], Implies(S.leads(e, i), e > 0))),
        "OneLeaderPerEpoch": ForAll([e, i, j], Implies(And(S.leads(e, i), S.leads(e, j)), i == j)),
        "WritesAreOfReigns": ForAll([e, i], Implies(S.written(e, i), S.leads(e, i))),
        "LogIsOfReigns": ForAll([a], Implies(inside(a), And(S.leads(S.log_epoch(a), S.log_leader(a)), S.log_epoch(a) <= S.admitted))),
        "NoStaleWrite": ForAll([a, b], Implies(And(inside(a), inside(b), a < b), S.log_epoch(a) <= S.log_epoch(b))),
        "ReignsInOrder": ForAll([a, b], Implies(And(inside(a), inside(b), a < b), Or(
            S.log_epoch(a) < S.log_epoch(b), And(S.log_epoch(a) == S.log_epoch(b), S.log_leader(a) == S.log_leader(b))))),
        "AdmittedIsOfAReign": Or(S.admitted == 0, And(S.length > 0, S.log_epoch(S.length) == S.admitted)),
    }


def no_lockout(S):
    """A write of the highest reign is never refused."""
    return ForAll([e, i], Implies(And(S.leads(e, i), ForAll([f, j], Implies(S.leads(f, j), f <= e))), e >= S.admitted))


def prove(prover, broken=None):
    S = State()
    start = [S.length == 0, S.admitted == 0, ForAll([e, i], And(Not(S.leads(e, i)), Not(S.written(e, i))))]
    prover.holds("Init", start, invariant(S))
    known = list(invariant(S).values())
    prover.holds("", known, {"NoLockout": no_lockout(S)})
    for name, given, changed in actions(S, Terms, WHO, EPOCH, broken):
        T = State(S, **changed)
        for goal, formula in {**invariant(T), "AdmittedMonotonic": T.admitted >= S.admitted}.items():
            prover.holds(name, known + given, {goal: formula})


class Table:
    """A state of plain values, from what it is: sets of rows, and the log."""

    def __init__(self, leads=frozenset(), written=frozenset(), answered=frozenset(), admitted=0, log=()):
        self.key = leads, written, answered, admitted, log
        self.admitted, self.length = admitted, len(log)
        self.leads, self.written, self.answered = (lambda *row, s=s: row in s for s in (leads, written, answered))
        self.log_epoch, self.log_leader = (lambda x, n=n: log[x - 1][n] if 1 <= x <= len(log) else 0 for n in (0, 1))

    def after(self, changed, epochs):
        new, rows = State(self, **changed), {"leads": 2, "written": 2, "answered": 3}
        domains = [range(epochs + 1), (1, 2, 3), range(epochs + 1)]
        sets = [frozenset(row for row in itertools.product(*domains[:n]) if getattr(new, name)(*row)) if name in changed else old
                for (name, n), old in zip(rows.items(), self.key)]
        log = tuple((new.log_epoch(x), new.log_leader(x)) for x in range(1, new.length + 1))
        return Table(*sets, new.admitted, log)


    def line(self):
        """The state as tla/check/value writes it: the variables of Fencing.tla, of which models.json has a digest."""
        leads, written, answered, admitted, log = self.key
        reign = lambda e, k: f"[epoch |-> {e}, leader |-> {k}]"
        some = lambda rows: "{" + ", ".join(sorted(rows)) + "}"
        answers = some(f"[write |-> {reign(e, k)}, admitted |-> {a}]" for e, k, a in answered)
        return "  /\\  ".join((f"admitted = {admitted}", f"answers = {answers}", f"log = <<{', '.join(reign(*r) for r in log)}>>",
                              f"reigns = {some(reign(*r) for r in leads)}", f"writes = {some(reign(*r) for r in written)}"))


def explore(prover, epochs=3, most=4, name="models/Fencing", broken=None):
    """All states of three nodes, epochs and writes as in tla/models/Fencing.cfg: none less, none more, and no other than TLC has found."""
    models = json.loads((pathlib.Path(__file__).parents[1] / "models.json").read_text(encoding="utf-8"))
    expected = next((model["distinct"], model["states"]) for model in models if model["name"] == name)
    first = Table()
    seen, todo = {first.key: first.line()}, [first]
    while todo and len(seen) <= expected[0]:
        S = todo.pop()
        for who, epoch in itertools.product((1, 2, 3), range(1, epochs + 1)):
            for action, given, changed in actions(S, Plain, who, epoch, broken):
                if all(given) and not (action == "Admit" and S.length == most):
                    T = S.after(changed, epochs)
                    if T.key not in seen:
                        seen[T.key] = T.line()
                        todo.append(T)
    prover.asked += 1
    digest = hashlib.sha256("".join(line + "\n" for line in sorted(seen.values())).encode()).hexdigest()
    if (len(seen), f"sha256:{digest}") != expected:             # with a rule off: as soon as there is one more
        prover.failed.append((f"states of {name}", f"{len(seen)}, with sha256:{digest}; TLC has found {expected[0]}, with {expected[1]}"))
