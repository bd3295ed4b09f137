/** Sentences that say why an approval deserves a second look. */

import type { ApprovalItem } from "../../items";
import { isRecord } from "../../json";
import { inspect } from "../../suspicious/inspect";
import type { Described } from "../../words/verbs";

/** The kernel's warnings, and what the arguments hide. */
export function warningsOf({ args, warnings }: ApprovalItem, { kind, subject, used }: Described): string[] {
  const rest = isRecord(args) ? Object.entries(args).filter(([name]) => !used.includes(name)) : args;
  const isProse = kind === "agent";
  const found = [
    inspect(subject, isProse ? "text" : "command").sentence,
    inspect(strings(rest).join("\n"), "text").sentence,
  ];
  return [...new Set([...warnings, ...found])].filter((sentence) => sentence !== "");
}

/** Every text in a value, keys too; as deep as a person would look. */
function strings(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > 20) return [];
  const inside = Array.isArray(value) ? value : Object.entries(value).flat();
  return inside.flatMap((part) => strings(part, depth + 1));
}
