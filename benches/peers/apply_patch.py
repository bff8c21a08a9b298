"""Applies a V4A diff with OpenAI's own applier and prints [median, fastest] in nanoseconds. Input: {before, diff, after}."""

import json
import sys
import time

from agents.apply_diff import apply_diff

case = json.load(sys.stdin)
samples = []
until = time.monotonic() + 3
while not samples or time.monotonic() < until:
    start = time.perf_counter_ns()
    after = apply_diff(case["before"], case["diff"])
    samples.append(time.perf_counter_ns() - start)
    if after != case["after"]:
        sys.exit("error: another result")
samples.sort()
print(json.dumps([samples[len(samples) // 2], samples[0]]))
