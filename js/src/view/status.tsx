/** The line at the live edge: how things stand while the turn runs, what came of it afterwards. */

import type { ComponentChildren } from "preact";
import { now } from "../clock";
import type { TurnState } from "../items";
import { workedSeconds } from "../selectors";
import { endingOf, keptOf, resultOf, type Tone } from "../words/ending";
import { clockTime, compact, dollars, timeOfDay } from "../words/format";
import { waitingWords } from "../words/waiting";
import { useView } from "./context";
import { CopyButton } from "./copy-button";
import { Countdown } from "./countdown";
import { Dotted } from "./foldable";
import { Icon, type IconName } from "./icon";
import { UndoButton, UndoLine } from "./undo";
import { WithCode } from "./with-code";

interface StatusProps {
  readonly isComposing: boolean;
  readonly onCompose: () => void;
}

export function Status({ isComposing, onCompose }: StatusProps) {
  const { store } = useView();
  const { state, detached, heardAt } = store.link.value;
  const turn = store.turn.value;
  if (store.isSettled.value) return <Footer turn={turn} />;
  if (state === "gone") return <Gone heardAt={heardAt} />;
  if (turn.status === "waiting") {
    const words = state === "connecting" ? "Waiting for the kernel" : "Starting";
    return <Line icon="run" iconClass="nbh-spin" parts={[<b>{words}</b>]} />;
  }
  const buttons = (
    <>
      {!isComposing && (
        <button type="button" class="nbh-q" data-nbh="compose" onClick={onCompose}>
          <Icon name="pen" class="nbh-only-narrow" />
          <span class="nbh-label">Message</span>
        </button>
      )}
      <Stop />
    </>
  );
  return detached ? <Detached>{buttons}</Detached> : <Running>{buttons}</Running>;
}

/** Working, or waiting for a person: then the clock stands still. */
function Running({ children }: { readonly children: ComponentChildren }) {
  const { store } = useView();
  const turn = store.turn.value;
  const waiting = store.waiting.value.length;
  const clock = clockTime(workedSeconds(turn, store.clock.kernelTime(now.value)));
  if (waiting === 0) {
    return (
      <Line
        icon="run"
        iconClass="nbh-spin"
        parts={[<b>Working</b>, clock, tokensOf(turn), costOf(turn)]}
        buttons={children}
      />
    );
  }
  const many = waiting > 1 ? waitingWords(store.waiting.value) : "";
  const parts = [<b>Needs you</b>, many, `clock stopped at ${clock}`];
  return <Line icon="ask" iconClass="nbh-i-ask" parts={parts} buttons={children} />;
}

function Detached({ children }: { readonly children: ComponentChildren }) {
  const { store } = useView();
  const waiting = store.waiting.value.length;
  const clock = clockTime(workedSeconds(store.turn.value, store.clock.kernelTime(now.value)));
  return (
    <Line
      icon="plug"
      iconClass="nbh-i-warn"
      parts={[
        <b>Runs without this cell</b>,
        waiting > 0 ? `${waitingWords(store.waiting.value)} waiting` : clock,
      ]}
      buttons={
        <>
          <CopyCommand command="%coder --attach" />
          {children}
        </>
      }
      more={
        <>
          The cell gave way because no page answered. You can answer here; <code>%coder --attach</code> waits
          again.
        </>
      }
    />
  );
}

function Gone({ heardAt }: { readonly heardAt: number | null }) {
  return (
    <Line
      icon="off"
      iconClass="nbh-i-err"
      parts={[<b>Kernel gone</b>, heardAt === null ? "" : `last heard ${timeOfDay(heardAt / 1000)}`]}
      buttons={<CopyCommand command="%coder --continue" />}
      more={
        <>
          The transcript up to there is stored. Start the kernel, then <code>%coder --continue</code>.
        </>
      }
    />
  );
}

const LOOKS: Readonly<Record<Tone, { icon: IconName; iconClass: string }>> = {
  done: { icon: "tick", iconClass: "nbh-i-mute" },
  stopped: { icon: "stop", iconClass: "nbh-i-mute nbh-small-icon" },
  limit: { icon: "clock", iconClass: "nbh-i-warn" },
  careful: { icon: "warn", iconClass: "nbh-i-warn" },
  failed: { icon: "cross", iconClass: "nbh-i-err" },
};

function Footer({ turn }: { readonly turn: TurnState }) {
  const ending = endingOf(turn);
  const { store, undo } = useView();
  const took =
    turn.startedAt === null ? "" : clockTime(workedSeconds(turn, store.clock.kernelTime(now.peek())));
  const wait = turn.retryAfter !== null && turn.endedAt !== null ? turn.endedAt + turn.retryAfter : null;
  const why = wait === null ? ending.why && <WithCode text={ending.why} /> : <Countdown until={wait} />;
  const isBroken = ending.tone !== "done" && ending.tone !== "stopped";
  const result = isBroken ? "" : resultOf(turn);
  const more = [ending.detail, result === "" ? keptOf(turn) : ""].filter((text) => text !== "").join(" ");
  return (
    <Line
      {...LOOKS[ending.tone]}
      parts={[<b>{ending.words}</b>, why, took, tokensOf(turn), costOf(turn), result]}
      buttons={
        <>
          {turn.response && <CopyButton text={turn.response}>Copy</CopyButton>}
          {undo && <UndoButton undo={undo} />}
        </>
      }
      more={
        (more || undo?.state.value.outcome) && (
          <>
            {more && <WithCode text={more} />}
            {undo && <UndoLine undo={undo} />}
          </>
        )
      }
    />
  );
}

function Stop() {
  const { store } = useView();
  const sent = store.sent.value.get("abort");
  return (
    <button
      type="button"
      class="nbh-stop"
      data-nbh="stop"
      aria-disabled={sent !== undefined}
      onClick={() => sent === undefined && store.send({ type: "abort", reason: "by you" }, "abort")}
    >
      <Icon name="stop" />
      {sent ? "Stopping" : "Stop"}
    </button>
  );
}

function CopyCommand({ command }: { readonly command: string }) {
  return (
    <CopyButton text={command} look="">
      Copy <code>{command}</code>
    </CopyButton>
  );
}

function tokensOf({ usage }: TurnState): string {
  const total = usage?.totalTokens ?? (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  return total > 0 ? `${compact(total)} tokens` : "";
}

/** A cost that nobody told is not nothing. */
function costOf(turn: TurnState): string {
  const cost = turn.usage?.costUsd;
  if (cost !== undefined) return dollars(cost);
  return tokensOf(turn) === "" ? "" : "cost unknown";
}

interface LineProps {
  readonly icon: IconName;
  readonly iconClass?: string;
  readonly parts: readonly ComponentChildren[];
  readonly buttons?: ComponentChildren;
  /** A second line. */
  readonly more?: ComponentChildren;
}

function Line({ icon, iconClass = "", parts, buttons, more }: LineProps) {
  return (
    <div class={`nbh-status ${more ? "nbh-two" : ""}`.trim()} data-nbh="status">
      <Icon name={icon} class={`nbh-g ${iconClass}`.trim()} />
      <span class="nbh-c nbh-line-dots">
        <Dotted parts={parts} />
      </span>
      <span class="nbh-r">{buttons}</span>
      {more && <div class="nbh-more-line">{more}</div>}
    </div>
  );
}
