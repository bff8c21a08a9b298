"""Random runs: what a conversation may hold, from recorded answers and from words that clash."""

import json

NAMES = ["canvas_read_lines", "canvas_apply_patch", "a.b/c", "web:search", "9 lives", "f", "x" * 90, ""]
IDS = ["call_1", "call_2", "toolu.1:2", "", "a b", "é", "c" * 80, "fc_1", "ollama-call-0"]
WORDS = ["", " \n", "Hello.", "Done \n", "«ü»", "line\r\nline", "\u0000", "<think>no</think>"]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def arguments(rng):
    return rng.choice(
        [{}, {"a": 1}, {"markdown": "x\n", "deep": {"list": [1, None, {"b": "c"}]}}, {"": ""}, None, "{}", "[1]", '{"a'],
    )


def call(rng):
    event = {"role": "assistant", "type": "tool_call", "content": ""}
    event |= {"call_id": rng.choice(IDS), "tool_name": rng.choice(NAMES), "arguments": arguments(rng)}
    if rng.random() < 0.2:
        event |= {"verdict": rng.choice(["truncated", "malformed"]), "arguments": None}
    return event


def made_answer(rng):
    """An answer that a host made, without an issuer."""
    for _ in range(rng.randint(1, 4)):
        kind = rng.choice(["text", "thinking", "tool_call", "tool_call", "opaque"])
        if kind == "tool_call":
            yield call(rng)
        else:
            yield {"role": "assistant", "type": kind, "content": rng.choice(WORDS)}


def result(rng, call):
    """What a tool answers, mostly well addressed."""
    value = rng.choice(
        [
            {"ok": True, "revision_id": "r-1"},
            {"ok": False, "error": {"code": "NOT_FOUND", "message": "Not there; read it again.", "retryable": True}},
            "plain text",
            "",
            None,
            [1, 2],
            7,
        ]
    )
    event = {"role": "tool", "type": "tool_result", "tool_result": value}
    if rng.random() < 0.9:
        event["call_id"] = call.get("call_id")
    if rng.random() < 0.9:
        event["tool_name"] = call.get("tool_name")
    if rng.random() < 0.15:
        event["images"] = [{"media_type": "image/png", "data": PIXEL}] * rng.randint(1, 2)
    return event


def run(rng, answers):
    """A run: the user, answers with their results, the user again; interrupted anywhere."""
    events = []
    if rng.random() < 0.2:
        events.append({"role": "system", "type": "text", "content": rng.choice(WORDS)})
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.95:
            events.append({"role": "user", "type": "text", "content": rng.choice(WORDS[2:]) + str(rng.random())})
        for _ in range(rng.randint(1, 3)):
            answer = rng.choice(answers) if rng.random() < 0.7 else list(made_answer(rng))
            answer = json.loads(json.dumps(answer))
            if rng.random() < 0.1:
                rng.shuffle(answer)
            if rng.random() < 0.1 and answer:
                answer.pop(rng.randrange(len(answer)))
            events += answer
            results = [result(rng, event) for event in answer if event.get("type") == "tool_call"]
            if rng.random() < 0.2:
                rng.shuffle(results)
            if rng.random() < 0.2 and results:
                results.pop()
            if rng.random() < 0.05:
                results += results[:1]
            events += results
            if rng.random() < 0.1:
                events.append({"role": "user", "type": "text", "content": "Wait."})
    return events
