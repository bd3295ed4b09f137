/** A list that only grows. The newest rows are drawn at once and the rest in idle moments, so that a long turn appears at once. */

import type { VNode } from "preact";
import { useEffect, useReducer, useRef } from "preact/hooks";
import type { Row } from "../rows";
import { plural } from "../words/format";

/** Rows drawn at once, rows drawn without being asked for, and rows drawn in one idle moment. */
const FIRST = 80;
const ENOUGH = 200;
const SLICE = 20;

interface RowListProps {
  readonly rows: readonly Row[];
  readonly draw: (row: Row) => VNode;
}

export function RowList({ rows, draw }: RowListProps) {
  const known = useRef(0);
  const from = useRef(0);
  const goal = useRef(0);
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  if (rows.length - known.current > FIRST) {
    from.current = rows.length - FIRST;
    goal.current = Math.max(0, rows.length - ENOUGH);
  }
  // A finished turn keeps only its answer here; the steps move into a list of their own.
  if (rows.length < known.current) from.current = goal.current = 0;
  known.current = rows.length;
  const start = from.current;
  useEffect(() => {
    if (start <= goal.current) return;
    return whenIdle(() => {
      from.current = Math.max(goal.current, from.current - SLICE);
      redraw(undefined);
    });
  }, [start]);
  const showAll = (): void => {
    goal.current = 0;
    from.current = Math.max(0, start - SLICE);
    redraw(undefined);
  };
  return (
    <>
      {start > 0 && start <= goal.current && (
        <button type="button" class="nbh-earlier nbh-q nbh-sm" onClick={showAll}>
          Show {plural(start, "earlier step")}
        </button>
      )}
      {rows.slice(start).map(draw)}
    </>
  );
}

function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(work, 16);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: 500 });
  return () => cancelIdleCallback(handle);
}
