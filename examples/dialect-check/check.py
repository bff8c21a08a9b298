"""Compares the bridge's native dialects with the official engines; see .ci/dialects.

What the bridge gives must be what the rules say. Where an official engine gives something else, the fewest of its quirks
that explain all of the difference are counted; a difference that they do not explain fails.
"""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

from agents.apply_diff import apply_diff
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool
from lark import Lark

import rules

LINES = ["a", "b", "c", "", "# A", "## B", "- x", "  a", "***"]
PATH = "memories/document.md"


class Bridge:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, op, **fields):
        self.process.stdin.write(json.dumps({"op": op, **fields}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def apply(self, dialect, text, call):
        """The text after, or none and the reason."""
        reply = self.ask("native.apply", dialect=dialect, text=text, call=call, path=PATH)
        return (reply["result"]["text"], None) if reply["ok"] else (None, reply["error"]["reason"])


def compared(name, rule, quirks, case, ours, theirs):
    """What to count: agreement, or why they differ."""
    here = f"{name}\ncase {case!r}\nours {ours!r}\ntheirs {theirs!r}"
    ruled = rules.outcome(rule, set(), *case)
    if ours != ruled:
        sys.exit(f"not what the rules say, {ruled!r}: {here}")
    if ours[0] == theirs:
        return f"{name}: " + ("the same text" if theirs is not None else "both refuse")
    why = rules.reasons(rule, quirks, case, theirs)
    if why is None:
        sys.exit(f"a difference without a reason: {here}")
    what = "another text" if None not in (ours[0], theirs) else "taken there only" if theirs is not None else "taken here only"
    return f"{name}: {what}" + (f", {ours[1]}" if ours[1] else "") + ": " + ", ".join(why)


def document(rng):
    text = "".join(rng.choice(LINES) + "\n" for _ in range(rng.randint(0, 9)))
    if rng.random() < 0.15:
        text = text.removesuffix("\n")
    return text.replace("\n", "\r\n") if rng.random() < 0.15 else text


def diff_of(rng, text):
    """A V4A diff of which most lines are those of the text."""
    lines, out, at = text.splitlines(), [], 0
    for _ in range(rng.choice([1, 1, 1, 2])):
        for _ in range(rng.choice([1, 1, 1, 1, 2])):
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
        at = end if rng.random() < 0.9 else 0
        if rng.random() < 0.1:
            out.append("*** End of File")
    if rng.random() < 0.03:
        out = []
    return "".join(line + "\n" for line in out)


def by_openai(text, diff):
    try:
        return apply_diff(text, diff)
    except ValueError:
        return None


def check_v4a(bridge, rng, cases):
    seen = Counter()
    for _ in range(cases):
        text = document(rng)
        diff = diff_of(rng, text)
        ours = bridge.apply("apply-patch", text, {"type": "update_file", "path": PATH, "diff": diff})
        theirs = by_openai(text, diff)
        whole = rules.outcome(rules.v4a, set(rules.V4A_QUIRKS), text, diff)[0]
        if whole != theirs:
            sys.exit(f"the quirks are not those of the engine\ntext {text!r}\ndiff {diff!r}\nquirks {whole!r}\ntheirs {theirs!r}")
        seen[compared("V4A", rules.v4a, rules.V4A_QUIRKS, (text, diff), ours, theirs)] += 1
    return seen


class Editor:
    """Anthropic's engine, on a file of its own."""

    def __init__(self, folder):
        self.tool = BetaLocalFilesystemMemoryTool(str(folder))
        self.file = Path(folder, PATH)
        self.file.parent.mkdir(parents=True, exist_ok=True)

    def apply(self, text, call):
        self.file.write_bytes(text.encode())
        try:
            self.tool.call({**call, "path": "/" + PATH})
        except Exception:
            return None
        return self.file.read_bytes().decode()


def check_editor(bridge, rng, cases, folder):
    seen, editor = Counter(), Editor(folder)
    for _ in range(cases):
        text = document(rng)
        if rng.random() < 0.5:
            start = rng.randint(0, len(text))
            old = text[start:start + rng.randint(0, 6)]
            old = rng.choice([old, old, old, old + "\n", old.replace("\r\n", "\n"), rng.choice(["aa", "zz", "a\n"])])
            new = rng.choice(["new", "", old, "x\ny", old + "\n"])
            call = {"command": "str_replace", "old_str": old, "new_str": new}
            how = ("str_replace", rules.replace, rules.REPLACE_QUIRKS, (text, old, new))
        else:
            line = rng.randint(-1, len(text.splitlines()) + 1)
            new = rng.choice(["n", "n\n", "n\n\n", "a\nb", ""])
            call = {"command": "insert", "insert_line": line, "insert_text": new}
            how = ("insert", rules.insert, rules.INSERT_QUIRKS, (text, line, new))
        ours = bridge.apply("text-editor", text, {**call, "path": PATH})
        seen[compared(*how, ours, editor.apply(text, call))] += 1
    return seen


def check_corpus(bridge, folder):
    """Real changes with zero to three lines of context; without the large corpus none."""
    file = Path(os.environ.get("CANVAS_DATA", "../shared/data"), "patch/corpus_dev.jsonl")
    if os.environ.get("CANVAS_CORPUS") != "all" or not file.exists():
        return Counter()
    seen, editor = Counter(), Editor(folder)
    for row in map(json.loads, file.read_text().split("\n")[:-1]):
        before, after = row["before"], row["after"]
        crlf = before.count("\r\n")
        if "\r" in before.replace("\r\n", "") or crlf not in (0, before.count("\n")) or not before:
            continue
        for context in range(4):
            for dialect in ["apply-patch", "text-editor"]:
                reply = bridge.ask(
                    "native.render", before=before, after=after, dialect=dialect, path=PATH, context=context, unique=False)
                # The first call; what follows one is another text.
                call = reply.get("result", {}).get("calls", [None])[0]
                if call is None or "diff" not in call and call.get("command") != "str_replace":
                    continue
                ours = bridge.apply(dialect, before, call)
                if dialect == "apply-patch":
                    how = ("V4A", rules.v4a, rules.V4A_QUIRKS, (before, call["diff"]))
                    theirs = by_openai(before, call["diff"])
                else:
                    how = ("str_replace", rules.replace, rules.REPLACE_QUIRKS, (before, call["old_str"], call["new_str"]))
                    call.pop("path")
                    theirs = editor.apply(before, call)
                seen[f"{context} lines, " + compared(*how, ours, theirs)] += 1
    return seen


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
        ("real changes", check_corpus(bridge, folder)),
        ("grammar of the Codex tool", check_grammar(bridge, rng, min(cases, 200))),
    ]:
        print(f"{title}:")
        for what, count in sorted(seen.items()):
            print(f"  {count:6} {what}")
    print("quirks that explain a difference:")
    for quirks in [rules.V4A_QUIRKS, rules.REPLACE_QUIRKS, rules.INSERT_QUIRKS]:
        for quirk, what in quirks.items():
            print(f"  {quirk}: {what}")


if __name__ == "__main__":
    main()
