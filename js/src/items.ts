/**
 * The folded form of a turn: what `nbharness/state/items.py` writes as JSON, field for field.
 *
 * A text that nobody gave is `""`, a list that nobody gave is empty; `null` means not known or not yet. Instants are Unix
 * seconds of the kernel's clock. Values are never changed in place, so that two of them are equal if they are the same.
 */

import type {
  ApprovalChoice,
  ApprovalOption,
  ApprovalStatus,
  Choice,
  FileDiff,
  Question,
  SlashCommand,
  Todo,
  ToolKind,
  Usage,
} from "./events.gen";

/** A run of text by one speaker, with nothing else in between. */
export interface MessageItem {
  readonly kind: "message";
  readonly role: "agent" | "user";
  readonly text: string;
  readonly messageId: string;
  readonly parentId: string;
}

/** A run of the agent's reasoning. */
export interface ThinkingItem {
  readonly kind: "thinking";
  readonly text: string;
  readonly parentId: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** One tool call; when `output` is null after the end, `stream` is the output. */
export interface ToolItem {
  readonly kind: "tool";
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly parentId: string;
  readonly status: "running" | "ok" | "failed";
  readonly stream: string;
  readonly output: unknown;
  readonly exitCode: number | null;
  readonly diffs: readonly FileDiff[];
  readonly durationMs: number | null;
  readonly synthetic: boolean;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly approvalId: string;
  readonly toolKind: ToolKind | null;
  readonly title: string;
}

/** One question of the agent, and the answer. */
export interface ApprovalItem {
  readonly kind: "approval";
  readonly id: string;
  readonly toolName: string;
  readonly args: unknown;
  readonly message: string | null;
  readonly autoApprovable: boolean;
  readonly toolCallId: string;
  readonly argsHash: string;
  readonly choices: readonly ApprovalChoice[];
  readonly diffs: readonly FileDiff[];
  readonly warnings: readonly string[];
  readonly status: "pending" | ApprovalStatus;
  readonly by: string;
  readonly reason: string;
  readonly editedArgs: unknown;
  readonly edited: boolean;
  readonly toolKind: ToolKind | null;
  readonly options: readonly ApprovalOption[];
  readonly optionId: string;
  readonly askedAt: number;
  readonly decidedAt: number | null;
}

/** What the agent wants to know, and the answers. */
export interface QuestionItem {
  readonly kind: "question";
  readonly id: string;
  readonly questions: readonly Question[];
  readonly status: "pending" | "answered" | "skipped" | "cancelled";
  readonly answers: Readonly<Record<string, readonly string[]>>;
  readonly by: string;
  readonly askedAt: number;
  readonly decidedAt: number | null;
}

/** A plan that waits, or waited, for a yes or no. */
export interface PlanItem {
  readonly kind: "plan";
  readonly id: string;
  readonly plan: string;
  readonly planHash: string;
  readonly status: "proposed" | "approved" | "rejected";
  readonly by: string;
  readonly reason: string;
  readonly proposedPlan: string;
  readonly askedAt: number;
  readonly decidedAt: number | null;
}

/** The agent's checklist; one item a turn, which stays where it first appeared. */
export interface TodosItem {
  readonly kind: "todos";
  readonly todos: readonly Todo[];
}

/** What the turn changed in the workspace, by two snapshots of it. */
export interface ChangesItem {
  readonly kind: "changes";
  readonly diffs: readonly FileDiff[];
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  readonly ignored: readonly string[];
  readonly nested: readonly string[];
  readonly staleModules: readonly string[];
  readonly undoable: boolean;
}

/** Something the reader should know; a fault that the turn survived has level `error`. */
export interface NoticeItem {
  readonly kind: "notice";
  readonly level: "info" | "warning" | "error";
  readonly message: string;
  readonly code: string;
}

/** An event that this version cannot read, kept as it came. */
export interface UnknownItem {
  readonly kind: "unknown";
  readonly type: string;
  readonly raw: unknown;
}

export type Item =
  | MessageItem
  | ThinkingItem
  | ToolItem
  | ApprovalItem
  | QuestionItem
  | PlanItem
  | TodosItem
  | ChangesItem
  | NoticeItem
  | UnknownItem;

export type TurnStatus = "waiting" | "running" | "completed" | "failed" | "aborted";

/** A message of the user that waits for the agent to finish its answer. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
}

/** A turn as a reader sees it after some of its envelopes. */
export interface TurnState {
  readonly turnId: string;
  readonly status: TurnStatus;
  readonly prompt: string;
  readonly agent: string;
  /** Agent declared by the project that it works as. */
  readonly definition: string;
  readonly model: string;
  readonly approvalMode: string;
  readonly planMode: boolean;
  readonly workspace: string;
  readonly conversationId: string;
  readonly sessionId: string;
  readonly capabilities: readonly string[];
  readonly mode: string;
  readonly modes: readonly Choice[];
  readonly models: readonly Choice[];
  readonly commands: readonly SlashCommand[];
  readonly title: string;
  readonly queued: readonly QueuedMessage[];
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Place of the last envelope that is in here; -1 when there is none. */
  readonly lastSeq: number;
  readonly items: readonly Item[];
  readonly usage: Usage | null;
  readonly response: string | null;
  readonly error: string | null;
  readonly code: string | null;
  /** Seconds until the provider takes requests again, counted from the end. */
  readonly retryAfter: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export type ItemKind = Item["kind"];
export type ItemOf<K extends ItemKind> = Extract<Item, { kind: K }>;

/** A turn that has not begun. */
export const EMPTY_TURN: TurnState = {
  turnId: "",
  status: "waiting",
  prompt: "",
  agent: "",
  definition: "",
  model: "",
  approvalMode: "",
  planMode: false,
  workspace: "",
  conversationId: "",
  sessionId: "",
  capabilities: [],
  mode: "",
  modes: [],
  models: [],
  commands: [],
  title: "",
  queued: [],
  startedAt: null,
  endedAt: null,
  lastSeq: -1,
  items: [],
  usage: null,
  response: null,
  error: null,
  code: null,
  retryAfter: null,
  metadata: {},
};
