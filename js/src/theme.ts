/** Brings the style sheet to wherever a turn is shown. */

import css from "./theme/index.css";

const adopted = new WeakSet<Node>();
let sheet: CSSStyleSheet | undefined;

/** Adds the style sheet to the document, or to the shadow tree, that `element` is in; once each. */
export function adoptTheme(element: Element): void {
  const tree = element.getRootNode();
  const home = tree instanceof ShadowRoot ? tree : document;
  if (adopted.has(home)) return;
  adopted.add(home);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  // A constructed sheet needs no leave of the page's security policy, unlike a style element.
  home.adoptedStyleSheets = [...home.adoptedStyleSheets, sheet];
}
