/** Plain DOM in one line; the parts of the view that stream are built with it. Text only ever becomes text nodes. */

type Child = Node | string;

/** Makes an element; `className` may be `""`. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  if (children.length > 0) made.append(...children);
  return made;
}

/** Text for screen readers only. */
export function hiddenText(text: string): HTMLElement {
  return element("span", "nbh-hidden", text);
}

/** A button that acts on a click and never submits a form. */
export function button(className: string, label: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", className, label);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}
