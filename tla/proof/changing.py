"""Changing members: each step of the page's code is made of steps of votes.py, so all that is proved there holds.

A step may first adopt a configuration that it hears of; then it grants, wins, changes, learns, stops leading, or does
nothing that counts; then it may say what it holds. Which it is, is read off its outcome, and proved: what the action of
votes.py asks for is so, and its outcome is the same."""
import z3
from z3 import And, ForAll, If, Implies, Not, Or

import network
import text
import votes
from executor import Bool, Configuration, Id, Int, ROLE, conf_epoch, conf_members, conf_of, conf_version, entry, member, none, observer, voter, witness
from network import After, Before, heard_conf, me
from values import Conf, contains, term, words
from votes import newer

# What votes.py remembers of who granted and held what, and of what was made.
GHOSTS = {"granted": votes.FUNCTIONS["granted"], "held": votes.FUNCTIONS["held"], "made": votes.FUNCTIONS["made"]}
i, j, k, l = z3.Consts("i j k l", Id)
e, n = z3.Ints("e n")
c = z3.Const("c", Configuration)


def is_role(S, k, role):
    return S.role(k) == ROLE[role]


def simulation(S):
    """What is said and counted is what votes.py remembers."""
    return {
        "Numbers": ForAll([i], And(S.epoch(i) >= 0, S.latest(i) >= 1, S.asked(i) <= S.latest(i))),
        "Claims": ForAll([l, e, n, c], Implies(S.claim(l, e, n, c), And(n <= S.latest(l), S.made(c), Implies(
            And(is_role(S, l, "claimant"), S.asked(l) == n), And(c == S.conf(l), e == S.epoch(l) + 1))))),
        "Passed": ForAll([l, e, n, c], Implies(S.passed(l, e, n, c), S.claim(l, e, n, c))),
        "Grants": ForAll([k, l, e, n, c], Implies(S.grant(k, l, e, n, c), And(S.claim(l, e, n, c), S.granted(k, l, e, c)))),
        "Support": ForAll([i, j], Implies(And(is_role(S, i, "claimant"), S.support(i, j)), S.grant(j, i, S.epoch(i) + 1, S.asked(i), S.conf(i)))),
        "Acks": ForAll([k, l, e, n, c], Implies(S.ack(k, l, e, n, c), S.held(k, e, c))),
        "Holders": ForAll([i, j], Implies(And(is_role(S, i, "leader"), S.support(i, j)), S.held(j, S.epoch(i), S.conf(i)))),
        "HeldIsMade": ForAll([i], S.made(S.conf(i))),
        "SaidIsMade": ForAll([l, e, n, c], Implies(Or(S.free(l, n, c), S.reign(l, e, n, c)), S.made(c))),
    }


def known(S):
    """Of the invariant of votes.py, what a step rests on: so a leader adopts nothing of its own epoch."""
    return [ForAll([i], Implies(is_role(S, i, "leader"), conf_epoch(S.conf(i)) == S.epoch(i))),
            ForAll([i, c], Implies(And(is_role(S, i, "leader"), S.made(c), conf_epoch(c) == S.epoch(i)), conf_version(c) <= conf_version(S.conf(i))))]


def axioms():
    """None is no member; an entry says the kind."""
    m, n = z3.Consts("m n", conf_members.range())
    same = [kind(k, m) == kind(k, n) for kind in (voter, witness, observer)]
    return [ForAll([m], And([Not(kind(none, m)) for kind in (voter, witness, observer)])),
            ForAll([k, m, n], Implies(entry(k, m) == entry(k, n), And(same)), patterns=[z3.MultiPattern(entry(k, m), entry(k, n))])]


class Reached:
    """Of me alone: epoch, grantee, configuration, whether it leads. What votes.py goes by."""

    def __init__(self, epoch, grantee, conf, leads):
        self.epoch, self.grantee, self.conf, self.leads = epoch, grantee, conf, leads


def before(S):
    return Reached(S.epoch(me), S.grantee(me), S.conf(me), is_role(S, me, "leader"))


def after(state):
    return Reached(term(state.epoch), term(state.grantee), state.conf.e, z3.BoolVal(state.role == "leader"))


def same(a, b):
    return And(a.epoch == b.epoch, a.grantee == b.grantee, a.conf == b.conf, a.leads == b.leads)


def adopted(S, at, new, messages, path):
    """If what it ends with is what it has heard of, it has adopted that first; else nothing."""
    stamped = conf_of(new.epoch, conf_version(heard_conf), conf_members(heard_conf))        # who is named claims, and may win at once
    if not new.conf.eq(heard_conf) and not new.conf.eq(stamped):
        return at, None
    higher = conf_epoch(heard_conf) > at.epoch
    reached = Reached(If(higher, conf_epoch(heard_conf), at.epoch), If(higher, none, at.grantee), heard_conf, z3.BoolVal(False))
    return reached, And(S.made(heard_conf), newer(heard_conf, at.conf))


def decided(S, T, at, new, messages, path):
    """What counts of the rest of the step: (name, what must be so). T's history is told what was granted and made."""
    grants = [m for m in messages if m.type == "GRANT"]
    c0 = at.conf
    if grants:
        to, epoch = term(grants[0].to), term(grants[0].epoch)
        T.granted = lambda k, l, e, c: Or(S.granted(k, l, e, c), And(k == me, l == to, e == epoch, c == c0))
        asks = And(to != none, to != me, Or(epoch > at.epoch, And(epoch == at.epoch, Or(at.grantee == none, at.grantee == to))))
        return "Grant", And(len(grants) == 1, asks, same(new, Reached(epoch, to, c0, z3.BoolVal(False))))
    if path.action == "Change":
        one, d = path.single, network.wanted
        T.made = lambda c: Or(S.made(c), c == d)
        lists = conf_members(c0), conf_members(d)
        if one is None or not path.quorums:
            return "Change", z3.BoolVal(False)
        settled = path.quorums[0]                       # a later one may date the reign
        # What near means, of these two lists.
        near = ForAll([k], Or(k == one, And([kind(k, lists[0]) == kind(k, lists[1]) for kind in (voter, witness)])))
        holds = ForAll([k], Implies(member(k, settled), Or(k == me, S.held(k, at.epoch, c0))))
        return "Change", And(at.leads, votes.quorum_of(settled, lists[0]), near, holds,
                             same(new, Reached(at.epoch, at.grantee, conf_of(at.epoch, conf_version(c0) + 1, lists[1]), z3.BoolVal(True))))
    if z3.is_true(new.leads):
        stamped = conf_of(new.epoch, conf_version(c0), conf_members(c0))
        T.made = lambda c: Or(S.made(c), And(T.wins, c == stamped))
        goes_on = And(at.leads, same(new, at))
        if path.counted is None:
            return "Stay", goes_on
        # It may learn the epoch before the one that it wins, in the same step.
        voted = ForAll([k], Implies(member(k, path.counted), Or(k == me, S.granted(k, me, new.epoch, c0))))
        wins = And(Not(at.leads), new.epoch - 1 >= at.epoch, votes.quorum_of(path.counted, conf_members(c0)), voted,
                   same(new, Reached(new.epoch, me, stamped, z3.BoolVal(True))))
        return "Win", Or(goes_on, wins)
    learns = And(Or(new.epoch > at.epoch, And(new.epoch == at.epoch, at.grantee == none)), new.conf == c0, Not(new.leads))
    stops = And(new.epoch == at.epoch, new.grantee == at.grantee, new.conf == c0, Not(new.leads))
    return "Learn", Or(learns, stops)


def prove_action(prover, S, action, quick=False):
    sure = votes.axioms() + axioms() + list(simulation(S).values()) + known(S) + action.given
    if action.name.startswith("On"):
        sure.append(S.made(heard_conf))                     # SaidIsMade; of OK, ASSENT and REFUSE, which are not looked up, too
    for number, path in enumerate(network.paths(action, [])):
        path.action = action.name
        state, messages = path.outcome
        T, new = After(S, state, messages, action.up), after(state)
        T.wins = And(new.leads, Not(is_role(S, me, "leader")))
        T.granted, T.held, T.made = S.granted, S.held, S.made
        at, asks = adopted(S, before(S), new, messages, path)
        kind, must = decided(S, T, at, new, messages, path)
        name, goals = f"{action.name} {number} is", {kind: must}
        if asks is not None:
            goals["Adopt"] = asks
        acks = [m for m in messages if m.type == "ACK"]
        if acks:
            T.held = lambda k, e, c: Or(S.held(k, e, c), And(k == me, e == new.epoch, c == new.conf))
            goals["Hold"] = And([term(m.epoch) == new.epoch for m in acks])
        goals["Sealed"] = And([m.conf.e == new.conf for m in messages] + [z3.BoolVal(True)])
        given = sure + path.conditions
        prover.holds(name, given, goals, quick)
        prover.holds(f"{action.name} {number}", given, simulation(T), quick)
        if (quick or prover.only) and prover.failed:
            return


def prove_initial(prover, S, code, quick=False):
    """A node begins with the first configuration or the empty one, and says nothing (R49)."""
    nothing = [ForAll([k, l, e, n, c], Not(Or(S.claim(l, e, n, c), S.grant(k, l, e, n, c), S.reign(l, e, n, c), S.ack(k, l, e, n, c), S.free(l, n, c),
                                                S.passed(l, e, n, c), S.handed(l, e, c), S.named(l, e, c)))), ForAll([c], S.made(c) == Or(c == votes.First, c == votes.Empty))]
    for conf in (votes.First, votes.Empty):
        state, sent = code["on_start"](Conf(conf))
        assert sent == []
        prover.holds("Init", [], {"as votes.py begins": same(after(state), Reached(z3.IntVal(0), none, conf, z3.BoolVal(False)))}, quick)
        own = ForAll([k], And([getattr(S, f)(k) == term(getattr(state, f)) for f in ("role", "epoch", "grantee", "asked", "latest")] +
                              [Or(S.conf(k) == votes.First, S.conf(k) == votes.Empty)]))
        prover.holds("Init", [own, ForAll([k, j], Not(S.support(k, j)))] + nothing, simulation(S), quick)


def begin(edit=None):
    return Before(GHOSTS, changing=True), text.load(words(me, False), edit)
