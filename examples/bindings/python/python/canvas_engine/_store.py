"""Stores written in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

Row = tuple[bytes, str]


@dataclass(frozen=True)
class StoreRow:
    """The row of a canvas: its head, which a store need not understand, and the version of this state."""

    head: bytes
    version: str


@dataclass(frozen=True)
class StoreCommit:
    """The input of a commit.

    ``expected`` is the version that the row must have, or ``None`` if there must be no row. ``head`` replaces the one in the
    row, and ``blobs`` are stored with it, by their ids.
    """

    canvas: str
    expected: str | None
    head: bytes
    blobs: Mapping[str, bytes]


@dataclass(frozen=True)
class StoreConflict:
    """A commit that was not written, because the row has another version. ``row`` is the current one, if there is one."""

    row: StoreRow | None


@dataclass(frozen=True)
class StoreCollected:
    """The number of dropped blobs, and their bytes."""

    blobs: int
    bytes: int


class Store(Protocol):
    """Keeps a row and blobs for each canvas. It compares and swaps, and decides nothing else.

    Whatever it raises is an error of the store. From ``commit`` and ``collect``, that means that they may have written. If
    they have not, raise ``CanvasError`` with ``STORE_BUSY``, ``STORE_UNAVAILABLE``, ``STORE_FULL`` or ``STORE_FAILED``.
    The methods must not call the engine that they serve. Two engines may call them at the same time.
    """

    def load(self, canvas: str, /) -> StoreRow | None:
        """Loads the row of a canvas, which may be any text of 1 to 512 bytes. ``None`` if it never had one."""
        ...

    def commit(self, commit: StoreCommit, /) -> str | StoreConflict:
        """Stores the head and all blobs in one step if the row has the expected version, or nothing.

        Returns the new version. A version is never used again, not even for an equal head or after a backup. After it
        returns, every reader sees the row and the blobs. A blob that exists is put again, which resets its age.
        """
        ...

    def blobs(self, canvas: str, ids: Sequence[str], /) -> Sequence[bytes | None]:
        """Loads blobs of a canvas, one answer for each id, in their order. A blob of another canvas is never found."""
        ...

    def list(self, after: str | None, limit: int, /) -> Sequence[str]:
        """Lists the canvases after ``after`` in the order of their characters, at most ``limit``."""
        ...

    def collect(self, canvas: str, keep: frozenset[str], older_than: float, at: str, /) -> StoreCollected | None:
        """Drops the blobs of a canvas that are not in ``keep`` and were put at least ``older_than`` seconds ago.

        If the row no longer has the version ``at``, nothing is dropped and the answer is ``None``.
        """
        ...


class Adapter:
    """Gives a store the shapes that the native engine reads."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def load(self, canvas: str) -> Row | None:
        row = self._store.load(canvas)
        return None if row is None else (row.head, row.version)

    def commit(
        self, canvas: str, expected: str | None, head: bytes, blobs: Sequence[tuple[str, bytes]]
    ) -> tuple[Row | None, bool]:
        done = self._store.commit(StoreCommit(canvas, expected, head, dict(blobs)))
        if isinstance(done, str):
            return (b"", done), True
        return (None if done.row is None else (done.row.head, done.row.version)), False

    def blobs(self, canvas: str, ids: Sequence[str]) -> Sequence[bytes | None]:
        found = self._store.blobs(canvas, ids)
        if len(found) != len(ids):
            raise ValueError(f"the store has {len(found)} answers to {len(ids)} ids")
        return found

    def list(self, after: str | None, limit: int) -> Sequence[str]:
        return self._store.list(after, limit)

    def collect(self, canvas: str, keep: Sequence[str], older_than: float, at: str) -> tuple[int, int] | None:
        done = self._store.collect(canvas, frozenset(keep), older_than, at)
        return None if done is None else (done.blobs, done.bytes)
