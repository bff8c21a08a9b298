"""Compares the bridge with references: check.py BRIDGE FOLDER CASES VERSION

FOLDER has the npm packages, VERSION is that of the time zones which the bridge has."""

import json
import math
import os
import random as randomness
import struct
import subprocess
import sys
import zoneinfo
from datetime import datetime, timedelta
from pathlib import Path

import rfc8785
import tzdata

import dates
import operations

HERE = Path(__file__).parent
FIXTURES = HERE / "../../canvas-core/src/recipe"
BRIDGE, FOLDER, CASES, VERSION = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]


def ask(requests):
    """The replies of the bridge."""
    requests = list(requests)
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    run = subprocess.run([BRIDGE], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    replies = [json.loads(line) for line in run.stdout.rstrip("\n").split("\n")]
    assert len(replies) == len(requests), f"{len(replies)} replies to {len(requests)} requests"
    return replies


def found(reply, member):
    return reply["result"][member] if reply["ok"] else reply["error"]["code"]


def compare(name, cases, equal=lambda ours, theirs: ours == theirs):
    """Of triples of a request, what was found and what was expected."""
    wrong = [case for case in cases if not equal(case[1], case[2])]
    for request, ours, theirs in wrong[:5]:
        print(f"  {json.dumps(request)}\n    gives {ours!r}, expected {theirs!r}")
    print(f"{name}: {len(cases)} cases, {len(wrong)} differ")
    return len(wrong)


def expected_date(expr, now, zone):
    try:
        return dates.written(*dates.evaluate(expr, now, zone))
    except dates.OutOfYears:
        return "EXPR_INVALID"


def check_dates(name, cases):
    requests = [{"op": "date.eval", "expr": expr, "now": now, "timezone": zone} for expr, now, zone in cases]
    results = [found(reply, "value") for reply in ask(requests)]
    expected = [expected_date(*case) for case in cases]
    refused = expected.count("EXPR_INVALID")
    return compare(f"{name} ({refused} lead out of the years)", list(zip(requests, results, expected)))


def edges():
    """The table of the changes of summer time."""
    for line in (FIXTURES / "date_math/edges.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            zone, now, expr, value = line.split()
            yield zone, datetime.fromisoformat(now), expr, value


def check_edges():
    cases, wrong = [], 0
    for zone, now, expr, value in edges():
        millis = int(now.timestamp() * 1000)
        cases.append((expr, millis, zone))
        if expected_date(expr, millis, zone) != value:
            print(f"  {zone} {now} {expr}: the table has {value}, zoneinfo {expected_date(expr, millis, zone)}")
            wrong += 1
    return wrong + check_dates("changes of the clocks", cases)


def check_random_dates(random):
    zones = sorted(zoneinfo.available_timezones() - {"Factory", "localtime"})
    cases = [dates.random_case(random, zones) for _ in range(CASES)]
    return check_dates(f"time expressions in {len(zones)} zones", cases)


def check_elastic(random):
    """Of its units, in UTC. It has no quarters."""
    cases = []
    while len(cases) < CASES:
        expr, now, _ = dates.random_case(random, ["UTC"])
        if "Q" not in expr and expected_date(expr, now, "UTC") != "EXPR_INVALID":
            cases.append((expr, now))
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    command, environment = ["node", f"{FOLDER}/elastic.mjs"], {**os.environ, "TZ": "UTC"}
    run = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    theirs = [json.loads(line) for line in run.stdout.splitlines()]
    requests = [{"op": "date.eval", "expr": expr, "now": now} for expr, now in cases]
    millis = timedelta(milliseconds=1)
    ours = [(datetime.fromisoformat(found(reply, "value")).replace(tzinfo=None) - dates.EPOCH) // millis
            for reply in ask(requests)]
    return compare("@elastic/datemath", list(zip(requests, ours, theirs)))


def expected_rows(value, ops):
    try:
        return operations.apply(value, ops)
    except operations.Refused:
        return "MAPPING_FAILED"


def same_value(ours, theirs):
    return operations.key(ours) == operations.key(theirs)


def check_operations(random):
    cases = [operations.random_case(random) for _ in range(CASES)]
    requests = [{"op": "ops.apply", "value": value, "ops": ops} for value, ops in cases]
    results = [found(reply, "value") for reply in ask(requests)]
    expected = [expected_rows(*case) for case in cases]
    refused = expected.count("MAPPING_FAILED")
    return compare(f"operations ({refused} refused)", list(zip(requests, results, expected)), same_value)


def check_catalogue():
    """The golden file agrees with the reference, where no time is asked."""
    cases = json.loads((FIXTURES / "operation/catalogue_1.json").read_text())
    cases = [case for case in cases if "now" not in case and case.get("code") != "RECIPE_INVALID"]
    return compare("catalogue", [(case["ops"], case.get("result", case.get("code")),
                                  expected_rows(case["value"], case["ops"])) for case in cases], same_value)


def random_text(random):
    points = [range(0x20, 0x7F), range(0, 0x20), range(0x7F, 0x800), range(0x800, 0xD800), range(0xE000, 0x10000),
              range(0x10000, 0x110000)]
    return "".join(chr(random.choice(random.choice(points))) for _ in range(random.randrange(6)))


def random_json(random, depth=3):
    kind = random.randrange(9 if depth else 7)
    if kind < 3:
        double = struct.unpack("d", random.randbytes(8))[0]
        return double if math.isfinite(double) else 0.5
    if kind == 3:
        cents, power = random.randrange(10**6) / 100, 10.0 ** random.randrange(-30, 30)
        return random.choice([random.uniform(-1e6, 1e6), cents, power])
    if kind == 4:
        return random.randrange(-(2**53) + 1, 2**53)
    if kind < 7:
        return random.choice([None, True, False, random_text(random), random_text(random)])
    if kind == 7:
        return [random_json(random, depth - 1) for _ in range(random.randrange(5))]
    return {random_text(random): random_json(random, depth - 1) for _ in range(random.randrange(5))}


def expected_text(value):
    return rfc8785.dumps(value).decode()


def check_canonical(random):
    values = [random_json(random) for _ in range(CASES)]
    requests = [{"op": "json.canonical", "value": value} for value in values]
    results = [found(reply, "text") for reply in ask(requests)]
    expected = [expected_text(value) for value in values]
    return compare("canonical JSON", list(zip(requests, results, expected)))


def differing(module, name, wrong, check):
    """How many cases a reference finds that is wrong on purpose."""
    right = getattr(module, name)
    setattr(module, name, wrong(right))
    try:
        return check()
    finally:
        setattr(module, name, right)


def check_itself(random):
    """A check that lets everything pass is none."""
    zones = ["Europe/Berlin", "Australia/Lord_Howe", "America/Havana"]
    cases = [dates.random_case(random, zones) for _ in range(500)]
    asked = ask({"op": "date.eval", "expr": expr, "now": now, "timezone": zone} for expr, now, zone in cases)
    values = [found(reply, "value") for reply in asked]
    tables = [operations.random_case(random) for _ in range(500)]
    asked = ask({"op": "ops.apply", "value": value, "ops": ops} for value, ops in tables)
    rows = [found(reply, "value") for reply in asked]
    of_dates = lambda: sum(value != expected_date(*case) for value, case in zip(values, cases))
    of_tables = lambda: sum(not same_value(ours, expected_rows(*table)) for ours, table in zip(rows, tables))
    later = lambda right: lambda shown, zone, fold=1: right(shown, zone, fold)
    hour_after = lambda right: lambda *gap: right(*gap) + timedelta(hours=1)
    true_is_1 = lambda right: lambda value: right(1 if value is True else value)
    without_last = lambda right: lambda numbers: right(numbers[:-1])
    wrong = {
        "the later of a fold": (dates, "instant", later, of_dates),
        "an hour after a gap": (dates, "after_gap", hour_after, of_dates),
        "true is 1": (operations, "key", true_is_1, of_tables),
        "a sum without the last": (operations, "total", without_last, of_tables),
    }
    found_out = {name: differing(*one) for name, one in wrong.items()}
    print("wrong on purpose: " + ", ".join(f"{name} {count}" for name, count in found_out.items()))
    return list(found_out.values()).count(0)


def main():
    zoneinfo.reset_tzpath(())
    assert tzdata.IANA_VERSION == VERSION, f"tzdata is {tzdata.IANA_VERSION}, the bridge has {VERSION}"
    print(f"time zones {VERSION}")
    random = randomness.Random(17)
    wrong = check_edges() + check_random_dates(random) + check_elastic(random)
    wrong += check_catalogue() + check_operations(random) + check_canonical(random)
    wrong += check_itself(random)
    sys.exit(1 if wrong else 0)


main()
