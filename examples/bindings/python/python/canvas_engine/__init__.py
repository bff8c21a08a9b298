"""Language models and people edit one canvas together, without destroying each other's work."""

from ._chat import Answer, Call, Chat
from ._codes import Code, Reason
from ._engine import Change, Decided, Document, Edited, Engine, History, Moved, Policy, Proposal
from ._errors import AddressError, CanvasError, PatchRejected, StaleEdit
from ._session import Reply, Session, TurnEnd
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
    "Answer",
    "Applied",
    "Call",
    "CanvasError",
    "Change",
    "Chat",
    "Code",
    "Decided",
    "Document",
    "Edited",
    "Engine",
    "Fields",
    "Found",
    "History",
    "Json",
    "JsonObject",
    "Lines",
    "Match",
    "Mode",
    "Moved",
    "PatchRejected",
    "Place",
    "Policy",
    "Position",
    "Proposal",
    "Provider",
    "Reason",
    "Repair",
    "Reply",
    "Section",
    "Session",
    "StaleEdit",
    "Toolset",
    "TurnEnd",
    "apply",
    "build",
    "grep",
    "outline",
    "positions",
    "resolve",
]
