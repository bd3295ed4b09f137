/** The icons: 16 units square, drawn with one stroke in the colour of the text. The words beside them say the same. */

const PATHS = {
  tick: "M3.5 8.5l3 3 6-7",
  cross: "M4.5 4.5l7 7m0-7l-7 7",
  run: "M8 2.5A5.5 5.5 0 1 1 2.5 8",
  ask: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11",
  no: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M4.2 4.2l7.6 7.6",
  think: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  you: "M8 3a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5M3 13.5c.6-2.8 2.5-4 5-4s4.4 1.2 5 4",
  open: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11",
  half: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11",
  list: "M2.5 4.5l1 1 2-2M2.5 10.5l1 1 2-2M8.5 5h5M8.5 11h5",
  pen: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3z",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3l2 1.5",
  warn: "M8 2.5l6 10.5H2zM8 6.5v3M8 11.3v.01",
  note: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 7.5v3M8 5.2v.01",
  stop: "M4 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2",
  plug: "M6 2v3m4-3v3M4 5h8v2.5a4 4 0 0 1-8 0zM8 11.5V14",
  off: "M8 2v5M4.5 4.2a5.2 5.2 0 1 0 7 0",
  undo: "M6 3.5L3 6.5l3 3M3 6.5h6.5a3.2 3.2 0 0 1 0 6.5H7",
  chevron: "M6.5 4.5L10 8l-3.5 3.5",
} as const;

/** Parts that are filled. */
const SOLID: { readonly [name in IconName]?: string } = {
  ask: "M8 6a2 2 0 1 0 0 4a2 2 0 1 0 0-4",
  half: "M8 2.5a5.5 5.5 0 0 1 0 11z",
  stop: PATHS.stop,
};

export type IconName = keyof typeof PATHS;

interface IconProps {
  readonly name: IconName;
  /** More classes; `nbh-g` puts the icon into the first column of a row. */
  readonly class?: string;
}

export function Icon({ name, class: more = "" }: IconProps) {
  return (
    <svg class={`nbh-icon nbh-icon-${name} ${more}`.trim()} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
      {SOLID[name] && <path class="nbh-solid" d={SOLID[name]} />}
    </svg>
  );
}
