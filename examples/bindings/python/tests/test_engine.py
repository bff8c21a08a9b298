"""Engines and sessions."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
import threading
import unittest

import canvas_engine as canvas

PATCH = "@@ -3,1 +3,1 @@\n-one\n+two\n"


def checked_out(session: canvas.Session) -> str:
    lease = session.call("canvas_check_out", {}).body["lease_id"]
    assert isinstance(lease, str)
    return lease


class Sessions(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = canvas.Engine.memory(clock=lambda: 1_000.0)
        self.addCleanup(self.engine.close)
        self.engine.create("plan", "# Plan\n\none\n")

    def test_a_model_edits_under_a_lease_that_ends_with_the_session(self) -> None:
        with self.engine.join("plan") as session:
            lease = checked_out(session)
            self.assertTrue(self.engine.document("plan").is_locked)
            reply = session.call("canvas_apply_patch", {"lease_id": lease, "patch": PATCH})
            self.assertTrue(reply.ok)
        document = self.engine.document("plan")
        self.assertEqual((document.markdown, document.is_locked), ("# Plan\n\ntwo\n", False))

    def test_a_refusal_is_a_reply(self) -> None:
        session = self.engine.join("plan")
        reply = session.call("canvas_apply_patch", {"lease_id": "lease-1", "patch": PATCH})
        self.assertEqual((reply.ok, reply.code), (False, "LOCK_NOT_OWNED"))
        # A model may name tools that it was not given.
        for name in ("canvas_fly", "canvas_replace_all", "create_component", "document_edit", "gsv__Canvas", "canvas_refresh"):
            self.assertEqual(session.call(name, {}).code, "UNKNOWN_TOOL", name)
        board = self.engine.join("plan", toolset="extended")
        self.assertEqual(board.call("gsv__Canvas", {}).code, "UNKNOWN_TOOL")
        self.assertNotEqual(board.call("create_component", {}).code, "UNKNOWN_TOOL")

    def test_arguments_that_a_model_cut_short_are_a_reply(self) -> None:
        session = self.engine.join("plan")
        arguments: list[str | canvas.Fields] = [
            '{"lease_id": "le',
            "[]",
            {"n": float("nan")},
            {"text": "\ud83d"},
            '{"n": 123456789012345678901}',
            '{"n": ' + "[" * 200 + "]" * 200 + "}",
            {"n": [2**64]},
        ]
        for argument in arguments:
            reply = session.call("canvas_read_all", argument)
            self.assertEqual((reply.ok, reply.code), (False, "INVALID_ARGUMENTS"))
            self.assertTrue(reply.message)
        reply = session.call("canvas_check_out", "{}")
        self.assertTrue(reply.ok)
        self.assertEqual(json.loads(reply.text), reply.body)

    def test_a_checked_in_lease_is_not_returned_twice(self) -> None:
        with self.engine.join("plan") as session:
            session.call("canvas_check_in", {"lease_id": checked_out(session)})
            self.assertFalse(self.engine.document("plan").is_locked)
            self.engine.join("plan", "other").call("canvas_check_out", {})
        self.assertTrue(self.engine.document("plan").is_locked)

    def test_a_retry_gets_the_first_reply(self) -> None:
        session = self.engine.join("plan")
        arguments = {"lease_id": checked_out(session), "patch": PATCH}
        first = session.call("canvas_apply_patch", arguments, call_id="call-1")
        again = session.call("canvas_apply_patch", arguments, call_id="call-1")
        self.assertEqual(again.body, first.body)

    def test_a_person_ends_the_turn(self) -> None:
        session = self.engine.join("plan")
        base = self.engine.document("plan").revision_id
        lease = checked_out(session)
        edited = self.engine.edit("plan", "# Plan\n\nmine\n", base=base, person="ana")
        self.assertEqual(edited.epoch, 1)
        reply = session.call("canvas_apply_patch", {"lease_id": lease, "patch": PATCH})
        self.assertEqual(reply.code, "STALE_EPOCH")
        self.assertIn("mine", session.message() or "")

    def test_an_edit_of_the_same_place_keeps_the_text_of_the_person(self) -> None:
        base = self.engine.document("plan").revision_id
        self.engine.edit("plan", "# Plan\n\nhers\n", base=base, person="ana")
        with self.assertRaises(canvas.StaleEdit) as caught:
            self.engine.edit("plan", "# Plan\n\nhis\n", base=base, person="ben")
        stale = caught.exception
        self.assertEqual(stale.markdown, "# Plan\n\nhis\n")
        self.assertEqual(stale.revision_id, self.engine.document("plan").revision_id)
        self.assertIn("hers", str(stale.changes))

    def test_a_policy_is_that_of_each_toolset(self) -> None:
        now = 1_000.0
        toolsets: tuple[canvas.Toolset, ...] = ("document", "extended")
        for toolset in toolsets:
            with canvas.Engine.memory(clock=lambda: now, policy=canvas.Policy(retake=False)) as engine:
                engine.create("plan", "# Plan\n\none\n")
                session = engine.join("plan", toolset=toolset)
                lease = checked_out(session)
                now += 60
                reply = session.call("canvas_apply_patch", {"lease_id": lease, "patch": PATCH})
                self.assertEqual(reply.code, "LEASE_EXPIRED")
        for lease_ttl in (0, float("inf"), float("nan")):
            with self.assertRaises(canvas.CanvasError):
                canvas.Engine.memory(policy=canvas.Policy(lease_ttl=lease_ttl))

    def test_a_policy_has_the_lifetime_of_leases(self) -> None:
        now = 1_000.0
        policy = canvas.Policy(lease_ttl=60, retake=False)
        with canvas.Engine.memory(clock=lambda: now, policy=policy) as engine:
            engine.create("plan", "one\n")
            checked_out(engine.join("plan"))
            now = 1_059.9
            self.assertTrue(engine.document("plan").is_locked)
            now = 1_060.0
            self.assertFalse(engine.document("plan").is_locked)

    def test_the_user_cancels_and_the_turn_ends(self) -> None:
        session = self.engine.join("plan")
        lease = checked_out(session)
        session.cancel(person="ana")
        self.assertEqual(session.call("canvas_read_all", {"lease_id": lease}).code, "STALE_EPOCH")
        session.message()
        checked_out(session)
        self.assertIsNone(session.end().hidden)
        self.assertFalse(self.engine.document("plan").is_locked)
        self.assertIn("canvas_check_out", session.prompt())

    def test_changes_wait_for_a_decision(self) -> None:
        session = self.engine.join("plan")
        session.mode("propose")
        self.assertTrue(session.call("canvas_apply_patch", {"patch": PATCH}).ok)
        ours = self.engine.propose("plan", markdown="# Our plan\n\none\n", reason="It is ours.", person="ana")
        self.assertEqual((ours.owner, ours.parts[0]["after"]), ({"person": "ana"}, "# Our plan\n"))
        theirs, _ = self.engine.proposals("plan")
        self.assertEqual([span["kind"] for span in self.engine.redline("plan", theirs.owner)][:1], ["keep"])
        seen = {part["id"]: part["after"] for part in theirs.parts}
        decided = self.engine.decide("plan", accept=[theirs.parts[0]["id"]], seen=seen, person="ana")
        self.assertEqual((decided.markdown, len(decided.accepted)), ("# Plan\n\ntwo\n", 1))
        self.assertEqual(self.engine.withdraw("plan", ours.owner), ())

    def test_a_person_undoes_the_changes_of_a_model_alone(self) -> None:
        session = self.engine.join("plan")
        session.call("canvas_apply_patch", {"lease_id": checked_out(session), "patch": PATCH})
        self.engine.edit("plan", "# Our plan\n\ntwo\n", base=None, person="ana")
        history = self.engine.history("plan")
        self.assertEqual([change.actor for change in history.changes][-1], {"person": "ana"})
        undone = self.engine.undo("plan", by={"conversation": "main"}, person="ana")
        self.assertEqual((len(undone.entries), undone.kept), (1, ()))
        self.assertEqual(self.engine.document("plan").markdown, "# Our plan\n\none\n")
        self.engine.redo("plan", by={"person": "ana"})
        self.assertEqual(self.engine.document("plan").markdown, "# Our plan\n\ntwo\n")
        self.assertGreaterEqual(self.engine.collect("plan", keep_changes=1), 0)

    def test_versions_are_kept_and_restored(self) -> None:
        past = self.engine.past("plan")
        first = self.engine.document("plan")
        sent = past.name("sent", note="to Ana", person="ana")
        self.assertEqual((sent.revision_id, sent.note, sent.actor), (first.revision_id, "to Ana", {"person": "ana"}))
        self.engine.edit("plan", first.markdown + "more\n", base=None, person="bert")
        self.assertEqual(past.text({"version": "sent"}).markdown, first.markdown)
        self.assertEqual(past.text(first.revision_id), past.text(sent.revision))
        diff = past.diff({"version": "sent"}, self.engine.document("plan").revision_id)
        self.assertIn("+more", diff.patch)
        self.assertEqual(diff.actors, ({"person": "bert"},))
        runs = past.blame()
        self.assertEqual((runs[0].actor, runs[-1].actor), (None, {"person": "bert"}))
        past.name("early", revision=sent.revision)
        self.assertEqual({version.label for version in past.rename("early", "first")}, {"first", "sent"})
        past.restore({"version": "sent"}, person="ana")
        self.assertEqual(self.engine.document("plan").markdown, first.markdown)
        with self.assertRaises(canvas.CanvasError) as refused:
            past.restore({"version": "sent"})
        self.assertEqual(refused.exception.code, "NO_EFFECT")
        self.assertEqual(past.remove("first"), past.versions())

    def test_tools_are_those_of_the_provider(self) -> None:
        session = self.engine.join("plan", toolset="extended")
        anthropic, openai = session.tools("anthropic"), session.tools("openai-chat")
        names = [tool["name"] for tool in anthropic]
        self.assertIn("canvas_apply_patch", names)
        self.assertEqual(len(names), len(openai))

    def test_faults_of_the_host_are_exceptions(self) -> None:
        for code, call in (
            ("CANVAS_NOT_FOUND", lambda: self.engine.document("other")),
            ("CANVAS_EXISTS", lambda: self.engine.create("plan")),
            ("BAD_REQUEST", lambda: self.engine.call("fly")),
            ("BAD_REQUEST", lambda: self.engine.join("plan").tools("nobody")),  # type: ignore[arg-type]
        ):
            with self.assertRaises(canvas.CanvasError) as caught:
                call()
            self.assertEqual(caught.exception.code, code)


class Lives(unittest.TestCase):
    def test_a_file_keeps_its_canvases(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "notes.db"
            with canvas.Engine.open(path) as engine:
                revision = engine.create("notes", "# Notes\n")
            with canvas.Engine.open(path) as engine:
                self.assertEqual(engine.document("notes").revision_id, revision)

    def test_a_closed_engine_says_so(self) -> None:
        engine = canvas.Engine.memory()
        engine.create("plan")
        session = engine.join("plan")
        engine.close()
        engine.close()
        with self.assertRaises(canvas.CanvasError) as caught:
            session.call("canvas_read_all", {})
        self.assertEqual(caught.exception.code, "CLOSED")

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
    def test_a_forked_child_is_refused(self) -> None:
        engine = canvas.Engine.memory()
        engine.create("plan")
        child = os.fork()
        if child == 0:
            try:
                engine.document("plan")
            except canvas.CanvasError as error:
                engine.close()
                os._exit(0 if error.code == "FORKED" else 2)
            os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(engine.document("plan").markdown, "")

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
    def test_forked_workers_do_not_take_each_other_for_a_retry(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "notes.db")
            with canvas.Engine.open(path) as engine:
                engine.create("notes", "0\n")
            for worker in range(2):
                child = os.fork()
                if child == 0:
                    try:
                        with canvas.Engine.open(path) as engine:
                            base = engine.document("notes").revision_id
                            engine.edit("notes", f"{worker + 1}\n", base=base)
                        os._exit(0)
                    except BaseException:
                        os._exit(1)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
            with canvas.Engine.open(path) as engine:
                self.assertEqual(engine.document("notes").markdown, "2\n")

    def test_threads_share_an_engine(self) -> None:
        with canvas.Engine.memory() as engine:
            engine.create("plan", "0\n")

            def work(canvas_id: str) -> None:
                engine.create(canvas_id, "a\n")
                for n in range(50):
                    engine.edit(canvas_id, f"{n}\n", base=None)

            threads = [threading.Thread(target=work, args=(f"plan-{n}",)) for n in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            texts = [engine.document(f"plan-{n}").markdown for n in range(8)]
            self.assertEqual(texts, ["49\n"] * 8)


if __name__ == "__main__":
    unittest.main()
