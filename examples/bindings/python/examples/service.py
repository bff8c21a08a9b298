"""Serves canvases over HTTP with FastAPI. People read and save, and a save of an old text loses nothing.

    pip install fastapi uvicorn
    CANVAS_DB=notes.db uvicorn service:app
    curl -X POST localhost:8000/plan -H "content-type: application/json" -d '{"markdown": "# Plan\n"}'
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import FastAPI, Header, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

import canvas_engine as canvas

#: Statuses of errors that a client may meet. Others are faults of the server.
STATUS: dict[canvas.Code, int] = {
    "BAD_REQUEST": 400,
    "CANVAS_EXISTS": 409,
    "CANVAS_NOT_FOUND": 404,
    "CONTENTION": 503,
    "DOCUMENT_TOO_LARGE": 413,
    "INVALID_ARGUMENTS": 400,
    "PATCH_REJECTED": 409,
}


class Text(BaseModel):
    markdown: str


class Saved(BaseModel):
    revision_id: str
    #: Whether changes of others were kept beside it, so that the page should load the text again.
    moved: bool


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
    with canvas.Engine.open(os.environ.get("CANVAS_DB", "notes.db")) as engine:
        app.state.engine = engine
        yield


app = FastAPI(lifespan=lifespan)


def engine_of(request: Request) -> canvas.Engine:
    engine = request.app.state.engine
    assert isinstance(engine, canvas.Engine)
    return engine


# Functions without `async` run in threads, so a save that waits for the disk holds up nobody.
@app.post("/{canvas_id}", status_code=201)
def create(request: Request, canvas_id: str, text: Text) -> Saved:
    return Saved(revision_id=engine_of(request).create(canvas_id, text.markdown), moved=False)


@app.get("/{canvas_id}")
def read(request: Request, response: Response, canvas_id: str) -> Text:
    document = engine_of(request).document(canvas_id)
    response.headers["etag"] = f'"{document.revision_id}"'
    return Text(markdown=document.markdown)


@app.put("/{canvas_id}")
def save(request: Request, canvas_id: str, text: Text, if_match: Annotated[str, Header()]) -> Saved:
    edited = engine_of(request).edit(canvas_id, text.markdown, base=if_match.strip('"'))
    return Saved(revision_id=edited.revision_id, moved=edited.moved)


@app.exception_handler(canvas.CanvasError)
def refuse(_: Request, error: canvas.CanvasError) -> JSONResponse:
    body = {"code": error.code, "message": error.message, **error.details}
    return JSONResponse(body, STATUS.get(error.code, 500))
