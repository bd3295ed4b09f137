/**
 * What a tool call does, in words: every agent has its own names for the same few things.
 *
 * The twin of `nbharness/transcript/verbs.py`; both are held to `tests/golden/verbs.json`.
 */

import type { ToolKind as KnownKind } from "../events.gen";
import { isRecord, textOf } from "../json";

export type ToolKind =
  | "command"
  | "read"
  | "write"
  | "edit"
  | "delete"
  | "search"
  | "list"
  | "fetch"
  | "move"
  | "agent"
  | "think"
  | "other";

/** A tool call as a person would name it. */
export interface Described {
  readonly kind: ToolKind;
  /** `Running`, while it runs. */
  readonly doing: string;
  /** `Ran`, when it went well. */
  readonly done: string;
  /** What it works on: a command, a path, a pattern, an address; `""` when nothing says so. */
  readonly subject: string;
  /** True when the subject is code rather than prose. */
  readonly isCode: boolean;
  /** The fields of the arguments that the subject was taken from. */
  readonly used: readonly string[];
}

interface Verb {
  readonly doing: string;
  readonly done: string;
  /** Fields that may hold the subject, best first. */
  readonly fields: readonly string[];
}

const PATHS = [
  "path",
  "file_path",
  "filePath",
  "file",
  "filename",
  "notebook_path",
  "target_file",
  "paths",
] as const;

const VERBS: Readonly<Record<ToolKind, Verb>> = {
  command: { doing: "Running", done: "Ran", fields: ["command", "cmd", "script", "code"] },
  read: { doing: "Reading", done: "Read", fields: PATHS },
  write: { doing: "Writing", done: "Wrote", fields: PATHS },
  edit: { doing: "Editing", done: "Edited", fields: PATHS },
  delete: { doing: "Deleting", done: "Deleted", fields: PATHS },
  search: {
    doing: "Searching",
    done: "Searched",
    fields: ["pattern", "query", "regex", "q", "search", ...PATHS],
  },
  list: { doing: "Listing", done: "Listed", fields: [...PATHS, "directory", "dir", "pattern"] },
  fetch: { doing: "Fetching", done: "Fetched", fields: ["url", "uri", "address", "query"] },
  move: { doing: "Moving", done: "Moved", fields: PATHS },
  think: { doing: "Thinking", done: "Thought", fields: [] },
  agent: {
    doing: "Sub-agent",
    done: "Sub-agent",
    fields: ["description", "task", "prompt", "subagent_type", "agent"],
  },
  other: { doing: "Using", done: "Used", fields: [] },
};

/** Words in a tool's name, in the order in which they decide; `apply_patch`, `WebFetch` and `mcp__fs__read_file` all match. */
const WORDS: readonly (readonly [ToolKind, RegExp])[] = [
  ["command", /\b(bash|shell|sh|zsh|powershell|exec|execute|command|commands|terminal|cmd)\b/],
  ["agent", /\b(task|agent|subagent|delegate|spawn)\b/],
  ["fetch", /\b(fetch|http|url|browse|download|curl)\b/],
  ["search", /\b(grep|search|glob|find|rg|ripgrep)\b/],
  ["delete", /\b(delete|remove|unlink|rm)\b/],
  ["edit", /\b(edit|multiedit|patch|apply|replace|update|modify|insert|str)\b/],
  ["write", /\b(write|create|save|touch|add)\b/],
  ["list", /\b(ls|list|tree|dir|readdir)\b/],
  ["read", /\b(read|cat|view|open|get|show)\b/],
];

/** What an adapter knows of a tool, and what its name may say more exactly. */
const KNOWN: Readonly<Record<KnownKind, readonly [ToolKind, ...ToolKind[]]>> = {
  read: ["read", "list"],
  edit: ["edit", "write"],
  delete: ["delete"],
  move: ["move"],
  search: ["search", "list"],
  execute: ["command"],
  think: ["think"],
  fetch: ["fetch"],
  agent: ["agent"],
  other: ["other"],
};

/**
 * Describes a call by its name and arguments.
 *
 * @param known What the tool does, when the adapter knows; else it is guessed by the name.
 * @param title What the agent calls this call; the subject of one whose arguments name none.
 */
export function describe(name: string, args: unknown, known: KnownKind | null = null, title = ""): Described {
  const kind = knownKind(kindOf(name, args), known);
  const { doing, done, fields } = VERBS[kind];
  const words = { kind, doing, done, isCode: kind !== "agent" };
  if (kind === "command" && typeof args === "string") return { ...words, subject: args, used: [] };
  const field = isRecord(args) ? fields.find((each) => textOf(args[each]) !== "") : undefined;
  if (isRecord(args) && field) return { ...words, subject: namesOf(args[field]), used: [field] };
  const patched = kind === "edit" ? patchedFiles(args) : "";
  if (kind === "edit" && (patched !== "" || title === "")) return { ...words, subject: patched, used: [] };
  const used = { doing: "Using", done: "Used", used: [] };
  if (title !== "") return { ...used, kind, subject: title, isCode: false };
  return { ...used, kind: kind === "agent" ? kind : "other", subject: name, isCode: true };
}

function knownKind(guessed: ToolKind, known: KnownKind | null): ToolKind {
  if (known === null) return guessed;
  const fitting = KNOWN[known];
  return fitting.includes(guessed) ? guessed : fitting[0];
}

function namesOf(value: unknown): string {
  const isCommand = Array.isArray(value) && value.some((part) => String(part).startsWith("-"));
  return Array.isArray(value) && !isCommand ? value.join(", ") : textOf(value);
}

function kindOf(name: string, args: unknown): ToolKind {
  const words = wordsOf(name);
  const found = WORDS.find(([, pattern]) => pattern.test(words))?.[0];
  // `todo_write` and the like name no file: what they do is not what they sound like.
  if (found === "write" || found === "edit" || found === "read" || found === "delete") {
    const hasPath = isRecord(args) && PATHS.some((field) => textOf(args[field]) !== "");
    return hasPath || (found === "edit" && patchedFiles(args) !== "") ? found : "other";
  }
  return found ?? (isRecord(args) && textOf(args.command) !== "" ? "command" : "other");
}

const PATCHED = /^(?:\+\+\+ (?:b\/)?|\*\*\* (?:Update|Add|Delete) File: )(\S.*)$/gm;

/** Returns the files that a patch names, for a call that names them nowhere else. */
function patchedFiles(args: unknown): string {
  const patch = isRecord(args)
    ? textOf(args.patch ?? args.diff ?? args.input)
    : typeof args === "string"
      ? args
      : "";
  return [...new Set([...patch.matchAll(PATCHED)].map(([, path = ""]) => path))].join(", ");
}

/** `mcp__files__readFile` becomes `read file`: the last part counts, in words. */
function wordsOf(name: string): string {
  const last = name.split(/__|[./:]/).at(-1) ?? name;
  return last
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .toLowerCase();
}

const QUESTIONS: Readonly<Record<ToolKind, string>> = {
  command: "Run this command?",
  read: "Read",
  write: "Write",
  edit: "Edit",
  delete: "Delete",
  search: "Search for",
  list: "List",
  fetch: "Fetch",
  move: "Move",
  agent: "Start this sub-agent?",
  think: "Use",
  other: "Use",
};

/** The question an approval asks: words, and the subject if it is part of the question. */
export function questionOf({ kind, subject, used }: Described): { words: string; subject: string } {
  const isCode = kind === "command" && used[0] === "code";
  const words = isCode ? "Run this code?" : QUESTIONS[kind];
  return words.endsWith("?") ? { words, subject: "" } : { words, subject };
}
