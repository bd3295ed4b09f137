/** What every card may use. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { TurnStore } from "../store";
import type { UndoControl } from "../undo";

export interface View {
  readonly store: TurnStore;
  /** Takes back what the turn changed; `null` where there is no road for that. */
  readonly undo: UndoControl | null;
}

const Context = createContext<View | null>(null);

export const ViewProvider = Context.Provider;

/** Returns the view around the calling component. */
export function useView(): View {
  const view = useContext(Context);
  if (!view) throw new Error("a card was rendered outside a turn; render it inside TurnView");
  return view;
}
