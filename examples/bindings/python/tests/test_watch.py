"""Watches, in asyncio, and in trio and anyio if they are installed."""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import os
import pathlib
import tempfile
import threading
import unittest
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, cast

import canvas_engine as canvas

PATCH = "@@ -1,1 +1,1 @@\n-# Plan\n+# Ours\n"
Main = Callable[[], Coroutine[object, object, None]]


def runners() -> list[tuple[str, Callable[[Main], None]]]:
    """Event loops, by name."""
    found: list[tuple[str, Callable[[Main], None]]] = [("asyncio", lambda main: asyncio.run(main()))]
    # The tests wait by anyio, except in asyncio.
    if importlib.util.find_spec("trio") and importlib.util.find_spec("anyio"):
        trio: Any = importlib.import_module("trio")
        found.append(("trio", lambda main: trio.run(main)))
    if importlib.util.find_spec("anyio"):
        anyio: Any = importlib.import_module("anyio")
        found.append(("anyio", lambda main: anyio.run(main)))
    return found


async def within(seconds: float, work: Awaitable[canvas.WatchEvent]) -> canvas.WatchEvent | None:
    """Returns the event, or nothing if it does not come in time."""
    if importlib.util.find_spec("anyio"):
        anyio: Any = importlib.import_module("anyio")
        with anyio.move_on_after(seconds):
            return await work
        return None
    try:
        return await asyncio.wait_for(work, seconds)
    except asyncio.TimeoutError:
        return None


async def event(watch: canvas.Watch) -> canvas.WatchEvent:
    found = await within(10, watch.__anext__())
    assert found is not None, "no event came"
    return found


def act_as_model(engine: canvas.Engine) -> None:
    session = engine.join("plan")
    lease = session.call("canvas_check_out", {}).body["lease_id"]
    session.call("canvas_apply_patch", {"lease_id": lease, "patch": PATCH})


class Watches(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = canvas.Engine.memory()
        self.addCleanup(self.engine.close)

    def each(self, main: Main) -> None:
        for name, run in runners():
            with self.subTest(loop=name):
                self.engine.close()
                self.engine = canvas.Engine.memory()
                before = set(threading.enumerate())
                run(main)
                left = [thread for thread in threading.enumerate() if thread not in before]
                # Those of trio are trio's own, and end when they have been idle.
                self.assertEqual([thread.name for thread in left if "Trio" not in thread.name], [])

    def test_each_change_is_an_event(self) -> None:
        def created() -> None:
            self.engine.create("plan", "# Plan\n")

        def edited() -> None:
            self.engine.edit("plan", "# Plan\n\nb\n", base=None, person="ana")

        def boarded() -> None:
            self.engine.call("board.create", {"canvas": "plan", "grid": GRID})
            self.engine.call("board.command", {"canvas": "plan", "command": TITLE, "source": "user"})

        # What happens, and then the status, revision, lock, proposals and actor that a watcher sees.
        table: list[tuple[Callable[[], object], tuple[object, ...]]] = [
            (created, ("live", 1, False, 0, None)),
            (edited, ("live", 2, False, 0, {"person": "ana"})),
            (lambda: self.engine.propose("plan", markdown="c\n", person="ben"), ("live", 2, False, 1, None)),
            (lambda: self.engine.withdraw("plan", {"person": "ben"}), ("live", 2, False, 0, None)),
            (lambda: self.engine.undo("plan"), ("live", 5, False, 0, {"person": "user"})),
            (lambda: act_as_model(self.engine), ("live", 6, True, 0, {"conversation": "main", "turn": 0})),
            (lambda: self.engine.join("plan").cancel(), ("live", 6, False, 0, None)),
            (boarded, ("live", 8, False, 0, {"person": "user"})),
        ]

        async def main() -> None:
            watch = self.engine.watch("plan", interval=None)
            self.assertEqual((await event(watch)).status, "absent")
            for number, (act, expected) in enumerate(table):
                act()
                got = await event(watch)
                seen = (got.status, got.revision, got.is_locked, got.proposals, got.actor)
                self.assertEqual(seen, expected, number)
                self.assertEqual(got.missed, 0, number)
            self.engine.document("plan")
            self.engine.create("other")
            self.assertIsNone(await within(0.05, watch.__anext__()))

        self.each(main)

    def test_a_slow_watcher_gets_the_newest_state_and_all_watchers_get_it(self) -> None:
        async def main() -> None:
            self.engine.create("plan")
            watches = [self.engine.watch("plan", interval=None) for _ in range(3)]
            for watch in watches:
                self.assertEqual((await event(watch)).missed, 0)
            for n in range(5):
                self.engine.edit("plan", f"{n}\n", base=None)
            for watch in watches:
                got = await event(watch)
                self.assertEqual((got.revision, got.missed), (6, 4))

        self.each(main)

    def test_a_change_of_another_thread_wakes_at_once(self) -> None:
        async def main() -> None:
            self.engine.create("plan")
            watch = self.engine.watch("plan", interval=None)
            await event(watch)
            edit = threading.Timer(0.05, lambda: self.engine.edit("plan", "a\n", base=None))
            edit.start()
            self.assertEqual((await event(watch)).revision, 2)
            edit.join()

        self.each(main)

    def test_another_engine_of_the_file_is_seen(self) -> None:
        async def main() -> None:
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "notes.db"
                with canvas.Engine.open(path) as engine, canvas.Engine.open(path) as other:
                    other.create("plan")
                    watch = engine.watch("plan", interval=0.02)
                    await event(watch)
                    other.edit("plan", "a\n", base=None)
                    other.edit("plan", "b\n", base=None)
                    revision = 0
                    while revision != 3:
                        revision = (await event(watch)).revision or 0
                    # A change of the lock is one of no content.
                    other.join("plan").call("canvas_check_out", {})
                    self.assertTrue((await event(watch)).is_locked)

        self.each(main)

    def test_a_long_history_has_one_event(self) -> None:
        async def main() -> None:
            for count in (1, 2, 3, 7, 8, 9, 40):
                name = f"plan-{count}"
                self.engine.create(name)
                for n in range(count):
                    self.engine.edit(name, f"{n}\n", base=None)
                watch = self.engine.watch(name, interval=None)
                self.assertEqual((await event(watch)).revision, count + 1)
                self.engine.collect(name, keep_changes=1)
                self.engine.undo(name)
                self.engine.edit(name, "next\n", base=None)
                self.engine.collect(name, keep_changes=1)
                self.assertEqual((await event(watch)).revision, count + 3)
                self.assertIsNone(await within(0.02, watch.__anext__()))

        self.each(main)

    def test_who_goes_on_after_a_cancellation_misses_nothing(self) -> None:
        async def main() -> None:
            self.engine.create("plan")
            watch = self.engine.watch("plan", interval=None)
            await event(watch)
            for n in range(20):
                self.assertIsNone(await within(0.001, watch.__anext__()))
                self.engine.edit("plan", f"{n}\n", base=None)
                got = await within(0.0005, watch.__anext__()) or await event(watch)
                self.assertEqual((got.revision, got.missed), (n + 2, 0))

        self.each(main)

    def test_who_goes_on_after_an_error_misses_nothing(self) -> None:
        def failing(op: str, fields: canvas.Fields) -> canvas.JsonObject:
            if faults:
                raise canvas.CanvasError(faults.pop(), "others are in the way")
            return self.engine.call(op, fields)

        async def main() -> None:
            self.engine.create("plan")
            watch = canvas.Watch(failing, "plan", None)
            await event(watch)
            self.engine.edit("plan", "# Ours\n", base=None)
            watch._notify()  # pyright: ignore[reportPrivateUsage]
            faults.append("STORE_BUSY")
            with self.assertRaises(canvas.CanvasError):
                await event(watch)
            self.assertEqual((await event(watch)).revision, 2)

        faults: list[canvas.Code] = []
        self.each(main)

    def test_more_changes_than_a_page_of_the_history_has(self) -> None:
        async def main() -> None:
            self.engine.create("plan")
            watch = self.engine.watch("plan")
            await event(watch)
            for n in range(1_005):
                self.engine.edit("plan", f"{n}\n", base=None, person="ben" if n > 1_000 else "ana")
            found = await event(watch)
            self.assertEqual((found.revision, found.missed, found.actor), (1_006, 1_004, {"person": "ben"}))

        self.each(main)

    def test_it_ends_with_the_engine_and_by_itself(self) -> None:
        async def main() -> None:
            self.engine.create("plan")
            for is_engine in (False, True):
                watch = self.engine.watch("plan", interval=None)
                close = self.engine.close if is_engine else watch.close
                closing = threading.Timer(0.05, close)
                closing.start()
                seen = [found.revision async for found in watch]
                self.assertEqual(seen, [1])
                closing.join()
            self.assertEqual([found async for found in self.engine.watch("plan")], [])

        self.each(main)

    def test_one_that_nobody_holds_is_forgotten(self) -> None:
        watch = self.engine.watch("plan")
        gone = weakref.ref(watch)
        del watch
        gc.collect()
        self.assertIsNone(gone())

    def test_its_interval_is_positive(self) -> None:
        for interval in (0, -1.0, float("nan")):
            with self.assertRaises(canvas.CanvasError) as caught:
                self.engine.watch("plan", interval=interval)
            self.assertEqual(caught.exception.code, "INVALID_ARGUMENTS")

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
    def test_another_process_is_seen(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "notes.db")
            with canvas.Engine.open(path) as engine:
                engine.create("plan")
            child = os.fork()
            if child == 0:
                try:
                    with canvas.Engine.open(path) as engine:
                        engine.edit("plan", "a\n", base=None)
                    os._exit(0)
                except BaseException:
                    os._exit(1)

            async def main() -> None:
                with canvas.Engine.open(path) as engine:
                    watch = engine.watch("plan", interval=0.02)
                    while (await event(watch)).revision != 2:
                        pass

            asyncio.run(main())
            self.assertEqual(os.waitpid(child, 0)[1], 0)


GRID: canvas.JsonObject = {"columns": 12, "rows": 8, "gap": 8, "cellWidth": 100, "cellHeight": 80}
TITLE = cast("canvas.JsonObject", {"type": "settings.update", "payload": {"theme": "dark"}})


if __name__ == "__main__":
    unittest.main()
