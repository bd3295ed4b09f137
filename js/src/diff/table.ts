/** Draws a patch as a real table: signs are text, line numbers are not selected, and long patches come in portions. */

import { button, element, hiddenText } from "../dom";
import { appendInspected } from "../suspicious/chips";
import type { DiffRow, FilePatch, Hunk } from "./parse";
import { type Marked, markWords } from "./words";

/** Rows that are drawn at first, and with each "Show more". */
const PORTION = 400;

/** A row of the table: a hunk's section, or a line, or in the split form two lines side by side. */
type TableRow =
  | { kind: "section"; text: string }
  | { kind: "line"; row: DiffRow; marked: Marked | null }
  | { kind: "pair"; left: DiffRow | null; right: DiffRow | null; words: ReturnType<typeof markWords> };

export interface DiffOptions {
  /** Two columns, old beside new. */
  readonly split: boolean;
  /** Says what the table shows, for screen readers. */
  readonly caption: string;
}

/** Returns the table of one file's patch. */
export function diffTable(patch: FilePatch, { split, caption }: DiffOptions): HTMLTableElement {
  const table = element("table", split ? "nbh-diff nbh-split" : "nbh-diff");
  table.append(element("caption", "nbh-hidden", caption), columnsOf(split));
  const rows = patch.hunks.flatMap((hunk, i) => [
    ...sectionOf(hunk, i),
    ...(split ? paired(hunk) : lined(hunk)),
  ]);
  const body = table.createTBody();
  appendRows(body, rows, 0, split ? 4 : 3);
  return table;
}

/** A fixed layout takes the widths from here. */
function columnsOf(split: boolean): HTMLElement {
  const classes = split ? ["nbh-n", "", "nbh-n", ""] : ["nbh-n", "nbh-s", ""];
  return element("colgroup", "", ...classes.map((name) => element("col", name)));
}

function appendRows(
  body: HTMLTableSectionElement,
  rows: readonly TableRow[],
  from: number,
  columns: number,
): void {
  for (const row of rows.slice(from, from + PORTION)) body.append(drawRow(row, columns));
  const left = rows.length - from - PORTION;
  if (left <= 0) return;
  const cell = element("td");
  cell.colSpan = columns;
  const more = element("tr", "nbh-more", cell);
  const show = button("nbh-q nbh-sm", `Show ${left.toLocaleString("en")} lines`, () => {
    more.remove();
    appendRows(body, rows, from + PORTION, columns);
  });
  cell.append(show);
  body.append(more);
}

function sectionOf(hunk: Hunk, place: number): TableRow[] {
  const isGap = place > 0 || hunk.section !== "";
  return isGap ? [{ kind: "section", text: hunk.section || "⋯" }] : [];
}

/** Either unchanged rows, or removed rows and the added ones that follow them: what word marks compare. */
interface Block {
  readonly same: DiffRow[];
  readonly removed: DiffRow[];
  readonly added: DiffRow[];
}

function blocks(hunk: Hunk): Block[] {
  const found: Block[] = [];
  for (const row of hunk.rows) {
    const list = row.kind === "stray" ? "same" : row.kind;
    let block = found.at(-1);
    if (!block || !fits(block, list)) {
      block = { same: [], removed: [], added: [] };
      found.push(block);
    }
    block[list].push(row);
  }
  return found;
}

function fits({ same, removed, added }: Block, list: keyof Block): boolean {
  if (list === "same") return removed.length + added.length === 0;
  return same.length === 0 && (list === "added" || added.length === 0);
}

function lined(hunk: Hunk): TableRow[] {
  return blocks(hunk).flatMap(({ same, removed, added }) => {
    const words = removed.map((row, i) => (added[i] ? markWords(row.text, added[i].text) : null));
    return [
      ...same.map((row): TableRow => ({ kind: "line", row, marked: null })),
      ...removed.map((row, i): TableRow => ({ kind: "line", row, marked: words[i]?.removed ?? null })),
      ...added.map((row, i): TableRow => ({ kind: "line", row, marked: words[i]?.added ?? null })),
    ];
  });
}

function paired(hunk: Hunk): TableRow[] {
  return blocks(hunk).flatMap(({ same, removed, added }) => {
    const changed = Array.from({ length: Math.max(removed.length, added.length) }, (_, i): TableRow => {
      const left = removed[i] ?? null;
      const right = added[i] ?? null;
      return { kind: "pair", left, right, words: left && right ? markWords(left.text, right.text) : null };
    });
    return [
      ...same.map((row): TableRow => ({ kind: "pair", left: row, right: row, words: null })),
      ...changed,
    ];
  });
}

function drawRow(row: TableRow, columns: number): HTMLTableRowElement {
  switch (row.kind) {
    case "section": {
      const cell = element("td");
      cell.colSpan = columns;
      appendInspected(cell, row.text);
      return element("tr", "nbh-h", cell);
    }
    case "line":
      return drawLine(row.row, row.marked);
    case "pair":
      return element(
        "tr",
        "",
        ...drawSide(row.left, row.words?.removed ?? null, "old"),
        ...drawSide(row.right, row.words?.added ?? null, "new"),
      );
  }
}

const SIGNS = { same: "", added: "+", removed: "−", stray: "?" } as const;
const SPOKEN = { same: "", added: "added", removed: "removed", stray: "belongs to no hunk" } as const;
const CLASSES = { same: "", added: "nbh-a", removed: "nbh-d", stray: "nbh-h" } as const;

function drawLine(row: DiffRow, marked: Marked | null): HTMLTableRowElement {
  const number = element("td", "nbh-n", String(row.newLine ?? row.oldLine ?? ""));
  const sign = element("td", "nbh-s", SIGNS[row.kind], hiddenText(SPOKEN[row.kind]));
  return element("tr", CLASSES[row.kind], number, sign, textCell(row, marked));
}

function drawSide(row: DiffRow | null, marked: Marked | null, side: "old" | "new"): HTMLTableCellElement[] {
  if (!row) return [element("td", "nbh-n nbh-none"), element("td", "nbh-none")];
  const tint = CLASSES[row.kind];
  const line = side === "old" ? row.oldLine : row.newLine;
  const cell = textCell(row, marked);
  cell.className = tint;
  cell.prepend(element("span", "nbh-s", SIGNS[row.kind] || " "), hiddenText(SPOKEN[row.kind]));
  return [element("td", `nbh-n ${tint}`.trim(), String(line ?? "")), cell];
}

function textCell(row: DiffRow, marked: Marked | null): HTMLTableCellElement {
  const cell = element("td");
  if (marked) {
    appendInspected(cell, marked[0]);
    const change = element(row.kind === "added" ? "ins" : "del");
    appendInspected(change, marked[1]);
    if (marked[1] !== "") cell.append(change);
    appendInspected(cell, marked[2]);
  } else appendInspected(cell, row.text);
  if (row.noNewline) cell.append(element("span", "nbh-meta", " no line break at the end"));
  return cell;
}
