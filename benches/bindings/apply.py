"""Applies patches by the Python package and by its peers, side by side, and prints a table.

Reads the works from a file of JSON lines, which the program ``bindings`` writes.

    python apply.py WORKS
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import canvas_engine
import diff_match_patch
import whatthepatch

ROUNDS = 40
#: Seconds of a round.
SLOT = 0.02
#: How much slower than Rust it may be.
TARGET = 1.3

#: Peers that have no function from text to text.
LEFT_OUT = {
    "unidiff": "it reads patches, and applies none",
    "patch-ng": "it applies patches to files on disk only",
}
MODULES = ("canvas_engine", "diff_match_patch", "whatthepatch", "unidiff", "patch_ng")


def subjects(work):
    before, after, patch = work["before"], work["after"], work["patch"]
    dmp = diff_match_patch.diff_match_patch()
    dmp_patch = dmp.patch_toText(dmp.patch_make(before, after))

    def by_whatthepatch():
        (diff,) = whatthepatch.parse_patch(patch)
        # It gives lines without their ends.
        return "\n".join(whatthepatch.apply_diff(diff, before)) + "\n"

    return {
        "canvas": lambda: canvas_engine.apply(before, patch).text,
        "diff-match-patch": lambda: dmp.patch_apply(dmp.patch_fromText(dmp_patch), before)[0],
        "whatthepatch": by_whatthepatch,
    }


def flaw_of(run, after):
    try:
        return None if run() == after else "gives another result"
    except Exception as error:
        return f"refuses: {error}"


def side_by_side(runs, after):
    """Times the subjects in turns, so that drift of the machine hits all of them alike."""
    flaws = {name: flaw_of(run, after) for name, run in runs.items()}
    samples = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            until = time.perf_counter() + SLOT
            while flaws[name] is None:
                began = time.perf_counter_ns()
                run()
                samples[name].append(time.perf_counter_ns() - began)
                if time.perf_counter() >= until:
                    break
    return flaws, samples


def duration(ns):
    return f"{ns / 1e3:.1f} µs" if ns < 1e6 else f"{ns / 1e6:.2f} ms"


def row(work, size, subject, *columns):
    return f"{work:<12} {size:>6}  {subject:<18} " + " ".join(f"{column:>10}" for column in columns)


def import_time(module):
    script = f"import time; began = time.perf_counter(); import {module}; print((time.perf_counter() - began) * 1e3)"
    run = lambda: float(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout)
    return statistics.median(run() for _ in range(7))


def main():
    print(row("work", "size", "subject", "median", "fastest", "× canvas"))
    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        work = json.loads(line)
        name, size = work["work"], f"{round(len(work['before'].encode()) / 1000)} KB"
        flaws, samples = side_by_side(subjects(work), work["after"])
        ours = statistics.median(samples["canvas"])
        for subject, flaw in flaws.items():
            if flaw is None:
                median = statistics.median(samples[subject])
                print(row(name, size, subject, duration(median), duration(min(samples[subject])), f"{median / ours:.2f}"))
            else:
                print(row(name, size, subject) + f"not timed: {flaw}")
        for subject, reason in LEFT_OUT.items():
            print(row(name, size, subject) + f"not timed: {reason}")
        print(
            f"{name}: canvas takes {ours / work['rust_whole_ns']:.2f} × Rust with the same results, target {TARGET}; "
            f"{ours / work['rust_ns']:.2f} × Rust for the text alone\n"
        )
    print("imported in milliseconds, each in a process of its own:")
    for module in MODULES:
        print(f"  {module:<20} {import_time(module):7.1f}")


main()
