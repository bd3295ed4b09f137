/**
 * Draws Markdown that is still arriving. Blocks that are complete stay as they are; only the last one is read again, so that
 * the cost of one more word does not grow with the message.
 */

import { Lexer, type Token } from "marked";
import { element } from "../dom";
import { blocksToNodes } from "./blocks";

/** An unfinished list or table longer than this is shown as plain text until it is complete. */
const MAX_UNFINISHED = 30_000;
/** The next update waits this many times what the last one took. */
const BACKOFF = 4;

export class MarkdownStream {
  private readonly host: HTMLElement;
  private text = "";
  /** Length of the text whose blocks are drawn for good. */
  private stable = 0;
  private tail: Node[] = [];
  private notBefore = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param host Empty element that the blocks become children of. */
  constructor(host: HTMLElement) {
    this.host = host;
  }

  /** Shows the text so far, which begins with what was shown before; may wait a moment when drawing has become slow. */
  update(text: string): void {
    this.text = text.replaceAll("\r\n", "\n").replace(/\r$/, "");
    const wait = this.notBefore - performance.now();
    if (wait <= 0) this.draw();
    else this.timer ??= setTimeout(() => this.draw(), wait);
  }

  /** Shows the whole text once more, now that it will not grow: later lines can change what earlier ones mean. */
  finish(text: string): void {
    this.dispose();
    this.text = text.replaceAll(/\r\n?/g, "\n");
    const nodes = nodesOf(lex(this.text), this.text);
    const old = [...this.host.childNodes];
    for (const [i, node] of nodes.entries()) {
      const there = old[i];
      // What is the same stays, so that a selection in it survives.
      if (!there) this.host.append(node);
      else if (!there.isEqualNode(node)) there.replaceWith(node);
    }
    for (const extra of old.slice(nodes.length)) extra.remove();
    this.stable = this.text.length;
    this.tail = [];
  }

  /** Forgets an update that still waits. */
  dispose(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private draw(): void {
    this.dispose();
    const started = performance.now();
    const rest = this.text.slice(this.stable);
    const tokens = lex(rest);
    const settled = tokens ? settledCount(tokens, rest) : 0;
    for (const node of this.tail) this.host.removeChild(node);
    const done = tokens?.slice(0, settled) ?? [];
    this.host.append(...blocksToNodes(done));
    this.stable += done.reduce((sum, { raw }) => sum + raw.length, 0);
    this.tail = nodesOf(tokens?.slice(settled) ?? null, this.text.slice(this.stable));
    this.host.append(...this.tail);
    const ended = performance.now();
    this.notBefore = ended + BACKOFF * (ended - started);
  }
}

/** Returns the tokens, or `null` when the nesting is deeper than the lexer's stack. */
function lex(text: string): Token[] | null {
  try {
    return Lexer.lex(text, { gfm: true });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function nodesOf(tokens: readonly Token[] | null, text: string): Node[] {
  const isHuge =
    text.length > MAX_UNFINISHED && tokens?.length === 1 && /^(list|table)$/.test(tokens[0]?.type ?? "");
  return tokens && !isHuge ? blocksToNodes(tokens) : [element("p", "nbh-plain", text)];
}

/** Returns how many of the tokens can no longer change. */
function settledCount(tokens: readonly Token[], text: string): number {
  const length = tokens.reduce((sum, { raw }) => sum + raw.length, 0);
  // The lexer rewrote something: its tokens do not tell where they stand.
  if (length !== text.length) return 0;
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  const before = tokens.slice(0, last).findLastIndex(({ type }) => type !== "space");
  // `2` after a list may yet become `2. item` of that list.
  const mayContinue = tokens[before]?.type === "list" && (tokens[last]?.raw.length ?? 0) < 16;
  return Math.max(0, mayContinue ? before : last);
}
