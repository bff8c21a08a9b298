"""A store in dictionaries, to try stores that are written in Python."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence

import canvas_engine as canvas


class DictStore:
    """Keeps everything in memory. Engines and threads may share it."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rows: dict[str, canvas.StoreRow] = {}
        #: Of each canvas, with the time of the last put.
        self._blobs: dict[str, dict[str, tuple[bytes, float]]] = {}

    def load(self, canvas_id: str) -> canvas.StoreRow | None:
        with self._lock:
            return self._rows.get(canvas_id)

    def commit(self, commit: canvas.StoreCommit) -> str | canvas.StoreConflict:
        with self._lock:
            row = self._rows.get(commit.canvas)
            if commit.expected != (row and row.version):
                return canvas.StoreConflict(row)
            version = uuid.uuid4().hex
            blobs = self._blobs.setdefault(commit.canvas, {})
            blobs.update({name: (content, self._clock()) for name, content in commit.blobs.items()})
            self._rows[commit.canvas] = canvas.StoreRow(commit.head, version)
            return version

    def blobs(self, canvas_id: str, ids: Sequence[str]) -> Sequence[bytes | None]:
        with self._lock:
            blobs = self._blobs.get(canvas_id, {})
            return [blobs[name][0] if name in blobs else None for name in ids]

    def list(self, after: str | None, limit: int) -> Sequence[str]:
        with self._lock:
            return sorted(name for name in self._rows if after is None or name > after)[:limit]

    def collect(
        self, canvas_id: str, keep: frozenset[str], older_than: float, at: str
    ) -> canvas.StoreCollected | None:
        with self._lock:
            row = self._rows.get(canvas_id)
            if row is None or row.version != at:
                return None
            blobs, limit = self._blobs[canvas_id], self._clock() - older_than
            old = [name for name, (_, put) in blobs.items() if name not in keep and put <= limit]
            return canvas.StoreCollected(len(old), sum(len(blobs.pop(name)[0]) for name in old))
