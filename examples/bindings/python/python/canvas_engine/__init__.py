"""Language models and people edit one canvas together, without destroying each other's work."""

from ._engine import Document, Edited, Engine, Reply, Session
from ._errors import AddressError, CanvasError, PatchRejected
from ._text import (
    Applied,
    Lines,
    Match,
    Place,
    Position,
    Repair,
    Section,
    apply,
    build,
    grep,
    outline,
    positions,
    resolve,
)
from ._types import Json, JsonObject

__all__ = [
    "AddressError",
    "Applied",
    "CanvasError",
    "Document",
    "Edited",
    "Engine",
    "Json",
    "JsonObject",
    "Lines",
    "Match",
    "PatchRejected",
    "Place",
    "Position",
    "Reply",
    "Repair",
    "Section",
    "Session",
    "apply",
    "build",
    "grep",
    "outline",
    "positions",
    "resolve",
]
