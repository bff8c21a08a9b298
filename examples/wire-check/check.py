"""Judges what goes to providers, and how their streams are put together; see .ci/wires."""

import functools
import json
import os
import random
import sys
from collections import Counter
from pathlib import Path

import botocore.session
import frames
import interactions
import runs
import streams
from bridge import Bridge

PROVIDERS = ["openai-chat", "openai-responses", "anthropic", "gemini", "gemini-interactions", "bedrock-converse", "ollama"]
TOOLSETS = ["document", "extended", "directive", "board", "surface", "recipe", "all"]
DIALECTS = ["text-editor", "apply-patch", "codex-patch", "edit", "replace", "search-replace"]
MODELS = {"gemini": ["gemini-3-pro", "gemini-2.5-flash"], "gemini-interactions": ["gemini-4-argon", "gemini-4-argon-2"]}
LINES = {"bedrock-converse", "ollama"}
# What hosts of Chat Completions add to its messages; the types of OpenAI's own SDK do not know it.
ADDED = {"reasoning_content", "reasoning", "reasoning_details"}
# Where a string is sealed: only who made it can open it.
SEALED = {"signature", "thoughtSignature", "thought_signature", "encrypted_content", "data", "redactedContent"}


def models(provider):
    return MODELS.get(provider, ["model-a", "model-b"])


def issuers(provider):
    return [{"host": f"{provider}.invalid", "model": model} for model in models(provider)]


def recorded(bridge, data):
    """All recorded answers, as events of each of two issuers."""
    answers = []
    for case in json.loads((data / "providers/index.json").read_text())["cases"]:
        provider = case["provider"]
        text = (data / "providers" / case["file"]).read_text()
        for issuer in issuers(provider):
            if case["streamed"]:
                reply = bridge.ask("provider.decode_stream", provider=provider, chunks=[text], issuer=issuer)
            else:
                reply = bridge.ask("provider.decode", provider=provider, body=json.loads(text), issuer=issuer)
            if reply["ok"] and reply["result"]["events"]:
                answers.append(reply["result"]["events"])
    return answers


def strings(value, key=None):
    """All strings with the key that they are under."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from strings(item, name)


def sealed(events):
    """Each sealed string with those who made it."""
    out = {}
    for event in events:
        envelope = event.get("envelope") or {}
        for key, text in strings(envelope.get("parts", [])):
            if key in SEALED and len(text) > 16:
                whose = (envelope["wire"], envelope["issuer"]["host"], envelope["issuer"]["model"])
                out.setdefault(text, set()).add(whose)
    return out


def without_added(body):
    """The request without what its host adds to the wire."""
    messages = [{k: v for k, v in message.items() if k not in ADDED} for message in body["messages"]]
    return body | {"messages": messages}


class Judge:
    def __init__(self, validate):
        self.validate = validate
        self.counts = Counter()
        self.warnings = Counter()

    def take(self, provider, kind, body, model=None):
        if provider == "gemini-interactions":
            self.counts[f"{provider} {kind}"] += 1
            if errors := interactions.errors(body):
                sys.exit(f"{provider} {kind}: {errors}\n{json.dumps(body, indent=1)[:6000]}")
            return
        known = without_added(body) if (provider, kind) == ("openai-chat", "request") else body
        judged = self.validate(provider, kind, known, model)
        self.counts[f"{provider} {kind}"] += 1
        for warning in judged.warnings:
            self.warnings[f"{provider} {kind}: {warning['msg'][:90]}"] += 1
        if judged.errors:
            sys.exit(f"{provider} {kind}: {json.dumps(judged.errors, indent=1)}\n{json.dumps(body, indent=1)[:6000]}")


def once(tools_of):
    """Judges a list of tools the first time that it is sent: its schemas take most of the time, and are the same each time."""
    passed = set()

    def judge(report, provider, tools, *rest, **named):
        key = provider, json.dumps(tools)
        if key not in passed:
            before = len(report.errors)
            tools_of(report, provider, tools, *rest, **named)
            if len(report.errors) == before:
                passed.add(key)

    return judge


def tools(bridge, judge):
    for provider in [*PROVIDERS, "mcp"]:
        lists = [{"toolset": toolset} for toolset in TOOLSETS]
        lists += [{"toolset": "native", "dialect": dialect} for dialect in DIALECTS]
        for fields in lists:
            tools = bridge.give("provider.tools", provider=provider, **fields)["tools"]
            if provider == "gemini-interactions":
                tools = {"model": "m", "input": [], "tools": tools}
            judge.take(provider, "tools", tools)


def requests(bridge, judge, answers, count):
    rng = random.Random(19)
    for _ in range(count):
        events = runs.run(rng, answers)
        for end in range(1, len(events) + 1):
            prefix = events[:end]
            seals = sealed(prefix)
            for provider in PROVIDERS:
                issuer = rng.choice(issuers(provider))
                fields = {"toolset": rng.choice(["document", "all"])} if rng.random() < 0.5 else {}
                reply = bridge.ask(
                    "provider.request",
                    provider=provider,
                    model=issuer["model"],
                    issuer=issuer,
                    system="Be brief." if rng.random() < 0.5 else "",
                    events=prefix,
                    **fields,
                )
                if not reply["ok"]:
                    if reply["error"]["code"] != "EMPTY_HISTORY":
                        sys.exit(f"{provider}: {reply['error']}\n{json.dumps(prefix, indent=1)}")
                    judge.counts[f"{provider} empty"] += 1
                    continue
                body = reply["result"]["body"]
                judge.take(provider, "request", body, issuer["model"])
                me = (provider, issuer["host"], issuer["model"])
                for _, text in strings(body):
                    if text in seals and me not in seals[text]:
                        sys.exit(f"{provider}: sealed by {seals[text]}, sent to {me}\n{json.dumps(prefix)[:4000]}")


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    data = Path(os.environ["CANVAS_DATA"])
    sys.path.insert(0, str(data.parent / "tools"))
    import validate_tools

    validate_tools.tools_of = once(validate_tools.tools_of)
    botocore.session.get_session = functools.cache(botocore.session.get_session)
    bridge = Bridge(program)
    judge = Judge(validate_tools.validate)
    rng = random.Random(7)
    for provider in streams.WIRES:
        made = sum(streams.compare(bridge, rng, provider) for _ in range(10 * count))
        print(f"{provider}: {made} calls of {10 * count} streams put together as its SDK does")
    tools(bridge, judge)
    requests(bridge, judge, recorded(bridge, data), count)
    frames.compare(bridge, data, 20 * count)
    for name, number in sorted(judge.counts.items()):
        print(f"{name}: {number} without an error" if "empty" not in name else f"{name}: {number}")
    for name, number in judge.warnings.most_common():
        print(f"  warning {name}: {number}")


main()
