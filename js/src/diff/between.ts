/** A patch between two texts, for agents that name the old and the new text but send no diff. */

import type { DiffRow, FilePatch } from "./parse";

const CONTEXT = 3;

/** Returns one hunk: what both begin and end with, cut to a few lines, around what was replaced. Line numbers count from 1. */
export function patchBetween(before: string, after: string, path = ""): FilePatch {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const start = commonLength(old, fresh, (lines, i) => lines[i]);
  const rest = Math.min(old.length, fresh.length) - start;
  const end = Math.min(
    rest,
    commonLength(old, fresh, (lines, i) => lines[lines.length - 1 - i]),
  );
  const row = (kind: DiffRow["kind"], text: string, line: number): DiffRow => ({
    kind,
    text,
    oldLine: kind === "added" ? null : line,
    newLine: kind === "removed" ? null : line,
  });
  const from = Math.max(0, start - CONTEXT);
  const rows = [
    ...old.slice(from, start).map((text, i) => row("same", text, from + i + 1)),
    ...old.slice(start, old.length - end).map((text, i) => row("removed", text, start + i + 1)),
    ...fresh.slice(start, fresh.length - end).map((text, i) => row("added", text, start + i + 1)),
    ...fresh
      .slice(fresh.length - end)
      .slice(0, CONTEXT)
      .map((text, i) => row("same", text, fresh.length - end + i + 1)),
  ];
  return { path, notes: [], hunks: [{ section: "", rows }] };
}

function commonLength(
  one: readonly string[],
  other: readonly string[],
  at: (lines: readonly string[], i: number) => string | undefined,
): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && at(one, length) === at(other, length)) length += 1;
  return length;
}
