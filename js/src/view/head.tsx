/** The first line of a turn: who works, on what, how much it may do unasked, and what the agent calls its session. */

import type { Choice } from "../events.gen";
import { useView } from "./context";
import { Dotted } from "./foldable";
import { OneLine } from "./inspected";

const MODES: Readonly<Record<string, string>> = {
  require: "asks first",
  auto: "approves by itself",
  off: "asks nothing",
};

export function Head() {
  const { store } = useView();
  const { agent, definition, model, models, approvalMode, planMode, mode, modes, title, workspace, status } =
    store.turn.value;
  if (status === "waiting") return null;
  const ours = planMode ? "plans first" : (MODES[approvalMode] ?? approvalMode);
  // What the agent calls its usual mode says nothing, and that it plans is said.
  const own = mode === "default" || (planMode && mode === "plan") ? "" : nameOf(mode, modes);
  return (
    <div class="nbh-head">
      <span class="nbh-wide nbh-line-dots">
        <Dotted
          parts={[
            <b>{agent || "agent"}</b>,
            definition && <OneLine text={definition} />,
            model && <OneLine text={nameOf(model, models)} />,
            ours,
            own && (
              <>
                mode <OneLine text={own} />
              </>
            ),
            title && (
              <span class="nbh-opt nbh-session">
                <OneLine text={title} />
              </span>
            ),
            workspace && <bdi class="nbh-opt">{workspace}</bdi>,
          ]}
        />
      </span>
    </div>
  );
}

/** Returns what the agent calls one of its choices. */
function nameOf(id: string, choices: readonly Choice[]): string {
  return choices.find((choice) => choice.id === id)?.name || id;
}
