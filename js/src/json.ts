/** JSON-like values that came from outside. */

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text, or the words of a list joined by blanks; `""` for anything else. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) && value.every((part) => typeof part === "string") ? value.join(" ") : "";
}

/** A value as a person reads it: text as it is, everything else as indented JSON. */
export function readable(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** A text split where it breaks, without the empty line after a final break. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
