/** The one wire form of an event, and a tolerant reading of it. */

import type {
  ApprovalOption,
  Choice,
  EventData,
  FileDiff,
  Question,
  QuestionOption,
  SlashCommand,
  Todo,
  Usage,
} from "./events.gen";

export type EventType = keyof EventData;

/** An event as it arrives: nothing about it is known yet but its place in the turn. */
export interface WireEnvelope {
  /** Place in the turn, from 0 without gaps. */
  readonly seq: number;
  readonly turnId: string;
  /** Wall clock of the kernel's machine, Unix seconds. */
  readonly at: number;
  readonly type: string;
  readonly data: unknown;
}

/** An event that this version knows and whose payload has the shape it should have. */
export type KnownEvent = { [T in EventType]: { readonly type: T; readonly data: EventData[T] } }[EventType];

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const flag: Check = (value) => typeof value === "boolean";
const number: Check = (value) => typeof value === "number";
const integer: Check = (value) => Number.isInteger(value);
const anything: Check = (value) => value !== undefined;
const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const plainObject: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Demands a check for every field of `T`, so that a field added to the schema does not compile here until it has one. */
type Shape<T> = Record<keyof Required<T>, Check>;
const shaped = <T>(shape: Shape<T>): Check => {
  const checks = Object.entries<Check>(shape);
  return (value) => {
    const fields = value as Record<string, unknown>;
    return plainObject(value) && checks.every(([name, check]) => check(fields[name]));
  };
};

const usage = shaped<Usage>({
  inputTokens: optional(integer),
  outputTokens: optional(integer),
  totalTokens: optional(integer),
  modelCalls: optional(integer),
  costUsd: optional(number),
  cachedTokens: optional(integer),
  contextTokens: optional(integer),
  contextWindow: optional(integer),
});
const fileDiff = shaped<FileDiff>({
  path: text,
  patch: text,
  added: optional(integer),
  removed: optional(integer),
  truncated: optional(integer),
});
const todo = shaped<Todo>({ content: text, status: optional(oneOf("pending", "in_progress", "completed")) });
const choice = oneOf("approve", "approve_edited", "remember", "reject", "reject_stop");
const toolKind = oneOf(
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "agent",
  "other",
);
const option = shaped<ApprovalOption>({
  id: text,
  name: text,
  kind: oneOf("allow_once", "allow_always", "reject_once", "reject_always"),
});
const question = shaped<Question>({
  id: text,
  text,
  header: optional(text),
  options: optional(listOf(shaped<QuestionOption>({ label: text, description: optional(text) }))),
  multiple: optional(flag),
  freeText: optional(flag),
  secret: optional(flag),
});
const answers: Check = (value) => plainObject(value) && Object.values(value as object).every(listOf(text));
const named = shaped<Choice>({ id: text, name: text, description: optional(text) });
const command = shaped<SlashCommand>({ name: text, description: optional(text) });
const plan = { plan: text, id: optional(text) };

const CHECKS: { readonly [T in EventType]: Check } = {
  "turn.started": shaped<EventData["turn.started"]>({
    prompt: optional(text),
    agent: optional(text),
    definition: optional(text),
    model: optional(text),
    approvalMode: optional(oneOf("require", "auto", "off")),
    planMode: optional(flag),
    workspace: optional(text),
    conversationId: optional(text),
    capabilities: optional(listOf(text)),
  }),
  "session.started": shaped<EventData["session.started"]>({ sessionId: text, model: optional(text) }),
  "session.updated": shaped<EventData["session.updated"]>({
    mode: optional(text),
    modes: optional(listOf(named)),
    model: optional(text),
    models: optional(listOf(named)),
    commands: optional(listOf(command)),
    title: optional(text),
  }),
  "message.user": shaped<EventData["message.user"]>({ text, id: optional(text) }),
  "message.queued": shaped<EventData["message.queued"]>({ id: text, text }),
  "message.withdrawn": shaped<EventData["message.withdrawn"]>({ id: text }),
  "message.delta": shaped<EventData["message.delta"]>({
    delta: text,
    messageId: optional(text),
    parentId: optional(text),
  }),
  "message.thinking": shaped<EventData["message.thinking"]>({ delta: text, parentId: optional(text) }),
  "tool.start": shaped<EventData["tool.start"]>({
    id: text,
    name: text,
    args: anything,
    parentId: optional(text),
    kind: optional(toolKind),
    title: optional(text),
  }),
  "tool.delta": shaped<EventData["tool.delta"]>({ id: text, name: text, partial: text }),
  "tool.end": shaped<EventData["tool.end"]>({
    id: text,
    name: text,
    output: anything,
    isError: flag,
    durationMs: nullable(number),
    exitCode: optional(integer),
    diffs: optional(listOf(fileDiff)),
    synthetic: optional(flag),
  }),
  "approval.required": shaped<EventData["approval.required"]>({
    id: text,
    toolName: text,
    args: anything,
    message: nullable(text),
    autoApprovable: flag,
    toolCallId: optional(text),
    argsHash: optional(text),
    choices: optional(listOf(choice)),
    diffs: optional(listOf(fileDiff)),
    warnings: optional(listOf(text)),
    kind: optional(toolKind),
    options: optional(listOf(option)),
  }),
  "approval.updated": shaped<EventData["approval.updated"]>({
    id: text,
    status: oneOf("approved", "rejected", "expired", "cancelled"),
    by: optional(text),
    reason: optional(text),
    args: () => true,
    optionId: optional(text),
  }),
  "question.asked": shaped<EventData["question.asked"]>({ id: text, questions: listOf(question) }),
  "question.answered": shaped<EventData["question.answered"]>({
    id: text,
    status: oneOf("answered", "skipped", "cancelled"),
    answers: optional(answers),
    by: optional(text),
  }),
  "plan.proposed": shaped<EventData["plan.proposed"]>({ ...plan, planHash: optional(text) }),
  "plan.approved": shaped<EventData["plan.approved"]>({ ...plan, by: optional(text) }),
  "plan.rejected": shaped<EventData["plan.rejected"]>({
    ...plan,
    by: optional(text),
    reason: optional(text),
  }),
  "todos.updated": shaped<EventData["todos.updated"]>({ todos: listOf(todo) }),
  "usage.updated": shaped<EventData["usage.updated"]>({ usage }),
  "workspace.changed": shaped<EventData["workspace.changed"]>({
    diffs: listOf(fileDiff),
    files: optional(integer),
    added: optional(integer),
    removed: optional(integer),
    ignored: optional(listOf(text)),
    nested: optional(listOf(text)),
    staleModules: optional(listOf(text)),
    undoable: optional(flag),
    baseline: optional(text),
    result: optional(text),
  }),
  notice: shaped<EventData["notice"]>({ message: text, level: optional(oneOf("info", "warning")) }),
  error: shaped<EventData["error"]>({ error: text, code: optional(text) }),
  "turn.completed": shaped<EventData["turn.completed"]>({
    response: nullable(text),
    usage: optional(usage),
    metadata: optional(plainObject),
  }),
  "turn.failed": shaped<EventData["turn.failed"]>({
    error: text,
    code: optional(text),
    retryAfter: optional(number),
    usage: optional(usage),
  }),
  "turn.aborted": shaped<EventData["turn.aborted"]>({
    code: optional(oneOf("aborted", "timeout", "budget", "interrupted")),
    reason: optional(text),
    usage: optional(usage),
  }),
};

/**
 * Returns the event if this version knows it and can read it, else `null`.
 *
 * Fields that we do not know pass; a field of the wrong kind does not, exactly as the kernel's own decoder decides.
 */
export function knownEvent(wire: WireEnvelope): KnownEvent | null {
  const check = Object.hasOwn(CHECKS, wire.type) ? CHECKS[wire.type as EventType] : undefined;
  return check?.(wire.data) ? (wire as unknown as KnownEvent) : null;
}

/** Tells whether a value that came from outside has an envelope's form. */
export function isEnvelope(value: unknown): value is WireEnvelope {
  const { seq, turnId, at, type } = (value ?? {}) as Partial<WireEnvelope>;
  return (
    Number.isInteger(seq) && typeof turnId === "string" && typeof at === "number" && typeof type === "string"
  );
}
