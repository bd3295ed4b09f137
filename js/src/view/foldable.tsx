/** A row of one line that opens. What a person opened or closed by hand stays so, whatever happens in the turn. */

import type { ComponentChildren } from "preact";
import { useView } from "./context";
import { Icon, type IconName } from "./icon";

interface FoldableProps {
  /** Names the row among those of the turn. */
  readonly id: string;
  /** Open unless a person closed it. */
  readonly isOpen?: boolean;
  /** Cannot be closed while this holds. */
  readonly mustOpen?: boolean;
  readonly icon: IconName;
  readonly iconClass?: string;
  /** The line: a verb and what it is about. */
  readonly title: ComponentChildren;
  /** The right end of the line. */
  readonly meta?: ComponentChildren;
  /** On a narrow card the meta goes under the title. */
  readonly isLongMeta?: boolean;
  /** Name of the stable hook. */
  readonly hook?: string;
  /** Drawn only while the row is open; without it the row is a plain line. */
  readonly body?: (() => ComponentChildren) | undefined;
}

export function Foldable(props: FoldableProps) {
  const { store } = useView();
  const { id, isOpen = false, mustOpen = false, isLongMeta = false, hook, body } = props;
  const row = isLongMeta ? "nbh-row nbh-two" : "nbh-row";
  if (!body) {
    return (
      <div class={row} data-nbh={hook}>
        <Line {...props} />
      </div>
    );
  }
  const open = mustOpen || (store.byHand.value.get(id) ?? isOpen);
  const toggle = (event: Event): void => {
    event.preventDefault();
    store.openByHand(id, !open);
  };
  return (
    <details open={open} data-nbh={hook}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is interactive, and makes clicks of Enter and Space */}
      <summary class={row} onClick={toggle}>
        <Line {...props} hasBody />
      </summary>
      {open && body()}
    </details>
  );
}

function Line({
  icon,
  iconClass = "",
  title,
  meta,
  hasBody = false,
}: FoldableProps & { readonly hasBody?: boolean }) {
  return (
    <>
      <Icon name={icon} class={`nbh-g ${iconClass}`.trim()} />
      <span class="nbh-c">{title}</span>
      <span class="nbh-r nbh-meta">
        {meta}
        {hasBody && <Icon name="chevron" class="nbh-chev" />}
      </span>
    </>
  );
}

/** Parts of a meta text, with a dot between them; empty ones are left out. */
export function Dotted({ parts }: { readonly parts: readonly ComponentChildren[] }) {
  const shown = parts.filter((part) => part !== "" && part !== null && part !== undefined && part !== false);
  return (
    <>
      {shown.map((part, i) => (
        <span key={i} class={i > 0 ? "nbh-sep" : undefined}>
          {part}
        </span>
      ))}
    </>
  );
}
