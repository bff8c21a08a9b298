"""Stores that are written in Python."""

from __future__ import annotations

import sys
import threading
import unittest
from collections.abc import Callable, Sequence
from pathlib import Path

import canvas_engine as canvas

sys.path.insert(0, str(Path(__file__).parent))
from dict_store import DictStore


class Faulty(DictStore):
    """A store whose next call of a method does something else first, or afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self.before: dict[str, Callable[[], object]] = {}
        self.after: dict[str, Callable[[], object]] = {}
        self.commits = 0

    def _do(self, acts: dict[str, Callable[[], object]], name: str) -> None:
        act = acts.get(name)
        if act is not None:
            act()

    def load(self, canvas_id: str) -> canvas.StoreRow | None:
        self._do(self.before, "load")
        return super().load(canvas_id)

    def commit(self, commit: canvas.StoreCommit) -> str | canvas.StoreConflict:
        self.commits += 1
        self._do(self.before, "commit")
        done = super().commit(commit)
        self._do(self.after, "commit")
        return done

    def blobs(self, canvas_id: str, ids: Sequence[str]) -> Sequence[bytes | None]:
        self._do(self.before, "blobs")
        return super().blobs(canvas_id, ids)

    def collect(
        self, canvas_id: str, keep: frozenset[str], older_than: float, at: str
    ) -> canvas.StoreCollected | None:
        self._do(self.before, "collect")
        return super().collect(canvas_id, keep, older_than, at)


class Strange(Exception):
    """An exception of a driver."""


def raises(error: BaseException) -> Callable[[], object]:
    def act() -> object:
        raise error

    return act


def once(acts: dict[str, Callable[[], object]], name: str, act: Callable[[], object]) -> None:
    def first() -> object:
        del acts[name]
        return act()

    acts[name] = first


class Laws(unittest.TestCase):
    """What each store promises."""

    def setUp(self) -> None:
        self.now = 100.0
        self.store: canvas.Store = DictStore(lambda: self.now)

    def put(self, name: str, expected: str | None, head: bytes, **blobs: bytes) -> str:
        done = self.store.commit(canvas.StoreCommit(name, expected, head, blobs))
        assert isinstance(done, str)
        return done

    def test_a_commit_compares_and_swaps(self) -> None:
        self.assertIsNone(self.store.load("a"))
        first = self.put("a", None, b"1", x=b"x")
        self.assertEqual(self.store.load("a"), canvas.StoreRow(b"1", first))
        for expected in (None, "other"):
            lost = self.store.commit(canvas.StoreCommit("a", expected, b"2", {"y": b"y"}))
            self.assertEqual(lost, canvas.StoreConflict(canvas.StoreRow(b"1", first)))
        self.assertEqual(self.store.commit(canvas.StoreCommit("b", first, b"2", {})), canvas.StoreConflict(None))
        self.assertEqual(self.store.blobs("a", ["x", "y", "x"]), [b"x", None, b"x"])
        self.assertEqual(self.store.blobs("b", ["x"]), [None])
        versions = {first}
        for n in range(20):
            row = self.store.load("a")
            assert row is not None
            versions.add(self.put("a", row.version, b"1"))
            self.assertEqual(len(versions), n + 2)

    def test_canvases_are_listed_in_order(self) -> None:
        for name in ("b", "a", "B", "\0", "größe", "🦀", "\uffff"):
            self.put(name, None, b"1")
        names = ["\0", "B", "a", "b", "größe", "\uffff", "🦀"]
        self.assertEqual(list(self.store.list(None, sys.maxsize)), names)
        self.assertEqual(list(self.store.list("a", 2)), ["b", "größe"])
        self.assertEqual(list(self.store.list(None, 0)), [])

    def test_a_collection_keeps_what_is_young_or_named(self) -> None:
        first = self.put("a", None, b"1", old=b"123", named=b"4")
        self.now += 10
        version = self.put("a", first, b"1", young=b"5", again=b"6")
        self.assertIsNone(self.store.collect("a", frozenset(), 0, first))
        self.assertEqual(self.store.collect("a", frozenset({"named"}), 5, version), canvas.StoreCollected(1, 3))
        self.assertEqual(self.store.blobs("a", ["old", "named", "young"]), [None, b"4", b"5"])
        self.assertEqual(self.store.collect("a", frozenset(), 0, version), canvas.StoreCollected(3, 3))
        self.assertIsNone(self.store.collect("none", frozenset(), 0, version))


class Engines(unittest.TestCase):
    def setUp(self) -> None:
        self.store = Faulty()
        self.engine = canvas.Engine.custom(self.store)
        self.addCleanup(self.engine.close)
        self.engine.create("plan", "# Plan\n")

    def test_another_engine_goes_on(self) -> None:
        session = self.engine.join("plan")
        lease = session.call("canvas_check_out", {}).body["lease_id"]
        with canvas.Engine.custom(self.store) as other:
            self.assertTrue(other.document("plan").is_locked)
            other.edit("plan", "# Größe\n" * 20_000, base=None)
            self.assertEqual(session.call("canvas_read_all", {"lease_id": lease}).code, "STALE_EPOCH")
        self.assertEqual(self.engine.document("plan").markdown, "# Größe\n" * 20_000)

    def test_engines_in_threads_lose_no_edit(self) -> None:
        engines = [canvas.Engine.custom(self.store) for _ in range(4)]

        def work(number: int) -> None:
            done = 0
            while done < 10:
                document = engines[number].document("plan")
                try:
                    text = f"{document.markdown}{number}-{done}\n"
                    engines[number].edit("plan", text, base=document.revision_id, person=f"p{number}")
                    done += 1
                except (canvas.StaleEdit, canvas.CanvasError):
                    continue

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        lines = self.engine.document("plan").markdown.splitlines()[1:]
        self.assertEqual(sorted(lines), sorted(f"{number}-{n}" for number in range(4) for n in range(10)))

    def test_an_exception_is_an_error_of_the_store(self) -> None:
        busy = canvas.CanvasError("STORE_BUSY", "wait")
        table: list[tuple[str, BaseException, str]] = [
            ("load", Strange("down"), "STORE_FAILED"),
            ("load", busy, "STORE_BUSY"),
            ("commit", Strange("down"), "STORE_INDETERMINATE"),
            ("commit", canvas.CanvasError("STORE_FULL", "no room"), "STORE_FULL"),
        ]
        for method, error, code in table:
            self.store.before[method] = raises(error)
            with self.assertRaises(canvas.CanvasError) as caught:
                # A write begins with the row that the engine knows.
                if method == "load":
                    self.engine.document("plan")
                else:
                    self.engine.edit("plan", "# Ours\n", base=None)
            self.assertEqual((caught.exception.code, caught.exception.__cause__), (code, error), method)
            del self.store.before[method]
            self.assertEqual(self.engine.document("plan").markdown, "# Plan\n")
        # It does not stay as the cause of a later error.
        with self.assertRaises(canvas.CanvasError) as caught:
            self.engine.document("none")
        self.assertIsNone(caught.exception.__cause__)

    def test_a_commit_of_unknown_fate_happens_once(self) -> None:
        for acts in (self.store.before, self.store.after):
            text = self.engine.document("plan").markdown + "more\n"
            once(acts, "commit", raises(Strange("the connection is lost")))
            revision = self.engine.edit("plan", text, base=None).revision_id
            document = self.engine.document("plan")
            self.assertEqual((document.markdown, document.revision_id), (text, revision))
        self.assertEqual(len(self.engine.history("plan").changes), 2)

    def test_an_answer_of_another_type_is_an_error(self) -> None:
        def load(_: str) -> object:
            return 7

        self.store.load = load  # type: ignore[assignment, method-assign]
        with self.assertRaises(canvas.CanvasError) as caught:
            self.engine.document("plan")
        self.assertEqual(caught.exception.code, "STORE_FAILED")
        self.assertIsInstance(caught.exception.__cause__, AttributeError)

    def test_an_interrupt_is_not_swallowed(self) -> None:
        once(self.store.before, "load", raises(KeyboardInterrupt()))
        with self.assertRaises(KeyboardInterrupt):
            self.engine.document("plan")
        self.assertEqual(self.engine.document("plan").markdown, "# Plan\n")

    def test_a_store_that_calls_its_engine_is_refused(self) -> None:
        for act in (lambda: self.engine.document("plan"), self.engine.close, lambda: self.engine.join("plan").close()):
            once(self.store.before, "load", act)
            with self.assertRaises(canvas.CanvasError) as caught:
                self.engine.document("plan")
            cause = caught.exception.__cause__
            assert isinstance(cause, canvas.CanvasError)
            self.assertEqual((caught.exception.code, cause.code), ("STORE_FAILED", "REENTRANT"))
            self.assertEqual(self.engine.document("plan").markdown, "# Plan\n")

    def test_a_store_may_call_another_engine(self) -> None:
        with canvas.Engine.memory() as other:
            once(self.store.before, "load", lambda: other.create("log"))
            self.assertEqual(self.engine.document("plan").markdown, "# Plan\n")
            self.assertEqual(other.document("log").markdown, "")

    def test_blobs_that_nothing_needs_are_dropped(self) -> None:
        for n in range(20):
            self.engine.edit("plan", f"# Plan {n}\n", base=None)
        self.assertGreater(self.engine.collect("plan", keep_changes=1), 0)
        self.assertEqual(self.engine.document("plan").markdown, "# Plan 19\n")
        with canvas.Engine.custom(self.store) as other:
            other.undo("plan")
            self.assertEqual(other.document("plan").markdown, "# Plan 18\n")


if __name__ == "__main__":
    unittest.main()
