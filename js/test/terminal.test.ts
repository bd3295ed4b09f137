import { describe, expect, it } from "vitest";
import { TermBuffer } from "../src/term/buffer";
import { classesOf } from "../src/term/style";
import { TerminalView } from "../src/term/view";

function written(...chunks: readonly string[]): TermBuffer {
  const buffer = new TermBuffer();
  for (const chunk of chunks) buffer.write(chunk);
  return buffer;
}

/** All lines as plain text, the open one last. */
function lines(buffer: TermBuffer): string[] {
  return [...buffer.lines, buffer.open].map((line) => line.map(({ text }) => text).join(""));
}

/** The open line with its classes. */
function styled(buffer: TermBuffer): string[] {
  return buffer.open.map(({ text, style }) => `${classesOf(style)}|${text}`);
}

describe("a terminal", () => {
  it.each([
    ["a progress bar", "10%\r50%\r100%", ["100%"]],
    ["a shorter line over a longer one", "longer\rab", ["abnger"]],
    ["erase to the end", "longer\rab\u001b[K", ["ab"]],
    ["erase to the start", "abcdef\u001b[3D\u001b[1K", ["    ef"]],
    ["erase the line", "abc\u001b[2K\rx", ["x"]],
    ["backspace", "abc\b\bX", ["aXc"]],
    ["columns", "abc\u001b[1GX\u001b[2CY", ["Xbc" + "Y"]],
    ["tabs", "a\tb", ["a       b"]],
    ["line ends", "a\r\nb\nc", ["a", "b", "c"]],
    [
      "titles, links and pictures",
      "\u001b]0;title\u0007a\u001b]8;;javascript:alert(1)\u001b\\b\u001bPq#0\u001b\\c",
      ["abc"],
    ],
    ["screen control", "\u001b[2J\u001b[?25l\u001b[1;31Hx\u001b(B", ["x"]],
    ["other control characters", "a\u0000b\u0007c\u009bd", ["abc"]],
  ])("knows %s", (_name, text, expected) => {
    expect(lines(written(text))).toEqual(expected);
  });

  it("shows the same however the output is cut", () => {
    const text =
      "\u001b[1;32mok\u001b[0m 10%\r20%\u001b[K\r\n\u001b]0;t\u0007a\tb\bc\u001b[38;5;196mred\r\n\u001b[2Kend";
    const whole = lines(written(text));
    for (const size of [1, 2, 3, 7]) {
      const chunks = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      expect(lines(written(...chunks))).toEqual(whole);
    }
  });

  it("keeps colours as classes, arbitrary ones as the nearest", () => {
    expect(styled(written("\u001b[1;31ma\u001b[22mb\u001b[0mc"))).toEqual([
      "nbh-t-bold nbh-t-fg1|a",
      "nbh-t-fg1|b",
      "|c",
    ]);
    expect(styled(written("\u001b[38;5;196ma\u001b[38;2;0;200;0mb\u001b[48;5;21mc"))).toEqual([
      "nbh-t-fg9|a",
      "nbh-t-fg2|b",
      "nbh-t-fg2 nbh-t-bg4|c",
    ]);
  });

  it("keeps the newest lines and counts the others", () => {
    const buffer = written("line\n".repeat(2500));
    expect(buffer.lines.length).toBe(2000);
    expect(buffer.dropped).toBe(500);
    expect(written(`${"x".repeat(300_000)}\n`).lines.length).toBeLessThan(32);
  });
});

describe("its view", () => {
  it("folds the middle, and shows it on demand", () => {
    const view = new TerminalView({ head: 2, tail: 3 });
    view.write(Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n"));
    const shown = (): string[] =>
      [...view.element.querySelectorAll(".nbh-line")].map((line) => line.textContent);
    expect(shown()).toEqual(["line 0", "line 1", "line 97", "line 98", "line 99"]);
    expect([...view.element.children].map(({ textContent }) => textContent)[2]).toBe("Show 95 lines");
    view.element.querySelector("button")?.click();
    expect(shown().length).toBe(100);
    expect(view.element.querySelector("button")).toBeNull();
  });

  it("follows the end while it grows", () => {
    const view = new TerminalView({ head: 0, tail: 2 });
    for (let i = 0; i < 10; i += 1) view.write(`line ${i}\n`);
    view.write("10%");
    view.write("\r20%");
    expect([...view.element.querySelectorAll(".nbh-line")].map(({ textContent }) => textContent)).toEqual([
      "line 9",
      "20%",
    ]);
  });

  it("makes no element of what is printed", () => {
    const view = new TerminalView({ head: 9, tail: 9 });
    view.write('<img src=x onerror="alert(1)">\u001b[31m<b>');
    expect(view.element.querySelector("img, b")).toBeNull();
  });
});
