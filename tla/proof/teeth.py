"""Each rule broken, one edit of the page's code each: the proof must then fail where mutants.json says, or hold all the same.

An edit has a name, where there is one that of the same mutant in tla/MCCluster.tla; the rule; old and new text (null: nothing is
edited, but what clocks give is left out); the members it is asked of; and at: the action and the conjunct at which the proof
fails, or null if nothing here rests on that rule."""
import json
import pathlib

import bounds
import changing
import fencing
import fixed
import network
import text
from executor import RUN, NotUnderstood
from network import me, sender

LIST = pathlib.Path(__file__).with_name("mutants.json")


def mutants():
    return json.loads(LIST.read_text(encoding="utf-8"))


def edits(prover):
    """What each edit replaces is in the page's code, once: else a rule that was reworded would be broken by nobody."""
    for mutant in mutants():
        if edit := _edit(mutant):
            prover.asked += 1
            try:
                text.code(edit)
            except ValueError as problem:
                prover.failed.append((mutant["name"], str(problem)))


def _edit(mutant):
    return text.Edit(mutant["old"], mutant["new"]) if mutant.get("old") else None


def _begin(mutant):
    edit = _edit(mutant)
    if mutant["members"] == "fixed":
        S, code, conf = fixed.begin(edit)
        return S, list(network.actions(S, code, conf)), fixed
    S, code = changing.begin(edit)
    return S, list(network.actions(S, code)), changing


def must_fail(prover, mutant):
    """The proof fails at that action and conjunct."""
    name, prover.only = mutant["at"].split()
    S, actions, module = _begin(mutant)
    for action in actions:
        if action.name == name and not prover.failed:
            try:
                if mutant["old"] is None:               # no edit: what clocks give is left out
                    fixed.prove_action(prover, S, action, clocks=False)
                else:
                    module.prove_action(prover, S, action)
            except NotUnderstood as problem:
                prover.failed.append((name, str(problem)))
    if prover.failed:
        print_state(prover, S, mutant)
        prover.failed = []
    else:
        prover.failed = [(f"{mutant['name']} ({mutant['rule']})", "the proof holds without this rule")]


def must_hold(prover, mutant):
    """The proof holds: every action whose paths are others than those of the page's own code."""
    _, own, _ = _begin({"members": mutant["members"]})
    S, actions, module = _begin(mutant)
    for action, was in zip(actions, own):
        if told(action, module) != told(was, module):
            module.prove_action(prover, S, action, quick=True)
            if prover.failed:
                return


def told(action, module):
    """The paths of an action, as text."""
    known = fixed.seen() if module is fixed else []
    return sorted(" ".join(c.sexpr() for c in path.conditions) + ("" if path.outcome is None else network.told(*path.outcome, simplify=lambda x: x)) for path in RUN.paths(action.run, action.given + known))


def print_state(prover, S, mutant):
    """The state that a step leads out of, if the solver has one."""
    what, answer = prover.failed[0]
    line = f"{mutant['name']} ({mutant['rule']}): not proved ({answer}): {what}"
    if prover.model is not None:
        value = lambda term: str(prover.model.eval(term, model_completion=True)).replace("role_", "").replace("Id!val!", "node ")
        fields = ("role", "leader", "lease", "epoch", "grantee", "asked", "latest", "dated")
        line += ". From: " + ", ".join(f"{field} {value(getattr(S, field)(me))}" for field in fields)
        line += f". It is {value(me)}" + (f", and hears {value(sender)}" if what.startswith("On") else "")
    prover.notes.append(line)


def fence(prover, broken):
    """A rule of the fence off: mutants of MCFencing. The proof fails, and other states are reached than TLC's."""
    for asked in (fencing.prove, fencing.explore):
        asked(prover, broken=broken)
        if prover.failed:
            prover.notes.append(f"{broken} (R38): not so: {prover.failed[0][0]}")
            prover.failed = []
        else:
            prover.failed = [(broken, f"{asked.__name__} of Fencing notices nothing")]
            return


def jobs():
    for mutant in mutants():
        yield "mutants", mutant["name"], must_fail if mutant["at"] else must_hold, (mutant,)
    for broken in fencing.BROKEN:
        yield "mutants", broken, fence, (broken,)
    yield "mutants", "bounds of R37", bounds.teeth, ()
