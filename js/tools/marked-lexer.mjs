// Of marked only the lexer is used, with fixed options, but its published module is one minified piece from which nothing
// can be left out. Its source map carries the sources it was made from: the bundle is built from those.
import { readFile } from "node:fs/promises";
import path from "node:path";

/** Grammars of other options, and where they are exported. They are made by calls, so that no bundler leaves them out. */
const OTHER_GRAMMARS =
  /^const (?:\w+Pedantic\w*|inlineBreaks)\b[\s\S]*?;\n(?=\n|const|\/)|^ {2}(?:pedantic|breaks): \w+,\n/gm;
const COUNT = 10;

/** Options of the lexer that never differ here; what only serves another value is left out of the bundle. */
const FIXED = { gfm: true, pedantic: false, breaks: false, silent: false, extensions: null, hooks: null };

/** `import { Lexer } from "marked"` gives the lexer from its own sources. @type {import("esbuild").Plugin} */
export const markedLexer = {
  name: "marked-lexer",
  setup(builder) {
    const sources = markedSources();
    builder.onResolve({ filter: /^marked$/ }, () => ({ path: "index.ts", namespace: "marked" }));
    builder.onResolve({ filter: /^\.\//, namespace: "marked" }, (reference) => ({
      path: path.posix.normalize(reference.path),
      namespace: "marked",
      sideEffects: false,
    }));
    builder.onLoad({ filter: /.*/, namespace: "marked" }, async ({ path: name }) => {
      const contents = (await sources).get(name);
      if (contents === undefined)
        throw new Error(`the source map of marked has no src/${name}: its layout has changed`);
      return { contents, loader: "ts" };
    });
  },
};

/** Returns marked's sources by file name, with the fixed options in place. @returns {Promise<Map<string, string>>} */
async function markedSources() {
  const map = JSON.parse(await readFile(new URL(`${import.meta.resolve("marked")}.map`), "utf8"));
  /** @type {[string, string][]} */
  const files = map.sources.map((/** @type {string} */ name, /** @type {number} */ at) => [
    path.posix.basename(name),
    withFixedOptions(map.sourcesContent[at]),
  ]);
  const sources = new Map(files);
  const rules = sources.get("rules.ts") ?? "";
  const found = rules.match(OTHER_GRAMMARS)?.length ?? 0;
  if (found !== COUNT)
    throw new Error(`rules.ts of marked has ${found} grammars to leave out, not ${COUNT}: it has changed`);
  sources.set("rules.ts", rules.replaceAll(OTHER_GRAMMARS, ""));
  return sources.set("index.ts", 'export { _Lexer as Lexer } from "./Lexer.ts";');
}

/** @param {string} source */
function withFixedOptions(source) {
  return source.replaceAll(/\bthis\.options\.(\w+)(?!\s*=[^=])\b/g, (whole, /** @type {string} */ name) =>
    name in FIXED ? String(FIXED[/** @type {keyof typeof FIXED} */ (name)]) : whole,
  );
}
