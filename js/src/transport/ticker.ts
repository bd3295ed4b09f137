/**
 * A tick that a hidden tab still hears. Browsers slow the timers of a page nobody looks at down to one a minute, and a kernel
 * that hears nothing for that long believes that nobody can answer; timers of a worker are not slowed down.
 */

export type Ticker = (milliseconds: number, tick: () => void) => () => void;

const SOURCE = "onmessage = ({ data }) => setInterval(() => postMessage(0), data);";

/** Calls `tick` every so many milliseconds until the returned function is called. */
export const workerTicker: Ticker = (milliseconds, tick) => {
  const worker = startWorker();
  if (!worker) {
    const timer = setInterval(tick, milliseconds);
    return () => clearInterval(timer);
  }
  worker.onmessage = tick;
  worker.postMessage(milliseconds);
  return () => worker.terminate();
};

function startWorker(): Worker | null {
  const url = URL.createObjectURL(new Blob([SOURCE], { type: "text/javascript" }));
  try {
    return new Worker(url);
  } catch {
    // The page's security policy may forbid workers; a slower tick is better than none.
    return null;
  } finally {
    URL.revokeObjectURL(url);
  }
}
