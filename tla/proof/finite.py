"""Formulas of the proofs, evaluated in a finite world: who is there, which numbers occur, and a table for each function.

An invariant that no state satisfies proves anything. So states that are really reached are shown to satisfy it."""
import itertools

import z3

ARITHMETIC = {z3.Z3_OP_ADD: lambda a, b: a + b, z3.Z3_OP_SUB: lambda a, b: a - b, z3.Z3_OP_MUL: lambda a, b: a * b, z3.Z3_OP_LE: lambda a, b: a <= b,
              z3.Z3_OP_GE: lambda a, b: a >= b, z3.Z3_OP_LT: lambda a, b: a < b, z3.Z3_OP_GT: lambda a, b: a > b, z3.Z3_OP_EQ: lambda a, b: a == b,
              z3.Z3_OP_DISTINCT: lambda a, b: a != b, z3.Z3_OP_IMPLIES: lambda a, b: b if a else True}


class World:
    """domains: the values of each sort, by its name. tables: each function by its name: a set of what is so, or a function of Python."""

    def __init__(self, domains, tables):
        self.domains, self.tables, self.made = domains, tables, {}

    def holds(self, formula):
        return self.value(formula)(())

    def value(self, e):
        """A function of what is bound, innermost last."""
        if e.get_id() not in self.made:
            self.made[e.get_id()] = self._quantifier(e) if z3.is_quantifier(e) else self._application(e), e     # e is kept for its number's sake
        return self.made[e.get_id()][0]

    def _application(self, e):
        if z3.is_var(e):
            return lambda bound, n=z3.get_var_index(e): bound[-1 - n]
        if z3.is_int_value(e):
            return lambda bound, n=e.as_long(): n
        kind, parts = e.decl().kind(), [self.value(x) for x in e.children()]
        if kind == z3.Z3_OP_AND:
            return lambda bound: all(p(bound) for p in parts)
        if kind == z3.Z3_OP_OR:
            return lambda bound: any(p(bound) for p in parts)
        if kind == z3.Z3_OP_NOT:
            return lambda bound: not parts[0](bound)
        if kind == z3.Z3_OP_IMPLIES:
            return lambda bound: not parts[0](bound) or parts[1](bound)
        if kind == z3.Z3_OP_ITE:
            return lambda bound: parts[1](bound) if parts[0](bound) else parts[2](bound)
        if kind in (z3.Z3_OP_TRUE, z3.Z3_OP_FALSE):
            return lambda bound: kind == z3.Z3_OP_TRUE
        if kind in ARITHMETIC and len(parts) == 2:
            return lambda bound, f=ARITHMETIC[kind]: f(parts[0](bound), parts[1](bound))
        if kind == z3.Z3_OP_ADD:
            return lambda bound: sum(p(bound) for p in parts)
        return self._function(e.decl().name(), parts)

    def _function(self, name, parts):
        table = self.tables[name] if name in self.tables else name.removeprefix("role_")
        if callable(table):
            return lambda bound: table(*[p(bound) for p in parts])
        if isinstance(table, set):                # a frozenset is a value
            return lambda bound: tuple(p(bound) for p in parts) in table
        return lambda bound: table

    def _quantifier(self, e):
        sorts = [e.var_sort(n).name() for n in range(e.num_vars())]
        body, each = self.value(e.body()), all if e.is_forall() else any
        quick = self._rows(e) if e.is_forall() else None
        if quick is None:
            return lambda bound: each(body(bound + row) for row in itertools.product(*[self.domains[s] for s in sorts]))
        table, places = quick
        rest = [n for n in range(len(sorts)) if n not in places]

        def run(bound):
            for row in table:
                values = dict(zip(places, row))
                for others in itertools.product(*[self.domains[sorts[n]] for n in rest]):
                    values.update(zip(rest, others))
                    if not body(bound + tuple(values[n] for n in range(len(sorts)))):
                        return False
            return True
        return run

    def _rows(self, e):
        """Of "if r(x, y), then ..." only the rows of r matter: which, and which variables they bind."""
        body = e.body()
        if not z3.is_implies(body):
            return None
        first = body.arg(0)
        for part in [first] + (first.children() if z3.is_and(first) else []):
            either = part.children() if z3.is_or(part) else [part]
            arguments = [[z3.get_var_index(x) for x in r.children() if z3.is_var(x)] for r in either]
            same = all(a == arguments[0] for a in arguments)
            if same and all(z3.is_app(r) and isinstance(self.tables.get(r.decl().name()), set) and r.num_args() == len(a) == len(set(a)) and
                            max(a) < e.num_vars() for r, a in zip(either, arguments)):
                return set().union(*[self.tables[r.decl().name()] for r in either]), [e.num_vars() - 1 - n for n in arguments[0]]
        return None
