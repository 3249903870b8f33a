"""R37: the bounds between the timers, read from the page's table, for all values of the parameters, in real arithmetic.

Each bound gives what the page says it is for, and the least bit less does not: that is proved and seen for each. Clocks go
at any rates between 1-rho and 1+rho, which may change all the time; a clock that stands is one that goes too slowly."""
import re

import z3
from z3 import And, Implies, Not

import text

NAMES = ("rho", "delta", "heartbeat", "reign", "patience", "T_elec", "T_coord", "T_claim")
V = {name: z3.Real(name) for name in NAMES}
rho, delta, heartbeat, reign, patience, T_elec, T_coord, T_claim = V.values()
POSITIVE = [0 <= rho, rho < 1] + [V[name] > 0 for name in NAMES[1:]]
t, t1, t2, t3, t4, s, s1, a, a1, u, r, end, win, next_ = z3.Reals("t t1 t2 t3 t4 s s1 a a1 u r end win next")
C_l, C_l1, C_j = z3.Reals("C_l C_l1 C_j")


def formula(cell):
    """A bound of the table as a term: 2δ(1+ρ) is a product, max is the greater."""
    plain = cell.replace("`", "").replace("δ", " delta ").replace("ρ", " rho ").replace("−", "-").replace("·", "*").replace("≥", ">=")
    out = []
    for token in re.findall(r"[A-Za-z_]+|\d+|>=|[-+*/(),>]", plain):
        if out and out[-1] != "max" and re.match(r"[\w)]", out[-1][-1]) and re.match(r"[\w(]", token[0]):
            out.append("*")
        out.append(token)
    return eval(" ".join(out), {**V, "max": lambda x, y: z3.If(x >= y, x, y)})


def table():
    """letter: bound. And the page's example: what is chosen for each."""
    page = text.PAGE.read_text(encoding="utf-8")
    section = page[page.index("### R37 "):page.index("**Besides:**")]
    bounds = {letter: formula(cell) for letter, cell in re.findall(r"^\| ([a-i]) \| ([^|]*) \|", section, re.M)}
    chosen = dict(re.findall(r"^\| `(\w+)` \|.*\| (\d+) ms \|$", section, re.M))
    given = re.search(r"δ = (\d+) ms, ρ = (\d+)%, `heartbeat` = (\d+) ms", section)
    example = [V[name] == int(value) for name, value in chosen.items()] + [
        delta == int(given[1]), rho == z3.Q(int(given[2]), 100), heartbeat == int(given[3])]
    if len(bounds) != 8 or len(example) != 8:
        raise SystemExit(f"{text.PAGE}: R37 has {len(bounds)} bounds and an example of {len(example)} values: 8 of both are expected")
    return bounds, example


def timer(x, armed, end):
    """Set to x and armed at armed, it is given to the node at end."""
    return And(end >= armed + x / (1 + rho), end < armed + x / (1 - rho) + delta)


def goes(clock, start, end):
    """From start to end a clock goes on by clock."""
    return And((1 - rho) * (end - start) <= clock, clock <= (1 + rho) * (end - start))


def takes(sent, taken):
    return And(sent <= taken, taken < sent + delta)


# What OneActing rests on. l reads its clock at s and asks n; j answers at a; j's patience counts from u, and is over at end.
# Then l's clock has gone on by reign since s: the question has expired. No bound on how long a message takes occurs.
WORLD = [goes(C_l, s, end), goes(C_j, u, end), u <= end]
PATIENT, SILENT = C_j >= patience, C_j >= T_coord
CLOCKS = {
    "the lease: patience counts from the answer": ("d", WORLD + [PATIENT, s <= a, u == a], C_l >= reign),
    "it may count from any later reading of the clock": ("d", WORLD + [PATIENT, s <= a, a <= u], C_l >= reign),
    "it may count from before the answer, if after the asking": ("d", WORLD + [PATIENT, s <= u], C_l >= reign),
    "what was asked earlier has expired too": ("d", WORLD + [PATIENT, s <= u, s1 <= s, C_l1 >= C_l], C_l1 >= reign),
    "an older question, answered later, renews nothing": (
        "d", [goes(C_l1, s1, end), goes(C_j, u, end), PATIENT, s1 <= s, s <= u, u <= a1, a1 <= end], C_l1 >= reign),
    "the same for who has granted, and waits as electing": ("g", WORLD + [SILENT, s <= a, u == a], C_l >= reign),
    "silence: it answered before it restarted at r": ("g", WORLD + [SILENT, s <= a, a <= r, r <= u], C_l >= reign),
    "a claim that is won has not expired": ("i", [C_l < T_claim], C_l < reign),
}
# What must be false, or the proofs above would prove anything.
CONTROLS = {
    "counted from a clock that was read before the question was asked": ("d", WORLD + [PATIENT, u < s], C_l >= reign),
    "the leader's clock is read only after the answer": ("d", WORLD + [PATIENT, u == a, a < s], C_l >= reign),
    "silence is counted from before the last answer": ("g", WORLD + [SILENT, u < s, s <= a, a <= r], C_l >= reign),
}
# What the other promises rest on: that what a timer waits for can no longer come when it ends. Times are of the beginnings of steps.
ROUNDS = {
    "every ELECTION has been answered": ("a", [takes(t, t1), takes(t1, t2), timer(T_elec, t, end)], end > t2),
    "CLAIM, RESIGN, CLAIM and GRANT are over": (
        "b", [takes(t, t1), takes(t1, t2), takes(t2, t3), takes(t3, t4), timer(T_claim, t, end)], end > t4),
    "the next question is answered before the reign ends": (
        "c", [timer(heartbeat, t, s), t <= win, win < t + 4 * delta, next_ < z3.If(s >= win + delta, s, win + delta), takes(next_, t1), takes(t1, t2),
              timer(reign, t, end)], end > t2),
    "who said OK has had its T_elec, its claim, and its COORDINATOR": (
        "e", [timer(T_elec, t, s), timer(T_claim, s, u), win <= u, takes(win, t1), a >= t, timer(T_coord, a, end)], end > t1),
}


def lemmas(prover, bounds):
    """Each lemma follows from its bound alone, and not if the left side is a thousandth less than the right."""
    for name, (letter, given, goal) in {**CLOCKS, **ROUNDS}.items():
        prover.holds(f"R37 {letter}: {name}", POSITIVE + [bounds[letter]] + given, {"": goal})
    tight = {letter: (name, given, goal) for name, (letter, given, goal) in reversed({**CLOCKS, **ROUNDS}.items())}
    for letter, (name, given, goal) in tight.items():
        left, right = bounds[letter].children()
        prover.possible(f"R37 {letter} is tight: {name}", POSITIVE + example_rates() + [left < right, left > right * z3.Q(999, 1000)] + given + [Not(goal)])
    for name, (letter, given, goal) in CONTROLS.items():
        prover.possible(f"R37 control: {name}", POSITIVE + example_rates() + [bounds[letter]] + given + [Not(goal)])


def example_rates():
    return [rho == z3.Q(1, 100), delta == 8]


def prove(prover):
    bounds, example = table()
    lemmas(prover, bounds)
    prover.holds("R37", POSITIVE + [bounds["e"]], {"T_claim < T_coord": T_claim < T_coord})
    prover.holds("R37", example, {"the example keeps": And(list(bounds.values()))})
    prover.possible("R37 all bounds together", POSITIVE + list(bounds.values()))
