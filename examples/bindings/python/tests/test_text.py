"""Functions on plain text."""

from __future__ import annotations

import gc
import os
import pickle
import random
import resource
import sys
import threading
import unittest
from collections.abc import Callable

import canvas_engine as canvas

TEXT = "# Plan\n\n- [ ] one\n- [ ] two\n\n## Next\n\nlater\n"


# That must leave no memory behind.
CALLS = int(os.environ.get("CANVAS_CALLS", "20000"))


class Patches(unittest.TestCase):
    def test_a_built_patch_applies_and_its_inverse_leads_back(self) -> None:
        rng = random.Random(7)
        lines = [f"line {n}\n" for n in range(30)] + ["größe 🦀\n", "\x00\n", "last"]
        for _ in range(200):
            before = "".join(lines)
            lines = lines[:]
            for _ in range(rng.randrange(1, 4)):
                at = rng.randrange(len(lines) + 1)
                lines[at : at + rng.randrange(3)] = [f"new {rng.random()}\n"] * rng.randrange(3)
            after = "".join(lines)
            patch = canvas.build(before, after)
            if before == after:
                self.assertEqual(patch, "")
                continue
            applied = canvas.apply(before, patch)
            self.assertEqual(applied.text, after)
            self.assertEqual(canvas.apply(after, applied.inverse).text, before)

    def test_a_patch_that_does_not_fit_has_its_conflicts(self) -> None:
        with self.assertRaises(canvas.PatchRejected) as caught:
            canvas.apply(TEXT, "@@ -3,1 +3,1 @@\n-- [ ] three\n+- [x] three\n")
        self.assertEqual((caught.exception.code, caught.exception.reason), ("PATCH_REJECTED", "CONTEXT_MISMATCH"))
        self.assertEqual(len(caught.exception.conflicts), 1)

    def test_a_hunk_that_has_moved_needs_the_anchored_mode(self) -> None:
        patch = "@@ -7,1 +7,1 @@\n-later\n+now\n"
        with self.assertRaises(canvas.PatchRejected):
            canvas.apply(TEXT, patch)
        self.assertEqual(canvas.apply(TEXT, patch, mode="anchored").spans, (canvas.Lines(8, 8),))


class Places(unittest.TestCase):
    def test_sections_items_and_lines_are_found(self) -> None:
        self.assertEqual([one.path for one in canvas.outline(TEXT)], [("Plan",), ("Plan", "Next")])
        place = canvas.resolve(TEXT, {"section": ["Plan"], "item": 2})
        self.assertEqual(place, canvas.Place(4, 4, "- [ ] two\n"))
        found = canvas.grep(TEXT, r"^- \[ \]", regex=True)
        self.assertEqual(([match.line for match in found.matches], found.truncated), ([3, 4], False))
        with self.assertRaises(canvas.AddressError) as caught:
            canvas.resolve(TEXT, {"section": ["Nxt"]})
        self.assertEqual(caught.exception.code, "ADDRESS_NOT_FOUND")
        self.assertTrue(caught.exception.candidates)

    def test_positions_are_those_of_python_and_of_utf_16(self) -> None:
        text = "ä🦀\r\n\x00é\n\nz"
        for scalar in range(len(text) + 1):
            before = text[:scalar]
            expected = canvas.Position(
                byte=len(before.encode()),
                scalar=scalar,
                utf16=len(before.encode("utf-16-le")) // 2,
                line=before.count("\n") + 1,
                scalar_column=len(before) - (before.rfind("\n") + 1),
            )
            found = canvas.positions(
                text,
                [
                    {"byte": expected.byte},
                    {"scalar": scalar},
                    {"utf16": expected.utf16},
                    {"line": expected.line, "scalar_column": expected.scalar_column},
                ],
            )
            self.assertEqual(found, [expected] * 4)
        for offset in ({"byte": 1}, {"utf16": 2}, {"scalar": 99}, {"line": 9, "scalar_column": 0}, {"byte": -1}):
            with self.assertRaises(canvas.CanvasError):
                canvas.positions(text, [{**offset}])


class BadInput(unittest.TestCase):
    def test_lone_surrogates_and_numbers_that_are_no_json_are_refused(self) -> None:
        for call in (
            lambda: canvas.apply("\ud800", ""),
            lambda: canvas.build("a", "\udfff"),
            lambda: canvas.outline("\ud800"),
            lambda: canvas.resolve("a", {"lines": [float("nan"), 1]}),
            lambda: canvas.resolve("a", {"lines": [1 << 70, 1]}),
            lambda: canvas.resolve("a", {"lines": {1, 2}}),
            lambda: canvas.build("a", "b", context=-1),
            lambda: canvas.apply("a", "", mode="fuzzy"),  # type: ignore[arg-type]
        ):
            with self.assertRaises(canvas.CanvasError):
                call()

    def test_errors_reach_another_process(self) -> None:
        for call in (lambda: canvas.apply("a\n", "@@\n-b\n+c\n"), lambda: canvas.resolve("a", {"item": 1})):
            with self.assertRaises(canvas.CanvasError) as caught:
                call()
            error = caught.exception
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copy), str(copy), copy.details), (type(error), str(error), error.details))

    def test_a_wrong_type_is_a_type_error(self) -> None:
        with self.assertRaises(TypeError):
            canvas.apply(b"a", "")  # type: ignore[arg-type]


class Processes(unittest.TestCase):
    def test_threads_do_not_disturb_each_other(self) -> None:
        faults: list[BaseException] = []

        def work(seed: int) -> None:
            try:
                for n in range(200):
                    before, after = f"a {seed}\nb\n" * 50, f"a {seed}\nb {n}\n" * 50
                    assert canvas.apply(before, canvas.build(before, after)).text == after
                    assert canvas.resolve(f"# {seed}\n", {"section": [str(seed)]}).start_line == 1
            except BaseException as fault:
                faults.append(fault)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
    def test_a_forked_child_may_use_them(self) -> None:
        canvas.outline("# A\n")
        child = os.fork()
        if child == 0:
            os._exit(0 if canvas.outline("# B\n")[0].path == ("B",) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def leaves_no_memory_behind(self, work: Callable[[int], None], calls: int) -> None:
        work(max(calls // 10, 2_000))
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        work(calls)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        # Kilobytes, and bytes on macOS.
        self.assertLess(grown, 4_000_000 if sys.platform == "darwin" else 4_000)

    def test_calls_leave_no_memory_behind(self) -> None:
        text = "line\n" * 100
        patch = canvas.build(text, text + "more\n")

        def work(times: int) -> None:
            for n in range(times):
                canvas.apply(text, patch)
                if n % 10 == 0:
                    canvas.outline(text)
                if n % 100 == 0:
                    try:
                        canvas.apply("other\n", patch)
                    except canvas.PatchRejected:
                        pass

        self.leaves_no_memory_behind(work, CALLS)

    def test_engines_leave_no_memory_behind(self) -> None:
        with canvas.Engine.memory() as kept:
            kept.create("plan", "# Plan\n")

            def work(times: int) -> None:
                for n in range(times):
                    self.assertEqual(kept.document("plan").markdown, "# Plan\n")
                    if n % 20 == 0:
                        with canvas.Engine.memory() as engine:
                            engine.create("plan", "line\n" * 1_000)
                            with engine.join("plan") as session:
                                session.call("canvas_check_out", {})
                                session.call("canvas_fly", {})

            self.leaves_no_memory_behind(work, CALLS // 10)


if __name__ == "__main__":
    unittest.main()
