"""R37: the bounds between the timers, read from the page's table, for all values of the parameters, in real arithmetic.

Each bound gives what the page says it is for; and whatever the values, if it is missed, however little, there is a course of
events in which that goes wrong. Clocks go at any rates between 1-rho and 1+rho, which may change all the time."""
import re

import z3
from z3 import And, Not
from z3.z3util import get_vars

import text

NAMES = ("rho", "delta", "heartbeat", "reign", "patience", "T_elec", "T_coord", "T_claim")
V = {name: z3.Real(name) for name in NAMES}
rho, delta, heartbeat, reign, patience, T_elec, T_coord, T_claim = V.values()
POSITIVE = [0 <= rho, rho < 1] + [V[name] > 0 for name in NAMES[1:]]
t, t1, t2, t3, t4, s, s1, a, a1, u, r, end, win, next_ = z3.Reals("t t1 t2 t3 t4 s s1 a a1 u r end win next")
part, slow, slow_claim, longest = z3.Reals("part slow slow_claim longest")
C_l, C_l1, C_j = z3.Reals("C_l C_l1 C_j")


def formula(cell):
    """A bound of the table as a term: 2δ(1+ρ) is a product, max is the greater."""
    plain = cell.replace("`", "").replace("δ", " delta ").replace("ρ", " rho ").replace("−", "-").replace("·", "*").replace("≥", ">=")
    out = []
    for token in re.findall(r"[A-Za-z_]+|\d+|>=|[-+*/(),>]", plain):
        if out and out[-1] != "max" and re.match(r"[\w)]", out[-1][-1]) and re.match(r"[\w(]", token[0]):
            out.append("*")
        out.append(token)
    return eval(" ".join(out), {**V, "max": greater})


def table():
    """letter: bound. And the page's example: what is chosen for each."""
    page = text.RULES.read_text(encoding="utf-8")
    section = page[page.index("### R37 "):page.index("**Besides:**")]
    bounds = {letter: formula(cell) for letter, cell in re.findall(r"^\| ([a-i]) \| ([^|]*) \|", section, re.M)}
    chosen = dict(re.findall(r"^\| `(\w+)` \|.*\| (\d+) ms \|$", section, re.M))
    given = re.search(r"δ = (\d+) ms, ρ = (\d+)%, `heartbeat` = (\d+) ms", section)
    example = [V[name] == int(value) for name, value in chosen.items()] + [
        delta == int(given[1]), rho == z3.Q(int(given[2]), 100), heartbeat == int(given[3])]
    if len(bounds) != 8 or len(example) != 8:
        raise SystemExit(f"{text.RULES}: R37 has {len(bounds)} bounds and an example of {len(example)} values: 8 of both are expected")
    return bounds, example


def timer(x, armed, end):
    """Set to x and armed at armed, it is given to the node at end."""
    return And(end >= armed + x / (1 + rho), end < armed + x / (1 - rho) + delta)


def greater(x, y):
    return z3.If(x >= y, x, y)


def takes(sent, taken):
    return And(sent <= taken, taken < sent + delta)


# What OneActing rests on. l reads its clock at s and asks n; j answers at a; j's patience counts from u, and is over at end.
# Then l's clock has gone on by reign since s: the question has expired. No bound on how long a message takes occurs. Nor do two
# of the four bounds on clocks: the clock of j may be as slow as it likes, or stand, and that of l as fast.
L_GOES, J_IS_NOT_FAST = C_l >= (1 - rho) * (end - s), C_j <= (1 + rho) * (end - u)
WORLD = [L_GOES, J_IS_NOT_FAST, u <= end]
PATIENT, SILENT = C_j >= patience, C_j >= T_coord
CLOCKS = {
    "the lease: patience counts from the answer": ("d", WORLD + [PATIENT, s <= a, u == a], C_l >= reign),
    "it may count from any later reading of the clock": ("d", WORLD + [PATIENT, s <= a, a <= u], C_l >= reign),
    "it may count from before the answer, if after the asking": ("d", WORLD + [PATIENT, s <= u], C_l >= reign),
    "what was asked earlier has expired too": ("d", WORLD + [PATIENT, s <= u, s1 <= s, C_l1 >= C_l], C_l1 >= reign),
    "an older question, answered later, renews nothing": (
        "d", [C_l1 >= (1 - rho) * (end - s1), J_IS_NOT_FAST, PATIENT, s1 <= s, s <= u, u <= a1, a1 <= end], C_l1 >= reign),
    "the same for who has granted, and waits as electing": ("g", WORLD + [SILENT, s <= a, u == a], C_l >= reign),
    "silence: it answered before it restarted at r": ("g", WORLD + [SILENT, s <= a, a <= r, r <= u], C_l >= reign),
    "a claim that is won has not expired": ("i", [C_l < T_claim], C_l < reign),
}
# What must be false, or the proofs above would prove anything.
CONTROLS = {
    "counted from a clock that was read before the question was asked": ("d", WORLD + [PATIENT, u < s], C_l >= reign),
    "the leader's clock is read only after the answer": ("d", WORLD + [PATIENT, u == a, a < s], C_l >= reign),
    "silence is counted from before the last answer": ("g", WORLD + [SILENT, u < s, s <= a, a <= r], C_l >= reign),
    "the clock of who leads stands": ("d", [J_IS_NOT_FAST, u <= end, PATIENT, s <= a, u == a, C_l == 0], C_l >= reign),
    "the clock of who keeps the lease runs away": ("d", [L_GOES, u <= end, PATIENT, s <= a, u == a], C_l >= reign),
}
# What the other promises rest on: that what a timer waits for can no longer come when it ends. Times are of the beginnings of steps.
ROUNDS = {
    "every ELECTION has been answered": ("a", [takes(t, t1), takes(t1, t2), timer(T_elec, t, end)], end > t2),
    "CLAIM, RESIGN, CLAIM and GRANT are over": (
        "b", [takes(t, t1), takes(t1, t2), takes(t2, t3), takes(t3, t4), timer(T_claim, t, end)], end > t4),
    "the next question is answered before the reign ends": (
        "c", [timer(heartbeat, t, s), t <= win, win < t + 4 * delta, next_ < greater(s, win + delta), takes(next_, t1), takes(t1, t2),
              timer(reign, t, end)], end > t2),
    "who said OK has had its T_elec, its claim, and its COORDINATOR": (
        "e", [timer(T_elec, t, s), timer(T_claim, s, u), win <= u, takes(win, t1), a >= t, timer(T_coord, a, end)], end > t1),
}


# For the first lemma of each letter, the course of events if the bound is missed. Each line is an equation of one more unknown,
# which has a solution: so there is such a course, whatever the values are. part is how much there is of the time that is needed.
MISSED = {
    "d": [s == 0, a == 0, u == 0, end * (1 + rho) == patience, C_j == patience, C_l == (1 - rho) * end],
    "g": [s == 0, a == 0, u == 0, end * (1 + rho) == T_coord, C_j == T_coord, C_l == (1 - rho) * end],
    "i": [C_l == reign],
    "a": [t == 0, end * (1 + rho) == T_elec, t1 * 2 == end, t2 == end],
    "b": [t == 0, end * (1 + rho) == T_claim, t1 * 4 == end, t2 * 2 == end, t3 * 4 == 3 * end, t4 == end],
    "c": [t == 0, end * (1 + rho) == reign, slow * (1 - rho) == heartbeat, longest == greater(slow, 4 * delta), part * (longest + 3 * delta) == end,
          s == greater(heartbeat / (1 + rho), (1 + part) / 2 * (slow + delta)), win == 2 * (1 + part) * delta, next_ == part * (longest + delta),
          t1 == next_ + part * delta, t2 == end],
    "e": [t == 0, a == 0, end * (1 + rho) == T_coord, slow * (1 - rho) == T_elec, slow_claim * (1 - rho) == T_claim,
          part * (slow + slow_claim + 3 * delta) == end, s == slow + part * delta, u == s + slow_claim + part * delta,
          win == part * (slow + slow_claim + 2 * delta), t1 == end],
}


def lemmas(prover, bounds):
    """Each lemma follows from its bound alone, and not if the left side is less than the right, however little."""
    for name, (letter, given, goal) in {**CLOCKS, **ROUNDS}.items():
        prover.holds(f"R37 {letter}: {name}", POSITIVE + [bounds[letter]] + given, {"": goal})
    for letter, events in MISSED.items():
        name, given, goal = next((name, given, goal) for name, (of, given, goal) in {**CLOCKS, **ROUNDS}.items() if of == letter)
        left, right = bounds[letter].children()
        missed = POSITIVE + [left < right] + events
        prover.possible(f"R37 {letter} is missed: {name}", missed + example_rates() + [left > right * z3.Q(999, 1000)])
        prover.holds(f"R37 {letter} cannot be less: {name}", missed, {str(n): fact for n, fact in enumerate(given + [Not(goal)])})
    for name, (letter, given, goal) in CONTROLS.items():
        prover.possible(f"R37 control: {name}", POSITIVE + example_rates() + [bounds[letter]] + given + [Not(goal)])


def teeth(prover):
    """A bound that is a hundredth less is not enough, and one that is a hundredth more could be less."""
    bounds, _ = table()
    for letter in MISSED:
        left, right = bounds[letter].children()
        for factor, why in ((z3.Q(99, 100), f"R37 {letter}: "), (z3.Q(101, 100), f"R37 {letter} cannot be less: ")):
            broken = type(prover)()
            lemmas(broken, {**bounds, letter: bounds[letter].decl()(left, right * factor)})
            prover.asked += broken.asked
            if not any(name.startswith(why) for name, _ in broken.failed):
                prover.failed.append((f"R37 {letter}, times {factor}", "the proof holds with another bound"))


def of_clocks_alone(prover, bounds):
    """What OneActing needs is about clocks: no time that messages or disks take occurs in it."""
    for name, (letter, given, goal) in CLOCKS.items():
        prover.asked += 1
        used = {str(x) for part in [bounds[letter], goal] + given for x in get_vars(part)}
        if used & {"delta", "heartbeat", "T_elec"}:
            prover.failed.append((f"R37 {letter}: {name}", "it is about more than clocks"))


def example_rates():
    return [rho == z3.Q(1, 100), delta == 8]


def prove(prover):
    bounds, example = table()
    lemmas(prover, bounds)
    of_clocks_alone(prover, bounds)
    prover.holds("R37", POSITIVE + [bounds["e"]], {"T_claim < T_coord": T_claim < T_coord})
    prover.holds("R37", example, {"the example keeps": And(list(bounds.values()))})
    prover.possible("R37 all bounds together", POSITIVE + list(bounds.values()))
