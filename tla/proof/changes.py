"""The proof of votes.py: lemmas in the order in which they are proved, and what each step rests on.

Two actions are work. A Win must show that nobody has won the epoch before, and that what it stamps overlaps, or is shut off
from, all that was ever made. A Change must show that whoever won a later epoch did so with what is being changed, or with
what can be settled no more. Each lemma may use those before it. BY says what of the invariant a step needs, beside itself."""
import z3
from z3 import And, Exists, ForAll, If, Implies, Not, Or

import votes
from votes import ACTOR, LEAST, LIST, QUORUM, Votes, ce, cm, conf_of, cv, hopeless, newer, none, overlap, upto, won
from votes import c, d, e, f, i, j, q, x, y

BASIC = ["EpochsAreNatural", "PassedIsNow", "PassedIsPast", "ReignIsKept", "ConfigurationIsPromised", "HeldIsMade", "LeaderIsStamped"]


def passed_over(S):
    """Who won was not passed over: no configuration newer than the winner's, and sharing a node with it, was settled in an epoch before."""
    return ForAll([e, x], Implies(And(S.winner(e) != none, S.settled(x), ce(x) < e, overlap(cm(S.won_in(e)), cm(x))), upto(x, S.won_in(e))))


def cases(S, T, new, body):
    """Successors after a Win, case by case: two that were made before; one before and the new one; the new one and one of a later epoch."""
    e0 = ce(new)
    return {
        "OthersSucceed": (ForAll([c, x], Implies(And(S.made(c), S.made(x), ce(x) > ce(c)), body(c, x))), ["Successors", "HopelessStays", "Fresh"]),
        "ThisSucceeds": (ForAll([c], Implies(And(S.made(c), ce(c) < e0), body(c, new))),
                         ["OthersSucceed", "HopelessIfOlder", "OneConfiguration", "ConfigurationIsPromised", "HeldIsMade"]),
        "LaterSucceed": (ForAll([x], Implies(And(S.made(x), ce(x) > e0), body(new, x))), ["HopelessIfLate"]),
    }


def of_win(S, T):
    e0, c0 = S.epoch(ACTOR) + 1, S.conf(ACTOR)
    new = conf_of(e0, cv(c0), cm(c0))
    later = lambda body: ForAll([e], Implies(And(S.winner(e) != none, e > e0), body))
    return {
        "NotPassedOver": (passed_over(S), ["Won", "WonByVotes", "SettledByQuorum", "Settled"]),
        "ThisNeither": (ForAll([x], Implies(And(S.settled(x), ce(x) < e0, overlap(cm(c0), cm(x))), upto(x, c0))),
                        ["Granted", "SettledByQuorum", "Settled", "PassedIsNow"]),
        "RivalIsElsewhere": (Implies(S.winner(e0) != none, Not(overlap(cm(c0), cm(S.won_in(e0))))), ["Granted", "Won", "WonByVotes", "ReignIsKept"]),
        "OverlapsOrSettled": (ForAll([x], Implies(And(S.made(x), ce(x) < e0), Or(overlap(cm(x), cm(c0)), And(newer(c0, x), Exists([y], And(
            S.settled(y), newer(y, x), upto(y, c0), overlap(cm(x), cm(y)))))))),
            ["ThisNeither", "Overlaps", "OneConfiguration", "HeldIsMade", "SettledByQuorum", "ConfigurationIsPromised"]),
        "Refines": (S.winner(e0) == none, ["NotPassedOver", "RivalIsElsewhere", "OverlapsOrSettled", "Won", "ConfigurationIsPromised", "HeldIsMade"]),
        "Fresh": (ForAll([c], Implies(S.made(c), ce(c) != e0)), ["MadeByWinners", "Refines"]),
        "LeastWon": (later(And(LEAST <= e, ce(S.won_in(LEAST)) < e0, newer(new, S.won_in(LEAST)), S.winner(LEAST) != none)), ["Won", "MadeByWinners", "Fresh", "ConfigurationIsPromised", "HeldIsMade"]),
        "LeastOverlaps": (later(overlap(cm(S.won_in(LEAST)), cm(c0))), ["LeastWon", "OverlapsOrSettled", "NotPassedOver", "Won", "ConfigurationIsPromised"]),
        "HopelessBelowLeast": (later(hopeless(T, new, q, j)), ["LeastWon", "LeastOverlaps", "Won", "WonByVotes", "PassedRises"]),
        "HopelessIfLate": (ForAll([x], Implies(And(S.made(x), ce(x) > e0), hopeless(T, new, q, j))), ["MadeByWinners", "HopelessBelowLeast"]),
        "HopelessIfOlder": (ForAll([c], Implies(And(S.made(c), ce(c) < e0, newer(c, c0)), hopeless(T, c, q, j))),
                            ["Overlaps", "ThisNeither", "Granted", "PassedRises", "PassedIsPast", "ConfigurationIsPromised", "HeldIsMade"]),
        "HopelessStays": (ForAll([c], Implies(hopeless(S, c, q, j), hopeless(T, c, q, j))), []),
        **cases(S, T, new, lambda c, x: votes.successor(T, c, x)),
    }


def of_change(S, T):
    c0, e0 = S.conf(ACTOR), S.epoch(ACTOR)
    new = conf_of(e0, cv(c0) + 1, LIST)
    later = lambda body: ForAll([e], Implies(And(S.winner(e) != none, e > e0), body))
    return {
        "NotPassedOver": (passed_over(S), ["Won", "WonByVotes", "SettledByQuorum", "Settled"]),
        "QuorumHolds": (ForAll([j, e], Implies(And(votes.member(j, QUORUM), e > e0), upto(c0, S.passed(j, e)))), ["Held", "PassedIsNow", "LeaderIsStamped"]),
        "LaterIfOverlaps": (later(Implies(overlap(cm(S.won_in(e)), cm(c0)), upto(c0, S.won_in(e)))), ["QuorumHolds", "Won", "WonByVotes"]),
        "LaterOrOverlaps": (later(Or(overlap(cm(S.won_in(e)), cm(c0)), upto(c0, S.won_in(e)))),
                            ["Overlaps", "NotPassedOver", "Won", "LeaderIsStamped", "HeldIsMade"]),
        "LaterIsNewer": (later(upto(c0, S.won_in(e))), ["LaterIfOverlaps", "LaterOrOverlaps"]),
        "LaterSucceeds": (ForAll([x], Implies(And(S.made(x), ce(x) > e0), Or(cm(x) == cm(c0), Exists([y], And(
            S.settled(y), ce(y) > e0, upto(y, x), cm(y) == cm(c0)))))), ["Successors", "QuorumHolds", "LeaderHasNewest", "LeaderIsStamped", "HeldIsMade"]),
        "LeastWon": (later(And(LEAST <= e, S.won_in(LEAST) == c0, S.winner(LEAST) != none)),
                     ["Won", "MadeByWinners", "LaterIsNewer", "LeaderHasNewest", "LeaderIsStamped", "OneConfiguration", "HeldIsMade"]),
        "HopelessBelowLeast": (later(hopeless(T, new, q, j)), ["LeastWon", "Won", "WonByVotes", "PassedRises", "LeaderIsStamped"]),
        "HopelessIfLate": (ForAll([x], Implies(And(S.made(x), ce(x) > e0), hopeless(T, new, q, j))), ["MadeByWinners", "HopelessBelowLeast"]),
    }


LEMMAS = {"Win": of_win, "Change": of_change}
BY = {
    ("Win", "WonByVotes"): ["Granted", "Refines"], ("Win", "Won"): ["Granted", "Refines"], ("Win", "WonFirst"): ["MadeByWinners", "Refines", "Fresh"],
    ("Win", "MadeByWinners"): ["Refines"], ("Win", "OneConfiguration"): ["Fresh"], ("Win", "LeaderHasNewest"): ["Fresh", "Refines"],
    ("Win", "LeaderIsStamped"): ["Refines"], ("Win", "Granted"): ["PassedRises"], ("Win", "Held"): ["HeldIsPast", "ConfigurationIsPromised"], ("Change", "Held"): ["HeldIsPast", "LeaderIsStamped"], ("Win", "ReignIsKept"): ["Refines"],
    ("Win", "Overlaps"): ["Fresh", "ThisNeither", "OverlapsOrSettled", "OneConfiguration", "SettledByQuorum", "ConfigurationIsPromised", "HeldIsMade"],
    ("Change", "OneConfiguration"): ["LeaderHasNewest"], ("Change", "LeaderHasNewest"): ["LeaderIsStamped"], ("Change", "Settled"): ["QuorumHolds"],
    ("Change", "Overlaps"): ["LeaderHasNewest", "LeaderIsStamped", "OneConfiguration", "LaterSucceeds", "HeldIsMade"],
    ("Change", "Successors"): ["LeaderIsStamped", "HopelessIfLate", "HeldIsMade"],
    ("Win", "Successors"): [f"{case}, of any relation" for case in ("OthersSucceed", "ThisSucceeds", "LaterSucceed")],
    ("Grant", "Held"): ["HeldIsPast"], ("Adopt", "Granted"): ["PassedRises"], ("Adopt", "Held"): ["HeldIsPast"], ("Learn", "Held"): ["HeldIsPast"], ("Win", "HeldIsPast"): ["ConfigurationIsPromised"], ("Change", "HeldIsPast"): ["LeaderIsStamped"], ("Adopt", "Settled"): ["PassedIsPast"],
}


def together(S, T, known):
    """The three cases are all. Whatever it is that they say: so it may be any relation here, which is less to think about."""
    any_ = z3.Function("any_relation", votes.Configuration, votes.Configuration, votes.Bool)
    e0, c0 = S.epoch(ACTOR) + 1, S.conf(ACTOR)
    three = cases(S, T, conf_of(e0, cv(c0), cm(c0)), any_)
    known.update({f"{name}, of any relation": lemma for name, (lemma, _) in three.items()})
    return ForAll([c, x], Implies(And(T.made(c), T.made(x), ce(x) > ce(c)), any_(c, x)))


def prove(prover, action):
    """One action keeps each conjunct."""
    S = Votes()
    given, changed = votes.ACTIONS[action](S)
    T, pre = Votes(S, **changed), votes.invariant(S)
    given = votes.axioms() + given
    if action in LEMMAS:
        e0 = S.epoch(ACTOR) + (1 if action == "Win" else 0)
        given += [S.passed(ACTOR, e0 if action == "Win" else e0 + 1) == S.conf(ACTOR), votes.least_above(S, e0, LEAST)]   # an instance of PassedIsNow
    known = dict(pre)
    for name, (lemma, by) in (LEMMAS[action](S, T) if action in LEMMAS else {}).items():
        prover.step(f"{action} {name}", given, known, lemma, [by, by + BASIC])
        known[name] = lemma
    goals = votes.invariant(T)
    goals["EpochMonotonic"] = ForAll([i], T.epoch(i) >= S.epoch(i))
    goals["ConfigurationMonotonic"] = ForAll([i], Or(T.conf(i) == S.conf(i), newer(T.conf(i), S.conf(i))))
    for name, goal in goals.items():
        if (action, name) == ("Win", "Successors"):
            goal = together(S, T, known)
        own = [name] if name in pre else []
        by = BY.get((action, name), [])
        prover.step(f"{action} {name}", given, known, goal, [own + by, own + by + BASIC])


def prove_initial(prover):
    S = Votes()
    for name, goal in votes.invariant(S).items():
        prover.holds("Init", votes.initial(S) + votes.axioms(), {name: goal})
