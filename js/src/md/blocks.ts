/** Markdown blocks to DOM nodes: no HTML string is ever made, and nothing of the text becomes a name or an attribute. */

import type { Token, Tokens } from "marked";
import { copyText } from "../copy";
import { button, element } from "../dom";
import { appendInline, MAX_DEPTH } from "./inline";
import { decodeEntities } from "./links";

/** Returns the nodes of block tokens in order. */
export function blocksToNodes(tokens: readonly Token[], depth = 0): Node[] {
  return tokens.flatMap((token) => {
    if (depth > MAX_DEPTH) return [element("p", "nbh-plain", token.raw)];
    const node = block(token, depth);
    return node ? [node] : [];
  });
}

function block(token: Token, depth: number): Node | null {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "paragraph":
    case "text":
      return paragraph(token);
    case "heading":
      return heading(token as Tokens.Heading);
    case "code":
      return codeBlock(String(token.text));
    case "blockquote":
      return element("blockquote", "", ...blocksToNodes((token as Tokens.Blockquote).tokens, depth + 1));
    case "list":
      return list(token as Tokens.List, depth);
    case "table":
      return table(token as Tokens.Table);
    case "hr":
      return element("hr");
    default:
      return element("p", "nbh-plain", token.raw.trimEnd());
  }
}

function paragraph(token: Token): HTMLElement {
  const made = element("p");
  const { tokens, text } = token as Tokens.Text;
  if (tokens) appendInline(made, tokens);
  else made.append(decodeEntities(text));
  return made;
}

/** One level for all, below the notebook's own: the outline of the page is not the agent's to write. */
function heading({ depth, tokens }: Tokens.Heading): HTMLElement {
  const made = element("div", depth <= 2 ? "nbh-h1" : "nbh-h2");
  made.setAttribute("role", "heading");
  made.setAttribute("aria-level", "3");
  appendInline(made, tokens);
  return made;
}

function codeBlock(code: string): HTMLElement {
  const copy = button("nbh-q nbh-sm nbh-copy", "Copy", async () => {
    copy.textContent = (await copyText(code)) ? "Copied" : "Could not copy";
  });
  const body = element("pre", "", element("code", "", code));
  body.tabIndex = 0;
  return element("div", "nbh-code", body, copy);
}

function list({ ordered, start, items, loose }: Tokens.List, depth: number): HTMLElement {
  const made = element(ordered ? "ol" : "ul", loose ? "nbh-loose" : "");
  if (ordered && typeof start === "number" && start !== 1) (made as HTMLOListElement).start = start;
  for (const item of items) made.append(listItem(item, depth));
  return made;
}

function listItem(item: Tokens.ListItem, depth: number): HTMLElement {
  const made = element("li", item.task ? "nbh-task" : "");
  for (const token of item.tokens) {
    // Text of a tight item stands in the item itself, not in a paragraph.
    if (token.type === "text") appendInline(made, (token as Tokens.Text).tokens ?? [token], depth);
    else if (token.type === "checkbox") appendInline(made, [token], depth);
    else made.append(...blocksToNodes([token], depth + 1));
  }
  return made;
}

function table({ header, rows }: Tokens.Table): HTMLElement {
  const made = element("table");
  const head = made.createTHead().insertRow();
  for (const cell of header) head.append(tableCell("th", cell));
  const body = made.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const cell of row) line.append(tableCell("td", cell));
  }
  const frame = element("div", "nbh-wide-table", made);
  frame.tabIndex = 0;
  return frame;
}

function tableCell(tag: "th" | "td", { tokens, align }: Tokens.TableCell): HTMLElement {
  const made = element(tag, align === "right" || align === "center" ? `nbh-${align}` : "");
  if (tag === "th") (made as HTMLTableCellElement).scope = "col";
  appendInline(made, tokens);
  return made;
}
