"""Watching a canvas from asyncio and trio. Both are imported when they are needed, as asyncio alone takes long."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ._errors import CanvasError
from ._types import ChangeJson, DocumentJson, Fields, Json, JsonObject, types

if TYPE_CHECKING:
    from types import ModuleType

T = TypeVar("T")
JsonList = list[Json]
#: Sends a request without telling the watchers.
Ask = Callable[[str, Fields], JsonObject]


@dataclass(frozen=True)
class WatchEvent:
    """The newest state of a watched canvas.

    ``revision`` is that of the newest change of content, and ``revision_id`` that of the document. ``proposals`` counts the parts
    that wait for a decision. ``actor`` made the newest change of content since the event before, if there is one, and
    ``missed`` counts the changes before it that got no event of their own.
    """

    canvas: str
    status: types.CanvasStatus
    revision: int | None
    revision_id: str | None
    epoch: int
    is_locked: bool
    proposals: int
    actor: types.Actor | None
    missed: int


@dataclass(frozen=True)
class _Seen:
    """A state, with the number of the last entry of the history in it, the proposals and the version of the row."""

    event: WatchEvent
    entry: int
    proposals: Json
    version: str | None


class Watch:
    """The states of a canvas, one after the other, for ``async for``. The first is the current one.

    It ends if the engine is closed. A change by this engine is seen at once, and one by another process after
    ``interval`` seconds at most. One task at a time may wait for it.
    """

    def __init__(self, ask: Ask, canvas: str, interval: float | None) -> None:
        if interval is not None and not interval > 0:
            raise CanvasError("INVALID_ARGUMENTS", "interval is not more than 0 seconds: pass another one, or None")
        self.canvas = canvas
        self._ask = ask
        self._interval = interval
        self._lock = threading.RLock()
        self._is_due = True
        self._is_over = False
        self._wake: Callable[[], object] | None = None
        self._read_at = 0.0
        self._seen: _Seen | None = None

    def __aiter__(self) -> Watch:
        return self

    async def __anext__(self) -> WatchEvent:
        while True:
            await self._until_due()
            if self._is_over:
                raise StopAsyncIteration
            self._is_due, self._read_at = False, time.monotonic()
            try:
                seen = await _in_thread(self._read)
            except BaseException as error:
                if isinstance(error, CanvasError) and error.code == "CLOSED":
                    self._is_over = True
                    continue
                # Who goes on after an error or a cancellation misses nothing.
                self._is_due = True
                raise
            last, self._seen = self._seen, seen
            if last is None or _state(seen) != _state(last):
                return seen.event

    def close(self) -> None:
        """Ends it. A task that waits for it goes on after its ``async for``."""
        self._notify(is_over=True)

    def _notify(self, *, is_over: bool = False) -> None:
        with self._lock:
            self._is_due, self._is_over = True, self._is_over or is_over
            wake, self._wake = self._wake, None
        if wake is not None:
            # Its event loop may have ended.
            with contextlib.suppress(RuntimeError):
                wake()

    async def _until_due(self) -> None:
        rest = None
        if self._interval is not None:
            rest = self._read_at + self._interval - time.monotonic()
        if not self._is_due and (rest is None or rest > 0):
            try:
                await _wait(self._sleep, rest)
            finally:
                self._wake = None

    def _sleep(self, wake: Callable[[], object]) -> bool:
        """Takes the function that wakes the task, unless there is something to do already."""
        with self._lock:
            self._wake = None if self._is_due else wake
            return not self._is_due

    def _read(self) -> _Seen:
        last = self._seen
        before = last.event if last else None
        try:
            version = cast("str", self._ask("canvas.version", {"canvas": self.canvas})["version"])
            # Each commit has another version. A lock may end without one.
            if last is not None and last.version == version and not last.event.is_locked:
                return last
            text = cast("DocumentJson", self._ask("canvas.text", {"canvas": self.canvas}))
            changes, entry = self._since(last.entry) if last else ([], self._end())
            proposals = self._ask("proposal.list", {"canvas": self.canvas})["proposals"]
        except CanvasError as error:
            if error.code != "CANVAS_NOT_FOUND":
                raise
            status: types.CanvasStatus = "deleted" if before and before.status != "absent" else "absent"
            revision, revision_id = (before.revision, before.revision_id) if before else (None, None)
            gone = WatchEvent(self.canvas, status, revision, revision_id, 0, False, 0, None, 0)
            return _Seen(gone, last.entry if last else 0, None, None)
        newest = changes[-1] if changes else None
        # An id begins with the revision that changed the document last.
        revisions = [int(text["revision_id"][1:].partition("-")[0]), before.revision if before else None]
        if newest or (last is None and entry):
            revisions.append((newest or self._after(entry - 1)[-1])["revision"])
        event = WatchEvent(
            canvas=self.canvas,
            status="live",
            revision=max(revision for revision in revisions if revision is not None),
            revision_id=text["revision_id"],
            epoch=text["canvas_epoch"],
            is_locked=text["locked"],
            proposals=sum(len(cast("JsonList", cast("JsonObject", one)["parts"])) for one in cast("JsonList", proposals)),
            actor=newest["actor"] if newest else None,
            missed=max(len(changes) - 1, 0),
        )
        return _Seen(event, entry, proposals, version)

    def _after(self, entry: int, limit: int = 1_000) -> list[ChangeJson]:
        fields = {"canvas": self.canvas, "after": entry, "limit": limit}
        return cast("list[ChangeJson]", self._ask("history.list", fields)["changes"])

    def _since(self, entry: int) -> tuple[list[ChangeJson], int]:
        """Returns the later changes, and the number of the last one."""
        changes: list[ChangeJson] = []
        while page := self._after(entry + len(changes)):
            changes += page
        return changes, entry + len(changes)

    def _end(self) -> int:
        """Returns the number of the last entry. The list has no other end to begin from."""
        low, step = 0, 1
        while self._after(low + step - 1, limit=1):
            low, step = low + step, step * 2
        high = low + step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._after(middle - 1, limit=1) else (low, middle)
        return low


def _state(seen: _Seen) -> tuple[object, ...]:
    event = seen.event
    fields = event.status, event.revision, event.revision_id, event.epoch, event.is_locked
    return *fields, seen.entry, seen.proposals


class Watchers:
    """The watches of an engine. One that nobody holds any more is forgotten."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._watches: weakref.WeakSet[Watch] = weakref.WeakSet()

    def add(self, watch: Watch) -> Watch:
        with self._lock:
            self._watches.add(watch)
        return watch

    def after(self, op: str, fields: Fields) -> None:
        """Wakes those whose canvas an operation may have changed."""
        if not self._watches or op in _READS:
            return
        params = fields.get("params")
        of_params = cast("Fields", params).get("canvasId") if isinstance(params, dict) else None
        canvas = fields.get("canvas", of_params)
        for watch in self._all():
            if canvas is None or canvas == watch.canvas:
                watch._notify()  # pyright: ignore[reportPrivateUsage]

    def close(self) -> None:
        for watch in self._all():
            watch.close()

    def _all(self) -> list[Watch]:
        with self._lock:
            return list(self._watches)


_READS = frozenset(
    (
        "board.context board.data board.get board.place board.registry canvas.text canvas.version date.eval "
        "history.blame history.diff history.list history.text_at json.canonical "
        "markdown.effects markdown.outline markdown.resolve native.apply native.render ops.apply patch.apply patch.build "
        "patch.preview proposal.list proposal.redline proposal.text provider.decode provider.decode_stream "
        "provider.replay provider.request provider.tools recipe.data recipe.get recipe.rerun recipe.run store.stats "
        "structure.apply surface.audit surface.check surface.file surface.template text.grep text.positions "
        "text.redline tool.list tool.prompt version.list"
    ).split()
)


def _trio() -> Any:
    """Returns trio if the current task is one of it."""
    trio: ModuleType | None = sys.modules.get("trio")
    if trio is None:
        return None
    try:
        trio.lowlevel.current_task()
    except RuntimeError:
        return None
    return trio


async def _in_thread(work: Callable[[], T]) -> T:
    """An engine may wait for a disk or another thread, and an event loop must not."""
    trio = _trio()
    if trio is not None:
        return cast("T", await trio.to_thread.run_sync(work))
    import asyncio

    return await asyncio.to_thread(work)


async def _wait(sleep: Callable[[Callable[[], object]], bool], seconds: float | None) -> None:
    """Waits until the function that is passed to ``sleep`` is called from any thread, or for some seconds."""
    trio = _trio()
    if trio is not None:
        token, awake = trio.lowlevel.current_trio_token(), trio.Event()
        if sleep(lambda: token.run_sync_soon(awake.set)):
            with trio.move_on_after(float("inf") if seconds is None else seconds):
                await awake.wait()
        return
    import asyncio

    loop, event = asyncio.get_running_loop(), asyncio.Event()
    if sleep(lambda: loop.call_soon_threadsafe(event.set)):
        timer = None if seconds is None else loop.call_later(seconds, event.set)
        try:
            await event.wait()
        finally:
            if timer is not None:
                timer.cancel()
