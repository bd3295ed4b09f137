/** What page and kernel say to each other about a turn; the same JSON on every road. */

import { isEnvelope, type WireEnvelope } from "../envelope";
import type { CodingInput } from "../events.gen";
import type { Reply } from "./transport";

/** Page to kernel. Hello, resync, beat and look are told apart by (view, nonce), inputs by their id. */
export type PageMessage =
  | { kind: "hello" | "resync"; view: string; nonce: string; turnId: string; lastSeq: number }
  | { kind: "beat" | "look"; view: string; nonce: string; turnId: string }
  | { kind: "input"; view: string; inputId: string; turnId: string; secret: string; input: CodingInput };

/** Kernel to page. */
export type KernelMessage =
  | { kind: "batch"; turnId: string; events: WireEnvelope[] }
  | ({ kind: "reply" } & Reply)
  | {
      kind: "welcome";
      view: string;
      turnId: string;
      secret: string;
      lastSeq: number;
      settled: boolean;
      detached: boolean;
      events: WireEnvelope[];
      /** True when there is more: ask again. */
      more: boolean;
    }
  | { kind: "alive"; view: string }
  | { kind: "detached"; turnId: string };

const STATUSES = ["ok", "conflict", "unknown", "invalid"] as const;

/** Reads a message that came over a road; `null` for what is none of ours. */
export function readMessage(value: unknown): KernelMessage | null {
  if (typeof value !== "object" || value === null) return null;
  const message = value as Record<string, unknown>;
  const text = (name: string): string => (typeof message[name] === "string" ? message[name] : "");
  switch (message.kind) {
    case "batch":
      return { kind: "batch", turnId: text("turnId"), events: envelopes(message.events) };
    case "reply": {
      const status = STATUSES.find((known) => known === message.status) ?? "invalid";
      return {
        kind: "reply",
        inputId: text("inputId"),
        status,
        message: text("message"),
        recorded: text("recorded"),
      };
    }
    case "welcome":
      return {
        kind: "welcome",
        view: text("view"),
        turnId: text("turnId"),
        secret: text("secret"),
        lastSeq: typeof message.lastSeq === "number" ? message.lastSeq : -1,
        settled: message.settled === true,
        detached: message.detached === true,
        events: envelopes(message.events),
        more: message.more === true,
      };
    case "alive":
      return { kind: "alive", view: text("view") };
    case "detached":
      return { kind: "detached", turnId: text("turnId") };
    default:
      return null;
  }
}

function envelopes(value: unknown): WireEnvelope[] {
  return Array.isArray(value) ? value.filter(isEnvelope) : [];
}
