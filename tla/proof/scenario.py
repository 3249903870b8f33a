"""votes.py with plain values: a run of three nodes in which every action is taken, two epochs are won, and the members change.
In each state the invariant holds, and each action's guard: so no hypotheses of its proof contradict each other."""
import itertools

import z3

import votes
from finite import World
from votes import ACTOR, EPOCH, FUNCTIONS, LIST, NEW, OTHER, QUORUM, Votes

NODES, TWO, THREE = (0, 1, 2, 3), frozenset({1, 2}), frozenset({1, 2, 3})
LISTS = (frozenset(), TWO, THREE)
QUORUMS = tuple(frozenset(q) for size in (1, 2, 3) for q in itertools.combinations((1, 2, 3), size))
DOMAINS = {"Id": NODES, "Int": (0, 1, 2, 3), "Members": LISTS, "Quorum": QUORUMS, "Bool": (False, True),
           "Configuration": tuple(itertools.product((0, 1, 2), (0, 1, 2), LISTS))}
RUN = [("Grant", {ACTOR: 1, OTHER: 2, EPOCH: 1}), ("Win", {ACTOR: 2, QUORUM: TWO}), ("Adopt", {ACTOR: 1, NEW: (1, 1, TWO)}), ("Hold", {ACTOR: 1}),
       ("Change", {ACTOR: 2, LIST: THREE, QUORUM: TWO}), ("Adopt", {ACTOR: 3, NEW: (1, 2, THREE)}), ("Hold", {ACTOR: 3}), ("Stop", {ACTOR: 2}),
       ("Learn", {ACTOR: 1, EPOCH: 2, OTHER: 0}), ("Grant", {ACTOR: 2, OTHER: 3, EPOCH: 2}), ("Win", {ACTOR: 3, QUORUM: frozenset({2, 3})}),
       ("Learn", {ACTOR: 1, EPOCH: 2, OTHER: 3}), ("Adopt", {ACTOR: 1, NEW: (2, 2, THREE)})]


def majority(q, electors):
    return q <= electors and 2 * len(q) > len(electors)


def fixed_tables():
    overlap = lambda m, n: all(p & q for p in QUORUMS if majority(p, m) for q in QUORUMS if majority(q, n))
    return dict(none=0, nobody=LISTS[0], first_members=TWO, member=lambda k, q: k in q, quorum_of=majority, overlap=overlap,
                near=lambda m, n: len(m ^ n) <= 1, share=lambda p, q: min(p & q, default=0), configuration=lambda e, v, m: (e, v, m),
                conf_epoch=lambda c: c[0], conf_version=lambda c: c[1], conf_members=lambda c: c[2])


def rows(name):
    return itertools.product(*[DOMAINS[sort.name()] for sort in FUNCTIONS[name][:-1]])


def table(name, value):
    """A function as a table; what is true or false as the set of what is true."""
    found = {row: value(row) for row in rows(name)}
    if FUNCTIONS[name][-1] == votes.Bool:
        return {row for row, true in found.items() if true}
    return lambda *row: found[row]


def begin():
    first = {k: (0, 1, TWO) if k in TWO else (0, 0, LISTS[0]) for k in NODES}
    start = dict(epoch=lambda row: 0, grantee=lambda row: 0, conf=lambda row: first[row[0]], made=lambda row: row[0] in first.values(), winner=lambda row: 0,
                 passed=lambda row: first[row[0]], voted=lambda row: 0, won_in=lambda row: first[0], won_by=lambda row: TWO, settled_by=lambda row: TWO)
    return {name: table(name, start.get(name, lambda row: False)) for name in FUNCTIONS}


def after(tables, S, action, values):
    """The tables after an action; the guard must be true."""
    given, changed = votes.ACTIONS[action](S)
    world = World(DOMAINS, {**tables, **fixed_tables(), **{x.decl().name(): value for x, value in values.items()}})
    if not all(world.holds(g) for g in given):
        return None
    new = dict(tables)
    for name, formula in changed.items():
        cells = [z3.Const(f"argument_{n}", sort) for n, sort in enumerate(FUNCTIONS[name][:-1])]
        row = [None]
        world.tables.update({cell.decl().name(): lambda n=n: row[0][n] for n, cell in enumerate(cells)})
        value = World(DOMAINS, world.tables).value(formula(*cells))

        def at(of, value=value, row=row):
            row[0] = of
            return value(())
        new[name] = table(name, at)
    return new


def prove(prover):
    S, tables = Votes(), begin()
    parts = {**votes.invariant(S), **{f"axiom {n}": a for n, a in enumerate(votes.axioms())}}
    for number, (action, values) in enumerate([(None, None)] + RUN):
        if action:
            tables = after(tables, S, action, values)
            if tables is None:
                prover.failed.append((f"scenario {number} {action}", "cannot be taken"))
                return
        world = World(DOMAINS, {**tables, **fixed_tables()})
        for name, formula in parts.items():
            prover.asked += 1
            if not world.holds(formula):
                prover.failed.append((f"scenario {number} {action}: {name}", "false"))
    if {action for action, _ in RUN} != set(votes.ACTIONS):
        prover.failed.append(("scenario", "takes not every action"))
