"""Random streams of several calls, put together by us and by the official SDKs."""

import json

from anthropic.lib.streaming._messages import accumulate_event
from openai._models import construct_type_unchecked
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.lib.streaming.responses._responses import ResponseStreamState
from openai._types import omit
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import ResponseStreamEvent

VALUES = [0, -1.5, True, None, "", "é\"\\\n", "🦀", [], {}, [1, {"b": [None]}], {"a": {"b": "c"}}]


def pieces(rng, text):
    """The text in pieces, some of them empty."""
    out = []
    while text:
        size = rng.randint(0, 7)
        out.append(text[:size])
        text = text[size:]
    return out


def arguments(rng):
    names = rng.sample(["a", "b", "long name", "ü"], rng.randint(0, 3))
    return json.dumps({name: rng.choice(VALUES) for name in names}, ensure_ascii=rng.random() < 0.5)


def calls(rng):
    return [(f"call_{n}_{rng.randint(0, 99)}", rng.choice(["f", "g", "canvas_grep"]), arguments(rng)) for n in range(rng.randint(1, 4))]


def interleaved(rng, queues):
    """Items of all queues, each queue in its own order."""
    queues = [list(queue) for queue in queues]
    while any(queues):
        queue = rng.choice([queue for queue in queues if queue])
        yield queue.pop(0)


def chat(rng):
    def chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    for text in pieces(rng, rng.choice(["", "Let me see."])):
        yield chunk({"content": text})
    queues = []
    for index, (id, name, text) in enumerate(calls(rng)):
        first = {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}
        rest = [{"index": index, "function": {"arguments": piece}} for piece in pieces(rng, text)]
        queues.append([first, *rest])
    # A call begins in order; after that, they mix.
    for queue in queues:
        yield chunk({"tool_calls": [queue.pop(0)]})
    for delta in interleaved(rng, queues):
        yield chunk({"tool_calls": [delta]})
    yield chunk({}, "tool_calls")


def chat_sdk(events):
    state = ChatCompletionStreamState()
    for event in events:
        state.handle_chunk(construct_type_unchecked(type_=ChatCompletionChunk, value=event))
    made = state.current_completion_snapshot.choices[0].message.tool_calls or []
    return [(call.id, call.function.name, json.loads(call.function.arguments)) for call in made]


def anthropic(rng):
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": {**message, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}}
    index = 0
    for text in rng.choice([[], ["Let me see."]]):
        yield {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
        for piece in pieces(rng, text):
            yield {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": piece}}
        yield {"type": "content_block_stop", "index": index}
        index += 1
    for id, name, text in calls(rng):
        block = {"type": "tool_use", "id": id, "name": name, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for piece in pieces(rng, "" if text == "{}" else text):
            yield {"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": piece}}
            if rng.random() < 0.1:
                yield {"type": "ping"}
        yield {"type": "content_block_stop", "index": index}
        index += 1
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {"output_tokens": 9}}
    yield {"type": "message_stop"}


def anthropic_sdk(events):
    snapshot, buffers = None, {}
    for event in events:
        if event["type"] != "ping":
            snapshot = accumulate_event(event=event, current_snapshot=snapshot, json_bufs=buffers)
    return [(block.id, block.name, block.input) for block in snapshot.content if block.type == "tool_use"]


def responses(rng):
    sequence = 0

    def event(kind, **fields):
        nonlocal sequence
        sequence += 1
        return {"type": f"response.{kind}", "sequence_number": sequence, **fields}

    response = {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": [], "tools": [], "tool_choice": "auto"}
    response |= {"parallel_tool_calls": True, "error": None, "incomplete_details": None, "instructions": None, "metadata": {}}
    yield event("created", response={**response, "status": "in_progress"})
    items, queues = [], []
    for index, (id, name, text) in enumerate(calls(rng)):
        item = {"type": "function_call", "id": f"fc_{index}", "call_id": id, "name": name}
        items.append({**item, "arguments": text, "status": "completed"})
        yield event("output_item.added", output_index=index, item={**item, "arguments": "", "status": "in_progress"})
        place = {"item_id": item["id"], "output_index": index}
        queue = [("function_call_arguments.delta", {**place, "delta": piece}) for piece in pieces(rng, text)]
        queue.append(("function_call_arguments.done", {**place, "arguments": text, "name": name}))
        queue.append(("output_item.done", {"output_index": index, "item": items[-1]}))
        queues.append(queue)
    for kind, fields in interleaved(rng, queues):
        yield event(kind, **fields)
    yield event("completed", response={**response, "status": "completed", "output": items})


def responses_sdk(events):
    state = ResponseStreamState(input_tools=omit, text_format=omit)
    for event in events:
        state.handle_event(construct_type_unchecked(type_=ResponseStreamEvent, value=event))
    made = state._completed_response.output
    return [(item.call_id, item.name, json.loads(item.arguments)) for item in made if item.type == "function_call"]


WIRES = {
    "openai-chat": (chat, chat_sdk),
    "anthropic": (anthropic, anthropic_sdk),
    "openai-responses": (responses, responses_sdk),
}


def compare(bridge, rng, provider):
    """How many calls both have put together alike; the first difference otherwise."""
    make, official = WIRES[provider]
    events = list(make(rng))
    text = "".join(
        (f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event)}\n\n" for event in events
    )
    cuts = sorted(rng.randint(0, len(text)) for _ in range(rng.randint(0, 9)))
    chunks = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)])]
    decoded = bridge.give("provider.decode_stream", provider=provider, chunks=chunks)
    ours = [(call["id"], call["name"], call["arguments"]) for call in decoded["calls"]]
    theirs = official(events)
    if ours != theirs or "failure" in decoded:
        raise SystemExit(f"{provider}: put together in another way\nours {ours}\ntheirs {theirs}\n{text}")
    return len(ours)
