"""The rules of native dialects, written a second time, and the quirks of the official engines as switches on them.

Without quirks a function here must give what the bridge gives. With all of them it must give what the official engine
gives. The fewest that lead from the one to the other are the reason of a difference.
"""

from itertools import combinations

V4A_QUIRKS = {
    "first": "of several places the first",
    "loose": "lines are compared without their blanks",
    "anchors": "an anchor moves on from the hunk before, is skipped where it is absent or was passed, and is compared loosely",
    "insert": "added lines without context go where the hunk before has ended",
    "elsewhere": "a hunk that ends the file may be anywhere",
    "idle": "a change of nothing is one",
    "down": "a hunk is looked for below the one before only",
    "phantom": "a final newline begins another line",
}
REPLACE_QUIRKS = {
    "apart": "occurrences that overlap count once",
    "bytes": "terminators are compared and written as they are sent",
    "idle": "a change of nothing is one",
    "empty": "an empty text is one occurrence of nothing",
}
INSERT_QUIRKS = {
    "strip": "newlines at the end of the inserted text are dropped",
    "final": "the text ends with a newline afterwards",
    "lf": "what is inserted ends with LF",
    "blank": "a blank last line is the newline at the end",
    "idle": "no text is an empty line",
}


class Refused(Exception):
    """The reason is its first argument."""


def outcome(rule, quirks, *case):
    """The text after, or none and the reason."""
    try:
        return rule(*case, quirks), None
    except Refused as refused:
        return None, refused.args[0]


def reasons(rule, quirks, case, theirs):
    """The fewest quirks with which the rule gives what they give; none where no number of them does."""
    for count in range(len(quirks) + 1):
        for some in combinations(quirks, count):
            if outcome(rule, set(some), *case)[0] == theirs:
                return some
    return None


def plain(text):
    return text.replace("\r\n", "\n")


def eol_of(text):
    return "\r\n" if "\r\n" in text else "\n"


def starts(text, part):
    """Every place where a part of a text, or of a list, begins."""
    return [at for at in range(len(text) - len(part) + 1) if text[at:at + len(part)] == part]


# V4A.

def hunks_of(diff):
    """Of each hunk the headers, the lines with their prefixes, and whether it ends the file."""
    hunks = []
    for line in diff.splitlines():
        if line.startswith("@@"):
            if not hunks or hunks[-1]["lines"] or hunks[-1]["ends"]:
                hunks.append({"headers": [], "lines": [], "ends": False})
            hunks[-1]["headers"].append(line[3:])
        elif line == "*** End of File":
            hunks[-1]["ends"] = True
        else:
            hunks[-1]["lines"].append(line)
    return hunks


def section_end(lines, heading):
    """The line after the section of a heading; all headings of these texts begin with #."""
    level = len(lines[heading]) - len(lines[heading].lstrip("#"))
    for at in range(heading + 1, len(lines)):
        if lines[at].startswith("#") and len(lines[at]) - len(lines[at].lstrip("#")) <= level:
            return at
    return len(lines)


def scope(lines, anchors):
    """The first line that anchors leave, and the ranges of lines that they speak for."""
    below, ranges = 0, [(0, len(lines))]
    for anchor in anchors:
        found = [at for at, line in enumerate(lines) if line == anchor]
        first = next((at for at in found if at >= below), None)
        if first is None:
            raise Refused("NOT_FOUND")
        below, narrowed = first + 1, []
        for at in found:
            outer = max((end for start, end in ranges if start <= at < end), default=None)
            if outer is not None:
                end = section_end(lines, at) if anchor.startswith("#") else len(lines)
                narrowed.append((at + 1, min(end, outer)))
        ranges = narrowed
    return below, ranges


def passed(lines, anchor, cursor, forward, key):
    """Where the search goes on after an anchor; none where it is nowhere."""
    if not forward and any(key(line) == key(anchor) for line in lines[:cursor]):
        return cursor
    return next((at + 1 for at in range(cursor, len(lines)) if key(lines[at]) == key(anchor)), None)


def moved(lines, headers, cursor):
    """The cursor after anchors, as a quirk."""
    for number, anchor in enumerate(anchor for anchor in headers if anchor.strip()):
        for key in (lambda line: line, str.strip):
            after = passed(lines, anchor, cursor, number > 0, key)
            if after is not None:
                cursor = after
                break
        else:
            if len(headers) > 1:
                raise Refused("NOT_FOUND")
    return cursor


def place(lines, total, hunk, old, cursor, quirks):
    """The line where a hunk belongs. The last of the lines may be none of the text's: the text has `total`."""
    anchors = [header for header in hunk["headers"] if header.strip()]
    if "anchors" in quirks:
        cursor = moved(lines, hunk["headers"], cursor)
        below, ranges = 0, [(cursor, len(lines))]
    else:
        below, ranges = scope(lines, anchors)
    if not old:
        if "insert" in quirks:
            return total if hunk["ends"] else cursor
        if hunk["ends"] and not anchors or total == 0:
            return total
        raise Refused("NO_ANCHOR")
    keys = [lambda line: line] + ([str.rstrip, str.strip] if "loose" in quirks else [])

    def found(lines, start):
        for key in keys:
            places = starts([key(line) for line in lines], [key(line) for line in old])
            places = [at for at in places if at >= start]
            if places:
                return places
        return []

    if hunk["ends"]:
        here = [at for at in found(lines[:total], max(0, total - len(old))) if at + len(old) == total and at >= below]
        # At the end they look above the hunk before too, which is an overlap then.
        if here and (here[0] >= cursor or "down" in quirks):
            return here[0]
        if "elsewhere" not in quirks:
            raise Refused("NOT_FOUND")
        lines = lines[:total]
    everywhere = found(lines, cursor)
    places = [at for at in everywhere if at >= below]
    if not places:
        raise Refused("NOT_FOUND")
    if "first" in quirks:
        return next((at for at in places if any(start <= at < end for start, end in ranges)), places[0])
    if len(places) == len(everywhere) == 1:
        return places[0]
    within = [at for at in places if any(start <= at < end for start, end in ranges)]
    if len(within) != 1:
        raise Refused("AMBIGUOUS")
    return within[0]


def chunks_of(hunk, at):
    """Of a placed hunk the changes: where each begins, how many lines it removes, and what it adds."""
    chunks, fresh = [], True
    for line in hunk["lines"]:
        if line[0] == " ":
            at, fresh = at + 1, True
            continue
        if fresh:
            chunks.append([at, 0, []])
            fresh = False
        if line[0] == "-":
            chunks[-1][1] += 1
            at += 1
        else:
            chunks[-1][2].append(line[1:])
    return chunks


def check_order(hunks, places):
    """Hunks come in the order of the text, and share only lines that both keep."""
    before, end, changed, removed = 0, 0, 0, 0
    for hunk, at in zip(hunks, places):
        if at < before:
            raise Refused("MISORDERED")
        chunks = chunks_of(hunk, at)
        if not chunks:
            continue
        first, last = chunks[0][0], chunks[-1][0] + chunks[-1][1]
        removals = [chunk for chunk in chunks if chunk[1]]
        shares_removed = removals and first_removal(hunk, at) < end or at < removed
        if shares_removed or first < changed or first == changed and at < end:
            raise Refused("OVERLAP")
        before, end, changed = at, max(end, at + sum(line[0] != "+" for line in hunk["lines"])), max(changed, last)
        if removals:
            removed = max(removed, removals[-1][0] + removals[-1][1])


def first_removal(hunk, at):
    for line in hunk["lines"]:
        if line[0] == "-":
            return at
        at += line[0] == " "
    return at


def v4a(text, diff, quirks):
    hunks = hunks_of(diff)
    lines = plain(text).split("\n")
    total = len(lines) - (lines[-1] == "")
    if "phantom" not in quirks:
        lines = lines[:total]
    if "idle" not in quirks:
        if not hunks:
            raise Refused("EMPTY")
        if any(not {"+", "-"} & {line[0] for line in hunk["lines"]} for hunk in hunks):
            raise Refused("NO_EFFECT")
    places, cursor, refused = [], 0, None
    for hunk in hunks:
        if not hunk["lines"] and not hunk["ends"]:
            raise Refused("EMPTY")
        old = [line[1:] for line in hunk["lines"] if line[0] != "+"]
        try:
            places.append(place(lines, total, hunk, old, cursor if "down" in quirks else 0, quirks))
        except Refused as one:
            refused = refused or one
            continue
        cursor = places[-1] + len(old)
    if refused:
        raise refused
    chunks = [chunk for hunk, at in zip(hunks, places) for chunk in chunks_of(hunk, at)]
    if "down" in quirks:
        if any(next_one[0] < one[0] + one[1] for one, next_one in zip(chunks, chunks[1:])):
            raise Refused("OVERLAP")
    else:
        check_order(hunks, places)
    kept, after, at = [(line, False) for line in lines], [], 0
    for start, removed, added in chunks:
        after += kept[at:start] + [(line, True) for line in added]
        at = start + removed
    after += kept[at:]
    eol = eol_of(text)
    result = eol.join(line for line, _ in after)
    if "phantom" not in quirks and after:
        result += last_terminator(text, after[-1], at < len(kept) or not chunks, eol)
    if result == text and "idle" not in quirks:
        raise Refused("NO_EFFECT")
    return result


def last_terminator(text, last, is_kept_last, eol):
    """Kept lines keep their own; an added last line ends as the text did, unless it would not be there then."""
    line, is_added = last
    had = not text or text.endswith("\n")
    if is_added:
        return eol if had or not line else ""
    return eol if had or not is_kept_last else ""


# The text editor.

def replace(text, old, new, quirks):
    if not old and not ("empty" in quirks and not text):
        raise Refused("NO_ANCHOR")
    if "bytes" not in quirks:
        eol, text, old, new = eol_of(text), plain(text), plain(old), plain(new)
    if old == new and "idle" not in quirks:
        raise Refused("NO_EFFECT")
    count = text.count(old) if "apart" in quirks else len(starts(text, old))
    if count == 0 and "bytes" not in quirks:
        # The last line has no terminator to be found.
        open_line = old.removesuffix("\n")
        if open_line != old and open_line and text.endswith(open_line) and not text.endswith("\n"):
            new = new.removesuffix("\n")
            if open_line == new and "idle" not in quirks:
                raise Refused("NO_EFFECT")
            return (text[:len(text) - len(open_line)] + new).replace("\n", eol)
    if count == 0:
        raise Refused("NOT_FOUND")
    if count > 1:
        raise Refused("AMBIGUOUS")
    after = text.replace(old, new, 1)
    return after if "bytes" in quirks else after.replace("\n", eol)


def insert(text, line, new, quirks):
    lines = plain(text).split("\n")
    ends = not text or lines[-1] == ""
    if lines[-1] == "":
        lines.pop()
    if not 0 <= line <= len(lines):
        raise Refused("INVALID_RANGE")
    if not new and "idle" not in quirks:
        raise Refused("NO_EFFECT")
    new = plain(new)
    added = (new.rstrip("\n") if "strip" in quirks else new.removesuffix("\n")).split("\n")
    eol = eol_of(text)
    terminated = [one + eol for one in lines]
    if lines and not ends:
        terminated[-1] = lines[-1]
        if line == len(lines):
            terminated[-1] += "\n" if "lf" in quirks else eol
    fresh = [one + ("\n" if "lf" in quirks else eol) for one in added]
    whole = terminated[:line] + fresh + terminated[line:]
    if "blank" in quirks and len(whole) > 1 and whole[-1] == "\n":
        whole.pop()
    result = "".join(whole)
    if not ends:
        if "final" not in quirks:
            # An empty line would not be there without its terminator.
            open_end = line == len(lines) and added[-1]
            result = result.removesuffix("\n").removesuffix("\r") if open_end else result
        elif not result.endswith("\n"):
            result += "\n" if "lf" in quirks else eol
    return result
