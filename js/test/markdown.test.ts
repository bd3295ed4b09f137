import { describe, expect, it } from "vitest";
import { MarkdownStream } from "../src/md/stream";

const DOCUMENT = `# Title

Setext
===

A paragraph with *em*, **strong**, \`code\`, ~~gone~~ and a [link](https://example.org "t").
Two lines.

- tight
- list
  - nested

1. one

2. two

   more of two

> quote
> > deeper

\`\`\`py
def f():
    return "\`\`"
\`\`\`

    indented code

| a | b |
| :- | -: |
| 1 | \`x|y\` |

- [x] done
- [ ] open

---

Last &amp; least &copy; 5 < 6\\
break <b>raw</b>`;

function host(): HTMLElement {
  return document.createElement("div");
}

function whole(text: string): string {
  const element = host();
  new MarkdownStream(element).finish(text);
  return element.innerHTML;
}

/** Streams a text in pieces; with no time between them every piece is drawn. */
function streamed(text: string, size: number): { before: string; after: string } {
  const element = host();
  const stream = new MarkdownStream(element);
  for (let end = size; end < text.length + size; end += size) {
    stream.dispose();
    Object.assign(stream, { notBefore: 0 });
    stream.update(text.slice(0, end));
  }
  const before = element.innerHTML;
  stream.finish(text);
  return { before, after: element.innerHTML };
}

describe("Markdown that arrives in pieces", () => {
  it.each([1, 3, 7, 60])("ends as the whole does, in pieces of %i", (size) => {
    const { before, after } = streamed(DOCUMENT, size);
    expect(before).toBe(whole(DOCUMENT));
    expect(after).toBe(whole(DOCUMENT));
  });

  it.each([
    ["CRLF", "a\r\n\r\n- b\r\n- c\r\n\r\nd"],
    ["a loose list", "1. a\n\n2. b\n\n3. c\n\nend"],
    ["nested fences", "````md\n```\nx\n```\n````\nafter"],
    ["an open fence", "```\nnever closed"],
  ])("does so for %s", (_name, text) => {
    expect(streamed(text, 1).before).toBe(whole(text));
  });

  it("lets later lines change what earlier ones mean, at the end", () => {
    const text = "See [it][ref].\n\nMore.\n\n[ref]: https://example.org\n";
    expect(streamed(text, 5).after).toBe(whole(text));
    expect(whole(text)).toContain('href="https://example.org/"');
  });

  it("keeps the nodes of blocks that are complete", () => {
    const element = host();
    const stream = new MarkdownStream(element);
    stream.update("first\n\nsecond");
    const [first] = element.children;
    Object.assign(stream, { notBefore: 0 });
    stream.update("first\n\nsecond and more\n\nthird");
    stream.finish("first\n\nsecond and more\n\nthird");
    expect(element.children[0]).toBe(first);
  });

  it("survives nesting that the lexer does not", () => {
    expect(whole(">".repeat(5000)).length).toBeGreaterThan(5000);
    expect(whole(`${"*a ".repeat(2000)}b`)).toContain("a");
  });
});

const HOSTILE: readonly string[] = [
  "<script>marker()</script>",
  "<img src=x onerror=marker()>",
  "![x](https://tracker.example/p.png)",
  "![x](data:image/png;base64,AAAA)",
  "[x](javascript:marker())",
  "[x](JaVaScRiPt:marker())",
  "[x](&#106;avascript:marker())",
  "[x](vbscript:x) [y](data:text/html,x) [z](//evil.example) [r](/api/shutdown) [f](file:///etc/passwd)",
  '<div class="nbh-ask" data-nbh="approval" id="x" style="position:fixed"><button data-nbh="approve">Approve</button></div>',
  '[x](https://example.org "a\\" onclick=\\"marker()")',
  "<a href='javascript:marker()'>x</a>",
  "<iframe srcdoc='<script>marker()</script>'></iframe>",
  "<style>.nbh{display:none}</style>",
  "```html\n<script>marker()</script>\n```",
];

describe("text of an agent", () => {
  it.each(HOSTILE)("cannot act: %s", (text) => {
    const element = host();
    const stream = new MarkdownStream(element);
    stream.update(text);
    const check = (): void => {
      expect(
        element.querySelector(
          "script, img, iframe, style, object, embed, svg, form, [data-nbh], [id], [style]",
        ),
      ).toBeNull();
      for (const each of element.querySelectorAll("*")) {
        expect([...each.attributes].filter(({ name }) => name.startsWith("on"))).toEqual([]);
        expect(each.className).not.toMatch(/nbh-(ask|btns|go|status)/);
      }
      for (const anchor of element.querySelectorAll("a")) {
        expect(anchor.href).toMatch(/^https:/);
        expect(anchor.rel).toBe("noopener noreferrer nofollow");
      }
    };
    check();
    stream.finish(text);
    check();
  });

  it("names the host of an image instead of loading it", () => {
    expect(whole("![a chart](https://tracker.example/p.png)")).toContain("tracker.example");
  });
});
