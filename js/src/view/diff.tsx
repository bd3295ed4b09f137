/** One file's change: a line with its name and counts, and the table. */

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type FilePatch, parsePatch } from "../diff/parse";
import { diffTable } from "../diff/table";
import type { FileDiff } from "../events.gen";
import { changeCount, plural } from "../words/format";
import { CopyButton } from "./copy-button";
import { Inspected } from "./inspected";
import { Output } from "./terminal";

interface DiffProps {
  readonly diff: FileDiff;
  /** Leaves out the line with the file's name, which then stands above. */
  readonly isBare?: boolean;
  /** False for a diff that is only to be read: no other form of it, no copy. */
  readonly hasTools?: boolean;
}

export function DiffCard({ diff, isBare = false, hasTools = true }: DiffProps) {
  const patches = useMemo(() => parsePatch(diff.patch), [diff.patch]);
  const [split, setSplit] = useState(false);
  if (patches.length === 0 && diff.patch !== "")
    return <Output text={diff.patch} fold={{ head: 20, tail: 0 }} />;
  return (
    <div class="nbh-file-diff">
      {!isBare && <FileHead diff={diff} hasTools={hasTools} split={split} onSplit={setSplit} />}
      {patches.map((patch) => (
        <PatchView patch={patch} split={split} name={diff.path} />
      ))}
      {diff.truncated !== undefined && diff.truncated > 0 && (
        <p class="nbh-meta">{plural(diff.truncated, "byte")} of the diff were left out</p>
      )}
    </div>
  );
}

interface PatchProps {
  readonly patch: FilePatch;
  readonly split?: boolean;
  /** The file's name as the reader knows it; another one in the patch is shown. */
  readonly name: string;
}

/** A patch's tables: side by side on a wide card, if wanted, else one below the other. */
export function PatchView({ patch, split = false, name }: PatchProps) {
  const notes = [patch.path !== "" && !name.endsWith(patch.path) ? patch.path : "", ...patch.notes];
  return (
    <>
      {notes.some((note) => note !== "") && (
        <p class="nbh-meta">
          <Inspected text={notes.filter((note) => note !== "").join(", ")} />
        </p>
      )}
      {split && <Table patch={patch} split name={name} class="nbh-only-wide" />}
      <Table patch={patch} split={false} name={name} class={split ? "nbh-only-narrow" : ""} />
    </>
  );
}

interface TableProps extends Required<PatchProps> {
  readonly class: string;
}

function Table({ patch, split, name, class: more }: TableProps) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (patch.hunks.length === 0) return;
    host.current?.replaceChildren(diffTable(patch, { split, caption: `Changes to ${name || patch.path}` }));
  }, [patch, split, name]);
  return patch.hunks.length > 0 ? <div ref={host} class={more} data-nbh="diff" /> : null;
}

interface FileHeadProps {
  readonly diff: FileDiff;
  readonly hasTools: boolean;
  readonly split: boolean;
  readonly onSplit: (split: boolean) => void;
}

function FileHead({ diff, hasTools, split, onSplit }: FileHeadProps) {
  return (
    <div class="nbh-file">
      <code>
        <Inspected text={diff.path} />
      </code>
      <span class="nbh-meta">{changeCount(diff.added, diff.removed)}</span>
      {hasTools && <DiffTools diff={diff} split={split} onSplit={onSplit} />}
    </div>
  );
}

function DiffTools({ diff, split, onSplit }: Omit<FileHeadProps, "hasTools">) {
  return (
    <span class="nbh-push">
      <span class="nbh-only-wide">
        <button type="button" class="nbh-q nbh-sm" aria-pressed={!split} onClick={() => onSplit(false)}>
          Unified
        </button>
        <button type="button" class="nbh-q nbh-sm" aria-pressed={split} onClick={() => onSplit(true)}>
          Split
        </button>
      </span>
      <CopyButton text={diff.patch} look="nbh-q nbh-sm">
        Copy
      </CopyButton>
    </span>
  );
}
