"""What the proofs take as axioms about majorities, from counting: for any number of electors.

Two lists of electors have both nodes in common, x that are in the first alone, and y in the second alone. Two majorities
that share no node, of s and t nodes, would need room for both; and a node that is in both lists can be in one only."""
import itertools

import z3

both, x, y, s, t = z3.Ints("both x y s t")
DISJOINT = [both >= 0, x >= 0, y >= 0, s >= 0, t >= 0, 2 * s > both + x, 2 * t > both + y, s <= both + x, t <= both + y, s + t <= both + x + y]


def prove(prover):
    prover.holds("R3", DISJOINT, {"two majorities of one list share a node": z3.Not(z3.And(x == 0, y == 0))})
    prover.holds("R47", DISJOINT, {"so do majorities of two lists that differ in one elector": x + y > 1})
    prover.possible("not if they differ in two", DISJOINT + [x + y == 2])
    prover.possible("nor if half is enough", [2 * s >= both, 2 * t >= both, s + t <= both, both > 0, s >= 0, t >= 0])
    prover.holds("R3", [2 * s > both, both >= 0, s >= 0, s <= both], {"a majority is of somebody": z3.And(s > 0, both > 0)})
    small(prover)


def small(prover, most=6):
    """The same, of all majorities of up to six nodes, one by one: no axiom is false for one node, for two, or for an even number."""
    for electors in range(1, most + 1):
        quorums = [set(q) for size in range(electors + 1) for q in itertools.combinations(range(electors), size) if 2 * size > electors]
        fine = quorums and all(p & q for p in quorums for q in quorums)
        prover.asked += 1
        if not fine:
            prover.failed.append((f"majorities of {electors}", "two share no node"))
