"""Engines, and what people do on their canvases."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Literal, cast

from . import _native
from ._errors import CanvasError
from ._faces import Board, Recipe, Rerun, Surfaces, rerun
from ._json import ask, given, usable
from ._past import Past
from ._session import Session
from ._store import Adapter, Store
from ._types import ChangeJson, DecidedJson, DocumentJson, EditedJson, Fields, Json, JsonObject, MovedJson, Toolset, types
from ._watch import Watch, Watchers


@dataclass(frozen=True)
class Document:
    """The current text of a canvas."""

    markdown: str
    revision_id: str
    epoch: int
    is_locked: bool


@dataclass(frozen=True)
class Edited:
    """The result of a person's edit.

    If others changed the document since its base, ``moved`` is true, and ``merged`` lists the lines that have the words of
    both.
    """

    revision_id: str
    epoch: int
    moved: bool
    merged: tuple[JsonObject, ...]


@dataclass(frozen=True)
class Policy:
    """The rules of an engine.

    ``lease_ttl`` is the number of seconds for which a model holds a canvas without a call. If it writes later than that,
    and nobody else has held the canvas since, ``retake`` gives it a new lease with the same call. ``rebase`` applies a patch
    that was written on an older text, if its places are untouched. ``merge_words`` merges a person's edit by words with
    later changes of the same lines.
    """

    lease_ttl: float = 15.0
    rebase: bool = True
    retake: bool = True
    merge_words: bool = False


@dataclass(frozen=True)
class Change:
    """An entry of the history.

    ``at`` is its time in milliseconds, ``edits`` counts its edits of the document, and ``author`` wrote the content, who may
    not be the ``actor`` that made the change.
    """

    change: int
    revision: int
    at: int
    actor: types.Actor
    author: types.Actor | None
    kind: str
    summary: str
    edits: int


@dataclass(frozen=True)
class History:
    """A part of the history, oldest change first. If there is more, it follows ``next``."""

    changes: tuple[Change, ...]
    next: int | None


@dataclass(frozen=True)
class Moved:
    """The changes that were undone or redone. ``kept`` lists those that stay, each with its reason."""

    revision_id: str
    epoch: int
    entries: tuple[types.HistoryEntry, ...]
    kept: tuple[types.KeptChange, ...]


@dataclass(frozen=True)
class Proposal:
    """The changes that one owner proposes, in parts by their place."""

    owner: types.Owner
    parts: tuple[types.PartView, ...]


@dataclass(frozen=True)
class Decided:
    """The result of a decision, with ids of parts. ``stale`` are those that no longer fit because of it."""

    accepted: tuple[str, ...]
    rejected: tuple[str, ...]
    stale: tuple[str, ...]
    revision_id: str
    markdown: str


class Engine:
    """Keeps canvases in memory, in an SQLite file or in a store of your own.

    ``clock`` returns the seconds since 1970. Close an engine, or use it in a ``with`` statement. Threads may share it.
    """

    def __init__(
        self, *, clock: Callable[[], float] = time.time, policy: Policy = Policy(), store: Store | None = None
    ) -> None:
        if not 0.001 <= policy.lease_ttl <= 4_000_000:
            raise CanvasError("INVALID_ARGUMENTS", "lease_ttl is not between 0.001 and 4,000,000 seconds: pass another one")
        # Its own calls must not be taken for retries of another engine's on the same store.
        self._native = _native.Engine() if store is None else _native.Engine(Adapter(store), f"bridge-{uuid.uuid4().hex[:16]}")
        self._clock = clock
        self._watchers = Watchers()
        self.call("engine.policy", {**asdict(policy), "lease_ttl": round(policy.lease_ttl * 1000)})

    @classmethod
    def memory(cls, *, clock: Callable[[], float] = time.time, policy: Policy = Policy()) -> Engine:
        """Creates an engine whose canvases end with it."""
        return cls(clock=clock, policy=policy)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, clock: Callable[[], float] = time.time, policy: Policy = Policy()
    ) -> Engine:
        """Opens the canvases of an SQLite file, which is created if it is missing."""
        engine = cls(clock=clock, policy=policy)
        try:
            engine.call("store.open", {"kind": "sqlite", "path": os.fspath(path)})
        except BaseException:
            engine.close()
            raise
        return engine

    @classmethod
    def custom(cls, store: Store, *, clock: Callable[[], float] = time.time, policy: Policy = Policy()) -> Engine:
        """Keeps canvases in a store of your own.

        Its errors have codes such as ``STORE_INDETERMINATE``, and the exception that it raised as their ``__cause__``.
        """
        return cls(clock=clock, policy=policy, store=store)

    def close(self) -> None:
        """Frees the engine, and ends its watches. Later calls raise ``CLOSED``."""
        usable(self._native.close)
        self._watchers.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(self, op: str, fields: Fields | None = None) -> JsonObject:
        """Sends any operation of the JSON interface, and returns its result. The field ``now`` comes from the clock."""
        is_forked = False
        try:
            return self._ask(op, fields or {})
        except CanvasError as error:
            is_forked = error.code == "FORKED"
            raise
        finally:
            # A thread of the process before may have had the lock.
            if not is_forked:
                self._watchers.after(op, fields or {})

    def _ask(self, op: str, fields: Fields) -> JsonObject:
        return ask(self._native, op, {"now": int(self._clock() * 1000), **fields})

    def create(self, canvas: str, markdown: str = "", *, person: str | None = None) -> str:
        """Creates a canvas with a document, and returns its revision id."""
        made = self.call("canvas.create", given({"canvas": canvas, "markdown": markdown, "person": person}))
        return str(made["revision_id"])

    def document(self, canvas: str) -> Document:
        """Reads the document of a canvas."""
        text = cast("DocumentJson", self.call("canvas.text", {"canvas": canvas}))
        return Document(text["markdown"], text["revision_id"], text["canvas_epoch"], text["locked"])

    def edit(self, canvas: str, markdown: str, *, base: str | None, person: str | None = None) -> Edited:
        """Makes a person's edit: the whole text, and the revision that it was written on.

        Changes that others made since the base are kept. An edit of the same place raises ``StaleEdit``. Without a base, the
        text replaces whatever is there.
        """
        fields = given({"canvas": canvas, "markdown": markdown, "base_revision_id": base, "person": person})
        done = cast("EditedJson", self.call("user.edit", fields))
        return Edited(done["revision_id"], done["canvas_epoch"], done["moved"], tuple(done["merged"]))

    def watch(self, canvas: str, *, interval: float | None = 1.0) -> Watch:
        """Watches a canvas, which need not exist yet, in asyncio or trio: ``async for event in engine.watch("plan")``.

        Every ``interval`` seconds, it looks for changes by other processes, unless that is ``None``.
        """
        return self._watchers.add(Watch(self._ask, canvas, interval))

    def join(self, canvas: str, conversation: str = "main", *, toolset: Toolset = "document") -> Session:
        """Lets a model work on a canvas in a conversation."""
        return Session(self, canvas, conversation, toolset)

    def board(self, canvas: str) -> Board:
        """Returns the board of a canvas, whether there is one yet or not."""
        return Board(self, canvas)

    def past(self, canvas: str) -> Past:
        """Returns the earlier texts of a canvas, the writers of its lines, and its named versions."""
        return Past(self, canvas)

    @property
    def surfaces(self) -> Surfaces:
        """The surfaces of all canvases."""
        return Surfaces(self)

    def recipe(self, canvas: str) -> Recipe:
        """Returns the recipe of a canvas, whether there is one yet or not."""
        return Recipe(self, canvas)

    def rerun(self, run: types.RunRecord, responses: Mapping[str, Json], recipe: Fields) -> Rerun:
        """Makes a run again from the responses of its tools, by their hashes, without a call."""
        return rerun(self.call("recipe.rerun", {"run": run, "responses": responses, "recipe": recipe}))

    def component_types(self) -> tuple[types.ComponentDefinition, ...]:
        """Lists the types of components that a board may have."""
        return tuple(cast("list[types.ComponentDefinition]", self.call("board.registry")["definitions"]))

    def data(self, source: str, query: types.DataQuery) -> types.DataResult:
        """Asks a source of data."""
        return cast("types.DataResult", self.call("board.data", {"source": source, "query": query}))

    def history(self, canvas: str, *, after: int | None = None, limit: int = 100, by: Fields | None = None) -> History:
        """Lists changes, oldest first.

        ``by`` selects those of ``{"person": …}``, ``{"conversation": …}`` or ``{"conversation": …, "turn": …}``.
        """
        fields = given({"canvas": canvas, "after": after, "limit": limit, "by": by})
        page = self.call("history.list", fields)
        rows = cast("list[ChangeJson]", page["changes"])
        return History(tuple(Change(**row) for row in rows), cast("int | None", page.get("next")))

    def undo(
        self,
        canvas: str,
        steps: int | None = None,
        *,
        by: Fields | None = None,
        partial: bool = False,
        person: str | None = None,
    ) -> Moved:
        """Undoes the last changes, or those that ``by`` selects, which may be ``{"change": number}`` too.

        Changes of others stay. If one of them builds on a change to undo, ``HISTORY_CONFLICT`` is raised, or ``kept`` lists
        it if ``partial`` is true.
        """
        fields = {"canvas": canvas, "steps": steps, "by": by, "partial": partial or None, "person": person}
        return _moved(self.call("history.undo", given(fields)), "undone")

    def redo(
        self, canvas: str, steps: int | None = None, *, by: Fields | None = None, person: str | None = None
    ) -> Moved:
        """Redoes the changes that were undone last."""
        fields = {"canvas": canvas, "steps": steps, "by": by, "person": person}
        return _moved(self.call("history.redo", given(fields)), "redone")

    def propose(
        self,
        canvas: str,
        *,
        patch: str | None = None,
        markdown: str | None = None,
        reason: str | None = None,
        person: str | None = None,
    ) -> Proposal:
        """Proposes a person's changes as a patch or as the whole text, for a decision."""
        fields = {"canvas": canvas, "patch": patch, "markdown": markdown, "reason": reason, "person": person}
        return _proposal(self.call("proposal.make", given(fields))["proposal"])

    def proposals(self, canvas: str) -> tuple[Proposal, ...]:
        """Lists what waits for a decision, by owner."""
        return _proposals(self.call("proposal.list", {"canvas": canvas}))

    def decide(
        self,
        canvas: str,
        *,
        accept: Sequence[str] | Literal["all"] = (),
        reject: Sequence[str] | Literal["all"] = (),
        seen: Mapping[str, str] | None = None,
        note: str | None = None,
        person: str | None = None,
    ) -> Decided:
        """Accepts and rejects parts of proposals by their ids, or all of them.

        ``seen`` maps an id to the text that the person saw: if the part has another one now, ``PART_CHANGED`` is raised.
        """
        fields = {"canvas": canvas, "accept": _chosen(accept), "reject": _chosen(reject), "seen": seen}
        done = cast("DecidedJson", self.call("proposal.decide", given({**fields, "note": note, "person": person})))
        accepted, rejected, stale = tuple(done["accepted"]), tuple(done["rejected"]), tuple(done["stale"])
        return Decided(accepted, rejected, stale, done["revision_id"], done["markdown"])

    def withdraw(
        self, canvas: str, owner: types.Owner, parts: Sequence[str] | None = None
    ) -> tuple[Proposal, ...]:
        """Withdraws an owner's parts, all by default, and lists the proposals that are left."""
        fields = {"canvas": canvas, "owner": owner, "parts": None if parts is None else list(parts)}
        return _proposals(self.call("proposal.withdraw", given(fields)))

    def redline(self, canvas: str, owner: types.Owner | None = None) -> tuple[types.OwnedSpan, ...]:
        """Returns the document with its proposals as spans to keep, insert or delete, of one owner or of all."""
        spans = self.call("proposal.redline", {"canvas": canvas, "owner": owner})["spans"]
        return tuple(cast("list[types.OwnedSpan]", spans))

    def collect(self, canvas: str, *, keep_changes: int | None = None) -> int:
        """Drops what nothing needs any more, and changes older than the last ``keep_changes``. Returns the dropped blobs."""
        fields = given({"canvas": canvas, "keep_entries": keep_changes, "older_than": 0})
        return cast("int", self.call("store.collect", fields)["removed"])


def _chosen(parts: Sequence[str] | Literal["all"]) -> str | list[str]:
    return "all" if parts == "all" else list(parts)


def _moved(done: JsonObject, name: Literal["undone", "redone"]) -> Moved:
    moved = cast("MovedJson", done)
    return Moved(moved["revision_id"], moved["canvas_epoch"], tuple(moved.get(name, ())), tuple(moved.get("kept", ())))


def _proposal(value: object) -> Proposal:
    fields = cast("Mapping[str, object]", value)
    return Proposal(cast("types.Owner", fields["owner"]), tuple(cast("list[types.PartView]", fields["parts"])))


def _proposals(listed: JsonObject) -> tuple[Proposal, ...]:
    return tuple(_proposal(value) for value in cast("list[object]", listed["proposals"]))
