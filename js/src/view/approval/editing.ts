/** Turns arguments into a text that a person can edit, and back. */

import { isRecord, readable, textOf } from "../../json";
import type { Described } from "../../words/verbs";

/** What is edited: the command of a command, else all arguments as JSON. */
export interface Editable {
  readonly text: string;
  readonly label: string;
  /** Reads the edited text. Throws a `SyntaxError` when it is no JSON. */
  parse(text: string): unknown;
}

export function editableOf(args: unknown, { kind, used }: Described): Editable {
  const [field] = used;
  if (kind === "command" && isRecord(args) && field && typeof args[field] === "string") {
    return {
      text: textOf(args[field]),
      label: "Command, edited",
      parse: (text) => ({ ...args, [field]: text }),
    };
  }
  if (typeof args === "string") return { text: args, label: "Arguments, edited", parse: (text) => text };
  return { text: readable(args), label: "Arguments, edited, as JSON", parse: (text) => JSON.parse(text) };
}
