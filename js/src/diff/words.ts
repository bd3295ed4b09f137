/** Marks what differs inside a changed line. */

/** A line in three parts: what both have, what differs, what both have. */
export type Marked = readonly [before: string, changed: string, after: string];

/** What counts as a word: an identifier in code, or what stands between blanks in a command. */
export type WordPart = "identifier" | "argument";

const IDENTIFIER = /[\p{L}\p{N}_\ud800-\udfff]/u;
const LONGEST = 2000;

/**
 * Returns both lines cut at their common beginning and end, or `null` when marking would say nothing: they share no word, or
 * one is too long to be worth it.
 */
export function markWords(
  removed: string,
  added: string,
  part: WordPart = "identifier",
): { removed: Marked; added: Marked } | null {
  if (removed.length > LONGEST || added.length > LONGEST || removed === added) return null;
  const start = commonStart(removed, added, part);
  const end = commonEnd(removed, added, start, part);
  const shared = removed.slice(0, start) + removed.slice(removed.length - end);
  if (!/[\p{L}\p{N}]/u.test(shared)) return null;
  return { removed: cut(removed, start, end), added: cut(added, start, end) };
}

function commonStart(one: string, other: string, part: WordPart): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length += 1;
  // Back to the start of a word (and never into half a surrogate pair), so that `round` against `rows` is one change.
  while (length > 0 && (splits(one, length, part) || splits(other, length, part))) length -= 1;
  return length;
}

function commonEnd(one: string, other: string, start: number, part: WordPart): number {
  const most = Math.min(one.length, other.length) - start;
  let length = 0;
  while (length < most && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  const isSplit = (line: string): boolean => splits(line, line.length - length, part);
  while (length > 0 && (isSplit(one) || isSplit(other))) length -= 1;
  return length;
}

/** True when a word, or a surrogate pair, lies across that place. */
function splits(text: string, place: number, part: WordPart): boolean {
  const [before = "", after = ""] = [text[place - 1], text[place]];
  if (part === "argument") return /\S/.test(before) && /\S/.test(after);
  return IDENTIFIER.test(before) && IDENTIFIER.test(after);
}

function cut(line: string, start: number, end: number): Marked {
  return [line.slice(0, start), line.slice(start, line.length - end), line.slice(line.length - end)];
}
