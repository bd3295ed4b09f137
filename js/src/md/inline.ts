/** Inline Markdown to DOM nodes. */

import type { Token, Tokens } from "marked";
import { element } from "../dom";
import { decodeEntities, safeAddress } from "./links";

/** Deeper nesting is shown as the text it came as. */
export const MAX_DEPTH = 24;

/** Appends what inline tokens stand for; raw HTML is text. */
export function appendInline(parent: Node, tokens: readonly Token[] = [], depth = 0): void {
  for (const token of tokens) parent.appendChild(depth > MAX_DEPTH ? text(token.raw) : inline(token, depth));
}

function inline(token: Token, depth: number): Node {
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return wrapped(element(token.type), token, depth);
    case "codespan":
      return element("code", "", String(token.text));
    case "br":
      return element("br");
    case "link":
      return link(token as Tokens.Link, depth);
    case "image":
      return imageChip(token as Tokens.Image);
    case "checkbox":
      return text(token.checked ? "☑ " : "☐ ");
    case "text":
      return "tokens" in token && token.tokens
        ? wrapped(document.createDocumentFragment(), token, depth)
        : decoded(token);
    case "escape":
      return text(String(token.text));
    default:
      return text(token.raw);
  }
}

function wrapped<N extends Node>(parent: N, token: Token, depth: number): N {
  appendInline(parent, (token as Tokens.Generic).tokens, depth + 1);
  return parent;
}

function link(token: Tokens.Link, depth: number): Node {
  const address = safeAddress(token.href);
  if (!address) return wrapped(element("span"), token, depth);
  const anchor = wrapped(anchorTo(address), token, depth);
  anchor.title = address.href;
  return anchor;
}

/** Nothing is fetched: an image would tell its server that this page was opened, and when. */
function imageChip({ href, text: label }: Tokens.Image): Node {
  const address = safeAddress(href);
  const what = label === "" ? "Image" : `Image: ${label}`;
  if (!address) return element("span", "nbh-image", what);
  const chip = anchorTo(address);
  chip.className = "nbh-image";
  chip.append(what, element("span", "nbh-meta", address.host));
  chip.title = `Open ${address.href}`;
  return chip;
}

function anchorTo(address: URL): HTMLAnchorElement {
  const anchor = element("a");
  anchor.href = address.href;
  anchor.target = "_blank";
  anchor.rel = "noopener noreferrer nofollow";
  return anchor;
}

function decoded(token: Token): Text {
  return text(decodeEntities(String((token as Tokens.Text).text)));
}

function text(content: string): Text {
  return document.createTextNode(content);
}
