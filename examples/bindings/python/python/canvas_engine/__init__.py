"""Language models and people edit one canvas together, without destroying each other's work."""

from ._engine import Document, Edited, Engine, Reply, Session
from ._errors import AddressError, CanvasError, PatchRejected
from ._text import (
    Applied,
    Found,
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
from ._types import Fields, Json, JsonObject, Mode, Provider, Toolset

__all__ = [
    "AddressError",
    "Applied",
    "CanvasError",
    "Document",
    "Edited",
    "Engine",
    "Fields",
    "Found",
    "Json",
    "JsonObject",
    "Lines",
    "Match",
    "Mode",
    "PatchRejected",
    "Place",
    "Position",
    "Provider",
    "Reply",
    "Repair",
    "Section",
    "Session",
    "Toolset",
    "apply",
    "build",
    "grep",
    "outline",
    "positions",
    "resolve",
]
