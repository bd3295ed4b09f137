/** Messages for the agent that it has not taken up yet, oldest first. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Item, QueuedMessage } from "../items";
import type { Sent } from "../store";
import { refusedReply } from "../words/reply";
import { useView } from "./context";
import { Icon } from "./icon";
import { OneLine } from "./inspected";

interface QueueProps {
  /** Takes the text of a message that was taken back to be changed. */
  readonly onEdit: (text: string) => void;
}

export function Queue({ onEdit }: QueueProps) {
  const { store } = useView();
  const [edited, setEdited] = useState<QueuedMessage | null>(null);
  const isBack = edited && store.sent.value.get(withdrawal(edited.id))?.reply?.status === "ok";
  useEffect(() => {
    // Only once the kernel gave it back: until then the agent may take it as it is.
    if (edited && isBack) onEdit(edited.text);
    if (isBack) setEdited(null);
  }, [isBack]);
  if (store.isSettled.value) return null;
  return (
    <>
      {store.turn.value.queued.map((message) => (
        <WaitingRow key={message.id} message={message} onEdit={() => setEdited(message)} />
      ))}
      {onTheirWay([...store.sent.value], store.turn.value.items).map(([about, sent]) => (
        <SentRow key={about} about={about} sent={sent} onEdit={onEdit} />
      ))}
    </>
  );
}

const withdrawal = (id: string): string => `withdraw ${id}`;

/** What was sent here and has not been told of by the kernel; each message that arrived accounts for one of the same text. */
function onTheirWay(sent: readonly (readonly [string, Sent])[], items: readonly Item[]): typeof sent {
  const arrived = items.flatMap((item) =>
    item.kind === "message" && item.role === "user" ? [item.text] : [],
  );
  return sent.filter(([, { input, reply }]) => {
    // One for afterwards is the kernel's to tell of, once it has it.
    if (input.type !== "message" || (input.when === "after" && reply?.status === "ok")) return false;
    const place = arrived.indexOf(input.text);
    if (place >= 0) arrived.splice(place, 1);
    return place < 0;
  });
}

interface WaitingProps {
  readonly message: QueuedMessage;
  readonly onEdit: () => void;
}

/** A message that the kernel keeps until the agent has finished its answer. */
function WaitingRow({ message: { id, text }, onEdit }: WaitingProps) {
  const { store } = useView();
  const about = withdrawal(id);
  const sent = store.sent.value.get(about);
  const takeBack = (): void => {
    if (sent && !sent.reply) store.sendAgain(about);
    else store.send({ type: "withdraw", id }, about);
  };
  return (
    <QueueRow text={text} verb="Queued" problem={refusedReply(sent)}>
      <RowButton
        hook="edit-queued"
        onClick={() => {
          onEdit();
          takeBack();
        }}
      >
        Edit
      </RowButton>
      <RowButton hook="withdraw" onClick={takeBack}>
        Discard
      </RowButton>
    </QueueRow>
  );
}

interface SentRowProps {
  readonly about: string;
  readonly sent: Sent;
  readonly onEdit: (text: string) => void;
}

/** A message that was sent here; the kernel has not said yet what becomes of it, or did not take it. */
function SentRow({ about, sent, onEdit }: SentRowProps) {
  const { store } = useView();
  const problem = refusedReply(sent);
  const text = sent.input.type === "message" ? sent.input.text : "";
  return (
    <QueueRow text={text} verb={problem ? "Not taken" : "Queued"} problem={problem}>
      {problem && (
        <>
          <RowButton
            hook="edit-queued"
            onClick={() => {
              store.forget(about);
              onEdit(text);
            }}
          >
            Edit
          </RowButton>
          <RowButton hook="withdraw" onClick={() => store.forget(about)}>
            Discard
          </RowButton>
        </>
      )}
    </QueueRow>
  );
}

interface QueueRowProps {
  readonly text: string;
  readonly verb: string;
  readonly problem: string;
  readonly children: ComponentChildren;
}

function QueueRow({ text, verb, problem, children }: QueueRowProps) {
  return (
    <div class="nbh-queue" data-nbh="queued">
      <Icon name={problem ? "warn" : "clock"} class={`nbh-g ${problem ? "nbh-i-warn" : "nbh-i-mute"}`} />
      <span class="nbh-c">
        <span class="nbh-verb">{verb}</span>
        <OneLine text={text} />
        {problem && <div class="nbh-meta nbh-plain">{problem}</div>}
      </span>
      <span class="nbh-r">{children}</span>
    </div>
  );
}

interface RowButtonProps {
  readonly hook: string;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

function RowButton({ hook, onClick, children }: RowButtonProps) {
  return (
    <button type="button" class="nbh-q nbh-sm" data-nbh={hook} onClick={onClick}>
      {children}
    </button>
  );
}
