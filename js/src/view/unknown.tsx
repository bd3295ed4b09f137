/** An event that this version does not know, or could not read. */

import type { UnknownItem } from "../items";
import { readable } from "../json";
import { Foldable } from "./foldable";
import { OneLine } from "./inspected";
import { Output } from "./terminal";

export function UnknownCard({ id, item }: { readonly id: string; readonly item: UnknownItem }) {
  return (
    <Foldable
      id={id}
      hook="unknown"
      icon="open"
      title={
        <>
          <span class="nbh-verb">Unknown event</span>
          <code>
            <OneLine text={item.type || "without a name"} />
          </code>
        </>
      }
      meta="kept as it came"
      body={() => <Output text={readable(item.raw)} fold={{ head: 20, tail: 0 }} />}
    />
  );
}
