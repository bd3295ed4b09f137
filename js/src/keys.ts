/** Keeps what is typed in a turn away from the notebook, where single letters are commands. */

/** Keys that edit text together with Ctrl or Cmd; the notebook has its own use for some of them. */
const EDITING = new Set(["a", "c", "v", "x", "y", "z", "Backspace", "Delete", "Home", "End"]);

/**
 * Contains the keys pressed inside `root`. Saving, the command palette and the like still reach the host; running the cell
 * again does not, since a click into the turn would otherwise be one Enter away from starting it anew.
 */
export function containKeys(root: HTMLElement, signal: AbortSignal): void {
  root.addEventListener(
    "keydown",
    (event) => {
      if (!isForHost(event)) event.stopPropagation();
      // A form that is open takes Escape for itself.
      if (event.key === "Escape" && !isTyping(event)) leave(root);
    },
    { signal },
  );
}

function isForHost(event: KeyboardEvent): boolean {
  if (!event.ctrlKey && !event.metaKey) return false;
  if (event.key === "Enter" || event.key.startsWith("Arrow")) return false;
  return !(isTyping(event) && EDITING.has(event.key.length === 1 ? event.key.toLowerCase() : event.key));
}

function isTyping({ target }: Event): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}

/** Gives the focus back to the cell or the notebook around the turn, whose commands then work again. */
function leave(root: HTMLElement): void {
  root.parentElement?.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
}

/** What could have the focus next: a row that opens, a band, the field that was asked for. */
const STOPS = "summary, [tabindex]";

/** An element that has the focus in it, and what stands before it. */
type Place = readonly [element: Element, before: Element | null];

/**
 * Keeps the focus in the turn when the element that had it goes away, as a button does once it was pressed. It would fall back
 * to the notebook, where the next key would be a command. It goes to the band around, else to what took the place, else to
 * `fallback()`; never to another approval, which nobody has looked at yet.
 */
export function keepFocus(root: HTMLElement, fallback: () => HTMLElement | null, signal: AbortSignal): void {
  let places: readonly Place[] = [];
  root.addEventListener(
    "focusin",
    ({ target }) => {
      places = placesOf(target as Element, root);
    },
    { signal },
  );
  root.addEventListener(
    "focusout",
    ({ target }) => {
      // Sent on removal too, before it: only afterwards can the two be told apart.
      queueMicrotask(() => {
        const [focused] = places[0] ?? [];
        if (focused === target && focused?.isConnected) places = [];
      });
    },
    { signal },
  );
  const observer = new MutationObserver(() => {
    const gone = places.findLastIndex(([element]) => !element.isConnected);
    if (gone < 0) {
      if (places[0]) places = placesOf(places[0][0], root);
      return;
    }
    const next = heirOf(places[gone] as Place, places[gone + 1]?.[0] ?? root, root);
    places = [];
    // The page's body, or the cell or notebook around, which take what nobody has.
    if (document.activeElement?.contains(root) ?? true) (next ?? fallback())?.focus({ preventScroll: true });
  });
  observer.observe(root, { childList: true, subtree: true });
  signal.addEventListener("abort", () => observer.disconnect());
}

/** Returns the element and those around it, up to the root. */
function placesOf(focused: Element, root: Element): readonly Place[] {
  const places: Place[] = [];
  for (let each: Element | null = focused; each && each !== root; each = each.parentElement) {
    places.push([each, each.previousElementSibling]);
  }
  return places;
}

/** Returns what should have the focus after an element inside `parent` that had it. */
function heirOf([, before]: Place, parent: Element, root: Element): HTMLElement | null {
  const band = parent.closest<HTMLElement>(".nbh-ask");
  if (band) return band;
  const now = before?.isConnected ? before.nextElementSibling : parent.firstElementChild;
  if (now?.matches(STOPS)) return now as HTMLElement;
  const edge = root.querySelector(".nbh-edge");
  return edge?.contains(parent)
    ? edge.querySelector<HTMLElement>('[data-nbh="compose"]')
    : (now?.querySelector<HTMLElement>(STOPS) ?? null);
}
