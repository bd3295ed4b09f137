/** How long until a provider takes requests again. */

import { now } from "../clock";
import { clockTime } from "../words/format";
import { useView } from "./context";

/** @param until Unix seconds of the kernel's clock. */
export function Countdown({ until }: { readonly until: number }) {
  const { store } = useView();
  const left = until - store.clock.kernelTime(now.value);
  return left > 0
    ? `the provider takes requests again in ${clockTime(left)}`
    : "the provider takes requests again";
}
