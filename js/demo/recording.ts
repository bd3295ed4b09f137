/** Writes a turn down event by event, with a clock of its own. */

import type { EventType, WireEnvelope } from "../src/envelope";
import type { EventData } from "../src/events.gen";

export class Recording {
  readonly envelopes: WireEnvelope[] = [];
  private at: number;

  /** @param endsAt Unix seconds that the last event should have; see `ago`. */
  constructor(secondsAgo: number, started: EventData["turn.started"] = {}) {
    this.at = Date.now() / 1000 - secondsAgo;
    this.add("turn.started", {
      prompt: "fix the failing test",
      agent: "claude",
      model: "sonnet",
      approvalMode: "require",
      workspace: "~/shop",
      ...started,
    });
  }

  /** Adds an event, `after` seconds later than the last one. */
  add<T extends EventType>(type: T, data: EventData[T], after = 0): this {
    return this.raw(type, data, after);
  }

  /** Adds an event of any form, as a newer or a broken kernel might send. */
  raw(type: string, data: unknown, after = 0): this {
    this.at += after;
    this.envelopes.push({ seq: this.envelopes.length, turnId: "demo", at: this.at, type, data });
    return this;
  }

  /** Adds a tool call from start to end. */
  tool(name: string, args: unknown, end: Partial<EventData["tool.end"]> = {}, parentId?: string): this {
    const id = `t${this.envelopes.length}`;
    const seconds = (end.durationMs ?? 100) / 1000;
    return this.add("tool.start", { id, name, args, ...(parentId && { parentId }) }).add(
      "tool.end",
      { id, name, output: null, isError: false, durationMs: seconds * 1000, ...end },
      seconds,
    );
  }

  /** Adds a tool call that asks and is answered. */
  asked(
    name: string,
    args: unknown,
    answer: Omit<EventData["approval.updated"], "id">,
    end: Partial<EventData["tool.end"]> = {},
  ): this {
    const id = `t${this.envelopes.length}`;
    const seconds = (end.durationMs ?? 100) / 1000;
    const isError = answer.status !== "approved";
    return this.add("tool.start", { id, name, args })
      .ask(name, args, { toolCallId: id })
      .add("approval.updated", { id: `a-${id}`, ...answer }, 6)
      .add("tool.end", { id, name, output: null, isError, durationMs: seconds * 1000, ...end }, seconds);
  }

  /** Adds an approval that waits, for a call that has begun. */
  ask(toolName: string, args: unknown, more: Partial<EventData["approval.required"]> = {}): this {
    return this.add("approval.required", {
      id: `a-${more.toolCallId ?? this.envelopes.length}`,
      toolName,
      args,
      message: null,
      autoApprovable: false,
      argsHash: "5f2c",
      choices: ["approve", "approve_edited", "remember", "reject", "reject_stop"],
      ...more,
    });
  }

  say(text: string): this {
    return this.add("message.delta", { delta: text });
  }

  think(text: string, seconds: number): this {
    return this.add("message.thinking", { delta: text }).add("message.thinking", { delta: " " }, seconds);
  }
}
