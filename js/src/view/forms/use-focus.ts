/** Puts the cursor into a field that a person has just asked for. Nothing else in a turn ever takes the focus. */

import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

export function useFocus(
  field: RefObject<HTMLTextAreaElement | null> | RefObject<HTMLInputElement | null>,
): void {
  useLayoutEffect(() => {
    field.current?.focus({ preventScroll: true });
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, []);
}
