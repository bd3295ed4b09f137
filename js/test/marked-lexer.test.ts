// @vitest-environment node

import { build } from "esbuild";
import { Lexer } from "marked";
import { expect, it } from "vitest";
import { markedLexer } from "../tools/marked-lexer.mjs";

const SAMPLES = [
  "# T\n\nSetext\n===\n\na *b* __c__ ~~d~~ `e` <b>f</b> \\* https://example.org [g](<h i> 't') ![j](k)\n",
  "- a\n- [x] b\n\n  c\n  1. d\n2. e\n> f\n> > g\nlazy\n\n    code\n\n```py\nh\n```\n",
  "| a | b |\n| :- | -: |\n| 1 | `x|y` |\n\n[r]: https://example.org 'Title'\n[r] [R][r] [a [b](c)][r]\n\n---\n",
  "line  \nbreak\nsoft #tag\n#nospace\n**(a / **\n*_b*_ `*c*` <d@example.org>\n* * *\n",
];

it("reads Markdown as the published marked does", async () => {
  const built = await build({
    stdin: { contents: 'export { Lexer } from "marked";', resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: "esm",
    plugins: [markedLexer],
  });
  const code = Buffer.from(built.outputFiles[0]?.contents ?? []).toString("base64");
  const { Lexer: ours } = await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`);
  for (const sample of SAMPLES) {
    expect(plain(ours.lex(sample, { gfm: true }))).toEqual(plain(Lexer.lex(sample, { gfm: true })));
  }
});

/** Without the prototypes, which belong to the module that made them. */
function plain(tokens: unknown): unknown {
  return JSON.parse(JSON.stringify(tokens));
}
