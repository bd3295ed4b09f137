/** What a tool's row holds: the decision, the arguments that the row could not show, changes, output, and a sub-agent's steps. */

import type { ToolItem } from "../items";
import { isRecord, readable, textOf } from "../json";
import type { Fold } from "../term/view";
import { decisionSentence } from "../words/outcome";
import { type Described, describe } from "../words/verbs";
import { Arguments } from "./arguments";
import { DiffCard } from "./diff";
import { Inspected } from "./inspected";
import { Output } from "./terminal";
import type { ToolParts } from "./tool-meta";

/** Commands up to this length stand whole in the row. */
const SHORT = 48;

export function hasBody(parts: ToolParts): boolean {
  const { row, item } = parts;
  return (
    row.children.value.length > 0 ||
    item.diffs.length > 0 ||
    outputOf(item) !== "" ||
    decisionOf(parts) !== "" ||
    needsArguments(parts)
  );
}

export function ToolBody(parts: ToolParts) {
  const { row, item, approval, described, drawInside } = parts;
  const output = outputOf(item);
  // "The file was updated" says nothing beside the change itself.
  const isNoise = item.diffs.length > 0 && item.status === "ok";
  return (
    <>
      <Decision {...parts} />
      {needsArguments(parts) && (
        <div class="nbh-body">
          <Arguments
            args={approval?.edited ? approval.editedArgs : item.args}
            diffs={[]}
            described={described}
          />
        </div>
      )}
      {item.diffs.length > 0 && (
        <div class="nbh-body">
          {item.diffs.map((diff) => (
            <DiffCard diff={diff} />
          ))}
        </div>
      )}
      {row.children.value.length > 0 && <div class="nbh-kids">{drawInside(row.children.value)}</div>}
      {output !== "" && !isNoise && <Output text={output} fold={foldOf(item, described)} />}
    </>
  );
}

function Decision({ approval, refusal, ...parts }: ToolParts) {
  const sentence = decisionOf({ approval, refusal, ...parts });
  if (!approval || sentence === "") return null;
  const { subject } = describe(approval.toolName, approval.args, approval.toolKind);
  return (
    <p class="nbh-body nbh-thought nbh-small">
      {approval.edited && (
        <>
          Asked:{" "}
          <code>
            <Inspected text={subject} reading="command" />
          </code>
          .{" "}
        </>
      )}
      {sentence}
    </p>
  );
}

function decisionOf({ approval }: ToolParts): string {
  return approval ? decisionSentence(approval) : "";
}

/** The result, or what was printed on the way when there is none. */
function outputOf({ status, output, stream }: ToolItem): string {
  if (output === null || (status === "running" && output === undefined)) return stream;
  const text = isRecord(output) && typeof output.text === "string" ? output.text : readable(output);
  // A result that is shorter than what was printed is a summary of it.
  return text === "" ? stream : text;
}

/** True when the row's one line does not show all that was asked. */
function needsArguments({ item, described: { kind, subject, used }, refusal }: ToolParts): boolean {
  const others = isRecord(item.args) ? Object.keys(item.args).filter((name) => !used.includes(name)) : [];
  if (kind === "command") return subject.includes("\n") || subject.length > SHORT || others.length > 0;
  if (item.diffs.length > 0) return false;
  if (kind === "agent") return textOf(isRecord(item.args) ? item.args.prompt : "") !== "";
  return others.length > 0 || (refusal !== null && kind !== "other");
}

function foldOf({ status }: ToolItem, { kind }: Described): Fold {
  if (status === "failed") return { head: 2, tail: 3 };
  return kind === "command" ? { head: 0, tail: 20 } : { head: 20, tail: 0 };
}
