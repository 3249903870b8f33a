"""Fixed members: the code of the page keeps two invariants, for any number of nodes, epochs and questions.

Promises needs nothing of time. Leases needs what clocks give (clocks.py), as two guards: the patience of a node that keeps
a lease, and its silence after a restart, end when every question that it ever answered has expired; and a proof of death is
of a life that is over. README.md says each conjunct in words and in TLA+."""
import z3
from z3 import And, If, Implies, Not, Or

import network
import text
from executor import ROLE, RUN, Bool, Id, Int, Members, Quorum, Configuration, conf_members, conf_of, member, none, observer, voter, witness
from network import After, Before, me
from values import Conf, State, term, words

MEMBERS = z3.Const("the_members", Members)
GHOSTS = {"winner": (Int, Id), "won_by": (Int, Quorum), "won_with": (Int, Int),     # of an epoch: who won it, by which quorum, by which question
          "overtaken": (Int, Bool), "overtakers": (Int, Quorum),                      # a later epoch was won; by which quorum the first in time
          "dated_by": (Id, Quorum),                                                   # of a leader: the quorum that has answered dated
          "expired": (Id, Int), "dead": (Id, Int)}                                    # questions up to this: have expired, are of lives that are over
share = z3.Function("share", Quorum, Quorum, Id)
i, j, k, l, c, d = z3.Consts("i j k l c d", Id)
e, f, n, m = z3.Ints("e f n m")
p, q = z3.Consts("p q", Quorum)


def every(variables, body, *patterns):
    return z3.ForAll(variables, body, patterns=list(patterns))


def axioms():
    """All members are voters. Two quorums share a node, and none is no node: majorities.py has both from counting."""
    return [every([k], And(Implies(voter(k, MEMBERS), k != none), Not(witness(k, MEMBERS)), Not(observer(k, MEMBERS))), voter(k, MEMBERS)),
            every([p, q], And(member(share(p, q), p), member(share(p, q), q)), share(p, q)), every([p], Not(member(none, p)))]


def seen():
    """The first axiom, of the nodes that a step is about: what prunes paths."""
    return [z3.substitute_vars(axioms()[0].body(), x) for x in (me, network.sender, network.passed_by)]


def meet(p, q):
    """An instance of the axiom, for the solver to look at."""
    return And(member(share(p, q), p), member(share(p, q), q))


def is_role(S, k, *roles):
    return Or([S.role(k) == ROLE[r] for r in roles])


def held(S, i, e, c):
    """Node i has promised e to c, or more to somebody."""
    return Or(e < S.epoch(i), And(e == S.epoch(i), S.grantee(i) == c))


def promises(S, triggers=False):
    """Why there is one leader an epoch."""
    t = (lambda *patterns: patterns) if triggers else lambda *patterns: ()
    return {
        "Numbers": every([i], And(S.epoch(i) >= 0, S.latest(i) >= 1, S.asked(i) <= S.latest(i))),
        "GrantsAreKept": every([i, c, e, n], Implies(S.grant(i, c, e, n), And(i != c, i != none, c != none, held(S, i, e, c)))),
        "GrantsAreSingle": every([i, c, d, e, n, m], Implies(And(S.grant(i, c, e, n), S.grant(i, d, e, m)), c == d)),
        "OwnPromiseIsKept": every([i, e], Implies(And(S.winner(e) == i, i != none), And(e >= 1, held(S, i, e, i)))),
        "WinnersGrantNot": every([i, c, e, n], Not(And(S.winner(e) == i, i != none, S.grant(i, c, e, n)))),
        "ReignsAreBacked": every([k, e], Implies(And(S.winner(e) != none, member(k, S.won_by(e))),
                                                 Or(k == S.winner(e), S.grant(k, S.winner(e), e, S.won_with(e))))),
        "SupportIsGranted": every([i, j], Implies(And(is_role(S, i, "claimant"), S.support(i, j)), S.grant(j, i, S.epoch(i) + 1, S.asked(i)))),
        "LeadersHaveWon": every([i], Implies(is_role(S, i, "leader"), And(i != none, S.up(i), S.winner(S.epoch(i)) == i))),
    }


def leases(S, triggers=False):
    """Why one at most acts."""
    t = (lambda *patterns: patterns) if triggers else lambda *patterns: ()
    answer = lambda k, l, e, n: Or(S.grant(k, l, e, n), S.ack(k, l, e, n))
    both = lambda k: t(S.grant(k, l, e, n), S.ack(k, l, e, n))
    active = lambda l: is_role(S, l, "claimant", "leader")
    own = lambda l: If(is_role(S, l, "leader"), S.epoch(l), S.epoch(l) + 1)             # what l leads or claims
    began = lambda l: If(is_role(S, l, "leader"), S.won_with(S.epoch(l)), S.asked(l))   # the question with which it began that
    current = lambda l, e, n: And(active(l), own(l) == e, began(l) <= n)
    lost = lambda l, e: And(S.winner(e) != none, S.winner(e) != l)
    spent = lambda l, e, n: Or(Not(current(l, e, n)), S.expired(l) >= n, lost(l, e))    # answer n is of no use to l any more
    harmless = lambda l, e, n: Or(spent(l, e, n), S.overtaken(e))
    bound = lambda j, l: And(S.leader(j) == l, S.lease(j) >= began(l))
    silent = lambda j: And(S.leader(j) == j, Not(is_role(S, j, "leader")))
    return {
        "Beginnings": every([l], Implies(active(l), And(1 <= began(l), began(l) <= S.latest(l), S.dead(l) < began(l)))),
        "Lives": every([l], S.dead(l) <= S.latest(l)),
        "LeadersFollowThemselves": every([l], Implies(is_role(S, l, "leader"), S.leader(l) == l)),
        "Claims": every([l, e, n], Implies(S.claim(l, e, n), And(l != none, 1 <= n, n <= S.latest(l), e <= own(l),
                        Implies(And(active(l), began(l) <= n), e == own(l)))), *t(S.claim(l, e, n))),
        "Reigns": every([l, e, n], Implies(S.reign(l, e, n), And(l != none, 1 <= n, n <= S.latest(l), S.winner(e) == l,
                        Implies(active(l), (e == own(l)) == (began(l) <= n)))), *t(S.reign(l, e, n))),
        "Disclaimers": every([l, n], Implies(S.free(l, n), And(n <= S.latest(l), Implies(active(l), n < began(l)))), *t(S.free(l, n))),
        "Passed": every([l, e, n], Implies(S.passed(l, e, n), S.claim(l, e, n)), *t(S.passed(l, e, n))),
        "Handed": every([l, e], Implies(S.handed(l, e), And(l != none, e <= S.epoch(l), Not(And(is_role(S, l, "leader"), e == S.epoch(l))))), *t(S.handed(l, e))),
        "Named": every([l, e], Implies(S.named(l, e), S.handed(l, e - 1)), *t(S.named(l, e))),
        "Grants": every([k, l, e, n], Implies(S.grant(k, l, e, n), And(S.claim(l, e, n), e <= S.epoch(k))), *t(S.grant(k, l, e, n))),
        "Acks": every([k, l, e, n], Implies(S.ack(k, l, e, n), And(k != l, k != none, S.reign(l, e, n), e <= S.epoch(k))), *t(S.ack(k, l, e, n))),
        "CountedIsAnswered": every([l, k], Implies(And(is_role(S, l, "leader"), S.has_answered(l, k)),
                                          And(S.answered(l, k) >= began(l), answer(k, l, S.epoch(l), S.answered(l, k))))),
        "ReignsAreDated": every([l, k], Implies(And(is_role(S, l, "leader"), member(k, S.dated_by(l))),
                                       Or(k == l, And(S.has_answered(l, k), S.answered(l, k) >= S.dated(l))))),
        "WhoAnsweredIsBound": every([j, l, e, n], Implies(answer(j, l, e, n), Or(harmless(l, e, n), bound(j, l), silent(j), Not(S.up(j)))), *both(j)),
        "WhoGrantedMoreWasFree": every([k, l, e, n, c, f, m], Implies(And(answer(k, l, e, n), S.grant(k, c, f, m), e < f), harmless(l, e, n)),
                                       *[z3.MultiPattern(a, S.grant(k, c, f, m)) for a in both(k)]),
        "Overtaken": every([e, f], Implies(And(S.winner(f) != none, e < f), S.overtaken(e)), *t(z3.MultiPattern(S.winner(f), S.overtaken(e)))),
        "OvertakersAreAbove": every([k, e], Implies(And(S.overtaken(e), member(k, S.overtakers(e))), S.epoch(k) > e)),
        "OvertakersAreSpent": every([k, l, e, n], Implies(And(S.overtaken(e), member(k, S.overtakers(e)), answer(k, l, e, n)), spent(l, e, n)), *both(k)),
    }


def acting(S, l):
    """l may act: it leads, and the question that its reign is dated from has not expired."""
    return And(l != none, S.up(l), is_role(S, l, "leader"), S.dated(l) > S.expired(l))


def one_acting(S):
    return every([i, j], Implies(And(acting(S, i), acting(S, j)), i == j))


def timely(S, name):
    """What R37 and clocks give when this is the input. Nothing but patience, silence and proofs of death must be timely."""
    everything = every([l, e, n], Implies(Or(S.grant(me, l, e, n), S.ack(me, l, e, n)), n <= S.expired(l)))
    return {"PatienceTimeout": [Implies(S.leader(me) != none, everything)], "CoordinatorTimeout": [Implies(S.leader(me) != none, everything)],
            "HolderDead": [S.lease(me) <= S.dead(S.leader(me))]}.get(name, [])


class Next(After):
    """After a step of a node, with the history that it makes."""

    def __init__(self, S, new, messages, up, counted):
        super().__init__(S, new, messages, up)
        quorum = z3.Const("any_quorum", Quorum) if counted is None else counted
        leads, epoch = term(new.role) == ROLE["leader"], term(new.epoch)
        self.wins = And(leads, Not(is_role(S, me, "leader")))
        here = lambda f: And(self.wins, f == epoch)
        self.winner = lambda f: If(here(f), me, S.winner(f))
        self.won_by = lambda f: If(here(f), quorum, S.won_by(f))
        self.won_with = lambda f: If(here(f), term(new.dated), S.won_with(f))
        self.overtaken = lambda f: Or(S.overtaken(f), And(self.wins, f < epoch))
        self.overtakers = lambda f: If(And(self.wins, f < epoch, Not(S.overtaken(f))), quorum, S.overtakers(f))
        redated = z3.BoolVal(counted is not None and term(new.role).eq(ROLE["leader"]))
        self.dated_by = lambda l: If(And(redated, l == me), quorum, S.dated_by(l))
        self.expired = S.expired
        self.dead = lambda l: S.dead(l) if up else If(l == me, S.latest(me), S.dead(l))


class Later:
    """After Expire: time has gone on, so more questions of somebody have expired."""

    def __init__(self, S):
        self.__dict__.update(S.__dict__)
        self.expired = lambda l: If(l == me, z3.Int("until"), S.expired(l))


def initial(S, code, conf):
    """Every node after its first start, which the page's code says too; nothing sent, nothing won."""
    state, sent = code["on_start"](conf)
    assert sent == []
    at = After(S, state, [])
    own = [And(getattr(S, name)(k) == term(getattr(state, name))) for name in ("role", "leader", "lease", "epoch", "grantee", "asked", "latest", "dated")]
    nothing = [every([k, j], Not(Or(S.support(k, j), S.has_answered(k, j)))), every([e], And(S.winner(e) == none, Not(S.overtaken(e)))),
               every([k, l, e, n], Not(Or(S.claim(l, e, n), S.grant(k, l, e, n), S.reign(l, e, n), S.ack(k, l, e, n), S.free(l, n), S.passed(l, e, n), S.handed(l, e), S.named(l, e)))),
               every([l], And(S.expired(l) >= 0, S.dead(l) == 0, S.up(l)))]
    return [every([k], And(own))] + nothing


def known(S, name, clocks=True):
    """All that a step may start from: promises alone, and with leases what clocks give."""
    return axioms() + list(promises(S, True).values()), list(leases(S, True).values()) + (timely(S, name) if clocks else [])


def prove_action(prover, S, action, quick=False, clocks=True):
    """Each path of one action keeps the invariants, is a step of LeaderElection, and takes no epoch back."""
    sure, besides = known(S, action.name, clocks)
    for number, path in enumerate(network.paths(action, seen())):
        new, messages = path.outcome
        name, T = f"{action.name} {number}", Next(S, new, messages, action.up, path.counted)
        given = sure + action.given + path.conditions
        if path.counted is not None:
            given.append(meet(path.counted, S.won_by(term(new.epoch))))
        # A step of LeaderElection: Lead by me of an epoch that nobody led, or Rise. The others' epochs are as they were.
        lead = Implies(T.wins, S.winner(term(new.epoch)) == none)
        prover.holds(name, given, {"Refines": lead}, quick)
        given.append(lead)
        prover.holds(name, given, {**promises(T), "EpochMonotonic": term(new.epoch) >= S.epoch(me)}, quick)
        prover.holds(name, given + besides, leases(T), quick)
        if (quick or prover.only) and prover.failed:
            return


def prove_rest(prover, S, code, conf, quick=False):
    """The first state, time that goes on, and what the invariants imply."""
    for part in (promises, leases):
        prover.holds("Init", axioms() + initial(S, code, conf), part(S), quick)
    sure, besides = known(S, "")
    prover.holds("Expire", sure + besides + [z3.Int("until") >= S.expired(me)], {**promises(Later(S)), **leases(Later(S))}, quick)
    everything = sure + besides + [meet(S.dated_by(x), S.overtakers(S.epoch(x))) for x in (i, j)]
    prover.holds("", sure, {"OneLeaderPerEpoch": Implies(And(is_role(S, i, "leader"), is_role(S, j, "leader"), S.epoch(i) == S.epoch(j)), i == j)}, quick)
    prover.holds("", everything, {"OneActing": Implies(And(acting(S, i), acting(S, j)), i == j)}, quick)


def begin(edit=None):
    """The state before, the page's code, and the configuration that never changes."""
    S = Before(GHOSTS, member=lambda k: voter(k, MEMBERS))
    return S, text.load(words(me, True), edit), Conf(conf_of(z3.Int("fixed_epoch"), z3.Int("fixed_version"), MEMBERS))
