/** What a screen reader is told when a turn moves on. */

import type { ApprovalItem, Item, ToolItem, TurnState } from "../items";
import { isSettled, workedSeconds } from "../selectors";
import { endingOf, resultOf } from "../words/ending";
import { clockTime, plural } from "../words/format";
import { describe, questionOf } from "../words/verbs";
import type { Urgency } from "./announcer";

export interface News {
  readonly text: string;
  readonly urgency: Urgency;
}

/** Returns what is new in `after`: never deltas, seconds or progress. */
export function newsBetween(before: TurnState, after: TurnState): News[] {
  const news: News[] = [];
  if (before.status === "waiting" && after.status === "running")
    say(`${after.agent || "The agent"} is working`);
  for (const [i, item] of after.items.entries()) {
    const old = before.items[i];
    if (old !== item) news.push(...itemNews(old, item));
  }
  if (!isSettled(before) && isSettled(after)) news.push(endingNews(after));
  return news;

  function say(text: string): void {
    news.push({ text, urgency: "polite" });
  }
}

function itemNews(before: Item | undefined, item: Item): News[] {
  if (item.kind === "approval" && item.status === "pending" && !before) return [needsYou(item)];
  if (item.kind === "plan" && item.status === "proposed" && !before) {
    return [{ text: "Needs you: go ahead with this plan?", urgency: "assertive" }];
  }
  if (item.kind === "question" && item.status === "pending" && !before) {
    const [first, ...more] = item.questions;
    const rest = more.length > 0 ? `, and ${plural(more.length, "more question")}` : "";
    return [{ text: `Needs you: ${first?.text ?? "a question"}${rest}`, urgency: "assertive" }];
  }
  if (item.kind === "notice" && item.level !== "info") return [{ text: item.message, urgency: "polite" }];
  const wasRunning = before?.kind !== "tool" || before.status === "running";
  return item.kind === "tool" && item.status !== "running" && wasRunning ? toolNews(item) : [];
}

function needsYou({ toolName, args, toolKind }: ApprovalItem): News {
  const described = describe(toolName, args, toolKind);
  const question = questionOf(described);
  const asked =
    described.kind === "command"
      ? `run ${described.subject}?`
      : `${question.words.toLowerCase()} ${question.subject}?`;
  return { text: `Needs you: ${asked.replace(/\?\s*\?$/, "?")}`, urgency: "assertive" };
}

function toolNews({ name, args, toolKind, title, status, parentId }: ToolItem): News[] {
  // A sub-agent's calls are its own business; its end is told.
  if (parentId !== "" && status === "ok") return [];
  const { done, subject } = describe(name, args, toolKind, title);
  return [{ text: `${status === "ok" ? done : "Failed"} ${subject}`, urgency: "polite" }];
}

function endingNews(turn: TurnState): News {
  const { words, why } = endingOf(turn);
  const took = clockTime(workedSeconds(turn, turn.endedAt ?? 0));
  const parts = [words, why, took, resultOf(turn)].filter((part) => part !== "");
  return { text: parts.join(", "), urgency: turn.status === "failed" ? "assertive" : "polite" };
}
