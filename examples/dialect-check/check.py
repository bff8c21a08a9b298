"""Compares the bridge's native dialects with the official engines; see .ci/dialects.

Every difference has to have a row in the tables below, with a count of its own that shows it: one that has none fails.
"""

import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

from agents.apply_diff import apply_diff
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool
from lark import Lark

LINES = ["a", "b", "c", "", "# A", "## B", "- x", "  a", "***"]


class Bridge:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, op, **fields):
        self.process.stdin.write(json.dumps({"op": op, **fields}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def apply(self, dialect, text, call):
        """The text after, or none and the reason."""
        reply = self.ask("native.apply", dialect=dialect, text=text, call=call, path="memories/document.md")
        return (reply["result"]["text"], None) if reply["ok"] else (None, reply["error"]["reason"])


def document(rng):
    text = "".join(rng.choice(LINES) + "\n" for _ in range(rng.randint(0, 9)))
    if rng.random() < 0.15:
        text = text.removesuffix("\n")
    return text.replace("\n", "\r\n") if rng.random() < 0.15 else text


def diff_of(rng, text):
    """A V4A diff of which most lines are those of the text."""
    lines, out, at = text.splitlines(), [], 0
    for _ in range(rng.choice([1, 1, 1, 2])):
        header = rng.choice(["@@", "@@", "@@", "@@ " + rng.choice(lines or ["a"]), "@@ nowhere"])
        out.append(header.rstrip())
        at = min(at + rng.randint(0, 3), len(lines))
        end = min(at + rng.randint(0, 3), len(lines))
        for line in lines[at:end]:
            if rng.random() < 0.06:
                line += " "
            out.append(rng.choice([" ", " ", "-"]) + line)
        for _ in range(rng.randint(0, 2)):
            out.append("+" + rng.choice(["new", "a", ""]))
        at = end
        if rng.random() < 0.1:
            out.append("*** End of File")
    if rng.random() < 0.03:
        out = []
    return "".join(line + "\n" for line in out)


def places(lines, wanted):
    return sum(lines[i:i + len(wanted)] == wanted for i in range(len(lines) - len(wanted) + 1)) if wanted else 0


def hunks_of(diff):
    """Of each hunk the anchors, the old lines, the new lines and whether it ends the file."""
    hunks = []
    for line in diff.splitlines():
        if line.startswith("@@"):
            if not hunks or hunks[-1][3] or hunks[-1][4]:
                hunks.append(([], [], [], [], []))
            if line[3:]:
                hunks[-1][0].append(line[3:])
        elif line == "*** End of File":
            hunks[-1][4].append(True)
        else:
            if line[0] != "+":
                hunks[-1][1].append(line[1:])
            if line[0] != "-":
                hunks[-1][2].append(line[1:])
            hunks[-1][3].append(line[0])
    return hunks


# Why the bridge may refuse what OpenAI's applier takes: its reason, and what must be true then.
def several(text, hunks):
    return any(places(text, old) > 1 for _, old, _, _, _ in hunks)


def inexact(text, hunks):
    missing = any(old and places(text, old) == 0 for _, old, _, _, _ in hunks)
    anchors = any(anchor not in text for found, *_ in hunks for anchor in found)
    ends = any(end and old and text[-len(old):] != old for _, old, _, _, end in hunks)
    return missing or anchors or ends or above(text, hunks)


def above(text, hunks):
    """The lines stand above all that the anchors name: OpenAI's applier skips an anchor that it has seen already."""
    for anchors, old, *_ in hunks:
        for anchor in anchors:
            first = text.index(anchor) if anchor in text else 0
            if old and places(text[first + 1:], old) == 0:
                return True
    return False


def unanchored(text, hunks):
    return any(not old for _, old, *_ in hunks)


def idle(text, hunks):
    return not hunks or any("+" not in kinds and "-" not in kinds for _, _, _, kinds, _ in hunks)


def no_change(text, hunks):
    return True if idle(text, hunks) else all(old == new for _, old, new, _, _ in hunks)


V4A = {
    "AMBIGUOUS": ("the old lines stand at several places", several),
    "NOT_FOUND": ("the old lines, an anchor or the end are matched loosely or ignored", inexact),
    "NO_ANCHOR": ("added lines without context", unanchored),
    "NO_EFFECT": ("nothing changes", no_change),
    "EMPTY": ("there is nothing in it", lambda text, hunks: not hunks),
}


def check_v4a(bridge, rng, cases):
    seen = Counter()
    for _ in range(cases):
        text = document(rng)
        diff = diff_of(rng, text)
        try:
            theirs = apply_diff(text, diff)
        except Exception:
            theirs = None
        call = {"type": "update_file", "path": "memories/document.md", "diff": diff}
        ours, reason = bridge.apply("apply-patch", text, call)
        seen[compare_v4a(text, diff, ours, reason, theirs)] += 1
    return seen


def compare_v4a(text, diff, ours, reason, theirs):
    if ours == theirs:
        return "the same text" if ours is not None else "both refuse"
    lines, hunks = text.splitlines(), hunks_of(diff)
    case = f"\ntext {text!r}\ndiff {diff!r}\nours {ours!r} {reason}\ntheirs {theirs!r}"
    if ours is None:
        if reason not in V4A or not V4A[reason][1](lines, hunks):
            sys.exit(f"a refusal that is not in the table: {case}")
        return f"refused here only, {reason}: {V4A[reason][0]}"
    if theirs is None:
        # They look for hunks below the one before, and an anchor may lie above that.
        if any(anchors for anchors, *_ in hunks):
            return "taken here only: anchors are looked for in all of the text"
        sys.exit(f"taken here only: {case}")
    at_end = any(end for *_, end in hunks)
    if at_end and not any(old for _, old, *_ in hunks if old):
        return "added lines before *** End of File: the end of the text stays as it is"
    if not text.endswith("\n") and (ours.splitlines() == theirs.splitlines() or ours.rstrip("\r\n") == theirs.rstrip("\r\n")):
        return "another end of the text"
    if any(anchors for anchors, *_ in hunks) and several(lines, hunks):
        return "the scope of an anchor decides, not the first match"
    if at_end and several(lines, hunks):
        return "the hunk ends the text"
    if not text and ours.splitlines() == theirs.splitlines():
        return "another end of the text"
    sys.exit(f"another text: {case}")


def check_editor(bridge, rng, cases, folder):
    seen = Counter()
    tool = BetaLocalFilesystemMemoryTool(str(folder))
    path = "/memories/document.md"
    file = Path(folder, "memories", "document.md")
    file.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(cases):
        text = document(rng)
        file.write_bytes(text.encode())
        if rng.random() < 0.5:
            start = rng.randint(0, len(text))
            old = text[start:start + rng.randint(0, 6)]
            old = rng.choice([old, old, old, old.replace("\r\n", "\n"), rng.choice(["aa", "zz", "a\n"])])
            new = rng.choice(["new", "", old, "x\ny"])
            call = {"command": "str_replace", "path": path, "old_str": old, "new_str": new}
        else:
            line = rng.randint(-1, len(text.splitlines()) + 1)
            call = {"command": "insert", "path": path, "insert_line": line, "insert_text": rng.choice(["n", "n\n", "n\n\n", "a\nb"])}
        try:
            tool.call(dict(call))
            theirs = file.read_bytes().decode()
        except Exception:
            theirs = None
        ours, reason = bridge.apply("text-editor", text, call)
        seen[compare_editor(text, call, ours, reason, theirs)] += 1
    return seen


def compare_editor(text, call, ours, reason, theirs):
    name = call["command"]
    if ours == theirs:
        return f"{name}: the same text" if ours is not None else f"{name}: both refuse"
    case = f"\ntext {text!r}\ncall {call}\nours {ours!r} {reason}\ntheirs {theirs!r}"
    if name == "insert":
        if ours and theirs and [l for l in ours.splitlines() if l] == [l for l in theirs.splitlines() if l]:
            return "insert: blank lines of the text stay, terminators and the end of the document too"
        sys.exit(f"another insertion: {case}")
    old, new = call["old_str"], call["new_str"]
    starts = sum(text.startswith(old, at) for at in range(len(text)))
    if ours is None:
        plain = text.replace("\r\n", "\n")
        if reason == "AMBIGUOUS" and starts > text.count(old):
            return "str_replace refused here only: occurrences overlap"
        if reason == "AMBIGUOUS" and plain.count(old.replace("\r\n", "\n")) > 1:
            return "str_replace refused here only: occurrences differ in terminators only"
        if reason == "NO_EFFECT" and old.replace("\r\n", "\n") == new.replace("\r\n", "\n"):
            return "str_replace refused here only: nothing changes"
        if reason == "NOT_FOUND" and "\r" in text and ("\r" in old.replace("\r\n", "") or text.find(old) > 0):
            return "str_replace refused here only: half of a terminator"
        if reason == "NO_ANCHOR" and not old:
            return "str_replace refused here only: there is no old text"
        sys.exit(f"a refusal that is not in the table: {case}")
    if theirs is None and ("\r\n" in text or not text.endswith("\n")):
        return "str_replace taken here only: terminators are arithmetic"
    if theirs is not None and "\r\n" in text and ours.replace("\r", "") == theirs.replace("\r", ""):
        return "str_replace: an LF is the terminator that the text has there"
    sys.exit(f"another text: {case}")


def check_grammar(bridge, rng, cases):
    """What is rendered for the Codex tool is in its grammar; another operation is not."""
    tool = bridge.ask("tool.list", toolset="native", dialect="codex-patch")["result"]["tools"][0]
    grammar = Lark(tool["format"]["definition"], parser="earley")
    read = 0
    for _ in range(cases):
        before, after = document(rng), document(rng)
        reply = bridge.ask("native.render", before=before, after=after, dialect="codex-patch")
        for call in reply.get("result", {}).get("calls", []):
            grammar.parse(call["input"])
            read += 1
    for wrong in ["*** Begin Patch\n*** Delete File: a\n*** End Patch\n", "*** Begin Patch\n*** End Patch\n", "@@\n-a\n+b\n"]:
        try:
            grammar.parse(wrong)
        except Exception:
            continue
        sys.exit(f"the grammar takes {wrong!r}")
    return Counter({"patches in the grammar": read})


def main():
    program, folder, cases = sys.argv[1], sys.argv[2], int(sys.argv[3])
    bridge, rng = Bridge(program), random.Random(18)
    for title, seen in [
        ("openai-agents, apply_diff", check_v4a(bridge, rng, cases)),
        ("anthropic, str_replace and insert", check_editor(bridge, rng, cases, folder)),
        ("grammar of the Codex tool", check_grammar(bridge, rng, min(cases, 200))),
    ]:
        print(f"{title}:")
        for what, count in sorted(seen.items()):
            print(f"  {count:6} {what}")


if __name__ == "__main__":
    main()
