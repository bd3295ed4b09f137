/** The line of a terminal that is being written. */

import { PLAIN, type Style } from "./style";

/** Characters of one style. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

export type Line = readonly Span[];

interface Cell {
  character: string;
  style: Style;
}

const MAX_COLUMNS = 10_000;

/**
 * Text goes to the end as spans, since most output never moves back; the first move makes it cells that can be overwritten.
 * Columns count code points from 0.
 */
export class OpenLine {
  private spans: { text: string; style: Style }[] = [];
  private cells: Cell[] | null = null;
  private column = 0;

  get isFull(): boolean {
    return this.column >= MAX_COLUMNS;
  }

  /** Writes text at the cursor; returns what did not fit on the line. */
  print(text: string, style: Style): string {
    if (this.cells === null) return this.append(text, style);
    const characters = [...text];
    const fitting = characters.splice(0, MAX_COLUMNS - this.column);
    while (this.cells.length < this.column) this.cells.push({ character: " ", style: PLAIN });
    for (const character of fitting) {
      this.cells[this.column] = { character, style };
      this.column += 1;
    }
    return characters.join("");
  }

  /** Moves the cursor to a column, as far as the line may reach. */
  moveTo(column: number): void {
    this.asCells();
    this.column = Math.min(MAX_COLUMNS, Math.max(0, column));
  }

  moveBy(columns: number): void {
    this.asCells();
    this.moveTo(this.column + columns);
  }

  /** Moves to the next of the tab stops, which are 8 columns apart. */
  tab(): void {
    this.asCells();
    this.moveTo((Math.floor(this.column / 8) + 1) * 8);
  }

  /** Erases from the cursor on (0), up to it (1), or everything (2). */
  erase(mode: number): void {
    const cells = this.asCells();
    if (mode === 1) cells.fill({ character: " ", style: PLAIN }, 0, this.column + 1);
    else cells.length = mode === 2 ? 0 : Math.min(cells.length, this.column);
  }

  /** Deletes characters at the cursor; the rest moves up. */
  delete(count: number): void {
    this.asCells().splice(this.column, count);
  }

  /** Returns the line as it stands. */
  snapshot(): Line {
    if (this.cells === null) return this.spans.map((span) => ({ ...span }));
    const line: { text: string; style: Style }[] = [];
    for (const { character, style } of this.cells) {
      const last = line.at(-1);
      if (last?.style === style) last.text += character;
      else line.push({ text: character, style });
    }
    return line;
  }

  private append(text: string, style: Style): string {
    const fitting = text.slice(0, MAX_COLUMNS - this.column);
    const last = this.spans.at(-1);
    if (last?.style === style) last.text += fitting;
    else if (fitting !== "") this.spans.push({ text: fitting, style });
    this.column += fitting.length;
    return text.slice(fitting.length);
  }

  private asCells(): Cell[] {
    if (this.cells === null) {
      this.cells = this.spans.flatMap(({ text, style }) =>
        [...text].map((character) => ({ character, style })),
      );
      this.column = this.cells.length;
    }
    return this.cells;
  }
}
