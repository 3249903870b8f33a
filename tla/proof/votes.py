"""Members that come and go: votes and configurations, and why there is one leader an epoch. For any number of nodes.

What is left of a node is its promise (epoch, grantee), its configuration, and whether it leads; what is left of the network
is who granted what in which configuration, and who held which configuration in which epoch. changing.py proves that the
page's code, with changing members, takes no other steps than these. README.md says the invariant in words and in TLA+."""
import z3
from z3 import And, Exists, ForAll, If, Implies, MultiPattern, Not, Or

from executor import (Bool, Configuration, Id, Int, Members, Quorum, conf_epoch as ce, conf_members as cm, conf_of, conf_version as cv, member,
                      none, quorum_of)

FUNCTIONS = {"epoch": (Id, Int), "grantee": (Id, Id), "conf": (Id, Configuration), "leads": (Id, Bool),
             "granted": (Id, Id, Int, Configuration, Bool), "held": (Id, Int, Configuration, Bool), "made": (Configuration, Bool), "winner": (Int, Id),
             # history: with what configuration a node passed an epoch, or would now; whom it granted it; where, and by whom, an epoch was won;
             # which configurations were changed, each held by which quorum
             "passed": (Id, Int, Configuration), "voted": (Id, Int, Id), "won_in": (Int, Configuration), "won_by": (Int, Quorum),
             "settled": (Configuration, Bool), "settled_by": (Configuration, Quorum)}
overlap = z3.Function("overlap", Members, Members, Bool)       # majorities of the two lists share a node
near = z3.Function("near", Members, Members, Bool)             # one member differs, or none
share = z3.Function("share", Quorum, Quorum, Id)
nobody, first_members = z3.Consts("nobody first_members", Members)
Empty, First = conf_of(0, 0, nobody), conf_of(0, 1, first_members)
i, j, k, n_ = z3.Consts("i j k n_", Id)
e, f = z3.Ints("e f")
c, d, x, y = z3.Consts("c d x y", Configuration)
p, q = z3.Consts("p q", Quorum)
m, n = z3.Consts("m n", Members)


def newer(c, d):
    return Or(ce(c) > ce(d), And(ce(c) == ce(d), cv(c) > cv(d)))


def upto(c, d):
    return Not(newer(c, d))


def axioms():
    """Majorities of overlapping lists share a node; a list overlaps itself and what differs in one (majorities.py); nobody is no quorum."""
    return [ForAll([p, q, m, n], Implies(And(quorum_of(p, m), quorum_of(q, n), overlap(m, n)), And(member(share(p, q), p), member(share(p, q), q))),
                   patterns=[MultiPattern(quorum_of(p, m), quorum_of(q, n), overlap(m, n))]),
            ForAll([m], overlap(m, m)), ForAll([m, n], Implies(overlap(m, n), overlap(n, m))), ForAll([m, n], Implies(near(m, n), And(overlap(m, n), overlap(n, m)))),
            ForAll([p], Not(quorum_of(p, nobody))), ForAll([m], And(overlap(nobody, m), overlap(m, nobody)))]


class Votes:
    """The functions: before a step z3's own, after it those that changed as given."""

    def __init__(self, before=None, **changed):
        for name, sorts in FUNCTIONS.items():
            setattr(self, name, changed.get(name) or (getattr(before, name) if before else z3.Function(name, *sorts)))


def won(S, e, i):
    return And(S.winner(e) == i, i != none)


def kept(S, j, e, c):
    return Or(e < S.epoch(j), And(e == S.epoch(j), S.grantee(j) == c))


def hopeless(S, c, q, j):
    """c can never be settled: each quorum of it has a node that went on to a later epoch with an older configuration."""
    return ForAll([q], Implies(quorum_of(q, cm(c)), Exists([j], And(member(j, q), S.epoch(j) > ce(c), newer(c, S.passed(j, ce(c) + 1))))))


def successor(S, c, x):
    """x is of a later epoch than c. If c is the newest of its own: x has its members, or a settled one between them has, or c is hopeless."""
    last = ForAll([d], Implies(And(S.made(d), ce(d) == ce(c)), cv(d) <= cv(c)))
    return Implies(last, Or(cm(x) == cm(c), Exists([y], And(S.settled(y), ce(y) > ce(c), upto(y, x), cm(y) == cm(c))), hopeless(S, c, q, j)))


def invariant(S):
    return {
        "EpochsAreNatural": ForAll([i], S.epoch(i) >= 0),
        "HeldIsMade": ForAll([i], S.made(S.conf(i))),
        "MadeByWinners": ForAll([c], Implies(S.made(c), And(ce(c) >= 0, cv(c) >= 0, Implies(ce(c) == 0, Or(c == Empty, c == First)),
                                                            Implies(ce(c) > 0, S.winner(ce(c)) != none)))),
        "OneConfiguration": ForAll([c, d], Implies(And(S.made(c), S.made(d), ce(c) == ce(d), cv(c) == cv(d)), c == d)),
        "ConfigurationIsPromised": ForAll([i], ce(S.conf(i)) <= S.epoch(i)),
        "ReignIsKept": ForAll([e, i], Implies(won(S, e, i), And(e > 0, S.epoch(i) >= e))),
        "LeaderIsStamped": ForAll([i], Implies(S.leads(i), And(ce(S.conf(i)) == S.epoch(i), won(S, S.epoch(i), i)))),
        "LeaderHasNewest": ForAll([i, c], Implies(And(S.leads(i), S.made(c), ce(c) == S.epoch(i)), cv(c) <= cv(S.conf(i)))),
        "PassedIsNow": ForAll([j, e], Implies(e > S.epoch(j), S.passed(j, e) == S.conf(j))),
        "PassedRises": ForAll([j, e, f], Implies(e <= f, upto(S.passed(j, e), S.passed(j, f)))),
        "PassedIsPast": ForAll([j, e], upto(S.passed(j, e), S.conf(j))),
        "Won": ForAll([e], Implies(S.winner(e) != none, And(S.made(S.won_in(e)), ce(S.won_in(e)) < e, quorum_of(S.won_by(e), cm(S.won_in(e))),
                                                            S.made(conf_of(e, cv(S.won_in(e)), cm(S.won_in(e))))))),
        "WonByVotes": ForAll([e, j], Implies(And(S.winner(e) != none, member(j, S.won_by(e))),
                                             And(kept(S, j, e, S.winner(e)), S.voted(j, e) == S.winner(e), upto(S.passed(j, e), S.won_in(e))))),
        "WonFirst": ForAll([c], Implies(And(S.made(c), ce(c) > 0), cv(c) >= cv(S.won_in(ce(c))))),
        "Granted": ForAll([j, i, e, c], Implies(S.granted(j, i, e, c), And(i != none, kept(S, j, e, i), S.voted(j, e) == i, upto(S.passed(j, e), c)))),
        "HeldIsPast": ForAll([j, e, c], Implies(S.held(j, e, c), And(e <= S.epoch(j), upto(c, S.conf(j))))),
        "Held": ForAll([j, e, c, f], Implies(And(S.held(j, e, c), f > e), upto(c, S.passed(j, f)))),
        "SettledByQuorum": ForAll([x], Implies(S.settled(x), And(S.made(x), quorum_of(S.settled_by(x), cm(x))))),
        "Settled": ForAll([x, j, e], Implies(And(S.settled(x), member(j, S.settled_by(x)), e > ce(x)), upto(x, S.passed(j, e)))),
        "Overlaps": ForAll([c, x], Implies(And(S.made(c), S.made(x), newer(x, c)), Or(overlap(cm(c), cm(x)), Exists([y], And(
            S.settled(y), newer(y, c), upto(y, x), overlap(cm(c), cm(y))))))),
        "Successors": ForAll([c, x], Implies(And(S.made(c), S.made(x), ce(x) > ce(c)), successor(S, c, x))),
    }


def initial(S):
    """A node begins with the first configuration, or with none (R49)."""
    return [ForAll([i], And(S.epoch(i) == 0, S.grantee(i) == none, Or(S.conf(i) == First, S.conf(i) == Empty), Not(S.leads(i)))),
            ForAll([j, i, e, c], Not(S.granted(j, i, e, c))), ForAll([j, e, c], Not(S.held(j, e, c))), ForAll([e], S.winner(e) == none),
            ForAll([c], S.made(c) == Or(c == First, c == Empty)), ForAll([c], Not(S.settled(c))), ForAll([i, e], S.passed(i, e) == S.conf(i))]


def put(f, i, value):
    return lambda k: If(k == i, value, f(k))


def passing(S, epoch, conf):
    return lambda k, e: If(e > epoch(k), conf(k), S.passed(k, e))


def least_above(S, e0, least):
    """If an epoch above e0 was won, least is the least that was: any set of numbers has one, if it has any."""
    return Or(ForAll([e], Not(And(S.winner(e) != none, e > e0))),
              And(least > e0, S.winner(least) != none, ForAll([e], Implies(And(S.winner(e) != none, e > e0), e >= least))))


ACTOR, OTHER, EPOCH, NEW, LIST, QUORUM, LEAST = (z3.Const("act_i", Id), z3.Const("act_c", Id), z3.Int("act_e"), z3.Const("act_conf", Configuration),
                                                 z3.Const("act_m", Members), z3.Const("act_q", Quorum), z3.Int("act_least"))


def grant(S, i=ACTOR, c=OTHER, e0=EPOCH):
    """Node i promises e0 to c, and grants it in the configuration that it has."""
    epoch = put(S.epoch, i, e0)
    return [i != none, c != none, i != c, Or(e0 > S.epoch(i), And(e0 == S.epoch(i), Or(S.grantee(i) == none, S.grantee(i) == c)))], dict(
        epoch=epoch, grantee=put(S.grantee, i, c), leads=put(S.leads, i, False), passed=passing(S, epoch, S.conf),
        granted=lambda k, l, e, d: Or(S.granted(k, l, e, d), And(k == i, l == c, e == e0, d == S.conf(i))),
        voted=lambda k, e: If(And(k == i, e == e0), c, S.voted(k, e)))


def win(S, i=ACTOR, q=QUORUM):
    """Node i has the votes of a quorum, itself included, all of its own configuration; it stamps that."""
    e0, c0 = S.epoch(i) + 1, S.conf(i)
    stamped = conf_of(e0, cv(c0), cm(c0))
    epoch, conf = put(S.epoch, i, e0), put(S.conf, i, stamped)
    return [i != none, quorum_of(q, cm(c0)), ForAll([k], Implies(member(k, q), Or(k == i, S.granted(k, i, e0, c0))), patterns=[member(k, q)])], dict(
        epoch=epoch, grantee=put(S.grantee, i, i), conf=conf, leads=put(S.leads, i, True), made=lambda d: Or(S.made(d), d == stamped),
        winner=lambda e: If(e == e0, i, S.winner(e)), passed=passing(S, epoch, conf), voted=lambda k, e: If(And(k == i, e == e0), i, S.voted(k, e)),
        won_in=lambda e: If(e == e0, c0, S.won_in(e)), won_by=lambda e: If(e == e0, q, S.won_by(e)))


def hold(S, i=ACTOR):
    """Node i says what it holds, and in which epoch."""
    return [i != none], dict(held=lambda k, e, d: Or(S.held(k, e, d), And(k == i, e == S.epoch(i), d == S.conf(i))))


def change(S, i=ACTOR, m=LIST, q=QUORUM):
    """Leader i, whose configuration a quorum of it holds in this epoch, makes the next one: one member differs."""
    c0 = S.conf(i)
    new = conf_of(S.epoch(i), cv(c0) + 1, m)
    conf = put(S.conf, i, new)
    return [i != none, S.leads(i), quorum_of(q, cm(c0)), near(cm(c0), m),
            ForAll([k], Implies(member(k, q), Or(k == i, S.held(k, S.epoch(i), c0))), patterns=[member(k, q)])], dict(
        conf=conf, made=lambda d: Or(S.made(d), d == new), passed=passing(S, S.epoch, conf),
        settled=lambda d: Or(S.settled(d), d == c0), settled_by=lambda d: If(And(d == c0, Not(S.settled(d))), q, S.settled_by(d)))


def adopt(S, i=ACTOR, new=NEW):
    """Node i adopts a newer configuration, whose epoch it learns."""
    higher = ce(new) > S.epoch(i)
    epoch, conf = put(S.epoch, i, If(higher, ce(new), S.epoch(i))), put(S.conf, i, new)
    return [i != none, S.made(new), newer(new, S.conf(i))], dict(
        epoch=epoch, grantee=put(S.grantee, i, If(higher, none, S.grantee(i))), conf=conf, leads=put(S.leads, i, False), passed=passing(S, epoch, conf))


def learn(S, i=ACTOR, e0=EPOCH, c=OTHER):
    """Node i learns an epoch, or follows c in it, and c may be nobody."""
    epoch = put(S.epoch, i, e0)
    return [i != none, Or(e0 > S.epoch(i), And(e0 == S.epoch(i), S.grantee(i) == none))], dict(
        epoch=epoch, grantee=put(S.grantee, i, c), leads=put(S.leads, i, False), passed=passing(S, epoch, S.conf))


def stop(S, i=ACTOR):
    """Node i leads no more: it rests, or crashes."""
    return [i != none], dict(leads=put(S.leads, i, False))


ACTIONS = {"Grant": grant, "Win": win, "Hold": hold, "Change": change, "Adopt": adopt, "Learn": learn, "Stop": stop}
