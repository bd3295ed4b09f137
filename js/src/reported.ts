/** Which files the tool calls of a turn say they changed; pure. The twin of `_reported` in `nbharness/transcript/changed.py`. */

import type { TurnState } from "./items";
import { describe } from "./words/verbs";

const WRITES: ReadonlySet<string> = new Set(["write", "edit", "delete", "move"]);

/** Returns a function that tells whether some call of the turn named a file, whichever way it was written. */
export function reportedBy({ items, workspace }: TurnState): (path: string) => boolean {
  const places = new Set<string>();
  const note = (path: string): unknown => places.add(placeOf(path, workspace));
  for (const item of items) {
    if (item.kind !== "tool") continue;
    for (const { path } of item.diffs) note(path);
    const { kind, isCode, subject } = describe(item.name, item.args, item.toolKind, item.title);
    for (const path of WRITES.has(kind) && isCode ? subject.split(", ") : []) note(path);
  }
  return (path) => places.has(placeOf(path, workspace));
}

/** Returns the one absolute form of a path. */
function placeOf(path: string, workspace: string): string {
  const named = rooted(path.replaceAll("\\", "/"));
  const parts: string[] = [];
  for (const part of (named.startsWith("/") ? named : `${rooted(workspace)}/${named}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function rooted(path: string): string {
  // A home directory that was masked is a root like any other.
  return path.startsWith("~/") ? `/${path}` : path;
}
