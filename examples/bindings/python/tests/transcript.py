"""Plays a transcript of the JSON interface again through the public objects, and compares each reply.

    python transcript.py FILE [custom]

With ``custom``, the canvases are in a store that is written in Python.

``cargo run -p canvas-examples --example transcript -- 2000 faces`` writes such a file.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Callable, Mapping
from typing import cast

import canvas_engine as canvas
from dict_store import DictStore

Request = dict[str, canvas.Json]
Reply = Mapping[str, object]


class Player:
    """An engine whose clock is that of the requests."""

    def __init__(self, *, is_custom: bool) -> None:
        self.now = 0
        policy = canvas.Policy(rebase=False, retake=False)
        if is_custom:
            self.engine = canvas.Engine.custom(DictStore(self.clock), clock=self.clock, policy=policy)
        else:
            self.engine = canvas.Engine.memory(clock=self.clock, policy=policy)

    def clock(self) -> float:
        return self.now / 1000

    def play(self, request: Request) -> canvas.JsonObject:
        """Returns the reply as the interface gives it."""
        now = request.pop("now")
        assert isinstance(now, int)
        self.now = now
        op = str(request.pop("op"))
        try:
            result = PLAYS[op](self, request) if op in PLAYS else self.engine.call(op, request)
        except canvas.CanvasError as error:
            fields: canvas.JsonObject = {**error.details, "code": error.code, "message": error.message}
            return {"id": None, "ok": False, "error": fields}
        return {"id": None, "ok": True, "result": cast("canvas.JsonObject", plain(result))}

    def session(self, request: Request) -> canvas.Session:
        toolset = cast("canvas.Toolset", request.get("toolset", "document"))
        return self.engine.join(str(request["canvas"]), str(request.get("session", "main")), toolset=toolset)


def plain(value: object) -> object:
    """Returns the JSON of an object."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {name: plain(field) for name, field in cast("Mapping[str, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in cast("list[object]", value)]
    return value


def renamed(value: object, **names: str) -> Reply:
    """Returns the fields of an object under the names of the interface."""
    fields = cast("dict[str, object]", plain(value))
    return {names.get(name, name): field for name, field in fields.items()}


def text_of(request: Request, name: str = "text") -> str:
    return cast("str", request[name])


def fields_of(request: Request, *names: str) -> dict[str, canvas.Json]:
    return {name: request[name] for name in names if name in request}


def build(_: Player, request: Request) -> Reply:
    """The interface names the file."""
    hunks = canvas.build(text_of(request, "before"), text_of(request, "after"))
    return {"patch": f"--- a/document.md\n+++ b/document.md\n{hunks}" if hunks else ""}


def document(player: Player, request: Request) -> Reply:
    return renamed(player.engine.document(text_of(request, "canvas")), epoch="canvas_epoch", is_locked="locked")


def edit(player: Player, request: Request) -> Reply:
    base, person = cast("str | None", request.get("base_revision_id")), cast("str | None", request.get("person"))
    edited = player.engine.edit(text_of(request, "canvas"), text_of(request, "markdown"), base=base, person=person)
    return renamed(edited, epoch="canvas_epoch")


def tool(player: Player, request: Request) -> Reply:
    arguments = cast("canvas.JsonObject", request["arguments"])
    return player.session(request).call(text_of(request, "name"), arguments, call_id=text_of(request, "call_id")).body


def history(player: Player, request: Request) -> Reply:
    page = renamed(player.engine.history(text_of(request, "canvas"), limit=cast("int", request["limit"])))
    return {name: value for name, value in page.items() if value is not None}


def step(player: Player, request: Request, name: str, move: Callable[..., canvas.Moved]) -> Reply:
    moved = move(text_of(request, "canvas"), **fields_of(request, "by", "partial", "person"))
    fields = renamed(moved, entries=name, epoch="canvas_epoch")
    return {field: value for field, value in fields.items() if field != "kept" or name == "undone"}


def decide(player: Player, request: Request) -> Reply:
    names = ("accept", "reject", "seen", "note", "person")
    decide = cast("Callable[..., canvas.Decided]", player.engine.decide)
    return renamed(decide(request["canvas"], **fields_of(request, *names)))


def propose(player: Player, request: Request) -> Reply:
    names = ("patch", "markdown", "reason", "person")
    make = cast("Callable[..., canvas.Proposal]", player.engine.propose)
    return {"proposal": make(request["canvas"], **fields_of(request, *names))}


def end(player: Player, request: Request) -> Reply:
    return renamed(player.session(request).end(), hidden="hidden_message")


def cancel(player: Player, request: Request) -> Reply:
    return {"canvas_epoch": player.session(request).cancel(person=cast("str | None", request.get("person")))}


def nothing(value: None) -> Reply:
    return {}


def board(player: Player, request: Request) -> canvas.Board:
    return player.engine.board(text_of(request, "canvas"))


def recipe(player: Player, request: Request) -> canvas.Recipe:
    return player.engine.recipe(text_of(request, "canvas"))


def loosely(function: Callable[..., object]) -> Callable[..., object]:
    """Takes arguments as they come from JSON."""
    return function


def as_reply(value: object) -> Reply:
    return cast("Reply", value)


def run_on_board(player: Player, request: Request) -> Reply:
    run = loosely(board(player, request).run)
    return as_reply(run(request["command"], **fields_of(request, "source", "person")))


def surface_host(player: Player, request: Request) -> Reply:
    host = loosely(player.engine.surfaces.host)
    host(request["tools"], **fields_of(request, "sessions", "ceiling", "seed"))
    return {}


def surface_request(player: Player, request: Request) -> Reply:
    ask = loosely(player.engine.surfaces.request)
    return as_reply(ask(request["method"], **fields_of(request, "params", "actor", "call_id", "person")))


def surface_file(player: Player, request: Request) -> Reply:
    found = player.engine.surfaces.file(text_of(request, "canvas"), text_of(request, "path"))
    assert isinstance(found.content, str)
    return {"text": found.content, "mediaType": found.media_type, "bytes": len(found.content.encode())}


def record(player: Player, request: Request) -> Reply:
    recorded = recipe(player, request).record(cast("canvas.JsonObject", request["recipe"]))
    return renamed(recorded, non_refreshable="nonRefreshable")


def declare(player: Player, request: Request) -> Reply:
    declare = loosely(recipe(player, request).declare)
    fields = fields_of(request, "params", "timezone", "shown")
    return renamed(
        declare(request["mappings"], conversation=request["session"], **fields), non_refreshable="nonRefreshable"
    )


def observe(player: Player, request: Request) -> Reply:
    loosely(recipe(player, request).observe)(request["call"], request["result"], conversation=request["session"])
    return {}


def replayed(value: canvas.Replayed) -> Reply:
    fields = renamed(value, run_id="runId")
    absent = {"revision"} if value.revision is None else set[str]()
    return {name: field for name, field in fields.items() if name not in absent | ({"pending"} if not field else set())}


def replay(player: Player, request: Request) -> Reply:
    return replayed(recipe(player, request).replay(dry_run=request["dryRun"] is True))


PLAYS: dict[str, Callable[[Player, Request], Reply]] = {
    "patch.apply": lambda _, request: renamed(
        canvas.apply(text_of(request), text_of(request, "patch"), mode=cast("canvas.Mode", request["mode"])),
        hunks="applied_hunks",
        inverse="reverse",
    ),
    "patch.build": build,
    "markdown.outline": lambda _, request: {"sections": canvas.outline(text_of(request))},
    "markdown.resolve": lambda _, request: renamed(
        canvas.resolve(text_of(request), cast("canvas.JsonObject", request["address"]))
    ),
    "markdown.effects": lambda _, request: {
        "effects": canvas.effects(text_of(request, "before"), text_of(request, "after"))
    },
    "text.grep": lambda _, request: renamed(
        canvas.grep(text_of(request), text_of(request, "query"), regex=bool(request["regex"]))
    ),
    "text.positions": lambda _, request: {
        "positions": canvas.positions(text_of(request), cast("list[canvas.JsonObject]", request["at"]))
    },
    "text.redline": lambda _, request: {
        "spans": canvas.redline(text_of(request, "before"), text_of(request, "after"))
    },
    "structure.apply": lambda _, request: renamed(
        canvas.edit_structure(text_of(request), cast("canvas.JsonObject", request["edit"])), inverse="reverse"
    ),
    "canvas.create": lambda player, request: {
        "revision_id": player.engine.create(text_of(request, "canvas"), text_of(request, "markdown"))
    },
    "canvas.text": document,
    "user.edit": edit,
    "tool.call": tool,
    "tool.prompt": lambda player, request: {
        "prompt": player.engine.join("none", toolset=cast("canvas.Toolset", request["toolset"])).prompt()
    },
    "turn.end": end,
    "user.cancel": cancel,
    "session.mode": lambda player, request: nothing(
        cast("Callable[[object], None]", player.session(request).mode)(request["mode"])
    ),
    "history.list": history,
    "history.undo": lambda player, request: step(player, request, "undone", player.engine.undo),
    "history.redo": lambda player, request: step(player, request, "redone", player.engine.redo),
    "proposal.make": propose,
    "proposal.list": lambda player, request: {"proposals": player.engine.proposals(text_of(request, "canvas"))},
    "proposal.redline": lambda player, request: {
        "spans": cast("Callable[..., object]", player.engine.redline)(request["canvas"], request["owner"])
    },
    "proposal.withdraw": lambda player, request: {
        "proposals": cast("Callable[..., object]", player.engine.withdraw)(request["canvas"], request["owner"])
    },
    "proposal.decide": decide,
    "board.create": lambda player, request: as_reply(loosely(board(player, request).create)(request["grid"])),
    "board.get": lambda player, request: as_reply(board(player, request).get()),
    "board.command": run_on_board,
    "board.action": lambda player, request: as_reply(
        loosely(board(player, request).act)(request["action"], **fields_of(request, "person"))
    ),
    "board.context": lambda player, request: as_reply(
        loosely(board(player, request).context)(**fields_of(request, "max_tokens", "timezone"))
    ),
    "board.place": lambda player, request: as_reply(
        loosely(board(player, request).place)(request["size"], request.get("hints"))
    ),
    "board.registry": lambda player, _: {"definitions": player.engine.component_types()},
    "board.data": lambda player, request: as_reply(loosely(player.engine.data)(request["source"], request["query"])),
    "surface.host": surface_host,
    "surface.request": surface_request,
    "surface.settle": lambda player, request: as_reply(
        player.engine.surfaces.settle(text_of(request, "eventId"), request["result"])
    ),
    "surface.poll": lambda player, _: renamed(player.engine.surfaces.poll(), next_due="nextDue"),
    "surface.check": lambda player, request: as_reply(
        player.engine.surfaces.check(cast("canvas.JsonObject", request["spec"]))
    ),
    "surface.template": lambda player, request: {
        "value": player.engine.surfaces.resolve(
            request["template"], state=cast("canvas.JsonObject", request["state"])
        )
    },
    "surface.file": surface_file,
    "surface.audit": lambda player, request: {
        "records": player.engine.surfaces.audit(text_of(request, "canvas"), limit=cast("int", request["limit"]))
    },
    "json.canonical": lambda _, request: as_reply(canvas.canonical(request["value"])),
    "date.eval": lambda player, request: {
        "value": canvas.eval_date(text_of(request, "expr"), at=player.now / 1000, timezone=text_of(request, "timezone"))
    },
    "ops.apply": lambda player, request: {
        "value": canvas.apply_operations(
            request["value"], cast("list[canvas.JsonObject]", request["ops"]), at=player.now / 1000
        )
    },
    "recipe.record": record,
    "recipe.observe": observe,
    "recipe.declare": declare,
    "recipe.get": lambda player, request: {"recipe": recipe(player, request).get()},
    "recipe.data": lambda player, request: {"components": recipe(player, request).data()},
    "recipe.replay": replay,
    "recipe.settle": lambda player, request: replayed(
        recipe(player, request).settle(text_of(request, "step"), request["result"])
    ),
    "recipe.run": lambda player, request: {"run": recipe(player, request).run(text_of(request, "runId"))},
    "store.collect": lambda player, request: {
        "removed": player.engine.collect(
            text_of(request, "canvas"), keep_changes=cast("int", request["keep_entries"])
        )
    },
}


#: Ids that an engine makes of a name of its own.
NAMES = re.compile(r"\b(?:bridge-|cmp_|undo_)[0-9a-z]{16}")


class Names:
    """The ids of this engine, by those in the transcript."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of_engine(self, value: object) -> str:
        """Returns JSON with the ids of this engine."""
        return NAMES.sub(lambda name: self._known.get(name[0], name[0]), json.dumps(value, sort_keys=True))

    def learn(self, expected: object, given: object) -> None:
        pair = (NAMES.findall(json.dumps(value, sort_keys=True)) for value in (expected, given))
        self._known.update(zip(*pair))


def main(path: str, kind: str = "memory") -> None:
    player = Player(is_custom=kind == "custom")
    played = through_objects = 0
    left, names = set(PLAYS), Names()
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            pair = json.loads(line)
            op = pair["request"]["op"]
            reply = player.play(json.loads(names.of_engine(pair["request"])))
            names.learn(pair["reply"], reply)
            expected = json.loads(names.of_engine(pair["reply"]))
            # Other names have other numbers of tokens, and are in other blobs.
            is_same = reply == expected or kind == "custom" and op in ("board.context", "store.collect")
            assert is_same, f"request {played + 1}: {pair['request']}\ngave     {reply}\nand not  {expected}"
            played += 1
            through_objects += op in PLAYS
            left.discard(op)
    print(f"{played} requests have the same replies, {through_objects} of them through public objects")
    assert not left, f"the transcript has no {sorted(left)}: write one with faces"
    assert played >= 2_000 and through_objects * 10 > played * 8


if __name__ == "__main__":
    main(*sys.argv[1:])
