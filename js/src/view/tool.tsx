/** One tool call: a row that says what was done and how it went; what it printed and changed is inside. */

import type { FileDiff } from "../events.gen";
import type { ApprovalItem, ToolItem } from "../items";
import { approvalOf, type Row } from "../rows";
import { changeTotals, isApproval } from "../selectors";
import { changeCount } from "../words/format";
import { type Refusal, refusalOf } from "../words/outcome";
import { type Described, describe } from "../words/verbs";
import { ApprovalCard } from "./approval/approval";
import { warningsOf } from "./approval/findings";
import { Arguments } from "./arguments";
import { Why } from "./band";
import { useView } from "./context";
import { Foldable } from "./foldable";
import type { IconName } from "./icon";
import { OneLine } from "./inspected";
import { hasBody, ToolBody } from "./tool-body";
import { hasLongMeta, ToolMeta, type ToolParts } from "./tool-meta";

type ToolProps = Pick<ToolParts, "row" | "item" | "drawInside">;

export function ToolCard({ row, item, drawInside }: ToolProps) {
  const approval = approvalOf(row);
  return approval?.status === "pending" ? (
    <PendingApproval approval={approval} />
  ) : (
    <ToolRow row={row} item={item} approval={approval} drawInside={drawInside} />
  );
}

/** The first approval that waits is the band; the others wait as rows until it is decided. */
export function PendingApproval({ approval }: { readonly approval: ApprovalItem }) {
  const { store } = useView();
  const waiting = store.waiting.value.filter(isApproval);
  const place = waiting.findIndex(({ id }) => id === approval.id);
  if (place <= 0) return <ApprovalCard approval={approval} place={1} count={waiting.length} />;
  const described = describe(approval.toolName, approval.args, approval.toolKind);
  const warnings = warningsOf(approval, described);
  const isRisky = warnings.length > 0;
  return (
    <Foldable
      id={`approval ${approval.id}`}
      hook="approval-waiting"
      // All that wait can be approved at once: what deserves a second look is in sight by then.
      isOpen={isRisky}
      icon={isRisky ? "warn" : "ask"}
      iconClass={isRisky ? "nbh-i-warn" : "nbh-i-ask"}
      title={<Title verb="Waits" described={described} />}
      meta={`${place + 1} of ${waiting.length}`}
      body={() => (
        <div class="nbh-body">
          <Arguments args={approval.args} diffs={approval.diffs} described={described} />
          {warnings.map((text) => (
            <Why text={text} />
          ))}
        </div>
      )}
    />
  );
}

function ToolRow({
  row,
  item,
  approval,
  drawInside,
}: ToolProps & { readonly approval: ApprovalItem | null }) {
  const { store } = useView();
  const ranWith = approval?.edited ? approval.editedArgs : item.args;
  const described = describe(item.name, ranWith, item.toolKind, item.title);
  const refusal = approval && refusalOf(approval);
  const isRunning = item.status === "running";
  const isFailed = item.status === "failed" && !refusal && !item.synthetic;
  const isNewestChange = !store.isSettled.value && store.lastChangeId.value === item.id;
  const look = lookOf(item, described, refusal);
  const parts = { row, item, approval, described, refusal, drawInside };
  return (
    <Foldable
      id={`tool ${item.id}`}
      hook="tool"
      icon={look.icon}
      iconClass={look.iconClass}
      isOpen={isRunning || isFailed || isNewestChange}
      mustOpen={row.children.value.some(hasWaiting)}
      title={
        <Title verb={look.verb} described={described} diffs={item.diffs} reason={refusal?.reason ?? ""} />
      }
      meta={<ToolMeta {...parts} />}
      isLongMeta={hasLongMeta(parts)}
      body={hasBody(parts) ? () => <ToolBody {...parts} /> : undefined}
    />
  );
}

/** True when an approval waits in a call of a sub-agent: it must not be hidden in a closed row. */
function hasWaiting(row: Row): boolean {
  return approvalOf(row)?.status === "pending" || row.children.value.some(hasWaiting);
}

function lookOf(item: ToolItem, { doing, done }: Described, refusal: Refusal | null): Look {
  if (refusal) return { icon: refusal.icon, iconClass: "", verb: refusal.verb };
  if (item.status === "running") return { icon: "run", iconClass: "nbh-spin", verb: doing };
  if (item.synthetic) return { icon: "stop", iconClass: "nbh-small-icon", verb: "Stopped" };
  if (item.status === "failed") return { icon: "cross", iconClass: "nbh-i-err", verb: "Failed" };
  return { icon: "tick", iconClass: "", verb: done };
}

interface Look {
  readonly icon: IconName;
  readonly iconClass: string;
  readonly verb: string;
}

interface TitleProps {
  readonly verb: string;
  readonly described: Described;
  readonly diffs?: readonly FileDiff[];
  readonly reason?: string;
}

function Title({ verb, described: { subject, isCode }, diffs = [], reason = "" }: TitleProps) {
  const { added, removed } = changeTotals(diffs);
  return (
    <>
      <span class="nbh-verb">{verb}</span>
      {isCode ? (
        <code>
          <OneLine text={subject} />
        </code>
      ) : (
        <OneLine text={subject} />
      )}
      {diffs.length > 0 && <span class="nbh-meta"> {changeCount(added, removed)}</span>}
      {reason !== "" && (
        <span class="nbh-meta">
          {" “"}
          <OneLine text={reason} />”
        </span>
      )}
    </>
  );
}
