"""Boards, surfaces and recipes of canvases. They act as the host, and need no lease."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ._json import given
from ._types import (
    CallOfStep,
    Fields,
    FileJson,
    HostTool,
    Json,
    JsonObject,
    PolledJson,
    RecipeData,
    RecordedJson,
    ReplayedJson,
    RerunJson,
    RunJob,
    StaleData,
    SurfaceReplyJson,
    SurfaceTool,
    types,
)

if TYPE_CHECKING:
    from ._engine import Engine


@dataclass(frozen=True)
class BoardState:
    """A board with its components, and the changes that ``user.undo`` and ``user.redo`` reach."""

    workspace: types.Workspace
    history: types.HistoryState


class Board:
    """The board of a canvas. A command that does not succeed is a result with an ``error``, not an exception."""

    def __init__(self, engine: Engine, canvas: str) -> None:
        self.canvas = canvas
        self._engine = engine

    def create(self, grid: types.GridConfig) -> types.Workspace:
        """Gives the canvas an empty board. A canvas that does not exist is created."""
        return cast("types.Workspace", self._engine.call("board.create", self._of(grid=grid)))

    def get(self) -> BoardState:
        """Reads the board."""
        state = cast("Mapping[str, object]", self._engine.call("board.get", self._of()))
        return BoardState(cast("types.Workspace", state["workspace"]), cast("types.HistoryState", state["history"]))

    def run(
        self, command: types.CanvasCommandInput, *, source: types.Role = "user", person: str | None = None
    ) -> types.BoardResult:
        """Runs a command, such as ``{"type": "component.create", "payload": {"typeId": …}}``."""
        fields = self._of(command=command, source=source, person=person)
        return cast("types.BoardResult", self._engine.call("board.command", fields))

    def act(
        self, action: types.UserAction | types.HistoryAction | types.CanvasCommandInput, *, person: str | None = None
    ) -> types.BoardResult:
        """Makes what a person did on the board, such as ``{"type": "user.undo"}``."""
        return cast("types.BoardResult", self._engine.call("board.action", self._of(action=action, person=person)))

    def context(self, *, max_tokens: int | None = None, timezone: str | None = None) -> types.CanvasContext:
        """Describes the board to a model, in ``max_tokens`` at most."""
        fields = self._of(max_tokens=max_tokens, timezone=timezone)
        return cast("types.CanvasContext", self._engine.call("board.context", fields))

    def place(self, size: types.Size, hints: types.PlacementHintsInput | None = None) -> types.PlacementResult:
        """Finds a free place for a component."""
        return cast("types.PlacementResult", self._engine.call("board.place", self._of(size=size, hints=hints)))

    def _of(self, **fields: object) -> Fields:
        return given({"canvas": self.canvas, **fields})


@dataclass(frozen=True)
class SurfaceReply:
    """The result of a request, with what happened: events, records of finished actions, and calls that reached the host."""

    result: Json
    events: tuple[types.SurfaceEvent, ...]
    audit: tuple[types.AuditRecord, ...]
    calls: tuple[SurfaceTool, ...]


@dataclass(frozen=True)
class Polled:
    """The jobs that ran because they were due, and the time of the next one in milliseconds since 1970."""

    ran: tuple[RunJob, ...]
    events: tuple[types.SurfaceEvent, ...]
    audit: tuple[types.AuditRecord, ...]
    calls: tuple[SurfaceTool, ...]
    next_due: int | None


@dataclass(frozen=True)
class SpecCheck:
    """The faults of a specification, which make it invalid, and its warnings."""

    errors: tuple[types.SurfaceFault, ...]
    warnings: tuple[types.SpecWarning, ...]


@dataclass(frozen=True)
class SurfaceAsset:
    """A file of a surface, as text or, if it is none, as bytes."""

    content: str | bytes
    media_type: str


class Surfaces:
    """The surfaces of all canvases, and the host whose tools their actions call."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def host(
        self,
        tools: Mapping[str, HostTool],
        *,
        sessions: Mapping[str, Json] | None = None,
        ceiling: Fields | None = None,
        seed: int | None = None,
    ) -> None:
        """Sets the tools and the sessions of the host.

        A tool has its answer, or waits for ``settle`` if ``hold`` is true. ``ceiling`` limits what surfaces may use:
        ``{"allow": […], "trust": […], "sessions": […]}``.
        """
        fields = {"tools": tools, "sessions": sessions, "ceiling": ceiling, "seed": seed}
        self._engine.call("surface.host", given(fields))

    def request(
        self,
        method: str,
        params: Fields | None = None,
        *,
        actor: types.SurfaceActor,
        call_id: str | None = None,
        person: str | None = None,
    ) -> SurfaceReply:
        """Answers a request of a client or a session, such as ``canvas.create`` or ``canvas.action``.

        A retry with the same ``call_id`` gets the first answer. A refusal has ``events``, ``audit`` and ``calls`` in its
        ``details``.
        """
        fields = {"method": method, "params": params, "actor": actor, "call_id": call_id, "person": person}
        return _surface_reply(self._engine.call("surface.request", given(fields)))

    def settle(self, event_id: str, result: Json = None, *, error: Fields | None = None) -> SurfaceReply:
        """Ends a call that a tool holds, with its result or with an error ``{"code": …, "message": …}``."""
        fields = {"eventId": event_id, **({"result": result} if error is None else {"error": error})}
        return _surface_reply(self._engine.call("surface.settle", fields))

    def poll(self) -> Polled:
        """Runs the jobs that are due, and ends calls that a tool has held for too long."""
        done = cast("PolledJson", self._engine.call("surface.poll"))
        happened = tuple(done["events"]), tuple(done["audit"]), tuple(done["calls"])
        return Polled(tuple(done["ran"]), *happened, done["nextDue"])

    def check(self, spec: Fields) -> SpecCheck:
        """Checks a specification."""
        done = self._engine.call("surface.check", {"spec": spec})
        errors = tuple(cast("list[types.SurfaceFault]", done["errors"]))
        return SpecCheck(errors, tuple(cast("list[types.SpecWarning]", done["warnings"])))

    def resolve(
        self,
        template: object,
        *,
        state: Fields | None = None,
        input: Fields | None = None,
        sink: types.Sink | None = None,
        schema: Fields | None = None,
        required: Sequence[str] | None = None,
    ) -> Json:
        """Resolves a template of arguments, such as ``{"text": "to {{state.name}}"}``."""
        fields = {"state": state, "input": input, "sink": sink, "schema": schema, "required": required}
        return self._engine.call("surface.template", {**given(fields), "template": template})["value"]

    def file(self, canvas: str, path: str) -> SurfaceAsset:
        """Reads a file of a surface, by its path as a browser sends it."""
        found = cast("FileJson", self._engine.call("surface.file", {"canvas": canvas, "path": path}))
        text = found.get("text")
        content = base64.b64decode(found.get("base64", "")) if text is None else text
        return SurfaceAsset(content, found["mediaType"])

    def audit(self, canvas: str, *, limit: int | None = None) -> tuple[types.AuditRecord, ...]:
        """Lists records of finished actions, newest first."""
        records = self._engine.call("surface.audit", given({"canvas": canvas, "limit": limit}))["records"]
        return tuple(cast("list[types.AuditRecord]", records))


@dataclass(frozen=True)
class RecordedRecipe:
    """A recipe as it is stored, and the components that it cannot refresh."""

    recipe: types.RecipeSpec
    non_refreshable: tuple[types.NonRefreshable, ...]


@dataclass(frozen=True)
class Replayed:
    """The result of a replay.

    ``patch`` changes ``{data: {component: value}, state}``. If a tool holds a call, ``pending`` names the steps to settle,
    and the replay has not changed anything yet.
    """

    run_id: str
    now: int
    revision: int | None
    calls: tuple[CallOfStep, ...]
    patch: tuple[types.JsonPatchOperation, ...]
    refreshed: tuple[str, ...]
    stale: tuple[StaleData, ...]
    events: tuple[types.CanvasEvent | types.SurfaceEvent, ...]
    escalation: types.Escalation | None
    pending: tuple[str, ...]


@dataclass(frozen=True)
class Rerun:
    """The result of a run that is made again from the responses of its tools."""

    calls: tuple[CallOfStep, ...]
    patch: tuple[types.JsonPatchOperation, ...]
    data: Json


class Recipe:
    """The recipe of a canvas, which refreshes its data without a model."""

    def __init__(self, engine: Engine, canvas: str) -> None:
        self.canvas = canvas
        self._engine = engine

    def record(self, recipe: Fields, *, person: str | None = None) -> RecordedRecipe:
        """Stores a recipe."""
        return _recorded(self._engine.call("recipe.record", self._of(recipe=recipe, person=person)))

    def observe(self, call: Fields, result: Json, *, conversation: str = "main") -> None:
        """Notes a call of the model, ``{"id": …, "name": …, "arguments": …}``, of which it may declare a recipe."""
        self._engine.call("recipe.observe", {**self._of(session=conversation, call=call), "result": result})

    def declare(
        self,
        mappings: Sequence[types.MappingSpec],
        *,
        conversation: str = "main",
        params: Fields | None = None,
        timezone: str | None = None,
        shown: Fields | None = None,
    ) -> RecordedRecipe:
        """Stores the recipe that the model declares of the calls that were observed."""
        fields = self._of(session=conversation, params=params, timezone=timezone, shown=shown)
        return _recorded(self._engine.call("recipe.declare", {**fields, "mappings": list(mappings)}))

    def get(self) -> types.RecipeSpec:
        """Reads the recipe."""
        return cast("types.RecipeSpec", self._engine.call("recipe.get", self._of())["recipe"])

    def data(self) -> dict[str, RecipeData]:
        """Reads the data that the canvas has, by component."""
        return cast("dict[str, RecipeData]", self._engine.call("recipe.data", self._of())["components"])

    def replay(
        self, *, components: Sequence[str] | None = None, timezone: str | None = None, dry_run: bool = False
    ) -> Replayed:
        """Replays the recipe, for all components or some. A dry run calls the tools, and stores nothing."""
        chosen = None if components is None else list(components)
        fields = self._of(components=chosen, timezone=timezone, dryRun=dry_run)
        return _replayed(self._engine.call("recipe.replay", fields))

    def settle(self, step: str, result: Json = None, *, error: Fields | None = None) -> Replayed:
        """Ends a call that a tool holds, with its result or with an error ``{"code": …, "message": …}``."""
        answer = {"result": result} if error is None else {"error": error}
        return _replayed(self._engine.call("recipe.settle", {**self._of(step=step), **answer}))

    def run(self, run_id: str) -> types.RunRecord:
        """Returns the record of a replay."""
        return cast("types.RunRecord", self._engine.call("recipe.run", self._of(runId=run_id))["run"])

    def _of(self, **fields: object) -> Fields:
        return given({"canvas": self.canvas, **fields})


def rerun(done: JsonObject) -> Rerun:
    again = cast("RerunJson", done)
    return Rerun(tuple(again["calls"]), tuple(again["patch"]), again["data"])


def _surface_reply(done: JsonObject) -> SurfaceReply:
    reply = cast("SurfaceReplyJson", done)
    return SurfaceReply(reply["result"], tuple(reply["events"]), tuple(reply["audit"]), tuple(reply["calls"]))


def _recorded(done: JsonObject) -> RecordedRecipe:
    recorded = cast("RecordedJson", done)
    return RecordedRecipe(recorded["recipe"], tuple(recorded["nonRefreshable"]))


def _replayed(done: JsonObject) -> Replayed:
    reply = cast("ReplayedJson", done)
    return Replayed(
        run_id=reply["runId"],
        now=reply["now"],
        revision=reply.get("revision"),
        calls=tuple(reply["calls"]),
        patch=tuple(reply["patch"]),
        refreshed=tuple(reply["refreshed"]),
        stale=tuple(reply["stale"]),
        events=tuple(reply["events"]),
        escalation=reply["escalation"],
        pending=tuple(reply.get("pending", ())),
    )
