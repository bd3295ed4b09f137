/** A mounted turn for tests: what is on the page, what was sent, and what a kernel would answer. */

import { expect } from "vitest";
import { Recording } from "../demo/recording";
import type { WireEnvelope } from "../src/envelope";
import { mountTurn, ReplayTransport } from "../src/index";

export class Mounted {
  readonly host = document.createElement("div");
  readonly transport: ReplayTransport;
  readonly unmount: () => void;

  constructor(envelopes: readonly WireEnvelope[]) {
    document.body.append(this.host);
    this.transport = new ReplayTransport(envelopes);
    this.unmount = mountTurn(this.host, this.transport);
  }

  /** The element with a hook; fails when there is none. */
  get(hook: string): HTMLElement {
    const found = this.find(hook);
    expect(found, `nothing on the page has data-nbh="${hook}"`).not.toBeNull();
    return found as HTMLElement;
  }

  find(hook: string): HTMLElement | null {
    return this.host.querySelector<HTMLElement>(`[data-nbh="${hook}"]`);
  }

  all(hook: string): HTMLElement[] {
    return [...this.host.querySelectorAll<HTMLElement>(`[data-nbh="${hook}"]`)];
  }

  /** Waits until a button may act, then clicks it. */
  async press(hook: string): Promise<void> {
    await expect
      .poll(() => this.find(hook)?.getAttribute("aria-disabled") !== "true" && this.find(hook) !== null)
      .toBe(true);
    this.get(hook).click();
    await drawn();
  }

  async type(selector: string, text: string): Promise<void> {
    const field = this.host.querySelector<HTMLInputElement>(selector);
    if (!field) throw new Error(`no field ${selector}`);
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await drawn();
  }

  /** Delivers what a recording has beyond what was delivered, as if it happened now. */
  async push(turn: Recording): Promise<void> {
    this.transport.push(...turn.envelopes.slice(this.delivered));
    this.delivered = turn.envelopes.length;
    await drawn();
  }

  /** The inputs sent so far. */
  get inputs(): unknown[] {
    return this.transport.sent.map(({ input }) => input);
  }

  delivered = 0;
}

/** Mounts what a recording has so far. */
export function mounted(turn: Recording): Mounted {
  const view = new Mounted(turn.envelopes);
  view.delivered = turn.envelopes.length;
  return view;
}

/** Returns after the next frame and what it causes has been drawn. */
export async function drawn(): Promise<void> {
  for (let i = 0; i < 2; i += 1) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** A turn in which a command waits for approval. */
export function asking(args: Record<string, unknown> = { command: "ls" }, more: object = {}): Recording {
  return new Recording(1)
    .add("tool.start", { id: "c1", name: "bash", args })
    .ask("bash", args, { toolCallId: "c1", argsHash: "h", ...more });
}
