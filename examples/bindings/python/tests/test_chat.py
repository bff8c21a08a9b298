"""Chats, with answers as a provider sends them."""

from __future__ import annotations

import json
import unittest

import canvas_engine as canvas


def answer(*content: canvas.JsonObject) -> canvas.JsonObject:
    reason = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
    usage: canvas.JsonObject = {"input_tokens": 1, "output_tokens": 1}
    message: canvas.JsonObject = {"id": "m", "type": "message", "role": "assistant", "model": "claude-x"}
    return {**message, "content": list(content), "stop_reason": reason, "usage": usage}


def use(call_id: str, name: str, **arguments: canvas.Json) -> canvas.JsonObject:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


class Response:
    """An answer as an SDK wraps it."""

    def __init__(self, body: canvas.JsonObject) -> None:
        self._body = body

    def to_dict(self, *, mode: str) -> canvas.JsonObject:
        assert mode == "json"
        return self._body


class Chats(unittest.TestCase):
    def setUp(self) -> None:
        self.now = 1_000.0
        self.engine = canvas.Engine.memory(clock=lambda: self.now)
        self.addCleanup(self.engine.close)
        self.engine.create("plan", "# Plan\n\none\n")
        self.session = self.engine.join("plan")

    def test_a_model_works_until_it_makes_no_call(self) -> None:
        chat = self.session.chat("anthropic", "claude-x", system="Be brief.")
        chat.user("Make it two")
        body = chat.request()
        self.assertEqual(body["model"], "claude-x")
        self.assertIn("Be brief.", json.dumps(body["system"]))
        self.assertIn("canvas_check_out", json.dumps(body["tools"]))

        first = chat.answer(Response(answer(use("c1", "canvas_check_out"))))
        reply = first.calls[0].reply
        assert reply is not None
        lease = reply.body["lease_id"]
        # The model thinks for longer than its lease.
        self.now += 60
        patch = "@@ -3,1 +3,1 @@\n-one\n+two\n"
        second = chat.answer(answer(use("c2", "canvas_apply_patch", lease_id=lease, patch=patch)))
        self.assertFalse(second.is_last)
        self.assertIn("tool_result", json.dumps(chat.request()["messages"]))
        last = chat.answer(answer({"type": "text", "text": "Done."}))
        self.assertEqual((last.text, last.is_last), ("Done.", True))
        self.assertEqual(self.engine.document("plan").markdown, "# Plan\n\ntwo\n")
        self.assertEqual(json.loads(json.dumps(chat.events)), chat.events)

    def test_a_call_that_was_cut_short_is_not_run(self) -> None:
        chat = self.session.chat("openai-chat", "gpt-x")
        chat.user("Go on")
        function: canvas.JsonObject = {"name": "canvas_apply_patch", "arguments": '{"patch": "@@'}
        message: canvas.JsonObject = {"role": "assistant", "content": None}
        message["tool_calls"] = [{"id": "c1", "type": "function", "function": function}]
        choice: canvas.JsonObject = {"index": 0, "message": message, "finish_reason": "length"}
        cut = chat.answer({"id": "x", "object": "chat.completion", "model": "gpt-x", "choices": [choice]})
        self.assertIsNone(cut.calls[0].reply)
        self.assertIn("CALL_TRUNCATED", json.dumps(chat.request()))

    def test_the_model_is_told_what_a_person_changed(self) -> None:
        chat = self.session.chat("anthropic", "claude-x")
        chat.user("Hello")
        chat.answer(answer({"type": "text", "text": "Hello."}))
        self.engine.edit("plan", "# Plan\n\nmine\n", base=None)
        chat.user("Go on")
        self.assertIn("mine", json.dumps(chat.request()["messages"]))

    def test_ids_that_begin_again_name_other_calls(self) -> None:
        for text in ("two", "three"):
            chat = self.session.chat("anthropic", "claude-x")
            chat.user("Go on")
            replies: list[canvas.Reply] = []
            patch = f"@@ -3,1 +3,1 @@\n-{self.engine.document('plan').markdown[8:-1]}\n+{text}\n"
            for name, arguments in (("canvas_check_out", {}), ("canvas_apply_patch", {"patch": patch})):
                lease = {"lease_id": replies[0].body["lease_id"]} if replies else {}
                call = chat.answer(answer(use("call_0", name, **lease, **arguments))).calls[0]
                assert call.reply is not None
                replies.append(call.reply)
            self.assertEqual([reply.code for reply in replies], [None, None])
            self.assertEqual(self.engine.document("plan").markdown, f"# Plan\n\n{text}\n")

    def test_an_answer_that_was_interrupted_is_read_again(self) -> None:
        chat = self.session.chat("anthropic", "claude-x")
        chat.user("Go on")
        lease = chat.answer(answer(use("c1", "canvas_check_out"))).calls[0].reply
        assert lease is not None
        patches = [f"@@ -{line},1 +{line},1 @@\n-{old}\n+{new}\n" for line, old, new in ((1, "# Plan", "# Ours"), (3, "one", "two"))]
        both = answer(*(use(f"p{n}", "canvas_apply_patch", lease_id=lease.body["lease_id"], patch=p) for n, p in enumerate(patches)))
        run, before = self.session.call, chat.events

        def fail(name: str, arguments: str | canvas.Fields, *, call_id: str | None = None) -> canvas.Reply:
            if call_id and call_id.endswith("-1"):
                raise canvas.CanvasError("CONTENTION", "others keep changing the canvas: try again")
            return run(name, arguments, call_id=call_id)

        self.session.call = fail  # type: ignore[method-assign]
        with self.assertRaises(canvas.CanvasError):
            chat.answer(both)
        self.assertEqual(chat.events, before)
        self.session.call = run  # type: ignore[method-assign]
        again = chat.answer(both)
        self.assertEqual([call.reply and call.reply.code for call in again.calls], [None, None])
        self.assertEqual(self.engine.document("plan").markdown, "# Ours\n\ntwo\n")

    def test_another_provider_goes_on_with_the_history(self) -> None:
        chat = self.session.chat("anthropic", "claude-x")
        chat.user("Hello")
        chat.answer(answer(use("c1", "canvas_check_out")))
        other = self.session.chat("openai-chat", "gpt-x", events=chat.events)
        messages = json.dumps(other.request()["messages"])
        self.assertIn("canvas_check_out", messages)
        self.assertIn("lease_id", messages)

    def test_a_pause_is_not_the_end(self) -> None:
        chat = self.session.chat("anthropic", "claude-x")
        chat.user("Hello")
        paused = chat.answer({**answer({"type": "text", "text": "Wait."}), "stop_reason": "pause_turn"})
        self.assertFalse(paused.is_last)

    def test_something_else_is_refused(self) -> None:
        chat = self.session.chat("anthropic", "claude-x")
        for response in (None, "text", 7):
            with self.assertRaises(canvas.CanvasError) as caught:
                chat.answer(response)
            self.assertEqual(caught.exception.code, "INVALID_ARGUMENTS")


if __name__ == "__main__":
    unittest.main()
