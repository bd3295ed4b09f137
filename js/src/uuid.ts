/** A random version 4 UUID; `crypto.randomUUID` itself is missing where the page is not served over https. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte, i) => {
    const marked = i === 6 ? (byte & 0x0f) | 0x40 : i === 8 ? (byte & 0x3f) | 0x80 : byte;
    return marked.toString(16).padStart(2, "0");
  });
  return [0, 4, 6, 8, 10].map((start, i) => hex.slice(start, [4, 6, 8, 10, 16][i]).join("")).join("-");
}
