#!/usr/bin/env python3
"""make prove: what spec/README.md promises, proved for any number of nodes. README.md beside this says what, and why it holds.

prove.py             every proof; fails if anything is not proved
prove.py -mutants    every edit of mutants.json: the proof must fail, or hold, as the list says
prove.py -second     asks cvc5 all that z3 has proved, too, and compares what it leaves unknown with second.txt
prove.py -second -list   writes second.txt
prove.py NAME...     only parts, or jobs, of these names"""
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import sys
import time

try:
    import cvc5  # noqa: F401
    import z3  # noqa: F401
except ImportError:
    sys.exit("make prove needs the Python packages z3-solver and cvc5, which it installs with pip into .cache/prove: that has failed, see above.")

import bounds
import changes
import changing
import fencing
import fixed
import majorities
import network
import runs
import scenario
import teeth
import votes
from solver import Prover


def fixed_action(prover, number):
    S, code, conf = fixed.begin()
    fixed.prove_action(prover, S, list(network.actions(S, code, conf))[number])


def fixed_rest(prover):
    fixed.prove_rest(prover, *fixed.begin())


def changing_action(prover, number):
    S, code = changing.begin()
    changing.prove_action(prover, S, list(network.actions(S, code))[number])


def changing_initial(prover):
    changing.prove_initial(prover, *changing.begin())


def jobs():
    """(part, what is asked, function, arguments), the longest first."""
    names = [a.name for a in network.actions(*changing.begin())]
    order = sorted(range(len(names)), key=lambda n: names[n] not in ("OnElection", "OnResign"))
    yield "votes", "Win", changes.prove, ("Win",)
    yield from (("changing", names[n], changing_action, (n,)) for n in order)
    names = [a.name for a in network.actions(*fixed.begin())]
    yield from (("fixed", name, fixed_action, (n,)) for n, name in enumerate(names))
    yield from (("votes", name, changes.prove, (name,)) for name in votes.ACTIONS if name != "Win")
    yield "fixed", "Init, Expire, what follows", fixed_rest, ()
    yield "changing", "Init", changing_initial, ()
    yield "votes", "Init", changes.prove_initial, ()
    yield "reached", "runs of the page's code", runs.prove, ()
    yield "reached", "a run of votes.py", scenario.prove, ()
    yield "fencing", "all", fencing.prove, ()
    yield "fencing", "states of plain values", fencing.explore, ()
    yield "clocks", "R37", bounds.prove, ()
    yield "majorities", "R3, R47", majorities.prove, ()
    yield "edits", "all", teeth.edits, ()


STATEMENTS = {
    "fixed": "OneLeaderPerEpoch, EpochMonotonic, OneActing; each step is one of LeaderElection: the page's code, fixed members",
    "changing": "each step is made of steps of votes.py: the page's code, changing members",
    "votes": "OneLeaderPerEpoch, EpochMonotonic, OneConfiguration, ConfigurationMonotonic, and LeaderElection: votes.py",
    "fencing": "NoStaleWrite, ReignsInOrder, NoLockout, AdmittedMonotonic: tla/Fencing.tla",
    "clocks": "R37: from rates of clocks the order that OneActing needs; each bound is enough, and tight",
    "reached": "the invariants are true in states that are reached, from which every action is taken",
    "mutants": "each rule off: the proof fails, or holds, as mutants.json says",
    "edits": "mutants.json: each of its edits is one of the page's code of now",
    "majorities": "two majorities share a node, over one changed elector too",
}


def run(job, answers):
    part, name, function, arguments, second = job
    prover = Prover(second)
    try:
        function(prover, *arguments)
    except Exception as problem:                # of the page's code: it uses what has no meaning here, or goes wrong
        prover.failed.append((name, f"{type(problem).__name__}: {problem}"))
    answers.send((part, name, prover.asked, prover.failed, prover.seconds(), prover.asked_second, prover.unknown_second, prover.notes))


def results(todo):
    """What each job says, in a process of its own: what z3 answers may depend on what it was asked before. One that dies has failed."""
    fork, running = multiprocessing.get_context("fork"), {}
    while todo or running:
        while todo and len(running) < min(2, os.cpu_count() or 1):
            job = todo.pop(0)
            answers, child = fork.Pipe(duplex=False)
            process = fork.Process(target=run, args=(job, child))
            process.start()
            child.close()
            running[answers] = process, job
        for answers in multiprocessing.connection.wait(list(running)):
            process, (part, name, *_) = running.pop(answers)
            try:
                result = answers.recv()
            except EOFError:
                process.join()
                result = part, name, 0, [(name, f"the process that asked ended, with exit code {process.exitcode}")], 0, 0, [], []
            process.join()
            yield result


def main(words):
    second, names, started = "-second" in words, [w for w in words if not w.startswith("-")], time.monotonic()
    todo = [(*job, second) for job in (teeth.jobs() if "-mutants" in words else jobs()) if not names or any(n in job[:2] for n in names)]
    done, count = [], len(todo)
    for result in results(todo):
        done.append(result)
        part, name, asked, failed, *_ = result
        print(f"\r{len(done)} of {count}: {part} {name}, {asked} queries".ljust(78), end="", file=sys.stderr, flush=True)
        for note in result[-1]:
            print("\r" + note, flush=True)
        for what, answer in failed:
            print(f"\nNOT PROVED: {part}: {what}: {answer}", flush=True)
    print("", file=sys.stderr)
    return table(done, second, started) or (unknown(done, "-list" in words) if second and not names else 0)


def unknown(done, write):
    """What cvc5 leaves open within its limit is pinned: second.txt has the exact list. -list writes it."""
    page, found = pathlib.Path(__file__).with_name("second.txt"), sorted(f"{d[0]}: {name}" for d in done for name in d[6])
    if write:
        page.write_text("".join(line + "\n" for line in found), encoding="utf-8")
    pinned = page.read_text(encoding="utf-8").splitlines()
    for line in sorted(set(found) ^ set(pinned)):
        print(f"{'cvc5 leaves open now' if line in found else 'cvc5 proves now'}: {line}")
    return 1 if found != pinned else 0


def table(done, second, started):
    print(f"{'queries':>7} {'seconds':>7}  {'by':12} statement")
    bad = 0
    for part in STATEMENTS:
        mine = [d for d in done if d[0] == part]
        if not mine:
            continue
        failed = sum(len(d[3]) for d in mine)
        bad += failed
        by = f"z3, cvc5 {sum(d[5] for d in mine) - sum(len(d[6]) for d in mine)}" if second else "z3"
        print(f"{sum(d[2] for d in mine):7} {sum(d[4] for d in mine):7.1f}  {by:12} {STATEMENTS[part]}{f': {failed} NOT PROVED' if failed else ''}")
    print(f"{sum(d[2] for d in done)} queries in {time.monotonic() - started:.0f} s: " + ("all is proved." if not bad else f"{bad} ARE NOT AS THEY MUST BE."))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
