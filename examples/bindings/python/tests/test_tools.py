"""Tools of the host in chats."""

from __future__ import annotations

import json
import unittest
from collections.abc import Callable
from typing import cast

import canvas_engine as canvas

WEATHER: canvas.JsonObject = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ARGUMENTS: canvas.JsonObject = {"city": "Köln"}
#: An answer of each provider with one call of ``weather``.
ANSWERS: dict[canvas.Provider, canvas.JsonObject] = {
    "anthropic": {
        "id": "m", "type": "message", "role": "assistant", "model": "x", "stop_reason": "tool_use",
        "content": [{"type": "text", "text": "Let me see."},
                    {"type": "tool_use", "id": "c1", "name": "weather", "input": ARGUMENTS}],
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
    "openai-chat": {
        "id": "x", "object": "chat.completion", "model": "x",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": "Let me see.",
            "tool_calls": [{"id": "c1", "type": "function",
                            "function": {"name": "weather", "arguments": json.dumps(ARGUMENTS)}}]}}],
    },
    "openai-responses": {
        "id": "r", "object": "response", "status": "completed", "model": "x",
        "output": [
            {"type": "message", "id": "m", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "Let me see.", "annotations": []}]},
            {"type": "function_call", "id": "f", "call_id": "c1", "name": "weather", "status": "completed",
             "arguments": json.dumps(ARGUMENTS)},
        ],
    },
    "ollama": {
        "model": "x", "done": True, "done_reason": "stop",
        "message": {"role": "assistant", "content": "Let me see.",
                    "tool_calls": [{"function": {"name": "weather", "arguments": ARGUMENTS}}]},
    },
    "gemini": {
        "candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [
            {"text": "Let me see."}, {"functionCall": {"name": "weather", "args": ARGUMENTS}}]}}],
    },
    "bedrock-converse": {
        "stopReason": "tool_use",
        "output": {"message": {"role": "assistant", "content": [
            {"text": "Let me see."}, {"toolUse": {"toolUseId": "c1", "name": "weather", "input": ARGUMENTS}}]}},
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
    },
}
PROVIDERS: tuple[canvas.Provider, ...] = (*ANSWERS, "gemini-interactions")


def returning(result: canvas.Json) -> Callable[[canvas.JsonObject], canvas.Json]:
    return lambda _: result


class Strange(Exception):
    """An exception of a host."""


class Tools(unittest.TestCase):
    def test_a_result_that_no_provider_can_read_is_an_error(self) -> None:
        deep: canvas.Json = 1
        for _ in range(200):
            deep = [deep]
        within: canvas.Json = {"a": ["\ud800"]}
        for result in ("\udcff", 10**400, deep, float("nan"), cast("canvas.Json", object()), within):
            reply, error = canvas.Tool("t", "", {}, returning(result)).run({})
            self.assertEqual((reply.code, type(error).__module__), ("TOOL_FAILED", "builtins"))
            reply.text.encode()

        def raises(_: canvas.JsonObject) -> canvas.Json:
            raise Strange("\udcff")

        canvas.Tool("t", "", {}, raises).run({})[0].text.encode()

    def setUp(self) -> None:
        self.engine = canvas.Engine.memory()
        self.addCleanup(self.engine.close)
        self.engine.create("plan", "# Plan\n")
        self.session = self.engine.join("plan")
        self.calls: list[canvas.JsonObject] = []

    def weather(self, arguments: canvas.JsonObject) -> canvas.Json:
        self.calls.append(arguments)
        return {"sky": "grün"}

    def tool(self, function: Callable[[canvas.JsonObject], canvas.Json]) -> canvas.Tool:
        return canvas.Tool("weather", "Tells the weather.", WEATHER, function)

    def test_each_provider_declares_it_in_the_form_of_the_others(self) -> None:
        def shape(tool: canvas.Json) -> canvas.Json:
            """The names of fields, without those of a schema."""
            if not isinstance(tool, dict):
                return None
            schemas = ("parameters", "input_schema", "parametersJsonSchema", "json")
            return {name: None if name in schemas else shape(field) for name, field in sorted(tool.items())}

        for provider in PROVIDERS:
            chat = self.session.chat(provider, "x", tools=[self.tool(self.weather)])
            chat.user("How is the weather?")
            body = chat.request()
            listed = body.get("tools") or body["toolConfig"]
            if isinstance(listed, dict):
                listed = listed["tools"]
            assert isinstance(listed, list)
            if provider == "gemini":
                self.assertEqual(len(listed), 1)
                group = listed[0]
                assert isinstance(group, dict)
                listed = group["functionDeclarations"]
                assert isinstance(listed, list)
            self.assertIn('"city"', json.dumps(listed[-1]), provider)
            self.assertEqual(shape(listed[-1]), shape(listed[0]), provider)

    def test_its_result_is_the_content_of_the_next_request(self) -> None:
        for provider, answer in ANSWERS.items():
            with self.subTest(provider=provider):
                chat = self.session.chat(provider, "x", tools=[self.tool(self.weather)])
                chat.user("How is the weather?")
                got = chat.answer(answer)
                self.assertEqual((got.text, got.is_last), ("Let me see.", False))
                self.assertEqual(self.calls.pop(), ARGUMENTS)
                reply = got.calls[0].reply
                assert reply is not None
                self.assertEqual((reply.ok, reply.body["result"]), (True, {"sky": "grün"}))
                request = json.dumps(chat.request(), ensure_ascii=False)
                self.assertIn("grün", request)
                self.assertIn("Let me see.", request)

    def test_an_exception_is_a_result_for_the_model(self) -> None:
        def fail(error: Exception) -> Callable[[canvas.JsonObject], canvas.Json]:
            def function(_: canvas.JsonObject) -> canvas.Json:
                raise error

            return function

        def returns(value: object) -> Callable[[canvas.JsonObject], canvas.Json]:
            return lambda _: value  # type: ignore[return-value]

        table: list[tuple[Callable[[canvas.JsonObject], canvas.Json], str, str, type[Exception]]] = [
            (fail(Strange("no such city: Köln")), "TOOL_FAILED", "no such city: Köln", Strange),
            (fail(canvas.CanvasError("STORE_BUSY", "wait", {"retryable": True})), "STORE_BUSY", "wait", canvas.CanvasError),
            (returns(object()), "TOOL_FAILED", "JSON", TypeError),
            (returns(float("nan")), "TOOL_FAILED", "JSON", ValueError),
        ]
        for function, code, words, kind in table:
            for provider, answer in ANSWERS.items():
                chat = self.session.chat(provider, "x", tools=[self.tool(function)])
                chat.user("How is the weather?")
                got = chat.answer(answer)
                call = got.calls[0]
                assert call.reply is not None
                self.assertEqual((got.text, call.reply.code), ("Let me see.", code))
                self.assertIsInstance(call.error, kind)
                request = json.dumps(chat.request(), ensure_ascii=False)
                self.assertIn(code, request)
                self.assertIn(words, request)

    def test_the_session_is_free_while_a_tool_runs(self) -> None:
        def write(_: canvas.JsonObject) -> canvas.Json:
            return self.engine.edit("plan", "# Ours\n", base=None).revision_id

        chat = self.session.chat("anthropic", "x", tools=[self.tool(write)])
        chat.user("Go on")
        chat.answer(ANSWERS["anthropic"])
        self.assertEqual(self.engine.document("plan").markdown, "# Ours\n")

    def test_an_answer_that_was_interrupted_does_not_repeat_its_call(self) -> None:
        chat = self.session.chat("anthropic", "x", tools=[self.tool(self.weather)])
        chat.user("Go on")
        read: canvas.JsonObject = {"type": "tool_use", "id": "c2", "name": "canvas_check_out", "input": {}}
        content = ANSWERS["anthropic"]["content"]
        assert isinstance(content, list)
        both: canvas.JsonObject = {**ANSWERS["anthropic"], "content": [*content, read]}
        run = self.session.call

        def fail(name: str, arguments: str | canvas.Fields, *, call_id: str | None = None) -> canvas.Reply:
            raise canvas.CanvasError("CONTENTION", "others keep changing the canvas: try again")

        self.session.call = fail  # type: ignore[method-assign]
        with self.assertRaises(canvas.CanvasError):
            chat.answer(both)
        self.session.call = run  # type: ignore[method-assign]
        self.assertEqual([call.reply and call.reply.ok for call in chat.answer(both).calls], [True, True])
        self.assertEqual(len(self.calls), 1)
        # The same call in another answer is another call.
        chat.answer(both)
        self.assertEqual(len(self.calls), 2)

    def test_names_do_not_clash(self) -> None:
        async def later(_: canvas.JsonObject) -> canvas.Json:
            return None

        for provider in PROVIDERS:
            for names in (("canvas_check_out",), ("mine", "mine")):
                tools = [canvas.Tool(name, "", WEATHER, self.weather) for name in names]
                with self.assertRaises(canvas.CanvasError) as caught:
                    self.session.chat(provider, "x", tools=tools)
                self.assertEqual(caught.exception.code, "INVALID_ARGUMENTS")
        for name in ("", "1a", "a b", "größe", "a" * 65, "a\n"):
            with self.assertRaises(canvas.CanvasError):
                canvas.Tool(name, "", WEATHER, self.weather)
        with self.assertRaises(canvas.CanvasError):
            canvas.Tool("later", "", WEATHER, later)  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
