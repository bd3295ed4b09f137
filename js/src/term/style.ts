/** The look of terminal text as one small number, and the SGR sequences that change it. */

/** 0 is plain. Bits 0-4: foreground colour + 1; 5-9: background colour + 1; then one bit for each attribute. */
export type Style = number;

export const PLAIN: Style = 0;

const ATTRIBUTES = ["bold", "dim", "italic", "underline", "inverse", "strike"] as const;
type Attribute = (typeof ATTRIBUTES)[number];

const SET: Readonly<Record<number, Attribute>> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  7: "inverse",
  9: "strike",
};
const CLEAR: Readonly<Record<number, readonly Attribute[]>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  29: ["strike"],
};

const COLOURS = 0b11111;
const bit = (attribute: Attribute): number => 1 << (10 + ATTRIBUTES.indexOf(attribute));

/** Returns the style after `CSI <parameters> m`; what it does not know changes nothing. */
export function applySgr(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
  let next = style;
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes.slice(i + 1));
      if (colour !== null) next = code === 38 ? foreground(next, colour) : background(next, colour);
      i += used;
    } else next = applyCode(next, code);
  }
  return next;
}

/** Returns the classes of a style, `""` for plain text. */
export function classesOf(style: Style): string {
  const fore = style & COLOURS;
  const back = (style >> 5) & COLOURS;
  const names: string[] = ATTRIBUTES.filter((attribute) => style & bit(attribute)).map(
    (name) => `nbh-t-${name}`,
  );
  if (fore > 0) names.push(`nbh-t-fg${fore - 1}`);
  if (back > 0) names.push(`nbh-t-bg${(back - 1) % 8}`);
  return names.join(" ");
}

function applyCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  const set = SET[code];
  if (set) return style | bit(set);
  const clear = CLEAR[code];
  if (clear) return clear.reduce((kept, attribute) => kept & ~bit(attribute), style);
  if (code >= 30 && code <= 37) return foreground(style, code - 30);
  if (code >= 90 && code <= 97) return foreground(style, code - 82);
  if (code === 39) return foreground(style, -1);
  if (code >= 40 && code <= 47) return background(style, code - 40);
  if (code >= 100 && code <= 107) return background(style, code - 92);
  return code === 49 ? background(style, -1) : style;
}

function foreground(style: Style, colour: number): Style {
  return (style & ~COLOURS) | (colour + 1);
}

function background(style: Style, colour: number): Style {
  return (style & ~(COLOURS << 5)) | ((colour + 1) << 5);
}

/** Reads `5;n` or `2;r;g;b`; returns one of the 16 colours of the theme and how many codes that took. */
function extended(codes: readonly number[]): [colour: number | null, used: number] {
  if (codes[0] === 5) return [fromPalette(codes[1] ?? 0), 2];
  if (codes[0] === 2) return [nearest(codes[1] ?? 0, codes[2] ?? 0, codes[3] ?? 0), 4];
  return [null, 0];
}

function fromPalette(index: number): number | null {
  if (index < 16) return index;
  if (index > 255) return null;
  if (index >= 232) return nearest(...grey(8 + (index - 232) * 10));
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

const grey = (value: number): [number, number, number] => [value, value, value];

/** Arbitrary colours are drawn in the nearest one of the theme's, which is readable on light and on dark alike. */
function nearest(red: number, green: number, blue: number): number {
  const brightest = Math.max(red, green, blue);
  if (brightest - Math.min(red, green, blue) < 40) return brightest < 64 ? 0 : brightest < 170 ? 8 : 7;
  const half = brightest / 2;
  const hue = Number(red > half) + 2 * Number(green > half) + 4 * Number(blue > half);
  return brightest > 200 ? hue + 8 : hue;
}
