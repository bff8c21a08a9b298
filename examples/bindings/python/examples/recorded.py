"""A recorded model on this machine, which checks the first open task of a document.

It answers in the form of Anthropic, OpenAI Responses and Chat Completions, and takes lease ids from the requests.
"""

from __future__ import annotations

import http.server
import json
import re
import threading
from typing import Any

#: The calls of the model, then its last words.
STEPS: list[tuple[str, dict[str, str]]] = [
    ("canvas_check_out", {}),
    ("canvas_grep", {"query": "- [ ]"}),
    ("canvas_apply_patch", {"patch": "@@ ... @@\n-- [ ] {task}\n+- [x] {task}\n"}),
    ("canvas_check_in", {}),
]
LAST_WORDS = "The task is checked."


class Server:
    """Serves on a port of the loopback interface, in a thread of its own."""

    def __init__(self) -> None:
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        request = json.loads(self.rfile.read(length))
        answer = json.dumps(_FORMS[self.path](request)).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _step(results: list[str]) -> tuple[str, str, dict[str, str]] | None:
    """The call that follows these results: its id, its name and its arguments."""
    if len(results) == len(STEPS):
        return None
    name, template = STEPS[len(results)]
    seen = "\n".join(results)
    task = re.search(r"(\d+): - \[ \] ([^\"\\]*)", seen)
    arguments = dict(template)
    if "patch" in template and task:
        patch = template["patch"].replace("{task}", task[2])
        arguments["patch"] = patch.replace("...", f"-{task[1]},1 +{task[1]},1")
    lease = re.search(r'lease_id\\*": *\\*"([^"\\]+)', seen)
    if lease:
        arguments["lease_id"] = lease[1]
    return f"call_{len(results)}", name, arguments


def _anthropic(request: dict[str, Any]) -> dict[str, Any]:
    # The content of a message is a text or a list of blocks.
    contents: list[Any] = [message["content"] for message in request["messages"]]
    blocks: list[dict[str, Any]] = [block for content in contents if not isinstance(content, str) for block in content]
    results = [json.dumps(block["content"]) for block in blocks if block["type"] == "tool_result"]
    step = _step(results)
    block: dict[str, Any] = {"type": "text", "text": LAST_WORDS}
    if step:
        block = {"type": "tool_use", "id": step[0], "name": step[1], "input": step[2]}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": [block],
        "stop_reason": "tool_use" if step else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _responses(request: dict[str, Any]) -> dict[str, Any]:
    results = [json.dumps(item["output"]) for item in request["input"] if item.get("type") == "function_call_output"]
    step = _step(results)
    item: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": LAST_WORDS, "annotations": []}],
    }
    if step:
        call_id, name, arguments = step
        item = {"id": f"fc_{call_id}", "type": "function_call", "call_id": call_id, "name": name, "status": "completed"}
        item["arguments"] = json.dumps(arguments)
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": request["model"],
        "output": [item],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _chat(request: dict[str, Any]) -> dict[str, Any]:
    results = [json.dumps(message["content"]) for message in request["messages"] if message["role"] == "tool"]
    step = _step(results)
    message: dict[str, Any] = {"role": "assistant", "content": None if step else LAST_WORDS}
    if step:
        function = {"name": step[1], "arguments": json.dumps(step[2])}
        message["tool_calls"] = [{"id": step[0], "type": "function", "function": function}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if step else "stop"}],
    }


_FORMS = {"/v1/messages": _anthropic, "/v1/responses": _responses, "/v1/chat/completions": _chat}
