/** Tells a screen reader what matters, at a pace that can be listened to. */

import { element } from "../dom";

export type Urgency = "polite" | "assertive";

const POLITE_MS = 2000;

/** Two live regions of one view, out of sight. Text of the turn itself is in none: that would be read at every delta. */
export class Announcer {
  readonly element: HTMLElement;
  private readonly polite = element("div");
  private readonly assertive = element("div");
  private waiting: string[] = [];
  private urgent: string[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.polite.setAttribute("role", "status");
    this.assertive.setAttribute("role", "alert");
    this.element = element("div", "nbh-hidden", this.polite, this.assertive);
  }

  /** Says a sentence: at once when assertive, else together with what came in the meantime, at most every two seconds. */
  announce(text: string, urgency: Urgency = "polite"): void {
    if (urgency === "assertive") {
      // What comes together is said together: the last one would hide the others.
      if (this.urgent.push(text) === 1) queueMicrotask(() => this.alarm());
      return;
    }
    this.waiting.push(text);
    if (this.timer === undefined) this.speak();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.element.remove();
  }

  private alarm(): void {
    this.assertive.textContent = this.urgent.join(". ");
    this.urgent = [];
  }

  private speak(): void {
    this.timer = undefined;
    if (this.waiting.length === 0) return;
    // Who listens wants to know where things stand, not to be led through a backlog.
    this.polite.textContent = this.waiting.slice(-3).join(". ");
    this.waiting = [];
    this.timer = setTimeout(() => this.speak(), POLITE_MS);
  }
}
