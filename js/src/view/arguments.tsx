/** Everything an approval would let through. Nothing hides: text wraps, chips mark what cannot be seen, the rest is listed. */

import { useMemo, useState } from "preact/hooks";
import { patchBetween } from "../diff/between";
import { type FilePatch, parsePatch } from "../diff/parse";
import type { FileDiff } from "../events.gen";
import { isRecord, linesOf, readable, textOf } from "../json";
import type { Reading } from "../suspicious/inspect";
import { plural } from "../words/format";
import type { Described } from "../words/verbs";
import { DiffCard, PatchView } from "./diff";
import { Inspected } from "./inspected";

interface ArgumentsProps {
  readonly args: unknown;
  readonly diffs: readonly FileDiff[];
  readonly described: Described;
  /** True when a title above names the subject of an edit already. */
  readonly isTitled?: boolean;
}

/** Drawn the same while it waits and after it was decided. */
export function Arguments({ args, diffs, described, isTitled = false }: ArgumentsProps) {
  const { kind, subject, used } = described;
  // A call may be called a command without naming one: then all of it is shown, not what the agent calls it.
  if (kind === "command" && (used.length > 0 || typeof args === "string")) {
    return (
      <>
        <Block text={subject} reading="command" />
        <Rest args={args} without={used} />
      </>
    );
  }
  if (diffs.length > 0) {
    return (
      <>
        {diffs.map((diff) => (
          <DiffCard diff={diff} isBare={isTitled && diffs.length === 1} hasTools={!isTitled} />
        ))}
        <Rest args={args} without={[...used, ...CHANGE_FIELDS]} />
        {isRecord(args) && CHANGE_FIELDS.some((name) => name in args) && <Raw args={args} />}
      </>
    );
  }
  return <Change args={args} described={described} />;
}

const OLD_FIELDS = ["old_string", "oldText", "old_str", "old_text"] as const;
const NEW_FIELDS = ["new_string", "newText", "new_str", "new_text"] as const;
const PATCH_FIELDS = ["patch", "diff", "unified_diff"] as const;
const CONTENT_FIELDS = ["content", "contents", "file_text", "text"] as const;
const CHANGE_FIELDS = [...OLD_FIELDS, ...NEW_FIELDS, ...PATCH_FIELDS, ...CONTENT_FIELDS, "edits"] as const;

/** An edit or a new file that came without a diff, or any other call. */
function Change({ args, described: { kind, subject, used } }: Pick<ArgumentsProps, "args" | "described">) {
  const change = useMemo(() => changeOf(args), [args]);
  const isFile = kind === "edit" || kind === "write";
  if (isFile && change) {
    return (
      <>
        {change.patches.map((patch) => (
          <PatchView patch={patch} name={subject} />
        ))}
        {change.content !== null && <Block text={change.content} reading="text" />}
        <Rest args={args} without={[...used, ...change.used]} />
      </>
    );
  }
  const rest = isRecord(args)
    ? Object.fromEntries(Object.entries(args).filter(([name]) => !used.includes(name)))
    : args;
  if (isRecord(rest) && Object.keys(rest).length === 0) return null;
  if (isRecord(args) && used.length > 0) return <Rest args={args} without={used} />;
  return <Block text={readable(args)} reading="text" />;
}

function changeOf(args: unknown): { patches: FilePatch[]; content: string | null; used: string[] } | null {
  if (!isRecord(args)) return null;
  const first = (names: readonly string[]): string | undefined =>
    names.find((name) => typeof args[name] === "string");
  const [before, after, patch, content] = [OLD_FIELDS, NEW_FIELDS, PATCH_FIELDS, CONTENT_FIELDS].map(first);
  if (before && after) {
    return {
      patches: [patchBetween(textOf(args[before]), textOf(args[after]))],
      content: null,
      used: [before, after],
    };
  }
  const patches = patch ? parsePatch(textOf(args[patch])) : [];
  if (patch && patches.length > 0) return { patches, content: null, used: [patch] };
  return content ? { patches: [], content: textOf(args[content]), used: [content] } : null;
}

/** The arguments behind a diff, for who wants to see the bytes themselves. */
function Raw({ args }: { readonly args: unknown }) {
  const [isShown, setShown] = useState(false);
  if (isShown) return <Block text={readable(args)} reading="text" />;
  return (
    <button type="button" class="nbh-q nbh-sm nbh-left" onClick={() => setShown(true)}>
      Show arguments
    </button>
  );
}

/** How much of a long text is shown at first. */
const MAX_LINES = 400;
const MAX_CHARACTERS = 40_000;

interface BlockProps {
  readonly text: string;
  readonly reading: Reading;
}

/** A text as it is, on the ground of the card. */
export function Block({ text, reading }: BlockProps) {
  const [isWhole, setWhole] = useState(false);
  const end = useMemo(() => firstPart(text), [text]);
  const hidden = isWhole ? "" : text.slice(end);
  return (
    <>
      <pre class="nbh-cmd">
        <Inspected text={hidden === "" ? text : text.slice(0, end)} reading={reading} />
      </pre>
      {hidden !== "" && (
        <button type="button" class="nbh-q nbh-sm nbh-left" onClick={() => setWhole(true)}>
          Show the rest, {plural(linesOf(hidden).length, "line")} of {plural(linesOf(text).length, "line")}
        </button>
      )}
    </>
  );
}

/** Returns where the part that is shown at first ends. */
function firstPart(text: string): number {
  let end = -1;
  for (let line = 0; line < MAX_LINES; line += 1) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) return Math.min(text.length, MAX_CHARACTERS);
  }
  return Math.min(end, MAX_CHARACTERS);
}

interface RestProps {
  readonly args: unknown;
  readonly without: readonly string[];
}

/** The fields that are shown nowhere else, a line each. */
function Rest({ args, without }: RestProps) {
  const entries = isRecord(args) ? Object.entries(args).filter(([name]) => !without.includes(name)) : [];
  if (entries.length === 0) return null;
  return (
    <dl class="nbh-rest">
      {entries.map(([name, value]) => (
        <div>
          <dt>
            <Inspected text={name} />
          </dt>
          <dd>
            <Value text={readable(value) || JSON.stringify(value)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** From this length on, a value stands in a block of its own. */
const LONG = 2000;

function Value({ text }: { readonly text: string }) {
  return text.length > LONG ? <Block text={text} reading="text" /> : <Inspected text={text} />;
}
