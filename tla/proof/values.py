"""Values that stand for any value, and an executor that takes every path of a function over them.

What the page's words mean is here: ids, numbers, sets and maps of nodes, configurations, states, messages. Of who is
higher nothing at all is assumed: it may be any relation, another one in each list of members. Of counting one thing is: if 2|A| > |B|, and A is a part of B, the electors of
a configuration, then A is a quorum of it. What is not understood is any value whatever, so that more is allowed than the
code does, never less."""
import z3

from executor import (RUN, ROLE, Bool, Id, Int, NotUnderstood, Quorum, conf_epoch, conf_members, conf_of, conf_version, each, entry, higher, member,
                      none, observer, quorum_of, voter, witness)


def term(x):
    """The z3 term of a value of the page's code."""
    if x is None:
        return none
    if isinstance(x, (Value, Conf, Bit)):
        return x.e
    if isinstance(x, str):
        return ROLE[x]
    if isinstance(x, bool):
        return z3.BoolVal(x)
    if isinstance(x, int):
        return z3.IntVal(x)
    raise NotUnderstood(f"a value: {x!r}")


class Bit:
    """A truth value. Python asks for it, and then both ways are taken."""

    def __init__(self, e):
        self.e = e

    def __bool__(self):
        return RUN.decide(self.e)


class Value:
    """An id or a number."""
    __hash__ = None

    def __init__(self, e):
        self.e = e

    def __eq__(self, other):
        return Bit(self.e == term(other))

    def __ne__(self, other):
        return Bit(self.e != term(other))

    def __lt__(self, other):
        return less(self.e, term(other))

    def __gt__(self, other):
        return less(term(other), self.e)

    def __le__(self, other):
        return Bit(z3.Not(less(term(other), self.e).e))

    def __ge__(self, other):
        return Bit(z3.Not(less(self.e, term(other)).e))

    def __add__(self, other):
        return Value(self.e + term(other))

    def __sub__(self, other):
        return Value(self.e - term(other))

    def __mul__(self, other):
        return Value(self.e * term(other))

    def __floordiv__(self, other):
        if not (isinstance(other, int) and other > 0):
            raise NotUnderstood("a division by what is no number")
        return Value(self.e / other)            # of integers, rounded down


def less(a, b):
    if a.sort() == Id:
        raise NotUnderstood("a comparison of ids, and not by who is higher")
    return Bit(a < b)


class Nodes:
    """A set of nodes, by who is in it. list is whose lists of members it was made from, if one."""

    def __init__(self, has, list=None):
        self.has, self.list = has, list

    def _with(self, other, join):
        p, q = self.has, holds(other)
        lists = {l for l in (self.list, getattr(other, "list", None)) if l is not None}
        return Nodes(lambda k: join(p(k), q(k)), lists.pop() if len(lists) == 1 else None)

    def __or__(self, other):
        return self._with(other, z3.Or)
    __ror__ = __or__

    def __and__(self, other):
        return self._with(other, z3.And)
    __rand__ = __and__

    def __sub__(self, other):
        return self._with(other, lambda a, b: z3.And(a, z3.Not(b)))


class Map:
    """A map from some nodes to numbers."""

    def __init__(self, has, value):
        self.has, self.value = has, value

    def get(self, key, default):
        return Value(z3.If(self.has(term(key)), self.value(term(key)), term(default)))

    def __getitem__(self, key):                 # of a key that is there
        return Value(self.value(term(key)))

    def values(self):
        return Values(self)

    def items(self):
        return Items(self)


class Values:
    def __init__(self, map):
        self.map = map


class Items(Values):
    pass


class Some:
    """A list of which is known only how its elements come about. All that can be asked is the greatest."""

    def __init__(self, firsts, pick):
        self.firsts, self.pick = firsts, pick

    def __radd__(self, firsts):
        return Some(list(firsts) + self.firsts, self.pick)


class Ascending:
    def __init__(self, nodes):
        self.nodes = nodes


class Count:
    """How many are in a set, some times over."""

    def __init__(self, nodes, times=1):
        self.nodes, self.times = nodes, times

    def __rmul__(self, times):
        return Count(self.nodes, times * self.times)

    def __gt__(self, other):
        if isinstance(other, Count) and self.times == 2 and other.times == 1:
            return Majority(self.nodes, other.nodes)
        return Unknown()

    def __lt__(self, other):
        return other > self if isinstance(other, Count) else Unknown()

    def __eq__(self, other):
        return One(self.nodes) if self.times == 1 and other == 1 else Unknown()

    def __ge__(self, other):
        return Unknown()
    __le__ = __ne__ = __ge__


class Unknown(Bit):
    """Of this nothing is known: both ways are always possible. Asked again (x and y may be x) it is the same."""
    answer = None

    def __init__(self):
        pass

    def __bool__(self):
        if self.answer is None:
            self.answer = RUN.branch(None, None)
            if self.answer:
                self.holds()
        return self.answer

    def holds(self):
        """Tells the path what is so then."""


class Majority(Unknown):
    """2|part| > |whole|. If it is so, and that is what R3 says, some quorum is contained in part."""

    def __init__(self, part, whole):
        self.part, self.whole = part, whole

    def holds(self):
        k, listed = RUN.fresh("k", Id), self.whole.list
        electors = lambda k: z3.Or(voter(k, listed), witness(k, listed))
        if listed is not None and RUN.follows(z3.And(z3.Implies(self.part.has(k), self.whole.has(k)), self.whole.has(k) == electors(k))):
            q = RUN.fresh("counted", Quorum)
            RUN.quorums.append(q)
            RUN.learn(quorum_of(q, listed))
            RUN.learn(z3.ForAll([k], z3.Implies(member(k, q), self.part.has(k)), patterns=[member(k, q)]))


class One(Unknown):
    """Exactly one is in the set."""

    def __init__(self, nodes):
        self.nodes = nodes

    def holds(self):
        k, one = RUN.fresh("k", Id), RUN.fresh("one", Id)
        RUN.single = one
        RUN.learn(z3.And(self.nodes.has(one), z3.ForAll([k], z3.Implies(self.nodes.has(k), k == one))))


class Conf:
    """A configuration."""
    __hash__ = None

    def __init__(self, e):
        self.e = e
        listed = z3.simplify(conf_members(e))
        self.epoch, self.version = Value(conf_epoch(e)), Value(conf_version(e))
        kinds = [Nodes(lambda k, f=f: f(k, listed), listed) for f in (voter, witness, observer)]
        self.voters, self.witnesses, self.observers = kinds

    def __eq__(self, other):
        return False if other is None else Bit(self.e == other.e)

    def __ne__(self, other):
        return True if other is None else Bit(self.e != other.e)

    def but(self, epoch):
        return Conf(conf_of(term(epoch), conf_version(self.e), conf_members(self.e)))


class Record:
    """What has fields, and is never changed, only copied."""
    FIELDS = ()

    def __init__(self, *values, **named):
        for name in self.FIELDS[:len(values)]:
            named[name] = values[self.FIELDS.index(name)]
        if len(values) > len(self.FIELDS) or set(named) != set(self.FIELDS):
            raise NotUnderstood(f"{type(self).__name__} of {sorted(named)}")
        self.__dict__.update(named)

    def but(self, **changed):
        return type(self)(**{**{name: getattr(self, name) for name in self.FIELDS}, **changed})


class State(Record):
    FIELDS = ("role", "leader", "lease", "epoch", "grantee", "support", "asked", "latest", "dated", "answered", "conf")


class Message(Record):
    FIELDS = ("type", "sender", "to", "epoch", "question", "keeps", "granted", "names", "conf")
    only = None                                 # of a broadcast: who is meant by each

    def but(self, **changed):
        message = super().but(**changed)
        message.only = self.only
        return message


class Granted(Record):
    FIELDS = ("by", "epoch", "question")
    __hash__ = None

    def __eq__(self, other):
        return self is other


def holds(nodes):
    """Who is in a set, or has an entry in a map."""
    if isinstance(nodes, (Nodes, Map)):
        return nodes.has
    if isinstance(nodes, (set, dict)) and not nodes:
        return lambda k: z3.BoolVal(False)
    raise NotUnderstood(f"a set: {nodes!r}")


def maps(m):
    return m if isinstance(m, Map) else Map(holds(m), lambda k: z3.IntVal(0))


def contains(x, among):
    if isinstance(x, str):
        return x in among
    if isinstance(among, (tuple, list)):
        return Bit(z3.Or([term(x) == term(y) for y in among]))
    return Bit(holds(among)(term(x)))


def lacks(x, among):
    found = contains(x, among)
    return Bit(z3.Not(found.e)) if isinstance(found, Bit) else not found


def set_of(*elements):
    if all(isinstance(x, str) for x in elements):
        return set(elements)
    return Nodes(lambda k: z3.Or([k == term(x) for x in elements]))


def map_of(*pairs):
    if all(isinstance(k, str) for k, _ in pairs):
        return dict(pairs)
    result = maps({})
    for key, value in pairs:
        if key is None:                         # **value
            result = maps(value)
        else:
            old, k0, v0 = result, term(key), term(value)
            result = Map(lambda k, o=old, k0=k0: z3.Or(o.has(k), k == k0), lambda k, o=old, k0=k0, v0=v0: z3.If(k == k0, v0, o.value(k)))
    return result


def itself(element, k):
    if not element(Value(k)).e.eq(k):
        raise NotUnderstood("a comprehension whose elements are others than those of its source")


def comprehend(kind, source, element, condition):
    if isinstance(source, (list, tuple)):
        return [element(x) for x in source if condition(x)]
    if isinstance(source, type({}.items())) and not source:
        return {}
    if isinstance(source, Ascending):           # a broadcast: one message to whoever is meant
        message = element(Value(each))
        message.only = source.nodes.has(each)
        return [message]
    if isinstance(source, Items) and kind == "map":
        m = source.map
        if not element(Value(each), Value(m.value(each)))[0].e.eq(each):
            raise NotUnderstood("a map with other keys")
        two = lambda f, k: f(Value(k), Value(m.value(k)))
        return Map(lambda k: z3.And(m.has(k), term(two(condition, k))), lambda k: term(two(element, k)[1]))
    if isinstance(source, Values) and kind == "list":
        def pick():
            k = RUN.fresh("picked", Id)
            RUN.branch(source.map.has(k), z3.BoolVal(False))
            value = Value(source.map.value(k))
            return (element(value), True) if condition(value) else (None, False)
        return Some([], pick)
    if kind == "map":
        return Map(lambda k: z3.And(holds(source)(k), term(condition(Value(k)))), lambda k: term(element(Value(k))[1]))
    itself(element, each)
    return Nodes(lambda k: z3.And(holds(source)(k), term(condition(Value(k)))))


def greatest(*values):
    """max."""
    if len(values) == 2:
        a, b = map(term, values)
        return Value(z3.If(a >= b, a, b))
    if isinstance(values[0], Some) and len(values[0].firsts) == 1:
        first = values[0].firsts[0]
        if RUN.branch(None, None):              # one of the others, if there is such a one
            counted = list(RUN.quorums)
            other, is_one = values[0].pick()
            if is_one and other >= first:
                return other
            RUN.quorums = counted      # a quorum that is not made use of
        return first
    raise NotUnderstood("max")


def words(me, fixed):
    """The words that the page says it uses."""
    return dict(me=Value(me), fixed=fixed, State=State, Message=Message, Granted=Granted, ascending=Ascending, max=greatest, len=Count,
                entry=lambda c, k: Value(entry(term(k), conf_members(c.e))), contains=contains, lacks=lacks, set_of=set_of, map_of=map_of,
                higher=lambda k, l, c: Bit(higher(term(k), term(l), conf_members(c.e))),
                highest=lambda nodes, c: Value(RUN.fresh("highest", Id)), comprehend=comprehend, set=set, __builtins__={})
