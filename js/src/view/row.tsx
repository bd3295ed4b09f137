/** One item of a turn as the card of its kind. */

import type { Row } from "../rows";
import { useView } from "./context";
import { DecidedApproval } from "./decided";
import { RowList } from "./list";
import { MessageCard } from "./message";
import { NoticeCard } from "./notice";
import { PlanCard } from "./plan";
import { QuestionCard } from "./question/question";
import { ThinkingCard } from "./thinking";
import { TodosCard } from "./todos";
import { PendingApproval, ToolCard } from "./tool";
import { UnknownCard } from "./unknown";

/** Draws rows; a sub-agent's tool row holds a list of its own. */
export function Rows({ rows }: { readonly rows: readonly Row[] }) {
  return <RowList rows={rows} draw={(row) => <RowView key={row.key} row={row} />} />;
}

function RowView({ row }: { readonly row: Row }) {
  const { store } = useView();
  const item = row.item.value;
  const id = `row ${row.key}`;
  switch (item.kind) {
    case "message":
      return <MessageCard item={item} isOpen={store.openKey.value === row.key} />;
    case "thinking":
      return <ThinkingCard id={id} item={item} isOpen={store.openKey.value === row.key} />;
    case "tool":
      return <ToolCard row={row} item={item} drawInside={(rows) => <Rows rows={rows} />} />;
    case "approval":
      return item.status === "pending" ? (
        <PendingApproval approval={item} />
      ) : (
        <DecidedApproval id={id} approval={item} />
      );
    case "plan":
      return <PlanCard id={id} item={item} />;
    case "todos":
      return <TodosCard id={id} item={item} isRunning={!store.isSettled.value} />;
    case "question":
      return <QuestionCard id={id} item={item} />;
    case "changes":
      return null; // drawn below the answer, with the rest of what the turn changed
    case "notice":
      return <NoticeCard item={item} />;
    case "unknown":
      return <UnknownCard id={id} item={item} />;
    default:
      return unreachable(item);
  }
}

/** Fails to compile when a kind of item has no card. */
function unreachable(item: never): never {
  throw new Error(`no card for ${JSON.stringify(item)}`);
}
