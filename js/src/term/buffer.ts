/**
 * Turns a stream of terminal output into lines, so that a progress bar is one line and not a thousand.
 *
 * Carriage return, backspace, tab, erase-line and column moves work inside the newest line; colours are kept; every other
 * escape sequence is dropped. A sequence or line break that is cut by the end of a chunk waits for the next one.
 */

import { type Line, OpenLine } from "./line";
import { applySgr, PLAIN, type Style } from "./style";

const MAX_LINES = 2000;
const MAX_CHARACTERS = 256 * 1024;

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this file is about
/** One whole escape sequence: CSI, or a string (OSC, DCS, APC, PM, SOS) with its end, or two characters. */
const SEQUENCE =
  /^(?:\u001b\[|\u009b)([0-9:;<=>?]*)[ -/]*([@-~])|^\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|^\u001b[ -/]*[0-OQ-WYZ`-~\\]/;
/** The beginning of a sequence whose end has not arrived. */
const CUT_SEQUENCE =
  /^(?:\u001b|\u009b)(?:$|\[[0-9:;<=>?]*[ -/]*$|[0-9:;<=>?]*[ -/]*$|[\]PX^_][^\u0007\u001b]{0,4096}\u001b?$|[ -/]*$)/;
const PRINTABLE = /^[^\u0000-\u001f\u007f-\u009f]+/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: until here

/** Lines of a terminal without a screen: only the newest one can still change. */
export class TermBuffer {
  /** Lines that are finished, oldest first, without the `dropped` ones. */
  readonly lines: Line[] = [];
  /** How many lines were left out at the beginning because there were too many. */
  dropped = 0;
  private current = new OpenLine();
  private style: Style = PLAIN;
  private held = "";
  private size = 0;

  /** Takes more output. */
  write(chunk: string): void {
    let rest = this.held + chunk;
    this.held = "";
    while (rest !== "") {
      const used = this.take(rest);
      if (used === 0) {
        this.held = rest;
        return;
      }
      rest = rest.slice(used);
    }
  }

  /** The line that is still being written. */
  get open(): Line {
    return this.current.snapshot();
  }

  /** Consumes the beginning of `rest` and returns its length; 0 when more has to arrive first. */
  private take(rest: string): number {
    const printable = PRINTABLE.exec(rest);
    if (printable) return this.print(printable[0]);
    const first = rest[0];
    if (first === "\u001b" || first === "\u009b") return this.escape(rest);
    if (first === "\r") return this.carriageReturn(rest);
    if (first === "\n") this.commit();
    else if (first === "\b") this.current.moveBy(-1);
    else if (first === "\t") this.current.tab();
    return 1;
  }

  private print(text: string): number {
    let rest = text;
    while (rest !== "") {
      if (this.current.isFull) this.commit();
      rest = this.current.print(rest, this.style);
    }
    return text.length;
  }

  private carriageReturn(rest: string): number {
    if (rest.length === 1) return 0;
    if (rest[1] === "\n") this.commit();
    else this.current.moveTo(0);
    return rest[1] === "\n" ? 2 : 1;
  }

  private escape(rest: string): number {
    const sequence = SEQUENCE.exec(rest);
    if (!sequence) return CUT_SEQUENCE.test(rest) ? 0 : 1;
    const [whole, parameters = "", final] = sequence;
    const count = Number.parseInt(parameters, 10) || 0;
    const steps = Math.max(1, count);
    if (final === "m") this.style = applySgr(this.style, parameters);
    else if (final === "K") this.current.erase(count);
    else if (final === "G") this.current.moveTo(steps - 1);
    else if (final === "C") this.current.moveBy(steps);
    else if (final === "D") this.current.moveBy(-steps);
    else if (final === "P") this.current.delete(steps);
    return whole.length;
  }

  private commit(): void {
    const line = this.current.snapshot();
    this.lines.push(line);
    this.size += lengthOf(line);
    this.current = new OpenLine();
    while (this.lines.length > MAX_LINES || (this.size > MAX_CHARACTERS && this.lines.length > 1)) {
      this.size -= lengthOf(this.lines.shift() ?? []);
      this.dropped += 1;
    }
  }
}

function lengthOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + text.length, 0);
}
