/**
 * Finds what a person cannot see in a text they are asked to approve: characters that are invisible, reorder the line or
 * pose as others, and padding that pushes the end out of sight. Each becomes a marked chip; a sentence says why it matters.
 */

import { codePoint, letterLookalike, type PlainFault, plainFault, signLookalike } from "./characters";
import { type Finding, sentence } from "./sentence";

/** A command is read letter by letter; other text may hold prose of any language. */
export type Reading = "command" | "text";

export type Segment =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "chip"; readonly text: string; readonly title: string };

export interface Inspection {
  /** The text in order; a chip stands for the characters it describes. */
  readonly segments: readonly Segment[];
  /** What was found, as one sentence; `""` when nothing was. */
  readonly sentence: string;
}

const TITLES: Readonly<Record<PlainFault | "stacked", string>> = {
  invisible: "invisible character",
  direction: "changes the direction of the text",
  control: "control character",
  space: "not an ordinary space",
  stacked: "stacked marks",
};

/** Longest runs that pass, by reading: spaces inside a line, spaces at its start, line breaks. */
const LONGEST = {
  command: { inside: 11, start: 39, breaks: 4 },
  text: { inside: 39, start: 79, breaks: 11 },
} as const;

const ORDINARY = /^[\x20-\x7e\n\t]*$/;
const RUN = /\n{2,}[\n\r]*|[ \t]{8,}/g;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const TOKEN = /\S+/gu;
const STACK = /\p{M}{4,}/gu;

/** Looks at a text and returns what to show of it. */
export function inspect(text: string, reading: Reading = "command"): Inspection {
  const marks = new Map<number, Finding>();
  markPadding(text, reading, marks);
  if (!ORDINARY.test(text)) {
    markLookalikes(text, reading, marks);
    markPlain(text, reading, marks);
  }
  return { segments: cut(text, marks), sentence: sentence([...marks.values()], text) };
}

/** The same, for text that stays on one line and needs no sentence. */
export function segmentsOf(text: string, reading: Reading = "text"): readonly Segment[] {
  return inspect(text, reading).segments;
}

function markPadding(text: string, reading: Reading, marks: Map<number, Finding>): void {
  const longest = LONGEST[reading];
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const isBreaks = run.startsWith("\n");
    const atStart = index === 0 || text[index - 1] === "\n";
    const limit = isBreaks ? longest.breaks : atStart ? longest.start : longest.inside;
    if (run.length <= limit) continue;
    const what = isBreaks ? "line breaks" : run.includes("\t") ? "spaces and tabs" : "spaces";
    marks.set(index, { fault: "padding", at: index, length: run.length, count: run.length, what });
  }
}

function markLookalikes(text: string, reading: Reading, marks: Map<number, Finding>): void {
  const natural = naturalScripts(text);
  for (const { 0: token, index: start } of text.matchAll(TOKEN)) {
    const hasAscii = /[A-Za-z]/.test(token);
    for (const { 0: word, index } of token.matchAll(WORD))
      markWord(word, start + index, hasAscii, natural, marks);
    markSigns(token, start, reading, marks);
  }
}

/** A word is suspect if it mixes scripts, or if every letter of it poses as Latin where nothing else is of its script. */
function markWord(
  word: string,
  start: number,
  hasAscii: boolean,
  natural: ReadonlySet<string>,
  marks: Map<number, Finding>,
): void {
  const letters = [...word];
  const isMixed = /[A-Za-z]/.test(word);
  const poses = letters.every((letter) => letterLookalike(letter) || !/\p{L}/u.test(letter));
  let at = start;
  for (const letter of letters) {
    const twin = letterLookalike(letter);
    if (twin && (isMixed || (poses && (hasAscii || !natural.has(twin.script))))) {
      marks.set(at, { fault: "lookalike", at, length: letter.length, count: 1, ...twin });
    }
    at += letter.length;
  }
}

function markSigns(token: string, start: number, reading: Reading, marks: Map<number, Finding>): void {
  const characters = [...token];
  let at = start;
  for (const [i, character] of characters.entries()) {
    const looks = signLookalike(character);
    const before = characters[i - 1] ?? "";
    const after = characters[i + 1] ?? "";
    const isInside = /^[!-~]$/.test(before) && /^[!-~]$/.test(after);
    // A dash is ordinary prose, unless it opens a word as an option does.
    const counts = looks === "-" ? before === "" && /^[\w-]/.test(after) : reading === "command" || isInside;
    if (looks && counts) {
      marks.set(at, { fault: "lookalike", at, length: character.length, count: 1, looks, script: "sign" });
    }
    at += character.length;
  }
}

const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Armenian", /\p{Script=Armenian}/u],
];

/** Scripts that the text has words of its own in, so that their letters are no disguise there. */
function naturalScripts(text: string): ReadonlySet<string> {
  const isOwn = (script: RegExp) => (letter: string) => script.test(letter) && !letterLookalike(letter);
  const characters = [...text];
  return new Set(SCRIPTS.filter(([, script]) => characters.some(isOwn(script))).map(([name]) => name));
}

function markPlain(text: string, reading: Reading, marks: Map<number, Finding>): void {
  const characters = [...text];
  let run: Finding | undefined;
  let at = 0;
  for (const [i, character] of characters.entries()) {
    const before = characters[i - 1] ?? "";
    const after = characters[i + 1] ?? "";
    const fault = plainFault(character);
    const isLineEnd = character === "\r" && after === "\n" && reading === "text";
    if (fault && !isLineEnd && !belongs(character, before, after)) {
      if (run && run.at + run.length === at && before === character) {
        run.count += 1;
        run.length += character.length;
      } else {
        run = { fault, at, length: character.length, count: 1 };
        marks.set(at, run);
      }
    }
    at += character.length;
  }
  for (const { 0: stack, index } of text.matchAll(STACK)) {
    marks.set(index, { fault: "stacked", at: index, length: stack.length, count: [...stack].length });
  }
}

const SPELLED_WITH_JOINERS =
  /^[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Malayalam}\p{Script=Sinhala}]$/u;

/** Joiners inside an emoji, and in the scripts that are spelled with them, hide nothing. */
function belongs(character: string, before: string, after: string): boolean {
  const isEmoji = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u.test(before);
  if (character === "\ufe0f") return isEmoji;
  if (character !== "\u200d" && character !== "\u200c") return false;
  if (SPELLED_WITH_JOINERS.test(before) && SPELLED_WITH_JOINERS.test(after)) return true;
  return character === "\u200d" && isEmoji && /^\p{Extended_Pictographic}$/u.test(after);
}

function cut(text: string, marks: ReadonlyMap<number, Finding>): Segment[] {
  const segments: Segment[] = [];
  let shown = 0;
  for (const finding of [...marks.values()].sort((a, b) => a.at - b.at)) {
    if (finding.at < shown) continue;
    if (finding.at > shown) segments.push({ kind: "text", text: text.slice(shown, finding.at) });
    const covered = text.slice(finding.at, finding.at + finding.length);
    addChip(segments, finding, covered);
    shown = finding.at + finding.length;
  }
  if (shown < text.length) segments.push({ kind: "text", text: text.slice(shown) });
  return segments;
}

function addChip(segments: Segment[], finding: Finding, covered: string): void {
  const { fault, count } = finding;
  if (fault === "padding") {
    segments.push({ kind: "chip", text: `${count} ${finding.what}`, title: "folded" });
    if (finding.what === "line breaks") segments.push({ kind: "text", text: "\n" });
    return;
  }
  const code = codePoint(covered);
  const times = count > 1 ? ` ×${count}` : "";
  const text = fault === "lookalike" ? `${covered} ${code}` : `${code}${times}`;
  const title = fault === "lookalike" ? `looks like ${finding.looks}` : TITLES[fault];
  segments.push({ kind: "chip", text, title });
}
