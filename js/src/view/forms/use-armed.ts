/** Keeps a button from acting on a click that was meant for what stood there before. */

import { useEffect, useState } from "preact/hooks";

const ARM_MS = 500;
const ARM_WITH_WARNING_MS = 1500;

/** Returns true once a person has had time to see the question; longer when a risk is named. */
export function useArmed(hasWarning: boolean): boolean {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), hasWarning ? ARM_WITH_WARNING_MS : ARM_MS);
    return () => clearTimeout(timer);
  }, [hasWarning]);
  return isArmed;
}
