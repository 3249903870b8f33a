"""Takes every path of a function over symbols, and the sorts of which the symbols are."""
import z3

Id, Quorum, Members, Entry = (z3.DeclareSort(name) for name in ("Id", "Quorum", "Members", "Entry"))
Int, Bool = z3.IntSort(), z3.BoolSort()
_conf = z3.Datatype("Configuration")
_conf.declare("configuration", ("conf_epoch", Int), ("conf_version", Int), ("conf_members", Members))
Configuration = _conf.create()
conf_of, conf_epoch, conf_version, conf_members = (Configuration.configuration, Configuration.conf_epoch,
                                                   Configuration.conf_version, Configuration.conf_members)
none = z3.Const("none", Id)
higher = z3.Function("higher", Id, Id, Members, Bool)
member = z3.Function("member", Id, Quorum, Bool)
quorum_of = z3.Function("quorum_of", Quorum, Members, Bool)
voter, witness, observer = (z3.Function(name, Id, Members, Bool) for name in ("voter", "witness", "observer"))
entry = z3.Function("entry", Id, Members, Entry)

ROLES = ("follower", "candidate", "electing", "claimant", "leader")
Role, _roles = z3.EnumSort("Role", ["role_" + name for name in ROLES])
ROLE = dict(zip(ROLES, _roles))
each = z3.Const("each", Id)                     # the receiver of a broadcast, whoever it is


class NotUnderstood(Exception):
    """The page's code uses something that has no meaning here. That is a proof that fails, not one that holds."""


class Path:
    """One way through a function: what was decided, what came out, which quorums were counted, who alone was in a set."""

    def __init__(self, conditions, outcome, quorums, single):
        self.conditions, self.outcome, self.quorums, self.single = conditions, outcome, quorums, single
        self.counted = quorums[-1] if quorums else None


class Executor:
    """Takes every path, by running the function again for each list of decisions."""

    def paths(self, function, given):
        waiting, done, self.simple = [[]], [], {}
        while waiting:
            self.known, self.waiting, self.taken, self.conditions = waiting.pop(), waiting, [], []
            self.quorums, self.single, self.names = [], None, 0
            self.solver = z3.SimpleSolver()
            self.facts = {}
            self.solver.set("rlimit", 2_000_000)
            self.solver.add(given)
            done.append(Path(self.conditions, function(), self.quorums, self.single))
        return done

    def fresh(self, name, sort):
        self.names += 1
        return z3.Const(f"{name}_{self.names}", sort)

    def branch(self, yes, no):
        """Either way, if both are possible; yes and no are what is then known, None if nothing can exclude it."""
        if len(self.taken) < len(self.known):
            taken = self.known[len(self.taken)]
        else:
            taken = yes is None or self.solver.check(yes) != z3.unsat
            if taken and (no is None or self.solver.check(no) != z3.unsat):
                self.waiting.append(self.taken + [False])
        self.taken.append(taken)
        for c in [yes if taken else no]:
            if c is not None:
                self.conditions.append(c)
                self.solver.add(c)
        return taken

    def decide(self, e):
        if e.get_id() not in self.simple:
            self.simple[e.get_id()] = z3.simplify(e), e         # e is kept, so that no other has its number
        simple = self.simple[e.get_id()][0]
        if z3.is_true(simple) or z3.is_false(simple):
            return z3.is_true(simple)
        if simple.get_id() not in self.facts:
            self.facts[simple.get_id()] = self.branch(e, z3.Not(e))
        return self.facts[simple.get_id()]

    def learn(self, fact):
        """A fact of this path that has quantifiers: not for the solver that prunes paths."""
        self.conditions.append(fact)

    def follows(self, e):
        self.solver.push()
        self.solver.add(z3.Not(e))
        answer = self.solver.check()
        self.solver.pop()
        return answer == z3.unsat


RUN = Executor()
