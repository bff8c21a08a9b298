"""Operations on tables, in a few lines, and random ones."""

from fractions import Fraction

COMPARE = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}


class Refused(Exception):
    """An operation does not fit the data."""


def key(value):
    """null < false < true < numbers < texts < lists < objects."""
    if value is None:
        return (0,)
    if isinstance(value, bool):
        return (1, value)
    if isinstance(value, (int, float)):
        return (2, Fraction(value))
    if isinstance(value, str):
        return (3, value)
    if isinstance(value, list):
        return (4, tuple(key(item) for item in value))
    return (5, tuple((name, key(value[name])) for name in sorted(value)))


def at(path, value):
    for token in path.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and token.isdecimal() and str(int(token)) == token and int(token) < len(value):
            value = value[int(token)]
        else:
            return None
    return value


def total(numbers):
    result = 0
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise Refused
        whole = isinstance(number, int) or (number.is_integer() and abs(number) <= 2**53)
        result = result + (int(number) if whole else number)
    return result


def compute(fn, values):
    present = [value for value in values if value is not None]
    if fn == "count":
        return len(values)
    if fn == "sum":
        result = total(present)
        fits = -(2**63) <= result < 2**64 if isinstance(result, int) else abs(result) != float("inf")
        if not fits:
            raise Refused
        return result
    if fn == "avg":
        result = float(total(present)) / len(present) if present else None
        if result is not None and abs(result) == float("inf"):
            raise Refused
        return result
    if fn in ("min", "max"):
        return {"min": min, "max": max}[fn](present, key=key, default=None)
    if fn == "first":
        return values[0] if values else None
    if fn == "last":
        return values[-1] if values else None
    # Of equal values the first.
    seen = {}
    for value in values:
        seen.setdefault(key(value), value)
    return list(seen.values())


def apply(value, operations):
    for operation in operations:
        if not isinstance(value, list):
            raise Refused
        match operation:
            case {"op": "filter", "path": path, "cmp": cmp, "value": right}:
                right = right["$literal"] if isinstance(right, dict) and "$literal" in right else right
                value = [row for row in value if COMPARE[cmp](key(at(path, row)), key(right))]
            case {"op": "sort", "by": by}:
                value = list(value)
                for one in reversed(by):
                    value.sort(key=lambda row: key(at(one["path"], row)), reverse=one.get("dir") == "desc")
            case {"op": "limit", "count": count}:
                value = value[:count]
            case {"op": "select", "fields": fields}:
                value = [{name: at(path, row) for name, path in fields.items()} for row in value]
            case {"op": "aggregate"}:
                by, values = operation.get("by", {}), operation.get("values", {})
                groups = {} if by else {(): []}
                for row in value:
                    groups.setdefault(tuple(key(at(path, row)) for path in by.values()), []).append(row)
                value = [
                    {name: at(path, rows[0]) for name, path in by.items()}
                    | {name: compute(one["fn"], [at(one.get("path", ""), row) for row in rows])
                       for name, one in values.items()}
                    for rows in groups.values()
                ]
    return value


def random_value(random, depth=2):
    return random.choice([
        lambda: None,
        lambda: random.random() < 0.5,
        lambda: random.randrange(-3, 4),
        lambda: random.choice([0.5, -1.5, 1.0, -0.0, 2.25, 1e20, 1e-7, 0.1, 0.2, 1e308]),
        lambda: random.choice([2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**64 - 1, 2.0**53, 2.0**63]),
        lambda: random.choice(["", "a", "b", "ab", "é", "Z", "\U0001f30d", "\ue000", "10", "9"]),
        lambda: [random_value(random, depth - 1) for _ in range(random.randrange(3) if depth else 0)],
        lambda: {name: random_value(random, depth - 1)
                 for name in random.sample("ab/~", random.randrange(3) if depth else 0)},
    ])()


PATHS = ["/a", "/b", "/c", "/c", "/d/0", "/d/a", "/d/~0", "/d/~1", "", "/x", "/0", "/00"]


def random_case(random):
    """A table and operations. Columns are mostly of one kind, so that most sums are there."""
    numbers = [lambda: random.randrange(-5, 6), lambda: random.choice([0.5, 1.25, 0.1, 3.0]), lambda: None]
    table = [
        {"a": random.randrange(3), "b": random.choice("xyz"), "c": random.choice(numbers)(),
         "d": random_value(random)}
        for _ in range(random.choice([0, 1, 5, 12]))
    ]
    for row in table:
        for name in random.sample("abcd", random.choice([0, 0, 0, 1])):
            row[name] = random_value(random)
    if random.random() < 0.02:
        table = random_value(random)
    return table, [random_operation(random) for _ in range(random.choice([1, 1, 2, 3, 4]))]


def random_operation(random):
    path = lambda: random.choice(PATHS)
    names = lambda most: random.sample(["a", "b", "c", "k", "n"], random.randrange(most + 1))
    match random.choice(["filter", "sort", "limit", "select", "aggregate"]):
        case "filter":
            value = random_value(random)
            return {"op": "filter", "path": path(), "cmp": random.choice(list(COMPARE)),
                    "value": {"$literal": value} if random.random() < 0.2 else value}
        case "sort":
            keys = [{"path": path()} | random.choice([{}, {"dir": "asc"}, {"dir": "desc"}])
                    for _ in range(random.randrange(1, 4))]
            return {"op": "sort", "by": keys}
        case "limit":
            return {"op": "limit", "count": random.choice([0, 1, 3, 10, 2**40])}
        case "select":
            return {"op": "select", "fields": {name: path() for name in ["a", *names(3)]}}
        case _:
            by = {name: path() for name in names(2)}
            functions = ["count", "sum", "min", "max", "avg", "first", "last", "distinct"]
            values = {name + "_": {"fn": random.choice(functions), "path": random.choice(["/c", "/c", path()])}
                      for name in ["v", *names(3)]}
            return {"op": "aggregate", "by": by, "values": values}
