"""Shapes of arguments and results, from the JSON Schemas of the engine.

Made by ``cargo run -p canvas-examples --example schemas -- --pages``.
"""

import sys
from typing import Literal

from ._types import Json

# Those of `typing` lack what libraries that read types at run time need.
if sys.version_info >= (3, 12):
    from typing import NotRequired, TypeAlias, TypedDict
else:
    from typing_extensions import NotRequired, TypeAlias, TypedDict



class ActionEnded(TypedDict):
    """The end of an action."""

    changedPaths: NotRequired["list[StatePointer]"]
    failure: NotRequired["SurfaceFault"]
    record: "AuditRecord"
    revision: "Revision"
    saved: "bool"
    unsaved: NotRequired["SurfaceFault"]


class ActionParams(TypedDict):
    """Parameters of ``canvas.action``."""

    actionId: NotRequired["ActionId | None"]
    binding: NotRequired["BindingName | None"]
    canvasId: "CanvasId"
    confirmation: NotRequired["Confirmation | None"]
    expectedRevision: NotRequired["Revision | None"]
    input: NotRequired["Json"]


class ActionSpecSessionSend(TypedDict):
    confirm: NotRequired["Confirm"]
    kind: "Literal['session.send']"
    message: "str"
    required: NotRequired["list[ValuePath]"]
    saveAs: NotRequired["StatePath | None"]
    sessionKey: NotRequired["SessionKey | None"]


class ActionSpecStatePatch(TypedDict):
    kind: "Literal['state.patch']"
    patch: "StatePatch"


class ActionSpecToolCall(TypedDict):
    args: NotRequired["dict[str, Json]"]
    confirm: NotRequired["Confirm"]
    kind: "Literal['tool.call']"
    required: NotRequired["list[ValuePath]"]
    saveAs: NotRequired["StatePath | None"]
    timeoutMs: NotRequired["int | None"]
    tool: "ToolName"


class ActorConversation(TypedDict):
    conversation: "ConversationId"
    turn: "int"


class ActorHost(TypedDict):
    host: "bool"


class ActorPerson(TypedDict):
    person: "PersonId"


class AddressErrorAmbiguous(TypedDict):
    ambiguous: "AddressErrorAmbiguousAmbiguous"


class AddressErrorAmbiguousAmbiguous(TypedDict):
    candidates: "list[Candidate]"
    path: "list[str]"
    total: "int"


class AddressErrorAmbiguousColumn(TypedDict):
    ambiguous_column: "AddressErrorAmbiguousColumnAmbiguousColumn"


class AddressErrorAmbiguousColumnAmbiguousColumn(TypedDict):
    columns: "list[int]"
    header: "str"


class AddressErrorAmbiguousHit(TypedDict):
    ambiguous_hit: "AddressErrorAmbiguousHitAmbiguousHit"


class AddressErrorAmbiguousHitAmbiguousHit(TypedDict):
    lines: "list[int]"
    total: "int"


class AddressErrorAmbiguousKey(TypedDict):
    ambiguous_key: "AddressErrorAmbiguousKeyAmbiguousKey"


class AddressErrorAmbiguousKeyAmbiguousKey(TypedDict):
    key: "str"
    lines: "list[int]"


class AddressErrorFrontMatterUnsupported(TypedDict):
    front_matter_unsupported: "AddressErrorFrontMatterUnsupportedFrontMatterUnsupported"


class AddressErrorFrontMatterUnsupportedFrontMatterUnsupported(TypedDict):
    line: "int"
    what: "str"


class AddressErrorInvalidRange(TypedDict):
    invalid_range: "AddressErrorInvalidRangeInvalidRange"


class AddressErrorInvalidRangeInvalidRange(TypedDict):
    end: "int"
    line_count: "int"
    start: "int"


class AddressErrorNoSuchBlock(TypedDict):
    no_such_block: "AddressErrorNoSuchBlockNoSuchBlock"


class AddressErrorNoSuchBlockNoSuchBlock(TypedDict):
    available: "int"
    part: "Part"


class AddressErrorNoSuchColumn(TypedDict):
    no_such_column: "AddressErrorNoSuchColumnNoSuchColumn"


class AddressErrorNoSuchColumnNoSuchColumn(TypedDict):
    column: "Column"
    headers: "list[str]"


class AddressErrorNoSuchFootnote(TypedDict):
    no_such_footnote: "AddressErrorNoSuchFootnoteNoSuchFootnote"


class AddressErrorNoSuchFootnoteNoSuchFootnote(TypedDict):
    label: "str"
    labels: "list[str]"


class AddressErrorNoSuchHit(TypedDict):
    no_such_hit: "AddressErrorNoSuchHitNoSuchHit"


class AddressErrorNoSuchHitNoSuchHit(TypedDict):
    lines: "list[int]"
    ordinal: "int | None"
    total: "int"


class AddressErrorNoSuchKey(TypedDict):
    no_such_key: "AddressErrorNoSuchKeyNoSuchKey"


class AddressErrorNoSuchKeyNoSuchKey(TypedDict):
    key: "str"
    keys: "list[str]"
    line: "int | None"


class AddressErrorNoSuchList(TypedDict):
    no_such_list: "AddressErrorNoSuchListNoSuchList"


class AddressErrorNoSuchListNoSuchList(TypedDict):
    available: "int"
    list: "int"


class AddressErrorNoSuchOrdinal(TypedDict):
    no_such_ordinal: "AddressErrorNoSuchOrdinalNoSuchOrdinal"


class AddressErrorNoSuchOrdinalNoSuchOrdinal(TypedDict):
    candidates: "list[Candidate]"
    ordinal: "int"
    path: "list[str]"
    total: "int"


class AddressErrorNoSuchPart(TypedDict):
    no_such_part: "AddressErrorNoSuchPartNoSuchPart"


class AddressErrorNoSuchPartNoSuchPart(TypedDict):
    available: "int"
    part: "Part"
    section: "Candidate | None"


class AddressErrorNoSuchRow(TypedDict):
    no_such_row: "AddressErrorNoSuchRowNoSuchRow"


class AddressErrorNoSuchRowNoSuchRow(TypedDict):
    available: "int"
    row: "int"


class AddressErrorNoSuchSection(TypedDict):
    no_such_section: "AddressErrorNoSuchSectionNoSuchSection"


class AddressErrorNoSuchSectionNoSuchSection(TypedDict):
    nearest: "list[Candidate]"
    path: "list[str]"


class AddressErrorQuery(TypedDict):
    query: "GrepError"


class AgenticCanvasError(TypedDict):
    """The fields that every error has."""

    code: "str"
    message: "str"
    requestId: NotRequired["str"]
    timestamp: "int"


class AppliedPatch(TypedDict):
    """Result of an applied patch."""

    changes: NotRequired["Changes"]
    expires_at: NotRequired["int"]
    lines: NotRequired["list[QuotedLine]"]
    proposed: NotRequired["ProposedParts"]
    repairs: "list[Repair]"
    retaken: NotRequired["str"]
    revision: "RevisionId"
    spans: "list[LineSpan]"
    summary: "Summary"


class ApplyError(TypedDict):
    """Error returned when a patch is refused."""

    conflicts: "list[Conflict]"
    remedy: NotRequired["Suggestion"]


class AuditRecord(TypedDict):
    """The record of a finished execution of an action."""

    actionId: "ActionId"
    actor: "SurfaceActor"
    argsDigest: "JsonHash"
    endedAt: "int"
    eventId: "EventId"
    jobId: NotRequired["JobId"]
    outcome: "ActionOutcome"
    sessionKey: NotRequired["SessionKey"]
    startedAt: "int"
    summary: "str"
    tool: NotRequired["ToolName"]


class Batch(TypedDict):
    """Runs several commands as one history entry, which applies completely or has no effect."""

    commands: "list[CanvasCommand]"
    description: "str"


class BatchCommandResult(TypedDict):
    """Result of a batch."""

    error: NotRequired["CommandError"]
    explanation: "str"
    results: "list[CommandResult]"
    success: "bool"
    undoId: "str"


class BatchInput(TypedDict):
    """Runs several commands as one history entry, which applies completely or has no effect."""

    commands: "list[CanvasCommandInput]"
    description: "str"


class BindingRule(TypedDict):
    """Rule that derives a binding from a config."""

    params: "list[str]"
    query: "str"
    refreshInterval: NotRequired["int | None"]
    source: "DataSourceId"


class BoardCommandRun(TypedDict):
    """The answer to a command on the board."""

    events: NotRequired["list[CanvasEvent]"]
    result: "BoardResult"
    revision: "RevisionId"


class BoardCreated(TypedDict):
    """The answer to ``CreateBoard``."""

    revision: "RevisionId"


class BoardRefusalBoardDamaged(TypedDict):
    refusal: "Literal['board_damaged']"


class BoardRefusalNoBoard(TypedDict):
    refusal: "Literal['no_board']"


class BoardRefusalStaleBoard(TypedDict):
    base: "Revision"
    current: "Revision"
    refusal: "Literal['stale_board']"


class Bounds(TypedDict):
    """A rectangle of cells, such as those covered by a component."""

    position: "Position"
    size: "Size"


class CallRefusalAbandoned(TypedDict):
    refusal: "Literal['abandoned']"


class CallRefusalCallIdReused(TypedDict):
    refusal: "Literal['call_id_reused']"


class CallRefusalDisabled(TypedDict):
    refusal: "Literal['disabled']"
    rollout: "Rollout"


class CallRefusalGitMode(TypedDict):
    refusal: "Literal['git_mode']"


class CallRefusalProposalsDamaged(TypedDict):
    refusal: "Literal['proposals_damaged']"


class Candidate(TypedDict):
    """A section that may have been meant."""

    heading_line: "int"
    path: "list[str]"


class Canvas(TypedDict):
    """A grid with its components, oldest first."""

    components: "list[ComponentInstance]"
    grid: "GridConfig"


class CanvasCommandBatch(TypedDict):
    payload: "Batch"
    type: "Literal['batch']"


class CanvasCommandCanvasClear(TypedDict):
    payload: "ClearCanvas"
    type: "Literal['canvas.clear']"


class CanvasCommandComponentCreate(TypedDict):
    payload: "CreateComponent"
    type: "Literal['component.create']"


class CanvasCommandComponentMove(TypedDict):
    payload: "MoveComponent"
    type: "Literal['component.move']"


class CanvasCommandComponentRemove(TypedDict):
    payload: "RemoveComponent"
    type: "Literal['component.remove']"


class CanvasCommandComponentResize(TypedDict):
    payload: "ResizeComponent"
    type: "Literal['component.resize']"


class CanvasCommandComponentUpdate(TypedDict):
    payload: "UpdateComponent"
    type: "Literal['component.update']"


class CanvasCommandInputBatch(TypedDict):
    payload: "BatchInput"
    type: "Literal['batch']"


class CanvasCommandInputCanvasClear(TypedDict):
    payload: "ClearCanvas"
    type: "Literal['canvas.clear']"


class CanvasCommandInputComponentCreate(TypedDict):
    payload: "CreateComponentInput"
    type: "Literal['component.create']"


class CanvasCommandInputComponentMove(TypedDict):
    payload: "MoveComponent"
    type: "Literal['component.move']"


class CanvasCommandInputComponentRemove(TypedDict):
    payload: "RemoveComponent"
    type: "Literal['component.remove']"


class CanvasCommandInputComponentResize(TypedDict):
    payload: "ResizeComponent"
    type: "Literal['component.resize']"


class CanvasCommandInputComponentUpdate(TypedDict):
    payload: "UpdateComponentInput"
    type: "Literal['component.update']"


class CanvasCommandInputSettingsUpdate(TypedDict):
    payload: "SettingsUpdate"
    type: "Literal['settings.update']"


class CanvasCommandInputTriggerRemove(TypedDict):
    payload: "RemoveTrigger"
    type: "Literal['trigger.remove']"


class CanvasCommandInputTriggerSet(TypedDict):
    payload: "SetTriggerInput"
    type: "Literal['trigger.set']"


class CanvasCommandInputViewDelete(TypedDict):
    payload: "DeleteView"
    type: "Literal['view.delete']"


class CanvasCommandInputViewLoad(TypedDict):
    payload: "LoadView"
    type: "Literal['view.load']"


class CanvasCommandInputViewSave(TypedDict):
    payload: "SaveViewInput"
    type: "Literal['view.save']"


class CanvasCommandSettingsUpdate(TypedDict):
    payload: "SettingsUpdate"
    type: "Literal['settings.update']"


class CanvasCommandTriggerRemove(TypedDict):
    payload: "RemoveTrigger"
    type: "Literal['trigger.remove']"


class CanvasCommandTriggerSet(TypedDict):
    payload: "SetTrigger"
    type: "Literal['trigger.set']"


class CanvasCommandViewDelete(TypedDict):
    payload: "DeleteView"
    type: "Literal['view.delete']"


class CanvasCommandViewLoad(TypedDict):
    payload: "LoadView"
    type: "Literal['view.load']"


class CanvasCommandViewSave(TypedDict):
    payload: "SaveView"
    type: "Literal['view.save']"


class CanvasContext(TypedDict):
    """The view of a board for a model."""

    budget: "ContextBudget"
    components: "list[ComponentSummary]"
    temporal: "TemporalContext"
    workspace: "WorkspaceContext"


class CanvasEventComponentAction(TypedDict):
    payload: "CanvasEventComponentActionPayload"
    type: "Literal['component.action']"


class CanvasEventComponentActionPayload(TypedDict):
    actionId: "str"
    componentId: "ComponentId"
    context: NotRequired["Json"]
    params: NotRequired["Json"]


class CanvasEventComponentAdded(TypedDict):
    payload: "CanvasEventComponentAddedPayload"
    type: "Literal['component.added']"


class CanvasEventComponentAddedPayload(TypedDict):
    componentId: "ComponentId"
    needsData: "bool"


class CanvasEventComponentClicked(TypedDict):
    payload: "CanvasEventComponentClickedPayload"
    type: "Literal['component.clicked']"


class CanvasEventComponentClickedPayload(TypedDict):
    componentId: "ComponentId"
    data: NotRequired["Json"]
    elementId: NotRequired["str"]


class CanvasEventComponentError(TypedDict):
    payload: "CanvasEventComponentErrorPayload"
    type: "Literal['component.error']"


class CanvasEventComponentErrorPayload(TypedDict):
    componentId: "ComponentId"
    error: "DataError"


class CanvasEventComponentReady(TypedDict):
    payload: "CanvasEventComponentReadyPayload"
    type: "Literal['component.ready']"


class CanvasEventComponentReadyPayload(TypedDict):
    componentId: "ComponentId"
    highlights: "list[str]"
    summary: "str"


class CanvasEventComponentRemoved(TypedDict):
    payload: "CanvasEventComponentRemovedPayload"
    type: "Literal['component.removed']"


class CanvasEventComponentRemovedPayload(TypedDict):
    componentId: "ComponentId"


class CanvasEventComponentSelected(TypedDict):
    payload: "CanvasEventComponentSelectedPayload"
    type: "Literal['component.selected']"


class CanvasEventComponentSelectedPayload(TypedDict):
    componentId: "ComponentId"
    selectedItems: "list[SelectedItem]"


class CanvasEventComponentUpdated(TypedDict):
    payload: "CanvasEventComponentUpdatedPayload"
    type: "Literal['component.updated']"


class CanvasEventComponentUpdatedPayload(TypedDict):
    componentId: "ComponentId"
    needsData: "bool"


class CanvasEventLayoutChanged(TypedDict):
    payload: "CanvasEventLayoutChangedPayload"
    type: "Literal['layout.changed']"


class CanvasEventLayoutChangedPayload(TypedDict):
    changeType: "LayoutChange"
    componentId: "ComponentId"
    newBounds: "Bounds"


class CanvasEventSettingsUpdated(TypedDict):
    payload: "CanvasEventSettingsUpdatedPayload"
    type: "Literal['settings.updated']"


class CanvasEventSettingsUpdatedPayload(TypedDict):
    settings: "SettingsUpdate"


class CanvasEventTriggerActivated(TypedDict):
    payload: "CanvasEventTriggerActivatedPayload"
    type: "Literal['trigger.activated']"


class CanvasEventTriggerActivatedPayload(TypedDict):
    suggestedViewId: NotRequired["ViewId"]
    triggerId: "TriggerId"
    triggerName: "str"


class CanvasEventTriggerRemoved(TypedDict):
    payload: "CanvasEventTriggerRemovedPayload"
    type: "Literal['trigger.removed']"


class CanvasEventTriggerRemovedPayload(TypedDict):
    triggerId: "TriggerId"


class CanvasEventTriggerSet(TypedDict):
    payload: "CanvasEventTriggerSetPayload"
    type: "Literal['trigger.set']"


class CanvasEventTriggerSetPayload(TypedDict):
    triggerId: "TriggerId"


class CanvasEventViewDeleted(TypedDict):
    payload: "CanvasEventViewDeletedPayload"
    type: "Literal['view.deleted']"


class CanvasEventViewDeletedPayload(TypedDict):
    viewId: "ViewId"


class CanvasEventViewLoaded(TypedDict):
    payload: "CanvasEventViewLoadedPayload"
    type: "Literal['view.loaded']"


class CanvasEventViewLoadedPayload(TypedDict):
    viewId: "ViewId"
    viewName: "str"


class CanvasEventViewSaved(TypedDict):
    payload: "CanvasEventViewSavedPayload"
    type: "Literal['view.saved']"


class CanvasEventViewSavedPayload(TypedDict):
    viewId: "ViewId"
    viewName: "str"


class CanvasEventViewUpdated(TypedDict):
    payload: "CanvasEventViewUpdatedPayload"
    type: "Literal['view.updated']"


class CanvasEventViewUpdatedPayload(TypedDict):
    viewId: "ViewId"


class CanvasInput(TypedDict):
    """A grid with its components, oldest first."""

    components: "list[ComponentInstanceInput]"
    grid: "GridConfig"


class CanvasParams(TypedDict):
    """Parameters of methods that only name a surface."""

    canvasId: "CanvasId"


class CanvasSpec(TypedDict):
    """A spec in the form that its author writes."""

    actions: NotRequired["dict[str, ActionSpec]"]
    bindings: NotRequired["dict[str, ActionId]"]
    mode: "SurfaceMode"
    refresh: NotRequired["list[RefreshSpec]"]
    state: NotRequired["Json"]
    toolPolicy: NotRequired["ToolPolicy"]
    version: "int"


class ChangedPlace(TypedDict):
    """A place of ``{data, state}`` changed by a replay."""

    missing: NotRequired["list[str]"]
    outcome: "int"
    path: "str"
    replaces: "bool"

#: Changes to a document between two revisions.
Changes = TypedDict("Changes", {
    "diff": "str | None",
    "from": NotRequired["RevisionId"],
    "headings": NotRequired["Headings"],
    "to": "RevisionId",
    "whole": NotRequired["str"],
})


class CheckedIn(TypedDict):
    """Result of ``CheckIn``."""

    released: "bool"
    revision: "RevisionId"


class CheckedOut(TypedDict):
    """Result of ``CheckOut``."""

    epoch: "int"
    expires_at: "int"
    lease: "str"
    revision: "RevisionId"


class ClearCanvas(TypedDict):
    """Removes all components."""

    preservePinned: "bool"


class CodePoints(TypedDict):
    """Names of two characters that look alike."""

    actual: "str"
    expected: "str"


class CommandError(TypedDict):
    """Error of a refused command, which leaves the board unchanged."""

    candidates: NotRequired["list[str]"]
    code: "CommandErrorCode"
    collidingIds: NotRequired["list[ComponentId]"]
    componentId: NotRequired["ComponentId"]
    corrected: NotRequired["CanvasCommand"]
    errors: NotRequired["list[ValidationError]"]
    freePositions: NotRequired["list[Position]"]
    message: "str"
    place: NotRequired["str"]


class CommandExecutionError(TypedDict):
    """A command was refused."""

    code: "CommandErrorCode"
    command: "CanvasCommand"
    componentId: NotRequired["ComponentId"]
    message: "str"
    requestId: NotRequired["str"]
    timestamp: "int"


class CommandResult(TypedDict):
    """Result of one command."""

    affectedComponentIds: "list[ComponentId]"
    error: NotRequired["CommandError"]
    explanation: "str"
    placement: NotRequired["PlacementResult"]
    success: "bool"
    undoId: "str"
    warnings: NotRequired["list[str]"]


class ComponentActionDefinition(TypedDict):
    """An action of a component."""

    actionId: "str"
    description: "str"
    icon: NotRequired["str | None"]
    label: "str"
    params: NotRequired["Json"]
    requiresSelection: NotRequired["bool | None"]


class ComponentData(TypedDict):
    """The data that a canvas has for one component."""

    asOf: NotRequired["int"]
    data: NotRequired["Json"]
    reason: NotRequired["Drift"]
    status: "DataStatus"


class ComponentDefinition(TypedDict):
    """A type of components."""

    actions: NotRequired["list[ComponentActionDefinition]"]
    bindingRule: NotRequired["BindingRule | None"]
    capabilities: NotRequired["list[ComponentCapability]"]
    category: "ComponentCategory"
    configSchema: "Json"
    dataBindingSchema: NotRequired["Json"]
    defaultConfig: NotRequired["dict[str, Json]"]
    defaultSize: "Size"
    description: "str"
    maxSize: "Size"
    minSize: "Size"
    name: "str"
    typeId: "TypeId"
    version: NotRequired["int"]


class ComponentInstance(TypedDict):
    """A component as documents and bindings exchange it."""

    config: "dict[str, Json]"
    dataBinding: "DataBinding | None"
    dataState: "DataLoadingState"
    id: "ComponentId"
    meta: "ComponentMeta"
    position: "Position"
    size: "Size"
    typeId: "TypeId"


class ComponentInstanceInput(TypedDict):
    """A component as documents and bindings exchange it."""

    config: "dict[str, Json]"
    dataBinding: NotRequired["DataBindingInput | None"]
    dataState: NotRequired["DataLoadingStateInput"]
    id: "ComponentId"
    meta: "ComponentMetaInput"
    position: "Position"
    size: "Size"
    typeId: "TypeId"


class ComponentMeta(TypedDict):
    """Author of a component, and its pin and label."""

    createdAt: "int"
    createdBy: "Role"
    label: NotRequired["str"]
    pinned: "bool"


class ComponentMetaInput(TypedDict):
    """Author of a component, and its pin and label."""

    createdAt: "int"
    createdBy: "Role"
    label: NotRequired["str | None"]
    pinned: "bool"


class ComponentSummary(TypedDict):
    """The view of a component for a model."""

    actions: "list[str]"
    category: "ComponentCategory"
    highlights: "list[str]"
    id: "ComponentId"
    position: "Position"
    size: "Size"
    stateStatus: "LoadingStatus"
    summary: "str"
    typeId: "TypeId"
    typeName: "str"


class Computed(TypedDict):
    fn: "Function"
    path: NotRequired["JsonPointer"]


class Confirmation(TypedDict):
    """A person's consent to a ``ConfirmationPrompt``."""

    digest: "JsonHash"
    plannedAt: "int"


class ConfirmationPrompt(TypedDict):
    """Prompt that shows a person exactly what would run."""

    args: "Json"
    digest: "JsonHash"
    expiresAt: "int"
    plannedAt: "int"
    sessionKey: NotRequired["SessionKey"]
    tool: NotRequired["ToolName"]
    words: NotRequired["list[str]"]


class Conflict(TypedDict):
    """One reason why a patch cannot be applied."""

    actual: NotRequired["str"]
    candidates: NotRequired["list[int]"]
    code_points: NotRequired["CodePoints"]
    column: NotRequired["int"]
    difference: NotRequired["Difference"]
    expected: NotRequired["str"]
    hunk: "int"
    limit: NotRequired["ExceededLimit"]
    line: NotRequired["int"]
    nearby: NotRequired["list[QuotedLine]"]
    patch_line: "int"
    places: NotRequired["list[Place]"]
    present_at: NotRequired["int"]
    reason: "Reason"
    unread: NotRequired["int"]


class ContextBudget(TypedDict):
    """Limits and usage of a context."""

    maxComponents: "int"
    maxTokens: "int"
    summarizationLevel: "SummarizationLevel"
    usedTokens: "int"


class CreateComponent(TypedDict):
    """Adds a component."""

    config: "Json"
    dataBinding: NotRequired["DataBinding"]
    hints: NotRequired["PlacementHints"]
    meta: NotRequired["PartialMeta"]
    onCollision: NotRequired["OnCollision"]
    position: NotRequired["Position"]
    size: NotRequired["Size"]
    typeId: "TypeId"


class CreateComponentInput(TypedDict):
    """Adds a component."""

    config: NotRequired["Json"]
    dataBinding: NotRequired["DataBindingInput | None"]
    hints: NotRequired["PlacementHintsInput | None"]
    meta: NotRequired["PartialMetaInput | None"]
    onCollision: NotRequired["OnCollision"]
    position: NotRequired["Position | None"]
    size: NotRequired["Size | None"]
    typeId: "TypeId"


class CreateParams(TypedDict):
    """Parameters of ``canvas.create``."""

    agentId: NotRequired["AgentId | None"]
    assets: NotRequired["dict[str, AssetContent]"]
    canvasId: "CanvasId"
    entryAsset: NotRequired["str | None"]
    ownerSessionKey: NotRequired["SessionKey | None"]
    spec: "Json"
    title: NotRequired["str | None"]


class DataBinding(TypedDict):
    """Binding of a component to the query for its data."""

    query: "DataQuery"
    refreshInterval: "int | None"
    source: "DataSourceId"


class DataBindingInput(TypedDict):
    """Binding of a component to the query for its data."""

    query: "DataQuery"
    refreshInterval: NotRequired["int | None"]
    source: "DataSourceId"


class DataError(TypedDict):
    """Error of a data source."""

    code: "DataErrorCode"
    message: "str"
    retryAfter: NotRequired["int"]
    retryable: "bool"
    source: "DataSourceId"


class DataErrorInput(TypedDict):
    """Error of a data source."""

    code: "DataErrorCode"
    message: "str"
    retryAfter: NotRequired["int | None"]
    retryable: "bool"
    source: "DataSourceId"


class DataFetchError(TypedDict):
    """A source gave no data."""

    code: "DataErrorCode"
    message: "str"
    query: "DataQuery"
    requestId: NotRequired["str"]
    retryable: "bool"
    source: "DataSourceId"
    timestamp: "int"


class DataLoadingStateError(TypedDict):
    attemptedAt: "int"
    error: "DataError"
    status: "Literal['error']"


class DataLoadingStateIdle(TypedDict):
    status: "Literal['idle']"


class DataLoadingStateInputError(TypedDict):
    attemptedAt: "int"
    error: "DataErrorInput"
    status: "Literal['error']"


class DataLoadingStateInputIdle(TypedDict):
    status: "Literal['idle']"


class DataLoadingStateInputLoading(TypedDict):
    startedAt: "int"
    status: "Literal['loading']"


class DataLoadingStateInputReady(TypedDict):
    data: "Json"
    fetchedAt: "int"
    status: "Literal['ready']"


class DataLoadingStateInputStale(TypedDict):
    data: "Json"
    fetchedAt: "int"
    status: "Literal['stale']"


class DataLoadingStateLoading(TypedDict):
    startedAt: "int"
    status: "Literal['loading']"


class DataLoadingStateReady(TypedDict):
    data: "Json"
    fetchedAt: "int"
    status: "Literal['ready']"


class DataLoadingStateStale(TypedDict):
    data: "Json"
    fetchedAt: "int"
    status: "Literal['stale']"


class DataMeta(TypedDict):
    """Origin of data, and the time for which they are fresh."""

    fetchedAt: "int"
    pagination: NotRequired["PaginationMeta | None"]
    query: "DataQuery"
    source: "DataSourceId"
    stale: "bool"
    ttl: "int"


class DataQuery(TypedDict):
    """A query to a data source."""

    params: "dict[str, Json]"
    type: "str"


class DataResult(TypedDict):
    """A response of a source."""

    data: "Json"
    meta: "DataMeta"

#: A time expression in the place of a value.
DateParameter = TypedDict("DateParameter", {
    "$date": "DateExpr",
    "as": NotRequired["DateFormat"],
})


class DeleteParams(TypedDict):
    """Parameters of ``canvas.delete``."""

    canvasId: "CanvasId"
    expectedRevision: NotRequired["Revision | None"]


class DeleteView(TypedDict):
    """Deletes a saved view."""

    viewId: "ViewId"


class Descriptor(TypedDict):
    """Description of a surface for clients."""

    agentId: "AgentId"
    canvasId: "CanvasId"
    createdAt: "int"
    entryAsset: NotRequired["AssetPath"]
    mode: "SurfaceMode"
    ownerSessionKey: "SessionKey"
    revision: "Revision"
    title: "str"
    updatedAt: "int"


class DiffExcerpt(TypedDict):
    """Some hunks of a diff."""

    diff: "str"
    left_out: "int"


class Drift(TypedDict):
    """The reason that a replay cannot produce some data."""

    code: "DriftCode"
    message: "str"


class EditPolicyErrorFrontMatter(TypedDict):
    front_matter: "EditPolicyErrorFrontMatterFrontMatter"


class EditPolicyErrorFrontMatterFrontMatter(TypedDict):
    made: "bool"


class EditPolicyErrorOutOfScope(TypedDict):
    out_of_scope: "EditPolicyErrorOutOfScopeOutOfScope"


class EditPolicyErrorOutOfScopeOutOfScope(TypedDict):
    line: "int"
    scope: "LineRange"


class EditPolicyErrorProtected(TypedDict):
    protected: "EditPolicyErrorProtectedProtected"


class EditPolicyErrorProtectedProtected(TypedDict):
    line: "int"
    place: "LineRange"


class EditPolicyErrorScope(TypedDict):
    scope: "AddressError"


class EditPolicyErrorSideEffect(TypedDict):
    side_effect: "EditPolicyErrorSideEffectSideEffect"


class EditPolicyErrorSideEffectSideEffect(TypedDict):
    is_now: "bool"
    line: "int"


class EditPolicyErrorUnclosedFence(TypedDict):
    unclosed_fence: "EditPolicyErrorUnclosedFenceUnclosedFence"


class EditPolicyErrorUnclosedFenceUnclosedFence(TypedDict):
    line: "int"


class EditPolicyErrorUnintendedHeading(TypedDict):
    unintended_heading: "EditPolicyErrorUnintendedHeadingUnintendedHeading"


class EditPolicyErrorUnintendedHeadingUnintendedHeading(TypedDict):
    line: "int"
    title: "str"


class Edited(TypedDict):
    """The answer to ``Edit``."""

    epoch: "int"
    merged: NotRequired["list[MergedLine]"]
    moved: NotRequired["bool"]
    revision: "RevisionId"


class EncodedBytes(TypedDict):
    """Bytes in JSON."""

    base64: "str"


class ErrorReport(TypedDict):
    """Error in the form in which a host sends it to a client."""

    code: "str"
    message: "str"
    reason: NotRequired["str"]
    retryable: "bool"


class Escalation(TypedDict):
    """Offer to have a model record the recipe again, with the reasons and the message to send."""

    components: "list[ComponentId]"
    message: "str"
    reasons: "list[DriftCode]"
    state: NotRequired["list[StatePointer]"]


class GrepErrorMalformed(TypedDict):
    malformed: "GrepErrorMalformedMalformed"


class GrepErrorMalformedMalformed(TypedDict):
    at: "int | None"
    message: "str"


class GrepErrorNewline(TypedDict):
    newline: "GrepErrorNewlineNewline"


class GrepErrorNewlineNewline(TypedDict):
    at: "int"


class GrepErrorTooComplex(TypedDict):
    too_complex: "GrepErrorTooComplexTooComplex"


class GrepErrorTooComplexTooComplex(TypedDict):
    max: "int"


class GrepErrorTooCostly(TypedDict):
    too_costly: "GrepErrorTooCostlyTooCostly"


class GrepErrorTooCostlyTooCostly(TypedDict):
    bytes: "int"
    positions: "int"


class GrepErrorTooLong(TypedDict):
    too_long: "GrepErrorTooLongTooLong"


class GrepErrorTooLongTooLong(TypedDict):
    bytes: "int"
    max: "int"


class GridConfig(TypedDict):
    """Dimensions of a grid and of its cells."""

    cellHeight: "float"
    cellWidth: "float"
    columns: "int"
    gap: "float"
    rows: "int"


class HeadRevision(TypedDict):
    """The progress of a canvas, read from its head only."""

    epoch: "int"
    revision: "Revision"
    revision_id: "RevisionId"
    version: "Version"


class Heading(TypedDict):
    """Heading of a text."""

    level: "int"
    line: "int"
    title: "str"


class Headings(TypedDict):
    """Headings of a text, in order."""

    left_out: "int"
    lines: "int"
    listed: "list[Heading]"


class HistoryActionHistoryClear(TypedDict):
    type: "Literal['history.clear']"


class HistoryActionHistoryRedo(TypedDict):
    type: "Literal['history.redo']"


class HistoryActionHistoryUndo(TypedDict):
    type: "Literal['history.undo']"


class HistoryCleared(TypedDict):
    """The answer to ``ClearHistory``."""

    cleared: "bool"
    revision: "RevisionId"


class HistoryEntry(TypedDict):
    """Summary of a journal entry."""

    author: "Role"
    change: "ChangeNumber"
    delta: NotRequired["list[TextEdit]"]
    kind: "EntryKind"
    made_by: NotRequired["Actor"]
    number: "EntryNumber"
    reverts: NotRequired["list[ChangeNumber]"]
    revision: "Revision"
    summary: "str"
    written_by: NotRequired["Actor"]


class HistoryMove(TypedDict):
    """The answer to ``Undo`` and ``Redo``."""

    entries: "list[HistoryEntry]"
    epoch: "int"
    events: NotRequired["list[CanvasEvent]"]
    kept: NotRequired["list[KeptChange]"]
    revision: "RevisionId"


class HistoryRefusalEditNotFound(TypedDict):
    change: "ChangeNumber"
    count: "int"
    edit: "int"
    refusal: "Literal['edit_not_found']"


class HistoryRefusalEffectConflict(TypedDict):
    change: "ChangeNumber"
    effect: "EntryNumber"
    path: "str"
    refusal: "Literal['effect_conflict']"


class HistoryRefusalFaceNotSupported(TypedDict):
    face: "Face"
    refusal: "Literal['face_not_supported']"

HistoryRefusalHistoryConflict = TypedDict("HistoryRefusalHistoryConflict", {
    "change": "ChangeNumber",
    "refusal": "Literal['history_conflict']",
    "with": "ChangeNumber",
})


class HistoryRefusalHistoryDamaged(TypedDict):
    entry: "EntryNumber"
    refusal: "Literal['history_damaged']"


class HistoryRefusalHistoryEmpty(TypedDict):
    asked: "int"
    available: "int"
    refusal: "Literal['history_empty']"


class HistoryRefusalHistoryNotFound(TypedDict):
    change: "ChangeNumber"
    refusal: "Literal['history_not_found']"


class HistoryRefusalHistoryTooDeep(TypedDict):
    limit: "int"
    refusal: "Literal['history_too_deep']"


class HistoryRefusalNotOwnChange(TypedDict):
    change: "ChangeNumber"
    refusal: "Literal['not_own_change']"


class HistoryRefusalNothingToRedo(TypedDict):
    refusal: "Literal['nothing_to_redo']"


class HistoryRefusalNothingToUndo(TypedDict):
    refusal: "Literal['nothing_to_undo']"


class HistoryRefusalPolicyWidening(TypedDict):
    change: "ChangeNumber"
    refusal: "Literal['policy_widening']"


class HistoryRefusalStateTooLarge(TypedDict):
    bytes: "int"
    limit: "int"
    refusal: "Literal['state_too_large']"


class HistoryRefusalUserActed(TypedDict):
    refusal: "Literal['user_acted']"


class HistoryState(TypedDict):
    """The changes that can be undone and redone."""

    maxSize: "int"
    redoStack: "list[UndoEntry]"
    undoStack: "list[UndoEntry]"


class HostEdited(TypedDict):
    """Result of ``HostEdit``."""

    change: NotRequired["ChangeNumber"]
    previous: "RevisionId"
    proposed: NotRequired["ProposedParts"]
    revision: "RevisionId"
    summary: "str"


class Interrupted(TypedDict):
    """The answer to ``Cancel`` and ``TakeControl``."""

    epoch: "int"


class JsonPatchOperationAdd(TypedDict):
    op: "Literal['add']"
    path: "str"
    value: "Json"


class JsonPatchOperationRemove(TypedDict):
    op: "Literal['remove']"
    path: "str"


class JsonPatchOperationReplace(TypedDict):
    op: "Literal['replace']"
    path: "str"
    value: "Json"

#: A selected change that stays in effect.
KeptChange = TypedDict("KeptChange", {
    "change": "ChangeNumber",
    "reason": "str",
    "with": NotRequired["ChangeNumber"],
})


class LeaseRefusalExpired(TypedDict):
    at: "int"
    refusal: "Literal['expired']"


class LeaseRefusalNotOwned(TypedDict):
    held_until: NotRequired["int"]
    over: NotRequired["bool"]
    own: NotRequired["str"]
    refusal: "Literal['not_owned']"


class LeaseRefusalStaleEpoch(TypedDict):
    changes: "Changes | None"
    current: "int"
    refusal: "Literal['stale_epoch']"


class LeaseRefusalTooManyCalls(TypedDict):
    limit: "int"
    refusal: "Literal['too_many_calls']"


class LimitRefusalExhausted(TypedDict):
    counter: "Counter"
    refusal: "Literal['exhausted']"


class LimitRefusalProposalsTooLarge(TypedDict):
    bytes: "int"
    limit: "int"
    refusal: "Literal['proposals_too_large']"


class LimitRefusalTooLarge(TypedDict):
    bytes: "int"
    limit: "int"
    refusal: "Literal['too_large']"


class LimitRefusalTooManyParts(TypedDict):
    limit: "int"
    refusal: "Literal['too_many_parts']"


class LimitRefusalTooManyProposals(TypedDict):
    limit: "int"
    refusal: "Literal['too_many_proposals']"


class LineRange(TypedDict):
    """Lines ``start`` to ``end``, counted from 1, both included."""

    end: "int"
    start: "int"


class LineSpan(TypedDict):
    """Range of lines in the new text, from 1 and inclusive."""

    end_line: "int"
    start_line: "int"


class LineWriter(TypedDict):
    """The change that last wrote a line."""

    actor: "Actor"
    at: "int"
    author: NotRequired["Actor"]
    change: "ChangeNumber"
    revision: "Revision"


class LinesNow(TypedDict):
    """Current lines of the document."""

    end_line: "int"
    named_line: NotRequired["int"]
    range_hash: NotRequired["RangeHash"]
    start_line: "int"
    text: "str"
    truncated: "bool"


class LinesRefusalContentChanged(TypedDict):
    index: NotRequired["int"]
    lines: "LinesNow"
    moved: NotRequired["bool"]
    others: NotRequired["list[LinesNow]"]
    refusal: "Literal['content_changed']"


class LinesRefusalNoEffect(TypedDict):
    refusal: "Literal['no_effect']"


class LinesRefusalNoSuchLines(TypedDict):
    end: "int"
    index: NotRequired["int"]
    refusal: "Literal['no_such_lines']"
    start: "int"
    total_lines: "int"


class LinesRefusalOverlap(TypedDict):
    line: "int"
    refusal: "Literal['overlap']"


class ListParams(TypedDict):
    """Parameters of ``canvas.list``."""

    after: NotRequired["CanvasId | None"]
    agentId: NotRequired["AgentId | None"]
    limit: NotRequired["int | None"]


class LoadView(TypedDict):
    """Replaces the canvas by a saved view."""

    viewId: "ViewId"


class LockView(TypedDict):
    """The lock of a canvas as a user interface shows it."""

    epoch: "int"
    holder: NotRequired["ConversationId"]
    until: NotRequired["int"]


class MappingSpecComponent(TypedDict):
    component: "ComponentId"
    ops: NotRequired["Operations"]
    path: NotRequired["JsonPointer"]
    step: "StepId"


class MappingSpecState(TypedDict):
    ops: NotRequired["Operations"]
    path: NotRequired["JsonPointer"]
    state: "StatePointer"
    step: "StepId"


class MatchCountLines(TypedDict):
    lines: "int"


class MatchCountMatches(TypedDict):
    matches: "int"


class MergedLine(TypedDict):
    """A line that two people changed, each in other words."""

    line: "int"
    mine: "str"
    now: "str"
    theirs: "str"


class Mismatch(TypedDict):
    """The first line in which a hunk's pre-image and the text differ."""

    actual: NotRequired["str"]
    code_points: NotRequired["CodePoints"]
    column: "int"
    difference: "Difference"
    expected: "str"


class MoveComponent(TypedDict):
    """Moves a component."""

    componentId: "ComponentId"
    onCollision: NotRequired["OnCollision"]
    position: "Position"


class NamedVersion(TypedDict):
    """A revision of a canvas with a label, which is kept until somebody removes it."""

    actor: "Actor"
    at: "int"
    label: "VersionLabel"
    note: NotRequired["str"]
    revision: "Revision"
    revision_id: "RevisionId"
    tree: NotRequired["dict[str, str]"]


class NativeConflict(TypedDict):
    """One place at which a native call does not fit."""

    actual: NotRequired["str"]
    candidates: NotRequired["list[int]"]
    code_points: NotRequired["CodePoints"]
    column: NotRequired["int"]
    difference: NotRequired["Difference"]
    expected: NotRequired["str"]
    hunk: "int"
    line: NotRequired["int"]
    patch_line: NotRequired["int"]
    reason: "str"


class NewBoardRefusalBoardExists(TypedDict):
    refusal: "Literal['board_exists']"


class NewBoardRefusalInvalidBoard(TypedDict):
    message: "str"
    refusal: "Literal['invalid_board']"


class NonRefreshable(TypedDict):
    """Component that a replay cannot refresh."""

    component: "ComponentId"
    reason: "str"


class NotAvailableHeld(TypedDict):
    own: NotRequired["str"]
    refusal: "Literal['held']"
    until: "int"


class NotAvailableUserActive(TypedDict):
    refusal: "Literal['user_active']"


class NumberedRecord(TypedDict):
    """A record with its number."""

    actionId: "ActionId"
    actor: "SurfaceActor"
    argsDigest: "JsonHash"
    endedAt: "int"
    eventId: "EventId"
    jobId: NotRequired["JobId"]
    number: "int"
    outcome: "ActionOutcome"
    sessionKey: NotRequired["SessionKey"]
    startedAt: "int"
    summary: "str"
    tool: NotRequired["ToolName"]


class OperationAggregate(TypedDict):
    by: NotRequired["dict[str, JsonPointer]"]
    op: "Literal['aggregate']"
    values: NotRequired["dict[str, Computed]"]


class OperationFilter(TypedDict):
    cmp: "Comparison"
    op: "Literal['filter']"
    path: "JsonPointer"
    value: "Operand"


class OperationLimit(TypedDict):
    count: "int"
    op: "Literal['limit']"


class OperationSelect(TypedDict):
    fields: "dict[str, JsonPointer]"
    op: "Literal['select']"


class OperationSort(TypedDict):
    by: "list[SortKey]"
    op: "Literal['sort']"


class OwnedSpan(TypedDict):
    """A piece of a redline with the owner of its part."""

    kind: "SpanKind"
    owner: NotRequired["Owner"]
    part: NotRequired["PartId"]
    text: "str"


class OwnerConversation(TypedDict):
    conversation: "ConversationId"


class OwnerPerson(TypedDict):
    person: "PersonId"


class PaginationMeta(TypedDict):
    """A page of a list."""

    hasMore: "bool"
    limit: "int"
    offset: "int"
    total: "int"


class PartFence(TypedDict):
    fence: "int"


class PartItem(TypedDict):
    item: "list[int]"


class PartParagraph(TypedDict):
    paragraph: "int"


class PartTable(TypedDict):
    table: "TablePart"


class PartView(TypedDict):
    """The content of a part, for people who decide."""

    after: "str"
    before: "str"
    end_line: "int"
    id: "PartId"
    reason: NotRequired["str"]
    start_line: "int"
    state: "PartState"


class PartialMeta(TypedDict):
    """The part of ``ComponentMeta`` that a command can set."""

    label: NotRequired["str"]
    pinned: NotRequired["bool"]


class PartialMetaInput(TypedDict):
    """The part of ``ComponentMeta`` that a command can set."""

    label: NotRequired["str | None"]
    pinned: NotRequired["bool | None"]


class PartsDecided(TypedDict):
    """The answer to ``DecideParts``."""

    accepted: "list[PartId]"
    rejected: "list[PartId]"
    revision: "RevisionId"
    stale: "list[PartId]"


class PatchParams(TypedDict):
    """Parameters of ``canvas.patch``."""

    canvasId: "CanvasId"
    expectedRevision: NotRequired["Revision | None"]
    patch: "Json"


class PatchRefusalEditRefused(TypedDict):
    error: "EditPolicyError"
    refusal: "Literal['edit_refused']"


class PatchRefusalNotLocated(TypedDict):
    lines: "LineRange"
    refusal: "Literal['not_located']"


class Place(TypedDict):
    """One of several places where the pre-image of a hunk occurs."""

    header: NotRequired["str"]
    heading: NotRequired["str"]
    last_line: "int"
    line: "int"
    nearby: "list[QuotedLine]"

#: A component moved to make room, or placed elsewhere than in its saved view.
PlacementAdjustment = TypedDict("PlacementAdjustment", {
    "componentId": "ComponentId",
    "from": "Position",
    "reason": "str",
    "to": "Position",
})


class PlacementHints(TypedDict):
    """Preferred places for a component."""

    nearComponentId: NotRequired["ComponentId"]
    preferredPosition: NotRequired["Position"]
    region: NotRequired["Region"]


class PlacementHintsInput(TypedDict):
    """Preferred places for a component."""

    nearComponentId: NotRequired["ComponentId | None"]
    preferredPosition: NotRequired["Position | None"]
    region: NotRequired["Region | None"]


class PlacementResult(TypedDict):
    """Result of placing a component."""

    adjustments: NotRequired["list[PlacementAdjustment]"]
    position: "Position"
    reason: "PlacementReason"


class Position(TypedDict):
    """A cell of the grid."""

    col: "int"
    row: "int"


class ProactiveTrigger(TypedDict):
    """Something that suggests or loads a view when it is due."""

    description: NotRequired["str"]
    enabled: "bool"
    id: "TriggerId"
    message: NotRequired["str"]
    name: "str"
    simulatedTime: NotRequired["str"]
    type: "TriggerType"
    viewId: NotRequired["ViewId"]


class ProactiveTriggerInput(TypedDict):
    """Something that suggests or loads a view when it is due."""

    description: NotRequired["str | None"]
    enabled: "bool"
    id: "TriggerId"
    message: NotRequired["str | None"]
    name: "str"
    simulatedTime: NotRequired["str | None"]
    type: "TriggerType"
    viewId: NotRequired["ViewId | None"]


class Proposal(TypedDict):
    """All parts that one owner proposes."""

    owner: "Owner"
    parts: "list[ProposedPart]"


class ProposalRefusalDecidedTwice(TypedDict):
    part: "PartId"
    refusal: "Literal['decided_twice']"


class ProposalRefusalDecisionByModel(TypedDict):
    refusal: "Literal['decision_by_model']"


class ProposalRefusalNoteTooLong(TypedDict):
    bytes: "int"
    limit: "int"
    refusal: "Literal['note_too_long']"


class ProposalRefusalPartChanged(TypedDict):
    part: "PartId"
    refusal: "Literal['part_changed']"


class ProposalRefusalPartNotFound(TypedDict):
    part: "PartId"
    refusal: "Literal['part_not_found']"


class ProposalRefusalPartStale(TypedDict):
    part: "PartId"
    refusal: "Literal['part_stale']"


class ProposalRefusalProposalNotFound(TypedDict):
    owner: "Owner"
    refusal: "Literal['proposal_not_found']"


class ProposalRefusalReasonTooLong(TypedDict):
    bytes: "int"
    limit: "int"
    refusal: "Literal['reason_too_long']"


class ProposalText(TypedDict):
    """A document with pending parts."""

    left_out: "list[PartId]"
    markdown: "str"


class Proposed(TypedDict):
    """The answer to ``Propose``."""

    parts: "list[PartId]"


class ProposedPart(TypedDict):
    """A part of a proposal."""

    after: "str"
    before: "str"
    end_line: "int"
    id: "PartId"
    reason: NotRequired["str"]
    rejected_before: NotRequired["RejectedBefore"]
    start_line: "int"
    state: "PartState"


class ProposedParts(TypedDict):
    """The parts of a proposal that an edit made or changed, which now wait for a decision."""

    parts: "list[PartId]"
    rejected_before: NotRequired["dict[str, RejectedBefore]"]


class ProtectedSet(TypedDict):
    """The answer to ``SetProtected``."""

    changed: "bool"
    unresolved: "list[Json]"


class QueryDefinition(TypedDict):
    """A kind of query that a source understands."""

    description: "str"
    paramsSchema: "Json"
    resultSchema: "Json"
    type: "str"


class QuotedLine(TypedDict):
    """A line of the document without its terminator."""

    line: "int"
    text: "str"


class Readable(TypedDict):
    """Result of ``Read``, which permits the caller to read the document."""

    expires_at: NotRequired["int"]
    revision: "RevisionId"


class RecipeDeclaration(TypedDict):
    """The model's mapping of call results to data, and the arguments to compute at each replay."""

    mappings: "list[MappingSpec]"
    params: NotRequired["dict[str, dict[str, dict[str, Json]]]"]
    shown: NotRequired["dict[str, Json]"]
    timezone: NotRequired["str | None"]


class RecipeFault(TypedDict):
    """Fault at one place of a recipe."""

    code: "RecipeCode"
    message: "str"
    place: "str"


class RecipeRecorded(TypedDict):
    """Result of recording a recipe."""

    nonRefreshable: "list[NonRefreshable]"
    recipe: "str | None"
    revision: "Revision"


class RecipeRefusalRecipeDamaged(TypedDict):
    refusal: "Literal['recipe_damaged']"


class RecipeRefusalRecipeNotFound(TypedDict):
    refusal: "Literal['recipe_not_found']"


class RecipeRefusalRecipeRefused(TypedDict):
    fault: "RecipeFault"
    others: NotRequired["list[RecipeFault]"]
    refusal: "Literal['recipe_refused']"


class RecipeRefusalRecipeReplaced(TypedDict):
    refusal: "Literal['recipe_replaced']"


class RecipeRefusalStaleRecipe(TypedDict):
    current: "Revision"
    expected: "Revision"
    refusal: "Literal['stale_recipe']"


class RecipeSpec(TypedDict):
    """A recipe as its author writes it."""

    catalogue: "int"
    composition: NotRequired["Json"]
    mappings: "list[MappingSpec]"
    steps: "list[StepSpec]"
    timezone: NotRequired["str | None"]
    version: "int"


class RecordedCall(TypedDict):
    """A tool call of a replay."""

    failure: NotRequired["Drift"]
    params: "Json"
    responseHash: NotRequired["JsonHash"]
    step: "StepId"
    tool: "ToolName"


class RedlineSpan(TypedDict):
    """A piece of a redline."""

    kind: "SpanKind"
    part: NotRequired["PartId"]
    text: "str"


class RefreshSpec(TypedDict):
    """A refresh job in the form that its author writes."""

    action: "ActionId"
    enabled: NotRequired["bool"]
    everyMs: "int"
    id: "JobId"


class RejectedBefore(TypedDict):
    """An earlier rejection of the same part."""

    note: NotRequired["str"]


class RejectedLines(TypedDict):
    """A part that a person rejected since the owner's last message."""

    end_line: "int"
    note: NotRequired["str"]
    start_line: "int"


class RemoveComponent(TypedDict):
    """Removes a component."""

    componentId: "ComponentId"


class RemoveTrigger(TypedDict):
    """Removes a trigger."""

    triggerId: "TriggerId"


class Renewed(TypedDict):
    """Result of ``Renew``."""

    at_max_hold: "bool"
    expires_at: "int"
    lease: "str"
    revision: "RevisionId"


class Repair(TypedDict):
    """Repair of a patch that leaves its content unchanged."""

    hunk: "int"
    kind: "RepairKind"


class ReplayFinished(TypedDict):
    """Result of a finished replay."""

    changed: "list[ChangedPlace]"
    committed: "bool"
    refreshed: "list[ComponentId]"
    revision: "Revision"
    stale: "list[StaleTarget]"


class ResizeComponent(TypedDict):
    """Resizes a component."""

    componentId: "ComponentId"
    onCollision: NotRequired["OnCollision"]
    size: "Size"


class RestoreCanvasRestore(TypedDict):
    payload: "Json"
    type: "Literal['canvas.restore']"


class RestoreComponentRestore(TypedDict):
    payload: "Json"
    type: "Literal['component.restore']"


class RestoreViewRestore(TypedDict):
    payload: "Json"
    type: "Literal['view.restore']"


class Restored(TypedDict):
    """The answer to ``Restore``."""

    changed: "list[Face]"
    epoch: "int"
    events: NotRequired["list[CanvasEvent]"]
    revision: "RevisionId"


class RunRecord(TypedDict):
    """The record of a finished replay."""

    calls: "list[RecordedCall]"
    changed: "list[ChangedPlace]"
    committed: "bool"
    components: NotRequired["list[ComponentId]"]
    dryRun: "bool"
    gone: NotRequired["list[ComponentId]"]
    now: "int"
    patch: "list[JsonPatchOperation]"
    recipe: "str"
    refreshed: "list[ComponentId]"
    revision: "Revision"
    runId: "RunId"
    skipped: NotRequired["list[SkippedStep]"]
    stale: "list[StaleTarget]"
    timezone: "str"
    tzdbVersion: "str"


class SaveView(TypedDict):
    """Saves the canvas as a view."""

    description: NotRequired["str"]
    name: "str"
    triggerIds: NotRequired["list[TriggerId]"]


class SaveViewInput(TypedDict):
    """Saves the canvas as a view."""

    description: NotRequired["str | None"]
    name: "str"
    triggerIds: NotRequired["list[TriggerId] | None"]


class SelectedItem(TypedDict):
    """A selected item."""

    data: "Json"
    itemId: "str"


class SetTrigger(TypedDict):
    """Adds a trigger after the others, or replaces the one with the same id in place."""

    trigger: "ProactiveTrigger"


class SetTriggerInput(TypedDict):
    """Adds a trigger after the others, or replaces the one with the same id in place."""

    trigger: "ProactiveTriggerInput"


class SettingsUpdate(TypedDict):
    """Settings of a workspace to change."""

    defaultRefreshInterval: NotRequired["int"]
    grid: NotRequired["GridConfig"]
    proactiveMode: NotRequired["ProactiveMode"]
    theme: NotRequired["Theme"]
    voiceEnabled: NotRequired["bool"]


class Size(TypedDict):
    """A width and a height in cells, read from JSON like ``Position``."""

    cols: "int"
    rows: "int"


class SkippedStep(TypedDict):
    """A step without a call."""

    reason: "Drift"
    step: "StepId"


class SortKey(TypedDict):
    dir: NotRequired["SortDirection"]
    path: "JsonPointer"


class SpecWarning(TypedDict):
    """A warning about one place of a spec."""

    code: "SpecWarningCode"
    message: "str"
    place: "str"


class Stacks(TypedDict):
    """The changes that can be undone and redone."""

    redo: "list[HistoryEntry]"
    undo: "list[HistoryEntry]"


class StaleBase(TypedDict):
    """The changes of the document since the base of a call."""

    already_applied: NotRequired["bool"]
    base: "Base | None"
    changes: "Changes | None"
    fits: NotRequired["Fits"]
    near: NotRequired["DiffExcerpt"]
    rebased: NotRequired["str"]
    unknown: NotRequired["bool"]
    up_to_date: NotRequired["bool"]

StaleCauseConflict = TypedDict("StaleCauseConflict", {
    "kind": "Literal['conflict']",
    "with": "ChangeNumber",
})


class StaleCauseOutOfReach(TypedDict):
    kind: "Literal['out_of_reach']"


class StaleCauseUnknownBase(TypedDict):
    kind: "Literal['unknown_base']"


class StaleEdit(TypedDict):
    """A user's edit with an older document as its base, and with changes that do not fit the current one."""

    base: "Base"
    cause: "StaleCause"
    changes: NotRequired["Changes"]
    current: "RevisionId"
    markdown: "str"


class StaleTargetComponent(TypedDict):
    component: "ComponentId"
    reason: "Drift"
    status: "DataStatus"


class StaleTargetReason(TypedDict):
    reason: "Drift"
    state: "StatePointer"
    status: "DataStatus"


class StateChange(TypedDict):
    """A changed place of a state, with its value before and after."""

    after: NotRequired["Json"]
    before: NotRequired["Json"]
    path: "StatePointer"


class StatePatched(TypedDict):
    """The state is as the patch wants it."""

    changedPaths: "list[StatePointer]"
    revision: "Revision"


class StepSpec(TypedDict):
    """A call as its author writes it."""

    contract: NotRequired["JsonHash | None"]
    id: "StepId"
    params: NotRequired["dict[str, Json]"]
    tool: "ToolName"
    toolVersion: NotRequired["str | None"]


class StructureErrorAddress(TypedDict):
    address: "AddressError"


class StructureErrorCountDiffers(TypedDict):
    count_differs: "StructureErrorCountDiffersCountDiffers"


class StructureErrorCountDiffersCountDiffers(TypedDict):
    expected: "MatchCount"
    found: "int"
    lines: "list[int]"


class StructureErrorLevelOutOfRange(TypedDict):
    level_out_of_range: "StructureErrorLevelOutOfRangeLevelOutOfRange"


class StructureErrorLevelOutOfRangeLevelOutOfRange(TypedDict):
    level: "int"
    line: "int"


class StructureErrorMoveIntoItself(TypedDict):
    move_into_itself: "StructureErrorMoveIntoItselfMoveIntoItself"


class StructureErrorMoveIntoItselfMoveIntoItself(TypedDict):
    line: "int"


class StructureErrorSpilled(TypedDict):
    spilled: "EditPolicyError"


class StructureErrorTableShape(TypedDict):
    table_shape: "StructureErrorTableShapeTableShape"


class StructureErrorTableShapeTableShape(TypedDict):
    line: "int"


class StructureErrorValue(TypedDict):
    value: "ValueFault"


class StructureRefusal(TypedDict):
    """An edit of the structure is refused."""

    error: "StructureError"
    refusal: "Literal['structure_rejected']"


class SuggestionRebased(TypedDict):
    rebased: "str"


class Summary(TypedDict):
    """Lines added and removed, shown as ``+120 −3, 2 hunks``."""

    added: "int"
    hunks: "int"
    removed: "int"


class SurfaceActorClientId(TypedDict):
    clientId: "ClientId"


class SurfaceActorSessionKey(TypedDict):
    sessionKey: "SessionKey"


class SurfaceCreated(TypedDict):
    """The answer to ``CreateSurface``."""

    descriptor: "Descriptor"


class SurfaceEvent(TypedDict):
    """A change of a surface, or a step of one of its actions."""

    actionId: NotRequired["ActionId"]
    at: "int"
    canvasId: "CanvasId"
    changedPaths: NotRequired["list[StatePointer]"]
    event: "SurfaceEventKind"
    eventId: NotRequired["EventId"]
    revision: "Revision"


class SurfaceFault(TypedDict):
    """Fault at one place of a request, a spec or a patch."""

    code: "SurfaceCode"
    message: "str"
    place: "str"


class SurfaceRefusalActionInProgress(TypedDict):
    event: "EventId"
    refusal: "Literal['action_in_progress']"
    until: "int"


class SurfaceRefusalActionLost(TypedDict):
    event: "EventId"
    refusal: "Literal['action_lost']"


class SurfaceRefusalConfirmStale(TypedDict):
    refusal: "Literal['confirm_stale']"


class SurfaceRefusalConfirmationRequired(TypedDict):
    prompt: "ConfirmationPrompt"
    refusal: "Literal['confirmation_required']"


class SurfaceRefusalEventNotFound(TypedDict):
    event: "EventId"
    refusal: "Literal['event_not_found']"


class SurfaceRefusalSpecInvalid(TypedDict):
    faults: "list[SurfaceFault]"
    refusal: "Literal['spec_invalid']"


class SurfaceRefusalStaleSurface(TypedDict):
    current: "Revision"
    expected: "Revision"
    refusal: "Literal['stale_surface']"


class SurfaceRefusalSurfaceDamaged(TypedDict):
    refusal: "Literal['surface_damaged']"


class SurfaceRefusalSurfaceExists(TypedDict):
    refusal: "Literal['surface_exists']"


class SurfaceRefusalSurfaceNotFound(TypedDict):
    refusal: "Literal['surface_not_found']"


class SurfaceRefusalSurfaceRefused(TypedDict):
    fault: "SurfaceFault"
    others: NotRequired["list[SurfaceFault]"]
    refusal: "Literal['surface_refused']"


class SurfaceRefusalTooManyRunning(TypedDict):
    limit: "int"
    refusal: "Literal['too_many_running']"


class SurfaceUpserted(TypedDict):
    """The answer to ``UpsertSurface``."""

    created: "bool"
    descriptor: "Descriptor"


class TablePart(TypedDict):
    """A table, or a row, column or cell of one."""

    column: NotRequired["Column"]
    row: NotRequired["int"]
    table: "int"


class TargetComponent(TypedDict):
    component: "ComponentId"


class TargetState(TypedDict):
    state: "StatePointer"


class TemporalContext(TypedDict):
    """The user's local time, by the clock, the calendar and the user's plan of the day."""

    dayOfWeek: "DayOfWeek"
    isWorkHours: "bool"
    timeOfDay: "TimeOfDay"
    timestamp: "str"
    timezone: "str"


class TextEdit(TypedDict):
    """A replacement in a text, located in the text before the replacement."""

    at: "int"
    new: "str"
    old: "str"


class ToolPolicy(TypedDict):
    """Tools available to the actions of a spec."""

    allow: NotRequired["list[ToolName]"]


class TriggerMemory(TypedDict):
    """The triggers that fired already, each with its session or part of the day."""

    last: "dict[str, Window]"


class TurnBegan(TypedDict):
    """The answer to ``SendMessage``."""

    changes: "Changes | None"
    promotion: "Promotion"
    rejected: NotRequired["list[RejectedLines]"]
    start: "TurnStart"


class TurnEnded(TypedDict):
    """The answer to ``EndTurn``."""

    changes: "Changes | None"
    promotion: "Promotion"
    rejected: NotRequired["list[RejectedLines]"]


class TurnStart(TypedDict):
    """The point at which the running turn began."""

    epoch: "int"
    revision: "Revision"


class UndoEntry(TypedDict):
    """A change that can be undone or redone."""

    description: "str"
    forward: "Recorded"
    id: "UndoId"
    inverse: "Recorded"
    source: "Role"
    timestamp: "int"


class UpdateComponent(TypedDict):
    """Changes the config of a component."""

    componentId: "ComponentId"
    config: NotRequired["Json"]
    dataBinding: NotRequired["DataBinding"]
    meta: NotRequired["PartialMeta"]


class UpdateComponentInput(TypedDict):
    """Changes the config of a component."""

    componentId: "ComponentId"
    config: NotRequired["Json"]
    dataBinding: NotRequired["DataBindingInput | None"]
    meta: NotRequired["PartialMetaInput | None"]


class UpsertParams(TypedDict):
    """Parameters of ``canvas.upsert``."""

    assets: NotRequired["dict[str, AssetContent | None]"]
    canvasId: "CanvasId"
    expectedRevision: NotRequired["Revision | None"]
    spec: NotRequired["Json"]
    title: NotRequired["str | None"]


class UserActionUserDismiss(TypedDict):
    componentId: "ComponentId"
    type: "Literal['user.dismiss']"


class UserActionUserMove(TypedDict):
    componentId: "ComponentId"
    position: "Position"
    type: "Literal['user.move']"


class UserActionUserPin(TypedDict):
    componentId: "ComponentId"
    pinned: "bool"
    type: "Literal['user.pin']"


class UserActionUserRedo(TypedDict):
    type: "Literal['user.redo']"


class UserActionUserRefresh(TypedDict):
    componentId: "ComponentId"
    type: "Literal['user.refresh']"


class UserActionUserResize(TypedDict):
    componentId: "ComponentId"
    size: "Size"
    type: "Literal['user.resize']"


class UserActionUserUndo(TypedDict):
    type: "Literal['user.undo']"


class ValidationError(TypedDict):
    """A fault that a schema finds in a value."""

    code: "str"
    message: "str"
    path: "str"


class ValidationFailedError(TypedDict):
    """A config or a binding that does not fit its type."""

    code: "ValidationFailedCode"
    errors: "list[ValidationError]"
    message: "str"
    requestId: NotRequired["str"]
    timestamp: "int"


class ValidationResult(TypedDict):
    """Whether a config or a binding is what its type asks for."""

    errors: NotRequired["list[ValidationError]"]
    valid: "bool"


class VersionRefusalDocumentNotFound(TypedDict):
    refusal: "Literal['document_not_found']"


class VersionRefusalNothingToRestore(TypedDict):
    refusal: "Literal['nothing_to_restore']"


class VersionRefusalTooManyVersions(TypedDict):
    limit: "int"
    refusal: "Literal['too_many_versions']"


class VersionRefusalVersionByModel(TypedDict):
    refusal: "Literal['version_by_model']"


class VersionRefusalVersionExists(TypedDict):
    label: "VersionLabel"
    refusal: "Literal['version_exists']"


class VersionRefusalVersionNotFound(TypedDict):
    label: "VersionLabel"
    refusal: "Literal['version_not_found']"


class VersionRefusalVersionNoteTooLong(TypedDict):
    bytes: "int"
    limit: "int"
    refusal: "Literal['version_note_too_long']"


class VersionRefusalVersionsDamaged(TypedDict):
    refusal: "Literal['versions_damaged']"


class View(TypedDict):
    """A canvas saved under a name."""

    createdAt: "int"
    description: NotRequired["str"]
    id: "ViewId"
    name: "str"
    snapshot: "Canvas"
    triggerIds: "list[TriggerId]"


class ViewInput(TypedDict):
    """A canvas saved under a name."""

    createdAt: "int"
    description: NotRequired["str | None"]
    id: "ViewId"
    name: "str"
    snapshot: "CanvasInput"
    triggerIds: "list[TriggerId]"


class ViewSummary(TypedDict):
    """A saved view that a command can load."""

    componentCount: "int"
    description: NotRequired["str"]
    id: "ViewId"
    name: "str"


class WatchEvent(TypedDict):
    """The newest state of a watched canvas, with the changes since the watcher's last event."""

    actor: NotRequired["Actor"]
    canvas: "CanvasId"
    clock: "int"
    faces: "list[Face]"
    lock: "LockView"
    made: "bool"
    missed: "int"
    promoted: "bool"
    restored: "bool"
    revision: NotRequired["Revision"]
    revision_id: NotRequired["RevisionId"]
    status: "CanvasStatus"
    version: NotRequired["Version"]
    versions: "bool"


class WindowPart(TypedDict):
    part: "WindowPartPart"


class WindowPartPart(TypedDict):
    day: "int"
    part: "TimeOfDay"


class WindowSession(TypedDict):
    session: "str"


class Withdrawn(TypedDict):
    """The answer to ``Withdraw``."""

    parts: "list[PartId]"


class WorkModeSet(TypedDict):
    """The answer to ``SetWorkMode``."""

    changed: "bool"
    epoch: "int"


class Workspace(TypedDict):
    """A complete board, as one JSON value."""

    canvas: "Canvas"
    createdAt: "int"
    id: "WorkspaceId"
    name: "str"
    settings: "WorkspaceSettings"
    threadId: "str"
    triggers: "list[ProactiveTrigger]"
    updatedAt: "int"
    views: "list[View]"


class WorkspaceContext(TypedDict):
    """Workspace that contains the components."""

    activeViewId: "ViewId | None"
    componentCount: "int"
    gridUtilization: "float"
    id: "WorkspaceId"
    name: "str"
    savedViews: "list[ViewSummary]"


class WorkspaceInput(TypedDict):
    """A complete board, as one JSON value."""

    canvas: "CanvasInput"
    createdAt: "int"
    id: "WorkspaceId"
    name: "str"
    settings: "WorkspaceSettings"
    threadId: "str"
    triggers: "list[ProactiveTriggerInput]"
    updatedAt: "int"
    views: "list[ViewInput]"


class WorkspaceSettings(TypedDict):
    """The user's preferences."""

    defaultRefreshInterval: "int"
    grid: "GridConfig"
    proactiveMode: "ProactiveMode"
    theme: "Theme"
    voiceEnabled: "bool"


#: What a directive does.
Action: TypeAlias = Literal['insert', 'replace', 'annotate', 'patch']

#: Names an action of a spec, such as ``deploy``.
ActionId: TypeAlias = str

#: Outcome of an action.
ActionOutcome: TypeAlias = Literal['finished', 'failed', 'timedOut', 'lost']

#: An action in the form that its author writes.
ActionSpec: TypeAlias = ActionSpecToolCall | ActionSpecSessionSend | ActionSpecStatePatch

#: A person, a conversation of a model, or the host, if it made a change happen.
Actor: TypeAlias = ActorPerson | ActorConversation | ActorHost

#: Error returned when an address does not lead to a place in the text.
AddressError: TypeAlias = Literal['no_front_matter', 'no_preamble'] | AddressErrorInvalidRange | AddressErrorNoSuchSection | AddressErrorNoSuchOrdinal | AddressErrorNoSuchPart | AddressErrorNoSuchBlock | AddressErrorNoSuchList | AddressErrorNoSuchRow | AddressErrorNoSuchColumn | AddressErrorAmbiguousColumn | AddressErrorNoSuchKey | AddressErrorAmbiguousKey | AddressErrorFrontMatterUnsupported | AddressErrorNoSuchFootnote | AddressErrorAmbiguous | AddressErrorNoSuchHit | AddressErrorAmbiguousHit | AddressErrorQuery

#: Names an agent, whose surfaces its sessions see.
AgentId: TypeAlias = str

#: The content of an asset.
AssetContent: TypeAlias = str | EncodedBytes

#: The path of an asset: ``assets/index.html``.
AssetPath: TypeAlias = str

#: The document differs from the base of a call.
BaseRefusal: TypeAlias = StaleBase

#: Names something on the screen that triggers an action, such as ``buttons.deployNow``.
BindingName: TypeAlias = str

#: The board is missing, unreadable or newer than the command.
BoardRefusal: TypeAlias = BoardRefusalNoBoard | BoardRefusalBoardDamaged | BoardRefusalStaleBoard

#: The answer to a command.
BoardResult: TypeAlias = BatchCommandResult | CommandResult

#: Refusals of any call.
CallRefusal: TypeAlias = CallRefusalDisabled | CallRefusalGitMode | CallRefusalCallIdReused | CallRefusalProposalsDamaged | CallRefusalAbandoned

#: A requested change to the board.
CanvasCommand: TypeAlias = CanvasCommandComponentCreate | CanvasCommandComponentUpdate | CanvasCommandComponentRemove | CanvasCommandComponentMove | CanvasCommandComponentResize | CanvasCommandViewSave | CanvasCommandViewLoad | CanvasCommandViewDelete | CanvasCommandCanvasClear | CanvasCommandSettingsUpdate | CanvasCommandTriggerSet | CanvasCommandTriggerRemove | CanvasCommandBatch

#: A requested change to the board.
CanvasCommandInput: TypeAlias = CanvasCommandInputComponentCreate | CanvasCommandInputComponentUpdate | CanvasCommandInputComponentRemove | CanvasCommandInputComponentMove | CanvasCommandInputComponentResize | CanvasCommandInputViewSave | CanvasCommandInputViewLoad | CanvasCommandInputViewDelete | CanvasCommandInputCanvasClear | CanvasCommandInputSettingsUpdate | CanvasCommandInputTriggerSet | CanvasCommandInputTriggerRemove | CanvasCommandInputBatch

#: The data of a canvas, by their components.
CanvasData: TypeAlias = dict[str, ComponentData]

#: An event on a board.
CanvasEvent: TypeAlias = CanvasEventComponentClicked | CanvasEventComponentAction | CanvasEventComponentSelected | CanvasEventComponentError | CanvasEventComponentReady | CanvasEventLayoutChanged | CanvasEventViewLoaded | CanvasEventTriggerActivated | CanvasEventComponentAdded | CanvasEventComponentUpdated | CanvasEventComponentRemoved | CanvasEventViewSaved | CanvasEventViewDeleted | CanvasEventViewUpdated | CanvasEventSettingsUpdated | CanvasEventTriggerSet | CanvasEventTriggerRemoved

#: Names one canvas in its store.
CanvasId: TypeAlias = str

#: Whether a canvas exists.
CanvasStatus: TypeAlias = Literal['live', 'deleted', 'absent']

#: Names a change permanently, by the number of the entry that first made it.
ChangeNumber: TypeAlias = int

#: Names a client, which is a person's window.
ClientId: TypeAlias = str

#: A column of a table.
Column: TypeAlias = int | str

#: The fault of a refused command, in the order in which faults are checked.
CommandErrorCode: TypeAlias = Literal['COMPONENT_NOT_FOUND', 'VIEW_NOT_FOUND', 'TRIGGER_NOT_FOUND', 'TYPE_NOT_FOUND', 'CONFIG_VALIDATION_FAILED', 'INVALID_SIZE', 'INVALID_POSITION', 'COLLISION_DETECTED', 'UNKNOWN_SIMULATED_TIME', 'INVALID_BOARD', 'NOTHING_TO_UNDO', 'NOTHING_TO_REDO', 'HISTORY_CONFLICT', 'HISTORY_NOT_FOUND', 'BOARD_TOO_LARGE']

Comparison: TypeAlias = Literal['eq', 'ne', 'lt', 'le', 'gt', 'ge']

#: A capability of a component.
ComponentCapability: TypeAlias = Literal['interactive', 'refreshable', 'expandable', 'filterable', 'sortable', 'exportable']

#: A group of types.
ComponentCategory: TypeAlias = Literal['data', 'metric', 'timeline', 'utility']

#: Names a component, such as ``cmp_xyz789``.
ComponentId: TypeAlias = str

#: The aliases ``c1``, ``c2`` and so on of a conversation, in the order in which it learned of the components.
Aliases: TypeAlias = list[ComponentId]

#: When an action asks a person.
Confirm: TypeAlias = Literal['never', 'auto', 'always']

#: Names one conversation of a model about a canvas.
ConversationId: TypeAlias = str

#: A counter that can run out.
Counter: TypeAlias = Literal['epoch', 'fence', 'revision']

#: Code of a failed query.
DataErrorCode: TypeAlias = Literal['NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'NETWORK', 'TIMEOUT', 'INVALID_QUERY', 'SOURCE_UNAVAILABLE', 'UNKNOWN']

#: State of a component's data.
DataLoadingState: TypeAlias = DataLoadingStateIdle | DataLoadingStateLoading | DataLoadingStateReady | DataLoadingStateError | DataLoadingStateStale

#: State of a component's data.
DataLoadingStateInput: TypeAlias = DataLoadingStateInputIdle | DataLoadingStateInputLoading | DataLoadingStateInputReady | DataLoadingStateInputError | DataLoadingStateInputStale

#: Names a source of data, such as ``mock-github``.
DataSourceId: TypeAlias = str

#: The state of a component's data.
DataStatus: TypeAlias = Literal['ready', 'stale', 'error', 'frozen']

#: now, or a date and ||, then at most 8 steps: + or - with a number and a unit, or / with a unit to round down.
DateExpr: TypeAlias = str

#: The form in which the evaluated time is written.
DateFormat: TypeAlias = Literal['rfc3339', 'date', 'unix', 'unix_ms']

#: A day of the week.
DayOfWeek: TypeAlias = Literal['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

#: The difference between an expected and an actual line.
Difference: TypeAlias = Literal['LINE_ENDING', 'TRAILING_SPACE', 'INDENTATION', 'WHITESPACE', 'CASE', 'INVISIBLE', 'DIFF_MARKER', 'LINE_NUMBER', 'HTML_ESCAPED', 'PART_OF_LINE', 'ELIDED', 'LEFT_OUT', 'EXTRA', 'END_OF_TEXT', 'CONTENT']

#: A cause that keeps a replay from producing data.
DriftCode: TypeAlias = Literal['TOOL_GONE', 'CONTRACT_CHANGED', 'PERMISSION_GONE', 'CALL_FAILED', 'MAPPING_FAILED', 'UPSTREAM', 'VERSION_MISMATCH', 'FROZEN', 'NOT_IN_RECIPE']

#: Error returned when a policy refuses an edit.
EditPolicyError: TypeAlias = EditPolicyErrorScope | EditPolicyErrorOutOfScope | EditPolicyErrorProtected | EditPolicyErrorUnclosedFence | EditPolicyErrorUnintendedHeading | EditPolicyErrorFrontMatter | EditPolicyErrorSideEffect

#: Kind of an entry.
EntryKind: TypeAlias = Literal['edit', 'undo', 'redo', 'revert', 'effect']

#: Numbers the entries of a canvas's journal in the order in which they were made, counted from 1.
EntryNumber: TypeAlias = int

#: Names one execution of an action.
EventId: TypeAlias = str

#: The limit that a ``TOO_LARGE`` exceeds; see ``Limits``.
ExceededLimit: TypeAlias = Literal['DOCUMENT', 'RESULT', 'PATCH', 'HUNKS']

#: A part of a canvas that changes by its own commands.
Face: TypeAlias = Literal['document', 'board', 'surface', 'recipe', 'data', 'proposals']

#: The fit of a patch for an older text in the current document.
Fits: TypeAlias = Literal['untouched', 'touched']

#: The next message to the conversation brings the whole document.
Forgotten: TypeAlias = dict[str, Json]

Function: TypeAlias = Literal['count', 'sum', 'min', 'max', 'avg', 'first', 'last', 'distinct']

#: Error returned when a query cannot be run.
GrepError: TypeAlias = Literal['empty'] | GrepErrorNewline | GrepErrorTooLong | GrepErrorTooComplex | GrepErrorTooCostly | GrepErrorMalformed

#: Behaviour if a component without a position does not fit in the visible rows.
GridPolicy: TypeAlias = Literal['grow', 'reject', 'best_effort']

#: A request to the history.
HistoryAction: TypeAlias = HistoryActionHistoryUndo | HistoryActionHistoryRedo | HistoryActionHistoryClear

#: The history cannot undo or redo a change.
HistoryRefusal: TypeAlias = HistoryRefusalUserActed | HistoryRefusalHistoryEmpty | HistoryRefusalNothingToUndo | HistoryRefusalNothingToRedo | HistoryRefusalEditNotFound | HistoryRefusalNotOwnChange | HistoryRefusalHistoryNotFound | HistoryRefusalHistoryConflict | HistoryRefusalEffectConflict | HistoryRefusalPolicyWidening | HistoryRefusalStateTooLarge | HistoryRefusalHistoryTooDeep | HistoryRefusalFaceNotSupported | HistoryRefusalHistoryDamaged

#: Names a refresh job of a spec, such as ``pollLogs``.
JobId: TypeAlias = str

#: The blake3 hash of a JSON text, shown as 64 hexadecimal digits.
JsonHash: TypeAlias = str

#: An operation of RFC 6902 in a diff.
JsonPatchOperation: TypeAlias = JsonPatchOperationAdd | JsonPatchOperationRemove | JsonPatchOperationReplace

#: A JSON Pointer (RFC 6901), such as ``/rows/0/price``.
JsonPointer: TypeAlias = str

#: Kind of a layout change.
LayoutChange: TypeAlias = Literal['moved', 'resized', 'pinned', 'unpinned']

#: Refusals of the holder of a lease.
LeaseRefusal: TypeAlias = LeaseRefusalStaleEpoch | LeaseRefusalNotOwned | LeaseRefusalExpired | LeaseRefusalTooManyCalls

#: Refusals of calls under a lease without changes of content, which are ``Renew``, ``CheckIn`` and ``Read``.
HolderRefusal: TypeAlias = CallRefusal | LeaseRefusal

#: A counter or a size is at its limit.
LimitRefusal: TypeAlias = LimitRefusalExhausted | LimitRefusalTooLarge | LimitRefusalTooManyParts | LimitRefusalTooManyProposals | LimitRefusalProposalsTooLarge

#: Refusals of ``Edit``.
EditRefusal: TypeAlias = CallRefusal | LimitRefusal | StaleEdit

#: Error returned if lines are not replaced.
LinesRefusal: TypeAlias = LinesRefusalContentChanged | LinesRefusalNoSuchLines | LinesRefusalOverlap | LinesRefusalNoEffect

#: The ``status`` of a ``DataLoadingState``.
LoadingStatus: TypeAlias = Literal['idle', 'loading', 'ready', 'error', 'stale']

#: A change of the lock, after which a user interface redraws it.
LockEvent: TypeAlias = Literal['locked', 'handed_over', 'unlocked', 'taken_over']

#: A mapping as its author writes it.
MappingSpec: TypeAlias = MappingSpecComponent | MappingSpecState

#: The number of matches of a query in a text.
MatchCount: TypeAlias = MatchCountMatches | MatchCountLines

#: Refusals of a new board.
NewBoardRefusal: TypeAlias = NewBoardRefusalBoardExists | NewBoardRefusalInvalidBoard

#: Refusals of ``CreateBoard``.
CreateBoardRefusal: TypeAlias = CallRefusal | NewBoardRefusal | LimitRefusal

#: Another lease is valid, or the turn is over.
NotAvailable: TypeAlias = NotAvailableHeld | NotAvailableUserActive

#: Refusals of ``RunBoardCommand``, except those by the board itself.
BoardCommandRefusal: TypeAlias = CallRefusal | NotAvailable | BoardRefusal | LimitRefusal

#: Refusals of ``CheckOut``.
CheckOutRefusal: TypeAlias = CallRefusal | NotAvailable | LimitRefusal

#: Behaviour if another component is at the requested place.
OnCollision: TypeAlias = Literal['reject', 'shift']

Operand: TypeAlias = Json

Operation: TypeAlias = OperationFilter | OperationSort | OperationLimit | OperationSelect | OperationAggregate

#: Operations, done one after the other.
Operations: TypeAlias = list[Operation]

#: The person or the conversation whose proposal it is.
Owner: TypeAlias = OwnerPerson | OwnerConversation

#: A part of the text between a heading and the next heading, counted from 1 in order of appearance.
Part: TypeAlias = Literal['body'] | PartItem | PartFence | PartParagraph | PartTable

#: Names a part.
PartId: TypeAlias = str

#: Whether a part can be accepted.
PartState: TypeAlias = Literal['pending', 'stale']

#: A patch does not apply.
PatchRefusal: TypeAlias = ApplyError | PatchRefusalEditRefused | PatchRefusalNotLocated

#: Refusals of ``ApplyPatch``.
ApplyPatchRefusal: TypeAlias = CallRefusal | LeaseRefusal | NotAvailable | BaseRefusal | PatchRefusal | LimitRefusal

#: Refusals of ``EditStructure``.
EditStructureRefusal: TypeAlias = CallRefusal | LeaseRefusal | NotAvailable | BaseRefusal | StaleEdit | StructureRefusal | PatchRefusal | LimitRefusal

#: Refusals of ``HostEdit``.
HostEditRefusal: TypeAlias = CallRefusal | NotAvailable | BaseRefusal | PatchRefusal | LimitRefusal

#: The opaque name of a person.
PersonId: TypeAlias = str

#: Origin of a component's position.
PlacementReason: TypeAlias = Literal['requested', 'auto_placed', 'shifted', 'best_effort']

#: Effect of a trigger that is due.
ProactiveMode: TypeAlias = Literal['suggest', 'auto', 'off']

#: Whether a draft became the artefact.
Promotion: TypeAlias = Literal['promoted', 'unchanged', 'stale_epoch']

#: A proposal or a decision is refused.
ProposalRefusal: TypeAlias = ProposalRefusalProposalNotFound | ProposalRefusalPartNotFound | ProposalRefusalPartStale | ProposalRefusalPartChanged | ProposalRefusalDecidedTwice | ProposalRefusalDecisionByModel | ProposalRefusalNoteTooLong | ProposalRefusalReasonTooLong

#: The first 12 hexadecimal digits of the blake3 hash of some lines, terminators included.
RangeHash: TypeAlias = str

#: Reason for refusing a hunk, or the patch as a whole.
Reason: TypeAlias = Literal['NO_HUNKS', 'BAD_HEADER', 'BAD_LINE', 'UNEXPECTED_TEXT', 'MULTI_FILE', 'TRUNCATED', 'ESCAPED_NEWLINES', 'COUNT_MISMATCH', 'START_MISMATCH', 'EOF_MARKER', 'MISORDERED', 'OVERLAP', 'CONTEXT_MISMATCH', 'NOT_FOUND', 'OUTDATED', 'AMBIGUOUS', 'NO_ANCHOR', 'NO_EFFECT', 'TOO_LARGE']

#: Code of a fault in a recipe, or in the data that it is replayed on.
RecipeCode: TypeAlias = Literal['RECIPE_INVALID', 'EXPR_INVALID', 'MAPPING_FAILED', 'VERSION_MISMATCH']

#: A refusal of a command on recipes, which left the canvas unchanged.
RecipeRefusal: TypeAlias = RecipeRefusalRecipeNotFound | RecipeRefusalRecipeReplaced | RecipeRefusalRecipeDamaged | RecipeRefusalStaleRecipe | RecipeRefusalRecipeRefused

#: Refusals of commands on recipes.
RecipeCommandRefusal: TypeAlias = CallRefusal | NotAvailable | RecipeRefusal | LimitRefusal

#: Half of the grid.
Region: TypeAlias = Literal['top', 'bottom', 'left', 'right']

#: A fault of arithmetic or form that anchored mode repairs.
RepairKind: TypeAlias = Literal['FENCE_REMOVED', 'FILE_HEADER_IGNORED', 'BARE_HEADER', 'COUNTS_CORRECTED', 'MOVED', 'BLANK_CONTEXT', 'BLANK_ADDED', 'SEPARATOR_DROPPED', 'EOL_ADAPTED', 'EOF_MARKER_IGNORED', 'REBASED', 'MISSING_FINAL_NEWLINE']

#: Refusals of ``ReplaceLines``.
ReplaceLinesRefusal: TypeAlias = CallRefusal | LeaseRefusal | NotAvailable | BaseRefusal | LinesRefusal | PatchRefusal | LimitRefusal

#: Restores an earlier state.
Restore: TypeAlias = RestoreComponentRestore | RestoreViewRestore | RestoreCanvasRestore

#: A command in the history.
Recorded: TypeAlias = CanvasCommand | Restore

#: Counts committed changes of a canvas's content.
Revision: TypeAlias = int

#: A revision in the form for models and hosts, ``r<number>-<first 8 hex digits of the content hash>``.
RevisionId: TypeAlias = str

#: The revision that a call was made for, named by its id or only by its number.
Base: TypeAlias = RevisionId | Revision

#: The author of a change, as journals and boards store it.
Role: TypeAlias = Literal['user', 'assistant']

#: The five stages in which models get access to canvases.
Rollout: TypeAlias = Literal['off', 'read_only', 'write', 'lease_optional', 'lease_enforced']

#: Names one replay of a recipe.
RunId: TypeAlias = str

#: Names a session of an agent, such as ``agent:main:main``.
SessionKey: TypeAlias = str

#: The use of a text argument by its tool.
Sink: TypeAlias = Literal['text', 'prompt', 'html', 'url', 'path', 'shell', 'regex', 'sql']

SortDirection: TypeAlias = Literal['asc', 'desc']

#: Whether a piece of a redline is in the document, in the proposed text, or in both.
SpanKind: TypeAlias = Literal['keep', 'insert', 'delete']

#: A part of a spec that is valid but probably a mistake.
SpecWarningCode: TypeAlias = Literal['TOOL_NOT_FOUND', 'TOOL_NOT_ALLOWED', 'TOOL_UNUSED', 'CONFIRM_IGNORED', 'ACTION_UNBOUND', 'JOB_DISABLED', 'SAVE_PREFIXED', 'SAVE_UNREACHABLE', 'STATE_NO_OBJECT']

#: The reason that a user's changes do not fit the document.
StaleCause: TypeAlias = StaleCauseConflict | StaleCauseUnknownBase | StaleCauseOutOfReach

#: A target that a replay could not refresh.
StaleTarget: TypeAlias = StaleTargetComponent | StaleTargetReason

#: Operations on a state, all or nothing.
StatePatch: TypeAlias = list[JsonPatchOperation]

#: A path of names between dots.
StatePath: TypeAlias = str

#: A JSON Pointer into a state, as patches and lists of changes write it: ``/rollout/steps/0``.
StatePointer: TypeAlias = str

#: Names a step of a recipe, such as ``orders``.
StepId: TypeAlias = str

#: Error returned when a ``StructureEdit`` is not made.
StructureError: TypeAlias = Literal['no_effect'] | StructureErrorAddress | StructureErrorMoveIntoItself | StructureErrorLevelOutOfRange | StructureErrorValue | StructureErrorTableShape | StructureErrorCountDiffers | StructureErrorSpilled

#: An alternative to writing a refused patch again.
Suggestion: TypeAlias = Literal['already_applied'] | SuggestionRebased

#: Level of detail of a summary.
SummarizationLevel: TypeAlias = Literal['minimal', 'condensed', 'full']

#: The author of a request to a surface.
SurfaceActor: TypeAlias = SurfaceActorClientId | SurfaceActorSessionKey

#: Code of a faulty request to a surface.
SurfaceCode: TypeAlias = Literal['SURFACE_NOT_FOUND', 'SPEC_INVALID', 'TEMPLATE_INVALID', 'TEMPLATE_MISSING', 'TEMPLATE_SINK_FORBIDDEN', 'VALUE_REFUSED', 'REVISION_CONFLICT', 'ACTION_NOT_FOUND', 'TOOL_NOT_ALLOWED', 'TOOL_NOT_FOUND', 'ARGUMENTS_REFUSED', 'CONFIRMATION_REQUIRED', 'CONFIRM_STALE', 'POLICY_WIDENING', 'SESSION_NOT_ALLOWED', 'PATCH_FAILED', 'UNSUPPORTED_OP', 'STATE_TOO_LARGE', 'STATE_PATH', 'SAVE_CONFLICT', 'TOOL_FAILED', 'TOOL_TIMEOUT', 'ACTION_IN_PROGRESS', 'ACTION_LOST', 'TOO_MANY_RUNNING', 'INVALID_PATH', 'ASSET_NOT_FOUND']

#: The kinds of events, which clients receive by name.
SurfaceEventKind: TypeAlias = Literal['canvas.updated', 'canvas.view.updated', 'canvas.action.started', 'canvas.action.finished', 'canvas.action.failed']

#: A file of a surface that is replaced as a whole.
SurfaceFile: TypeAlias = Literal['descriptor', 'spec', 'assets']

#: Presentation mode of a surface.
SurfaceMode: TypeAlias = Literal['html']

#: A refusal of a request to a surface.
SurfaceRefusal: TypeAlias = SurfaceRefusalSurfaceNotFound | SurfaceRefusalSurfaceExists | SurfaceRefusalSurfaceDamaged | SurfaceRefusalStaleSurface | SurfaceRefusalSpecInvalid | SurfaceRefusalConfirmationRequired | SurfaceRefusalConfirmStale | SurfaceRefusalActionInProgress | SurfaceRefusalActionLost | SurfaceRefusalTooManyRunning | SurfaceRefusalEventNotFound | SurfaceRefusalSurfaceRefused

#: Refusals of commands on a surface.
SurfaceCommandRefusal: TypeAlias = CallRefusal | NotAvailable | SurfaceRefusal | LimitRefusal

#: The receiver of a mapped value, either a component by its id, or a place of the surface's state.
Target: TypeAlias = TargetComponent | TargetState

#: A colour theme.
Theme: TypeAlias = Literal['light', 'dark', 'system']

#: A part of the day.
TimeOfDay: TypeAlias = Literal['early_morning', 'morning', 'mid_day', 'afternoon', 'evening', 'night']

#: Names a tool of the host, such as ``server-a__Bash``.
ToolName: TypeAlias = str

#: Names a trigger, such as ``trigger_jkl345``.
TriggerId: TypeAlias = str

#: The occasion on which a trigger is due.
TriggerType: TypeAlias = Literal['session_start', 'time_based']

#: Names a type of components, such as ``github.pr-list``.
TypeId: TypeAlias = str

#: Names an entry of the history, such as ``undo_ghi012``.
UndoId: TypeAlias = str

#: Refusals of ``Undo`` and ``Redo``.
UndoRefusal: TypeAlias = CallRefusal | LeaseRefusal | NotAvailable | HistoryRefusal | ProposalRefusal | BoardRefusal | PatchRefusal | LimitRefusal

#: An act of a person by hand.
UserAction: TypeAlias = UserActionUserMove | UserActionUserResize | UserActionUserDismiss | UserActionUserPin | UserActionUserRefresh | UserActionUserUndo | UserActionUserRedo

#: The code of a ``ValidationFailedError``.
ValidationFailedCode: TypeAlias = Literal['VALIDATION_FAILED']

#: A reason why a value is refused.
ValueFault: TypeAlias = Literal['title', 'cell', 'cells', 'key', 'yaml', 'item', 'task', 'tab', 'shared_line', 'destination', 'empty', 'too_long']

#: Names a value of the state or the input: ``state.service``, ``input.steps.0``.
ValuePath: TypeAlias = str

#: Names one state of a canvas's row in its store.
Version: TypeAlias = str

#: The label of a ``NamedVersion``, unique on its canvas.
VersionLabel: TypeAlias = str

#: A command on named versions is refused.
VersionRefusal: TypeAlias = VersionRefusalVersionExists | VersionRefusalVersionNotFound | VersionRefusalTooManyVersions | VersionRefusalVersionNoteTooLong | VersionRefusalVersionByModel | VersionRefusalDocumentNotFound | VersionRefusalNothingToRestore | VersionRefusalVersionsDamaged

#: Refusals of ``Restore``.
RestoreRefusal: TypeAlias = CallRefusal | VersionRefusal | HistoryRefusal | LimitRefusal

#: Refusals of ``NameVersion``, ``RenameVersion`` and ``RemoveVersion``.
VersionCommandRefusal: TypeAlias = CallRefusal | VersionRefusal

#: Names a saved view, such as ``view_def456``.
ViewId: TypeAlias = str

#: The session or part of a day in which a trigger is due only once.
Window: TypeAlias = WindowSession | WindowPart

#: The way in which conversations and people work on one canvas.
WorkMode: TypeAlias = Literal['exclusive', 'collaborative']

#: Names a workspace, such as ``ws_abc123``.
WorkspaceId: TypeAlias = str
