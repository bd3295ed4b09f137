import { describe, expect, it } from "vitest";
import { inspect, type Reading } from "../src/suspicious/inspect";

/** The text as a person sees it: chips in brackets. */
function seen(text: string, reading: Reading = "command"): string {
  return inspect(text, reading)
    .segments.map((segment) => (segment.kind === "chip" ? `[${segment.text}]` : segment.text))
    .join("");
}

const INNOCENT: readonly [string, Reading][] = [
  ["git commit -m 'it — works' && ls | wc -l", "command"],
  ["echo привет, мир: а о с", "text"],
  ["日本語のテキスト：「はい」", "text"],
  ["naïve café, Straße, Ελλάδα", "text"],
  ["👩‍💻 done ✔️ 👍🏽", "command"],
  ["می‌خواهم", "text"],
  ["a\tb\n    indented\r\n", "text"],
  [`${" ".repeat(60)}deeply indented code`, "text"],
  ["x = 1  # two spaces", "command"],
];

describe("a text to approve", () => {
  it.each(INNOCENT)("shows %j as it is", (text, reading) => {
    expect(seen(text, reading)).toBe(text);
    expect(inspect(text, reading).sentence).toBe("");
  });

  it("counts padding that pushes the end out of sight", () => {
    expect(seen(`ls${" ".repeat(212)}; rm -rf ~`)).toBe("ls[212 spaces]; rm -rf ~");
    expect(inspect(`ls${" ".repeat(212)}; rm`).sentence).toBe("212 spaces are folded");
    expect(seen(`ls${"\n".repeat(40)}rm`)).toBe("ls[40 line breaks]\nrm");
  });

  it("names a host that is not what it looks like", () => {
    const { sentence } = inspect("curl https://ex\u0430mple.org/x");
    expect(sentence).toBe("One letter is Cyrillic, so this is not example.org");
    expect(seen("curl https://ex\u0430mple.org/x")).toBe("curl https://ex[а U+0430]mple.org/x");
  });

  it("marks a word made wholly of look-alikes, unless the text is in that script", () => {
    expect(seen("pip install \u0440\u0430\u0441")).toContain("[р U+0440]");
    expect(seen("цена: \u0440\u0430\u0441", "text")).toBe("цена: \u0440\u0430\u0441");
    // In one token with Latin letters it is a disguise whatever else there is.
    expect(seen("цена \u0440\u0430\u0441.com", "text")).toContain("[р U+0440]");
  });

  it.each([
    ["a\u200bb", "a[U+200B]b", "One character is invisible"],
    ["a\u200b\u200b\u200bb", "a[U+200B ×3]b", "3 characters are invisible"],
    ["x\u202egnp.exe", "x[U+202E]gnp.exe", "One character changes the order in which the text is shown"],
    ["a\u0007b", "a[U+0007]b", "One character is a control character"],
    ["rm\u00a0-rf", "rm[U+00A0]-rf", "One character only looks like a space"],
    ["rm \u2013rf x", "rm [– U+2013]rf x", "One sign only looks like an ordinary one"],
    ["ls \uff5c sh", "ls [｜ U+FF5C] sh", "One sign only looks like an ordinary one"],
    ["ls \u037e rm", "ls [; U+037E] rm".replace(";", "\u037e"), "One sign only looks like an ordinary one"],
    ["a\u{e0041}b", "a[U+E0041]b", "One character is invisible"],
    ["z\u0300\u0301\u0302\u0303", "z[U+0300 ×4]", "4 characters are stacked on others"],
    ["ls\r\n", "ls[U+000D]\n", "One character is a control character"],
    ["\ud800", "[U+D800]", "One character is a control character"],
  ])("shows what %j hides", (text, shown, sentence) => {
    expect(seen(text)).toBe(shown);
    expect(inspect(text).sentence).toBe(sentence);
  });

  it("loses nothing but what its chips stand for", () => {
    const text = `a${" ".repeat(50)}b\u200bc\u0430d\n${"e".repeat(1000)}`;
    const kept = inspect(text)
      .segments.filter(({ kind }) => kind === "text")
      .map((segment) => segment.text)
      .join("");
    expect(kept).toBe(`abc${"d"}\n${"e".repeat(1000)}`);
  });
});
