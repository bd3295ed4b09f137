/** What a finished turn changed, file by file: the last one open. */

import type { FileDiff } from "../events.gen";
import type { ChangesItem } from "../items";
import { reportedBy } from "../reported";
import { changedFiles, changeTotals, snapshotOf } from "../selectors";
import { changeCount, plural } from "../words/format";
import { useView } from "./context";
import { CopyButton } from "./copy-button";
import { DiffCard } from "./diff";
import { Foldable } from "./foldable";
import { Icon } from "./icon";
import { Inspected } from "./inspected";

export function Changes() {
  const { store } = useView();
  const turn = store.turn.value;
  const files = [...changedFiles(turn)];
  const snapshot = snapshotOf(turn);
  const isReported = reportedBy(turn);
  const isUntold = (path: string): boolean => snapshot !== null && !isReported(path);
  const hidden = snapshot ? snapshot.files - snapshot.diffs.length : 0;
  return (
    <>
      {files.length > 0 && <Heading files={files} snapshot={snapshot} />}
      {files.map(([path, diffs], i) => (
        <FileChange
          key={path}
          path={path}
          diffs={diffs}
          isLast={i === files.length - 1}
          isUntold={isUntold(path)}
        />
      ))}
      {hidden > 0 && <Aside text={`${plural(hidden, "file")} more, not shown`} />}
      {snapshot?.ignored.map((path) => (
        <Aside key={path} text={`Ignored by git, so in no diff: ${path}`} />
      ))}
      {snapshot?.nested.map((path) => (
        <Aside key={path} text={`A repository of its own, so in no diff: ${path}`} />
      ))}
      {snapshot?.staleModules.map((name) => (
        <StaleImport key={name} name={name} />
      ))}
    </>
  );
}

interface HeadingProps {
  readonly files: readonly (readonly [string, readonly FileDiff[]])[];
  readonly snapshot: ChangesItem | null;
}

/** Says whose word it is: two looks at the workspace, or only what the tools told. */
function Heading({ files, snapshot }: HeadingProps) {
  const { added, removed } = snapshot ?? changeTotals(files.flatMap(([, diffs]) => diffs));
  return (
    <h3 class="nbh-row nbh-changes" data-nbh="changes">
      <span class="nbh-wide">
        {snapshot ? "Changed in the workspace" : "Changed by its tools"}{" "}
        <span class="nbh-meta">
          {plural(snapshot?.files ?? files.length, "file")} {changeCount(added, removed)}
        </span>
      </span>
    </h3>
  );
}

function Aside({ text }: { readonly text: string }) {
  return (
    <p class="nbh-body nbh-meta">
      <Inspected text={text} />
    </p>
  );
}

function StaleImport({ name }: { readonly name: string }) {
  return (
    <div class="nbh-row" data-nbh="stale">
      <Icon name="warn" class="nbh-g nbh-i-warn" />
      <span class="nbh-c">
        <span class="nbh-verb">Stale import</span>
        this kernel still holds the old{" "}
        <code>
          <Inspected text={name} />
        </code>
      </span>
      <span class="nbh-r">
        <CopyButton text={`import importlib, ${name}; importlib.reload(${name})`} look="nbh-q nbh-sm">
          Copy reload
        </CopyButton>
      </span>
    </div>
  );
}

interface FileProps {
  readonly path: string;
  readonly diffs: readonly FileDiff[];
  readonly isLast: boolean;
  /** True when no tool call told of it. */
  readonly isUntold: boolean;
}

function FileChange({ path, diffs, isLast, isUntold }: FileProps) {
  const { added, removed } = changeTotals(diffs);
  const [only] = diffs;
  // The open one carries its own line, with the ways to show it.
  if (isLast && only && diffs.length === 1 && !isUntold) {
    return (
      <div class="nbh-body nbh-change">
        <DiffCard diff={only} />
      </div>
    );
  }
  return (
    <Foldable
      id={`change ${path}`}
      hook="change"
      icon="pen"
      isOpen={isLast}
      title={
        <>
          <code>
            <Inspected text={path} />
          </code>{" "}
          <span class="nbh-meta">
            {changeCount(added, removed)}
            {isUntold && " · not asked"}
          </span>
        </>
      }
      body={() => (
        <div class="nbh-body">
          {diffs.map((diff) => (
            <DiffCard diff={diff} />
          ))}
        </div>
      )}
    />
  );
}
