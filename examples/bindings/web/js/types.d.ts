// Shapes of arguments and results, from the JSON Schemas of the engine.
// Made by `cargo run -p canvas-examples --example schemas -- --pages`.

/** What JSON holds. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** What a directive does. */
export type Action = "insert" | "replace" | "annotate" | "patch";

/** The end of an action. */
export interface ActionEnded {
  changedPaths?: StatePointer[];
  failure?: SurfaceFault;
  record: AuditRecord;
  revision: Revision;
  saved: boolean;
  unsaved?: SurfaceFault;
}

/** Names an action of a spec, such as `deploy`. */
export type ActionId = string;

/** Outcome of an action. */
export type ActionOutcome = "finished" | "failed" | "timedOut" | "lost";

/** Parameters of `canvas.action`. */
export interface ActionParams {
  actionId?: ActionId | null;
  binding?: BindingName | null;
  canvasId: CanvasId;
  confirmation?: Confirmation | null;
  expectedRevision?: Revision | null;
  input?: Json;
}

/** An action in the form that its author writes. */
export type ActionSpec =
  | { args?: { [name: string]: Json }; confirm?: Confirm; kind: "tool.call"; required?: ValuePath[]; saveAs?: StatePath | null; timeoutMs?: number | null; tool: ToolName }
  | { confirm?: Confirm; kind: "session.send"; message: string; required?: ValuePath[]; saveAs?: StatePath | null; sessionKey?: SessionKey | null }
  | { kind: "state.patch"; patch: StatePatch };

/** A person, a conversation of a model, or the host, if it made a change happen. */
export type Actor = { person: PersonId } | { conversation: ConversationId; turn: number } | { host: boolean };

/** Error returned when an address does not lead to a place in the text. */
export type AddressError =
  | { invalid_range: { end: number; line_count: number; start: number } }
  | "no_front_matter"
  | "no_preamble"
  | { no_such_section: { nearest: Candidate[]; path: string[] } }
  | { no_such_ordinal: { candidates: Candidate[]; ordinal: number; path: string[]; total: number } }
  | { no_such_part: { available: number; part: Part; section: Candidate | null } }
  | { no_such_block: { available: number; part: Part } }
  | { no_such_list: { available: number; list: number } }
  | { no_such_row: { available: number; row: number } }
  | { no_such_column: { column: Column; headers: string[] } }
  | { ambiguous_column: { columns: number[]; header: string } }
  | { no_such_key: { key: string; keys: string[]; line: number | null } }
  | { ambiguous_key: { key: string; lines: number[] } }
  | { front_matter_unsupported: { line: number; what: string } }
  | { no_such_footnote: { label: string; labels: string[] } }
  | { ambiguous: { candidates: Candidate[]; path: string[]; total: number } }
  | { no_such_hit: { lines: number[]; ordinal: number | null; total: number } }
  | { ambiguous_hit: { lines: number[]; total: number } }
  | { query: GrepError };

/** Names an agent, whose surfaces its sessions see. */
export type AgentId = string;

/** The fields that every error has. */
export interface AgenticCanvasError {
  code: string;
  message: string;
  requestId?: string;
  timestamp: number;
}

/** The aliases `c1`, `c2` and so on of a conversation, in the order in which it learned of the components. */
export type Aliases = ComponentId[];

/** Result of an applied patch. */
export interface AppliedPatch {
  changes?: Changes;
  expires_at?: number;
  lines?: QuotedLine[];
  proposed?: ProposedParts;
  repairs: Repair[];
  retaken?: string;
  revision: RevisionId;
  spans: LineSpan[];
  summary: Summary;
}

/** Error returned when a patch is refused. */
export interface ApplyError {
  conflicts: Conflict[];
  remedy?: Suggestion;
}

/** Refusals of `ApplyPatch`. */
export type ApplyPatchRefusal = CallRefusal | LeaseRefusal | NotAvailable | BaseRefusal | PatchRefusal | LimitRefusal;

/** The content of an asset. */
export type AssetContent = string | EncodedBytes;

/** The path of an asset: `assets/index.html`. */
export type AssetPath = string;

/** The record of a finished execution of an action. */
export interface AuditRecord {
  actionId: ActionId;
  actor: SurfaceActor;
  argsDigest: JsonHash;
  endedAt: number;
  eventId: EventId;
  jobId?: JobId;
  outcome: ActionOutcome;
  sessionKey?: SessionKey;
  startedAt: number;
  summary: string;
  tool?: ToolName;
}

/** The revision that a call was made for, named by its id or only by its number. */
export type Base = RevisionId | Revision;

/** The document differs from the base of a call. */
export type BaseRefusal = StaleBase;

/** Runs several commands as one history entry, which applies completely or has no effect. */
export interface Batch {
  commands: CanvasCommand[];
  description: string;
}

/** Result of a batch. */
export interface BatchCommandResult {
  error?: CommandError;
  explanation: string;
  results: CommandResult[];
  success: boolean;
  undoId: string;
}

/** Runs several commands as one history entry, which applies completely or has no effect. */
export interface BatchInput {
  commands: CanvasCommandInput[];
  description: string;
}

/** Names something on the screen that triggers an action, such as `buttons.deployNow`. */
export type BindingName = string;

/** Rule that derives a binding from a config. */
export interface BindingRule {
  params: string[];
  query: string;
  refreshInterval?: number | null;
  source: DataSourceId;
}

/** Refusals of `RunBoardCommand`, except those by the board itself. */
export type BoardCommandRefusal = CallRefusal | NotAvailable | BoardRefusal | LimitRefusal;

/** The answer to a command on the board. */
export interface BoardCommandRun {
  events?: CanvasEvent[];
  result: BoardResult;
  revision: RevisionId;
}

/** The answer to `CreateBoard`. */
export interface BoardCreated {
  revision: RevisionId;
}

/** The board is missing, unreadable or newer than the command. */
export type BoardRefusal =
  | { refusal: "no_board" }
  | { refusal: "board_damaged" }
  | { base: Revision; current: Revision; refusal: "stale_board" };

/** The answer to a command. */
export type BoardResult = BatchCommandResult | CommandResult;

/** A rectangle of cells, such as those covered by a component. */
export interface Bounds {
  position: Position;
  size: Size;
}

/** Refusals of any call. */
export type CallRefusal =
  | { refusal: "disabled"; rollout: Rollout }
  | { refusal: "git_mode" }
  | { refusal: "call_id_reused" }
  | { refusal: "proposals_damaged" }
  | { refusal: "abandoned" };

/** A section that may have been meant. */
export interface Candidate {
  heading_line: number;
  path: string[];
}

/** A grid with its components, oldest first. */
export interface Canvas {
  components: ComponentInstance[];
  grid: GridConfig;
}

/** A requested change to the board. */
export type CanvasCommand =
  | { payload: CreateComponent; type: "component.create" }
  | { payload: UpdateComponent; type: "component.update" }
  | { payload: RemoveComponent; type: "component.remove" }
  | { payload: MoveComponent; type: "component.move" }
  | { payload: ResizeComponent; type: "component.resize" }
  | { payload: SaveView; type: "view.save" }
  | { payload: LoadView; type: "view.load" }
  | { payload: DeleteView; type: "view.delete" }
  | { payload: ClearCanvas; type: "canvas.clear" }
  | { payload: SettingsUpdate; type: "settings.update" }
  | { payload: SetTrigger; type: "trigger.set" }
  | { payload: RemoveTrigger; type: "trigger.remove" }
  | { payload: Batch; type: "batch" };

/** A requested change to the board. */
export type CanvasCommandInput =
  | { payload: CreateComponentInput; type: "component.create" }
  | { payload: UpdateComponentInput; type: "component.update" }
  | { payload: RemoveComponent; type: "component.remove" }
  | { payload: MoveComponent; type: "component.move" }
  | { payload: ResizeComponent; type: "component.resize" }
  | { payload: SaveViewInput; type: "view.save" }
  | { payload: LoadView; type: "view.load" }
  | { payload: DeleteView; type: "view.delete" }
  | { payload: ClearCanvas; type: "canvas.clear" }
  | { payload: SettingsUpdate; type: "settings.update" }
  | { payload: SetTriggerInput; type: "trigger.set" }
  | { payload: RemoveTrigger; type: "trigger.remove" }
  | { payload: BatchInput; type: "batch" };

/** The view of a board for a model. */
export interface CanvasContext {
  budget: ContextBudget;
  components: ComponentSummary[];
  temporal: TemporalContext;
  workspace: WorkspaceContext;
}

/** The data of a canvas, by their components. */
export type CanvasData = { [name: string]: ComponentData };

/** An event on a board. */
export type CanvasEvent =
  | { payload: { componentId: ComponentId; data?: Json; elementId?: string }; type: "component.clicked" }
  | { payload: { actionId: string; componentId: ComponentId; context?: Json; params?: Json }; type: "component.action" }
  | { payload: { componentId: ComponentId; selectedItems: SelectedItem[] }; type: "component.selected" }
  | { payload: { componentId: ComponentId; error: DataError }; type: "component.error" }
  | { payload: { componentId: ComponentId; highlights: string[]; summary: string }; type: "component.ready" }
  | { payload: { changeType: LayoutChange; componentId: ComponentId; newBounds: Bounds }; type: "layout.changed" }
  | { payload: { viewId: ViewId; viewName: string }; type: "view.loaded" }
  | { payload: { suggestedViewId?: ViewId; triggerId: TriggerId; triggerName: string }; type: "trigger.activated" }
  | { payload: { componentId: ComponentId; needsData: boolean }; type: "component.added" }
  | { payload: { componentId: ComponentId; needsData: boolean }; type: "component.updated" }
  | { payload: { componentId: ComponentId }; type: "component.removed" }
  | { payload: { viewId: ViewId; viewName: string }; type: "view.saved" }
  | { payload: { viewId: ViewId }; type: "view.deleted" }
  | { payload: { viewId: ViewId }; type: "view.updated" }
  | { payload: { settings: SettingsUpdate }; type: "settings.updated" }
  | { payload: { triggerId: TriggerId }; type: "trigger.set" }
  | { payload: { triggerId: TriggerId }; type: "trigger.removed" };

/** Names one canvas in its store. */
export type CanvasId = string;

/** A grid with its components, oldest first. */
export interface CanvasInput {
  components: ComponentInstanceInput[];
  grid: GridConfig;
}

/** Parameters of methods that only name a surface. */
export interface CanvasParams {
  canvasId: CanvasId;
}

/** A spec in the form that its author writes. */
export interface CanvasSpec {
  actions?: { [name: string]: ActionSpec };
  bindings?: { [name: string]: ActionId };
  mode: SurfaceMode;
  refresh?: RefreshSpec[];
  state?: Json;
  toolPolicy?: ToolPolicy;
  version: number;
}

/** Whether a canvas exists. */
export type CanvasStatus = "live" | "deleted" | "absent";

/** Names a change permanently, by the number of the entry that first made it. */
export type ChangeNumber = number;

/** A place of `{data, state}` changed by a replay. */
export interface ChangedPlace {
  missing?: string[];
  outcome: number;
  path: string;
  replaces: boolean;
}

/** Changes to a document between two revisions. */
export interface Changes {
  diff: string | null;
  from?: RevisionId;
  headings?: Headings;
  to: RevisionId;
  whole?: string;
}

/** Refusals of `CheckOut`. */
export type CheckOutRefusal = CallRefusal | NotAvailable | LimitRefusal;

/** Result of `CheckIn`. */
export interface CheckedIn {
  released: boolean;
  revision: RevisionId;
}

/** Result of `CheckOut`. */
export interface CheckedOut {
  epoch: number;
  expires_at: number;
  lease: string;
  revision: RevisionId;
}

/** Removes all components. */
export interface ClearCanvas {
  preservePinned: boolean;
}

/** Names a client, which is a person's window. */
export type ClientId = string;

/** Names of two characters that look alike. */
export interface CodePoints {
  actual: string;
  expected: string;
}

/** A column of a table. */
export type Column = number | string;

/** Error of a refused command, which leaves the board unchanged. */
export interface CommandError {
  candidates?: string[];
  code: CommandErrorCode;
  collidingIds?: ComponentId[];
  componentId?: ComponentId;
  corrected?: CanvasCommand;
  errors?: ValidationError[];
  freePositions?: Position[];
  message: string;
  place?: string;
}

/** The fault of a refused command, in the order in which faults are checked. */
export type CommandErrorCode =
  | "COMPONENT_NOT_FOUND"
  | "VIEW_NOT_FOUND"
  | "TRIGGER_NOT_FOUND"
  | "TYPE_NOT_FOUND"
  | "CONFIG_VALIDATION_FAILED"
  | "INVALID_SIZE"
  | "INVALID_POSITION"
  | "COLLISION_DETECTED"
  | "UNKNOWN_SIMULATED_TIME"
  | "INVALID_BOARD"
  | "NOTHING_TO_UNDO"
  | "NOTHING_TO_REDO"
  | "HISTORY_CONFLICT"
  | "HISTORY_NOT_FOUND"
  | "BOARD_TOO_LARGE";

/** A command was refused. */
export interface CommandExecutionError {
  code: CommandErrorCode;
  command: CanvasCommand;
  componentId?: ComponentId;
  message: string;
  requestId?: string;
  timestamp: number;
}

/** Result of one command. */
export interface CommandResult {
  affectedComponentIds: ComponentId[];
  error?: CommandError;
  explanation: string;
  placement?: PlacementResult;
  success: boolean;
  undoId: string;
  warnings?: string[];
}

export type Comparison = "eq" | "ne" | "lt" | "le" | "gt" | "ge";

/** An action of a component. */
export interface ComponentActionDefinition {
  actionId: string;
  description: string;
  icon?: string | null;
  label: string;
  params?: Json;
  requiresSelection?: boolean | null;
}

/** A capability of a component. */
export type ComponentCapability =
  | "interactive"
  | "refreshable"
  | "expandable"
  | "filterable"
  | "sortable"
  | "exportable";

/** A group of types. */
export type ComponentCategory = "data" | "metric" | "timeline" | "utility";

/** The data that a canvas has for one component. */
export interface ComponentData {
  asOf?: number;
  data?: Json;
  reason?: Drift;
  status: DataStatus;
}

/** A type of components. */
export interface ComponentDefinition {
  actions?: ComponentActionDefinition[];
  bindingRule?: BindingRule | null;
  capabilities?: ComponentCapability[];
  category: ComponentCategory;
  configSchema: Json;
  dataBindingSchema?: Json;
  defaultConfig?: { [name: string]: Json };
  defaultSize: Size;
  description: string;
  maxSize: Size;
  minSize: Size;
  name: string;
  typeId: TypeId;
  version?: number;
}

/** Names a component, such as `cmp_xyz789`. */
export type ComponentId = string;

/** A component as documents and bindings exchange it. */
export interface ComponentInstance {
  config: { [name: string]: Json };
  dataBinding: DataBinding | null;
  dataState: DataLoadingState;
  id: ComponentId;
  meta: ComponentMeta;
  position: Position;
  size: Size;
  typeId: TypeId;
}

/** A component as documents and bindings exchange it. */
export interface ComponentInstanceInput {
  config: { [name: string]: Json };
  dataBinding?: DataBindingInput | null;
  dataState?: DataLoadingStateInput;
  id: ComponentId;
  meta: ComponentMetaInput;
  position: Position;
  size: Size;
  typeId: TypeId;
}

/** Author of a component, and its pin and label. */
export interface ComponentMeta {
  createdAt: number;
  createdBy: Role;
  label?: string;
  pinned: boolean;
}

/** Author of a component, and its pin and label. */
export interface ComponentMetaInput {
  createdAt: number;
  createdBy: Role;
  label?: string | null;
  pinned: boolean;
}

/** The view of a component for a model. */
export interface ComponentSummary {
  actions: string[];
  category: ComponentCategory;
  highlights: string[];
  id: ComponentId;
  position: Position;
  size: Size;
  stateStatus: LoadingStatus;
  summary: string;
  typeId: TypeId;
  typeName: string;
}

export interface Computed {
  fn: Function;
  path?: JsonPointer;
}

/** When an action asks a person. */
export type Confirm = "never" | "auto" | "always";

/** A person's consent to a `ConfirmationPrompt`. */
export interface Confirmation {
  digest: JsonHash;
  plannedAt: number;
}

/** Prompt that shows a person exactly what would run. */
export interface ConfirmationPrompt {
  args: Json;
  digest: JsonHash;
  expiresAt: number;
  plannedAt: number;
  sessionKey?: SessionKey;
  tool?: ToolName;
  words?: string[];
}

/** One reason why a patch cannot be applied. */
export interface Conflict {
  actual?: string;
  candidates?: number[];
  code_points?: CodePoints;
  column?: number;
  difference?: Difference;
  expected?: string;
  hunk: number;
  limit?: ExceededLimit;
  line?: number;
  nearby?: QuotedLine[];
  patch_line: number;
  places?: Place[];
  present_at?: number;
  reason: Reason;
  unread?: number;
}

/** Limits and usage of a context. */
export interface ContextBudget {
  maxComponents: number;
  maxTokens: number;
  summarizationLevel: SummarizationLevel;
  usedTokens: number;
}

/** Names one conversation of a model about a canvas. */
export type ConversationId = string;

/** A counter that can run out. */
export type Counter = "epoch" | "fence" | "revision";

/** Refusals of `CreateBoard`. */
export type CreateBoardRefusal = CallRefusal | NewBoardRefusal | LimitRefusal;

/** Adds a component. */
export interface CreateComponent {
  config: Json;
  dataBinding?: DataBinding;
  hints?: PlacementHints;
  meta?: PartialMeta;
  onCollision?: OnCollision;
  position?: Position;
  size?: Size;
  typeId: TypeId;
}

/** Adds a component. */
export interface CreateComponentInput {
  config?: Json;
  dataBinding?: DataBindingInput | null;
  hints?: PlacementHintsInput | null;
  meta?: PartialMetaInput | null;
  onCollision?: OnCollision;
  position?: Position | null;
  size?: Size | null;
  typeId: TypeId;
}

/** Parameters of `canvas.create`. */
export interface CreateParams {
  agentId?: AgentId | null;
  assets?: { [name: string]: AssetContent };
  canvasId: CanvasId;
  entryAsset?: string | null;
  ownerSessionKey?: SessionKey | null;
  spec: Json;
  title?: string | null;
}

/** Binding of a component to the query for its data. */
export interface DataBinding {
  query: DataQuery;
  refreshInterval: number | null;
  source: DataSourceId;
}

/** Binding of a component to the query for its data. */
export interface DataBindingInput {
  query: DataQuery;
  refreshInterval?: number | null;
  source: DataSourceId;
}

/** Error of a data source. */
export interface DataError {
  code: DataErrorCode;
  message: string;
  retryAfter?: number;
  retryable: boolean;
  source: DataSourceId;
}

/** Code of a failed query. */
export type DataErrorCode =
  | "NOT_FOUND"
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "RATE_LIMITED"
  | "NETWORK"
  | "TIMEOUT"
  | "INVALID_QUERY"
  | "SOURCE_UNAVAILABLE"
  | "UNKNOWN";

/** Error of a data source. */
export interface DataErrorInput {
  code: DataErrorCode;
  message: string;
  retryAfter?: number | null;
  retryable: boolean;
  source: DataSourceId;
}

/** A source gave no data. */
export interface DataFetchError {
  code: DataErrorCode;
  message: string;
  query: DataQuery;
  requestId?: string;
  retryable: boolean;
  source: DataSourceId;
  timestamp: number;
}

/** State of a component's data. */
export type DataLoadingState =
  | { status: "idle" }
  | { startedAt: number; status: "loading" }
  | { data: Json; fetchedAt: number; status: "ready" }
  | { attemptedAt: number; error: DataError; status: "error" }
  | { data: Json; fetchedAt: number; status: "stale" };

/** State of a component's data. */
export type DataLoadingStateInput =
  | { status: "idle" }
  | { startedAt: number; status: "loading" }
  | { data: Json; fetchedAt: number; status: "ready" }
  | { attemptedAt: number; error: DataErrorInput; status: "error" }
  | { data: Json; fetchedAt: number; status: "stale" };

/** Origin of data, and the time for which they are fresh. */
export interface DataMeta {
  fetchedAt: number;
  pagination?: PaginationMeta | null;
  query: DataQuery;
  source: DataSourceId;
  stale: boolean;
  ttl: number;
}

/** A query to a data source. */
export interface DataQuery {
  params: { [name: string]: Json };
  type: string;
}

/** A response of a source. */
export interface DataResult {
  data: Json;
  meta: DataMeta;
}

/** Names a source of data, such as `mock-github`. */
export type DataSourceId = string;

/** The state of a component's data. */
export type DataStatus = "ready" | "stale" | "error" | "frozen";

/** now, or a date and ||, then at most 8 steps: + or - with a number and a unit, or / with a unit to round down. */
export type DateExpr = string;

/** The form in which the evaluated time is written. */
export type DateFormat = "rfc3339" | "date" | "unix" | "unix_ms";

/** A time expression in the place of a value. */
export interface DateParameter {
  "$date": DateExpr;
  as?: DateFormat;
}

/** A day of the week. */
export type DayOfWeek = "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";

/** Parameters of `canvas.delete`. */
export interface DeleteParams {
  canvasId: CanvasId;
  expectedRevision?: Revision | null;
}

/** Deletes a saved view. */
export interface DeleteView {
  viewId: ViewId;
}

/** Description of a surface for clients. */
export interface Descriptor {
  agentId: AgentId;
  canvasId: CanvasId;
  createdAt: number;
  entryAsset?: AssetPath;
  mode: SurfaceMode;
  ownerSessionKey: SessionKey;
  revision: Revision;
  title: string;
  updatedAt: number;
}

/** Some hunks of a diff. */
export interface DiffExcerpt {
  diff: string;
  left_out: number;
}

/** The difference between an expected and an actual line. */
export type Difference =
  | "LINE_ENDING"
  | "TRAILING_SPACE"
  | "INDENTATION"
  | "WHITESPACE"
  | "CASE"
  | "INVISIBLE"
  | "DIFF_MARKER"
  | "LINE_NUMBER"
  | "HTML_ESCAPED"
  | "PART_OF_LINE"
  | "ELIDED"
  | "LEFT_OUT"
  | "EXTRA"
  | "END_OF_TEXT"
  | "CONTENT";

/** The reason that a replay cannot produce some data. */
export interface Drift {
  code: DriftCode;
  message: string;
}

/** A cause that keeps a replay from producing data. */
export type DriftCode =
  | "TOOL_GONE"
  | "CONTRACT_CHANGED"
  | "PERMISSION_GONE"
  | "CALL_FAILED"
  | "MAPPING_FAILED"
  | "UPSTREAM"
  | "VERSION_MISMATCH"
  | "FROZEN"
  | "NOT_IN_RECIPE";

/** Error returned when a policy refuses an edit. */
export type EditPolicyError =
  | { scope: AddressError }
  | { out_of_scope: { line: number; scope: LineRange } }
  | { protected: { line: number; place: LineRange } }
  | { unclosed_fence: { line: number } }
  | { unintended_heading: { line: number; title: string } }
  | { front_matter: { made: boolean } }
  | { side_effect: { is_now: boolean; line: number } };

/** Refusals of `Edit`. */
export type EditRefusal = CallRefusal | LimitRefusal | StaleEdit;

/** Refusals of `EditStructure`. */
export type EditStructureRefusal =
  | CallRefusal
  | LeaseRefusal
  | NotAvailable
  | BaseRefusal
  | StaleEdit
  | StructureRefusal
  | PatchRefusal
  | LimitRefusal;

/** The answer to `Edit`. */
export interface Edited {
  epoch: number;
  merged?: MergedLine[];
  moved?: boolean;
  revision: RevisionId;
}

/** Bytes in JSON. */
export interface EncodedBytes {
  base64: string;
}

/** Kind of an entry. */
export type EntryKind = "edit" | "undo" | "redo" | "revert" | "effect";

/** Numbers the entries of a canvas's journal in the order in which they were made, counted from 1. */
export type EntryNumber = number;

/** Error in the form in which a host sends it to a client. */
export interface ErrorReport {
  code: string;
  message: string;
  reason?: string;
  retryable: boolean;
}

/** Offer to have a model record the recipe again, with the reasons and the message to send. */
export interface Escalation {
  components: ComponentId[];
  message: string;
  reasons: DriftCode[];
  state?: StatePointer[];
}

/** Names one execution of an action. */
export type EventId = string;

/** The limit that a `TOO_LARGE` exceeds; see `Limits`. */
export type ExceededLimit = "DOCUMENT" | "RESULT" | "PATCH" | "HUNKS";

/** A part of a canvas that changes by its own commands. */
export type Face = "document" | "board" | "surface" | "recipe" | "data" | "proposals";

/** The fit of a patch for an older text in the current document. */
export type Fits = "untouched" | "touched";

/** The next message to the conversation brings the whole document. */
export type Forgotten = { [name: string]: Json };

export type Function = "count" | "sum" | "min" | "max" | "avg" | "first" | "last" | "distinct";

/** Error returned when a query cannot be run. */
export type GrepError =
  | "empty"
  | { newline: { at: number } }
  | { too_long: { bytes: number; max: number } }
  | { too_complex: { max: number } }
  | { too_costly: { bytes: number; positions: number } }
  | { malformed: { at: number | null; message: string } };

/** Dimensions of a grid and of its cells. */
export interface GridConfig {
  cellHeight: number;
  cellWidth: number;
  columns: number;
  gap: number;
  rows: number;
}

/** Behaviour if a component without a position does not fit in the visible rows. */
export type GridPolicy = "grow" | "reject" | "best_effort";

/** The progress of a canvas, read from its head only. */
export interface HeadRevision {
  epoch: number;
  revision: Revision;
  revision_id: RevisionId;
  version: Version;
}

/** Heading of a text. */
export interface Heading {
  level: number;
  line: number;
  title: string;
}

/** Headings of a text, in order. */
export interface Headings {
  left_out: number;
  lines: number;
  listed: Heading[];
}

/** A request to the history. */
export type HistoryAction = { type: "history.undo" } | { type: "history.redo" } | { type: "history.clear" };

/** The answer to `ClearHistory`. */
export interface HistoryCleared {
  cleared: boolean;
  revision: RevisionId;
}

/** Summary of a journal entry. */
export interface HistoryEntry {
  author: Role;
  change: ChangeNumber;
  delta?: TextEdit[];
  kind: EntryKind;
  made_by?: Actor;
  number: EntryNumber;
  reverts?: ChangeNumber[];
  revision: Revision;
  summary: string;
  written_by?: Actor;
}

/** The answer to `Undo` and `Redo`. */
export interface HistoryMove {
  entries: HistoryEntry[];
  epoch: number;
  events?: CanvasEvent[];
  kept?: KeptChange[];
  revision: RevisionId;
}

/** The history cannot undo or redo a change. */
export type HistoryRefusal =
  | { refusal: "user_acted" }
  | { asked: number; available: number; refusal: "history_empty" }
  | { refusal: "nothing_to_undo" }
  | { refusal: "nothing_to_redo" }
  | { change: ChangeNumber; count: number; edit: number; refusal: "edit_not_found" }
  | { change: ChangeNumber; refusal: "not_own_change" }
  | { change: ChangeNumber; refusal: "history_not_found" }
  | { change: ChangeNumber; refusal: "history_conflict"; with: ChangeNumber }
  | { change: ChangeNumber; effect: EntryNumber; path: string; refusal: "effect_conflict" }
  | { change: ChangeNumber; refusal: "policy_widening" }
  | { bytes: number; limit: number; refusal: "state_too_large" }
  | { limit: number; refusal: "history_too_deep" }
  | { face: Face; refusal: "face_not_supported" }
  | { entry: EntryNumber; refusal: "history_damaged" };

/** The changes that can be undone and redone. */
export interface HistoryState {
  maxSize: number;
  redoStack: UndoEntry[];
  undoStack: UndoEntry[];
}

/** Refusals of calls under a lease without changes of content, which are `Renew`, `CheckIn` and `Read`. */
export type HolderRefusal = CallRefusal | LeaseRefusal;

/** Refusals of `HostEdit`. */
export type HostEditRefusal = CallRefusal | NotAvailable | BaseRefusal | PatchRefusal | LimitRefusal;

/** Result of `HostEdit`. */
export interface HostEdited {
  change?: ChangeNumber;
  previous: RevisionId;
  proposed?: ProposedParts;
  revision: RevisionId;
  summary: string;
}

/** The answer to `Cancel` and `TakeControl`. */
export interface Interrupted {
  epoch: number;
}

/** Names a refresh job of a spec, such as `pollLogs`. */
export type JobId = string;

/** The blake3 hash of a JSON text, shown as 64 hexadecimal digits. */
export type JsonHash = string;

/** An operation of RFC 6902 in a diff. */
export type JsonPatchOperation =
  | { op: "add"; path: string; value: Json }
  | { op: "remove"; path: string }
  | { op: "replace"; path: string; value: Json };

/** A JSON Pointer (RFC 6901), such as `/rows/0/price`. */
export type JsonPointer = string;

/** A selected change that stays in effect. */
export interface KeptChange {
  change: ChangeNumber;
  reason: string;
  with?: ChangeNumber;
}

/** Kind of a layout change. */
export type LayoutChange = "moved" | "resized" | "pinned" | "unpinned";

/** Refusals of the holder of a lease. */
export type LeaseRefusal =
  | { changes: Changes | null; current: number; refusal: "stale_epoch" }
  | { held_until?: number; over?: boolean; own?: string; refusal: "not_owned" }
  | { at: number; refusal: "expired" }
  | { limit: number; refusal: "too_many_calls" };

/** A counter or a size is at its limit. */
export type LimitRefusal =
  | { counter: Counter; refusal: "exhausted" }
  | { bytes: number; limit: number; refusal: "too_large" }
  | { limit: number; refusal: "too_many_parts" }
  | { limit: number; refusal: "too_many_proposals" }
  | { bytes: number; limit: number; refusal: "proposals_too_large" };

/** Lines `start` to `end`, counted from 1, both included. */
export interface LineRange {
  end: number;
  start: number;
}

/** Range of lines in the new text, from 1 and inclusive. */
export interface LineSpan {
  end_line: number;
  start_line: number;
}

/** The change that last wrote a line. */
export interface LineWriter {
  actor: Actor;
  at: number;
  author?: Actor;
  change: ChangeNumber;
  revision: Revision;
}

/** Current lines of the document. */
export interface LinesNow {
  end_line: number;
  named_line?: number;
  range_hash?: RangeHash;
  start_line: number;
  text: string;
  truncated: boolean;
}

/** Error returned if lines are not replaced. */
export type LinesRefusal =
  | { index?: number; lines: LinesNow; moved?: boolean; others?: LinesNow[]; refusal: "content_changed" }
  | { end: number; index?: number; refusal: "no_such_lines"; start: number; total_lines: number }
  | { line: number; refusal: "overlap" }
  | { refusal: "no_effect" };

/** Parameters of `canvas.list`. */
export interface ListParams {
  after?: CanvasId | null;
  agentId?: AgentId | null;
  limit?: number | null;
}

/** Replaces the canvas by a saved view. */
export interface LoadView {
  viewId: ViewId;
}

/** The `status` of a `DataLoadingState`. */
export type LoadingStatus = "idle" | "loading" | "ready" | "error" | "stale";

/** A change of the lock, after which a user interface redraws it. */
export type LockEvent = "locked" | "handed_over" | "unlocked" | "taken_over";

/** The lock of a canvas as a user interface shows it. */
export interface LockView {
  epoch: number;
  holder?: ConversationId;
  until?: number;
}

/** A mapping as its author writes it. */
export type MappingSpec =
  | { component: ComponentId; ops?: Operations; path?: JsonPointer; step: StepId }
  | { ops?: Operations; path?: JsonPointer; state: StatePointer; step: StepId };

/** The number of matches of a query in a text. */
export type MatchCount = { matches: number } | { lines: number };

/** A line that two people changed, each in other words. */
export interface MergedLine {
  line: number;
  mine: string;
  now: string;
  theirs: string;
}

/** The first line in which a hunk's pre-image and the text differ. */
export interface Mismatch {
  actual?: string;
  code_points?: CodePoints;
  column: number;
  difference: Difference;
  expected: string;
}

/** Moves a component. */
export interface MoveComponent {
  componentId: ComponentId;
  onCollision?: OnCollision;
  position: Position;
}

/** A revision of a canvas with a label, which is kept until somebody removes it. */
export interface NamedVersion {
  actor: Actor;
  at: number;
  label: VersionLabel;
  note?: string;
  revision: Revision;
  revision_id: RevisionId;
  tree?: { [name: string]: string };
}

/** One place at which a native call does not fit. */
export interface NativeConflict {
  actual?: string;
  candidates?: number[];
  code_points?: CodePoints;
  column?: number;
  difference?: Difference;
  expected?: string;
  hunk: number;
  line?: number;
  patch_line?: number;
  reason: string;
}

/** Refusals of a new board. */
export type NewBoardRefusal = { refusal: "board_exists" } | { message: string; refusal: "invalid_board" };

/** Component that a replay cannot refresh. */
export interface NonRefreshable {
  component: ComponentId;
  reason: string;
}

/** Another lease is valid, or the turn is over. */
export type NotAvailable = { own?: string; refusal: "held"; until: number } | { refusal: "user_active" };

/** A record with its number. */
export interface NumberedRecord {
  actionId: ActionId;
  actor: SurfaceActor;
  argsDigest: JsonHash;
  endedAt: number;
  eventId: EventId;
  jobId?: JobId;
  number: number;
  outcome: ActionOutcome;
  sessionKey?: SessionKey;
  startedAt: number;
  summary: string;
  tool?: ToolName;
}

/** Behaviour if another component is at the requested place. */
export type OnCollision = "reject" | "shift";

export type Operand = Json;

export type Operation =
  | { cmp: Comparison; op: "filter"; path: JsonPointer; value: Operand }
  | { by: SortKey[]; op: "sort" }
  | { count: number; op: "limit" }
  | { fields: { [name: string]: JsonPointer }; op: "select" }
  | { by?: { [name: string]: JsonPointer }; op: "aggregate"; values?: { [name: string]: Computed } };

/** Operations, done one after the other. */
export type Operations = Operation[];

/** A piece of a redline with the owner of its part. */
export interface OwnedSpan {
  kind: SpanKind;
  owner?: Owner;
  part?: PartId;
  text: string;
}

/** The person or the conversation whose proposal it is. */
export type Owner = { person: PersonId } | { conversation: ConversationId };

/** A page of a list. */
export interface PaginationMeta {
  hasMore: boolean;
  limit: number;
  offset: number;
  total: number;
}

/** A part of the text between a heading and the next heading, counted from 1 in order of appearance. */
export type Part = { item: number[] } | { fence: number } | { paragraph: number } | { table: TablePart } | "body";

/** Names a part. */
export type PartId = string;

/** Whether a part can be accepted. */
export type PartState = "pending" | "stale";

/** The content of a part, for people who decide. */
export interface PartView {
  after: string;
  before: string;
  end_line: number;
  id: PartId;
  reason?: string;
  start_line: number;
  state: PartState;
}

/** The part of `ComponentMeta` that a command can set. */
export interface PartialMeta {
  label?: string;
  pinned?: boolean;
}

/** The part of `ComponentMeta` that a command can set. */
export interface PartialMetaInput {
  label?: string | null;
  pinned?: boolean | null;
}

/** The answer to `DecideParts`. */
export interface PartsDecided {
  accepted: PartId[];
  rejected: PartId[];
  revision: RevisionId;
  stale: PartId[];
}

/** Parameters of `canvas.patch`. */
export interface PatchParams {
  canvasId: CanvasId;
  expectedRevision?: Revision | null;
  patch: Json;
}

/** A patch does not apply. */
export type PatchRefusal =
  | ApplyError
  | { error: EditPolicyError; refusal: "edit_refused" }
  | { lines: LineRange; refusal: "not_located" };

/** The opaque name of a person. */
export type PersonId = string;

/** One of several places where the pre-image of a hunk occurs. */
export interface Place {
  header?: string;
  heading?: string;
  last_line: number;
  line: number;
  nearby: QuotedLine[];
}

/** A component moved to make room, or placed elsewhere than in its saved view. */
export interface PlacementAdjustment {
  componentId: ComponentId;
  from: Position;
  reason: string;
  to: Position;
}

/** Preferred places for a component. */
export interface PlacementHints {
  nearComponentId?: ComponentId;
  preferredPosition?: Position;
  region?: Region;
}

/** Preferred places for a component. */
export interface PlacementHintsInput {
  nearComponentId?: ComponentId | null;
  preferredPosition?: Position | null;
  region?: Region | null;
}

/** Origin of a component's position. */
export type PlacementReason = "requested" | "auto_placed" | "shifted" | "best_effort";

/** Result of placing a component. */
export interface PlacementResult {
  adjustments?: PlacementAdjustment[];
  position: Position;
  reason: PlacementReason;
}

/** A cell of the grid. */
export interface Position {
  col: number;
  row: number;
}

/** Effect of a trigger that is due. */
export type ProactiveMode = "suggest" | "auto" | "off";

/** Something that suggests or loads a view when it is due. */
export interface ProactiveTrigger {
  description?: string;
  enabled: boolean;
  id: TriggerId;
  message?: string;
  name: string;
  simulatedTime?: string;
  type: TriggerType;
  viewId?: ViewId;
}

/** Something that suggests or loads a view when it is due. */
export interface ProactiveTriggerInput {
  description?: string | null;
  enabled: boolean;
  id: TriggerId;
  message?: string | null;
  name: string;
  simulatedTime?: string | null;
  type: TriggerType;
  viewId?: ViewId | null;
}

/** Whether a draft became the artefact. */
export type Promotion = "promoted" | "unchanged" | "stale_epoch";

/** All parts that one owner proposes. */
export interface Proposal {
  owner: Owner;
  parts: ProposedPart[];
}

/** A proposal or a decision is refused. */
export type ProposalRefusal =
  | { owner: Owner; refusal: "proposal_not_found" }
  | { part: PartId; refusal: "part_not_found" }
  | { part: PartId; refusal: "part_stale" }
  | { part: PartId; refusal: "part_changed" }
  | { part: PartId; refusal: "decided_twice" }
  | { refusal: "decision_by_model" }
  | { bytes: number; limit: number; refusal: "note_too_long" }
  | { bytes: number; limit: number; refusal: "reason_too_long" };

/** A document with pending parts. */
export interface ProposalText {
  left_out: PartId[];
  markdown: string;
}

/** The answer to `Propose`. */
export interface Proposed {
  parts: PartId[];
}

/** A part of a proposal. */
export interface ProposedPart {
  after: string;
  before: string;
  end_line: number;
  id: PartId;
  reason?: string;
  rejected_before?: RejectedBefore;
  start_line: number;
  state: PartState;
}

/** The parts of a proposal that an edit made or changed, which now wait for a decision. */
export interface ProposedParts {
  parts: PartId[];
  rejected_before?: { [name: string]: RejectedBefore };
}

/** The answer to `SetProtected`. */
export interface ProtectedSet {
  changed: boolean;
  unresolved: Json[];
}

/** A kind of query that a source understands. */
export interface QueryDefinition {
  description: string;
  paramsSchema: Json;
  resultSchema: Json;
  type: string;
}

/** A line of the document without its terminator. */
export interface QuotedLine {
  line: number;
  text: string;
}

/** The first 12 hexadecimal digits of the blake3 hash of some lines, terminators included. */
export type RangeHash = string;

/** Result of `Read`, which permits the caller to read the document. */
export interface Readable {
  expires_at?: number;
  revision: RevisionId;
}

/** Reason for refusing a hunk, or the patch as a whole. */
export type Reason =
  | "NO_HUNKS"
  | "BAD_HEADER"
  | "BAD_LINE"
  | "UNEXPECTED_TEXT"
  | "MULTI_FILE"
  | "TRUNCATED"
  | "ESCAPED_NEWLINES"
  | "COUNT_MISMATCH"
  | "START_MISMATCH"
  | "EOF_MARKER"
  | "MISORDERED"
  | "OVERLAP"
  | "CONTEXT_MISMATCH"
  | "NOT_FOUND"
  | "OUTDATED"
  | "AMBIGUOUS"
  | "NO_ANCHOR"
  | "NO_EFFECT"
  | "TOO_LARGE";

/** Code of a fault in a recipe, or in the data that it is replayed on. */
export type RecipeCode = "RECIPE_INVALID" | "EXPR_INVALID" | "MAPPING_FAILED" | "VERSION_MISMATCH";

/** Refusals of commands on recipes. */
export type RecipeCommandRefusal = CallRefusal | NotAvailable | RecipeRefusal | LimitRefusal;

/** The model's mapping of call results to data, and the arguments to compute at each replay. */
export interface RecipeDeclaration {
  mappings: MappingSpec[];
  params?: { [name: string]: { [name: string]: { [name: string]: Json } } };
  shown?: { [name: string]: Json };
  timezone?: string | null;
}

/** Fault at one place of a recipe. */
export interface RecipeFault {
  code: RecipeCode;
  message: string;
  place: string;
}

/** Result of recording a recipe. */
export interface RecipeRecorded {
  nonRefreshable: NonRefreshable[];
  recipe: string | null;
  revision: Revision;
}

/** A refusal of a command on recipes, which left the canvas unchanged. */
export type RecipeRefusal =
  | { refusal: "recipe_not_found" }
  | { refusal: "recipe_replaced" }
  | { refusal: "recipe_damaged" }
  | { current: Revision; expected: Revision; refusal: "stale_recipe" }
  | { fault: RecipeFault; others?: RecipeFault[]; refusal: "recipe_refused" };

/** A recipe as its author writes it. */
export interface RecipeSpec {
  catalogue: number;
  composition?: Json;
  mappings: MappingSpec[];
  steps: StepSpec[];
  timezone?: string | null;
  version: number;
}

/** A command in the history. */
export type Recorded = CanvasCommand | Restore;

/** A tool call of a replay. */
export interface RecordedCall {
  failure?: Drift;
  params: Json;
  responseHash?: JsonHash;
  step: StepId;
  tool: ToolName;
}

/** A piece of a redline. */
export interface RedlineSpan {
  kind: SpanKind;
  part?: PartId;
  text: string;
}

/** A refresh job in the form that its author writes. */
export interface RefreshSpec {
  action: ActionId;
  enabled?: boolean;
  everyMs: number;
  id: JobId;
}

/** Half of the grid. */
export type Region = "top" | "bottom" | "left" | "right";

/** An earlier rejection of the same part. */
export interface RejectedBefore {
  note?: string;
}

/** A part that a person rejected since the owner's last message. */
export interface RejectedLines {
  end_line: number;
  note?: string;
  start_line: number;
}

/** Removes a component. */
export interface RemoveComponent {
  componentId: ComponentId;
}

/** Removes a trigger. */
export interface RemoveTrigger {
  triggerId: TriggerId;
}

/** Result of `Renew`. */
export interface Renewed {
  at_max_hold: boolean;
  expires_at: number;
  lease: string;
  revision: RevisionId;
}

/** Repair of a patch that leaves its content unchanged. */
export interface Repair {
  hunk: number;
  kind: RepairKind;
}

/** A fault of arithmetic or form that anchored mode repairs. */
export type RepairKind =
  | "FENCE_REMOVED"
  | "FILE_HEADER_IGNORED"
  | "BARE_HEADER"
  | "COUNTS_CORRECTED"
  | "MOVED"
  | "BLANK_CONTEXT"
  | "BLANK_ADDED"
  | "SEPARATOR_DROPPED"
  | "EOL_ADAPTED"
  | "EOF_MARKER_IGNORED"
  | "REBASED"
  | "MISSING_FINAL_NEWLINE";

/** Refusals of `ReplaceLines`. */
export type ReplaceLinesRefusal =
  | CallRefusal
  | LeaseRefusal
  | NotAvailable
  | BaseRefusal
  | LinesRefusal
  | PatchRefusal
  | LimitRefusal;

/** Result of a finished replay. */
export interface ReplayFinished {
  changed: ChangedPlace[];
  committed: boolean;
  refreshed: ComponentId[];
  revision: Revision;
  stale: StaleTarget[];
}

/** Resizes a component. */
export interface ResizeComponent {
  componentId: ComponentId;
  onCollision?: OnCollision;
  size: Size;
}

/** Restores an earlier state. */
export type Restore =
  | { payload: Json; type: "component.restore" }
  | { payload: Json; type: "view.restore" }
  | { payload: Json; type: "canvas.restore" };

/** Refusals of `Restore`. */
export type RestoreRefusal = CallRefusal | VersionRefusal | HistoryRefusal | LimitRefusal;

/** The answer to `Restore`. */
export interface Restored {
  changed: Face[];
  epoch: number;
  events?: CanvasEvent[];
  revision: RevisionId;
}

/** Counts committed changes of a canvas's content. */
export type Revision = number;

/** A revision in the form for models and hosts, `r<number>-<first 8 hex digits of the content hash>`. */
export type RevisionId = string;

/** The author of a change, as journals and boards store it. */
export type Role = "user" | "assistant";

/** The five stages in which models get access to canvases. */
export type Rollout = "off" | "read_only" | "write" | "lease_optional" | "lease_enforced";

/** Names one replay of a recipe. */
export type RunId = string;

/** The record of a finished replay. */
export interface RunRecord {
  calls: RecordedCall[];
  changed: ChangedPlace[];
  committed: boolean;
  components?: ComponentId[];
  dryRun: boolean;
  gone?: ComponentId[];
  now: number;
  patch: JsonPatchOperation[];
  recipe: string;
  refreshed: ComponentId[];
  revision: Revision;
  runId: RunId;
  skipped?: SkippedStep[];
  stale: StaleTarget[];
  timezone: string;
  tzdbVersion: string;
}

/** Saves the canvas as a view. */
export interface SaveView {
  description?: string;
  name: string;
  triggerIds?: TriggerId[];
}

/** Saves the canvas as a view. */
export interface SaveViewInput {
  description?: string | null;
  name: string;
  triggerIds?: TriggerId[] | null;
}

/** A selected item. */
export interface SelectedItem {
  data: Json;
  itemId: string;
}

/** Names a session of an agent, such as `agent:main:main`. */
export type SessionKey = string;

/** Adds a trigger after the others, or replaces the one with the same id in place. */
export interface SetTrigger {
  trigger: ProactiveTrigger;
}

/** Adds a trigger after the others, or replaces the one with the same id in place. */
export interface SetTriggerInput {
  trigger: ProactiveTriggerInput;
}

/** Settings of a workspace to change. */
export interface SettingsUpdate {
  defaultRefreshInterval?: number;
  grid?: GridConfig;
  proactiveMode?: ProactiveMode;
  theme?: Theme;
  voiceEnabled?: boolean;
}

/** The use of a text argument by its tool. */
export type Sink = "text" | "prompt" | "html" | "url" | "path" | "shell" | "regex" | "sql";

/** A width and a height in cells, read from JSON like `Position`. */
export interface Size {
  cols: number;
  rows: number;
}

/** A step without a call. */
export interface SkippedStep {
  reason: Drift;
  step: StepId;
}

export type SortDirection = "asc" | "desc";

export interface SortKey {
  dir?: SortDirection;
  path: JsonPointer;
}

/** Whether a piece of a redline is in the document, in the proposed text, or in both. */
export type SpanKind = "keep" | "insert" | "delete";

/** A warning about one place of a spec. */
export interface SpecWarning {
  code: SpecWarningCode;
  message: string;
  place: string;
}

/** A part of a spec that is valid but probably a mistake. */
export type SpecWarningCode =
  | "TOOL_NOT_FOUND"
  | "TOOL_NOT_ALLOWED"
  | "TOOL_UNUSED"
  | "CONFIRM_IGNORED"
  | "ACTION_UNBOUND"
  | "JOB_DISABLED"
  | "SAVE_PREFIXED"
  | "SAVE_UNREACHABLE"
  | "STATE_NO_OBJECT";

/** The changes that can be undone and redone. */
export interface Stacks {
  redo: HistoryEntry[];
  undo: HistoryEntry[];
}

/** The changes of the document since the base of a call. */
export interface StaleBase {
  already_applied?: boolean;
  base: Base | null;
  changes: Changes | null;
  fits?: Fits;
  near?: DiffExcerpt;
  rebased?: string;
  unknown?: boolean;
  up_to_date?: boolean;
}

/** The reason that a user's changes do not fit the document. */
export type StaleCause =
  | { kind: "conflict"; with: ChangeNumber }
  | { kind: "unknown_base" }
  | { kind: "out_of_reach" };

/** A user's edit with an older document as its base, and with changes that do not fit the current one. */
export interface StaleEdit {
  base: Base;
  cause: StaleCause;
  changes?: Changes;
  current: RevisionId;
  markdown: string;
}

/** A target that a replay could not refresh. */
export type StaleTarget =
  | { component: ComponentId; reason: Drift; status: DataStatus }
  | { reason: Drift; state: StatePointer; status: DataStatus };

/** A changed place of a state, with its value before and after. */
export interface StateChange {
  after?: Json;
  before?: Json;
  path: StatePointer;
}

/** Operations on a state, all or nothing. */
export type StatePatch = JsonPatchOperation[];

/** The state is as the patch wants it. */
export interface StatePatched {
  changedPaths: StatePointer[];
  revision: Revision;
}

/** A path of names between dots. */
export type StatePath = string;

/** A JSON Pointer into a state, as patches and lists of changes write it: `/rollout/steps/0`. */
export type StatePointer = string;

/** Names a step of a recipe, such as `orders`. */
export type StepId = string;

/** A call as its author writes it. */
export interface StepSpec {
  contract?: JsonHash | null;
  id: StepId;
  params?: { [name: string]: Json };
  tool: ToolName;
  toolVersion?: string | null;
}

/** Error returned when a `StructureEdit` is not made. */
export type StructureError =
  | { address: AddressError }
  | "no_effect"
  | { move_into_itself: { line: number } }
  | { level_out_of_range: { level: number; line: number } }
  | { value: ValueFault }
  | { table_shape: { line: number } }
  | { count_differs: { expected: MatchCount; found: number; lines: number[] } }
  | { spilled: EditPolicyError };

/** An edit of the structure is refused. */
export interface StructureRefusal {
  error: StructureError;
  refusal: "structure_rejected";
}

/** An alternative to writing a refused patch again. */
export type Suggestion = { rebased: string } | "already_applied";

/** Level of detail of a summary. */
export type SummarizationLevel = "minimal" | "condensed" | "full";

/** Lines added and removed, shown as `+120 −3, 2 hunks`. */
export interface Summary {
  added: number;
  hunks: number;
  removed: number;
}

/** The author of a request to a surface. */
export type SurfaceActor = { clientId: ClientId } | { sessionKey: SessionKey };

/** Code of a faulty request to a surface. */
export type SurfaceCode =
  | "SURFACE_NOT_FOUND"
  | "SPEC_INVALID"
  | "TEMPLATE_INVALID"
  | "TEMPLATE_MISSING"
  | "TEMPLATE_SINK_FORBIDDEN"
  | "VALUE_REFUSED"
  | "REVISION_CONFLICT"
  | "ACTION_NOT_FOUND"
  | "TOOL_NOT_ALLOWED"
  | "TOOL_NOT_FOUND"
  | "ARGUMENTS_REFUSED"
  | "CONFIRMATION_REQUIRED"
  | "CONFIRM_STALE"
  | "POLICY_WIDENING"
  | "SESSION_NOT_ALLOWED"
  | "PATCH_FAILED"
  | "UNSUPPORTED_OP"
  | "STATE_TOO_LARGE"
  | "STATE_PATH"
  | "SAVE_CONFLICT"
  | "TOOL_FAILED"
  | "TOOL_TIMEOUT"
  | "ACTION_IN_PROGRESS"
  | "ACTION_LOST"
  | "TOO_MANY_RUNNING"
  | "INVALID_PATH"
  | "ASSET_NOT_FOUND";

/** Refusals of commands on a surface. */
export type SurfaceCommandRefusal = CallRefusal | NotAvailable | SurfaceRefusal | LimitRefusal;

/** The answer to `CreateSurface`. */
export interface SurfaceCreated {
  descriptor: Descriptor;
}

/** A change of a surface, or a step of one of its actions. */
export interface SurfaceEvent {
  actionId?: ActionId;
  at: number;
  canvasId: CanvasId;
  changedPaths?: StatePointer[];
  event: SurfaceEventKind;
  eventId?: EventId;
  revision: Revision;
}

/** The kinds of events, which clients receive by name. */
export type SurfaceEventKind =
  | "canvas.updated"
  | "canvas.view.updated"
  | "canvas.action.started"
  | "canvas.action.finished"
  | "canvas.action.failed";

/** Fault at one place of a request, a spec or a patch. */
export interface SurfaceFault {
  code: SurfaceCode;
  message: string;
  place: string;
}

/** A file of a surface that is replaced as a whole. */
export type SurfaceFile = "descriptor" | "spec" | "assets";

/** Presentation mode of a surface. */
export type SurfaceMode = "html";

/** A refusal of a request to a surface. */
export type SurfaceRefusal =
  | { refusal: "surface_not_found" }
  | { refusal: "surface_exists" }
  | { refusal: "surface_damaged" }
  | { current: Revision; expected: Revision; refusal: "stale_surface" }
  | { faults: SurfaceFault[]; refusal: "spec_invalid" }
  | { prompt: ConfirmationPrompt; refusal: "confirmation_required" }
  | { refusal: "confirm_stale" }
  | { event: EventId; refusal: "action_in_progress"; until: number }
  | { event: EventId; refusal: "action_lost" }
  | { limit: number; refusal: "too_many_running" }
  | { event: EventId; refusal: "event_not_found" }
  | { fault: SurfaceFault; others?: SurfaceFault[]; refusal: "surface_refused" };

/** The answer to `UpsertSurface`. */
export interface SurfaceUpserted {
  created: boolean;
  descriptor: Descriptor;
}

/** A table, or a row, column or cell of one. */
export interface TablePart {
  column?: Column;
  row?: number;
  table: number;
}

/** The receiver of a mapped value, either a component by its id, or a place of the surface's state. */
export type Target = { component: ComponentId } | { state: StatePointer };

/** The user's local time, by the clock, the calendar and the user's plan of the day. */
export interface TemporalContext {
  dayOfWeek: DayOfWeek;
  isWorkHours: boolean;
  timeOfDay: TimeOfDay;
  timestamp: string;
  timezone: string;
}

/** A replacement in a text, located in the text before the replacement. */
export interface TextEdit {
  at: number;
  new: string;
  old: string;
}

/** A colour theme. */
export type Theme = "light" | "dark" | "system";

/** A part of the day. */
export type TimeOfDay = "early_morning" | "morning" | "mid_day" | "afternoon" | "evening" | "night";

/** Names a tool of the host, such as `server-a__Bash`. */
export type ToolName = string;

/** Tools available to the actions of a spec. */
export interface ToolPolicy {
  allow?: ToolName[];
}

/** Names a trigger, such as `trigger_jkl345`. */
export type TriggerId = string;

/** The triggers that fired already, each with its session or part of the day. */
export interface TriggerMemory {
  last: { [name: string]: Window };
}

/** The occasion on which a trigger is due. */
export type TriggerType = "session_start" | "time_based";

/** The answer to `SendMessage`. */
export interface TurnBegan {
  changes: Changes | null;
  promotion: Promotion;
  rejected?: RejectedLines[];
  start: TurnStart;
}

/** The answer to `EndTurn`. */
export interface TurnEnded {
  changes: Changes | null;
  promotion: Promotion;
  rejected?: RejectedLines[];
}

/** The point at which the running turn began. */
export interface TurnStart {
  epoch: number;
  revision: Revision;
}

/** Names a type of components, such as `github.pr-list`. */
export type TypeId = string;

/** A change that can be undone or redone. */
export interface UndoEntry {
  description: string;
  forward: Recorded;
  id: UndoId;
  inverse: Recorded;
  source: Role;
  timestamp: number;
}

/** Names an entry of the history, such as `undo_ghi012`. */
export type UndoId = string;

/** Refusals of `Undo` and `Redo`. */
export type UndoRefusal =
  | CallRefusal
  | LeaseRefusal
  | NotAvailable
  | HistoryRefusal
  | ProposalRefusal
  | BoardRefusal
  | PatchRefusal
  | LimitRefusal;

/** Changes the config of a component. */
export interface UpdateComponent {
  componentId: ComponentId;
  config?: Json;
  dataBinding?: DataBinding;
  meta?: PartialMeta;
}

/** Changes the config of a component. */
export interface UpdateComponentInput {
  componentId: ComponentId;
  config?: Json;
  dataBinding?: DataBindingInput | null;
  meta?: PartialMetaInput | null;
}

/** Parameters of `canvas.upsert`. */
export interface UpsertParams {
  assets?: { [name: string]: AssetContent | null };
  canvasId: CanvasId;
  expectedRevision?: Revision | null;
  spec?: Json;
  title?: string | null;
}

/** An act of a person by hand. */
export type UserAction =
  | { componentId: ComponentId; position: Position; type: "user.move" }
  | { componentId: ComponentId; size: Size; type: "user.resize" }
  | { componentId: ComponentId; type: "user.dismiss" }
  | { componentId: ComponentId; pinned: boolean; type: "user.pin" }
  | { componentId: ComponentId; type: "user.refresh" }
  | { type: "user.undo" }
  | { type: "user.redo" };

/** A fault that a schema finds in a value. */
export interface ValidationError {
  code: string;
  message: string;
  path: string;
}

/** The code of a `ValidationFailedError`. */
export type ValidationFailedCode = "VALIDATION_FAILED";

/** A config or a binding that does not fit its type. */
export interface ValidationFailedError {
  code: ValidationFailedCode;
  errors: ValidationError[];
  message: string;
  requestId?: string;
  timestamp: number;
}

/** Whether a config or a binding is what its type asks for. */
export interface ValidationResult {
  errors?: ValidationError[];
  valid: boolean;
}

/** A reason why a value is refused. */
export type ValueFault =
  | "title"
  | "cell"
  | "cells"
  | "key"
  | "yaml"
  | "item"
  | "task"
  | "tab"
  | "shared_line"
  | "destination"
  | "empty"
  | "too_long";

/** Names a value of the state or the input: `state.service`, `input.steps.0`. */
export type ValuePath = string;

/** Names one state of a canvas's row in its store. */
export type Version = string;

/** Refusals of `NameVersion`, `RenameVersion` and `RemoveVersion`. */
export type VersionCommandRefusal = CallRefusal | VersionRefusal;

/** The label of a `NamedVersion`, unique on its canvas. */
export type VersionLabel = string;

/** A command on named versions is refused. */
export type VersionRefusal =
  | { label: VersionLabel; refusal: "version_exists" }
  | { label: VersionLabel; refusal: "version_not_found" }
  | { limit: number; refusal: "too_many_versions" }
  | { bytes: number; limit: number; refusal: "version_note_too_long" }
  | { refusal: "version_by_model" }
  | { refusal: "document_not_found" }
  | { refusal: "nothing_to_restore" }
  | { refusal: "versions_damaged" };

/** A canvas saved under a name. */
export interface View {
  createdAt: number;
  description?: string;
  id: ViewId;
  name: string;
  snapshot: Canvas;
  triggerIds: TriggerId[];
}

/** Names a saved view, such as `view_def456`. */
export type ViewId = string;

/** A canvas saved under a name. */
export interface ViewInput {
  createdAt: number;
  description?: string | null;
  id: ViewId;
  name: string;
  snapshot: CanvasInput;
  triggerIds: TriggerId[];
}

/** A saved view that a command can load. */
export interface ViewSummary {
  componentCount: number;
  description?: string;
  id: ViewId;
  name: string;
}

/** The newest state of a watched canvas, with the changes since the watcher's last event. */
export interface WatchEvent {
  actor?: Actor;
  canvas: CanvasId;
  clock: number;
  faces: Face[];
  lock: LockView;
  made: boolean;
  missed: number;
  promoted: boolean;
  restored: boolean;
  revision?: Revision;
  revision_id?: RevisionId;
  status: CanvasStatus;
  version?: Version;
  versions: boolean;
}

/** The session or part of a day in which a trigger is due only once. */
export type Window = { session: string } | { part: { day: number; part: TimeOfDay } };

/** The answer to `Withdraw`. */
export interface Withdrawn {
  parts: PartId[];
}

/** The way in which conversations and people work on one canvas. */
export type WorkMode = "exclusive" | "collaborative";

/** The answer to `SetWorkMode`. */
export interface WorkModeSet {
  changed: boolean;
  epoch: number;
}

/** A complete board, as one JSON value. */
export interface Workspace {
  canvas: Canvas;
  createdAt: number;
  id: WorkspaceId;
  name: string;
  settings: WorkspaceSettings;
  threadId: string;
  triggers: ProactiveTrigger[];
  updatedAt: number;
  views: View[];
}

/** Workspace that contains the components. */
export interface WorkspaceContext {
  activeViewId: ViewId | null;
  componentCount: number;
  gridUtilization: number;
  id: WorkspaceId;
  name: string;
  savedViews: ViewSummary[];
}

/** Names a workspace, such as `ws_abc123`. */
export type WorkspaceId = string;

/** A complete board, as one JSON value. */
export interface WorkspaceInput {
  canvas: CanvasInput;
  createdAt: number;
  id: WorkspaceId;
  name: string;
  settings: WorkspaceSettings;
  threadId: string;
  triggers: ProactiveTriggerInput[];
  updatedAt: number;
  views: ViewInput[];
}

/** The user's preferences. */
export interface WorkspaceSettings {
  defaultRefreshInterval: number;
  grid: GridConfig;
  proactiveMode: ProactiveMode;
  theme: Theme;
  voiceEnabled: boolean;
}
