/** A number of seconds that counts. */

import { now } from "../clock";
import { wholeDuration } from "../words/format";
import { useView } from "./context";

interface SecondsProps {
  /** Unix seconds of the kernel's clock. */
  readonly since: number;
}

/** How long ago that was; nothing in the first second, so that quick things do not flicker. */
export function Seconds({ since }: SecondsProps) {
  const { store } = useView();
  const seconds = Math.floor(store.clock.kernelTime(now.value) - since);
  return seconds < 1 ? null : wholeDuration(seconds);
}
