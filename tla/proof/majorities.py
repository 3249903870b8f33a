"""What the proofs take as axioms about majorities, from counting: for any number of electors.

Two lists of electors have both nodes in common, x that are in the first alone, and y in the second alone. Two majorities
that share no node, of s and t nodes, would need room for both; and a node that is in both lists can be in one only."""
import itertools

import z3

import fixed
from finite import World

both, x, y, s, t = z3.Ints("both x y s t")
DISJOINT = [both >= 0, x >= 0, y >= 0, s >= 0, t >= 0, 2 * s > both + x, 2 * t > both + y, s <= both + x, t <= both + y, s + t <= both + x + y]


def prove(prover):
    prover.holds("R3", DISJOINT, {"two majorities of one list share a node": z3.Not(z3.And(x == 0, y == 0))})
    prover.holds("R47", DISJOINT, {"so do majorities of two lists that differ in one elector": x + y > 1})
    prover.possible("not if they differ in two", DISJOINT + [x + y == 2])
    prover.possible("nor if half is enough", [2 * s >= both, 2 * t >= both, s + t <= both, both > 0, s >= 0, t >= 0])
    prover.holds("R3", [2 * s > both, both >= 0, s >= 0, s <= both], {"a majority is of somebody": z3.And(s > 0, both > 0)})
    fixed_members(prover)
    changing_members(prover)


def majorities(electors):
    return [frozenset(q) for size in range(len(electors) + 1) for q in itertools.combinations(sorted(electors), size) if 2 * size > len(electors)]


def fixed_members(prover, most=8):
    """The axioms of fixed.py, formula by formula, for one node, two, and so on, where quorums are majorities: none is false for an even number."""
    for n in range(1, most + 1):
        quorums = majorities(range(1, n + 1))
        world = World({"Id": range(n + 1), "Quorum": quorums}, dict(
            none=0, the_members=0, voter=lambda k, m: k != 0, witness=set(), observer=set(), member=lambda k, q: k in q, share=lambda p, q: min(p & q, default=0)))
        for number, axiom in enumerate(fixed.axioms()):
            prover.asked += 1
            if not quorums or not world.holds(axiom):
                prover.failed.append((f"axiom {number} of fixed.py, {n} nodes", "false"))


def changing_members(prover, most=6):
    """What votes.py takes for granted, of all lists of up to six electors: nobody is no quorum; lists overlap that are the same, or differ in one."""
    lists = [frozenset(k for k in range(most) if bits >> k & 1) for bits in range(2 ** most)]
    of = {electors: majorities(electors) for electors in lists}
    near = lambda m: [m] + [m ^ {k} for k in range(most)]
    prover.asked += 2
    if of[frozenset()]:
        prover.failed.append(("votes.py: nobody", "is a quorum"))
    if not all(p & q for m in lists for n in near(m) for p in of[m] for q in of[n]):
        prover.failed.append(("votes.py: lists that differ in one", "have majorities that share no node"))
