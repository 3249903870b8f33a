"""Questions to the solvers. Each has a limit on its resources, never on time: a busy machine proves the same."""
import time

import cvc5
import z3

LIMIT = 3_000_000                               # z3's rlimit of a question: a second or two. No proof needs a third of it
LIMIT_SECOND = 400_000                          # cvc5's


class Prover:
    """Asks, and keeps count. A goal that is not proved is in failed: (name, answer, what is known of the counter-state)."""

    def __init__(self, second=False, only=None):
        self.only = only                        # the one goal that is asked, where a mutant must fail at it
        self.second, self.asked, self.failed, self.started = second, 0, [], time.process_time()
        self.asked_second, self.unknown_second, self.notes, self.model = 0, [], [], None

    def holds(self, name, given, goals, quick=False):
        """Each of goals (name: formula) follows from given, a list. All are asked at once first: that is the usual answer."""
        if self.only:
            goals, quick = {part: goal for part, goal in goals.items() if part == self.only}, True
        if len(goals) > 1 and self._ask(given, z3.And(list(goals.values()))) == z3.unsat:
            if not self._second(name, given, z3.And(list(goals.values()))):
                for part, goal in goals.items():            # one by one, then, which it finds easier
                    self._second(f"{name} {part}", given, goal, pinned=True)
            return True
        wrong = []
        for part, goal in goals.items():
            full = f"{name} {part}".strip()
            answer = self._ask(given, goal)
            if answer == z3.unsat:
                self._second(full, given, goal, pinned=True)
                continue
            wrong.append(part)
            self.failed.append((full, str(answer)))
            self.model = self.last.model() if answer == z3.sat else None
            if quick:
                break
        return not wrong

    def step(self, name, given, known, goal, attempts):
        """goal follows from given and some of known, a map: from those that each attempt names, or from all."""
        for names in attempts + [list(known)]:
            facts = given + [known[fact] for fact in dict.fromkeys(names)]
            answer = self._ask(facts, goal, limit=LIMIT if names == list(known) else LIMIT // 10)
            if answer == z3.unsat:
                self._second(name, facts, goal, pinned=True)
                return
        self.failed.append((name, str(answer)))

    def possible(self, name, given):
        """There is a state in which all of given is so: an answer that is pinned, too."""
        answer = self._ask(given, z3.BoolVal(False), models=True)
        if answer != z3.sat:
            self.failed.append((name, f"{answer}, where it must be possible"))

    def _ask(self, given, goal, models=False, limit=LIMIT):
        self.asked += 1
        solver = z3.Solver()
        solver.set("rlimit", limit)
        solver.set(mbqi=models)
        solver.add(given)
        solver.add(z3.Not(goal))
        self.last = solver
        return solver.check()

    def _second(self, name, given, goal, pinned=False):
        """The same question, as SMT-LIB 2, to cvc5. Whether it proves it too; pinned: if not, that is told. Without
        second cvc5 only reads it, so that each proof shows that it could be asked."""
        solver = z3.Solver()
        solver.add(given)
        solver.add(z3.Not(goal))
        cvc = cvc5.Solver(cvc5.TermManager())
        cvc.setOption("rlimit-per", str(LIMIT_SECOND))
        cvc.setLogic("ALL")
        parser = cvc5.InputParser(cvc)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, solver.to_smt2(), name)
        symbols, said = parser.getSymbolManager(), ""
        while not (command := parser.nextCommand()).isNull():
            if self.second or command.getCommandName() != "check-sat":
                said += command.invoke(cvc, symbols)
        if not self.second:
            return True
        proved = said.strip() == "unsat"
        if proved or pinned:
            self.asked_second += 1
        if pinned and not proved:
            self.unknown_second.append(name)
        return proved

    def seconds(self):
        return time.process_time() - self.started
