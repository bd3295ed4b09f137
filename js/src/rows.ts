/** Where the items of a turn are drawn: a tree of rows that only grows, so that a view touches nothing but what is new. */

import { type Signal, signal } from "@preact/signals";
import type { ApprovalItem, Item } from "./items";

/** One item and what is drawn inside it. */
export interface Row {
  /** Place of the item in the turn; never changes. */
  readonly key: number;
  readonly item: Signal<Item>;
  /** What a sub-agent does in this tool call, in order. */
  readonly children: Signal<readonly Row[]>;
  /** The approval that this tool call waits or waited for; it is drawn with the call and has no row of its own. */
  readonly approval: Signal<Row | null>;
}

export class RowTree {
  /** Rows that are in no other row, in order. */
  readonly top: Signal<readonly Row[]> = signal([]);
  private readonly rows: Row[] = [];
  private readonly tools = new Map<string, Row>();

  /** Takes the items of the turn as they are now; items never go away or change places. */
  update(items: readonly Item[]): void {
    const grown = new Map<Signal<readonly Row[]>, Row[]>();
    for (const [key, item] of items.entries()) {
      const row = this.rows[key];
      if (!row) this.add(key, item, grown);
      else if (row.item.peek() !== item) row.item.value = item;
    }
    for (const [list, added] of grown) list.value = [...list.peek(), ...added];
  }

  private add(key: number, item: Item, grown: Map<Signal<readonly Row[]>, Row[]>): void {
    const row: Row = { key, item: signal(item), children: signal([]), approval: signal(null) };
    this.rows.push(row);
    const call = item.kind === "approval" ? this.tools.get(item.toolCallId) : undefined;
    if (call) {
      call.approval.value = row;
      return;
    }
    const parent = "parentId" in item ? this.tools.get(item.parentId) : undefined;
    const list = parent?.children ?? this.top;
    const added = grown.get(list);
    if (added) added.push(row);
    else grown.set(list, [row]);
    if (item.kind === "tool") this.tools.set(item.id, row);
  }
}

/** Returns the approval of a tool's row; reading it in a component makes that follow both. */
export function approvalOf(row: Row): ApprovalItem | null {
  const item = row.approval.value?.item.value;
  return item?.kind === "approval" ? item : null;
}
