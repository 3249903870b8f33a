"""The state of all nodes and all that was ever sent, as functions of z3: before a step, and after it.

The network is a set that only grows: what is in it may arrive at any time, any number of times, in any order, at a later
life of its receiver too, or never. Anything may arrive at anybody, whoever it is for. OK, ASSENT and REFUSE are not even looked
up: any of them may arrive at any time; so may anything from a non-member, where the members are fixed. A node that is down keeps
what has survived, and takes no step but to restart."""
import z3
from z3 import And, If, Not, Or

from executor import ROLE, RUN, Bool, Configuration, Id, Int, NotUnderstood, Role, each, none
from values import Conf, Granted, Map, Message, Nodes, State, Value, holds, maps, term

# name: what it is a function of, and its value
STATE = {"role": (Id, Role), "leader": (Id, Id), "lease": (Id, Int), "epoch": (Id, Int), "grantee": (Id, Id), "support": (Id, Id, Bool),
         "asked": (Id, Int), "latest": (Id, Int), "dated": (Id, Int), "has_answered": (Id, Id, Bool), "answered": (Id, Id, Int),
         "conf": (Id, Configuration), "up": (Id, Bool)}
SENT = {"claim": (Id, Int, Int, Bool), "grant": (Id, Id, Int, Int, Bool),      # from, (to,) epoch, question
        "reign": (Id, Int, Int, Bool), "ack": (Id, Id, Int, Int, Bool),        # reign: COORDINATOR and HEARTBEAT
        "free": (Id, Int, Bool),                                               # ELECTION, RESIGN, IM_BACK: I do not lead, as of this question
        "passed": (Id, Int, Int, Bool),                                        # the CLAIM that a RESIGN says was granted
        "handed": (Id, Int, Bool), "named": (Id, Int, Bool)}                   # who names somebody in a RESIGN of an epoch; whom a CLAIM of one names
TYPES = {"CLAIM": "claim", "GRANT": "grant", "COORDINATOR": "reign", "HEARTBEAT": "reign", "ACK": "ack",
         "ELECTION": "free", "RESIGN": "free", "IM_BACK": "free", "OK": None, "ASSENT": None, "REFUSE": None}
me, sender, heard_to, passed_by, heard_names, called_names = z3.Consts("me sender heard_to passed_by heard_names called_names", Id)
heard_epoch, heard_question, heard_keeps = z3.Int("heard_epoch"), z3.Int("heard_question"), z3.Const("heard_keeps", Id)
heard_conf, wanted = z3.Consts("heard_conf wanted", Configuration)     # where members change: of a message, and what a leader is called to change to


class Before:
    """The functions as they are before the step. ghosts: history that no step looks at. Where members change, what was sent
    has its sender's configuration besides. member: who takes part; None: whoever it is."""

    def __init__(self, ghosts, changing=False, member=None):
        sent = {name: (*sorts[:-1], Configuration, Bool) if changing else sorts for name, sorts in SENT.items()}
        for name, sorts in {**STATE, **sent, **ghosts}.items():
            setattr(self, name, z3.Function(name, *sorts))
        self.changing = changing
        self.member = member or (lambda k: z3.BoolVal(True))


class After:
    """The functions after a step of node me, that left it in state new, and up as told, having sent messages."""

    def __init__(self, before, new, messages, up=True):
        self.before, self.new, self.changing = before, new, before.changing
        for name in SENT:
            setattr(self, name, getattr(before, name))
        for name in ("role", "leader", "lease", "epoch", "grantee", "asked", "latest", "dated"):
            setattr(self, name, self._of_me(getattr(before, name), term(getattr(new, name))))
        self.conf = self._of_me(before.conf, new.conf.e)
        self.up = self._of_me(before.up, z3.BoolVal(up))
        self.support = self._row(before.support, holds(new.support))
        answered = maps(new.answered)
        self.has_answered, self.answered = self._row(before.has_answered, answered.has), self._row(before.answered, answered.value)
        for m in messages:
            self._send(m)

    def _of_me(self, f, value):
        return lambda k: If(k == me, value, f(k))

    def _row(self, f, row):
        return lambda k, j: If(k == me, row(j), f(k, j))

    def _send(self, m):
        name = TYPES[m.type]
        if name is None:
            return
        if m.only is not None and name in ("grant", "ack"):
            raise NotUnderstood(f"{m.type} to many")        # to is one of them, whoever it is: not all at once
        facts = [me, term(m.to), term(m.epoch), term(m.question)]
        if name not in ("grant", "ack"):
            facts.pop(1)                        # a question may arrive at anybody
        if name == "free":
            facts = [me, term(m.question)]
        conf = [m.conf.e] if self.changing else []
        self._add(name, facts + conf)
        if m.granted is not None:
            self._add("passed", [term(m.granted.by), term(m.granted.epoch), term(m.granted.question)] + conf)
        if m.names is not None:
            self._add(*{"RESIGN": ("handed", [me, term(m.epoch)] + conf), "CLAIM": ("named", [term(m.names), term(m.epoch)] + conf)}[m.type])

    def _add(self, name, facts):
        old = getattr(self, name)
        setattr(self, name, lambda *of: Or(old(*of), And([a == b for a, b in zip(of, facts)])))


def local(S, fixed_conf=None):
    """The state of me, for the page's code. The role is a word: one path for each."""
    role = next((name for name in list(ROLE)[:-1] if RUN.decide(S.role(me) == ROLE[name])), list(ROLE)[-1])
    return State(role=role, leader=Value(S.leader(me)), lease=Value(S.lease(me)), epoch=Value(S.epoch(me)), grantee=Value(S.grantee(me)),
                 support=Nodes(lambda k: S.support(me, k)), asked=Value(S.asked(me)), latest=Value(S.latest(me)), dated=Value(S.dated(me)),
                 answered=Map(lambda k: S.has_answered(me, k), lambda k: S.answered(me, k)), conf=fixed_conf or Conf(S.conf(me)))


def paths(action, known):
    """The paths of an action that take a step. Those that do the same are one: whichever condition it was."""
    found = {}
    for path in RUN.paths(action.run, action.given + known):
        if path.outcome is not None:
            found.setdefault(path if path.counted is not None else told(*path.outcome), []).append(path)
    for alike in found.values():
        if len(alike) > 1:
            alike[0].conditions = [Or([And(p.conditions + [z3.BoolVal(True)]) for p in alike])]
        yield alike[0]


def told(state, messages, simplify=z3.simplify):
    """An outcome as text. What nobody looks at is left out: messages that may arrive at any time anyway."""
    values = [getattr(state, name) for name in State.FIELDS if name not in ("support", "answered")]
    values += [x for m in messages if TYPES[m.type] for x in (m.type, m.to, m.epoch, m.question, m.granted, m.names, m.conf)]
    answered = maps(state.answered)
    plain = lambda x: x if isinstance(x, str) else "none" if x is None else simplify(term(x)).sexpr()
    terms = [holds(state.support)(each), answered.has(each), answered.value(each)]
    return " ".join([simplify(x).sexpr() for x in terms] + [
        " ".join(map(plain, (x.by, x.epoch, x.question))) if isinstance(x, Granted) else plain(x) for x in values])


class Action:
    """given: what must be so, run: gives None, or the step (State, messages); name is the trace's."""

    def __init__(self, name, given, run, up=True):
        self.name, self.given, self.run, self.up = name, given, run, up


NAMES = {"ELECTION": "OnElection", "OK": "OnOk", "ASSENT": "OnAssent", "CLAIM": "OnClaim", "GRANT": "OnGrant", "REFUSE": "OnRefuse",
         "COORDINATOR": "OnCoordinator", "HEARTBEAT": "OnHeartbeat", "ACK": "OnAck", "RESIGN": "OnResign", "IM_BACK": "OnImBack",
         "patience": "PatienceTimeout", "preempt": "PreemptTimeout", "election": "ElectionTimeout", "coordinator": "CoordinatorTimeout",
         "claim": "ClaimTimeout", "reign": "ReignTimeout", "heartbeat": "HeartbeatTimeout"}


def was_sent(S, type):
    """A message of this type from sender to heard_to may arrive at me: what that needs."""
    name = TYPES[type]
    facts = {"claim": (sender, heard_epoch, heard_question), "reign": (sender, heard_epoch, heard_question),
             "grant": (sender, heard_to, heard_epoch, heard_question), "ack": (sender, heard_to, heard_epoch, heard_question),
             "free": (sender, heard_question)}.get(name)
    conf = (heard_conf,) if S.changing else ()
    return [sender != none, heard_epoch >= 0, heard_question >= 1] + ([of_members(S, getattr(S, name)(*facts, *conf))] if facts else [])


def of_members(S, fact):
    """So it is, if the sender is a member; else it may be anything."""
    return Or(Not(S.member(sender)), fact)


def receipts(S, code, conf):
    """Each type of message, as it may arrive at me; a RESIGN with and without what was granted, and that and a CLAIM with and without a name."""
    by, epoch, question = passed_by, z3.Int("granted_epoch"), z3.Int("granted_question")
    of_conf = [heard_conf] if S.changing else []
    passed = [by != none, of_members(S, S.passed(by, epoch, question, *of_conf))]
    handed = [heard_names != none, of_members(S, S.handed(sender, heard_epoch, *of_conf))]
    named = [heard_names != none, of_members(S, S.named(heard_names, heard_epoch, *of_conf))]
    plain, names = (None, None, []), Value(heard_names)
    besides = {"RESIGN": (plain, (Granted(Value(by), Value(epoch), Value(question)), None, passed), (None, names, handed)), "CLAIM": (plain, (None, names, named))}
    for type in TYPES:
        for granted, says, needs in besides.get(type, (plain,)):
            m = Message(type, Value(sender), Value(heard_to), Value(heard_epoch), Value(heard_question), Value(heard_keeps) if type == "ELECTION" else None,
                        granted, says, Conf(heard_conf) if S.changing else None)
            yield Action(NAMES[type], was_sent(S, type) + needs, lambda m=m: code["on_message"](local(S, conf), m))


def actions(S, code, conf=None):
    """All that a node may do. conf is the configuration, if it never changes."""
    node = [me != none, S.member(me)]
    running = node + [S.up(me)]
    for a in receipts(S, code, conf):
        a.given = running + a.given
        yield a
    for name in code["ENDED"]:
        yield Action(NAMES[name], running, lambda name=name: code["on_timer"](local(S, conf), name))
    yield Action("Resign", running, lambda: code["on_resign"](local(S, conf)))
    yield Action("Resign", running + [called_names != none], lambda: code["on_resign"](local(S, conf), Value(called_names)))
    yield Action("HolderDead", running, lambda: code["on_holder_dead"](local(S, conf)))
    if S.changing:
        yield Action("Change", running, lambda: code["on_change"](local(S), Conf(wanted)))
    yield Action("Crash", running, lambda: (code["survives"](local(S, conf)), []), up=False)
    yield Action("Restart", node + [Not(S.up(me))], lambda: code["on_restart"](local(S, conf)))
