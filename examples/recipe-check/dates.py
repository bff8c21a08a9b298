"""Time expressions as Python's zoneinfo has them, and random ones."""

import re
import zoneinfo
from datetime import UTC, date, datetime, timedelta

EPOCH = datetime(1970, 1, 1)
STEP = re.compile(r"([+-])(\d+)([smhdwMQy])|/([smhdwMQy])")
EXACT = {"s": 1, "m": 60, "h": 3600}


class OutOfYears(Exception):
    """Leads out of the years 1 to 9999."""


def wall(utc, zone):
    """What the clocks show, without their zone."""
    return utc.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None)


def instant(shown, zone, fold=0):
    """The instant at which the clocks show this; where they skip it, as much later as they are put forward."""
    return shown - shown.replace(tzinfo=zone, fold=fold).utcoffset()


def after_gap(shown, zone):
    """The first instant at which the clocks show this or a later time."""
    low, high = instant(shown, zone) - timedelta(days=2), instant(shown, zone)
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) // 2
        middle = middle.replace(microsecond=0)
        low, high = (low, middle) if wall(middle, zone) >= shown else (middle, high)
    return high.replace(microsecond=0)


def instants(shown, zone):
    """Every instant at which the clocks show this."""
    found = {instant(shown, zone, fold) for fold in (0, 1)}
    return sorted(utc for utc in found if wall(utc, zone) == shown)


def first_of(day, zone):
    midnight = datetime(day.year, day.month, day.day)
    found = instants(midnight, zone)
    return found[0] if found else after_gap(midnight, zone)


def months_later(shown, months):
    year, month = divmod(shown.year * 12 + shown.month - 1 + months, 12)
    for day in range(shown.day, 27, -1):
        try:
            return shown.replace(year=year, month=month + 1, day=day)
        except ValueError as error:
            if "year" in str(error):
                raise
    return shown.replace(year=year, month=month + 1)


def add(utc, count, unit, zone):
    if count == 0:
        return utc
    if unit in EXACT:
        return utc + timedelta(seconds=count * EXACT[unit])
    shown = wall(utc, zone)
    if unit in "dw":
        shown += timedelta(days=count * {"d": 1, "w": 7}[unit])
    else:
        shown = months_later(shown, count * {"M": 1, "Q": 3, "y": 12}[unit])
    return instant(shown, zone)


def floor(utc, unit, zone):
    shown = wall(utc, zone)
    if unit in EXACT:
        shown = shown.replace(microsecond=0)
        if unit in "mh":
            shown = shown.replace(second=0)
        if unit == "h":
            shown = shown.replace(minute=0)
        before = [found for found in instants(shown, zone) if found <= utc]
        return before[-1] if before else after_gap(shown, zone)
    day = shown.date()
    if unit == "w":
        day -= timedelta(days=day.weekday())
    if unit in "MQy":
        month = {"M": day.month, "Q": (day.month - 1) // 3 * 3 + 1, "y": 1}[unit]
        day = day.replace(month=month, day=1)
    return first_of(day, zone)


def evaluate(expr, now, name):
    """The instant, as the clock of UTC shows it, and what the clocks of the zone show."""
    zone = zoneinfo.ZoneInfo(name)
    try:
        if expr.startswith("now"):
            utc, rest = EPOCH + timedelta(milliseconds=now), expr[3:]
        else:
            anchor, rest = expr.split("||")
            if "T" in anchor:
                utc = datetime.fromisoformat(anchor).astimezone(UTC).replace(tzinfo=None)
            else:
                utc = first_of(date.fromisoformat(anchor), zone)
        for sign, count, unit, down in STEP.findall(rest):
            utc = floor(utc, down, zone) if down else add(utc, int(sign + count), unit, zone)
            wall(utc, zone)
        return utc, wall(utc, zone)
    except (ValueError, OverflowError) as error:
        raise OutOfYears from error


def written(utc, shown):
    """As RFC 3339, with the minutes of the offset only."""
    minutes = int((shown - utc).total_seconds() / 60)
    sign, size = "-" if minutes < 0 else "+", abs(minutes)
    time = (utc + timedelta(minutes=minutes)).isoformat()
    time = time.rstrip("0") if "." in time else time
    return f"{time}{sign}{size // 60:02}:{size % 60:02}"


def transition_near(random, zone, utc):
    """The next instant at which the clocks are changed, or the same instant where that is far."""
    offset = wall(utc, zone) - utc
    low = utc
    for _ in range(30):
        high = low + timedelta(days=14)
        if wall(high, zone) - high != offset:
            while high - low > timedelta(seconds=1):
                middle = (low + (high - low) // 2).replace(microsecond=0)
                low, high = (middle, high) if wall(middle, zone) - middle == offset else (low, middle)
            return high.replace(microsecond=0)
        low = high
    return utc


def random_case(random, zones):
    """An expression, milliseconds since 1970 and the name of a zone: often near a change of the clocks."""
    name = random.choice(zones)
    zone = zoneinfo.ZoneInfo(name)

    def some_instant(first):
        utc = datetime(first, 1, 1) + timedelta(seconds=random.randrange((2100 - first) * 31_556_952))
        if random.random() < 0.7:
            utc = transition_near(random, zone, utc) + timedelta(seconds=random.randrange(-8000, 8000))
        return utc + timedelta(milliseconds=random.choice([0, 0, 1, 500, 999]))

    now = (some_instant(1971) - EPOCH) // timedelta(milliseconds=1)
    kind = random.random()
    expr = "now"
    if kind < 0.2:
        expr = f"{some_instant(1850).date().isoformat()}||"
    elif kind < 0.4:
        time = some_instant(1850).isoformat(timespec="milliseconds")
        expr = f"{time}{random.choice(['Z', '+02:00', '-09:30', '+14:00'])}||"
    for _ in range(random.choice([0, 1, 1, 1, 2, 2, 3, 5, 8])):
        unit = random.choice("smhdwMQy")
        if random.random() < 0.45:
            expr += f"/{unit}"
        else:
            most = random.choice([2, 40, 40, 400, 1_000_000 if unit in "smhd" else 4000])
            expr += f"{random.choice('+-')}{random.randrange(most + 1)}{unit}"
    return expr, now, name
