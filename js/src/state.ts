/**
 * `fold`: the next state of a turn, from the last one and an envelope. The twin of `nbharness/state/fold.py`; both are
 * held to the same files in tests/golden.
 *
 * It takes any events in any order. What the turn's order forbids is kept where it can be shown (an end without a start
 * makes a tool item) and dropped where it cannot (an answer to an approval that nobody asked for).
 */

import { type EventType, knownEvent, type WireEnvelope } from "./envelope";
import type {
  ApprovalRequired,
  ApprovalUpdated,
  EventData,
  MessageDelta,
  MessageQueued,
  MessageThinking,
  MessageUser,
  MessageWithdrawn,
  PlanApproved,
  PlanProposed,
  PlanRejected,
  QuestionAnswered,
  QuestionAsked,
  SessionStarted,
  SessionUpdated,
  TodosUpdated,
  ToolDelta,
  ToolEnd,
  ToolStart,
  TurnAborted,
  TurnCompleted,
  TurnFailed,
  TurnStarted,
  WorkspaceChanged,
} from "./events.gen";
import { EMPTY_TURN, type Item, type ItemKind, type ItemOf, type ToolItem, type TurnState } from "./items";

/** A state under construction: its own list, but the items in it are still replaced, never changed. */
type Draft = { -readonly [K in Exclude<keyof TurnState, "items">]: TurnState[K] } & {
  items: Item[];
  places: Places;
};

/** Where the newest item of each kind and id is; made when it is first needed. */
type Places = Map<string, number> | null;

/** Returns the state after one more envelope; one that is already in `state`, by its seq, changes nothing. */
export function fold(state: TurnState, envelope: WireEnvelope): TurnState {
  return foldAll([envelope], state);
}

/** Returns the state after many envelopes in order of seq: the same as folding them one by one, in less time. */
export function foldAll(envelopes: Iterable<WireEnvelope>, state: TurnState = EMPTY_TURN): TurnState {
  const { places, ...draft } = drafted(envelopes, state);
  return draft;
}

function drafted(envelopes: Iterable<WireEnvelope>, state: TurnState): Draft {
  const draft: Draft = { ...state, items: [...state.items], places: null };
  for (const envelope of envelopes) {
    if (envelope.seq <= draft.lastSeq) continue;
    draft.lastSeq = envelope.seq;
    draft.turnId = envelope.turnId;
    const event = knownEvent(envelope);
    if (event) apply(draft, event, envelope.at);
    else add(draft, { kind: "unknown", type: envelope.type, raw: envelope.data ?? null });
  }
  return draft;
}

/** What each event does to the draft. One that the schema has and this table lacks does not compile. */
const STEPS: { readonly [T in EventType]: (draft: Draft, data: EventData[T], at: number) => void } = {
  "turn.started": turnStarted,
  "session.started": sessionStarted,
  "session.updated": sessionUpdated,
  "message.user": messageUser,
  "message.queued": messageQueued,
  "message.withdrawn": messageWithdrawn,
  "message.delta": messageDelta,
  "message.thinking": thinking,
  "tool.start": toolStart,
  "tool.delta": toolDelta,
  "tool.end": toolEnd,
  "approval.required": approvalRequired,
  "approval.updated": approvalUpdated,
  "question.asked": questionAsked,
  "question.answered": questionAnswered,
  "plan.proposed": planProposed,
  "plan.approved": (draft, data, at) => planDecided(draft, data, "approved", "", at),
  "plan.rejected": (draft, data, at) => planDecided(draft, data, "rejected", data.reason ?? "", at),
  "todos.updated": todosUpdated,
  "usage.updated": (draft, { usage }) => {
    draft.usage = usage;
  },
  "workspace.changed": workspaceChanged,
  notice: (draft, { level = "info", message }) => notice(draft, level, message, ""),
  error: (draft, { error, code = "" }) => notice(draft, "error", error, code),
  "turn.completed": turnCompleted,
  "turn.failed": turnFailed,
  "turn.aborted": turnAborted,
};

function apply<T extends EventType>(draft: Draft, event: { type: T; data: EventData[T] }, at: number): void {
  STEPS[event.type](draft, event.data, at);
}

function turnStarted(draft: Draft, data: TurnStarted, at: number): void {
  draft.status = "running";
  draft.prompt = data.prompt ?? draft.prompt;
  draft.agent = data.agent ?? draft.agent;
  draft.definition = data.definition ?? draft.definition;
  draft.model = data.model ?? draft.model;
  draft.approvalMode = data.approvalMode ?? draft.approvalMode;
  draft.planMode = data.planMode ?? draft.planMode;
  draft.workspace = data.workspace ?? draft.workspace;
  draft.conversationId = data.conversationId ?? draft.conversationId;
  draft.capabilities = data.capabilities ?? draft.capabilities;
  draft.startedAt = at;
}

function sessionStarted(draft: Draft, { sessionId, model }: SessionStarted): void {
  draft.sessionId = sessionId;
  draft.model = model ?? draft.model;
}

function sessionUpdated(draft: Draft, data: SessionUpdated): void {
  draft.mode = data.mode ?? draft.mode;
  draft.modes = data.modes ?? draft.modes;
  draft.model = data.model ?? draft.model;
  draft.models = data.models ?? draft.models;
  draft.commands = data.commands ?? draft.commands;
  draft.title = data.title ?? draft.title;
}

function messageQueued(draft: Draft, { id, text }: MessageQueued): void {
  draft.queued = [...draft.queued, { id, text }];
}

function messageWithdrawn(draft: Draft, { id }: MessageWithdrawn): void {
  draft.queued = draft.queued.filter((queued) => queued.id !== id);
}

function messageUser(draft: Draft, { id, text }: MessageUser): void {
  if (id !== undefined) draft.queued = draft.queued.filter((queued) => queued.id !== id);
  add(draft, { kind: "message", role: "user", text, messageId: "", parentId: "" });
}

function messageDelta(draft: Draft, { delta, messageId, parentId = "" }: MessageDelta): void {
  const last = draft.items.at(-1);
  const isOpen = last?.kind === "message" && last.role === "agent" && last.parentId === parentId;
  if (isOpen && (messageId ?? last.messageId) === last.messageId) {
    draft.items[draft.items.length - 1] = { ...last, text: last.text + delta };
    return;
  }
  add(draft, { kind: "message", role: "agent", text: delta, messageId: messageId ?? "", parentId });
}

function thinking(draft: Draft, { delta, parentId = "" }: MessageThinking, at: number): void {
  const last = draft.items.at(-1);
  if (last?.kind === "thinking" && last.parentId === parentId) {
    draft.items[draft.items.length - 1] = { ...last, text: last.text + delta, endedAt: at };
    return;
  }
  add(draft, { kind: "thinking", text: delta, parentId, startedAt: at, endedAt: at });
}

function toolStart(draft: Draft, data: ToolStart, at: number): void {
  const { id, name, args, parentId = "", kind: toolKind = null, title = "" } = data;
  updateTool(draft, id, name, at, () => ({ name, args, parentId, toolKind, title }));
}

function toolDelta(draft: Draft, { id, name, partial }: ToolDelta, at: number): void {
  updateTool(draft, id, name, at, (tool) => ({ stream: tool.stream + partial }));
}

function toolEnd(draft: Draft, data: ToolEnd, at: number): void {
  updateTool(draft, data.id, data.name, at, () => ({
    status: data.isError ? "failed" : "ok",
    output: data.output,
    exitCode: data.exitCode ?? null,
    diffs: data.diffs ?? [],
    durationMs: data.durationMs,
    synthetic: data.synthetic ?? false,
    endedAt: at,
  }));
}

/** Changes the tool item with that id, after adding one if there is none. */
function updateTool(
  draft: Draft,
  id: string,
  name: string,
  at: number,
  change: (tool: ToolItem) => Partial<ToolItem>,
): void {
  const place = find(draft, "tool", id);
  const tool = place < 0 ? newTool(id, name, at) : (draft.items[place] as ToolItem);
  const changed = { ...tool, ...change(tool) };
  if (place < 0) add(draft, changed);
  else draft.items[place] = changed;
}

function newTool(id: string, name: string, at: number): ToolItem {
  return {
    kind: "tool",
    id,
    name,
    args: null,
    parentId: "",
    status: "running",
    stream: "",
    output: null,
    exitCode: null,
    diffs: [],
    durationMs: null,
    synthetic: false,
    startedAt: at,
    endedAt: null,
    approvalId: "",
    toolKind: null,
    title: "",
  };
}

function approvalRequired(draft: Draft, data: ApprovalRequired, at: number): void {
  const { id, toolName, args, message, autoApprovable, toolCallId = "" } = data;
  add(draft, {
    kind: "approval",
    id,
    toolName,
    args,
    message,
    autoApprovable,
    toolCallId,
    argsHash: data.argsHash ?? "",
    choices: data.choices ?? [],
    diffs: data.diffs ?? [],
    warnings: data.warnings ?? [],
    status: "pending",
    by: "",
    reason: "",
    editedArgs: null,
    edited: false,
    toolKind: data.kind ?? null,
    options: data.options ?? [],
    optionId: "",
    askedAt: at,
    decidedAt: null,
  });
  if (toolCallId !== "") update(draft, find(draft, "tool", toolCallId), "tool", { approvalId: id });
}

function approvalUpdated(draft: Draft, data: ApprovalUpdated, at: number): void {
  update(draft, find(draft, "approval", data.id), "approval", {
    status: data.status,
    by: data.by ?? "",
    reason: data.reason ?? "",
    editedArgs: data.args ?? null,
    edited: data.args !== undefined,
    optionId: data.optionId ?? "",
    decidedAt: at,
  });
}

function questionAsked(draft: Draft, { id, questions }: QuestionAsked, at: number): void {
  const complete = questions.map((question) => ({
    ...question,
    options: question.options ?? [],
    multiple: question.multiple ?? false,
    freeText: question.freeText ?? true,
    secret: question.secret ?? false,
  }));
  add(draft, {
    kind: "question",
    id,
    questions: complete,
    status: "pending",
    answers: {},
    by: "",
    askedAt: at,
    decidedAt: null,
  });
}

function questionAnswered(
  draft: Draft,
  { id, status, answers, by = "" }: QuestionAnswered,
  at: number,
): void {
  update(draft, find(draft, "question", id), "question", {
    status,
    answers: answers ?? {},
    by,
    decidedAt: at,
  });
}

function planProposed(draft: Draft, { plan, id = "", planHash = "" }: PlanProposed, at: number): void {
  add(draft, {
    kind: "plan",
    id,
    plan,
    planHash,
    status: "proposed",
    by: "",
    reason: "",
    proposedPlan: plan,
    askedAt: at,
    decidedAt: null,
  });
}

function planDecided(
  draft: Draft,
  { id = "", plan, by = "" }: PlanApproved | PlanRejected,
  status: "approved" | "rejected",
  reason: string,
  at: number,
): void {
  if (find(draft, "plan", id) < 0) planProposed(draft, { plan, id }, at);
  update(draft, find(draft, "plan", id), "plan", { status, plan, by, reason, decidedAt: at });
}

function todosUpdated(draft: Draft, { todos }: TodosUpdated): void {
  const complete = todos.map(({ content, status }) => ({ content, status: status ?? "pending" }));
  const place = find(draft, "todos");
  if (place < 0) add(draft, { kind: "todos", todos: complete });
  else update(draft, place, "todos", { todos: complete });
}

function notice(draft: Draft, level: "info" | "warning" | "error", message: string, code: string): void {
  add(draft, { kind: "notice", level, message, code });
}

function workspaceChanged(draft: Draft, data: WorkspaceChanged): void {
  add(draft, {
    kind: "changes",
    diffs: data.diffs,
    files: data.files ?? 0,
    added: data.added ?? 0,
    removed: data.removed ?? 0,
    ignored: data.ignored ?? [],
    nested: data.nested ?? [],
    staleModules: data.staleModules ?? [],
    undoable: data.undoable ?? false,
  });
}

function turnCompleted(draft: Draft, { response, usage, metadata }: TurnCompleted, at: number): void {
  draft.status = "completed";
  draft.response = response;
  draft.metadata = metadata ?? draft.metadata;
  draft.usage = usage ?? draft.usage;
  draft.endedAt = at;
}

function turnFailed(draft: Draft, { error, code, retryAfter, usage }: TurnFailed, at: number): void {
  draft.status = "failed";
  draft.error = error;
  draft.code = code ?? draft.code;
  draft.retryAfter = retryAfter ?? draft.retryAfter;
  draft.usage = usage ?? draft.usage;
  draft.endedAt = at;
}

function turnAborted(draft: Draft, { reason, code, usage }: TurnAborted, at: number): void {
  draft.status = "aborted";
  draft.error = reason ?? draft.error;
  draft.code = code ?? draft.code;
  draft.usage = usage ?? draft.usage;
  draft.endedAt = at;
}

/** Puts a new item at the end. */
function add(draft: Draft, item: Item): void {
  if (draft.places) note(draft.places, item, draft.items.length);
  draft.items.push(item);
}

/** Returns the place of the newest item of that kind and id, or -1; for a plan, `""` means any. */
function find(draft: Draft, kind: "tool" | "approval" | "question" | "plan" | "todos", id = ""): number {
  if (!draft.places) {
    draft.places = new Map();
    for (const [place, item] of draft.items.entries()) note(draft.places, item, place);
  }
  return draft.places.get(`${kind} ${id}`) ?? -1;
}

function note(places: Map<string, number>, item: Item, place: number): void {
  if (item.kind === "todos" || item.kind === "plan") places.set(`${item.kind} `, place);
  if ("id" in item) {
    places.set(`${item.kind} ${item.id}`, place);
  }
}

function update<K extends ItemKind>(draft: Draft, place: number, kind: K, change: Partial<ItemOf<K>>): void {
  const item = draft.items[place];
  if (item?.kind === kind) draft.items[place] = { ...item, ...change };
}
